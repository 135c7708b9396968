package dev.gleaner.util;

/**
 * A map from an element to entries of weak tables, each a word and a number: lists through arrays,
 * with one {@link ElementIndex} for their heads.
 *
 * <pre>
 *   element --heads--> i: words[i], numbers[i] --next--> j: words[j], numbers[j] --next--> ... -1
 * </pre>
 *
 * <p>An entry takes 48 bytes at most, whatever is entered, and entering one never takes long.
 */
public final class EntryIndex {
  private ElementIndex heads = new ElementIndex();
  private LongParts elements = new LongParts();
  private LongParts words = new LongParts();
  private IntParts numbers = new IntParts();
  private IntParts next = new IntParts();
  private int size;

  /** Enters a word and a number under an element. */
  public void add(long element, long word, int number) {
    elements.ensure(size + 1);
    words.ensure(size + 1);
    numbers.ensure(size + 1);
    next.ensure(size + 1);
    elements.set(size, element);
    words.set(size, word);
    numbers.set(size, number);
    next.set(size, heads.put(element, size));
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
    return next.get(entry);
  }

  public long element(int entry) {
    return elements.get(entry);
  }

  public long word(int entry) {
    return words.get(entry);
  }

  public int number(int entry) {
    return numbers.get(entry);
  }

  /** How many were entered since it was empty; each is one of the numbers below. */
  public int size() {
    return size;
  }

  /** Forgets all, and gives the memory back. */
  public void clear() {
    if (size > 0) {
      heads = new ElementIndex();
      elements = new LongParts();
      words = new LongParts();
      numbers = new IntParts();
      next = new IntParts();
      size = 0;
    }
  }
}
