package dev.gleaner.collector.framestack;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.Budget;
import dev.gleaner.space.RawSpace;
import java.util.Arrays;

/**
 * Frames that hold no garbage of those they called (the diary's first design): the region has three
 * parts, used in turn. A frame's records lie in another part than its caller's; a result is copied
 * with what it reaches to the end of the caller's, and what a frame keeps when it is compacted to
 * the third part. A list that is returned through n frames costs n² copies.
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

  /** Of the last listed frame. */
  private int part;

  /** Of each listed frame. */
  private int[] parts = new int[8];

  private long copiedNow;
  private long copiedElements;

  /** Makes an empty region; see {@link YoungFrames}. */
  public CopiedFrames(
      RawSpace raw, Budget budget, AllocationGate gate, Owner owner, long mostBytes) {
    super(raw, budget, gate, owner, mostBytes);
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
  boolean takes(int kind) {
    return kind == Layout.RECORD;
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
    long result = copyOut(to, value);
    popInto(to, from, caller, copiedNow);
    return result;
  }

  @Override
  void giveToCaller(long first, int results, long caller) {
    int to = partOf(caller);
    long from = tops[to];
    if (hasRoom(to)) {
      popInto(to, from, caller, copyOutOf(first, first + ((long) results << 3), to));
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
  private void popInto(int to, long from, long caller, long copied) {
    boolean listed = isListed(caller);
    pop(copied, tops[to] - from);
    if (!listed) {
      listCopied(caller, to, from, copied);
    }
  }

  /** Copies what words hold of the last listed frame; answers how many records. */
  private long copyOutOf(long first, long end, int to) {
    long copied = 0;
    for (long at = first; at < end; at += 8) {
      long v = memory.get(at);
      if (isInLast(v) && (v & NOT_REFERENCE) == 0) {
        memory.put(at, copyOut(to, v));
        copied += copiedNow;
      }
    }
    return copied;
  }

  @Override
  void compactLast() {
    int to = third();
    long from = tops[to];
    if (!hasRoom(to)) {
      return;
    }
    retire();
    long kept = copyOutOf(frameBase, stackTop, to);
    long frame = bases[frames - 1];
    pop(kept, tops[to] - from);
    if (kept > 0) {
      listCopied(frame, to, from, kept);
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

  /** Copies a record of the last listed frame, and what it reaches there, to the end of a part. */
  private long copyOut(int to, long value) {
    copiedNow = 0;
    long scan = tops[to];
    long result = copyRecord(to, value);
    while (scan < tops[to]) {
      long next = scan + (((memory.get(scan) >>> Layout.SIZE_SHIFT) + 1) << 3);
      for (long at = scan + 8; at < next; at += 8) {
        long v = memory.get(at);
        if (isInLast(v) && (v & NOT_REFERENCE) == 0) {
          memory.put(at, copyRecord(to, v));
        }
      }
      scan = next;
    }
    return result;
  }

  private long copyRecord(int to, long e) {
    long h = memory.get(e);
    if (isForwarded(h)) {
      return target(h);
    }
    long bytes = ((h >>> Layout.SIZE_SHIFT) + 1) << 3;
    long copy = tops[to];
    memory.copy(e, copy, bytes);
    forward(e, copy);
    tops[to] = copy + bytes;
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
    super.empty();
    limit = endOf(0);
    part = 0;
    for (int p = 0; p < PARTS; p++) {
      tops[p] = startOf(p);
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
