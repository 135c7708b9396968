package dev.gleaner.kit.oracle;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A random program on a heap and on its model: operations by weight, a comparison every few of
 * them, everything given back at the end, and the heap closed.
 *
 * <p>Finalizers do random operations as well; their number is bounded, so that it ends. Each step
 * has dice of its own, so that any can be left out ({@link Steps}).
 */
final class RandomProgram {
  private static final int MOST_LIVE = 400;
  private static final int MOST_FINALIZER_STEPS = 400;

  /** The parts of a step, or of a finalizer, that can be left out by themselves. */
  private static final long BASELINE = 0;

  private static final long CHECK = -1;

  private static final long COLLECT = -2;
  private static final long RESCUE = -3;
  private static final long THROW = -4;
  private static final long STRETCH = -5;
  private static final long BUILTINS = -6;

  /** After so many steps it is rolled again whether calls alone follow. */
  private static final int STRETCH_STEPS = 30;

  private final Plan plan;
  private final Steps steps;
  private final Twin twin;
  private final Lots mixed;
  private final Lots calls;
  private final ElementOperations elements;
  private final ByteOperations bytes;
  private final FrameOperations frames;
  private final ThreadOperations threads;
  private final RootOperations roots;
  private final MemoryOperations memory;
  private final RangeOperations ranges;
  private final GraphComparison comparison;
  private final Consumer<Twin> observer;
  private int finalizerSteps = MOST_FINALIZER_STEPS;
  private long usedAtFirst = -1;
  private boolean warmingUp;

  /** Whether there are little but calls for a while, what they make, and where they store it. */
  private boolean amongCalls;

  private boolean closing;

  /** Steps that are under way: finalizers take some inside of others. */
  private int nested;

  private @Nullable Throwable failure;

  /**
   * What came of a program.
   *
   * @param requirements the capabilities that the script asks for
   * @param failure what went wrong, or null
   * @param closing whether that was when the heap was closed
   */
  record Outcome(
      Plan plan,
      Steps steps,
      Script script,
      String requirements,
      @Nullable Throwable failure,
      boolean closing) {}

  private RandomProgram(Plan plan, Steps steps, Twin twin, Consumer<Twin> observer) {
    this.observer = observer;
    this.plan = plan;
    this.steps = steps;
    this.twin = twin;
    elements = new ElementOperations(twin);
    bytes = new ByteOperations(twin);
    frames = new FrameOperations(twin);
    threads = new ThreadOperations(twin, frames);
    roots = new RootOperations(twin, this::finalizer);
    memory = new MemoryOperations(twin, plan.isThorough() ? 100 : 5);
    ranges = new RangeOperations(twin);
    comparison = new GraphComparison(twin);
    List<Operation> operations = new ArrayList<>(elements.all());
    ObjectOperations objects = new ObjectOperations(twin);
    operations.addAll(objects.all());
    operations.addAll(new WalkOperations(twin, objects).all());
    operations.addAll(bytes.all());
    operations.addAll(roots.all());
    boolean builtins = new Dice(Dice.mix(plan.seed(), BUILTINS)).chance(30);
    operations.addAll(new BuiltinOperations(twin, operations, builtins).all());
    operations.addAll(memory.all());
    operations.removeIf(o -> twin.sayable && !o.sayable());
    operations.addAll(new BuildOperations(twin, frames, elements, List.copyOf(operations)).all());
    operations.addAll(frames.all());
    operations.addAll(threads.all());
    operations.addAll(ranges.all());
    operations.addAll(new IndexOperations(twin).all());
    operations.removeIf(o -> twin.sayable && !o.sayable());
    mixed = new Lots(operations, Operation::weight);
    calls = new Lots(operations, Operation::weightAmongCalls);
  }

  private static Twin twin(Heaps heaps, Plan plan, boolean recording, MeterRegistry registry) {
    return new Twin(
        heaps.open(plan),
        plan,
        new Script(recording),
        recording,
        registry,
        heaps.finalizeInPlace(plan),
        null);
  }

  /** Runs one to its end, and looks for faults. */
  static Outcome run(Heaps heaps, Plan plan, Steps steps, boolean recording) {
    return run(heaps, plan, steps, recording, new SimpleMeterRegistry());
  }

  /** Likewise, with the meters in a registry of the caller's. */
  static Outcome run(
      Heaps heaps, Plan plan, Steps steps, boolean recording, MeterRegistry registry) {
    return run(heaps, plan, steps, recording, registry, _ -> {});
  }

  /** Runs one with an observer, which looks at heap and model after every operation. */
  static Outcome run(
      Heaps heaps, Plan plan, Steps steps, boolean recording, Consumer<Twin> observer) {
    return run(heaps, plan, steps, recording, new SimpleMeterRegistry(), observer);
  }

