package dev.gleaner.table;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import java.nio.ByteOrder;

/**
 * Comparisons of strings by their bytes. Strings are padded with zeros to whole words, so the
 * comparisons go word by word.
 */
public final class StringBytes {
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private StringBytes() {}

  /** Returns the number of bytes of a string. */
  public static int length(Memory memory, long string) {
    return (int) memory.get(string + Layout.STRING_WORD);
  }

  /** Whether a string is interned; no two interned strings have the same bytes. */
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

  /** Compares two strings by their unsigned bytes; returns a number below, equal to or above 0. */
  public static int compare(Memory memory, long a, long b) {
    int na = length(memory, a);
    int nb = length(memory, b);
    int n = Math.min(na, nb);
    for (int i = 0; i < n; i += 8) { // zeros pad words: less, or decided by length
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
