package dev.gleaner.mark;

import dev.gleaner.memory.Memory;

/**
 * A card table: for every 512 bytes of a heap's memory one byte that says whether a reference may
 * have been stored there since the card was cleaned.
 *
 * <pre>
 *   memory   | card 0: 512 bytes | card 1 | card 2 | …
 *   bytes    | 0                 | 1      | 0      | …      1: dirty
 * </pre>
 *
 * <p>A store dirties a card at the cost of one byte, however often; a minor collection scans all of
 * a dirty card. A {@link RememberedSet} of slots is exact, and takes a look at a bit and 8 bytes a
 * slot. Cards suit large elements that are stored to all over.
 */
public final class CardTable implements AutoCloseable {
  private static final int SHIFT = 9;

  /** Bytes of a card. */
  public static final int CARD = 1 << SHIFT;

  private static final long INITIAL = 512;
  private static final int WORD = 8;

  private final Memory bytes;

  /** Dirty cards lie below. */
  private long end;

  /**
   * Makes a table, all of it clean.
   *
   * @param memory bytes of the heap's memory, at most
   * @param reserve whether address space may be reserved for it
   */
  public CardTable(long memory, boolean reserve) {
    bytes = Memory.openBeside((memory >>> SHIFT) + WORD + 1, INITIAL, reserve);
  }

  /**
   * Makes a card dirty.
   *
   * @param place any offset on it
   * @throws OutOfMemoryError if there is no memory for the table
   */
  public void dirty(long place) {
    long card = place >>> SHIFT;
    if (card >= end) {
      cover(card);
    }
    bytes.putByte(card, (byte) 1);
  }

  private void cover(long card) {
    long wanted = (card & -WORD) + WORD;
    if (!bytes.ensure(wanted)) {
      throw new OutOfMemoryError("no memory for the card table");
    }
    end = wanted;
  }

  /**
   * {@return whether a card is dirty}
   *
   * @param place any offset on it
   */
  public boolean isDirty(long place) {
    long card = place >>> SHIFT;
    return card < end && bytes.getByte(card) != 0;
  }

  /** Told of a card. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Looks at a dirty card.
     *
     * @param start its first byte's offset
     * @param end its last byte's offset, plus 1
     * @return whether it stays dirty
     */
    boolean card(long start, long end);
  }

  /**
   * Calls back for each dirty card, in the order of memory, and cleans those that do not stay.
   *
   * @param visitor may make cards dirty; those behind the one it looks at are visited in this call
   */
  public void forEach(Visitor visitor) {
    for (long word = 0; word < end; word += WORD) {
      if (bytes.get(word) == 0) {
        continue;
      }
      for (long card = word; card < word + WORD; card++) {
        if (bytes.getByte(card) != 0) {
          bytes.putByte(card, (byte) 0);
          if (visitor.card(card << SHIFT, (card + 1) << SHIFT)) {
            bytes.putByte(card, (byte) 1);
          }
        }
      }
    }
  }

  /** Makes all cards clean. */
  public void clear() {
    bytes.zero(0, end);
    end = 0;
  }

  /** Gives the table's memory back; it is not used any more. */
  @Override
  public void close() {
    bytes.close();
  }
}
