package dev.gleaner.heap;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.inspect.Verifier;
import dev.gleaner.layout.Layout;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.space.PauseClock;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.CollectionRequest.Cause;
import dev.gleaner.spi.CollectionRequest.Scope;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.CollectorTraits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects when {@link CollectionSchedule} finds a collection due, when the program asks, and when
 * a request for memory is refused. {@link FinalizerRunner} runs the finalizers and callbacks
 * afterwards. {@link HeapLog} calls the listeners.
 *
 * <pre>
 *   allocation:  due? (torture, voluntary trigger, slice)  -> collect
 *                nursery full? -> a minor collection, and retry once
 *                refused? -> collect and retry, 10 times, from the third on as an emergency -> exhausted
 *   collection:  collector finds dead elements -> trigger renewed -> listeners -> on-free callbacks
 *                -> verifier -> finalize list, without the collector's lock, as it may collect again
 *   closing:     2 collections, 1 without finalizers, then rounds over all finalizers that are left
 * </pre>
 *
 * <p>(Duktape, "Voluntary mark-and-sweep interval", "Basic algorithm" step 9.)
 */
final class Driver {
  static final int RETRIES = 10;
  private static final int FIRST_EMERGENCY = 2;

  /** The Java frames that a collection may need, with a margin. */
  private static final int STACK_LEVELS = 150;

  /** The frames whose dead slots a slice drops. */
  private static final int FRAMES_A_SLICE = 256;

  /** The frames nearest to the top, of which a suspended thread drops dead slots. */
  private static final int FRAMES_A_SUSPEND = 8;

  /** The Java frames that a slow allocation may need, with a margin. */
  private static final int ALLOCATION_LEVELS = 24;

  private final WordAccess registers;
  private final HeapParts context;
  private final Collector collector;
  private final AllocationGate gate;
  private final CriticalSection section;
  private final @Nullable ReferenceCounts counts;
  private final @Nullable FreeListSpace cells;
  private final @Nullable FrameBuffer frames;
  private final CollectionSchedule schedule;
  private final boolean canStep;

  /** Whether the collector has minor collections. */
  private final boolean minors;

  private final long sliceNanos;
  private final int betweenSlices;
  private final boolean verify;
  final HeapEvents log;
  final FinalizerRunner runner;
  private final CollectionOverhead overhead;
  private boolean collecting;

  /** The elements that collections had reclaimed when the last slice ended. */
  private long swept;

  /** Asks the runtime for dead slots; null if the runtime cannot tell. */
  private @Nullable FrameWalk walk;

  /** The flags that the present request adds to the base flags. */
  int addedFlags;

  /** Whether finalizers run inside of a collection, and while counting frees elements. */
  private final boolean inline;

  /** The flags of Duktape 1.x for collections while a table is made larger. */
  final int criticalFlags;

  /**
   * Whether what drops to zero in a finalizer of a collection is left to the next one: the
   * collector marks. Trial deletion would not find it.
   */
  private final boolean leaves;

  /** While such a finalizer runs: so many elements waited before. Otherwise negative. */
  private int leftFrom = -1;

  private boolean settling;

  private final PauseClock pauses;

  /** Whether a drop can leave loops that only a collection finds. */
  private final boolean sweeps;

  /** The number of nested {@link Heap#makeBuiltins} calls that are under way. */
  int making;

  long collections;
  long emergencies;
  long explicits;
  long liveAfter;
  long reclaimedBytes;
  long pauseNanos;
  long steps;

  Driver(
      WordAccess registers,
      HeapParts context,
      CollectorTraits traits,
      Collector collector,
      HeapEvents log) {
    HeapSettings s = context.settings();
    this.registers = registers;
    this.context = context;
    this.collector = collector;
    this.gate = context.gate();
    this.section = context.section();
    this.counts = collector.counts();
    this.cells = collector.cells();
    this.pauses = context.pauses();
    this.sweeps = counts != null && traits.has(Capability.CYCLES);
    this.inline = collector.finalizesInline();
    this.criticalFlags =
        inline ? CollectFlags.NO_FINALIZERS | CollectFlags.NO_OBJECT_COMPACTION : 0;
    this.frames = collector.frames();
    this.canStep = traits.has(Capability.INCREMENTAL);
    this.leaves = inline && counts != null && canStep;
    this.minors = traits.has(Capability.MINOR);
    this.schedule = new CollectionSchedule(s, collector, gate, canStep, minors);
    this.sliceNanos = s.incremental().sliceNanos();
    this.betweenSlices = s.incremental().allocationsPerSlice();
    this.verify = s.verifyAfterCollection();
    this.log = log;
    this.overhead = new CollectionOverhead(s.memory().collectionOverhead());
    this.runner = new FinalizerRunner(this, registers, context, traits, collector, log);
  }

