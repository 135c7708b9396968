package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest.Cause;
import dev.gleaner.spi.Collector;
import dev.gleaner.table.NativeTable;
import dev.gleaner.weak.FinalizerTable;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs finalizers and on-free callbacks, and says what they may cause (Duktape, "Finalizer
 * behavior").
 *
 * <p>Finalizers run one after the other on the heap's finalizer thread; one that is running is
 * never entered again, and no callback runs inside of another. Inside an intern none runs.
 *
 * <p><b>What throws</b>, whatever it throws, is logged and counted, and all others still run.
 *
 * <p><b>What ends.</b> An operation of the program, with all that runs inside of it, runs the
 * finalizers and callbacks that were set before it, each once:
 *
 * <pre>
 *   set, or called, by what runs inside    due again    waits for the next operation
 *   refused, to what runs inside           collects     10 times in all; then it is exhausted at once
 * </pre>
 *
 * A collection that frees an eighth of the limit makes these 10 anew, as so much was allocated
 * before it. An operation begins when the program calls the heap: {@link Operations#check} tells of
 * the first call after one in which any of this happened. Closing is an operation for each of its
 * collections and rounds; a round has those that were set before it, and rounds shrink.
 */
final class FinalizerRunner {
  private final Driver driver;
  private final HeapParts context;
  private final Collector collector;
  private final HeapLog log;
  private final FinalizerTable table;
  private final NativeTable natives;
  private final @Nullable ReferenceCounts counts;
  private final Heap heap;
  private final boolean on;
  private final boolean torture;

  /** Whether a finalizer is gone when it is called (PyPy), or waits for a rescue (Duktape). */
  private final boolean detaches;

  private final boolean reverse;

  /** Whether finalizers run in the midst of what counting frees. */
  private final boolean inline;

  /** While it is not 0 no finalizers and callbacks run. */
  int held;

  /** Finalizers were to run while they were held. */
  private boolean missed;

  private boolean inCallback;
  private boolean closing;

  /** The operation of the program that is under way. */
  private long operation = 1;

  /** Calls of finalizers, callbacks and listeners that are under way, one inside of another. */
  private int depth;

  /** Whether the next call of the program is to be told apart from this one. */
  private boolean stirred;

  private int retries = Driver.RETRIES;

  long run;
  long failed;

  FinalizerRunner(Driver driver, Heap heap, HeapParts context, Collector collector, HeapLog log) {
    this.driver = driver;
    this.heap = heap;
    this.context = context;
    this.collector = collector;
    this.log = log;
    this.table = context.finalizers();
    this.natives = context.natives();
    this.counts = collector.counts();
    this.on = context.settings().finalizers();
    this.torture = context.settings().torture().finalizers();
    this.reverse =
        context.settings().finalizersInReverse()
            && !heap.traits().has(Capability.ORDERED_FINALIZERS);
    this.detaches = heap.traits().has(Capability.ORDERED_FINALIZERS);
    this.inline = collector.finalizesInline();
  }

  // ---- operations of the program ----

  /** Whether a finalizer, callback or listener calls. */
  boolean isInside() {
    return depth > 0;
  }

  // depth and held are changed by themselves, not in methods: where the Java stack ends no method
  // can be called.

  /** Calls to the heap come from a finalizer, callback or listener from now on. */
  private void admit() {
    if (depth == 1 && stirred) {
      heap.mutator().admit();
    }
  }

  /** The next call to the heap may be the program's. */
  private void announceNext() {
    if (depth == 0 && stirred) {
      heap.mutator().announceNext();
    }
  }

  /** Calls a listener's code. */
  void inside(Runnable code) {
    depth++;
    try {
      admit();
      code.run();
    } finally {
      depth--;
      announceNext();
    }
  }

  /** Ends what an Error left under way, unless a finalizer, callback or listener calls. */
  void recover() {
    heap.openBuiltins();
    if (depth == 0 && !closing) {
      table.setRunning(false);
      heap.mutator().leaveCallbacks();
    }
  }

  /** What was put off has its turn again. */
  void beginOperation() {
    operation++;
    stirred = false;
    heap.mutator().admit();
    retries = Driver.RETRIES;
    table.resumePostponed();
    natives.resumePostponed();
  }

  /** The operation in which a finalizer or callback sets another one; 0 if the program does. */
  long settingOperation() {
    stirred |= depth > 0;
    return depth > 0 ? operation : 0;
  }

  /** Whether a refused request may collect. */
  boolean mayCollect() {
    return depth == 0 || retries > 0;
  }

  /** A refused request collects. */
  void noteRetry() {
    if (depth > 0) {
      stirred = true;
      retries--;
    }
  }

  /** A collection has freed so much. */
  void noteFreed(long bytes) {
    if (bytes >= context.budget().max() >> 3) {
      retries = Driver.RETRIES;
    }
  }

  // ---- on-free callbacks ----

  /** Runs the on-free callbacks that are due; answers how many. */
  int runCallbacks() {
    if (held > 0 || inCallback || !natives.hasFreed()) {
      return 0;
    }
    int calls = 0;
    depth++;
    inCallback = true;
    try {
      admit();
      for (NativeTable.Freed f = natives.nextFreed(operation);
          f != null;
          f = natives.nextFreed(operation)) {
        calls++;
        stirred = true;
        heap.mutator().callbacks.enter(Finalizer.FRAME_SLOTS);
        try {
          ((FreeCallback) f.callback()).freed(f.value(), closing);
        } catch (Throwable e) { // a checked one can be thrown, too
          log.callbackFailed("on-free callback", "of a " + HeapLog.name(f.value()), e);
        } finally {
          heap.mutator().callbacks.leave();
        }
      }
    } finally {
      inCallback = false;
      depth--;
      announceNext();
    }
    return calls;
  }

  // ---- finalizers ----

  /** Runs what was to run while {@link #held} was not 0, if it is now. */
  void resume() {
    if (held == 0) {
      int _ = runCallbacks();
      if (missed) {
        missed = false;
        runFinalizers();
      }
    }
  }

  /** Empties the finalize list of what is due, unless that is under way already. */
  void runFinalizers() {
    if (held > 0) {
      missed |= table.due() > 0;
      return;
    }
    if (table.isRunning() || !on || !isDue()) {
      return;
    }
    depth++;
    try {
      admit();
      table.setRunning(true);
      boolean goesOn = true;
      while (goesOn && isDue()) {
        goesOn = runNext();
      }
    } finally {
      depth--;
      table.setRunning(false);
      announceNext();
    }
  }

  /** Whether one is due, when what was set or called in this operation is put off. */
  private boolean isDue() {
    for (; table.due() > 0; table.postpone()) {
      int entry = table.find(table.head());
      boolean calls = entry >= 0 && table.state(entry) == FinalizerTable.QUEUED;
      if (!calls || table.operation(entry) != operation) {
        return true;
      }
    }
    return false;
  }

  /** Runs the next one; false if there is no memory for its frame: then it stays on the list. */
  private boolean runNext() {
    holdZeros();
    if (!enterFrame()) { // it may collect: the element is a root until then
      return false;
    }
    long rescuable = 0;
    try {
      long e = table.dequeue();
      heap.mutator().setFinalized(e);
      int entry = table.find(e);
      if (entry >= 0 && table.state(entry) == FinalizerTable.QUEUED) {
        rescuable = counts != null && counts.count(e) == 1 ? table.serial(entry) : 0;
        call(entry, false);
      }
    } finally {
      heap.mutator().finalizers.leave();
    }
    if (counts != null && rescuable != 0) {
      while (inline && counts.hasZeros()) { // it stops at each element that has a finalizer
        driver.freeUnreferenced(); // what the finalizer alone has made rescues nothing
      }
      decideRescue(counts, rescuable);
    }
    return true;
  }

  void holdZeros() {
    if (counts != null) {
      counts.holdZeros();
    }
  }

  private boolean enterFrame() {
    try {
      heap.mutator().finalizers.enterWithRoom(Finalizer.FRAME_SLOTS);
      return true;
    } catch (HeapException e) {
      log.noFrame(e);
      return false;
    }
  }

  /**
   * Counting decides a rescue at once, if nothing but the finalize list held the element when its
   * turn came: it is there still, so the finalizer has made a reference to it.
   */
  private void decideRescue(ReferenceCounts c, long serial) {
    int entry = table.next(serial);
    if (entry >= 0
        && table.serial(entry) == serial
        && table.state(entry) == FinalizerTable.FINALIZED
        && c.isReferenced(table.element(entry))) {
      table.setState(entry, FinalizerTable.IDLE);
      context.countRescued();
    }
  }

  /** Calls a finalizer in the frame that was entered for it, and has its element. */
  private void call(int entry, boolean isClosing) {
    Finalizer finalizer = (Finalizer) table.finalizer(entry);
    String label = table.label(entry);
    Mutator t = heap.mutator();
    if (detaches) {
      table.removeEntry(entry);
    } else {
      table.setState(entry, FinalizerTable.FINALIZED);
      table.setOperation(entry, operation);
    }
    stirred = true;
    run++;
    try {
      if (torture) {
        driver.collect(Cause.TORTURE, 0);
      }
      finalizer.run(t, isClosing);
    } catch (Throwable e) { // a checked one can be thrown, too
      failed++;
      log.finalizerFailed(label, e);
    }
  }

  // ---- closing ----

  /**
   * Runs what closing a heap runs (Duktape, "Finalizer behavior"; 2.7's rounds). The collections
   * are there for finalizers and on-free callbacks, which are told whether the heap closes. Without
   * any, or where base flags keep finalizers from running in collections, they are left out: what a
   * heap costs to close does not depend on what lives in it then.
   */
  void close() {
    boolean finalizers = on && table.size() > 0;
    boolean held = (driver.baseFlags() & CollectFlags.NO_FINALIZERS) != 0;
    if (!held && (finalizers || natives.size() > 0)) {
      collectToClose(0);
      collectToClose(0);
      collectToClose(CollectFlags.NO_FINALIZERS);
    }
    closing = true;
    if (on) {
      // What is found unreachable meanwhile has its turn in a round; nothing is rescued any more.
      table.setRunning(true);
      rounds(2 * driver.keptNoValues(), this::closingRound);
    }
    beginOperation();
    int _ = runCallbacks();
    rounds(2L * natives.size(), this::freeNatives);
    inside(log::closed);
  }

  private void collectToClose(int flags) {
    beginOperation();
    driver.collect(Cause.CLOSING, flags);
  }

  /** Does rounds until nothing is left to call, or as much as the limit, which shrinks. */
  private void rounds(long first, IntSupplier round) {
    for (long limit = first; ; limit = limit * 3 / 4) {
      beginOperation();
      int calls = round.getAsInt();
      if (calls == 0 || calls >= limit) {
        return;
      }
    }
  }

  /** Runs the finalizers that were set before the round began, each once. */
  @SuppressWarnings("ReferenceEquality") // equals is the program's code
  private int closingRound() {
    depth++;
    try {
      admit();
      Object refusing = null; // many elements have the same one, and it refuses all further calls
      long last = table.lastSerial();
      int calls = 0;
      long serial = reverse ? last : 1;
      while (serial >= 1 && serial <= last) {
        int entry = reverse ? table.previous(serial) : table.next(serial);
        if (entry < 0 || table.serial(entry) > last) {
          break;
        }
        serial = table.serial(entry);
        Object finalizer = table.finalizer(entry);
        if (finalizer != refusing && table.state(entry) != FinalizerTable.FINALIZED) {
          if (refuses(entry)) {
            refusing = finalizer;
          } else {
            calls += callToClose(serial);
          }
        }
        serial += reverse ? -1 : 1;
      }
      return calls;
    } finally {
      depth--;
      announceNext();
    }
  }

  /** Asks the program's code, which sees no heap; what the code throws is logged, and is no. */
  private boolean refuses(int entry) {
    Finalizer finalizer = (Finalizer) table.finalizer(entry);
    String label = table.label(entry);
    try {
      return heap.mutator().observers.<Boolean, RuntimeException>tell(finalizer::refuses);
    } catch (Throwable e) { // a checked one can be thrown, too
      log.finalizerFailed(label, e);
      return false;
    }
  }

  private int callToClose(long serial) {
    boolean entered = enterFrame(); // may collect, and so move entries and elements
    try {
      int entry = table.next(serial);
      if (entry < 0 || table.serial(entry) != serial) {
        return 0;
      }
      if (entered) {
        heap.mutator().setFinalizedInPlace(table.element(entry));
        call(entry, true);
      } else {
        failed++;
        table.setState(entry, FinalizerTable.FINALIZED);
      }
      return 1;
    } finally {
      if (entered) {
        heap.mutator().finalizers.leave();
      }
    }
  }

  /** Frees all natives, and runs their callbacks; what these make has another round. */
  private int freeNatives() {
    if (natives.size() > 0) {
      heap.mutator().flush();
      collector.forEachElement(e -> {
        if (Layout.kind(context.memory().get(e)) == Layout.NATIVE) {
          context.release(Layout.NATIVE, e);
          context.memory().put(e + Layout.NATIVE_INDEX, NativeTable.NONE);
        }
      });
    }
    return runCallbacks();
  }
}
