package dev.gleaner.collector.framestack;

import static dev.gleaner.frame.FrameBuffer.GENERATION_SHIFT;

import dev.gleaner.collector.framestack.FramePolicy.OnLeave;
import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.mark.MarkPhase;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.CellSpace;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.PauseClock;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.SpaceSet;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import org.jspecify.annotations.Nullable;

/**
 * Frames (fble's diary, "Stack Allocate"): three ages of elements.
 *
 * <pre>
 *   young    records, objects and functions in {@link YoungFrames}: go with their frame, at no cost;
 *     |      where most escape they are made owned or old at once: {@link Pretenuring}
 *     | escape, or the region is full, and half of it dead: {@link Promotion}
 *     v
 *   owned    by an {@link OwningFrame} of the main thread: go by {@link Cycle}s, a few steps for each
 *     |      element that becomes one
 *     | stored where no frame owns it: {@link Promotion#lower}
 *     v
 *   old      go by full collections alone: strings, threads, what has a finalizer or a weak reference,
 *            what coroutines made, what built-ins and globals hold
 * </pre>
 *
 * <p>Invariant: a reference leads to an equal or lower generation. A full collection marks from all
 * roots, whatever the ages.
 */
final class FrameStackCollector implements Collector, YoungFrames.Owner {
  /** Units of a cycle for each element that becomes owned; a cycle needs two an element. */
  private static final int UNITS = 4;

  /** Bytes of the frames' records for one unit. */
  private static final int BYTES_A_UNIT = 8;

  private static final long WORTH_BYTES = 1 << 20;

  /** Heaps that use less are small. */
  private static final long SMALL_HEAP = 256 << 10;

  /** How many times as fast a cycle is in a small heap. */
  private static final long SMALL_UNITS = 4;

  /** In a small heap one element for so many bytes in use is worth a cycle. */
  private static final long BYTES_FOR_ONE = 256;

  /** Up to here the region grows whatever was alive in it; it fits a core's own cache. */
  private static final long SMALL_REGION = 256 << 10;

  /** Beyond, it grows when more than one record in so many bytes was alive. */
  private static final long MOSTLY_DEAD = 512;

  /** It shrinks when less than one record in so many bytes was alive: a cache may hold it then. */
  private static final long NEARLY_ALL_DEAD = 4096;

  private final HeapContext context;
  private final Memory memory;
  private final YoungFrames young;
  private final OwningFrames owners = new OwningFrames();
  private final FreeListSpace cells;
  private final LargeSpace large;
  private final SpaceSet spaces;
  private final Cycle cycle;
  private final Promotion promotion;
  private final Liveness liveness;
  private final Pretenuring pretenuring;
  private final boolean users;
  private final FramePolicy policy;

  /** Whether nothing is young. */
  private final boolean fromBirth;

  /** Where nothing is young: what merged calls made, since an owning frame was made. */
  private long bytesOfLast;

  private long baseOfLast;
  private int callsOfLast;
  private @Nullable MarkPhase full;
  private @Nullable MarkBits fullBits;

  /** Bytes that came since the last cycle began. */
  private long bytesSince;

  /** Likewise since the last one that looked at all of a frame. */
  private long bytesSinceLarge;

  private long freedElements;
  private long freedBytes;
  private boolean collecting;
  private long collectedYoung;
  private long collectedYoungBytes;

  FrameStackCollector(HeapContext context, FramePolicy policy) {
    this.policy = policy;
    this.fromBirth = policy.mode() == FramePolicy.Mode.OWNED;
    this.pretenuring = policy.pretenuring();
    this.context = context;
    this.memory = context.memory();
    this.users = context.hasUserFunctions();
    this.young =
        policy.mode() == FramePolicy.Mode.COPYING
            ? new CopiedFrames(
                context.raw(), context.budget(), context.gate(), this, policy.region())
            : new YoungFrames(
                context.raw(), context.budget(), context.gate(), this, policy.region());
    this.cells = new FreeListSpace(context.raw(), context.budget(), context.gate());
    context.budget().addAdvances(young);
    this.large = context.newLargeSpace();
    this.spaces = new SpaceSet(young, cells, large, context.builtins());
    this.cycle = new Cycle(context, owners, policy.onLeave() == OnLeave.ABANDON, this::free);
    this.promotion = new Promotion(context, young, owners, cells, cycle, policy);
    this.liveness = new Liveness(memory, young);
  }

