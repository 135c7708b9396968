package dev.gleaner.parts;

import dev.gleaner.layout.BlockWatch;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Roots;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.Budget;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.space.ImmortalSpace;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.PauseClock;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.StackSnapshot;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.spi.WriteBarrier;
import dev.gleaner.table.IdentityTable;
import dev.gleaner.table.Keys;
import dev.gleaner.table.NativeTable;
import dev.gleaner.table.PinTable;
import dev.gleaner.table.PropertyTables;
import dev.gleaner.table.Sorts;
import dev.gleaner.table.StringCache;
import dev.gleaner.table.StringHash;
import dev.gleaner.table.StringTable;
import dev.gleaner.table.ThreadObjects;
import dev.gleaner.table.ThreadStacks;
import dev.gleaner.util.PlaceHash;
import dev.gleaner.weak.FinalizerTable;
import dev.gleaner.weak.Undecided;
import dev.gleaner.weak.WeakObjects;
import dev.gleaner.weak.WeakTable;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a heap: the parts that its collector sees, and the tables that only the heap knows.
 *
 * <p>Only this class implements {@link HeapContext}, so a collector's call of the interface is as
 * cheap as a call of the class.
 */
public final class HeapParts implements HeapContext {
  private final String heap;
  private final HeapSettings settings;
  private final RawSpace raw;
  private final long regionBytes;
  private final Budget budget;
  private final AllocationGate gate;
  private final AllocationFunctions functions;
  private final AllocationFunctions elementFunctions;
  private final boolean userFunctions;
  private final Roots roots;
  private final StringTable strings;
  private final StringCache stringCache;
  private final StringHash stringHash;
  private final FinalizerTable finalizers;
  private final PauseClock pauses = new PauseClock();
  private final WeakTable weak = new WeakTable();
  private final IdentityTable identities;
  private final NativeTable natives = new NativeTable();
  private final ThreadObjects threadObjects = new ThreadObjects();
  private final PinTable pins = new PinTable();
  private final Keys keys;
  private final Sorts sorts = new Sorts();
  private final PropertyTables tables;
  private final ThreadStacks stacks;
  private final BlockWatch blocks = new BlockWatch();
  private final StackSnapshot stackSnapshot;
  private final ImmortalSpace builtins;
  private int baseFlags;
  private long rescued;

  /** The write barriers. The first value is for tests of parts; a heap sets its own. */
  private Set<WriteBarrier> barriers = Set.of(WriteBarrier.SNAPSHOT);

  private @Nullable Undecided undecided;

  /** Whether stores must call the collector; read at every store. */
  private boolean barrier;

  /**
   * Makes the parts of a heap; for heaps, and for tests of parts.
   *
   * @param heap the heap's name
   * @param settings all settings in force
   * @param raw the memory with its pages
   * @param regionBytes the largest possible size of the memory, in bytes
   * @param budget the bytes that the limit leaves
   * @param gate counts the requests
   * @param functions the allocation functions in force
   * @param elementFunctions the allocation functions for the elements' own memory
   * @param userFunctions whether the functions are the user's
   * @param roots the heap's own roots
   */
  public HeapParts(
      String heap,
      HeapSettings settings,
      RawSpace raw,
      long regionBytes,
      Budget budget,
      AllocationGate gate,
      AllocationFunctions functions,
      AllocationFunctions elementFunctions,
      boolean userFunctions,
      Roots roots) {
    this.heap = heap;
    this.settings = settings;
    this.raw = raw;
    this.regionBytes = regionBytes;
    this.budget = budget;
    this.gate = gate;
    this.functions = functions;
    this.elementFunctions = elementFunctions;
    this.userFunctions = userFunctions;
    this.roots = roots;
    this.baseFlags = settings.baseFlags();
    this.strings = new StringTable(raw.memory(), functions, settings.strings().initial());
    long seed = settings.strings().seedOfHeap();
    this.stringHash = new StringHash(seed);
    this.finalizers = new FinalizerTable(PlaceHash.multiplier(seed), budget);
    if (settings.finalizersByAge()) {
      finalizers.trackAges();
    }
    this.identities = new IdentityTable(PlaceHash.multiplier(seed));
    this.stringCache = new StringCache(settings.strings().accessCache());
    this.stackSnapshot = new StackSnapshot(raw.memory());
    this.builtins = new ImmortalSpace(raw.memory(), elementFunctions);
    this.keys = new Keys(raw.memory(), identities, PlaceHash.multiplier(seed));
    this.tables = new PropertyTables(raw, functions, keys, blocks);
    this.stacks =
        new ThreadStacks(
            raw.memory(),
            functions,
            raw.section(),
            blocks,
            settings.threads().initialStackSlots(),
            settings.threads().maxStackSlots());
  }

