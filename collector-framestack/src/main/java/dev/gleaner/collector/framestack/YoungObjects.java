package dev.gleaner.collector.framestack;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.Memory;
import java.util.Arrays;

/**
 * The young elements that are no records, in the order in which they were made: objects, whose
 * tables are to be freed when they die, and functions.
 *
 * <p>The list is in the JVM's heap and not charged: 4 bytes an element, as a distance from the
 * region's start in words, so that it stays right when the region moves.
 */
final class YoungObjects {
  private static final int FIRST = 64;

  /** Entries of a list that is kept when the region is empty. */
  private static final int KEPT = 4096;

  private final Memory memory;
  private int[] words = new int[FIRST];
  private int count;

  /** How many of them are functions: other Java threads ask, which must not read the memory. */
  private int functions;

  YoungObjects(Memory memory) {
    this.memory = memory;
  }

  /** Whether elements of a kind are kept here. */
  static boolean isFor(int kind) {
    return kind == Layout.OBJECT || kind == Layout.FUNCTION;
  }

  /** Adds an element, whose header need not be written yet. */
  void add(long start, long element, int kind) {
    if (count == words.length) {
      words = Arrays.copyOf(words, count * 2);
    }
    words[count++] = (int) ((element - start) >>> 3);
    functions += kind == Layout.FUNCTION ? 1 : 0;
  }

  /** Takes note that an element of a kind moves, of which only a forwarding header stays. */
  void moved(int kind) {
    functions -= kind == Layout.FUNCTION ? 1 : 0;
  }

  /** Forgets those from an offset on, and tells of each; {@link #moved} ones are among them. */
  void dropFrom(long start, long offset, OffsetVisitor visitor) {
    while (count > 0 && at(start, count - 1) >= offset) {
      long e = at(start, --count);
      functions -= Layout.kind(memory.get(e)) == Layout.FUNCTION ? 1 : 0;
      visitor.visit(e);
    }
  }

  /** Forgets all, and tells of each: of what moved the header is none any more. */
  void dropAll(long start, OffsetVisitor visitor) {
    functions = 0;
    while (count > 0) {
      visitor.visit(at(start, --count));
    }
  }

  /** How many there are of a kind, dead ones included. */
  int count(int kind) {
    return kind == Layout.FUNCTION ? functions : kind == Layout.OBJECT ? count - functions : 0;
  }

  int count() {
    return count;
  }

  /** Forgets all. */
  void clear() {
    count = 0;
    functions = 0;
    if (words.length > KEPT) {
      words = new int[FIRST];
    }
  }

  private long at(long start, int i) {
    return start + ((words[i] & 0xFFFF_FFFFL) << 3);
  }
}