  private static Outcome run(
      Heaps heaps,
      Plan plan,
      Steps steps,
      boolean recording,
      MeterRegistry registry,
      Consumer<Twin> observer) {
    Twin twin = twin(heaps, plan, recording, registry);
    RandomProgram program = new RandomProgram(plan, steps, twin, observer);
    return program.guard(() -> {
      program.runSteps();
      program.finish();
    });
  }

  /**
   * Runs one for some operations, and saves its heap. Then it goes on in a heap that is opened from
   * the image, and has all that the model says.
   *
   * @param others opens the second heap
   * @param rest the operations of the second heap
   * @return what came of the rest; of the first part if that failed, or if the second heap could
   *     not be opened for lack of memory, or it is not known what weak tables hold
   */
  static Outcome runAndGoOn(Heaps heaps, Plan plan, Heaps others, Plan rest) {
    Twin twin = twin(heaps, plan, false, new SimpleMeterRegistry());
    RandomProgram program = new RandomProgram(plan, Steps.all(), twin, _ -> {});
    @Nullable Outcome[] later = new Outcome[1];
    Outcome first =
        program.guard(() -> {
          program.runSteps();
          later[0] = program.goOn(others, rest);
        });
    return first.failure() != null || later[0] == null ? first : later[0];
  }

  private @Nullable Outcome goOn(Heaps others, Plan rest) {
    memory.refuseNoMore();
    int _ = twin.heap.setBaseFlags(0);
    settle(0);
    checkFound();
    if (!twin.collector.sure) {
      return null;
    }
    SavedObjects saved = new SavedObjects();
    twin.shadow.globals.forEach((number, global) -> saved.save(number, global.ref()));
    HeapImage[] image = new HeapImage[1];
    twin.quiet = true;
    twin.cannotSay("image");
    twin.collect(0, () -> image[0] = twin.heap.image(saved));
    checkFound();
    Heap heap;
    try {
      heap = others.open(rest, image[0], saved);
    } catch (HeapExhaustedException e) {
      if (rest.setup().isSmall(rest.mode())) {
        return null;
      }
      throw e;
    }
    Twin next =
        new Twin(
            heap,
            rest,
            new Script(false),
            false,
            new SimpleMeterRegistry(),
            others.finalizeInPlace(rest),
            new Twin.Opened(twin.shadow, saved.opened()));
    RandomProgram program = new RandomProgram(rest, Steps.all(), next, _ -> {});
    program.elements.takeOver();
    saved.goOn(program::finalizer, program.elements::freed, next.shadow.finalizers);
    return program.guard(() -> {
      program.check(false);
      program.takeSteps();
      program.finish();
    });
  }

  /**
   * Runs one up to where it would close the heap, and writes down what must hold then, and when it
   * is closed.
   */
  static Outcome write(Heaps heaps, Plan plan, Steps steps) {
    Twin twin = twin(heaps, plan, true, new SimpleMeterRegistry());
    RandomProgram program = new RandomProgram(plan, steps, twin, _ -> {});
    return program.guard(() -> {
      program.runSteps();
      program.finishSteps();
      new Expectations(program.twin).append(true);
    });
  }

  @SuppressWarnings("CatchAndPrintStackTrace")
  private Outcome guard(Runnable program) {
    try {
      program.run();
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      AssertionError _ = fail(e);
    }
    twin.end();
    try {
      twin.heap.close();
    } catch (RuntimeException | AssertionError e) {
      AssertionError _ = fail(e);
    }
    return new Outcome(plan, steps, twin.script, twin.requirements(), failure, closing);
  }

  /** The first failure: writes down what should have been, and ends the program. */
  private AssertionError fail(Throwable e) {
    if (failure == null) {
      failure = e;
      if (!twin.isEnded() && !closing) {
        new Expectations(twin).append(false);
      }
      twin.end();
    }
    return new AssertionError(e.toString(), e);
  }

  private void runSteps() {
    twin.t.enter(12);
    ShadowThread.Frame _ = frames.add(12);
    if (!twin.sayable
        && twin.has(Capability.CYCLES) // else what leaks is not there at the end
        && steps.take(Dice.mix(plan.seed(), BASELINE))) {
      usedAtFirst = baseline();
    }
    takeSteps();
  }

  private void takeSteps() {
    for (int i = 1; i <= plan.operations(); i++) {
      long id = Dice.mix(plan.seed(), i);
      amongCalls = isAmongCalls(i);
      if (plan.mode() == Mode.SCRIPTED) {
        collectSometimes(Dice.mix(id, COLLECT));
      }
      step(id);
      observer.accept(twin);
      if (i % plan.checkEvery() == 0) {
        finalizerSteps = MOST_FINALIZER_STEPS;
        checkSometimes(Dice.mix(id, CHECK));
      }
    }
  }

