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
      length = Math.max(length, index + 1);
      return false;
    }
    int entries = properties.size() - array.size();
    List<Integer> sparse = sparse(properties);
    if (!goesToArray(index) && sparse.size() + 1 >= due && sparse.size() + 1 >= entries >> 3) {
      count(index, sparse, moved);
    }
    length = Math.max(length, index + 1);
    return goesToArray(index) && array.add(index);
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
  void written(int end) {
    bound = array.isEmpty() ? 0 : bound;
    length = Math.max(length, end);
  }

  /** Removes an index that is not among the properties any more. */
  void remove(int index, Map<Object, Object> properties) {
    if (array.remove(index)) {
      bound = array.isEmpty() ? 0 : bound;
    } else if (sparse(properties).isEmpty()) {
      due = FIRST_DUE;
    }
  }

  /** Takes note that what was in the array are entries now. */
  void leaveArray() {
    bound = array.isEmpty() ? bound : 0;
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
    if (length < 2 || properties.containsKey(length - 1)) {
      return Math.max(0, length - 1);
    }
    int all = array.size() + sparse(properties).size();
    if (all > 0 && properties.containsKey(all) && !properties.containsKey(all + 1)) {
      return all;
    }
    int low = 0;
    int high = length - 1;
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
