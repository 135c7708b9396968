package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Machine;

/**
 * Sorts a table in place by quicksort (Hoare's partition, the median of three as pivot; Sedgewick,
 * "Implementing Quicksort Programs", 1978). The smaller part is sorted first, so at most 31 calls
 * are nested; it compares what lua5.4 compares, so that equal elements end in the same places.
 *
 * <p>An order that contradicts itself lets a scan run out of its part, which is an error; the
 * comparisons are charged, so one that is merely bad meets the limits.
 */
final class Sorter {
  /** How many slots it needs. */
  static final int SLOTS = 8;

  /** From this size on the pivot is not the one in the middle, once a partition was bad. */
  private static final int LARGE = 100;

  private static final int BAD = 128;

  private final TableLibrary tables;
  private final Arguments a;
  private final Machine machine;
  private final Mutator t;
  private final boolean raw;
  private final boolean byFunction;
  private final int key;
  private final int pivot;
  private final int x;
  private final int y;
  private final int call;
  private long seed;

  Sorter(
      TableLibrary tables,
      Machine machine,
      Arguments a,
      boolean raw,
      boolean byFunction,
      int slots) {
    this.tables = tables;
    this.a = a;
    this.machine = machine;
    this.t = a.mutator();
    this.raw = raw;
    this.byFunction = byFunction;
    this.key = slots;
    this.pivot = slots + 1;
    this.x = slots + 2;
    this.y = slots + 3;
    this.call = slots + 4;
  }

  /** Sorts the elements from one index to another one, both included. */
  void sort(int from, int to) {
    int low = from;
    int high = to;
    while (low < high) {
      order(low, high);
      if (high - low == 1) {
        return;
      }
      int middle = middle(low, high);
      get(x, middle);
      get(y, low);
      if (less(x, y)) {
        set(middle, y);
        set(low, x);
      } else {
        get(y, high);
        if (less(y, x)) {
          set(middle, y);
          set(high, x);
        }
      }
      if (high - low == 2) {
        return;
      }
      get(pivot, middle);
      get(y, high - 1);
      set(middle, y);
      set(high - 1, pivot);
      int place = partition(low, high);
      int smaller;
      if (place - low < high - place) {
        sort(low, place - 1);
        smaller = place - low;
        low = place + 1;
      } else {
        sort(place + 1, high);
        smaller = high - place;
        high = place - 1;
      }
      if ((high - low) / BAD > smaller) {
        seed = seed * 6364136223846793005L + 1442695040888963407L;
      }
    }
  }

  /** Puts two elements in order. */
  private void order(int low, int high) {
    get(x, low);
    get(y, high);
    if (less(y, x)) {
      set(low, y);
      set(high, x);
    }
  }

  private int middle(int low, int high) {
    if (seed == 0 || high - low <= LARGE) {
      return (low + high) >>> 1;
    }
    int quarter = (high - low) / 4;
    return low + quarter + (int) Long.remainderUnsigned(seed >>> 16, quarter * 2L);
  }

  /** Partitions what is between; the pivot is before the last one. Answers where it ends. */
  private int partition(int low, int high) {
    int i = low;
    int j = high - 1;
    while (true) {
      get(x, ++i);
      while (less(x, pivot)) {
        if (i == high - 1) {
          throw a.error("invalid order function for sorting");
        }
        get(x, ++i);
      }
      get(y, --j);
      while (less(pivot, y)) {
        if (j < i) {
          throw a.error("invalid order function for sorting");
        }
        get(y, --j);
      }
      if (j < i) {
        set(high - 1, x);
        set(i, pivot);
        return i;
      }
      set(i, y);
      set(j, x);
    }
  }

  private void get(int d, int i) {
    tables.get(raw, d, 1, i, key);
  }

  private void set(int i, int s) {
    tables.set(raw, 1, i, s, key);
  }

  private boolean less(int p, int q) {
    a.work(1);
    if (!byFunction) {
      return machine.lessThan(p, q);
    }
    t.copy(call, 2);
    t.copy(call + 1, p);
    t.copy(call + 2, q);
    machine.call(call, 2, 1);
    return StringLibrary.isTrue(t, call);
  }
}
