package dev.gleaner.table;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.util.PlaceHash;
import java.util.Arrays;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * The identity hashes of elements that may move, for those that were asked for theirs.
 *
 * <pre>
 *   elements[i], hashes[i]     closed hashing by {@link PlaceHash}, linear probes, at most half full
 * </pre>
 *
 * <p>A hash is a number of its own that goes with the element, so that it says nothing about
 * places. Elements that stay where they are need no table: their place is their identity.
 */
public final class IdentityTable {
  private static final int GOLDEN = 0x9E3779B9;

  private static final int LEAST = 8;

  private final long multiplier;
  private long[] elements = new long[0];
  private int[] hashes = new int[0];

  /** The arrays of the last capacity, for the next time: a collection allocates nothing. */
  private long[] spareElements = new long[0];

  private int[] spareHashes = new int[0];
  private int size;
  private int last;

  /**
   * Makes an empty table.
   *
   * @param multiplier odd, and not known outside
   */
  public IdentityTable(long multiplier) {
    this.multiplier = multiplier;
  }

  /** The element's hash, the same for its life. */
  public int hash(long element) {
    if (size * 2 >= elements.length) {
      rebuild(Math.max(LEAST, elements.length * 2), e -> true, e -> e);
    }
    int i = find(element);
    if (elements[i] == 0) {
      last += GOLDEN; // an odd step: the hashes differ until 2^32 were given
      elements[i] = element;
      hashes[i] = last;
      size++;
    }
    return hashes[i];
  }

  /** The element's hash, 0 if nobody asked for it so far. */
  int hashIfKnown(long element) {
    return size == 0 ? 0 : hashes[find(element)];
  }

  public int size() {
    return size;
  }

  /** Calls back for each element. */
  public void forEach(OffsetVisitor visitor) {
    for (long e : elements) {
      if (e != 0) {
        visitor.visit(e);
      }
    }
  }

  /** Forgets the elements that are to go. */
  public void sweep(LongPredicate stays) {
    rebuild(fittingCapacity(), stays, e -> e);
  }

  /** Takes over the places to which the elements moved. */
  public void relocate(LongUnaryOperator moved) {
    rebuild(fittingCapacity(), e -> true, moved);
  }

  private int fittingCapacity() {
    return elements.length > LEAST && size * 16L < elements.length
        ? Math.max(LEAST, Integer.highestOneBit(size) * 4)
        : elements.length;
  }

  private void rebuild(int capacity, LongPredicate stays, LongUnaryOperator moved) {
    if (size == 0 && capacity == elements.length) {
      return;
    }
    long[] oldElements = elements;
    int[] oldHashes = hashes;
    boolean spare = spareElements.length == capacity;
    elements = spare ? spareElements : new long[capacity];
    hashes = spare ? spareHashes : new int[capacity];
    size = 0;
    for (int i = 0; i < oldElements.length; i++) {
      if (oldElements[i] != 0 && stays.test(oldElements[i])) {
        long element = moved.applyAsLong(oldElements[i]);
        int at = find(element);
        elements[at] = element;
        hashes[at] = oldHashes[i];
        size++;
      }
    }
    Arrays.fill(oldElements, 0);
    spareElements = oldElements;
    spareHashes = oldHashes;
  }

  private int find(long element) {
    int mask = elements.length - 1;
    int i = PlaceHash.of(element, multiplier) & mask;
    while (elements[i] != 0 && elements[i] != element) {
      i = (i + 1) & mask;
    }
    return i;
  }
}