  @Override
  public String heap() {
    return heap;
  }

  @Override
  public HeapSettings settings() {
    return settings;
  }

  @Override
  public CriticalSection section() {
    return raw.section();
  }

  /** {@return the names of the sorts of elements} */
  public Sorts sorts() {
    return sorts;
  }

  @Override
  public Memory memory() {
    return raw.memory();
  }

  @Override
  public RawSpace raw() {
    return raw;
  }

  @Override
  public long regionBytes() {
    return regionBytes;
  }

  @Override
  public Budget budget() {
    return budget;
  }

  @Override
  public AllocationGate gate() {
    return gate;
  }

  /**
   * {@return the allocation functions in force: the user's functions if there are any} Each call is
   * one request.
   */
  public AllocationFunctions functions() {
    return functions;
  }

  @Override
  public AllocationFunctions elementFunctions() {
    return elementFunctions;
  }

  @Override
  public LargeSpace newLargeSpace() {
    return new LargeSpace(
        raw.memory(), elementFunctions, userFunctions ? null : raw.allocator(), gate);
  }

  @Override
  public boolean hasUserFunctions() {
    return userFunctions;
  }

  @Override
  public Roots roots() {
    return roots;
  }

  /** {@return the interned strings} */
  public StringTable strings() {
    return strings;
  }

  /** {@return the hash of strings, with the heap's seed} */
  public StringHash stringHash() {
    return stringHash;
  }

  /** {@return the cache of places of characters in long strings} */
  public StringCache stringCache() {
    return stringCache;
  }

  @Override
  public FinalizerTable finalizers() {
    return finalizers;
  }

  @Override
  public WeakTable weak() {
    return weak;
  }

  @Override
  public WeakObjects weakTables() {
    return tables.weak();
  }

  /**
   * {@return the identity hashes that programs asked for; empty if the collector does not move
   * elements}
   */
  public IdentityTable identities() {
    return identities;
  }

  /** Sets that old elements move, too; for heaps. */
  public void setMoving() {
    keys.setMoving();
  }

  /** {@return the Java objects that are attached to threads} */
  public ThreadObjects threadObjects() {
    return threadObjects;
  }

  /** {@return the Java objects of native elements} */
  public NativeTable natives() {
    return natives;
  }

  /** {@return the pinned buffers, which are roots; empty if the collector does not pin} */
  public PinTable pins() {
    return pins;
  }

  @Override
  public ImmortalSpace builtins() {
    return builtins;
  }

  /** {@return the operations on property tables} */
  public PropertyTables tables() {
    return tables;
  }

  /** {@return the operations on the stacks of threads} */
  public ThreadStacks stacks() {
    return stacks;
  }

  @Override
  public BlockWatch blocks() {
    return blocks;
  }

  @Override
  public StackSnapshot stackSnapshot() {
    return stackSnapshot;
  }

  @Override
  public int baseFlags() {
    return baseFlags;
  }

  /**
   * Sets the flags that every collection uses.
   *
   * @param flags of {@code CollectFlags}
   */
  public void setBaseFlags(int flags) {
    baseFlags = flags;
  }

  @Override
  public boolean barrier() {
    return barrier;
  }

  @Override
  public void setBarrier(boolean on) {
    if (on && !barriers.contains(WriteBarrier.SNAPSHOT)) {
      throw new IllegalStateException(
          "the collector's traits name the write barriers %s, so it cannot turn on %s"
              .formatted(barriers, WriteBarrier.SNAPSHOT));
    }
    barrier = on;
  }

  /**
   * Sets the write barriers; for heaps.
   *
   * @param named the barriers that the collector's traits name
   */
  public void setBarriers(Set<WriteBarrier> named) {
    barriers = named;
  }

  @Override
  public void sweepWeak(LongPredicate stays) {
    sweepYoungWeak(stays);
    strings.sweep(stays);
  }

  @Override
  public void sweepYoungWeak(LongPredicate stays) {
    weak.sweep(stays);
    identities.sweep(stays);
    stringCache.sweep(stays);
  }

