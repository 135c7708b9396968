package dev.gleaner.kit.scenario;

import dev.gleaner.refusal.HeapException;

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