  /** Makes new elements built-ins while {@link #making} is not 0. */
  void openBuiltins() {
    context.builtins().setOpen(making > 0);
  }

  void setDeadSlots(@Nullable DeadSlots dead) {
    walk = dead == null ? null : new FrameWalk(registers, context, counts, dead);
  }

  int baseFlags() {
    return context.baseFlags();
  }

  int setBaseFlags(int flags) {
    int old = context.baseFlags();
    context.setBaseFlags(flags);
    return old;
  }

  /** Collects if a collection is due; called before every slow allocation. */
  void beforeAllocation() {
    int _ = CriticalSection.probeStack(ALLOCATION_LEVELS);
    if (collecting) {
      return;
    }
    if (pauses.isPending()) {
      reportPause();
    }
    if (frames != null && context.natives().hasFreed()) {
      int _ = runner.runCallbacks();
    }
    switch (schedule.next()) {
      case NOTHING -> {}
      case TORTURE -> collect(Cause.TORTURE, 0);
      case MINOR_TORTURE -> collect(Cause.TORTURE, Scope.MINOR, 0);
      case SLICE -> slice();
      case VOLUNTARY -> collect(Cause.VOLUNTARY, CollectFlags.VOLUNTARY);
    }
  }

  /** Collects before a refused request is tried again. */
  void beforeRetry(int attempt, long bytes) {
    if (!mayRetry(attempt, bytes)) {
      retire();
      throw exhausted(bytes);
    }
    retry(attempt);
  }

  /** Collects for a refused request. */
  void retry(int attempt) {
    runner.noteRetry();
    boolean emergency = attempt >= FIRST_EMERGENCY;
    collect(emergency ? Cause.EMERGENCY : Cause.EXHAUSTED, emergency ? CollectFlags.EMERGENCY : 0);
  }

  /** Reports a request that is refused for good to the listeners; returns the exception for it. */
  HeapExhaustedException exhausted(long bytes) {
    HeapExhaustedException refusal = context.exhausted(bytes);
    if (log.hasListeners()) {
      runner.inside(() -> log.exhausted(refusal));
    }
    return refusal;
  }

  /**
   * Whether a refused request may be tried again, for functions that return 0 instead of throwing.
   */
  boolean mayRetry(int attempt, long bytes) {
    if (collecting || !runner.mayCollect()) {
      return false;
    }
    if (attempt == 0) {
      return overhead.begin(bytes, context.budget().used(), gate.trigger().count());
    }
    if (attempt == RETRIES || !log.mayCollectAgain()) {
      overhead.fail();
      return false;
    }
    return true;
  }

