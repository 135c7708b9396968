package dev.gleaner.layout;

import java.util.Locale;

/** The kinds of elements. */
public enum Kind {
  /** An immutable string of bytes, interned or not. */
  STRING,
  /** A fixed number of reference slots. */
  RECORD,
  /** Inline slots, a prototype and a property table. */
  OBJECT,
  /** A fixed number of bytes inside the element. */
  BUFFER,
  /** A resizable number of bytes in a block of its own. */
  DYNAMIC_BUFFER,
  /** A coroutine: a value stack, a call stack, a resumer. */
  THREAD,
  /** A compiled function: constants and inner functions. */
  FUNCTION,
  /** A Java object with a callback that runs when the element is freed. */
  NATIVE,
  /** An integer of more than 32 bits. To a program it is a value: {@code kind} refuses it. */
  INTEGER;

  private final String text = name().toLowerCase(Locale.ROOT).replace('_', ' ');

  /** {@return the words of messages and reports, such as {@code dynamic buffer}} */
  public String text() {
    return text;
  }
}
