package dev.gleaner.collector.framestack;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.Budget;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.Space;
import java.util.Arrays;

/**
 * Elements born on the stack of frames: what a frame makes lies above what older frames made, and
 * goes when the frame is left, at no cost (fble's diary, "Stack Allocate"). They are records, and
 * objects and functions: {@link YoungObjects}, whose tables are freed then. Below, 'record' stands
 * for all of them.
 *
 * <pre>
 *   start       marks[0]        marks[1]            top       clean      end           regionEnd
 *   |           | made by an    | made by the last  | granted, | granted | not granted |
 *   |           | older frame   | frame that made   | zero     |         |             |
 *                                 some
 *   bases[i]: the frame on the value stack, from the stack's start
 * </pre>
 *
 * <p>Entering a frame costs nothing here: a frame is listed when it first makes a record. Leaving
 * one sets {@code top} back to its mark; when the result lies above the mark, what the frame made
 * becomes its caller's instead, garbage and all, until the region is full.
 *
 * <p>The frames are those of the running thread alone. When the region is full, when a record
 * <i>escapes</i> into something older than its frame, and when the heap changes threads, the {@link
 * Owner} evacuates: it moves what the slots reach elsewhere, and the region is empty. So an
 * evacuation looks at the slots from the oldest listed frame on, and at what is alive.
 *
 * <p>A full region of which most is alive is not evacuated but becomes larger, up to a limit: all
 * of it moves as it is, and its references with it. To evacuate it would be dearer, and the more so
 * as what is still being built would then hold what is to come, which escapes.
 *
 * <p>The region follows what lives: it takes half as much as lives in all, and {@link #SPARE} more.
 *
 * <p>What is granted is charged to the budget in advance, and counted by the voluntary trigger;
 * what dies by leaving is given back to both.
 */
class YoungFrames extends FrameBuffer implements Space, Budget.Advances {
  private static final long SMALLEST = 4 << 10;

  /** What the region may take beyond half of what lives. */
  private static final long SPARE = 6 << 10;

  /** A region that would become larger by less than this part of it is evacuated. */
  private static final long WORTH_GROWING = 8;

  /** Up to here a region grows as close as it can to what lives; then it becomes twice as large. */
  private static final long CLOSE = 256 << 10;

  /** From here on it becomes four times as large. */
  private static final long FOUR_TIMES = 1 << 20;

  /**
   * So many new records are worth looking which of all are alive, or one for so many slots of the
   * frames.
   */
  private static final long WORTH_A_LOOK = 8;

  /** After a frame dropped what it held, it is looked again when so much of the region was made. */
  private static final long LOOK_AGAIN = 4;

  private static final long GRANT = 32 << 10;

  /**
   * A frame's records that take no more are zeroed when it is left, others when they are granted.
   */
  private static final long SMALL = 64;

  private final RawSpace raw;
  final Budget budget;
  final AllocationGate gate;
  final Owner owner;

  /** Made at once: to link it takes Java stack, which may be short where a frame is left. */
  private final OffsetVisitor release;

  /** Made once, as are the others: to link code in a move takes much of the Java stack. */
  private final Scanner.Visitor movePlace = this::movePlace;

  private final OffsetVisitor movePlaces = this::movePlaces;

  /** The region that moves, and how far. */
  private long movedFrom;

  private long movedTo;
  private long movedBy;

  private final long mostBytes;

  long start;
  long regionEnd;

  /** The end of the pages that were taken; not all need be used. */
  private long pagesEnd;

  /** How far the frame that makes records now can get. */
  long limit;

  /** Records that the grant leaves, those there are, and dead ones that are not yet subtracted. */
  long granted;

  /** How many records there were when it was last looked whether half are alive; 0: look again. */
  private long seen;

  private boolean halfAlive;

  /** Those of them that are no records, where the last listed frame makes its own. */
  YoungObjects objects;

  /** The sizes in words of objects and of functions that there ever were, a bit each. */
  private int objectSizes;

  private int functionSizes;

  /** The listed frames; the buffer belongs to the last one. */
  long[] bases = new long[8];