  private boolean isAmongCalls(int step) {
    long stretch = Dice.mix(plan.seed(), step / STRETCH_STEPS);
    return new Dice(Dice.mix(stretch, STRETCH)).chance(30);
  }

  private void finish() {
    finishSteps();
    close(twin.sayable || new Dice(plan.seed()).chance(50));
  }

  /** Gives everything back, or goes as it is. */
  private void finishSteps() {
    if (!plan.setup().torturesFinalizers() && new Dice(plan.seed() + 1).chance(50)) {
      check(false);
      comparison.close();
      return;
    }
    unwind();
    giveBack();
    long used = twin.heap.statistics().usedBytes();
    if (usedAtFirst >= 0 && twin.shadow.builtins.isEmpty() && used != usedAtFirst) {
      throw new AssertionError(
          usedAtFirst + " bytes were used at first, and at the end " + twin.heap.statistics());
    }
  }

  private void collectSometimes(long id) {
    if (new Dice(id).below(plan.setup().collectEvery()) == 0 && steps.take(id)) {
      twin.collect(0);
    }
  }

  private void checkSometimes(long id) {
    if (steps.take(id)) {
      check(new Dice(id).chance(50));
    }
  }

  private void step(long id) {
    if (!steps.take(id)) {
      return;
    }
    Dice by = new Dice(id);
    perform((amongCalls ? calls : mixed).roll(by), by);
  }

  private void perform(Operation operation, Dice by) {
    twin.shadow.finalizers.beginOperation();
    nested++;
    try {
      performInside(operation, by);
    } finally {
      nested--;
    }
    if (nested == 0 && twin.orphans) {
      twin.orphans = false;
      twin.meters.forgive();
    }
    checkFound();
  }

  /** Ends the program if a finalizer, a callback or a listener has found something. */
  private void checkFound() {
    try {
      twin.collector.rethrow();
    } catch (AssertionError e) {
      throw fail(e);
    }
    if (failure != null) {
      throw fail(failure);
    }
  }

  private void performInside(Operation operation, Dice by) {
    boolean refusing = memory.refusing; // a finalizer may end that before the operation fails
    int refusals = memory.refusals;
    try {
      memory.wrap(operation, by);
    } catch (HeapExhaustedException e) {
      boolean due = refusing || memory.refusals != refusals;
      if (!due && !plan.setup().isSmall(plan.mode()) && !plan.setup().ownFunctions()) {
        throw fail(e);
      }
      twin.orphans = true;
      twin.script.outOfMemory(twin.sayable && refusing);
      twin.forgetAttempt();
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      throw fail(e);
    }
    if (twin.prompt && plan.isThorough()) {
      try {
        twin.collector.checkCounts();
      } catch (AssertionError e) {
        throw fail(e);
      }
    }
    if (!twin.sayable && by.chance(15)) {
      memory.refuseNoMore();
    }
    if (twin.shadow.elements.size() > MOST_LIVE && by.chance(20)) {
      shed();
    }
  }

  /** Drops all globals, and the slots of the frame. */
  private void shed() {
    boolean quiet = twin.quiet;
    twin.quiet |= !twin.sayable; // or what is rescued at once would never be gone
    roots.closeGlobals();
    frames.wipe(0);
    twin.quiet = quiet;
  }

  private void finalizer(ShadowElement element, FinalizerBody body, boolean heapCloses) {
    if (twin.isEnded()) {
      return;
    }
    try {
      twin.enterFinalizer(element, body, heapCloses);
    } catch (AssertionError e) {
      throw fail(e);
    }
    Throwable thrown = null;
    try {
      if (warmingUp) {
        growCallStack();
      }
      switch (body.kind) {
        case EMPTY -> {}
        case RESCUE -> {
          if (twin.sayable || !twin.quiet) {
            roots.setGlobal(body.global, 0);
          }
        }
        case BREED -> breed(body);
        case RANDOM -> thrown = runRandom(element, body);
      }
    } finally {
      if (!twin.isEnded()) {
        twin.leaveFinalizer();
      }
    }
    if (thrown != null) {
      twin.shadow.finalizers.failed++;
      Thrown.raise(thrown);
    }
  }

  private void breed(FinalizerBody body) {
    long id = Dice.mix(body.seed, body.calls);
    int n = twin.quiet ? 0 : Math.min(finalizerSteps, new Dice(id).between(1, 3));
    finalizerSteps -= n;
    for (int i = 0; i < n; i++) {
      long child = Dice.mix(id, i);
      if (steps.take(child)) {
        perform(new Operation("breed", 0, roots::breed), new Dice(child));
      }
    }
  }

