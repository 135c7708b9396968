package dev.gleaner.lua.lib;

/** The classes of characters that patterns name, in the locale C: bytes from 128 on are in none. */
final class Characters {
  private static final String CLASSES = "acdglpsuwxz";

  /** The class of a letter, as a bit; 0 for what names none. */
  private static final short[] CLASS = new short[256];

  /** The classes that a byte is in. */
  private static final short[] SETS = new short[256];

  static {
    for (int i = 0; i < CLASSES.length(); i++) {
      CLASS[CLASSES.charAt(i)] = (short) (1 << i);
      CLASS[CLASSES.charAt(i) - 32] = (short) (1 << i);
    }
    for (int c = 0; c < 128; c++) {
      boolean lower = c >= 'a' && c <= 'z';
      boolean upper = c >= 'A' && c <= 'Z';
      boolean digit = c >= '0' && c <= '9';
      boolean graph = c > ' ' && c < 127;
      boolean hex = digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      boolean blank = c == ' ' || (c >= '\t' && c <= '\r');
      boolean control = c < ' ' || c == 127;
      boolean word = lower || upper || digit;
      boolean[] in = {
        lower || upper,
        control,
        digit,
        graph,
        lower,
        graph && !word,
        blank,
        upper,
        word,
        hex,
        c == 0
      };
      for (int i = 0; i < in.length; i++) {
        SETS[c] |= (short) (in[i] ? 1 << i : 0);
      }
    }
  }

  private Characters() {}

  /** Whether a byte is in the class of a letter, a capital one for its complement. */
  static boolean inClass(int c, int letter) {
    int mask = CLASS[letter];
    if (mask == 0) {
      return letter == c;
    }
    boolean in = (SETS[c] & mask) != 0;
    return in == ((letter & 0x20) != 0);
  }

  /** A byte in lower case. */
  static int lower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
  }

  /** A byte in upper case. */
  static int upper(int c) {
    return c >= 'a' && c <= 'z' ? c - 32 : c;
  }
}