  @Override
  public YoungFrames frames() {
    return young;
  }

  @Override
  public long allocate(int kind, long words) {
    young.setBorn(FrameBuffer.OLD);
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    if (words <= SizeClasses.EXACT && !users && !fromBirth && young.takes(kind)) {
      if (pretenuring.take()) {
        return allocatePretenured(kind, words);
      }
      long e = young.allocate(kind, (int) words - 1);
      if (e != 0 || kind == Layout.RECORD) {
        young.setBorn(0);
        return e;
      }
    }
    boolean owned = kind != Layout.STRING && kind != Layout.THREAD && young.isMainThread();
    if (owned) {
      noteRunning(words << 3);
      work(UNITS, words << 3);
    }
    long e = take(kind, words);
    if (owned) {
      OwningFrame f = owners.last();
      own(e, f, f.freshGeneration());
    }
    return e;
  }

  /** Makes a record that is as old as what the ones before it escaped into. */
  private long allocatePretenured(int kind, long words) {
    work(UNITS, words << 3);
    long e = take(kind, words);
    int g = young.isMainThread() ? pretenuring.generation() : FrameBuffer.OLD;
    if (g != FrameBuffer.OLD) {
      own(e, owners.owner(g), g);
    }
    return e;
  }

  /** Gives what was allocated last to a frame, if it was, and lies where lists reach. */
  private void own(long e, OwningFrame f, int generation) {
    if (e != 0 && e < Segments.REACH) {
      f.add(e, generation);
      young.setBorn(generation);
    }
  }

  private long take(int kind, long words) {
    if (isLarge(words)) {
      return large.allocate(kind, words);
    }
    long e = cells.take(kind, words);
    return e != 0 ? e : cells.refill(kind, words);
  }

  private boolean isLarge(long words) {
    return users || words > SizeClasses.LARGEST_WORDS;
  }

  /** Makes the running frame the last owning one, and those with records before it owning ones. */
  private void noteRunning(long bytes) {
    long base = young.runningBase();
    boolean last = owners.last().base == base;
    if ((!last || fromBirth) && cycle.isIdle() && isWorthACycle(owners.last())) {
      evacuate();
    }
    if (last || (fromBirth && isMerged(base, bytes))) {
      return;
    }
    promotion.pushOwners();
    if (owners.last().base < base) {
      owners.push(base);
      young.own(owners.returnBarrier());
    }
  }

  /** Whether what a frame makes is given to the last owning one, which called it. */
  private boolean isMerged(long base, long bytes) {
    if (base != baseOfLast) {
      baseOfLast = base;
      callsOfLast++;
    }
    bytesOfLast += bytes;
    if (bytesOfLast < policy.mergeBytes() && callsOfLast < policy.mergeCalls()) {
      return true;
    }
    bytesOfLast = 0;
    callsOfLast = 0;
    return false;
  }

  private boolean isWorthACycle(OwningFrame f) {
    long slots = (young.stackTop() - young.stackStart() - f.base) >> 3;
    long fresh = f.fresh.size();
    long all = fresh + f.survivors.size();
    return slots <= bytesSince
        && (fresh >= worthACycle()
            || (bytesSince >= WORTH_BYTES && fresh > 0)
            || (isWorthALargeCycle(f) && all > 0));
  }

  private boolean isWorthALargeCycle(OwningFrame f) {
    if (f.abandoned) {
      return true;
    }
    long survivors = f.survivors.size();
    long enough = worthACycle();
    long more = isSmall() ? f.survivorsThen >> 3 : f.survivorsThen;
    return survivors >= f.survivorsThen + more + enough
        || (f.compacted && bytesSinceLarge >= 8 * survivors + 64L * enough);
  }

  /** So many elements are worth a cycle: fewer in a small heap, of which they are a larger part. */
  private long worthACycle() {
    return isSmall()
        ? Math.clamp(context.budget().charged() / BYTES_FOR_ONE, 1, policy.cycle())
        : policy.cycle();
  }

