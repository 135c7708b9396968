package dev.gleaner.mark;

import dev.gleaner.space.MarkBits;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * A remembered set: offsets of holders or of slots, each once, in the order in which they came.
 *
 * <pre>
 *   offsets   | a | b | c | …          dense, what a minor collection goes through
 *   bits      one for each 8 bytes      says whether an offset is in already
 * </pre>
 *
 * <p>An offset takes 8 bytes of the JVM's heap; the bits take 1/64 of the memory up to the highest
 * offset that was ever in. A collector of which {@link dev.gleaner.layout.Layout#FLAG_UNLOGGED}
 * says that a holder is not in the set needs no second look; for slots there is no such flag.
 */
public final class RememberedSet implements AutoCloseable {
  private static final int FIRST = 64;

  private final MarkBits bits;
  private long covered;
  private long[] offsets = new long[0];
  private int size;

  /**
   * Makes an empty set.
   *
   * @param bytes of the heap's memory, at most
   * @param reserve whether address space may be reserved for the bits
   */
  public RememberedSet(long bytes, boolean reserve) {
    bits = new MarkBits(bytes, reserve);
  }

  /**
   * Adds an offset.
   *
   * @param offset a multiple of 8 in the heap's memory
   * @return whether it is new
   * @throws OutOfMemoryError if there is no memory for the bits
   */
  public boolean add(long offset) {
    if (offset >= covered) {
      cover(offset);
    } else if (bits.get(offset)) {
      return false;
    }
    bits.set(offset);
    if (size == offsets.length) {
      offsets = Arrays.copyOf(offsets, Math.max(FIRST, size * 2));
    }
    offsets[size++] = offset;
    return true;
  }

  private void cover(long offset) {
    if (!bits.ensure(offset + 8)) {
      throw new OutOfMemoryError("no memory for the remembered set's bits");
    }
    covered = offset + 8;
  }

  /**
   * {@return whether an offset is in the set}
   *
   * @param offset a multiple of 8 in the heap's memory
   */
  public boolean contains(long offset) {
    return offset < covered && bits.get(offset);
  }

  /** {@return how many offsets are in the set} */
  public int size() {
    return size;
  }

  /**
   * Asks of each offset whether it is to stay, in order. The predicate must not change the set.
   *
   * @param stays answers false for what is to go
   */
  public void retain(LongPredicate stays) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      long offset = offsets[i];
      if (stays.test(offset)) {
        offsets[kept++] = offset;
      } else {
        bits.clear(offset);
      }
    }
    size = kept;
  }

  /** Removes all offsets. */
  public void clear() {
    retain(offset -> false);
  }

  /** Gives the memory of the bits back; the set is not used any more. */
  @Override
  public void close() {
    bits.close();
  }
}
