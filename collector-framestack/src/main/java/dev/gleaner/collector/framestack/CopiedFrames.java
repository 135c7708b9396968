package dev.gleaner.collector.framestack;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.Budget;
import dev.gleaner.space.RawSpace;
import java.util.Arrays;

/**
 * Frames that hold no garbage of those they called (the diary's first design): the region has three
 * parts, used in turn. A frame's records lie in another part than its caller's; a result is copied
 * with what it reaches to the end of the caller's, and what a frame keeps when it is compacted to
 * the third part. A list that is returned through n frames costs n² copies. An object takes its
 * table along. Other kinds are the collector's from birth: strings are shared by all frames, and
 * buffers, threads and natives own what is dearer than a frame.
 *
 * <pre>
 *   part 0   | frame 0 | frame 2 | top          frame 3 returns  -&gt; its result to part 0
 *   part 1   | frame 1 | top                    frame 3 compacts -&gt; what it keeps to part 1
 *   part 2   | frame 3 | top, end
 * </pre>
 */
final class CopiedFrames extends YoungFrames {
  private static final int PARTS = 3;

  private final long[] tops = new long[PARTS];

  /** The objects and functions of each part. */
  private final YoungObjects[] lists = new YoungObjects[PARTS];

  /** Of the last listed frame. */
  private int part;

  /** Of each listed frame. */
  private int[] parts = new int[8];

  /** Where the copies lie, and from where on what they reach is still to be copied. */
  private int into;

  private long scan;
  private long copiedNow;
  private long copiedElements;

  private final Scanner.Visitor copyPlace = this::copyReferent;

  /** Makes an empty region; see {@link YoungFrames}. */
  public CopiedFrames(
      RawSpace raw, Budget budget, AllocationGate gate, Owner owner, long mostBytes) {
    super(raw, budget, gate, owner, mostBytes);
    lists[0] = objects;
    for (int p = 1; p < PARTS; p++) {
      lists[p] = new YoungObjects(memory);
    }
  }

  private long partBytes() {
    return ((regionEnd - start) / PARTS) & -8L;
  }

  private long startOf(int p) {
    return start + partBytes() * p;
  }

  private long endOf(int p) {
    return startOf(p + 1);
  }

  private void usePart(int p) {
    tops[part] = top;
    part = p;
    objects = lists[p];
    top = tops[p];
    end = top;
    clean = top;
    limit = endOf(p);
    if (frames == 0) {
      mark = top;
    }
  }

  @Override
  protected boolean listHere(long frame) {
    return false;
  }

  @Override
  public boolean isHalfAlive() {
    return false; // to grow, its parts would have to move apart
  }

  @Override
  long larger() {
    return 0;
  }

  @Override
  long following() {
    return PARTS * super.following();
  }

  @Override
  void prepare() {
    if (frameBase != base && regionEnd > start) {
      retire();
      int next = frames == 0 ? 0 : (part + 1) % PARTS;
      usePart(next);
      listPart(next);
      list(frameBase);
    }
  }

  /** Says where the records of the frame that is listed next are. */
  private void listPart(int p) {
    if (frames == parts.length) {
      parts = Arrays.copyOf(parts, frames * 2);
    }
    parts[frames] = p;
  }

  @Override
  void drop() {
    retire();
    pop(0, 0);
  }

  /** Forgets the last listed frame, but for what was copied out of it. */
  private void pop(long copied, long copiedBytes) {
    dropObjects();
    frames--;
    long dead = granted - unused - recordsBelow[frames] - copied;
    long deadBytes = top - mark - copiedBytes;
    granted -= dead;
    droppedElements += dead;
    droppedBytes += deadBytes;
    gate.trigger().decrease(-dead);
    budget.notePeak();
    budget.refund(deadBytes);
    top = mark;
    usePart(frames == 0 ? 0 : parts[frames - 1]);
    last();
  }

  @Override
  long giveToCaller(long value, long caller) {
    int to = partOf(caller);
    long from = tops[to];
    if (!hasRoom(to)) {
      owner.evacuate();
      return moved(value);
    }
    beginCopies(to);
    long result = copy(value);
    endCopies();
    popInto(to, from, caller);
    return result;
  }

  @Override
  void giveToCaller(long first, int results, long caller) {
    int to = partOf(caller);
    long from = tops[to];
    if (hasRoom(to)) {
      beginCopies(to);
      copySlice(first, first + ((long) results << 3));
      endCopies();
      popInto(to, from, caller);
    } else {
      owner.evacuate(); // which puts the slots right
    }
  }

