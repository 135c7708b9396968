package dev.gleaner.kit.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Which integer keys of an object are in its array, by the rule of property tables, written once
 * more: so the order of every walk is known, which depends on nothing else.
 */
final class ShadowIndexes {
  private static final int FIRST_DUE = 4;
  private static final int MOST_BOUND = 23;

  final TreeSet<Integer> array = new TreeSet<>();
  int length;

  /** Somebody has walked, so keys stay where they are. */
  boolean fixed;

  private int bound;
  private int end;
  private boolean spread;
  private int due = FIRST_DUE;

  static boolean isIndex(Object key) {
    return key instanceof Integer i && i >= 0 && i != Integer.MAX_VALUE;
  }

  /** The next number of three bits and zeros behind. */
  private static int roundedUp(int n) {
    int unit = 1;
    while (unit * 7 < n) {
      unit *= 2;
    }
    return Math.max(FIRST_DUE, (n + unit - 1) / unit * unit);
  }

  private static int ceilLog(int n) {
    return n <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(n - 1);
  }

  private boolean goesToArray(int index) {
    return isDense(index, 0);
  }

  /**
   * Puts an index that is not there.
   *
   * @param isWeak it is a weak table's, whose indexes are entries
   * @param moved told of each that moves to the array
   * @return whether it is in the array
   */
  boolean put(int index, Map<Object, Object> properties, boolean isWeak, Consumer<Integer> moved) {
    if (isWeak) {
      noteSpread(index, false);
      length = Math.max(length, index + 1);
      return false;
    }
    int entries = properties.size() - array.size();
    List<Integer> sparse = sparse(properties);
    if (!goesToArray(index) && sparse.size() + 1 >= due && sparse.size() + 1 >= entries >> 3) {
      count(index, sparse, moved);
    }
    length = Math.max(length, index + 1);
    boolean inArray = goesToArray(index);
    noteSpread(index, inArray);
    end = inArray ? Math.max(end, index + 1) : end;
    return inArray && array.add(index);
  }

  private void noteSpread(int index, boolean inArray) {
    int last = Math.max(0, end - 1);
    int n = fromOne();
    if (index > last && n != (inArray ? index - 1 : last)) {
      spread = true;
    }
  }

  private int fromOne() {
    return array.size() - (array.contains(0) ? 1 : 0);
  }

  private static int roundUp(int n) {
    return n == 0 ? 0 : 1 << ceilLog(n);
  }

  private List<Integer> sparse(Map<Object, Object> properties) {
    List<Integer> found = new ArrayList<>();
    for (Object key : properties.keySet()) {
      if (isIndex(key) && !array.contains(key)) {
        found.add((Integer) key);
      }
    }
    return found;
  }

  private void count(int index, List<Integer> sparse, Consumer<Integer> moved) {
    int found = 0;
    for (int log = bound + 1; log <= MOST_BOUND; log++) {
      int end = 1 << log;
      long n = array.size() + sparse.stream().filter(i -> i < end).count() + (index < end ? 1 : 0);
      if (n > end >> 1) {
        found = log;
      }
    }
    int left = sparse.size();
    if (found > 0) {
      bound = found;
      for (int i : sparse) {
        if (!fixed && i < 1 << bound) {
          array.add(i);
          end = Math.max(end, i + 1);
          moved.accept(i);
          left--;
        }
      }
    }
    due = roundedUp(left + 1 + (left + 1) / 2);
  }

  boolean areAllInArray(Map<Object, Object> properties) {
    return sparse(properties).isEmpty();
  }

  /** Whether an index goes to the array once so many more are there. */
  boolean isDense(int index, int more) {
    return index < 1 << bound || index < 2L * (array.size() + more) + 2;
  }

  /** Takes note of a range of the array that was written as a whole. */
  void written(int to) {
    checkEmpty();
    end = Math.max(end, to);
    length = Math.max(length, to);
  }

  private void checkEmpty() {
    if (array.isEmpty()) {
      bound = 0;
      spread = false;
    }
  }

  /** Removes an index that is not among the properties any more. */
  void remove(int index, Map<Object, Object> properties) {
    if (array.remove(index)) {
      checkEmpty();
    } else if (sparse(properties).isEmpty()) {
      due = FIRST_DUE;
    }
  }

  /** Takes note that what was in the array are entries now. */
  void leaveArray() {
    bound = array.isEmpty() ? bound : 0;
    spread &= array.isEmpty();
    array.clear();
  }

  /** Sets the length, when what is beyond it was removed. */
  void setLength(int n) {
    if (n < length && n < 1 << bound) {
      bound = Math.min(bound, ceilLog(n));
    }
    length = n;
  }

  int border(Map<Object, Object> properties) {
    int last = Math.max(0, end - 1);
    int present = fromOne();
    boolean isSpread = spread && last != present;
    int limit = last;
    if (last == 0 || isSpread || !properties.containsKey(last)) {
      if (!isSpread && last > 1 && properties.containsKey(last - 1)) {
        return last - 1;
      }
      int all = present > 0 ? present : sparse(properties).size();
      if (all == 0
          || (properties.containsKey(all)
              && !properties.containsKey(all + 1)
              && (all == 1 || properties.containsKey(all - 1)))) {
        return all;
      }
      limit = isSpread ? roundUp(present) : last;
      if (limit > 0 && !properties.containsKey(limit)) {
        return borderBetween(properties, 0, limit);
      }
    }
    if (!properties.containsKey(limit + 1)) {
      return limit;
    }
    int high = Math.max(1, limit);
    int low;
    do {
      low = high;
      high = (int) Math.min(2L * high, Integer.MAX_VALUE);
    } while (high < Integer.MAX_VALUE && properties.containsKey(high));
    return borderBetween(properties, low, high);
  }

  private static int borderBetween(Map<Object, Object> properties, int present, int absent) {
    int low = present;
    int high = absent;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (properties.containsKey(middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
