package dev.gleaner.kit.scenario;

import dev.gleaner.refusal.HeapException;
import java.nio.charset.StandardCharsets;

/** How numbers and strings are written in messages: as a scenario would write them. */
final class Texts {
  private static final double EXACT = 1L << 53;

  private Texts() {}

  static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) <= EXACT
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  /** An error's message without the slots of the heap's frame, which no scenario knows. */
  static String message(HeapException error) {
    return String.valueOf(error.getMessage())
        .replaceFirst(": slot \\d+(?: holds (.*))?", ": $1")
        .replaceFirst(": $", "");
  }

  /**
   * The bytes of a text as it stands in the file, quotes included, where {@code \xNN} is a byte and
   * all else UTF-8: as characters of Latin-1.
   */
  static String bytes(String read) {
    StringBuilder bytes = new StringBuilder();
    StringBuilder text = new StringBuilder();
    for (int i = 1; i < read.length() - 1; i++) {
      char c = read.charAt(i);
      if (c != '\\') {
        text.append(c);
        continue;
      }
      c = read.charAt(++i);
      int digits = c == 'x' ? 2 : c == 'u' ? 4 : 0;
      int code = digits == 0 ? 0 : Integer.parseInt(read.substring(i + 1, i + 1 + digits), 16);
      i += digits;
      if (c == 'x') {
        bytes.append(latin1(text.toString())).append((char) code);
        text.setLength(0);
      } else {
        text.append(c == 'u' ? (char) code : c == 'n' ? '\n' : c);
      }
    }
    return bytes + latin1(text.toString());
  }

  private static String latin1(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** Bytes that are no text, as the statement {@code bytes} would have them, without quotes. */
  static String escaped(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) {
      boolean plain = b >= ' ' && b < 0x7F && b != '"' && b != '\\';
      text.append(plain ? "" + (char) b : "\\x%02x".formatted(b));
    }
    return text.toString();
  }

  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> quoted.append('\\').append(c);
        case '\n' -> quoted.append("\\n");
        default -> {
          if (c < ' ' || c == 0x7F) {
            quoted.append("\\u%04x".formatted((int) c));
          } else {
            quoted.append(c);
          }
        }
      }
    }
    return quoted.append('"').toString();
  }
}
