package dev.gleaner.table;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import java.nio.ByteOrder;

/**
 * What two strings of a heap have to do with each other, by their bytes. They are padded with zeros
 * to whole words, and so compared by the word.
 */
public final class StringBytes {
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private StringBytes() {}

  /** The bytes of a string. */
  public static int length(Memory memory, long string) {
    return (int) memory.get(string + Layout.STRING_WORD);
  }

  /** Whether a string is interned: then no other one that is has the same bytes. */
  public static boolean isInterned(Memory memory, long string) {
    return (memory.get(string) & Layout.FLAG_UNINTERNED) == 0;
  }

  /** Whether two strings have the same bytes. */
  public static boolean equal(Memory memory, long a, long b) {
    int n = length(memory, a);
    if (a == b || n != length(memory, b)) {
      return a == b;
    }
    for (int i = 0; i < n; i += 8) {
      if (memory.get(a + Layout.STRING_BYTES + i) != memory.get(b + Layout.STRING_BYTES + i)) {
        return false;
      }
    }
    return true;
  }

  /** Below, equal to or above 0 as the bytes of one string, unsigned, are to those of another. */
  public static int compare(Memory memory, long a, long b) {
    int na = length(memory, a);
    int nb = length(memory, b);
    int n = Math.min(na, nb);
    for (int i = 0; i < n; i += 8) { // what is behind an end is zero: less, or decided by length
      long wa = memory.get(a + Layout.STRING_BYTES + i);
      long wb = memory.get(b + Layout.STRING_BYTES + i);
      if (wa != wb) {
        return LITTLE
            ? Long.compareUnsigned(Long.reverseBytes(wa), Long.reverseBytes(wb))
            : Long.compareUnsigned(wa, wb);
      }
    }
    return Integer.compare(na, nb);
  }
}
