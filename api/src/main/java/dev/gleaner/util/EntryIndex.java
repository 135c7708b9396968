package dev.gleaner.util;

import java.util.Arrays;

/**
 * A map from an element to entries of weak tables, each a word and a number: lists through arrays,
 * with one {@link ElementIndex} for their heads.
 *
 * <pre>
 *   element --heads--> i: words[i], numbers[i] --next--> j: words[j], numbers[j] --next--> ... -1
 * </pre>
 *
 * <p>An entry takes 48 bytes at most, whatever is entered.
 */
public final class EntryIndex {
  private static final int LEAST = 16;

  private ElementIndex heads = new ElementIndex();
  private long[] elements = new long[LEAST];
  private long[] words = new long[LEAST];
  private int[] numbers = new int[LEAST];
  private int[] next = new int[LEAST];
  private int size;

  /** Enters a word and a number under an element. */
  public void add(long element, long word, int number) {
    if (size == words.length) {
      int n = size * 2;
      elements = Arrays.copyOf(elements, n);
      words = Arrays.copyOf(words, n);
      numbers = Arrays.copyOf(numbers, n);
      next = Arrays.copyOf(next, n);
    }
    elements[size] = element;
    words[size] = word;
    numbers[size] = number;
    next[size] = heads.put(element, size);
    size++;
  }

  /** The first of an element's entries, or -1. */
  public int first(long element) {
    return heads.get(element);
  }

  /** Takes an element's list out; answers its first entry, or -1. */
  public int take(long element) {
    return heads.remove(element);
  }

  /** The next one of the same element, or -1. */
  public int next(int entry) {
    return next[entry];
  }

  public long element(int entry) {
    return elements[entry];
  }

  public long word(int entry) {
    return words[entry];
  }

  public int number(int entry) {
    return numbers[entry];
  }

  /** How many were entered since it was empty; each is one of the numbers below. */
  public int size() {
    return size;
  }

  /** Forgets all; keeps about as much memory as was needed now. */
  public void clear() {
    if (size > 0) {
      heads = new ElementIndex();
    }
    if (words.length > LEAST && size < words.length >> 2) {
      int n = Math.max(LEAST, words.length >> 1);
      elements = new long[n];
      words = new long[n];
      numbers = new int[n];
      next = new int[n];
    }
    size = 0;
  }
}