  long[] marks = new long[8];
  long[] recordsBelow = new long[8];
  int frames;

  /** The frame that owns elements, from the main stack's start; 0 if there is none. */
  private long owned;

  long droppedElements;
  long droppedBytes;

  /** Bytes that dead elements owned; they are no element's own. */
  private long droppedBlocks;

  /** The collector's side. */
  interface Owner {
    /** Moves all that is here elsewhere, and calls {@link #clear}. */
    void evacuate();

    /** Gives back what an element owns that dies here. */
    void release(long element);

    /** Whether the slots reach so many records. */
    boolean isAlive(long records);

    /** Bytes of the records that the slots reach. */
    long aliveBytes();

    /**
     * Makes a value's element as old as one that is to hold it.
     *
     * @param holder 0 for what every frame can see
     * @return the value, which is elsewhere if it was here
     */
    long escape(long holder, long value);

    /** Told that the frame with this base, which owns elements, is left for another. */
    void returned(long callerBase);

    /** Told that the slots of the frame that owns elements were wiped, but for some. */
    void compacted();

    /** Told of a store into an older element while the barrier is on. */
    void shade(long holder, long oldValue);
  }

  /**
   * Makes an empty region.
   *
   * @param mostBytes how large it may become, if the limit allows
   */
  public YoungFrames(
      RawSpace raw, Budget budget, AllocationGate gate, Owner owner, long mostBytes) {
    super(raw.memory());
    this.raw = raw;
    this.budget = budget;
    this.gate = gate;
    this.owner = owner;
    this.release =
        e -> {
          if (!isForwarded(memory.get(e))) {
            owner.release(e);
          }
        };
    this.mostBytes = mostBytes;
    this.objects = new YoungObjects(raw.memory());
  }

  // ---- for the heap's access object: allocation ----

  @Override
  protected boolean listHere(long frame) {
    list(frame);
    return true;
  }

  /** Sees to it that the frame that was told last can have records. */
  void prepare() {}

  final void list(long frame) {
    if (frames == bases.length) {
      int n = frames * 2;
      bases = Arrays.copyOf(bases, n);
      marks = Arrays.copyOf(marks, n);
      recordsBelow = Arrays.copyOf(recordsBelow, n);
    }
    bases[frames] = frame - stackStart;
    marks[frames] = top;
    recordsBelow[frames] = granted - unused;
    frames++;
    base = frame;
    mark = top;
    returnBarrier = frame;
  }

  @Override
  public final long allocate(int slots) {
    prepare();
    if (!makeRoom(frameBase, slots) && !(grant((slots + 1L) << 3) && makeRoom(frameBase, slots))) {
      return 0;
    }
    return take(slots);
  }

  /** Whether elements of a kind are made here. */
  boolean takes(int kind) {
    return kind == Layout.RECORD || YoungObjects.isFor(kind);
  }

  /** The same as {@link #allocate(int)} for any kind that is made here. */
  final long allocate(int kind, int slots) {
    if (kind == Layout.RECORD) {
      return allocate(slots);
    }
    registerSize(kind, 1 << (slots + 1));
    long e = allocate(slots);
    if (e != 0) {
      objects.add(start, e, kind);
    }
    return e;
  }

  /** A new size is known from now on: the next grant keeps a page for copies. */
  private void registerSize(int kind, int bit) {
    int known = kind == Layout.OBJECT ? objectSizes : functionSizes;
    if ((known & bit) == 0) {
      retire();
      objectSizes |= kind == Layout.OBJECT ? bit : 0;
      functionSizes |= kind == Layout.OBJECT ? 0 : bit;
    }
  }

