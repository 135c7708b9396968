package dev.gleaner.lua.machine;

import org.jspecify.annotations.Nullable;

/** The state of a coroutine, attached to the thread on the heap. */
final class Coroutine {
  // The flags in an image.
  static final int DEAD = 1;
  static final int FAILED = 2;
  static final int ERRED = 4;
  static final int WRAPPED = 8;
  static final int CLOSING = 16;

  /** The coroutine that has resumed this one; null for the main program. */
  @Nullable Coroutine resumer;

  /** The number of runs on the Java stack at the resume. */
  int nested;

  /** The level of {@link Protection} at the resume. */
  int level;

  boolean dead;

  /** The hook; null if the coroutine never had one. */
  @Nullable Hook hook;

  /** Whether an error killed the coroutine. The error is on its stack until the close. */
  boolean failed;

  /** Whether the coroutine is being closed after an error. */
  boolean erred;

  /** Whether a function of {@code wrap} has resumed the coroutine. */
  boolean wrapped;

  /** Whether the coroutine only closes its variables. */
  boolean closing;

  /**
   * The depth of the outermost frame whose variables are being closed. A frame at this depth or
   * below catches no error; a function that a closing method calls may.
   */
  int closingDepth;

  /** The depth of the call that catches the error which leaves frames; 0 for none. */
  int catching;

  /** The depth of the outermost frame for which {@link #catching} is known; 0 if it is not. */
  int searched;

  /** The events that a coroutine reports. */
  static final class Hook {
    int mask;
    int count;
    int left;
  }
}