  long allocateElement(int kind, long payloadWords) {
    if (cells != null) {
      long e = cells.take(kind, payloadWords + 1);
      if (e != 0) {
        context.memory().put(e, Layout.header(kind, payloadWords));
        return e;
      }
    }
    boolean exist = payloadWords < context.regionBytes() >> 3; // no collector is asked for more
    beforeAllocation();
    for (int attempt = 0; ; attempt++) {
      long e = gate.admit() && exist ? ask(kind, payloadWords + 1, attempt) : 0;
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

  /** Asks the collector for an element; does each collection that it asks for once. */
  private long ask(int kind, long words, int attempt) {
    long e = allocate(kind, words);
    if (e == Collector.NURSERY_FULL && !collecting) {
      collect(Cause.NURSERY, Scope.MINOR, 0);
      e = allocate(kind, words);
    }
    if (e == Collector.FULL_DUE && !collecting) {
      if (attempt == 0 && words <= context.budget().max() >> 3) { // else in vain, or just done
        collect(Cause.COLLECTOR, 0);
      }
      e = allocate(kind, words);
    }
    return Math.max(e, 0);
  }

  private long allocate(int kind, long words) {
    if (frames != null) {
      registers.flush();
    }
    section.enter();
    long e = collector.allocate(kind, words);
    section.leave();
    return e;
  }

  private static long bytesOf(long words) {
    return words > Long.MAX_VALUE >> 3 ? Long.MAX_VALUE : words << 3;
  }

  /**
   * Frees the elements that an operation dropped (Duktape, "The REFZERO algorithm"). Callbacks and
   * finalizers run after all of these are freed.
   */
  void settle() {
    if (!inline) {
      settleOnce();
      collectAfterDrop();
    } else if (counts != null && leftFrom >= 0) {
      counts.leaveZeros(leftFrom);
    } else if (settling) { // the outer call continues after the finalizer
      runner.holdZeros();
    } else {
      settling = true;
      try {
        do {
          settleOnce();
        } while (counts != null && counts.hasZeros());
      } finally {
        settling = false;
      }
      collectAfterDrop();
    }
  }

  private void settleOnce() {
    freeUnreferenced();
    if (pauses.isPending()) {
      reportPause();
    }
    if (context.natives().hasFreed()) {
      int _ = runner.runCallbacks();
    }
    if (context.finalizers().due() > 0) {
      runner.runFinalizers();
    }
  }

  /**
   * Collects if that is due after a drop: the outermost settling is over (Duktape, "The REFZERO
   * algorithm", the last step). A runtime that knows dead slots knows them where the heap
   * allocates, so its heap waits for the next allocation.
   */
  private void collectAfterDrop() {
    if (walk != null || !sweeps || !gate.isDue() || collecting || !runner.isIdle()) {
      return;
    }
    switch (schedule.afterDrop()) {
      case SLICE -> {
        boolean _ = slice();
      }
      case VOLUNTARY -> collect(Cause.VOLUNTARY, CollectFlags.VOLUNTARY);
      default -> {}
    }
  }

  /** Tells of many bytes that an operation has read. */
  void tellSearched(long bytes) {
    if (log.hasListeners()) {
      runner.inside(() -> log.searched(bytes));
    }
  }

  /** Tells of what stopped the program besides collections. */
  void reportPause() {
    long nanos = pauses.nanos();
    long used = context.budget().used();
    pauseNanos += nanos;
    CollectionEvent event =
        new CollectionEvent(
            context.heap(),
            context.settings().collector(),
            Cause.DROP,
            Mode.DROP,
            false,
            pauses.startNanos(),
            nanos,
            used + pauses.bytes(),
            used,
            pauses.bytes(),
            pauses.elements(),
            0,
            "");
    pauses.take();
    if (log.hasListeners()) {
      runner.inside(() -> log.paused(event));
    }
  }

  /** Frees the elements without references; an exception or error meanwhile breaks the heap. */
  void freeUnreferenced() {
    section.enter();
    try {
      collector.freeUnreferenced();
      section.leave();
    } catch (RuntimeException | Error e) {
      registers.ownership.soundness.breakBy(e);
      throw e;
    }
  }

  /** Does a full collection. */
  void collect(Cause cause, int requested) {
    collect(cause, Scope.FULL, requested);
  }

  /** Does the collection of young elements that the program asked for, or a full one. */
  void collectMinor() {
    boolean minor = minors;
    collect(Cause.EXPLICIT, minor ? Scope.MINOR : Scope.FULL, 0);
  }

  private void collect(Cause cause, Scope scope, int requested) {
    int flags = requested | baseFlags() | addedFlags;
    if (collecting) {
      gate.trigger().renew(kept());
      return;
    }
    CollectionRequest request = new CollectionRequest(cause, scope, flags);
    if (scope == Scope.FULL) {
      dropDeadSlots(Integer.MAX_VALUE);
      if (walk != null && counts != null && !inline) {
        freeUnreferenced(); // else what the dead hold would seem reached
      }
    }
    Start start = start(cause == Cause.EXHAUSTED || cause == Cause.EMERGENCY);
    collecting = true;
    section.enter();
    try {
      registers.flush();
      collector.collect(request);
      registers.reload();
      boolean _ = context.finalizers().tidyUntil(Long.MAX_VALUE);
      context.weakTables().tidy();
      section.leave();
    } catch (RuntimeException | Error e) {
      registers.ownership.soundness.breakBy(e);
      throw e;
    } finally {
      collecting = false;
    }
    long pause = System.nanoTime() - start.nanos;
    emergencies += (flags & CollectFlags.EMERGENCY) != 0 ? 1 : 0;
    explicits += cause == Cause.EXPLICIT ? 1 : 0;
    finished(request, scope == Scope.MINOR ? Mode.MINOR : Mode.FULL, start, pause);
  }

  /** Does a slice of an incremental collection, and starts a collection if none is under way. */
  boolean slice() {
    if (collecting) {
      return false;
    }
    dropDeadSlots(FRAMES_A_SLICE);
    Start start = start(false);
    collecting = true;
    section.enter();
    boolean done;
    try {
      registers.flush();
      done = collector.step(start.nanos + sliceNanos);
      registers.reload();
      if (done) {
        context.finalizers().tidy();
        context.weakTables().tidy();
      }
      section.leave();
    } catch (RuntimeException | Error e) {
      registers.ownership.soundness.breakBy(e);
      throw e;
    } finally {
      collecting = false;
    }
    long pause = System.nanoTime() - start.nanos;
    steps++;
    if (done) {
      CollectionRequest request =
          new CollectionRequest(Cause.VOLUNTARY, Scope.FULL, baseFlags() | addedFlags);
      finished(request, Mode.SLICE, start, pause);
    } else {
      gate.sliceEnded(betweenSlices);
      pauseNanos += pause;
      long used = context.budget().used();
      long freed = Math.max(0, start.used - used);
      reclaimedBytes += freed;
      runner.noteFreed(freed);
      overhead.finished(used, gate.trigger().count());
      CollectionRequest request =
          new CollectionRequest(Cause.VOLUNTARY, Scope.FULL, baseFlags() | addedFlags);
      long elements = collector.reclaimedElements() - start.reclaimedElements;
      report(request, Mode.SLICE, false, start, pause, freed, elements);
    }
    swept = swept();
    return done;
  }

  private void dropDeadSlots(int frames) {
    if (walk != null) {
      int _ = CriticalSection.probeStack(STACK_LEVELS);
      if (!runner.isInside()) { // else the runtime cannot say where the program was interrupted
        walk.walk(frames, true);
      }
      runner.holdZeros(); // counting frees them afterwards, so the collection must not
    }
  }

  /** Drops dead slots of the running thread, which is to be suspended. */
  void dropDeadSlotsOfThread() {
    if (walk != null && !runner.isInside()) {
      walk.walk(FRAMES_A_SUSPEND, false);
    }
  }

  /** The figures at the begin of a collection or slice. */
  private record Start(long used, long reclaimedElements, long untilDue, long nanos) {}

  private Start start(boolean refused) {
    if (pauses.isPending()) {
      reportPause();
    }
    int _ = CriticalSection.probeStack(STACK_LEVELS);
    if (log.hasListeners()) {
      runner.inside(log::starting);
    }
    retire();
    context.budget().notePeak();
    long used = context.budget().used();
    long untilDue = gate.trigger().count();
    overhead.starting(used, untilDue, refused);
    long since = collector.inCycle() ? swept() - swept : 0; // what allocation swept
    return new Start(used, collector.reclaimedElements() - since, untilDue, System.nanoTime());
  }

  /** Returns the elements that collections reclaimed. */
  private long swept() {
    return collector.reclaimedElements() - collector.promptlyReclaimedElements();
  }

  /** Gives back granted memory that is not used. */
  void retire() {
    section.enter();
    collector.retire();
    section.leave();
  }

  boolean canStep() {
    return canStep;
  }

  private void finished(CollectionRequest request, Mode mode, Start start, long pause) {
    int flags = request.flags();
    gate.sliceEnded(0);
    if (inline && (flags & CollectFlags.NO_FINALIZERS) == 0) {
      collecting = true; // not over yet, so no other collection starts
      beginLeaving();
      try {
        runner.runInCollection(counts != null);
      } finally {
        collecting = false;
        leftFrom = -1;
      }
    }
    collections++;
    pauseNanos += pause;
    liveAfter = context.budget().used();
    long freed = Math.max(0, start.used - liveAfter);
    reclaimedBytes += freed;
    runner.noteFreed(freed);
    long elements = collector.reclaimedElements() - start.reclaimedElements;
    if (request.isMinor()) {
      gate.trigger().restore(start.untilDue + elements); // that garbage is gone
    } else {
      gate.trigger().renew(kept());
    }
    overhead.finished(liveAfter, gate.trigger().count());
    report(request, mode, true, start, pause, freed, elements);
    int _ = runner.runCallbacks();
    if (verify) {
      registers.flush(); // callbacks have changed the registers
      List<String> violations = new Verifier(context, collector).run();
      if (!violations.isEmpty()) {
        throw new IllegalStateException("heap " + context.heap() + ": " + violations);
      }
    }
    if ((flags & CollectFlags.NO_FINALIZERS) == 0) {
      runner.runFinalizers();
    }
    if (counts != null) {
      counts.settle(); // elements that only dead cycles held, kept by a slice
    }
  }

  private void beginLeaving() {
    if (leaves && counts != null) {
      counts.foundLeft();
      leftFrom = counts.zeros();
    }
  }

  /** Whether what drops to zero now is left to the next collection. */
  boolean isLeaving() {
    return leftFrom >= 0;
  }

  private void report(
      CollectionRequest request,
      Mode mode,
      boolean done,
      Start start,
      long pause,
      long freed,
      long elements) {
    if (!log.hasListeners()) {
      return;
    }
    CollectionEvent event =
        new CollectionEvent(
            context.heap(),
            context.settings().collector(),
            request.cause(),
            mode,
            done,
            start.nanos,
            pause,
            start.used,
            context.budget().used(),
            freed,
            elements,
            request.flags(),
            mode == Mode.SLICE ? collector.phase() : "");
    runner.inside(() -> log.collected(event));
  }

  long kept() {
    return elementsFrom(1);
  }

  /** Returns the number of elements that may have finalizers: all but strings and integers. */
  long keptNoValues() {
    return elementsFrom(Layout.LAST_VALUE + 1);
  }

  private long elementsFrom(int first) {
    long n = 0;
    for (int kind = first; kind < Layout.KINDS; kind++) {
      n += collector.elements(kind);
    }
    return n;
  }
}
