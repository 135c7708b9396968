package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import java.nio.charset.StandardCharsets;

/** Strings of the heap as Java strings, with one character for each byte. */
final class MachineTexts {
  private MachineTexts() {}

  /** Returns the bytes of a text in UTF-8, as characters in ISO 8859-1. */
  static String latin(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** Returns the text of bytes in UTF-8, which are characters in ISO 8859-1. */
  static String utf(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  static void set(Mutator t, int d, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    t.newString(d, bytes, 0, bytes.length);
  }

  static String get(Mutator t, int s) {
    byte[] bytes = new byte[t.stringBytes(s)];
    t.readString(s, 0, bytes, 0, bytes.length);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
