package dev.gleaner.heap;

import dev.gleaner.image.ImageWriter;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.RootVisitor;
import dev.gleaner.layout.Roots;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.parts.HeapPlan;
import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.settings.MemorySettings.Backing;
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
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.WriteBarrier;
import dev.gleaner.trace.Traced;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A managed heap: elements in the heap's own memory, under an exact limit. The configuration
 * chooses the collector.
 *
 * <p>{@link #mutator} makes and uses elements. {@link #plainMemory} makes and uses plain blocks.
 * {@link #inspect} looks at the heap as a whole. {@link #faults} is for tests.
 *
 * <p>The heap belongs to the Java thread that opened the heap or {@linkplain #acquire acquired} it
 * last. A call from another Java thread throws a {@link WrongThreadException}. A call after {@link
 * #close} throws a {@link HeapClosedException}. Only methods that say so may be called from any
 * Java thread, such as {@link #snapshot}.
 */
public sealed class Heap implements AutoCloseable permits RecordingHeap {
  private static final long SLACK = 4L << 20;
  private static final long RESERVED_PER_LIMIT = 4;

  /** Address space for each byte of the limit: room for copies of all elements, and for gaps. */
  private static final long GROWN_PER_LIMIT = 3;

  private final String name;
  private final String collectorName;
  private final CollectorTraits traits;
  private final Memory memory;
  private final RawSpace raw;
  private final Budget budget;
  private final HeapParts context;
  private final Collector collector;
  private final Driver driver;
  private final Mutator mutator;
  private final PlainMemory plainMemory;
  private final HeapFaults faults;
  private final HeapInspection inspection;
  private final Registers registers;
  private final Globals globals;
  private final HeapLog log;

  private volatile boolean closed;

  /** Fills the heap from an image; null when that is done. */
  private @Nullable ImageLoader loading;

  /** Warns if nobody closes the heap; null until the heap is open. */
  private @Nullable Unclosed unclosed;

  private @Nullable HeapStatistics last;

  Heap(HeapPlan plan, Parts parts) {
    HeapSettings settings = plan.settings();
    AllocationFunctionsFactory userFunctions = plan.functions();
    name = plan.name();
    collectorName = settings.collector();
    traits = plan.traits();
    long max = settings.memory().max();
    boolean reserve = settings.memory().backing() != Backing.GROWN && Memory.canReserve();
    // Each size of blocks leaves gaps, which the limit ignores; address space costs nothing.
    long region = max * (reserve ? RESERVED_PER_LIMIT : GROWN_PER_LIMIT) + SLACK;
    long initial = Math.max(8 << 10, settings.memory().initial());
    memory = reserve ? Memory.openSmall(region, initial) : Memory.open(region, initial, false);
    budget = new Budget(max);
    raw = new RawSpace(memory, region, budget);
    VoluntaryTrigger trigger = new VoluntaryTrigger(settings.voluntary(), budget);
    AllocationGate gate = new AllocationGate(trigger, settings.torture().gcEvery() > 0);
    UserFunctions users;
    try {
      users = userFunctions == null ? null : new UserFunctions(raw, userFunctions);
      AllocationFunctions functions = users == null ? raw.allocator() : users;
      context =
          new HeapParts(
              name,
              settings,
              raw,
              region,
              budget,
              gate,
              new GatedFunctions(functions, gate, budget, raw.section()),
              functions,
              userFunctions != null,
              new HeapRoots());
      context.setBarriers(traits.barriers());
      if (traits.has(Capability.MOVING) && !traits.barriers().contains(WriteBarrier.FRAMES)) {
        context.setMoving(); // with frames an escaped element keeps its place
      }
      collector = plan.collectors().create(context);
      checkBarriers();
    } catch (RuntimeException | Error e) { // of a plug-in, or of the user's code
      memory.close();
      throw e;
    }
    log = new HeapLog(this);
    mutator = parts.mutator(context, collector, this::core);
    registers = mutator;
    HeapCore core = mutator.core;
    driver = core.driver();
    globals = core.globals();
    plainMemory = parts.plainMemory(core);
    faults = parts.faults(core);
    inspection = new HeapInspection(core);
    driver.runner.setProgram(new Callbacks(core, mutator));
    if (users != null) {
      users.setOwnership(registers.ownership);
    }
    ReferenceCounts counts = collector.counts();
    if (counts != null) {
      counts.setSettler(driver::settle);
    }
  }

  private HeapCore core(WordAccess words) {
    ReferenceOwner owner = new References();
    return new HeapCore(
        words,
        context,
        traits,
        collector,
        new Driver(words, context, traits, collector, log),
        new Globals(owner, words, context.section()),
        owner);
  }

  /** Calls code of the host that may only look at the heap. */
  Observers observers() {
    return registers.ownership.observers;
  }

  /** Refuses a collector whose traits are wrong, before anything is stored. */
  private void checkBarriers() {
    checkBarrier(WriteBarrier.COUNTING, "counts()", collector.counts() != null);
    checkBarrier(WriteBarrier.FRAMES, "frames()", collector.frames() != null);
  }

  private void checkBarrier(WriteBarrier barrier, String method, boolean answers) {
    if (traits.has(barrier) != answers) {
      throw new IllegalStateException(
          "collector %s: its traits name the write barriers %s, but %s%s"
              .formatted(
                  collectorName,
                  traits.barriers(),
                  method,
                  answers ? " answers something: name " + barrier + ", too" : " answers null"));
    }
  }

  /** Makes the objects whose operations may be recorded. */
  static class Parts {
    Mutator mutator(HeapParts context, Collector collector, HeapCore.Maker maker) {
      return new Mutator(context, collector, maker);
    }

    PlainMemory plainMemory(HeapCore core) {
      return new PlainMemory(core);
    }

    HeapFaults faults(HeapCore core) {
      return new HeapFaults(core);
    }
  }

  /**
   * Opens the heap for the calling Java thread.
   *
   * @param image what the heap holds at first; null for an empty heap
   * @param bindings what the names of the image mean; null for an empty heap
   */
  void start(@Nullable HeapImage image, @Nullable ImageBindings bindings) {
    try {
      registers.ownership.open(driver.runner);
      mutator.threads.start();
      if (image != null && bindings != null) {
        Map<String, GlobalRef> named = load(image, bindings);
        opened(named);
        named.forEach(bindings::global);
      }
      unclosed = Unclosed.watch(this, collectorName, context.settings().leakStacks());
    } catch (RuntimeException | Error e) {
      collector.close();
      context.close();
      memory.close();
      throw e;
    }
  }

  private Map<String, GlobalRef> load(HeapImage image, ImageBindings bindings) {
    ImageLoader loader = new ImageLoader(mutator, image.content());
    loading = loader;
    driver.runner.held++; // the host cannot know the heap yet
    try {
      charge(loader.load(bindings));
    } finally {
      driver.runner.held--;
    }
    loading = null;
    return loader.globals();
  }

  /** Is told of the global references of an image that was opened, before the host is. */
  void opened(Map<String, GlobalRef> named) {}

  /** {@return the access to elements; the same object for the life of the heap} */
  public Mutator mutator() {
    return mutator;
  }

  /** {@return the access to plain blocks; the same object for the life of the heap} */
  public PlainMemory plainMemory() {
    return plainMemory;
  }

  /** {@return the faults that a test can arrange; the same object for the life of the heap} */
  public HeapFaults faults() {
    return faults;
  }

  /**
   * {@return the tools that look at the heap as a whole; the same object for the life of the heap}
   */
  public HeapInspection inspect() {
    return inspection;
  }

  /** {@return the heap's name; it tags meters and messages} */
  public String name() {
    return name;
  }

  /** {@return the collector's name} */
  public String collector() {
    return collectorName;
  }

  /** {@return the collector's abilities} */
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
    registers.check();
    checkFlags(flags);
    try {
      driver.collect(Cause.EXPLICIT, flags);
    } catch (Error e) {
      registers.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Does a minor collection, which looks at young elements alone: what is dead afterwards may stay.
   * Does a full one, as {@link #collect()}, under a collector without the capability {@code minor}.
   */
  @Traced(code = 132, operands = "")
  public void collectMinor() {
    mutator.check();
    try {
      driver.collectMinor();
    } catch (Error e) {
      mutator.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Does up to {@code n} slices of an incremental collection. The first slice starts a collection
   * if none is under way. The end of a collection also ends this call.
   *
   * @param n the number of slices, at least 0
   * @return whether a collection was completed
   * @throws HeapUsageException if the collector is not incremental
   */
  @Traced(code = 113, operands = "count slices", reads = false)
  public boolean step(int n) {
    registers.check();
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
      registers.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes built-ins. The elements that {@code make} makes lie in a separate block, and stay until
   * the heap is closed. Elements that built-ins refer to stay, too. Threads and natives are always
   * ordinary elements, and so are elements that are stored into built-ins later.
   *
   * <p>A string that is already interned does not become a built-in. Finalizers and on-free
   * callbacks that become due wait until {@code make} has ended.
   *
   * @param make makes the built-ins by the operations of {@link #mutator}
   */
  public void makeBuiltins(Runnable make) {
    registers.check();
    try {
      driver.retire();
      driver.making++;
      driver.runner.held++; // an element that a finalizer made would be a built-in, too
      try {
        driver.openBuiltins();
        make.run();
      } finally {
        driver.making--; // before the next call, which an Error may break off
        driver.runner.held--;
        driver.openBuiltins();
        driver.runner.resume();
      }
    } catch (Error e) {
      registers.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Saves what the heap holds. A full collection comes first, and finalizers that are due run. Then
   * the image has all that the program's roots lead to: the threads with their frames and call
   * stacks, built-ins, the global references that the bindings name, and elements whose finalizer
   * is still due. Identity hashes, the order of properties, walks, weak tables, finalizers and
   * external bytes are in the image, too. Not in the image are weak references and global
   * references without a name, pins, plain blocks, listeners and settings. The heap stays open and
   * is not changed.
   *
   * @param bindings names what is Java's
   * @return the image
   * @throws dev.gleaner.refusal.ImageException if something of Java's has no name, or the image
   *     would have more than 2 GiB; the message has the path from a root
   * @throws HeapUsageException if a finalizer, an on-free callback, a listener or a maker of
   *     built-ins calls
   */
  public HeapImage image(ImageBindings bindings) {
    registers.check();
    Objects.requireNonNull(bindings, "bindings");
    Map<String, GlobalRef> named = Map.copyOf(bindings.globals());
    if (driver.runner.isInside() || driver.making > 0) {
      throw new HeapUsageException(
          "a heap cannot be saved by a finalizer, an on-free callback or a listener, nor while"
              + " built-ins are made");
    }
    named.values().forEach(globals::get);
    collect(0);
    try {
      return save(named, ImageBindings.Role.names(bindings));
    } catch (Error e) {
      registers.owner = null; // in doubt
      throw e;
    }
  }

  /** Saves what the heap holds, without a collection. */
  final HeapImage save(Map<String, GlobalRef> named, ImageWriter.Names names) {
    driver.retire();
    registers.flush();
    Map<String, Long> values = new TreeMap<>();
    named.forEach((name, ref) -> values.put(name, globals.get(ref)));
    ImageWriter.Roots from = new ImageWriter.Roots(registers.main, registers.current, values);
    ImageWriter writer = new ImageWriter(context, from, names, mutator.references::hashIfAsked);
    return new HeapImage(observers().tell(writer::write));
  }

  /** {@return the flags of {@link CollectFlags} that are added to those of every collection} */
  public int baseFlags() {
    registers.ownership.checkLook();
    return driver.baseFlags();
  }

  /**
   * Sets the base flags. The caller restores the old flags afterwards, also on failure.
   *
   * @param flags of {@link CollectFlags}
   * @return the flags that were set before
   */
  @Traced(code = 116, operands = "flags flags", reads = false)
  public int setBaseFlags(int flags) {
    registers.check();
    checkFlags(flags);
    return driver.setBaseFlags(flags);
  }

  private static void checkFlags(int flags) {
    if ((flags & ~CollectFlags.ALL) != 0) {
      throw new HeapUsageException("unknown collection flags: " + flags);
    }
  }

  /**
   * Returns the number of a sort of elements, for {@link Mutator#setSort}. A sort is the runtime's
   * own name for some elements. Snapshots, paths to a root and leak reports show the sort in place
   * of the kind. The same name always has the same number.
   *
   * @param name a name such as {@code lua.table}
   * @return a number from 1 to 15
   * @throws HeapUsageException if {@code name} is no such name, or is the sixteenth name
   */
  @Traced(code = 221, operands = "text name", reads = false)
  public int sort(String name) {
    registers.check();
    return context.sorts().number(Objects.requireNonNull(name, "name"));
  }

  /**
   * Sets who knows which slots of frames are dead. A full collection, and a slice of one, asks
   * before it looks for roots. A thread that suspends itself with values asks about the 8 frames
   * nearest to its top. A heap that records a trace does not ask.
   *
   * @param dead null if all slots are roots, as at first
   */
  public void setDeadSlots(@Nullable DeadSlots dead) {
    registers.check();
    driver.setDeadSlots(dead);
  }

  /**
   * Makes a global root slot.
   *
   * @return the root slot, which holds undefined; a root until it is closed
   */
  @Traced(code = 117, operands = "made number", reads = false)
  public GlobalRef newGlobal() {
    registers.check();
    try {
      return globals.make();
    } catch (Error e) {
      registers.owner = null; // in doubt
      throw e;
    }
  }

  @Traced(code = 118, operands = "global number")
  void closeGlobal(GlobalRef ref) {
    if (ref.number >= 0 && !closed) {
      registers.check();
      try {
        globals.close(ref);
      } catch (Error e) {
        registers.owner = null; // in doubt
        throw e;
      }
    }
    ref.number = -1;
  }

  @Traced(code = 120, name = "is-cleared", operands = "weak number", reads = false)
  boolean isWeakCleared(WeakRef ref) {
    registers.ownership.checkLook();
    return ref.number < 0 || context.weakTarget(ref.number) == 0;
  }

  @Traced(code = 119, operands = "weak number")
  void closeWeak(WeakRef ref) {
    if (ref.number >= 0 && !closed) {
      registers.check();
      try {
        context.section().enter();
        context.removeWeak(ref.number);
        ref.number = -1;
        context.section().leave();
      } catch (Error e) {
        registers.owner = null; // in doubt
        throw e;
      }
    }
    ref.number = -1;
  }

  /**
   * Counts the host's own memory, such as a buffer outside of the heap, against the limit. Collects
   * if the limit leaves no room.
   *
   * @param bytes the number of bytes, at least 0
   * @throws HeapExhaustedException if the limit still leaves no room
   */
  @Traced(code = 121, operands = "bytes bytes")
  public void reserveExternal(long bytes) {
    registers.check();
    if (bytes < 0) {
      throw new HeapUsageException("negative size: " + bytes);
    }
    try {
      charge(bytes);
    } catch (Error e) {
      registers.owner = null; // in doubt
      throw e;
    }
  }

  private void charge(long bytes) {
    driver.beforeAllocation();
    for (int attempt = 0; !chargeExternal(bytes); attempt++) {
      driver.beforeRetry(attempt, bytes);
    }
  }

  private boolean chargeExternal(long bytes) {
    context.section().enter();
    boolean charged = budget.chargeExternal(bytes);
    context.section().leave();
    return charged;
  }

  /**
   * Takes back bytes that {@link #reserveExternal} counted.
   *
   * @param bytes the number of bytes, at most the reserved bytes
   */
  @Traced(code = 122, operands = "bytes bytes")
  public void releaseExternal(long bytes) {
    registers.check();
    long reserved = budget.external() - context.finalizers().charged();
    if (bytes < 0 || bytes > reserved) {
      throw new HeapUsageException("cannot release " + bytes + " external bytes of " + reserved);
    }
    try {
      budget.notePeak();
      context.section().enter();
      budget.refundExternal(bytes);
      context.section().leave();
    } catch (Error e) {
      registers.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Releases the heap: the heap belongs to no Java thread until a thread calls {@link #acquire}.
   * Until then all other calls are refused, except {@link #snapshot} and {@link #isClosed}. The
   * next owner sees all changes of this thread.
   *
   * @throws HeapUsageException if a finalizer, an on-free callback, a listener or a maker of
   *     built-ins calls, or the heap is released already
   */
  public void release() {
    registers.check();
    if (driver.runner.isInside()) {
      throw new HeapUsageException(
          "a heap cannot be released by a finalizer, an on-free callback or a listener");
    }
    if (context.builtins().isOpen()) {
      throw new HeapUsageException("a heap cannot be released while built-ins are made");
    }
    registers.ownership.release();
  }

  /**
   * Acquires a heap that was {@linkplain #release released}: the heap belongs to the calling Java
   * thread from now on. The thread may be a platform thread or a virtual thread.
   *
   * @throws HeapUsageException if the heap belongs to the calling Java thread already
   * @throws WrongThreadException if the heap belongs to another Java thread
   * @throws HeapClosedException if the heap is closed
   */
  public void acquire() {
    registers.ownership.acquire();
  }

  /**
   * Claims a heap whose Java thread has ended. Does nothing if the heap belongs to the calling
   * thread. So a watchdog or a shutdown hook takes over from a dead thread, and sees all changes of
   * that thread.
   *
   * @throws WrongThreadException if the heap belongs to another Java thread, which has not ended
   * @throws HeapUsageException if the heap is released; {@link #acquire} takes such a heap
   * @throws HeapClosedException if the heap is closed
   */
  public void claim() {
    registers.ownership.claim();
  }

  /** {@return the heap's present figures} */
  public HeapStatistics statistics() {
    if (closed && last != null) {
      return last;
    }
    registers.ownership.checkLook();
    budget.notePeak(); // the reported peak is never below the reported use
    return snapshot();
  }

  /**
   * {@return the heap's figures, for any Java thread} On a thread that is not the owner some
   * figures may be slightly older than others.
   */
  @SuppressWarnings("EnumOrdinal") // the array's documentation says that its index is the ordinal
  public HeapStatistics snapshot() {
    HeapStatistics l = last;
    if (l != null) {
      return l;
    }
    if (registers.ownership.isHome()) {
      collector.updateFigures();
    }
    long[] byKind = new long[Kind.values().length];
    long live = 0;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      long n = collector.elements(kind);
      byKind[Layout.kindOf(kind).ordinal()] = n;
      live += kind <= Layout.LAST_VALUE ? 0 : n;
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
        driver.pauseNanos + context.pauses().nanos(),
        driver.steps,
        registers.depthOrZero(),
        collector.promptlyReclaimedElements(),
        inspection.leakedElements(),
        collector.movedElements(),
        log.callbacksFailed);
  }

  /**
   * Adds a listener. The heap calls the listener at its events from now on.
   *
   * @param listener must not change the heap; {@link HeapListener} says what is allowed
   */
  public void addListener(HeapListener listener) {
    registers.ownership.checkLook();
    log.add(Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Removes a listener. Does nothing if the listener was not added.
   *
   * @param listener a listener that was added
   */
  public void removeListener(HeapListener listener) {
    if (!closed) {
      registers.ownership.checkLook();
    }
    log.remove(listener);
  }

  /** Refuses a call that is not allowed. */
  final void checkCall() {
    registers.check();
  }

  final boolean isSound() {
    return registers.ownership.isSound();
  }

  /** {@return whether the heap is closed, for any Java thread} */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Closes the heap. If there are finalizers or native elements, the heap first does two
   * collections that run finalizers, one collection that does not, and then runs the finalizers of
   * all elements that are left. Then the heap gives all memory back. A second call does nothing. A
   * {@linkplain HeapBrokenException broken} heap gives its memory back, and does nothing else.
   *
   * <p>Any Java thread may close a heap whose own Java thread has ended. If nobody closes a heap,
   * and nothing refers to the heap any more, its memory goes back with one warning. Finalizers,
   * callbacks and listeners are not called then.
   *
   * @throws WrongThreadException if the heap belongs to another Java thread, which has not ended
   * @throws HeapUsageException if a finalizer, an on-free callback, a listener or a maker of
   *     built-ins calls
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    registers.ownership.claim();
    boolean sound = registers.ownership.isSound();
    if (sound && driver.runner.isInside()) {
      throw new HeapUsageException(
          "a heap cannot be closed by a finalizer, an on-free callback or a listener");
    }
    if (driver.making > 0) {
      throw new HeapUsageException("a heap cannot be closed while built-ins are made");
    }
    try {
      if (sound && inspection.leaks()) {
        LeakReport report = inspection.findLeaks();
        driver.runner.inside(() -> log.warnOf(report));
      }
      if (sound) {
        driver.runner.close();
      }
    } finally {
      try {
        giveBack();
      } finally {
        closed = true;
        registers.ownership.close();
        memory.close();
        forget();
      }
    }
  }

  private void forget() {
    if (unclosed != null) {
      unclosed.close();
    }
    log.end();
  }

  /**
   * Gives all blocks back to the user's functions; a broken heap gives back the blocks that it
   * finds.
   */
  private void giveBack() {
    for (int step = 0; step < 4; step++) {
      try {
        switch (step) {
          case 0 -> keepFigures();
          case 1 -> context.tables().weak().close();
          case 2 -> collector.close();
          default -> context.close();
        }
      } catch (RuntimeException e) {
        if (!registers.ownership.soundness.isBroken()) {
          throw e;
        }
      }
    }
  }

  private void keepFigures() {
    budget.notePeak();
    last = snapshot().closed();
  }

  /** The heap, as its references know it. */
  private final class References implements ReferenceOwner {
    @Override
    public void closeGlobal(GlobalRef ref) {
      Heap.this.closeGlobal(ref);
    }

    @Override
    public void closeWeak(WeakRef ref) {
      Heap.this.closeWeak(ref);
    }

    @Override
    public boolean isWeakCleared(WeakRef ref) {
      return Heap.this.isWeakCleared(ref);
    }

    @Override
    public String toString() {
      return Heap.this.toString();
    }
  }

  /** The heap's roots. Their names are listed in the same order. */
  private final class HeapRoots implements Roots {
    @Override
    public void forEachRoot(RootVisitor visitor) {
      registers.visitRoots(visitor);
      globals.forEachRoot(visitor);
      context.pins().forEachRoot(visitor);
      for (int i = 0; i < context.finalizers().queued(); i++) {
        long _ = visitor.visit(context.finalizers().queuedElement(i));
      }
      ImageLoader loader = loading;
      if (loader != null) {
        loader.forEachRoot(visitor);
      }
    }

    @Override
    public String name(int number) {
      List<String> threads = Registers.ROOTS;
      if (number < threads.size()) {
        return threads.get(number);
      }
      int n = number - threads.size();
      if (n < globals.size()) {
        return globals.name(n);
      }
      n -= globals.size();
      int pinned = context.pins().size();
      return n < pinned ? "pinned buffer " + n : "finalize list at " + (n - pinned);
    }
  }

  /**
   * {@return the heap's name, its collector, and whether the heap is closed; for any Java thread}
   */
  @Override
  public String toString() {
    return "heap " + name + " (" + collectorName + ")" + (closed ? ", closed" : "");
  }
}
