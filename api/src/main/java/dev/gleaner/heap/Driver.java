package dev.gleaner.heap;

import dev.gleaner.config.HeapSettings;
import dev.gleaner.policy.AllocationGate;
import dev.gleaner.policy.FinalizerTable;
import dev.gleaner.policy.FreeListSpace;
import dev.gleaner.policy.NativeTable;
import dev.gleaner.policy.ReferenceCounts;
import dev.gleaner.policy.Verifier;
import dev.gleaner.policy.YoungFrames;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.spi.Layout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to collect, and runs what follows a collection.
 *
 * <pre>
 *   allocation:  due? (torture, voluntary trigger, slice)  -> collect
 *                refused? -> collect and retry, 10 times, from the third on as an emergency -> exhausted
 *   collection:  collector finds what is dead -> trigger renewed -> on-free callbacks -> verifier
 *                -> listeners -> finalize list, outside the collector's lock: it may collect again
 *   closing:     2 collections, 1 without finalizers, then rounds over all finalizers that are left
 * </pre>
 *
 * <p>(Duktape, "Voluntary mark-and-sweep interval", "Basic algorithm" step 9, "Finalizer
 * behavior".) Finalizers run one after the other on the heap's finalizer thread; one that is
 * running is never entered again. Inside an intern none runs.
 */
final class Driver {
  private static final int RETRIES = 10;
  private static final int FIRST_EMERGENCY = 2;

  /** Java frames that a collection may need, and then some. */
  private static final int STACK_LEVELS = 150;

  private static final System.Logger LOGGER = System.getLogger("dev.gleaner.heap");

  private final Heap heap;
  private final HeapContext context;
  private final Collector collector;
  private final AllocationGate gate;
  private final @Nullable ReferenceCounts counts;
  private final @Nullable FreeListSpace cells;
  private final @Nullable YoungFrames frames;
  private final boolean incremental;
  private final boolean canStep;
  private final long sliceNanos;
  private final int sliceCells;
  private final long tortureEvery;
  private final boolean tortureFinalizers;
  private final boolean finalizersOn;

  /** Whether a finalizer is gone when it is called (PyPy), or waits for a rescue (Duktape). */
  private final boolean detaches;

  private final boolean verify;
  private final List<HeapListener> listeners = new ArrayList<>(0);
  private boolean collecting;

  /** Finalizers run before a collection is over, and in the midst of what counting frees. */
  private final boolean inline;

  private boolean settling;
  private boolean closing;
  private boolean inCallback;
  private int finalizersHeld;

  /** A collection that was to run finalizers came while they were held. */
  private boolean finalizersMissed;

  private long sinceTorture;

  long collections;
  long emergencies;
  long explicits;
  long liveAfter;
  long reclaimedBytes;
  long finalizersRun;
  long finalizersFailed;
  long pauseNanos;
  long steps;

  Driver(Heap heap, HeapContext context, Collector collector, boolean canStep) {
    HeapSettings s = context.settings();
    this.heap = heap;
    this.context = context;
    this.collector = collector;
    this.gate = context.gate();
    this.counts = collector.counts();
    this.cells = collector.cells();
    this.inline = collector.finalizesInline();
    this.frames = collector.frames();
    this.canStep = canStep;
    this.incremental = canStep && s.incremental().enabled();
    this.sliceNanos = s.incremental().sliceNanos();
    this.sliceCells = s.incremental().allocationsPerSlice();
    this.tortureEvery = s.torture().gcEvery();
    this.tortureFinalizers = s.torture().finalizers();
    this.sinceTorture = tortureEvery > 0 ? Math.floorMod(s.torture().seed(), tortureEvery) : 0;
    this.finalizersOn = s.finalizers();
    this.detaches = heap.traits().has(Capability.ORDERED_FINALIZERS);
    this.verify = s.verifyAfterCollection();
  }

  int baseFlags() {
    return context.baseFlags();
  }

  int setBaseFlags(int flags) {
    int old = context.baseFlags();
    context.setBaseFlags(flags);
    return old;
  }

  void addListener(HeapListener l) {
    listeners.add(l);
  }

  void removeListener(HeapListener l) {
    listeners.remove(l);
  }

  /** Whether a finalizer or callback called, which the heap must survive. */
  boolean isCalledBack() {
    return context.finalizers().isRunning() || inCallback;
  }

  /** Collects first if it is time to; called before every allocation that looks for memory. */
  void beforeAllocation() {
    if (collecting) {
      return;
    }
    if (frames != null && context.natives().hasFreed()) {
      runCallbacks();
    }
    if (tortureEvery > 0 && ++sinceTorture >= tortureEvery) {
      sinceTorture = 0;
      collect(0, "torture");
    } else if (collector.inCycle()) {
      slice();
    } else if (gate.trigger().due()) {
      collector.retire(); // what is granted but unused was counted
      if (gate.trigger().due()) {
        if (incremental) {
          slice();
        } else {
          collect(CollectFlags.VOLUNTARY, "voluntary");
        }
      }
    }
  }

  /** Collects before a refused request is tried again. */
  void beforeRetry(int attempt, long bytes) {
    if (attempt >= RETRIES || collecting) {
      collector.retire();
      throw HeapExhaustedException.of(context, bytes);
    }
    boolean emergency = attempt >= FIRST_EMERGENCY;
    collect(emergency ? CollectFlags.EMERGENCY : 0, emergency ? "emergency" : "exhausted");
  }

  /**
   * Whether a refused request may be tried again, for functions that answer 0 instead of throwing.
   */
  boolean mayRetry(int attempt) {
    return attempt < RETRIES && !collecting;
  }

  long allocateElement(int kind, long payloadWords) {
    if (cells != null) {
      long e = cells.take(kind, payloadWords + 1);
      if (e != 0) {
        context.memory().put(e, Layout.header(kind, payloadWords));
        return e;
      }
    }
    boolean exist = payloadWords < context.regionBytes() >> 3; // else no collector need reckon
    beforeAllocation();
    for (int attempt = 0; ; attempt++) {
      if (frames != null) {
        heap.thread().flush();
      }
      long e = gate.admit() && exist ? collector.allocate(kind, payloadWords + 1) : 0;
      if (e != 0) {
        long flags = context.builtins().headerFlags(kind);
        if (flags != 0 && counts != null) {
          flags |= ReferenceCounts.UNCOUNTED;
        }
        if (frames != null) {
          flags |= frames.bornBits();
        }
        context.memory().put(e, Layout.header(kind, payloadWords) | flags);
        return e;
      }
      beforeRetry(attempt, bytesOf(payloadWords + 1));
    }
  }

  private static long bytesOf(long words) {
    return words > Long.MAX_VALUE >> 3 ? Long.MAX_VALUE : words << 3;
  }

  /**
   * Frees what an operation dropped, and runs what is due then (Duktape, "The REFZERO algorithm"):
   * callbacks and finalizers come when all of it is gone.
   */
  void settle() {
    if (!inline) {
      settleOnce();
    } else if (settling) { // who is at it goes on when the finalizer is over
      holdZeros();
    } else {
      settling = true;
      try {
        do {
          settleOnce();
        } while (counts != null && counts.hasZeros());
      } finally {
        settling = false;
      }
    }
  }

  private void holdZeros() {
    if (counts != null) {
      counts.holdZeros();
    }
  }

  private void settleOnce() {
    try {
      collector.freeUnreferenced();
    } catch (RuntimeException | Error e) {
      heap.thread().soundness.breakBy(e);
      throw e;
    }
    if (context.natives().hasFreed()) {
      runCallbacks();
    }
    if (context.finalizers().queued() > 0) {
      runFinalizers();
    }
  }

  void collect(int requested, String cause) {
    int flags = requested | baseFlags();
    if (collecting) {
      gate.trigger().renew(kept());
      return;
    }
    boolean emergency = (flags & CollectFlags.EMERGENCY) != 0;
    int _ = Soundness.probeStack(STACK_LEVELS);
    heap.thread().flush();
    collector.retire();
    long before = context.budget().used();
    long elementsBefore = collector.reclaimedElements();
    collecting = true;
    long start = System.nanoTime();
    try {
      collector.collect(flags);
      heap.thread().reload();
    } catch (RuntimeException | Error e) {
      heap.thread().soundness.breakBy(e);
      throw e;
    } finally {
      collecting = false;
    }
    long pause = System.nanoTime() - start;
    emergencies += emergency ? 1 : 0;
    explicits += cause.equals("explicit") ? 1 : 0;
    finished(cause, "full", flags, start, pause, before, elementsBefore);
  }

  /** One slice of an incremental collection, which it starts if there is none under way. */
  boolean slice() {
    if (collecting) {
      return false;
    }
    int _ = Soundness.probeStack(STACK_LEVELS);
    heap.thread().flush();
    collector.retire();
    long before = context.budget().used();
    long elementsBefore = collector.reclaimedElements();
    collecting = true;
    boolean done;
    long start = System.nanoTime();
    try {
      done = collector.step(start + sliceNanos);
      heap.thread().reload();
    } catch (RuntimeException | Error e) {
      heap.thread().soundness.breakBy(e);
      throw e;
    } finally {
      collecting = false;
    }
    long pause = System.nanoTime() - start;
    steps++;
    if (done) {
      gate.limitRuns(Long.MAX_VALUE);
      finished("voluntary", "slice", baseFlags(), start, pause, before, elementsBefore);
    } else {
      gate.limitRuns(sliceCells);
      pauseNanos += pause;
      report("voluntary", "slice", false, start, pause, before, 0, 0, baseFlags());
    }
    return done;
  }

  boolean canStep() {
    return canStep;
  }

  private void finished(
      String cause,
      String mode,
      int flags,
      long start,
      long pause,
      long before,
      long reclaimedElementsBefore) {
    gate.limitRuns(Long.MAX_VALUE);
    context.finalizers().tidy();
    if (inline && (flags & CollectFlags.NO_FINALIZERS) == 0) {
      collecting = true; // it is not over: no other one starts meanwhile
      try {
        runFinalizers();
      } finally {
        collecting = false;
      }
    }
    collections++;
    pauseNanos += pause;
    liveAfter = context.budget().used();
    long freed = Math.max(0, before - liveAfter);
    reclaimedBytes += freed;
    gate.trigger().renew(kept());
    long elements = collector.reclaimedElements() - reclaimedElementsBefore;
    report(cause, mode, true, start, pause, before, freed, elements, flags);
    runCallbacks();
    if (verify) {
      List<String> violations = new Verifier(context, collector).run();
      if (!violations.isEmpty()) {
        throw new IllegalStateException("heap " + heap.name() + ": " + violations);
      }
    }
    if ((flags & CollectFlags.NO_FINALIZERS) == 0) {
      runFinalizers();
    }
    if (counts != null) {
      counts.settle(); // what dead loops alone held, when an incremental collection kept it
    }
  }

  private void report(
      String cause,
      String mode,
      boolean done,
      long start,
      long pause,
      long before,
      long freed,
      long elements,
      int flags) {
    if (listeners.isEmpty()) {
      return;
    }
    CollectionEvent event =
        new CollectionEvent(
            heap.name(),
            heap.collector(),
            cause,
            mode,
            done,
            start,
            pause,
            before,
            context.budget().used(),
            freed,
            elements,
            flags);
    for (HeapListener l : listeners) {
      l.collectionFinished(event);
    }
  }

  private long kept() {
    long n = 0;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      n += collector.elements(kind);
    }
    return n;
  }

  private void runCallbacks() {
    if (finalizersHeld > 0) {
      return;
    }
    NativeTable natives = context.natives();
    for (NativeTable.Freed f = natives.nextFreed(); f != null; f = natives.nextFreed()) {
      boolean outer = inCallback;
      inCallback = true;
      try {
        f.callback().freed(f.value(), closing);
      } catch (RuntimeException e) {
        LOGGER.log(System.Logger.Level.WARNING, "heap " + heap.name() + ": an on-free callback", e);
      } finally {
        inCallback = outer;
      }
    }
  }

  /** Keeps finalizers and callbacks from running until {@link #resumeFinalizers}; may be nested. */
  void holdFinalizers() {
    finalizersHeld++;
  }

  void resumeFinalizers() {
    if (--finalizersHeld == 0) {
      runCallbacks();
      if (finalizersMissed) {
        finalizersMissed = false;
        runFinalizers();
      }
    }
  }

  /** Empties the finalize list, unless that is under way already. */
  private void runFinalizers() {
    FinalizerTable table = context.finalizers();
    if (finalizersHeld > 0) {
      finalizersMissed = true;
      return;
    }
    if (table.isRunning() || table.queued() == 0 || !finalizersOn) {
      return;
    }
    table.setRunning(true);
    try {
      while (table.queued() > 0) {
        holdZeros();
        heap.thread().enterFinalizer(); // may collect: the element is a root until then
        long rescuable = 0;
        try {
          long e = table.dequeue();
          heap.thread().setFinalized(e);
          int entry = table.find(e);
          if (entry >= 0 && table.state(entry) == FinalizerTable.QUEUED) {
            rescuable = counts != null && counts.count(e) == 1 ? table.serial(entry) : 0;
            runFinalizer(entry, false);
          }
        } finally {
          heap.thread().leaveFinalizer();
        }
        if (counts != null && rescuable != 0) {
          if (inline && counts.hasZeros()) {
            collector.freeUnreferenced(); // what the finalizer alone has made rescues nothing
          }
          decideRescue(table, counts, rescuable);
        }
      }
    } finally {
      table.setRunning(false);
    }
  }

  /**
   * Counting decides a rescue at once, if nothing but the finalize list held the element when its
   * turn came: it is there still, so the finalizer has made a reference to it.
   */
  private void decideRescue(FinalizerTable table, ReferenceCounts c, long serial) {
    int entry = table.next(serial);
    if (entry >= 0
        && table.serial(entry) == serial
        && table.state(entry) == FinalizerTable.FINALIZED
        && c.isReferenced(table.element(entry))) {
      table.setState(entry, FinalizerTable.IDLE);
      context.countRescued();
    }
  }

  /** Runs a finalizer in the frame that was entered for it, and has its element. */
  private void runFinalizer(int entry, boolean isClosing) {
    FinalizerTable table = context.finalizers();
    Finalizer finalizer = table.finalizer(entry);
    String label = table.label(entry);
    HeapThread t = heap.thread();
    if (detaches) {
      table.removeEntry(entry);
    } else {
      table.setState(entry, FinalizerTable.FINALIZED);
    }
    finalizersRun++;
    try {
      if (tortureFinalizers) {
        collect(0, "torture");
      }
      finalizer.run(t, isClosing);
    } catch (RuntimeException | StackOverflowError e) {
      finalizersFailed++;
      LOGGER.log(
          System.Logger.Level.WARNING,
          "heap " + heap.name() + ": finalizer " + label + " failed",
          e);
    }
  }

  /** Logs what has leaked, if anything has. */
  void warnOf(LeakReport report) {
    if (report.elements() > 0) {
      LOGGER.log(System.Logger.Level.WARNING, "heap " + heap.name() + ": " + report);
    }
  }

  /**
   * Runs what closing a heap runs (Duktape, "Finalizer behavior"; 2.7's rounds). The collections
   * are there for finalizers and on-free callbacks, which are told whether the heap closes; so
   * without any they are left out: what a heap costs to close does not depend on what lives in it
   * then.
   */
  void close() {
    boolean finalizers = finalizersOn && context.finalizers().size() > 0;
    if (finalizers || context.natives().size() > 0) {
      collect(0, "closing");
      collect(0, "closing");
      collect(CollectFlags.NO_FINALIZERS, "closing");
    }
    closing = true;
    if (finalizersOn) {
      closeFinalizers();
    }
    if (context.natives().size() > 0) {
      freeNatives();
    }
    runCallbacks();
    for (HeapListener l : List.copyOf(listeners)) {
      l.heapClosed(heap);
    }
  }

  private void closeFinalizers() {
    FinalizerTable table = context.finalizers();
    // What is found unreachable meanwhile has its turn in a round, and nothing is rescued any more.
    table.setRunning(true);
    long elements = kept() - collector.elements(Layout.STRING);
    for (long limit = 2 * elements; ; limit = limit * 3 / 4) {
      int calls = closingRound(table);
      if (calls == 0 || calls >= limit) {
        return;
      }
    }
  }

  /** Runs the finalizers that were set before the round began, each once. */
  private int closingRound(FinalizerTable table) {
    long last = table.lastSerial();
    int calls = 0;
    for (long serial = 1; serial <= last; serial++) {
      int entry = table.next(serial);
      if (entry < 0 || table.serial(entry) > last) {
        break;
      }
      serial = table.serial(entry);
      if (table.state(entry) == FinalizerTable.FINALIZED) {
        continue;
      }
      heap.thread().enterFinalizer(); // may collect, and so move entries and elements
      try {
        entry = table.next(serial);
        if (entry >= 0 && table.serial(entry) == serial) {
          heap.thread().setFinalizedInPlace(table.element(entry));
          runFinalizer(entry, true);
          calls++;
        }
      } finally {
        heap.thread().leaveFinalizer();
      }
    }
    return calls;
  }

  private void freeNatives() {
    heap.thread().flush();
    collector.forEachElement(e -> {
      if (Layout.kind(context.memory().get(e)) == Layout.NATIVE) {
        context.release(Layout.NATIVE, e);
      }
    });
  }
}
