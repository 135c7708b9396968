package dev.gleaner.lab;

/** How the program ends, where all is well with 0. */
final class ExitStatus {
  /** A run failed, or what a command found could not be written. */
  static final int FAILED = 1;

  /** The request was wrong; the standard error says what would be right. */
  static final int WRONG_REQUEST = 2;

  private ExitStatus() {}
}
