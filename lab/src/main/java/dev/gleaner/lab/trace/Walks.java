package dev.gleaner.lab.trace;

/**
 * The walks over properties that are under way in a replay: for the cursor that was recorded the
 * one of this heap, as the numbers of entries depend on when tables were compacted.
 *
 * <p>An entry goes with its walk from cursor to cursor, and ends with it; a walk that was given up
 * stays until its entry is the one not used for longest. A walk whose entry is gone goes on with
 * the cursor as recorded.
 */
final class Walks {
  private static final int MOST = 64;

  private final int[] slots = new int[MOST];
  private final long[] recorded = new long[MOST];
  private final long[] here = new long[MOST];

  /** How many there are; the last one was used last. */
  private int size;

  /** The cursor to go on with, and takes its entry away. */
  long here(int slot, long from) {
    int found = -1;
    for (int i = size - 1; i >= 0 && from != 0; i--) {
      if (recorded[i] == from && (found < 0 || slots[i] == slot)) {
        found = i;
        if (slots[i] == slot) {
          break;
        }
      }
    }
    if (found < 0) {
      return from;
    }
    long cursor = here[found];
    remove(found);
    return cursor;
  }

  /** Remembers an answer, unless the walk has ended. */
  void moved(int slot, long recordedAnswer, long answer) {
    if (answer < 0 || recordedAnswer < 0) {
      return;
    }
    if (size == MOST) {
      remove(0);
    }
    slots[size] = slot;
    recorded[size] = recordedAnswer;
    here[size] = answer;
    size++;
  }

  private void remove(int i) {
    int behind = size - i - 1;
    System.arraycopy(slots, i + 1, slots, i, behind);
    System.arraycopy(recorded, i + 1, recorded, i, behind);
    System.arraycopy(here, i + 1, here, i, behind);
    size--;
  }
}
