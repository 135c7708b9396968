package dev.gleaner.heap;

import dev.gleaner.inspect.Inspector;
import dev.gleaner.inspect.LeakFinder;
import dev.gleaner.inspect.Verifier;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.RootVisitor;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.AllocationFailures;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.memory.BlockPointer;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.settings.MemorySettings.Backing;
import dev.gleaner.snapshot.SnapshotWriter;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.Budget;
import dev.gleaner.space.GatedFunctions;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.space.VoluntaryTrigger;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest.Cause;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.spi.WriteBarrier;
import dev.gleaner.trace.TraceSink;
import dev.gleaner.trace.Traced;
import dev.gleaner.util.Numbers;
import dev.gleaner.util.OffsetSet;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A managed heap: elements in memory of its own, below an exact limit, collected by the plug-in
 * that the configuration chose.
 *
 * <p>Elements are made and used through {@link #thread}. The heap belongs to the Java thread that
 * opened it; a call from another one is a {@link WrongThreadException}, a call after {@link #close}
 * a {@link HeapClosedException}. Only {@link #snapshot} may be called from anywhere.
 */
public sealed class Heap implements AutoCloseable permits RecordingHeap {
  private static final long SLACK = 4L << 20;
  private static final long RESERVED_PER_LIMIT = 4;

  /** Room for copies of everything, and for gaps. */
  private static final long GROWN_PER_LIMIT = 3;

  private final String name;
  private final String collectorName;
  private final CollectorTraits traits;
  private final Memory memory;
  private final RawSpace raw;
  private final Budget budget;
  private final HeapContext context;
  private final Collector collector;
  private final Driver driver;
  private final Mutator thread;
  private final @Nullable ReferenceCounts counts;
  private final @Nullable UserFunctions users;

  /**
   * The plain blocks that the program has. The allocator knows which cells are in use, but not for
   * whom: a block that was freed may be a property table by now.
   */
  private final OffsetSet plain = new OffsetSet();

  private long[] globals = new long[4];
  private final Numbers globalNumbers = new Numbers(0);
  private boolean closed;
  private @Nullable HeapStatistics last;
  private final boolean leaks;
  private long leaked;

  /** When that was counted: after so many collections. */
  private long leakedAt = -1;

  Heap(
      String name,
      HeapSettings settings,
      String collectorName,
      CollectorTraits traits,
      CollectorFactory factory,
      @Nullable AllocationFunctionsFactory userFunctions,
      Access access) {
    this.name = name;
    this.collectorName = collectorName;
    this.traits = traits;
    this.leaks = traits.has(Capability.PROMPT) && !traits.has(Capability.CYCLES);
    long max = settings.memory().max();
    boolean reserve = settings.memory().backing() != Backing.GROWN && Memory.canReserve();
    // Blocks of one size each leave gaps that the limit ignores; address space costs nothing.
    long region = max * (reserve ? RESERVED_PER_LIMIT : GROWN_PER_LIMIT) + SLACK;
    memory = Memory.open(region, Math.max(8 << 10, settings.memory().initial()), reserve);
    budget = new Budget(max);
    raw = new RawSpace(memory, region, budget);
    VoluntaryTrigger trigger =
        new VoluntaryTrigger(
            settings.voluntary().enabled(),
            settings.voluntary().mult(),
            settings.voluntary().add());
    AllocationGate gate = new AllocationGate(trigger, settings.torture().gcEvery() > 0);
    try {
      users = userFunctions == null ? null : new UserFunctions(raw, userFunctions);
      AllocationFunctions functions = users == null ? raw.allocator() : users;
      context =
          new HeapContext(
              name,
              settings,
              raw,
              region,
              budget,
              gate,
              new GatedFunctions(functions, gate, budget),
              functions,
              userFunctions != null,
              this::forEachRoot);
      context.setBarriers(traits.barriers());
      collector = factory.create(context);
      checkBarriers();
    } catch (RuntimeException | Error e) { // a plug-in's, or the user's
      memory.close();
      throw e;
    }
    driver = new Driver(this, context, collector, traits.has(Capability.INCREMENTAL));
    thread = access.make(this, context, collector, driver);
    if (users != null) {
      users.setThread(thread);
    }
    counts = collector.counts();
    if (counts != null) {
      counts.setSettler(driver::settle);
    }
  }

  /**
   * Opens a heap; for factories.
   *
   * @param name the heap's name, which tags its meters and messages
   * @param settings all that are in force
   * @param collector the collector's name
   * @param traits the collector's
   * @param factory makes the collector
   * @param userFunctions makes the program's own allocation functions; null for the default ones
   * @return the heap, which belongs to the calling Java thread
   * @throws HeapExhaustedException if the settings leave no room for the heap's first thread
   */
  public static Heap open(
      String name,
      HeapSettings settings,
      String collector,
      CollectorTraits traits,
      CollectorFactory factory,
      @Nullable AllocationFunctionsFactory userFunctions) {
    return opened(
        new Heap(name, settings, collector, traits, factory, userFunctions, Mutator::new));
  }

  /**
   * Opens a heap whose operations are recorded; for factories.
   *
   * @param name the heap's name, which tags its meters and messages
   * @param settings all that are in force
   * @param collector the collector's name
   * @param traits the collector's
   * @param factory makes the collector
   * @param userFunctions makes the program's own allocation functions; null for the default ones
   * @param trace gets what is done to the heap
   * @return the heap, which belongs to the calling Java thread
   * @throws HeapExhaustedException if the settings leave no room for the heap's first thread
   */
  public static Heap openRecorded(
      String name,
      HeapSettings settings,
      String collector,
      CollectorTraits traits,
      CollectorFactory factory,
      @Nullable AllocationFunctionsFactory userFunctions,
      TraceSink trace) {
    return opened(
        RecordingHeap.make(name, settings, collector, traits, factory, userFunctions, trace));
  }

  /** Refuses a collector that does not do what its traits say, before anything is stored. */
  private void checkBarriers() {
    checkBarrier(WriteBarrier.COUNTING, "counts()", collector.counts() != null);
    checkBarrier(WriteBarrier.FRAMES, "frames()", collector.frames() != null);
  }

  private void checkBarrier(WriteBarrier barrier, String method, boolean answers) {
    if (traits.has(barrier) != answers) {
      throw new IllegalStateException(
          "collector "
              + collectorName
              + ": its traits name the write barriers "
              + traits.barriers()
              + ", but "
              + method
              + (answers ? " answers something: name " + barrier + ", too" : " answers null"));
    }
  }

  /** Makes the object through which elements are accessed. */
  interface Access {
    Mutator make(Heap heap, HeapContext context, Collector collector, Driver driver);
  }

  private static Heap opened(Heap heap) {
    try {
      heap.thread.start();
    } catch (RuntimeException | Error e) {
      heap.collector.close();
      heap.context.close();
      heap.memory.close();
      throw e;
    }
    return heap;
  }

  /** {@return the access object for elements; the same one for the life of the heap} */
  public Mutator mutator() {
    return thread;
  }

  /** {@return the heap's name; it tags meters and messages} */
  public String name() {
    return name;
  }

  /** {@return the collector's name} */
  public String collector() {
    return collectorName;
  }

  /** {@return what the collector can do} */
  public CollectorTraits traits() {
    return traits;
  }

  /** Does a full collection and runs the finalizers that are due. */
  public void collect() {
    collect(0);
  }

  /**
   * Does a full collection.
   *
   * @param flags of {@link CollectFlags}, in addition to the base flags
   */
  @Traced(code = 112, operands = "flags flags")
  public void collect(int flags) {
    thread.check();
    checkFlags(flags);
    try {
      driver.collect(Cause.EXPLICIT, flags);
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Does {@code n} slices of an incremental collection, which the first one starts if need be.
   *
   * @param n slices, at least 0
   * @return whether a collection was completed; what is left of {@code n} is not done then
   * @throws HeapUsageException if the collector is not incremental
   */
  @Traced(code = 113, operands = "count slices", reads = false)
  public boolean step(int n) {
    thread.check();
    if (!driver.canStep()) {
      throw new HeapUsageException("not incremental: collector " + collectorName);
    }
    try {
      for (int i = 0; i < n; i++) {
        if (driver.slice()) {
          return true;
        }
      }
      return false;
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes built-ins: the elements that {@code make} makes lie in a block of their own, are never
   * collected, and go with the heap. What they refer to stays too. Threads, natives and elements
   * that the built-ins are given later are ordinary ones.
   *
   * <p>A string that is interned already stays what it is. Finalizers and on-free callbacks that
   * become due wait until {@code make} is done.
   *
   * @param make makes them by the operations of {@link #thread}
   */
  public void makeBuiltins(Runnable make) {
    thread.check();
    try {
      boolean outer = context.builtins().isOpen();
      collector.retire();
      driver.runner.hold(); // what they make would be built-ins, too
      context.builtins().setOpen(true);
      try {
        make.run();
      } finally {
        context.builtins().setOpen(outer);
        driver.runner.resume();
      }
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  /** {@return the flags of {@link CollectFlags} that are added to those of every collection} */
  public int baseFlags() {
    thread.check();
    return driver.baseFlags();
  }

  /**
   * Sets the base flags; to be restored by the caller, also on failure.
   *
   * @param flags of {@link CollectFlags}
   * @return those that were set before
   */
  @Traced(code = 116, operands = "flags flags", reads = false)
  public int setBaseFlags(int flags) {
    thread.check();
    checkFlags(flags);
    return driver.setBaseFlags(flags);
  }

  private static void checkFlags(int flags) {
    if ((flags & ~CollectFlags.ALL) != 0) {
      throw new HeapUsageException("unknown collection flags: " + flags);
    }
  }

  /**
   * Makes a global root slot.
   *
   * @return a root slot that holds undefined, until it is closed
   */
  @Traced(code = 117, operands = "made number", reads = false)
  public GlobalRef newGlobal() {
    thread.check();
    try {
      int g = globalNumbers.take();
      if (g == globals.length) {
        globals = Arrays.copyOf(globals, g * 2);
      }
      return new GlobalRef(this, g);
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  long global(GlobalRef ref) {
    return globals[globalNumber(ref)];
  }

  void setGlobal(GlobalRef ref, long value) {
    int g = globalNumber(ref);
    changeGlobal(g, thread.escaping(value));
    thread.settle();
  }

  private void changeGlobal(int g, long value) {
    if (counts != null) {
      counts.increment(value);
      counts.decrement(globals[g]);
    } else if (context.barrier()) {
      collector.beforeStore(globals[g]);
    }
    globals[g] = value;
  }

  private int globalNumber(GlobalRef ref) {
    if (ref.number < 0 || !ref.belongsTo(this)) {
      throw new HeapUsageException(
          ref.number < 0 ? "closed global reference" : "global reference of another heap");
    }
    return ref.number;
  }

  @Traced(code = 118, operands = "global number")
  void closeGlobal(GlobalRef ref) {
    if (ref.number >= 0 && !closed) {
      thread.check();
      try {
        int g = globalNumber(ref);
        changeGlobal(g, Values.UNDEFINED);
        globalNumbers.release(g);
        ref.number = -1;
        thread.settle();
      } catch (Error e) {
        thread.owner = null; // in doubt
        throw e;
      }
    }
    ref.number = -1;
  }

  @Traced(code = 120, name = "is-cleared", operands = "weak number", reads = false)
  boolean isWeakCleared(WeakRef ref) {
    thread.check();
    return ref.number < 0 || context.weak().get(ref.number) == 0;
  }

  @Traced(code = 119, operands = "weak number")
  void closeWeak(WeakRef ref) {
    if (ref.number >= 0 && !closed) {
      thread.check();
      try {
        context.weak().remove(ref.number);
      } catch (Error e) {
        thread.owner = null; // in doubt
        throw e;
      }
    }
    ref.number = -1;
  }

  /**
   * Counts memory of the host's own, such as a buffer outside the heap, against the limit. Collects
   * if that is needed to make room.
   *
   * @param bytes at least 0
   * @throws HeapExhaustedException if the limit leaves no room even so
   */
  @Traced(code = 121, operands = "bytes bytes")
  public void reserveExternal(long bytes) {
    thread.check();
    if (bytes < 0) {
      throw new HeapUsageException("negative size: " + bytes);
    }
    try {
      driver.beforeAllocation();
      for (int attempt = 0; !budget.chargeExternal(bytes); attempt++) {
        driver.beforeRetry(attempt, bytes);
      }
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Takes back what {@link #reserveExternal} counted.
   *
   * @param bytes at most what is reserved
   */
  @Traced(code = 122, operands = "bytes bytes")
  public void releaseExternal(long bytes) {
    thread.check();
    if (bytes < 0 || bytes > budget.external()) {
      throw new HeapUsageException(
          "cannot release " + bytes + " external bytes of " + budget.external());
    }
    budget.notePeak();
    budget.refundExternal(bytes);
  }

  /**
   * Allocates a plain block, collecting if need be; 0 if refused, or if {@code bytes} is 0.
   *
   * @param bytes the size, in bytes
   * @return the block's offset, aligned to 8 bytes; 0 if it is refused even after emergency
   *     collections, or if {@code bytes} is 0
   */
  @Traced(code = 123, operands = "bytes bytes, made number or 0 if refused", reads = false)
  public long alloc(long bytes) {
    thread.check();
    checkSize(bytes);
    if (bytes == 0) {
      return 0;
    }
    try {
      driver.beforeAllocation();
      for (int attempt = 0; ; attempt++) {
        long block = context.functions().alloc(bytes);
        if (block != 0 || !driver.mayRetry(attempt)) {
          return handedOut(block);
        }
        driver.beforeRetry(attempt, bytes);
      }
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  private long handedOut(long block) {
    if (block != 0) {
      boolean _ = plain.add(block);
    }
    return block;
  }

  /**
   * Allocates a plain block that reads as zero.
   *
   * @param bytes the size, in bytes
   * @return as {@link #alloc}
   */
  public long allocZeroed(long bytes) {
    long block = alloc(bytes);
    if (block != 0) {
      memory.zero(block, bytes + 7 & -8L);
    }
    return block;
  }

  /**
   * Allocates a plain block.
   *
   * @param bytes the size, in bytes
   * @return the block; 0 only if {@code bytes} is 0
   * @throws HeapExhaustedException instead of answering 0
   */
  public long allocChecked(long bytes) {
    return checked(alloc(bytes), bytes);
  }

  /**
   * Reallocates a plain block that no finalizer touches; 0 if refused, the block stays then.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   * @param bytes the new size; 0 frees the block
   * @return where the block is now; 0 if it is refused, or freed
   */
  @Traced(
      code = 125,
      operands = "block number, bytes bytes, made number afterwards or 0",
      reads = false)
  public long realloc(long block, long bytes) {
    return realloc(null, block, bytes);
  }

  /**
   * Reallocates a plain block.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   * @param bytes the new size; 0 frees the block
   * @return where the block is now; 0 only if {@code bytes} is 0
   * @throws HeapExhaustedException instead of answering 0; the block stays
   */
  public long reallocChecked(long block, long bytes) {
    return checked(realloc(block, bytes), bytes);
  }

  /**
   * Reallocates a block whose place is asked for anew before every try: a finalizer may move it.
   *
   * @param pointer asked before each try; must not use the heap
   * @param bytes the new size; 0 frees the block
   * @return where the block is now, to be noted where the pointer looks; 0 if it is refused, or
   *     freed
   */
  @Traced(
      code = 126,
      operands = "block number, bytes bytes, made number afterwards or 0",
      reads = false)
  public long reallocIndirect(BlockPointer pointer, long bytes) {
    thread.check();
    Objects.requireNonNull(pointer, "pointer");
    return realloc(pointer, 0, bytes);
  }

  private long realloc(@Nullable BlockPointer pointer, long block, long bytes) {
    thread.check();
    checkSize(bytes);
    try {
      if (bytes == 0) {
        freePlain(pointer == null ? block : pointer.block());
        return 0;
      }
      driver.beforeAllocation();
      for (int attempt = 0; ; attempt++) {
        long moved = reallocPlain(pointer == null ? block : pointer.block(), bytes);
        if (moved != 0 || !driver.mayRetry(attempt)) {
          return moved;
        }
        driver.beforeRetry(attempt, bytes);
      }
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  private long reallocPlain(long block, long bytes) {
    checkPlain(block);
    long moved = context.functions().realloc(block, bytes);
    if (moved != 0 && moved != block) {
      if (block != 0) {
        plain.remove(block);
      }
      boolean _ = plain.add(moved);
    }
    return moved;
  }

  private void checkPlain(long block) {
    if (block != 0 && !plain.contains(block)) {
      throw new HeapUsageException("not a block of this heap's allocator: " + block);
    }
  }

  private void freePlain(long block) {
    checkPlain(block);
    if (block != 0) {
      context.functions().free(block);
      plain.remove(block);
    }
  }

  /**
   * Frees a plain block; 0 is no block.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   */
  public void free(long block) {
    freeRaw(block);
  }

  /**
   * Allocates without ever collecting; 0 if refused.
   *
   * @param bytes the size, in bytes
   * @return the block; 0 if it is refused, or if {@code bytes} is 0
   */
  @Traced(code = 124, operands = "bytes bytes, made number or 0", reads = false)
  public long allocRaw(long bytes) {
    thread.check();
    checkSize(bytes);
    try {
      return handedOut(context.functions().alloc(bytes));
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Reallocates without ever collecting; 0 if refused, the block stays then.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   * @param bytes the new size; 0 frees the block
   * @return where the block is now; 0 if it is refused, or freed
   */
  @Traced(
      code = 127,
      operands = "block number, bytes bytes, made number afterwards or 0",
      reads = false)
  public long reallocRaw(long block, long bytes) {
    thread.check();
    checkSize(bytes);
    try {
      if (bytes == 0) {
        freePlain(block);
        return 0;
      }
      return reallocPlain(block, bytes);
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Frees a plain block without any side effect.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   */
  @Traced(code = 128, name = "free", operands = "block number")
  public void freeRaw(long block) {
    thread.check();
    try {
      freePlain(block);
    } catch (Error e) {
      thread.owner = null; // in doubt
      throw e;
    }
  }

  void checkNotCalling() {
    if (users != null && users.isCalling()) {
      throw new HeapUsageException("an allocation function of heap " + name + " must not call it");
    }
  }

  private long checked(long block, long bytes) {
    if (block == 0 && bytes != 0) {
      throw context.exhausted(bytes);
    }
    return block;
  }

  private static void checkSize(long bytes) {
    if (bytes < 0) {
      throw new HeapUsageException("negative size: " + bytes);
    }
  }

  /**
   * {@return a view of a plain block's bytes; valid until the block is freed or memory grows}
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   * @param bytes of the view, from the start of the block
   */
  public MemorySegment block(long block, long bytes) {
    thread.check();
    return memory.view(block, bytes);
  }

  /**
   * Refuses allocation requests, to test what happens then: from the {@code after + 1}st on, {@code
   * times} of them.
   *
   * @param after requests that are served first
   * @param times requests that are refused then
   */
  @Traced(code = 129, operands = "long after, long times")
  public void failAllocations(long after, long times) {
    thread.check();
    checkSize(Math.min(after, times));
    collector.retire();
    context.gate().failAllocations(after, times);
  }

  /** {@return what is left of {@link #failAllocations}; null if nothing was arranged} */
  public @Nullable AllocationFailures allocationFailures() {
    thread.check();
    return context.gate().failures();
  }

  /** Ends {@link #failAllocations}. */
  @Traced(code = 130)
  public void clearFailAllocations() {
    thread.check();
    context.gate().clearFailures();
  }

  /** {@return the figures now} */
  public HeapStatistics statistics() {
    if (closed && last != null) {
      return last;
    }
    thread.check();
    budget.notePeak(); // what was said to be in use is never above the peak
    return snapshot();
  }

  /**
   * {@return the figures, readable from any Java thread: then each may be slightly behind the
   * others}
   */
  @SuppressWarnings("EnumOrdinal") // the array is indexed so by its documentation
  public HeapStatistics snapshot() {
    HeapStatistics l = last;
    if (l != null) {
      return l;
    }
    long[] byKind = new long[Kind.values().length];
    long live = 0;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      long n = collector.elements(kind);
      byKind[Layout.kindOf(kind).ordinal()] = n;
      live += kind == Layout.STRING ? 0 : n;
    }
    return new HeapStatistics(
        driver.collections,
        driver.emergencies,
        driver.explicits,
        budget.used(),
        budget.peak(),
        raw.committedBytes(),
        budget.max(),
        driver.liveAfter,
        budget.external(),
        collector.allocatedBytes(),
        collector.allocatedElements(),
        live,
        byKind[Kind.STRING.ordinal()],
        byKind,
        driver.reclaimedBytes + collector.promptlyReclaimedBytes(),
        collector.reclaimedElements(),
        driver.runner.run,
        context.rescued(),
        driver.runner.failed,
        context.weak().cleared(),
        driver.pauseNanos,
        driver.steps,
        thread.depth(),
        collector.promptlyReclaimedElements(),
        leakedAt == driver.collections ? leaked : collector.leakedElements(),
        collector.movedElements(),
        driver.log.callbacksFailed);
  }

  /**
   * Checks every element, reference, table and figure; answers what is wrong, nothing if all is
   * well.
   *
   * @return what is wrong, a text each
   */
  public List<String> verify() {
    thread.check();
    thread.flush();
    return new Verifier(context, collector).run();
  }

  /**
   * Finds the elements that no root leads to and that this collector does not reclaim: loops, and
   * what they hold, under reference counting alone. Under a collector that reclaims loops what it
   * finds is garbage that has not been collected yet.
   *
   * @return how many they are, their bytes, and a sample
   */
  public LeakReport findLeaks() {
    thread.check();
    thread.flush();
    try (LeakFinder finder = new LeakFinder(context, collector)) {
      List<String> sample = finder.sample();
      LeakReport report = new LeakReport(finder.elements(), finder.bytes(), sample);
      if (leaks) {
        leaked = report.elements();
        leakedAt = driver.collections;
      }
      return report;
    }
  }

  /**
   * How an element is reached: a step a text, from a root to the element in a slot of the frame.
   *
   * @param slot of the current frame
   * @return the steps; empty if nothing but that slot leads to the element
   */
  public List<String> pathToRoot(int slot) {
    thread.check();
    long element = thread.reference(slot);
    thread.flush();
    return new Inspector(context).path(element, thread.slotOffset(slot));
  }

  /**
   * Calls back for every element, strings included.
   *
   * @param visitor must not use the heap
   */
  public void forEachElement(ElementVisitor visitor) {
    thread.check();
    thread.flush();
    collector.forEachElement(e -> {
      long h = memory.get(e);
      visitor.element(Layout.kindOf(Layout.kind(h)), (Layout.payloadWords(memory, e, h) + 1) << 3);
    });
  }

  /**
   * Writes what the heap holds as a heap dump in the format HPROF, which VisualVM and Eclipse MAT
   * open; docs/snapshots.md says what is shown as what. Allocates nothing in the heap, collects
   * nothing, and works at the limit; garbage that is not found yet is in it.
   *
   * @param to is flushed and stays open; must not use the heap
   * @throws IOException if the stream fails; the heap is as before
   */
  @API(status = API.Status.EXPERIMENTAL, since = "0.1")
  public void writeSnapshot(OutputStream to) throws IOException {
    thread.check();
    Objects.requireNonNull(to, "to");
    thread.flush();
    new SnapshotWriter(context, collector, thread.snapshotRoots(globals), to)
        .write(System.currentTimeMillis());
  }

  /**
   * Adds a listener, which is told of every collection from now on.
   *
   * @param listener must not use the heap
   */
  public void addListener(HeapListener listener) {
    thread.check();
    driver.log.add(Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Removes a listener; does nothing if it is not there.
   *
   * @param listener one that was added
   */
  public void removeListener(HeapListener listener) {
    if (!closed) {
      thread.check();
    }
    driver.log.remove(listener);
  }

  /** {@return whether the heap is closed; any Java thread may ask} */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Closes the heap: where elements have finalizers two collections with them, one without, then
   * the finalizers of everything left; then all memory goes back. Closing it again does nothing. Of
   * a {@linkplain HeapBrokenException broken} heap the memory goes back, and nothing else happens.
   *
   * @throws HeapUsageException if a finalizer, an on-free callback, a listener or a maker of
   *     built-ins calls
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    boolean sound = thread.isSound();
    if (sound && driver.runner.isInside()) {
      throw new HeapUsageException(
          "a heap cannot be closed by a finalizer, an on-free callback or a listener");
    }
    if (context.builtins().isOpen()) {
      throw new HeapUsageException("a heap cannot be closed while built-ins are made");
    }
    try {
      if (sound && leaks) {
        driver.log.warnOf(findLeaks());
      }
      if (sound) {
        driver.runner.close();
      }
    } finally {
      try {
        giveBack();
      } finally {
        closed = true;
        thread.stop();
        memory.close();
      }
    }
  }

  /** A user's own functions get everything back, as far as a broken heap can name it. */
  private void giveBack() {
    for (Runnable step : List.<Runnable>of(this::keepFigures, collector::close, context::close)) {
      try {
        step.run();
      } catch (RuntimeException e) {
        if (!thread.soundness.isBroken()) {
          throw e;
        }
      }
    }
  }

  private void keepFigures() {
    budget.notePeak();
    last = finalFigures();
  }

  private HeapStatistics finalFigures() {
    HeapStatistics s = snapshot();
    return new HeapStatistics(
        s.collections(),
        s.emergencies(),
        s.explicitCollections(),
        0,
        s.peakBytes(),
        0,
        s.maxBytes(),
        s.liveAfterBytes(),
        0,
        s.allocatedBytes(),
        s.allocatedElements(),
        0,
        0,
        new long[Kind.values().length],
        s.reclaimedBytes() + s.usedBytes() - s.externalBytes(),
        s.allocatedElements(),
        s.finalizersRun(),
        s.finalizersRescued(),
        s.finalizersFailed(),
        s.weakCleared(),
        s.pauseNanos(),
        s.steps(),
        0,
        s.refzeroElements(),
        s.leakedElements(),
        s.movedElements(),
        s.callbacksFailed());
  }

  private void forEachRoot(RootVisitor visitor) {
    thread.visitRoots(visitor);
    Numbers used = globalNumbers;
    for (int g = used.next(0); g < used.bound(); g = used.next(g + 1)) {
      globals[g] = visitor.visit(globals[g]);
    }
    context.pins().forEachRoot(visitor);
    for (int i = 0; i < context.finalizers().queued(); i++) {
      long _ = visitor.visit(context.finalizers().queuedElement(i));
    }
  }

  @Override
  public String toString() {
    return "heap " + name + " (" + collectorName + ")";
  }
}
