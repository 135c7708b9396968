package dev.gleaner.lua.machine;

import org.jspecify.annotations.Nullable;

/** An error that a script can catch. Java strings of the machine hold bytes, in ISO 8859-1. */
public final class LuaError extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The message of an error of the machine; null if the machine holds the error value. */
  final @Nullable String text;

  /** The exception of a function of the host that this error stands for; else null. */
  @Nullable Throwable origin;

  /** Whether the message handler has seen the error. */
  boolean handled;

  /**
   * Makes an error with a string as its value.
   *
   * @param text the whole message with the position, in ISO 8859-1
   */
  public LuaError(String text) {
    super(text, null, false, false);
    this.text = text;
  }

  /** Makes an error whose value the machine holds. */
  LuaError() {
    super("an error value", null, false, false);
    this.text = null;
  }
}
