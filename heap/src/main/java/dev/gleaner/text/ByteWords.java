package dev.gleaner.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Bytes of a Java array read as words, the way they stand in a heap's memory. */
public final class ByteWords {
  public static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private ByteWords() {}

  /**
   * The last 0 to 7 bytes as a word, zero padded. Where the array has eight bytes around them it is
   * one read: a loop whose length differs from call to call is foreseen badly.
   */
  public static long tail(byte[] bytes, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    int unused = (8 - length) << 3;
    if (offset + 8 <= bytes.length) {
      long word = (long) LONG.get(bytes, offset);
      return LITTLE ? word << unused >>> unused : word >>> unused << unused;
    }
    if (offset + length >= 8) {
      long word = (long) LONG.get(bytes, offset + length - 8);
      return LITTLE ? word >>> unused : word << unused;
    }
    return shortTail(bytes, offset, length);
  }

  private static long shortTail(byte[] bytes, int offset, int length) {
    long word = 0;
    for (int i = 0; i < length; i++) {
      long b = bytes[offset + i] & 0xFF;
      word |= b << ((LITTLE ? i : 7 - i) << 3);
    }
    return word;
  }
}