  private boolean grant(long bytes) {
    retire();
    if (limit - top < bytes && !extend(bytes)) {
      if (frames > 0) {
        owner.evacuate();
      }
      if (capacity() < Math.max(bytes, SMALLEST)) {
        resize(SMALLEST);
        if (capacity() == 0) {
          return false;
        }
      }
    }
    if (bytes > budget.remaining()) { // the limit is exact: charge takes all advances back first
      if (!budget.charge(bytes)) {
        if (bytes() < Math.min(SMALLEST, budget.max() >> 4)) {
          return false;
        }
        owner.evacuate();
        if (!budget.charge(bytes)) {
          return false;
        }
      }
      budget.refund(bytes);
    }
    if (!reserve()) {
      owner.evacuate();
      if (!reserve()) {
        return false;
      }
    }
    prepare();
    long records = gate.grant();
    long advance = Math.min(Math.min(limit - top, GRANT), budget.remaining() & -8L);
    if (records < advance / bytes) {
      advance = records * bytes;
    }
    records = Math.min(records, advance >> 3);
    budget.charge(advance);
    gate.trigger().decrease(records);
    end = top + advance;
    unused = records;
    granted += records;
    return true;
  }

  /** Keeps pages for copies of all that is here, and of what is granted now. */
  private boolean reserve() {
    int sizes = Integer.bitCount(objectSizes) + Integer.bitCount(functionSizes);
    return raw.reserveCells(bytes() + GRANT, SizeClasses.EXACT + sizes);
  }

  /** Takes back what is granted and not used. */
  @Override
  public void retire() {
    if (end > top) {
      budget.refund(end - top);
      end = top;
      clean = top;
    }
    gate.trigger().decrease(-unused);
    granted -= unused;
    unused = 0;
  }

  /** Bytes granted and not used. */
  @Override
  public long unusedBytes() {
    return end - top;
  }

  /** Whether half of the records were alive when there were at least half as many. */
  public boolean isHalfAlive() {
    long n = elements();
    long slots = (stackTop - stackStart - bases[0]) >> 3;
    if (n - seen >= Math.max(seen, Math.max(WORTH_A_LOOK, slots / WORTH_A_LOOK))) {
      seen = n;
      halfAlive = owner.isAlive((n + 1) / 2);
    }
    return seen > 0 && halfAlive;
  }

  // ---- for the heap's access object: frames ----

  @Override
  protected final void reloaded() {
    base = frames == 0 ? 0 : stackStart + bases[frames - 1];
    placeReturnBarrier();
  }

  /** Names the frame that owns elements and is to be told, from the main stack's start; or 0. */
  public void own(long relativeBase) {
    owned = relativeBase;
    placeReturnBarrier();
  }

  private void placeReturnBarrier() {
    returnBarrier = Math.max(base, owned == 0 || !isMainThread() ? 0 : stackStart + owned);
  }

  @Override
  public long leave(long value, long callerBase) {
    long result = value;
    long leaving = returnBarrier;
    if (base == leaving) {
      if (isInLast(value) && (value & NOT_REFERENCE) == 0) {
        result = giveToCaller(value, callerBase - stackStart);
      } else {
        drop();
      }
    }
    left(leaving, callerBase);
    return result;
  }

  @Override
  public void leaveWith(long from, int results, long callerBase) {
    long leaving = returnBarrier;
    if (base == leaving) {
      if (isAnyInLast(from, results)) {
        giveToCaller(from, results, callerBase - stackStart);
      } else {
        drop();
      }
    }
    left(leaving, callerBase);
  }

  private boolean isAnyInLast(long from, int words) {
    for (int i = 0; i < words; i++) {
      long v = memory.get(from + ((long) i << 3));
      if (isInLast(v) && (v & NOT_REFERENCE) == 0) {
        return true;
      }
    }
    return false;
  }

  private void left(long leaving, long callerBase) {
    if (owned != 0 && isMainThread() && stackStart + owned == leaving) {
      owner.returned(callerBase - stackStart);
    }
    placeReturnBarrier();
  }

  /** The same for results in words of the value stack, which say afterwards where they are. */
  void giveToCaller(long from, int results, long caller) {
    long _ = giveToCaller(Values.UNDEFINED, caller); // they stay where they are
  }

  /** Makes what the last listed frame made its caller's; answers where the result is. */
  long giveToCaller(long result, long caller) {
    if (frames > 1 && bases[frames - 2] == caller) {
      frames--;
      mark = marks[frames - 1];
    } else {
      bases[frames - 1] = caller;
    }
    base = stackStart + caller;
    return result;
  }

