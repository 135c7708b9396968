package dev.gleaner.layout;

import dev.gleaner.memory.Memory;

/**
 * The interior of an element: the words of it, and of what it owns, that may hold references. All
 * that trace, copy, count or check know it from here.
 *
 * <pre>
 *   STRING, BUFFER, DYNAMIC_BUFFER, NATIVE   nothing
 *   RECORD, FUNCTION                         payload
 *   OBJECT                                   payload | block 0: entries and array of the property table
 *   THREAD                                   payload | block 0: value stack | block 1: call stack
 * </pre>
 *
 * <p>Every word of a range is a tagged value. A block that there is not has an empty range. Where
 * speed counts, take the ranges; {@link #forEachPlace} is for all else:
 *
 * <pre>
 *   if (Layout.hasReferences(kind)) {
 *     scanRange(element + Layout.WORD, Scanner.end(memory, element, header));
 *     for (int b = 0; b &lt; Scanner.blocks(kind); b++) {
 *       scanRange(Scanner.blockStart(memory, element, kind, b), Scanner.blockEnd(memory, element, kind, b));
 *     }
 *   }
 * </pre>
 */
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
   * {@return where the payload of an element ends}
   *
   * @param m the heap's memory
   * @param element its offset
   * @param header its header, which was read already
   */
  public static long end(Memory m, long element, long header) {
    return element + Layout.WORD + (Layout.payloadWords(m, element, header) << 3);
  }

  /**
   * {@return how many blocks that hold values an element of a kind owns at most}
   *
   * @param kind one of the kinds of {@link Layout}
   */
  public static int blocks(int kind) {
    return kind == Layout.THREAD ? 2 : kind == Layout.OBJECT ? 1 : 0;
  }

  /**
   * {@return where the values of a block begin}
   *
   * @param m the heap's memory
   * @param element that owns the block
   * @param kind of the element
   * @param block its number, below {@link #blocks}
   */
  public static long blockStart(Memory m, long element, int kind, int block) {
    if (kind == Layout.THREAD) {
      return block == 0 ? ThreadLayout.stackStart(m, element) : ThreadLayout.callsStart(m, element);
    }
    long table = table(m, element);
    return table == 0 ? 0 : table + TableLayout.FIRST;
  }

  /**
   * {@return where the values of a block end, which is where they begin if there are none}
   *
   * @param m the heap's memory
   * @param element that owns the block
   * @param kind of the element
   * @param block its number, below {@link #blocks}
   */
  public static long blockEnd(Memory m, long element, int kind, int block) {
    if (kind == Layout.THREAD) {
      return block == 0 ? ThreadLayout.stackEnd(m, element) : ThreadLayout.callsEnd(m, element);
    }
    long table = table(m, element);
    return table == 0 ? 0 : TableLayout.scanEnd(m, table);
  }

  /** The table of an object that holds what is in it; 0 for a weak one. */
  private static long table(Memory m, long object) {
    long table = Values.raw(m.get(object + Layout.OBJECT_TABLE));
    return (table & Layout.WEAK_MASK) == 0 ? table : 0;
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
    range(element + Layout.WORD, end(m, element, header), visitor);
    for (int b = 0; b < blocks(kind); b++) {
      range(blockStart(m, element, kind, b), blockEnd(m, element, kind, b), visitor);
    }
  }

  private static void range(long from, long end, Visitor visitor) {
    for (long at = from; at < end; at += Layout.WORD) {
      visitor.place(at);
    }
  }
}