  /** Whether the heap is so small that its garbage is to be found sooner, at more cost. */
  private boolean isSmall() {
    return context.budget().charged() < SMALL_HEAP;
  }

  private void work(long units, long bytes) {
    bytesSince += bytes;
    bytesSinceLarge += bytes;
    if (!cycle.isIdle()) {
      long n = units + bytes / BYTES_A_UNIT;
      advance(isSmall() ? n * SMALL_UNITS : n);
    }
  }

  private void advance(long units) {
    if (units < PauseClock.SMALL) {
      cycle.step(units);
      return;
    }
    long elementsBefore = freedElements;
    long bytesBefore = freedBytes;
    context.pauses().begin();
    cycle.step(units);
    context.pauses().end(units, 0, freedElements - elementsBefore, freedBytes - bytesBefore);
  }

  private void free(long e) {
    long h = memory.get(e);
    int kind = Layout.kind(h);
    long words = Layout.payloadWords(memory, e, h) + 1;
    long before = context.budget().charged();
    if (Layout.ownsResources(kind)) {
      context.release(kind, e);
    }
    freedElements++;
    if (isLarge(words)) {
      large.free(e);
    } else {
      memory.zero(e, words << 3);
      cells.free(kind, e, words);
      freedBytes += CellSpace.cellBytes(words); // charged until the space gives it back
    }
    freedBytes += before - context.budget().charged();
  }

  // ---- what frames tell ----

  @Override
  public void release(long element) {
    context.release(Layout.kind(memory.get(element)), element);
  }

  @Override
  public boolean isAlive(long records) {
    return liveness.isAtLeast(records);
  }

  @Override
  public long aliveBytes() {
    return liveness.bytes();
  }

  @Override
  public void evacuate() {
    evacuate(0, 0);
  }

  /**
   * Moves what is alive of the running thread's frames, and begins a cycle if it is time to: then
   * what is moved are roots, beside the slots.
   *
   * @param first a record that escapes into the holder, or 0
   */
  private void evacuate(long first, long holder) {
    pretenuring.end(); // a cycle may begin
    long bytes = young.bytes();
    long elements = young.elements();
    boolean large = elements >= PauseClock.SMALL && !collecting;
    if (large) {
      context.pauses().begin();
    }
    long moved = move(first, holder);
    if (large) {
      context.pauses().end(elements, 0, elements, 0);
    }
    if (!collecting) {
      work(moved * UNITS, bytes);
      if (owners.last().next > Integer.MAX_VALUE - 1024) {
        renumber();
      }
    }
  }

  private long move(long first, long holder) {
    long bytes = young.bytes();
    boolean begins =
        !collecting && young.isMainThread() && cycle.isIdle() && isWorthACycle(owners.last());
    if (begins) {
      boolean all = isWorthALargeCycle(owners.last());
      cycle.begin(owners.last(), all);
      bytesSince = 0;
      bytesSinceLarge = all ? 0 : bytesSinceLarge;
    }
    if (holder != 0 && cycle.isMarking()) {
      cycle.visit(holder); // what it is to hold gets its generation, which must be no candidate's
    }
    int generation = holder == 0 ? FrameBuffer.OLD : generation(holder);
    long moved = young.frames() == 0 ? 0 : promotion.evacuate(first, generation);
    if (begins) {
      cycle.roots(young);
    }
    if (first != 0) {
      pretenuring.escaped(young.droppedElements() + promotion.promoted(), moved, generation);
    }
    if (first == 0 && !fromBirth) {
      resize(moved, bytes);
    }
    return moved;
  }

  /** Fits the region to how much of it was alive, and to all that lives. */
  private void resize(long moved, long bytes) {
    long capacity = young.capacity();
    boolean larger = capacity < SMALL_REGION || moved * MOSTLY_DEAD > bytes;
    long n = larger ? 2 * capacity : Math.clamp(moved * NEARLY_ALL_DEAD, SMALL_REGION, capacity);
    young.resize(Math.min(n, young.following()));
  }

  /** Gives the generations out anew before there are none left. */
  private void renumber() {
    pretenuring.end();
    advance(Long.MAX_VALUE);
    owners.renumber(memory, cycle.abandon(), null);
  }