  /**
   * In a script a block is the same each time it runs, so there it runs once.
   *
   * @return what it is to throw, or null
   */
  private @Nullable Throwable runRandom(ShadowElement element, FinalizerBody body) {
    if (twin.quiet || (twin.sayable && body.calls > 1)) {
      return null;
    }
    long id = Dice.mix(body.seed, body.calls);
    Dice own = new Dice(id);
    int n = Math.min(finalizerSteps, own.below(6));
    if (n == 0 || !steps.take(id)) {
      return null;
    }
    finalizerSteps -= n;
    if (twin.sayable) {
      roots.clearFinalizer(0);
    }
    if (own.chance(20) && steps.take(Dice.mix(id, COLLECT))) {
      twin.collect(0);
    }
    for (int i = 0; i < n; i++) {
      step(Dice.mix(id, i));
    }
    int held = twin.find(own, v -> v == element);
    if (own.chance(30) && held >= 0 && steps.take(Dice.mix(id, RESCUE))) {
      roots.setGlobal(roots.anyGlobal(own), held);
    }
    if (own.chance(10) && steps.take(Dice.mix(id, THROW))) {
      twin.say("throw \"on purpose\"");
      return twin.sayable ? Thrown.plain() : Thrown.any(own);
    }
    return null;
  }

  /** Compares everything, after a collection that leaves nothing unreachable. */
  private void check(boolean emergency) {
    memory.refuseNoMore();
    int flags = twin.heap.baseFlags();
    if (!twin.sayable) {
      int _ = twin.heap.setBaseFlags(0);
    }
    settle(emergency ? CollectFlags.EMERGENCY : 0);
    checkFound();
    int _ = twin.heap.setBaseFlags(flags);
    elements.checkFreed(false);
    comparison.run();
    memory.checkBlocks();
    bytes.checkPins();
    twin.collector.verify("after a check");
    HeapStatistics s = twin.heap.statistics();
    ShadowFinalizers f = twin.shadow.finalizers;
    if (s.finalizersRun() != f.calls
        || s.finalizersFailed() != f.failed
        || s.callbacksFailed() != twin.shadow.callbacksFailed
        || (twin.exact && s.finalizersRescued() != f.rescued)) {
      throw new AssertionError(
          "%d calls, %d failed, %d rescued, %d callbacks failed, but %s"
              .formatted(f.calls, f.failed, f.rescued, twin.shadow.callbacksFailed, s));
    }
  }

  private void settle(int flags) {
    boolean quiet = twin.quiet;
    twin.quiet |= !twin.exact;
    twin.collector.settle(() -> twin.collect(flags));
    twin.quiet = quiet;
    if (twin.collector.sure) {
      twin.meters.compare();
    }
  }

  /** Leaves every frame and thread, comparing each frame on the way. */
  private void unwind() {
    while (!twin.inMainFrame()) {
      comparison.run();
      if (twin.shadow.thread().depth() > 1) {
        frames.leave();
      } else {
        threads.suspend();
      }
    }
    if (!ranges.shrinkFrame()) {
      usedAtFirst = -1; // its stack has room for more
    }
    check(true);
  }

  /** Makes what a heap keeps once it was used, and answers the bytes in use then. */
  private long baseline() {
    ShadowElement _ =
        twin.make(
            0,
            "record s0 0",
            () -> twin.t.newRecord(0, 0),
            () -> twin.shadow.newElement(Kind.RECORD, 0));
    twin.quiet = true;
    roots.setFinalizer(0, FinalizerBody.Kind.EMPTY, new Dice(plan.seed()));
    elements.newNative(2);
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
    memory.refuseNoMore(); // or tables could not shrink
    bytes.unpinAll();
    shed();
    memory.freeAll();
    int flags = twin.heap.setBaseFlags(0);
    for (int i = 0; i < 3; i++) {
      settle(CollectFlags.EMERGENCY);
    }
    int _ = twin.heap.setBaseFlags(flags);
    comparison.close();
  }

  private void close(boolean quiet) {
    twin.say("close");
    twin.quiet = quiet;
    closing = true;
    twin.collector.closing = true;
    twin.heap.close();
    checkFound();
    elements.checkFreed(true);
    twin.meters.compareClosed();
    HeapStatistics s = twin.heap.statistics();
    if (s.usedBytes() != 0 || s.liveElements() != 0 || s.strings() != 0) {
      throw new AssertionError("closed, but " + s);
    }
    for (ShadowFinalizers.Entry entry : twin.shadow.finalizers.entries()) {
      if (quiet && plan.setup().finalizers() && entry.state != ShadowFinalizers.State.FINALIZED) {
        throw new AssertionError("closed without finalizing " + entry.element);
      }
    }
  }
}
