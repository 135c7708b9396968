package dev.gleaner.space;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.Memory;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Elements side by side in chunks, for collectors that copy or slide.
 *
 * <pre>
 *   chunk   | element | element | … | top            end |
 *   alone   | size word, if the payload is {@link Layout#LARGE} words or more | element |
 * </pre>
 *
 * <p>Allocation adds to the top of the last chunk; chunks grow from 4 KiB to 1 MiB, so that a small
 * heap stays small, and are single pages where pages are short. An element that would take more
 * than an eighth of the largest chunk has one alone. A chunk below its top can be walked from
 * element to element.
 *
 * <p>What the mutator allocates is charged to the budget as it is used; room for copies is not, and
 * {@link #takeCharge} settles that when the originals go. Pages are kept for copies of what is here
 * ({@link RawSpace#reserveCopies}). There is always room for those of elements of up to {@link
 * RawSpace#MOST_COPIED} words; larger ones need pages side by side, of which there may be none, so
 * they had better be in a {@link LargeSpace}. There is every element when the user provides the
 * allocation functions, and none is here.
 */
public final class BumpSpace {
  private static final long SMALLEST = 4 << 10;
  private static final long LARGEST = 1 << 20;
  private static final long ALONE = LARGEST >> 3;

  private final RawSpace raw;
  private final Memory memory;
  private final Budget budget;
  private long[] starts = new long[2];
  private long[] tops = new long[2];
  private long[] ends = new long[2];

  /** How far each chunk is scanned. */
  private long[] scanned = new long[2];

  /** Whether each chunk begins with a size word. */
  private boolean[] sized = new boolean[2];

  private int chunks;

  /** Chunks before this one, the current one apart, are scanned. */
  private int firstToScan;

  /** The chunk that is filled, or -1: chunks with one element lie between. */
  private int current = -1;

  private long bytes;
  private long taken;

  /** Bytes of copies that nobody has taken charge of. */
  private long copied;

  /** Another space, of which copies are made at the same time. */
  private @Nullable BumpSpace beside;

  /** The space that has the copies of what is here. */
  private @Nullable BumpSpace successor;

  private final long[] byKind = new long[Layout.KINDS];

  public BumpSpace(RawSpace raw, Budget budget) {
    this.raw = raw;
    raw.endAt(Forwarding.REACH);
    this.memory = raw.memory();
    this.budget = budget;
  }

  /**
   * Takes memory for an element, cleared and charged to the budget.
   *
   * @param words the header's and the payload's
   * @return the element, or 0 if the budget or the memory says no
   */
  public long allocate(int kind, long words) {
    long size = size(words);
    if (!budget.charge(size)) {
      return 0;
    }
    long element = take(kind, words, false);
    if (element == 0) {
      refund(size);
      return 0;
    }
    memory.zero(element, words << 3);
    return element;
  }

  /**
   * Copies an element of another space into this one; not charged.
   *
   * @return the copy
   * @throws IllegalStateException if it is one of more than {@link RawSpace#MOST_COPIED} words and
   *     free memory is fragmented
   */
  public long copy(long element) {
    long header = memory.get(element);
    long words = Layout.payloadWords(memory, element, header) + 1;
    long copy = take(Layout.kind(header), words, true);
    if (copy == 0) {
      throw new IllegalStateException("no memory for a copy of " + (words << 3) + " bytes");
    }
    memory.copy(element, copy, words << 3);
    copied += size(words);
    return copy;
  }

  private static long size(long words) {
    return (words << 3) + (words - 1 >= Layout.LARGE ? Layout.WORD : 0);
  }

  private long take(int kind, long words, boolean copy) {
    long size = size(words);
    long at;
    if (size > ALONE) {
      if (!addChunk(size, size, copy)) {
        return 0;
      }
      at = starts[chunks - 1];
      tops[chunks - 1] = at + size;
      if (words - 1 >= Layout.LARGE) {
        memory.put(at, words - 1);
        sized[chunks - 1] = true;
        at += Layout.WORD;
      }
    } else {
      if (current < 0 || ends[current] - tops[current] < size) {
        if (!addChunk(size, Math.max(size, Math.clamp(bytes, SMALLEST, LARGEST)), copy)) {
          return 0;
        }
        if (current >= 0 && scanned[current] < tops[current]) {
          firstToScan = Math.min(firstToScan, current);
        }
        current = chunks - 1;
      }
      at = tops[current];
      tops[current] += size;
    }
    bytes += size;
    byKind[kind]++;
    return at;
  }

  /** Starts a chunk: of the size that is best, or of the least. */
  private boolean addChunk(long least, long best, boolean copy) {
    return addChunk((best + SMALLEST - 1) & -SMALLEST, copy)
        || addChunk(PageAllocator.pagesFor(least) << PageAllocator.PAGE_SHIFT, copy);
  }

  private boolean addChunk(long size, boolean copy) {
    if (!copy && !keepRoom(size)) {
      return false;
    }
    if (copy) {
      raw.beginCopies();
    }
    long start = raw.takePages(size);
    if (copy) {
      raw.endCopies();
    }
    if (start == 0) {
      return false;
    }
    taken += size;
    if (chunks == starts.length) {
      starts = Arrays.copyOf(starts, chunks * 2);
      tops = Arrays.copyOf(tops, chunks * 2);
      ends = Arrays.copyOf(ends, chunks * 2);
      scanned = Arrays.copyOf(scanned, chunks * 2);
      sized = Arrays.copyOf(sized, chunks * 2);
    }
    starts[chunks] = start;
    tops[chunks] = start;
    ends[chunks] = start + size;
    scanned[chunks] = start;
    sized[chunks] = false;
    chunks++;
    return true;
  }

  private void refund(long size) {
    budget.notePeak();
    budget.refund(size);
  }

  /**
   * Takes over the charge of the space that the last copies here were made from; smaller from now
   * on. From here on that space is only to be cleared.
   */
  public void takeCharge(BumpSpace from) {
    refund(from.bytes - copied);
    copied = 0;
    from.successor = this;
  }

  /**
   * Tells that elements of this space and of another one are copied in the same collection, as
   * those of two generations are: pages are kept for copies of both.
   */
  public void copiedWith(BumpSpace other) {
    beside = other;
    other.beside = this;
  }

  /** Keeps pages for copies of all that is here, and of a chunk more, which is taken next. */
  private boolean keepRoom(long chunk) {
    BumpSpace other = beside;
    return other == null
        ? raw.reserveCopies(mostBytes() + chunk, 1, taken + chunk, 0)
        : raw.reserveCopies(
            mostBytes() + other.mostBytes() + chunk, 2, taken + other.taken + chunk, 0);
  }

  /** Bytes that are here, or can be without a further chunk. */
  private long mostBytes() {
    return bytes + (current < 0 ? 0 : ends[current] - tops[current]);
  }

  /** Calls back for each element, in the order of the chunks. */
  public void forEach(OffsetVisitor visitor) {
    for (int c = 0; c < chunks; c++) {
      long at = first(c);
      while (at < tops[c]) {
        // Read first: a visitor that forwards leaves the lower half, one that frees need not.
        long next = next(at);
        visitor.visit(at);
        at = next;
      }
    }
  }

  /**
   * Calls back for each element that was not scanned before, those that the visitor adds included:
   * Cheney's scan, with this space as the queue. The chunk that is filled comes first, since it
   * need not be the last one.
   */
  public void scan(OffsetVisitor visitor) {
    while (true) {
      int c = firstToScan;
      if (current >= 0 && scanned[current] < tops[current]) {
        c = current;
      } else if (c == chunks) {
        return;
      }
      while (scanned[c] < tops[c]) {
        long element = scanned[c] == starts[c] ? first(c) : scanned[c];
        scanned[c] = next(element);
        visitor.visit(element);
      }
      if (c == firstToScan) {
        firstToScan++;
      }
    }
  }

  private long first(int chunk) {
    return sized[chunk] ? starts[chunk] + Layout.WORD : starts[chunk];
  }

  private long next(long element) {
    return element + ((Layout.payloadWords(memory, element, memory.get(element)) + 1) << 3);
  }

  /** Fills all that is here with a word, so that whoever still looks gets no element. */
  public void fill(long word) {
    for (int c = 0; c < chunks; c++) {
      for (long at = starts[c]; at < tops[c]; at += 8) {
        memory.put(at, word);
      }
    }
  }

  /** Gives all chunks back; what is charged stays charged. */
  public void clear() {
    for (int c = 0; c < chunks; c++) {
      raw.givePages(starts[c], ends[c] - starts[c]);
    }
    chunks = 0;
    firstToScan = 0;
    current = -1;
    bytes = 0;
    taken = 0;
    copied = 0;
    if (successor != null && !successor.keepRoom(0)) {
      successor.current = -1; // what its chunk has left stays unused
      boolean _ = successor.keepRoom(0);
    }
    successor = null;
    Arrays.fill(byKind, 0);
  }

  /** Bytes of the elements here. */
  public long bytes() {
    return bytes;
  }

  /** Elements of a kind here. */
  public long elements(int kind) {
    return byKind[kind];
  }
}