  /** Which part the records of the caller are in, or can be. */
  private int partOf(long caller) {
    retire();
    return isListed(caller) ? parts[frames - 2] : third();
  }

  private boolean isListed(long caller) {
    return frames > 1 && bases[frames - 2] == caller;
  }

  private boolean hasRoom(int to) {
    return tops[to] + top - mark <= endOf(to);
  }

  /** Forgets the last listed frame, whose results were copied to a part from a place on. */
  private void popInto(int to, long from, long caller) {
    boolean listed = isListed(caller);
    pop(copiedNow, tops[to] - from);
    if (!listed) {
      listCopied(caller, to, from, copiedNow);
    }
  }

  @Override
  void compactLast() {
    int to = third();
    long from = tops[to];
    if (!hasRoom(to)) {
      return;
    }
    retire();
    beginCopies(to);
    copySlice(frameBase, stackTop);
    endCopies();
    long frame = bases[frames - 1];
    pop(copiedNow, tops[to] - from);
    if (copiedNow > 0) {
      listCopied(frame, to, from, copiedNow);
    }
  }

  /** A part that neither the last listed frame nor the one before it uses. */
  private int third() {
    int below = frames > 1 ? parts[frames - 2] : (part + 1) % PARTS;
    return frames > 1 ? PARTS - part - below : below;
  }

  /** Lists a frame, whose base is from the stack's start, with the records that were copied. */
  private void listCopied(long frame, int to, long from, long copied) {
    usePart(to);
    listPart(to);
    bases[frames] = frame;
    marks[frames] = from;
    recordsBelow[frames] = granted - unused - copied;
    frames++;
    last();
  }

  // ---- copies of what the last listed frame made, to the end of a part ----

  private void beginCopies(int to) {
    into = to;
    scan = tops[to];
    copiedNow = 0;
  }

  /** Copies what the copies reach of that frame. */
  private void endCopies() {
    while (scan < tops[into]) {
      long e = scan;
      long h = memory.get(e);
      scan = e + (((h >>> Layout.SIZE_SHIFT) + 1) << 3);
      if (Layout.kind(h) == Layout.RECORD) {
        copySlice(e + Layout.WORD, scan);
      } else { // an object's table goes along, and is looked through
        Scanner.forEachPlace(memory, e, copyPlace);
      }
    }
  }

  private void copySlice(long from, long to) {
    for (long at = from; at < to; at += 8) {
      copyReferent(at);
    }
  }

  private void copyReferent(long at) {
    long v = memory.get(at);
    if (isInLast(v) && (v & NOT_REFERENCE) == 0) {
      memory.put(at, copy(v));
    }
  }

  private long copy(long e) {
    long h = memory.get(e);
    if (isForwarded(h)) {
      return target(h);
    }
    int kind = Layout.kind(h);
    long bytes = ((h >>> Layout.SIZE_SHIFT) + 1) << 3;
    long copy = tops[into];
    memory.copy(e, copy, bytes);
    forward(e, copy);
    tops[into] = copy + bytes;
    if (kind != Layout.RECORD) {
      lists[part].moved(kind);
      lists[into].add(start, copy, kind);
    }
    copiedNow++;
    copiedElements++;
    return copy;
  }

  /** Beyond all records: in a higher part than the last frame's there are older ones. */
  @Override
  public long mark() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean copies() {
    return true;
  }

  @Override
  public long copiedElements() {
    return copiedElements;
  }

  @Override
  public int index(long offset) {
    int p = (int) ((offset - start) / partBytes());
    int i = frames - 1;
    while (parts[i] != p || marks[i] > offset) {
      i--;
    }
    return i;
  }

  @Override
  public long bytes() {
    tops[part] = top;
    long bytes = 0;
    for (int p = 0; p < PARTS; p++) {
      bytes += tops[p] - startOf(p);
    }
    return bytes;
  }

  @Override
  void empty() {
    for (YoungObjects list : lists) {
      list.clear();
    }
    objects = lists[0];
    super.empty();
    limit = endOf(0);
    part = 0;
    for (int p = 0; p < PARTS; p++) {
      tops[p] = startOf(p);
    }
  }

  @Override
  int objects(int kind) {
    int n = 0;
    for (YoungObjects list : lists) {
      n += list.count(kind);
    }
    return n;
  }

  @Override
  void releaseDead() {
    for (YoungObjects list : lists) {
      releaseDead(list);
    }
  }

  @Override
  public void forEach(OffsetVisitor visitor) {
    tops[part] = top;
    for (int p = 0; p < PARTS; p++) {
      forEach(startOf(p), tops[p], visitor);
    }
  }
}
