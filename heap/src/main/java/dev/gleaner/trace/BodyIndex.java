package dev.gleaner.trace;

import java.util.Arrays;
import org.apiguardian.api.API;

/**
 * Where the bodies of finalizers and callbacks are, by whose they are: under another collector they
 * run in another order.
 *
 * <p>A hash table from the sort and number of a finalizer or callback to its next body; those of
 * its later runs are chained to it. 20 bytes for a body, 32 to 64 for a finalizer that has any.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class BodyIndex {
  private long[] keys = new long[16];
  private int[] heads = new int[16];
  private int[] tails = new int[16];
  private int used;
  private long[] blocks = new long[16];
  private int[] places = new int[16];
  private int[] runs = new int[16];
  private int[] nexts = new int[16];
  private int count;

  BodyIndex() {}

  /** Adds the bodies of a block, and returns how many they are. */
  int add(TraceCursor in) {
    int before = count;
    while (in.hasMore()) {
      int op = in.op();
      if (op == TraceOp.BODY) {
        int sort = in.n();
        long number = in.l();
        add(key(sort, number), (int) in.l(), in.block(), in.place());
      } else {
        in.skip(op);
      }
    }
    return count - before;
  }

  private static long key(int sort, long number) {
    return (number << 1 | (sort & 1)) + 1; // 0 is free
  }

  private void add(long key, int run, long block, int place) {
    if (count == blocks.length) {
      blocks = Arrays.copyOf(blocks, count * 2);
      places = Arrays.copyOf(places, count * 2);
      runs = Arrays.copyOf(runs, count * 2);
      nexts = Arrays.copyOf(nexts, count * 2);
    }
    blocks[count] = block;
    places[count] = place;
    runs[count] = run;
    nexts[count] = -1;
    int slot = slot(key);
    if (keys[slot] == 0) {
      keys[slot] = key;
      heads[slot] = count;
      tails[slot] = count;
      if (++used > keys.length / 2) {
        grow();
      }
    } else {
      nexts[tails[slot]] = count;
      tails[slot] = count;
    }
    count++;
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldHeads = heads;
    int[] oldTails = tails;
    keys = new long[oldKeys.length * 2];
    heads = new int[keys.length];
    tails = new int[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != 0) {
        int slot = slot(oldKeys[i]);
        keys[slot] = oldKeys[i];
        heads[slot] = oldHeads[i];
        tails[slot] = oldTails[i];
      }
    }
  }

  private int slot(long key) {
    int mask = keys.length - 1;
    int slot = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & mask;
    while (keys[slot] != 0 && keys[slot] != key) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  /**
   * {@return the first body of a finalizer (0) or callback (1); -1 if it has none}
   *
   * @param sort 0 for finalizers, 1 for callbacks
   * @param number of its registration
   */
  public int first(int sort, long number) {
    long key = key(sort, number);
    int slot = slot(key);
    return keys[slot] == key ? heads[slot] : -1;
  }

  /**
   * {@return the body after this one of the same finalizer; -1 if there is none}
   *
   * @param body a body's index
   */
  public int next(int body) {
    return nexts[body];
  }

  /**
   * {@return which run of its finalizer a body is of, from 0}
   *
   * @param body a body's index
   */
  public int run(int body) {
    return runs[body];
  }

  /**
   * Goes to a body.
   *
   * @param body a body's index
   * @param cursor is put on its first operation
   */
  public void goTo(int body, TraceCursor cursor) {
    cursor.goTo(blocks[body], places[body]);
  }

  /** {@return how many there are} */
  public int size() {
    return count;
  }
}
