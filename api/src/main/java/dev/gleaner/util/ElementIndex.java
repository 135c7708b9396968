package dev.gleaner.util;

/**
 * A map from elements to numbers from 0 on: closed hashing with linear probes, at most half full;
 * removing closes the gap, so that it never needs to be rebuilt.
 */
public final class ElementIndex {
  private long[] elements = new long[16];
  private int[] numbers = new int[16];
  private int size;

  private static int home(long element, int mask) {
    return (int) (((element >>> 3) * 0x9E3779B97F4A7C15L) >>> 32) & mask;
  }

  private int place(long element) {
    int mask = elements.length - 1;
    int i = home(element, mask);
    while (elements[i] != 0 && elements[i] != element) {
      i = (i + 1) & mask;
    }
    return i;
  }

  /** The number of an element, or -1. */
  public int get(long element) {
    int i = place(element);
    return elements[i] == 0 ? -1 : numbers[i];
  }

  /** Sets an element's number; answers the one it had, or -1. */
  public int put(long element, int number) {
    int i = place(element);
    if (elements[i] == element) {
      int old = numbers[i];
      numbers[i] = number;
      return old;
    }
    if (size * 2 >= elements.length) {
      grow();
      i = place(element);
    }
    elements[i] = element;
    numbers[i] = number;
    size++;
    return -1;
  }

  private void grow() {
    long[] oldElements = elements;
    int[] oldNumbers = numbers;
    elements = new long[oldElements.length * 2];
    numbers = new int[oldElements.length * 2];
    for (int i = 0; i < oldElements.length; i++) {
      if (oldElements[i] != 0) {
        int at = place(oldElements[i]);
        elements[at] = oldElements[i];
        numbers[at] = oldNumbers[i];
      }
    }
  }

  /** Removes an element; answers its number, or -1. */
  public int remove(long element) {
    int gap = place(element);
    if (elements[gap] == 0) {
      return -1;
    }
    int number = numbers[gap];
    int mask = elements.length - 1;
    for (int i = (gap + 1) & mask; elements[i] != 0; i = (i + 1) & mask) {
      // What would be found from its home through the gap only moves into it.
      if (((i - home(elements[i], mask)) & mask) >= ((i - gap) & mask)) {
        elements[gap] = elements[i];
        numbers[gap] = numbers[i];
        gap = i;
      }
    }
    elements[gap] = 0;
    size--;
    return number;
  }
}
