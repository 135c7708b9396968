package dev.gleaner.text;

import dev.gleaner.memory.Memory;

/** UTF-8, with unpaired surrogates as three bytes each (WTF-8), so that Java strings round-trip. */
public final class Utf8 {
  private Utf8() {}

  /** Bytes of the character that begins with this byte. */
  public static int length(byte first) {
    return first >= 0 ? 1 : (first & 0xE0) == 0xC0 ? 2 : (first & 0xF0) == 0xE0 ? 3 : 4;
  }

  /** Encodes from {@code first} on, where as many ASCII bytes are already written. */
  public static int encode(String text, int first, byte[] to) {
    int n = first;
    for (int i = first; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (c < 0x80) {
        to[n++] = (byte) c;
      } else if (c < 0x800) {
        to[n++] = (byte) (0xC0 | (c >> 6));
        to[n++] = (byte) (0x80 | (c & 0x3F));
      } else if (c < 0x10000) {
        to[n++] = (byte) (0xE0 | (c >> 12));
        to[n++] = (byte) (0x80 | ((c >> 6) & 0x3F));
        to[n++] = (byte) (0x80 | (c & 0x3F));
      } else {
        to[n++] = (byte) (0xF0 | (c >> 18));
        to[n++] = (byte) (0x80 | ((c >> 12) & 0x3F));
        to[n++] = (byte) (0x80 | ((c >> 6) & 0x3F));
        to[n++] = (byte) (0x80 | (c & 0x3F));
      }
    }
    return n;
  }

  /**
   * Counts the characters of bytes in a heap's memory.
   *
   * @return how many, or the complement of the index at which the bytes are no UTF-8, or encode the
   *     second half of a surrogate pair as a character of its own
   */
  public static int count(Memory mem, long at, int length) {
    int n = 0;
    boolean high = false;
    for (int i = 0; i < length; n++) {
      int step = length(mem.getByte(at + i));
      int c = i + step <= length ? check(mem, at + i, step) : -1;
      boolean low = c >= 0xDC00 && c < 0xE000;
      if (c < 0 || (high && low)) {
        return ~i;
      }
      high = c >= 0xD800 && c < 0xDC00;
      i += step;
    }
    return n;
  }

  /** The code point, or -1 if the bytes are none in its shortest form. */
  private static int check(Memory mem, long at, int step) {
    if (step == 1) {
      return mem.getByte(at);
    }
    if (step == 4 && (mem.getByte(at) & 0xF8) != 0xF0) {
      return -1;
    }
    for (int i = 1; i < step; i++) {
      if ((mem.getByte(at + i) & 0xC0) != 0x80) {
        return -1;
      }
    }
    int c = decodeAt(mem, at);
    int least = step == 2 ? 0x80 : step == 3 ? 0x800 : 0x10000;
    return c < least || c > Character.MAX_CODE_POINT ? -1 : c;
  }

  private static int decode(byte[] b, int at, int step) {
    int c = b[at] & (step == 1 ? 0x7F : 0xFF >> (step + 1));
    for (int i = 1; i < step; i++) {
      c = (c << 6) | (b[at + i] & 0x3F);
    }
    return c;
  }

  /** Decodes bytes that were checked. */
  public static String decode(byte[] b) {
    StringBuilder s = new StringBuilder(b.length);
    for (int i = 0; i < b.length; ) {
      int step = length(b[i]);
      s.appendCodePoint(decode(b, i, step));
      i += step;
    }
    return s.toString();
  }

  /** The code point at a place of a heap's memory. */
  public static int decodeAt(Memory mem, long at) {
    int step = length(mem.getByte(at));
    int c = mem.getByte(at) & (step == 1 ? 0x7F : 0xFF >> (step + 1));
    for (int i = 1; i < step; i++) {
      c = (c << 6) | (mem.getByte(at + i) & 0x3F);
    }
    return c;
  }
}
