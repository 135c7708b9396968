package dev.gleaner.lua;

import org.jspecify.annotations.Nullable;

/** A script failed: a syntax error, or an error that it did not catch. */
public class LuaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient @Nullable Object value;
  private final String traceback;

  /**
   * An error of a script.
   *
   * @param message as {@code lua} prints it
   * @param value the error's value, as a result of a script
   * @param traceback of the place where it happened; empty if it never ran
   */
  public LuaException(String message, @Nullable Object value, String traceback) {
    super(message);
    this.value = value;
    this.traceback = traceback;
  }

  /** {@return the error's value: null, a Boolean, Long, Double, String, or a description} */
  public @Nullable Object value() {
    return value;
  }

  /** {@return the stack of the script where it happened; empty if it never ran} */
  public String traceback() {
    return traceback;
  }
}
