package dev.gleaner.lab;

import org.jspecify.annotations.Nullable;

/** The terminal that the standard output goes to. */
final class Terminal {
  private static final int LEAST = 40;
  private static final int MOST = 120;

  private Terminal() {}

  /** Returns how many columns there are, as the launcher tells by COLUMNS; 120 at most. */
  static int columns() {
    return columns(System.getenv("COLUMNS"));
  }

  /** Returns whether it shows colours, as the launcher tells; a file, pipe or NO_COLOR does not. */
  static boolean isColoured() {
    return System.getenv("GLEANER_COLOURS") != null;
  }

  /** Returns how many columns there are; no bound where nobody told, as for a file or a pipe. */
  static int columnsOrAny() {
    return System.getenv("COLUMNS") == null ? Integer.MAX_VALUE : columns();
  }

  static int columns(@Nullable String told) {
    return told != null && told.matches("[0-9]{1,6}")
        ? Math.clamp(Integer.parseInt(told), LEAST, MOST)
        : MOST;
  }
}