  /** Forgets the last listed frame, and what it made. */
  void drop() {
    budget.notePeak(end - top);
    dropObjects();
    frames--;
    long dead = granted - unused - recordsBelow[frames];
    granted -= dead;
    droppedElements += dead;
    gate.trigger().decrease(-dead);
    if (elements() < seen) {
      seen = 0;
    }
    long bytes = top - mark;
    droppedBytes += bytes;
    if (bytes <= SMALL && clean - mark <= unused << 3) {
      memory.zero(mark, bytes);
    } else {
      clean = mark;
    }
    top = mark;
    last();
  }

  /** Gives back what those own that the last listed frame made, and that were not copied. */
  final void dropObjects() {
    if (objects.count() > 0) {
      long before = budget.charged();
      objects.dropFrom(start, mark, release);
      droppedBlocks += before - budget.charged();
    }
  }

  /** Finds the last listed frame. */
  final void last() {
    if (frames == 0) {
      base = 0;
      mark = start;
    } else {
      base = stackStart + bases[frames - 1];
      mark = marks[frames - 1];
    }
  }

  @Override
  public void compact() {
    if (base == returnBarrier) {
      compactLast();
    }
    if (owned != 0 && isMainThread() && frameBase == stackStart + owned) {
      owner.compacted();
    }
    placeReturnBarrier();
  }

  /** Records that were copied from one place here to another. */
  public long copiedElements() {
    return 0;
  }

  /** Told that the last listed frame keeps only what its slots reach. */
  void compactLast() {
    if (seen > 0) {
      seen = 0;
      limit = Math.min(limit, top + SMALLEST + bytes() / LOOK_AGAIN);
    }
  }

  // ---- for the heap's access object: stores ----

  /** Whether an offset lies in a record of the last listed frame. */
  public boolean isInLast(long offset) {
    return offset >= mark && offset < top;
  }

  @Override
  public boolean contains(long element) {
    return element >= start && element < regionEnd;
  }

  @Override
  public boolean escapes(long holder, long value) {
    long of = memory.get(value) >>> GENERATION_SHIFT;
    long in = memory.get(holder) >>> GENERATION_SHIFT;
    if (of != 0) {
      return in != 0 && of > in; // what a record here holds is looked at when it is moved
    }
    return in != 0 || index(value) > index(holder);
  }

  /** Which listed frame an offset here belongs to. */
  public int index(long offset) {
    int i = Arrays.binarySearch(marks, 0, frames, offset);
    return i < 0 ? -2 - i : i;
  }

  @Override
  public long escape(long holder, long value) {
    return owner.escape(holder, value);
  }

  @Override
  public void shade(long holder, long oldValue) {
    owner.shade(holder, oldValue);
  }

  @Override
  public long moved(long element) {
    return memory.get(element) >>> FORWARD_SHIFT;
  }

  @Override
  public void evacuate() {
    if (frames > 0) {
      owner.evacuate();
    }
  }

  // ---- for the collector ----

  private static final int FORWARD_SHIFT = 4;
  private static final int FORWARDED = Layout.KIND_MASK;

  /** Says where a record was moved to; nothing else of it stays. */
  public void forward(long element, long to) {
    memory.put(element, to << FORWARD_SHIFT | FORWARDED);
  }

  /** Whether a header is what {@link #forward} leaves. */
  public static boolean isForwarded(long header) {
    return (header & Layout.KIND_MASK) == FORWARDED;
  }

  /** Where a record with such a header was moved to. */
  public static long target(long header) {
    return header >>> FORWARD_SHIFT;
  }

  /** The number of listed frames. */
  public int frames() {
    return frames;
  }

  /** A listed frame's base, from the value stack's start. */
  public long base(int frame) {
    return bases[frame];
  }

  /** Where the records of a listed frame begin. */
  public long mark(int frame) {
    return frame < frames ? marks[frame] : top;
  }

  /** Bytes of the records here, dead ones included. */
  public long bytes() {
    return top - start;
  }

