package dev.gleaner.collector.semispace;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.space.PageAllocator;
import dev.gleaner.space.RawSpace;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One of the two halves, in three parts after what a collection does with an element.
 *
 * <pre>
 *   slots    RECORD, FUNCTION                        every word is a tagged value, and no header looks like
 *                                                    a reference: scanned as one row of words
 *   opaque   STRING, BUFFER                          never scanned
 *   owners   OBJECT, DYNAMIC_BUFFER, THREAD, NATIVE  scanned with what they own, which the dead give back
 * </pre>
 *
 * <p>So the dead are looked at only where they own something.
 *
 * <p>Pages are kept for copies of whatever lies here ({@link RawSpace#reserveCopies}).
 */
final class CopySpaces {
  private static final int PARTS = 3;

  private final RawSpace raw;
  private final CopySpaces other;
  final CopySpace slots;
  final CopySpace opaque;
  final CopySpace owners;
  private final PageSet pages = new PageSet();
  private final CopySpace[] ofKind = new CopySpace[Layout.KINDS];

  /** Elements of each kind. */
  final long[] elements = new long[Layout.KINDS];

  /** Makes both halves. */
  CopySpaces(RawSpace raw) {
    this(raw, null);
  }

  private CopySpaces(RawSpace raw, @Nullable CopySpaces first) {
    this.raw = raw;
    slots = new CopySpace(raw, pages);
    opaque = new CopySpace(raw, pages);
    owners = new CopySpace(raw, pages);
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      ofKind[kind] =
          Layout.ownsResources(kind) ? owners : Layout.hasReferences(kind) ? slots : opaque;
    }
    other = first == null ? new CopySpaces(raw, this) : first;
  }

  /** The other half. */
  CopySpaces other() {
    return other;
  }

  /**
   * Takes memory for elements of a kind, of which a collection must be able to make copies.
   *
   * @return where it is, or 0 if there is none
   */
  long take(int kind, long bytes) {
    CopySpace s = ofKind[kind];
    if (bytes > s.left()) {
      long least = PageAllocator.pagesFor(bytes) << PageAllocator.PAGE_SHIFT;
      long size = Math.max(least, s.nextChunk());
      while (!keepRoom(size) || !s.addChunk(size)) {
        if (size == least) {
          return 0;
        }
        size = Math.max(least, size >> 1);
      }
    }
    return s.take(bytes);
  }

  /**
   * Keeps pages for copies of all that is here; where they do not do for what the last chunks have
   * left besides, that stays unused.
   */
  void keepRoom() {
    if (!keepRoom(0)) {
      slots.seal();
      opaque.seal();
      owners.seal();
      boolean kept = keepRoom(0);
      assert kept;
    }
  }

  /** Keeps pages for a chunk more, too, which is taken next. The other half goes before copies. */
  private boolean keepRoom(long chunk) {
    long left = slots.left() + opaque.left() + owners.left();
    return raw.reserveCopies(bytes() + left + chunk, PARTS, taken() + chunk, other.taken());
  }

  private long taken() {
    return slots.taken() + opaque.taken() + owners.taken();
  }

  /** Calls back for every chunk. */
  void forEachChunk(CopySpace.ChunkVisitor visitor) {
    slots.forEachChunk(visitor);
    opaque.forEachChunk(visitor);
    owners.forEachChunk(visitor);
  }

  CopySpace ofKind(int kind) {
    return ofKind[kind];
  }

  /** Whether an element lies here. */
  boolean contains(long element) {
    return pages.contains(element);
  }

  void forEach(OffsetVisitor visitor) {
    slots.forEach(visitor);
    opaque.forEach(visitor);
    owners.forEach(visitor);
  }

  /** Bytes of all parts, gaps included. */
  long bytes() {
    return slots.bytes() + opaque.bytes() + owners.bytes();
  }

  /** The elements of all kinds. */
  long elements() {
    long sum = 0;
    for (long n : elements) {
      sum += n;
    }
    return sum;
  }

  /** Gives everything back. */
  void clear() {
    slots.clear();
    opaque.clear();
    owners.clear();
    pages.clear();
    Arrays.fill(elements, 0);
  }

  /** Fills everything with a word, so that whoever still looks gets no element. */
  void fill(long word) {
    slots.fill(word);
    opaque.fill(word);
    owners.fill(word);
  }
}
