package dev.gleaner.space;

import java.util.Arrays;

/**
 * The classes of cells, a few of many, that ever had cells charged in advance, so that the figures
 * that leave those out, needed at each free, are made from few terms.
 *
 * <p>One Java thread adds to it; others that ask for figures may miss the latest, no more: an entry
 * stays where it is, so that the arrays of its class are theirs to see.
 */
final class GrantedClasses {
  private static final int CLASS_BITS = 8;

  private int[] classes = new int[8];

  /** Volatile, so that who sees it sees what it numbers, and the arrays of those classes. */
  private volatile int size;

  /** Adds a class of a kind, unless it is there. */
  void add(int kind, int sizeClass) {
    int entry = kind << CLASS_BITS | sizeClass;
    int n = size;
    for (int i = 0; i < n; i++) {
      if (classes[i] == entry) {
        return;
      }
    }
    if (n == classes.length) {
      classes = Arrays.copyOf(classes, n * 2);
    }
    classes[n] = entry;
    size = n + 1;
  }

  int size() {
    return size;
  }

  int kind(int i) {
    return classes[i] >> CLASS_BITS;
  }

  int sizeClass(int i) {
    return classes[i] & ((1 << CLASS_BITS) - 1);
  }
}
