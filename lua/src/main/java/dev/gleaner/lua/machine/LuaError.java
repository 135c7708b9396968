package dev.gleaner.lua.machine;

import org.jspecify.annotations.Nullable;

/** An error that a script can catch. Java strings of the machine are bytes, in ISO 8859-1. */
public final class LuaError extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The message, if it is one that the machine makes; null if the value is in the machine. */
  final @Nullable String text;

  /** What a function of the host threw, if this stands for that. */
  @Nullable Throwable origin;

  /** Whether the message handler has seen it. */
  boolean handled;

  /**
   * An error whose value is a string.
   *
   * @param text all of the message, with its position; bytes in ISO 8859-1
   */
  public LuaError(String text) {
    super(text, null, false, false);
    this.text = text;
  }

  /** An error whose value the machine has. */
  LuaError() {
    super("an error value", null, false, false);
    this.text = null;
  }
}