  @Override
  public void setUndecided(@Nullable Undecided by) {
    undecided = by;
    tables.weak().setUndecided(by);
  }

  /** {@return the target of a weak reference; 0 if it is cleared, or as good as that} */
  public long weakTarget(int number) {
    long e = weak.get(number);
    return e == 0 || undecided == null || !undecided.hides(e) ? e : 0;
  }

  /** Removes a weak reference. One that reads as cleared counts as cleared. */
  public void removeWeak(int number) {
    if (weak.get(number) != 0 && weakTarget(number) == 0) {
      weak.lose(number);
    }
    weak.remove(number);
  }

  /** {@return the collection in slices that hides elements in weak places now; else null} */
  public @Nullable Undecided undecided() {
    return undecided;
  }

  @Override
  public void beginStringSweep(LongPredicate stays) {
    identities.sweep(stays);
    stringCache.sweep(stays);
    strings.beginSweep();
  }

  @Override
  public boolean sweepStrings(LongPredicate stays, long deadline) {
    return strings.sweepUntil(deadline, stays);
  }

  @Override
  public void relocate(LongUnaryOperator moved) {
    finalizers.relocate(moved);
    strings.relocate(moved);
    relocateWeak(moved);
  }

  @Override
  public void relocateYoung(int since, LongUnaryOperator moved) {
    finalizers.relocate(since, moved);
    relocateWeak(moved);
  }

  private void relocateWeak(LongUnaryOperator moved) {
    weak.relocate(moved);
    identities.relocate(moved);
    stringCache.relocate(moved);
    tables.relocate(moved);
  }

  @Override
  public void died(long element) {
    identities.remove(element);
  }

  @Override
  public void stringMoved(long from, long to) {
    strings.relocate(from, to);
  }

  @Override
  public void stringDied(long string) {
    strings.remove(string);
    if ((raw.memory().get(string) & Layout.FLAG_ASCII) == 0) {
      stringCache.remove(string);
    }
  }

  @Override
  public PauseClock pauses() {
    return pauses;
  }

  @Override
  public boolean callbacksDue() {
    return natives.hasFreed() || finalizers.queued() > 0;
  }

  @Override
  public void tidy(int flags, KindWalk elements) {
    boolean emergency = (flags & CollectFlags.EMERGENCY) != 0;
    if ((flags & CollectFlags.NO_STRING_TABLE_RESIZE) == 0) {
      strings.tidy();
    }
    elements.forEach(Layout.THREAD, t -> stacks.shrink(t, emergency));
    if (emergency && (flags & CollectFlags.NO_OBJECT_COMPACTION) == 0) {
      elements.forEach(Layout.OBJECT, tables::compact);
    }
    raw.release(emergency);
  }

  @Override
  public void countRescued() {
    rescued++;
  }

  /** {@return the number of elements that finalizers have rescued since the heap was opened} */
  public long rescued() {
    return rescued;
  }

  /**
   * {@return the exception for a refused request}
   *
   * @param requested the size of the request, in bytes
   */
  public HeapExhaustedException exhausted(long requested) {
    long used = budget.used();
    boolean fits = requested <= budget.max() - used;
    String remark = fits && !raw.hasRoom(requested) ? "; free memory is fragmented" : "";
    return new HeapExhaustedException(heap, used, budget.max(), requested, remark);
  }

  /**
   * Frees all blocks that are no elements, so that a user's functions get every block back before
   * the memory goes. The collector frees the elements when it is closed.
   */
  public void close() {
    threadObjects.clear();
    if (userFunctions) {
      builtins.close(this::release);
      strings.close();
    }
  }

  @Override
  public void release(int kind, long element) {
    Memory m = raw.memory();
    blocks.changed(element);
    switch (kind) {
      case Layout.OBJECT -> releaseTable(element);
      case Layout.DYNAMIC_BUFFER ->
          functions.free(Values.raw(m.get(element + Layout.DYNAMIC_BLOCK)));
      case Layout.THREAD -> {
        stacks.release(element);
        stackSnapshot.forget(element);
        threadObjects.release((int) Values.raw(m.get(element + ThreadLayout.OBJECT)));
      }
      case Layout.NATIVE -> natives.release((int) m.get(element + Layout.NATIVE_INDEX));
      default -> {}
    }
  }

  private void releaseTable(long object) {
    if (Layout.isWeak(raw.memory().get(object))) {
      tables.weak().release(object);
    }
    functions.free(tables.table(object));
  }
}