  @Override
  public long escape(long holder, long value) {
    long v = value;
    long into = holder;
    if (generation(value) == 0) {
      boolean bothMove = holder != 0 && generation(holder) == 0;
      evacuate(bothMove ? 0 : value, bothMove ? 0 : holder);
      v = young.moved(value);
      into = bothMove ? young.moved(holder) : holder;
    }
    // A record that moved just now may hold what this is stored into, and have made it older.
    promotion.lower(v, into == 0 ? FrameBuffer.OLD : generation(into));
    return v;
  }

  private int generation(long e) {
    return (int) (memory.get(e) >>> GENERATION_SHIFT);
  }

  @Override
  public void returned(long callerBase) {
    OwningFrame left = owners.last();
    cycle.left(left, owners.leave(callerBase));
    young.own(owners.returnBarrier());
  }

  @Override
  public void compacted() {
    owners.last().compacted = true;
    cycle.compacted(owners.last());
    if (young.copies()) { // then the region need not ever be full
      if (cycle.isIdle() && isWorthACycle(owners.last())) {
        evacuate();
      }
      work(UNITS, UNITS * BYTES_A_UNIT);
    }
  }

  @Override
  public void shade(long holder, long oldValue) {
    cycle.visit(oldValue);
    cycle.visit(holder);
    cycle.step(UNITS); // so that a program that only stores is not slow for ever
  }

  @Override
  public void beforeStore(long oldValue) {
    cycle.visit(oldValue);
  }

  // ---- full collections ----

  @Override
  public void collect(CollectionRequest request) {
    int flags = request.flags();
    long droppedElements = young.droppedElements();
    long droppedBytes = young.droppedBytes();
    long freed = freedBytes;
    pretenuring.end(); // the generations are given out anew
    collecting = true;
    if ((flags & CollectFlags.VOLUNTARY) == 0 || !young.isHalfAlive()) {
      evacuate();
    }
    collecting = false;
    collectedYoung += young.droppedElements() - droppedElements;
    collectedYoungBytes += young.droppedBytes() - droppedBytes;
    ElementList candidates = cycle.abandon();
    MarkBits alive = mark();
    owners.renumber(memory, candidates, alive);
    large.sweep(alive, context::release);
    cells.sweep(alive, context::release);
    context.tidy(flags, spaces::forEach);
    freedBytes = freed; // what went meanwhile is the collection's
    bytesSince = 0;
    bytesSinceLarge = 0;
  }

  /** Exact where no frame has records any more; if some have, all of them count as alive. */
  private MarkBits mark() {
    MarkPhase phase = full == null ? new MarkPhase(context) : full;
    MarkBits bits = fullBits == null ? phase.newBits() : fullBits;
    full = phase;
    fullBits = bits;
    phase.start(bits);
    young.forEach(phase::mark);
    phase.drain();
    phase.finish();
    return bits;
  }

  // ---- figures ----

  @Override
  public void retire() {
    spaces.retire();
  }

  @Override
  public SpaceSet spaces() {
    return spaces;
  }

  @Override
  public void forEachElement(OffsetVisitor visitor) {
    cycle.finishSweep();
    spaces.forEach(visitor);
  }

  @Override
  public long promptlyReclaimedElements() {
    return young.droppedElements() - collectedYoung + freedElements;
  }

  @Override
  public long promptlyReclaimedBytes() {
    return young.droppedBytes() - collectedYoungBytes + freedBytes;
  }

  @Override
  public long movedElements() {
    return promotion.promoted() + young.copiedElements();
  }

  @Override
  public String describe(long element) {
    int generation = generation(element);
    String age =
        generation == 0 ? "young" : generation == FrameBuffer.OLD ? "old" : "owned by a frame";
    return age + ", generation " + generation;
  }

  /** Cycles begun. */
  long cycles() {
    return cycle.cycles();
  }

  /** The frames that own elements. */
  OwningFrames owners() {
    return owners;
  }

  @Override
  public @Nullable String verify() {
    return new FrameVerifier(memory, young, owners, cycle)
        .run(v -> {
          cells.forEach(v);
          large.forEach(v);
        });
  }

  @Override
  public void close() {
    if (users) {
      large.close(context::release);
    }
    if (full != null && fullBits != null) {
      full.close();
      fullBits.close();
    }
  }
}