  /** Bytes that there is room for now. */
  public long capacity() {
    return regionEnd - start;
  }

  /** Records here, dead ones included. */
  public long elements() {
    return granted - unused;
  }

  /** Records that died by leaving, or were left here by an evacuation. */
  public long droppedElements() {
    return droppedElements;
  }

  /** Bytes of those, and of what they owned. */
  public long droppedBytes() {
    return droppedBytes + droppedBlocks;
  }

  /** Gives the charge for all here back, before copies are charged, which find room in any case. */
  public void discharge() {
    retire();
    budget.notePeak();
    budget.refund(bytes());
    raw.beginCopies();
  }

  /** Gives back what those own that were not moved. */
  void releaseDead() {
    releaseDead(objects);
  }

  /** The same for some of them. */
  final void releaseDead(YoungObjects some) {
    long before = budget.charged();
    some.dropAll(start, release);
    droppedBlocks += before - budget.charged();
  }

  /**
   * Forgets all that is here, which was {@link #discharge}d.
   *
   * @param moved how many were moved elsewhere
   */
  public void clear(long moved, long movedBytes) {
    droppedElements += granted - unused - moved;
    droppedBytes += bytes() - movedBytes;
    granted = 0;
    unused = 0;
    seen = 0;
    frames = 0;
    base = 0;
    empty();
    placeReturnBarrier();
    raw.endCopies();
    boolean _ = raw.reserveCells(0);
  }

  /** Begins anew with the whole region, of which nothing may be granted. */
  void empty() {
    objects.clear();
    top = start;
    clean = start;
    end = start;
    mark = start;
    limit = regionEnd;
  }

  /**
   * Makes the region so large, while it is empty, or as large as it may be; what was there stays
   * readable.
   */
  public void resize(long bytes) {
    if (frames > 0) {
      return;
    }
    retire();
    boolean _ = raw.reserveCells(0);
    long most = mostNow();
    if (pagesEnd - start > most) { // others need them more
      raw.givePages(start + most, pagesEnd - start - most);
      pagesEnd = start + most;
      regionEnd = Math.min(regionEnd, pagesEnd);
    }
    long n = Math.max(SMALLEST, Math.min(bytes, most) & -SMALLEST);
    if (n <= capacity()) {
      regionEnd = start + n;
    } else {
      boolean _ = reach(n);
    }
    empty();
  }

  /**
   * How large the region may be now: its pages are not charged, what they hold is. So no larger
   * than what others leave, and than half of the limit, as copies of what it holds need room beside
   * it; but an eighth of the limit at least.
   */
  private long mostNow() {
    long max = budget.max();
    long room = Math.clamp(budget.remaining() + bytes(), max >> 3, max >> 1);
    long most = Math.min(mostBytes, room);
    return Math.max(SMALLEST, most & -SMALLEST);
  }

  /** Makes room in a region of which most is alive, if it is not as large as it may be. */
  private boolean extend(long bytes) {
    if (regionEnd - top >= bytes) {
      if (!isHalfAlive()) {
        return false;
      }
    } else {
      long n = larger();
      if (n < bytes() + bytes || !grow(n)) {
        return false;
      }
    }
    limit = regionEnd;
    return true;
  }

  /** The size to grow to; 0 if that is not worth a copy of all that is here. */
  long larger() {
    return capacity() < CLOSE ? followingAlive() : doubled();
  }

  /** A large one is not measured in full: all that is here would be looked at twice as often. */
  private long doubled() {
    long most = mostNow();
    long n = capacity() * (capacity() < FOUR_TIMES ? 2 : 4);
    if (2 * n > most) {
      n = most;
    }
    return n < 2 * capacity() || !isHalfAlive() ? 0 : n;
  }

  private long followingAlive() {
    long least = capacity() + capacity() / WORTH_GROWING;
    long most = mostNow();
    long slots = (stackTop - stackStart - bases[0]) >> 3;
    if (most < least || elements() < slots / WORTH_A_LOOK) {
      return 0;
    }
    long alive = owner.aliveBytes();
    seen = elements();
    halfAlive = 2 * alive >= bytes();
    long n = Math.min(most, following(alive) & -SMALLEST);
    return halfAlive && n >= least ? n : 0;
  }

