package dev.gleaner.it;

import dev.gleaner.heap.AllocationFunctionsFactory;
import dev.gleaner.heap.CollectFlags;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapExhaustedException;
import dev.gleaner.heap.HeapStatistics;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A random program on a heap and on its model: operations by weight, a comparison every few of
 * them, everything given back at the end, and the heap closed.
 *
 * <p>Finalizers do random operations as well; their number is bounded, so that it ends.
 */
final class RandomProgram {
  private static final int CHECK_EVERY = 40;
  private static final int MOST_LIVE = 400;

  private final Variant variant;
  private final Twin twin;
  private final Dice dice;
  private final List<Operation> operations = new ArrayList<>();
  private final int weights;
  private final ElementOperations elements;
  private final RootOperations roots;
  private final MemoryOperations memory;
  private final GraphComparison comparison;
  private int finalizerSteps = 400;
  private boolean warmingUp;

  private RandomProgram(Heap heap, Variant variant, Dice dice) {
    this.variant = variant;
    this.dice = dice;
    twin = new Twin(heap, variant);
    elements = new ElementOperations(twin);
    roots = new RootOperations(twin, this::finalizer);
    memory = new MemoryOperations(twin, variant.incremental);
    comparison = new GraphComparison(twin);
    operations.addAll(elements.all());
    operations.addAll(new ObjectOperations(twin).all());
    operations.addAll(new ByteOperations(twin).all());
    operations.addAll(new FrameOperations(twin).all());
    operations.addAll(new ThreadOperations(twin).all());
    operations.addAll(roots.all());
    operations.addAll(memory.all());
    weights = operations.stream().mapToInt(Operation::weight).sum();
  }

