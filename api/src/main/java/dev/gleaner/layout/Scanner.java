package dev.gleaner.layout;

import dev.gleaner.memory.Memory;

/** Finds the words of an element, and of what it owns, that may hold references. */
public final class Scanner {
  private Scanner() {}

  /** Told of the place of a tagged value. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Takes note of a word that holds a tagged value.
     *
     * @param offset of the word
     */
    void place(long offset);
  }

  /**
   * Calls back for each word; for where speed does not count: a collector's own loop is faster.
   *
   * @param m the heap's memory
   * @param element its offset
   * @param visitor is told of each; may change the word
   */
  public static void forEachPlace(Memory m, long element, Visitor visitor) {
    long header = m.get(element);
    int kind = Layout.kind(header);
    if (!Layout.hasReferences(kind)) {
      return;
    }
    long end = element + 8 + (Layout.payloadWords(m, element, header) << 3);
    range(element + 8, end, visitor);
    if (kind == Layout.OBJECT) {
      long table = Values.raw(m.get(element + Layout.OBJECT_TABLE));
      if (table != 0) {
        range(table + TableLayout.FIRST, TableLayout.scanEnd(m, table), visitor);
      }
    } else if (kind == Layout.THREAD) {
      long stack = Values.raw(m.get(element + ThreadLayout.STACK));
      range(stack, stack + (Values.raw(m.get(element + ThreadLayout.TOP)) << 3), visitor);
      long calls = Values.raw(m.get(element + ThreadLayout.CALLS));
      long used = Values.raw(m.get(element + ThreadLayout.CALLS_USED));
      range(calls, calls + used * ThreadLayout.CALL_WORDS * 8, visitor);
    }
  }

  private static void range(long from, long end, Visitor visitor) {
    for (long at = from; at < end; at += 8) {
      visitor.place(at);
    }
  }
}