  /** The size for a region that keeps what is alive in it: half of all that lives is free. */
  private long following(long alive) {
    return alive + (alive + budget.charged() - bytes()) / 2 + SPARE;
  }

  /** The size for an empty region: a quarter of all that lives, as some of that may be garbage. */
  long following() {
    return budget.charged() / 4 + SPARE;
  }

  private boolean grow(long bytes) {
    long from = start;
    if (!reach(bytes)) {
      return false;
    }
    if (start != from) {
      move(from, top, start - from);
    }
    return true;
  }

  /** Makes the region so large, elsewhere if need be; where it was stays readable. */
  private boolean reach(long bytes) {
    if (start + bytes > pagesEnd) {
      long at = raw.takePages(bytes);
      if (at == 0) {
        return false;
      }
      if (pagesEnd > start) {
        raw.givePages(start, pagesEnd - start);
      }
      start = at;
      pagesEnd = at + bytes;
    }
    regionEnd = start + bytes;
    return true;
  }

  /** Copies a retired region as it is, and makes all that says where its records are say so. */
  private void move(long from, long to, long distance) {
    movedFrom = from;
    movedTo = to;
    movedBy = distance;
    memory.copy(from, from + distance, to - from);
    for (long at = stackStart + bases[0]; at < stackTop; at += 8) {
      movePlace(at);
    }
    forEachCall(movePlace);
    top = to + distance;
    clean = top;
    end = top;
    for (int i = 0; i < frames; i++) {
      marks[i] += distance;
    }
    last();
    forEach(movePlaces);
  }

  /**
   * Calls back for the word of each function that is called by a frame that may have made it: the
   * call stack's part of the roots.
   */
  final void forEachCall(Scanner.Visitor visitor) {
    long oldest = bases[0] >> 3;
    long entry = ThreadLayout.callsStart(memory, thread());
    long used = Values.raw(memory.get(thread() + ThreadLayout.CALLS_USED));
    long at = entry + used * ThreadLayout.CALL_BYTES;
    while (at > entry) {
      at -= ThreadLayout.CALL_BYTES;
      if (Values.raw(memory.get(at + ThreadLayout.CALL_BASE)) < oldest) {
        break;
      }
      visitor.place(at + ThreadLayout.CALL_REFERENCE);
    }
  }

  private void movePlaces(long e) {
    Scanner.forEachPlace(memory, e, movePlace);
  }

  private void movePlace(long at) {
    long v = memory.get(at);
    if ((v & NOT_REFERENCE) == 0 && v >= movedFrom && v < movedTo) {
      memory.put(at, v + movedBy);
    }
  }

  @Override
  public String name() {
    return "records of frames";
  }

  /** Calls back for each record, dead ones included. */
  @Override
  public void forEach(OffsetVisitor visitor) {
    forEach(start, top, visitor);
  }

  @Override
  public void forEach(int kind, OffsetVisitor visitor) {
    if (takes(kind)) {
      forEach(e -> {
        if (Layout.kind(memory.get(e)) == kind) {
          visitor.visit(e);
        }
      });
    }
  }

  @Override
  public long elements(int kind) {
    return kind == Layout.RECORD ? elements() - objects() : objects(kind);
  }

  /** The number of those that are no records. */
  final int objects() {
    return objects(Layout.OBJECT) + objects(Layout.FUNCTION);
  }

  /** The number of those of a kind that is no record's. */
  int objects(int kind) {
    return objects.count(kind);
  }

  @Override
  public long allocatedElements() {
    return elements() + droppedElements;
  }

  @Override
  public long allocatedBytes() {
    return bytes() + droppedBytes;
  }

  @Override
  public void giveBack() {
    retire();
  }

  final void forEach(long from, long to, OffsetVisitor visitor) {
    for (long at = from; at < to; ) {
      long next = at + ((Layout.payloadWords(memory, at, memory.get(at)) + 1) << 3);
      visitor.visit(at);
      at = next;
    }
  }
}