  /** Runs one; what goes wrong says how to repeat it. */
  static void run(
      String collector,
      Variant variant,
      long seed,
      @Nullable AllocationFunctionsFactory functions) {
    Heap heap = variant.open(collector, functions);
    RandomProgram program = new RandomProgram(heap, variant, new Dice(seed));
    try {
      program.run();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          collector
              + ", "
              + variant
              + ", program seed "
              + seed
              + ": "
              + e
              + "\nthe last operations:\n  "
              + program.twin.log,
          e);
    }
  }

  private void run() {
    twin.log.add("enter 12");
    twin.t.enter(12);
    twin.shadow.thread().frames.add(new ShadowThread.Frame(12));
    long before = baseline();
    for (int i = 1; i <= variant.operations; i++) {
      step(dice);
      if (i % CHECK_EVERY == 0) {
        check(dice.chance(50));
      }
    }
    unwind();
    giveBack();
    if (twin.heap.statistics().usedBytes() != before) {
      throw new AssertionError(
          before + " bytes were used at first, and at the end " + twin.heap.statistics());
    }
    close(dice.chance(50));
  }

  private void step(Dice by) {
    Operation operation = roll(by);
    boolean refusing = memory.refusing; // a finalizer may end that before the operation fails
    int refusals = memory.refusals;
    try {
      operation.action().run(by);
    } catch (HeapExhaustedException e) {
      twin.log.add("  " + e.getMessage());
      boolean due = refusing || memory.refusals != refusals;
      if (!due && !variant.small && !variant.ownFunctions()) {
        throw e;
      }
    }
    if (by.chance(15)) {
      twin.heap.clearFailAllocations();
      memory.refusing = false;
    }
    if (twin.shadow.elements.size() > MOST_LIVE && by.chance(20)) {
      shed();
    }
  }

  private Operation roll(Dice by) {
    int roll = by.below(weights);
    for (Operation operation : operations) {
      roll -= operation.weight();
      if (roll < 0) {
        return operation;
      }
    }
    throw new AssertionError();
  }

  /** Drops all globals, and the slots of the frame. */
  private void shed() {
    twin.log.add("shed");
    while (!twin.shadow.globals.isEmpty()) {
      twin.shadow.globals.removeLast().ref.close();
    }
    for (int i = 0; i < twin.frame().slots.size(); i++) {
      twin.set(i, Special.UNDEFINED);
    }
    twin.t.wipe(0);
  }

  private void finalizer(ShadowElement element, String label, boolean closing) {
    twin.enterFinalizer(element, closing);
    try {
      Dice own = new Dice(element.number * 31L + label.hashCode());
      if (warmingUp) {
        growCallStack();
      }
      int steps = twin.quiet ? 0 : Math.min(finalizerSteps, own.below(6));
      finalizerSteps -= steps;
      for (int i = 0; i < steps; i++) {
        step(own);
      }
      int held = steps == 0 ? -1 : twin.find(own, v -> v == element);
      if (held >= 0 && own.chance(30) && !twin.shadow.globals.isEmpty()) {
        roots.setGlobal(own, held); // rescued
      }
      if (steps > 0 && own.chance(10)) {
        throw new IllegalArgumentException("a finalizer's failure");
      }
    } catch (RuntimeException e) {
      twin.shadow.finalizers.failed++;
      throw e;
    } finally {
      twin.leaveFinalizer();
    }
  }

  /** Compares everything; with a collection first, after which nothing unreachable may be left. */
  private void check(boolean emergency) {
    twin.heap.clearFailAllocations();
    memory.refusing = false;
    int flags = twin.heap.setBaseFlags(emergency ? CollectFlags.EMERGENCY : 0);
    twin.log.add("check");
    boolean quiet = twin.quiet;
    twin.quiet |= !twin.exact;
    twin.collector.settle();
    twin.quiet = quiet;
    elements.checkFreed(false);
    comparison.run();
    memory.checkBlocks();
    List<String> violations = twin.heap.verify();
    if (!violations.isEmpty()) {
      throw new AssertionError(violations);
    }
    HeapStatistics s = twin.heap.statistics();
    ShadowFinalizers f = twin.shadow.finalizers;
    if (s.finalizersRun() != f.calls
        || s.finalizersFailed() != f.failed
        || (twin.exact && s.finalizersRescued() != f.rescued)) {
      throw new AssertionError(
          f.calls + " calls, " + f.failed + " failed, " + f.rescued + " rescued, but " + s);
    }
    int _ = twin.heap.setBaseFlags(flags);
  }

  /** Leaves every frame and thread, comparing each frame on the way. */
  private void unwind() {
    while (twin.shadow.current != twin.shadow.main || twin.shadow.thread().depth() > 1) {
      comparison.run();
      ShadowThread thread = twin.shadow.thread();
      if (thread.depth() > 1) {
        twin.log.add("leave");
        thread.frames.removeLast();
        twin.t.leave();
      } else {
        twin.log.add("suspend");
        thread.frames.removeLast();
        twin.shadow.switchBack();
        twin.t.suspend();
      }
    }
    check(true);
  }

  /** Makes what a heap keeps once it was used, and answers the bytes in use then. */
  private long baseline() {
    twin.t.newRecord(0, 0);
    twin.set(0, twin.shadow.newElement(dev.gleaner.heap.Kind.RECORD, 0));
    twin.quiet = true;
    roots.setFinalizer(0);
    twin.intern(1, "text", () -> twin.t.newString(1, "text"));
    growCallStack();
    warmingUp = true;
    giveBack();
    warmingUp = false;
    twin.quiet = false;
    return twin.heap.statistics().usedBytes();
  }

  private void growCallStack() {
    for (int i = 0; i <= FrameOperations.MOST_CALLS; i++) {
      twin.t.pushCatcher(0, i);
    }
    for (int i = 0; i <= FrameOperations.MOST_CALLS; i++) {
      twin.t.popCatcher();
    }
  }

  private void giveBack() {
    twin.quiet = true;
    shed();
    memory.freeAll();
    int _ = twin.heap.setBaseFlags(CollectFlags.EMERGENCY);
    for (int i = 0; i < 3; i++) {
      twin.collector.settle();
    }
    int _ = twin.heap.setBaseFlags(0);
    comparison.close();
  }

  private void close(boolean quiet) {
    twin.log.add("close");
    twin.quiet = quiet;
    twin.heap.close();
    elements.checkFreed(true);
    HeapStatistics s = twin.heap.statistics();
    if (s.usedBytes() != 0 || s.liveElements() != 0 || s.strings() != 0) {
      throw new AssertionError("closed, but " + s);
    }
    for (ShadowFinalizers.Entry entry : twin.shadow.finalizers.entries()) {
      if (quiet && variant.finalizers && entry.state != ShadowFinalizers.State.FINALIZED) {
        throw new AssertionError("closed without finalizing " + entry.element);
      }
    }
  }
}
