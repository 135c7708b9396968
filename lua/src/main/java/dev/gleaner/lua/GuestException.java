package dev.gleaner.lua;

import org.jspecify.annotations.Nullable;

/**
 * A script has ended otherwise than by its results: the parent of all that {@link Guest}, {@link
 * LuaValue} and {@link Lua#prepare} throw for what a script does.
 *
 * <pre>
 *   GuestException            also: the guest was ended before, and can only be closed
 *     LuaException            an error that the script did not catch
 *       LuaMemoryException    memory ran out
 *     LuaLimitException       a limit of a call or of the guest is used up, or an interrupt
 * </pre>
 */
public class GuestException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param message as {@code lua} prints it, or what ended the guest
   * @param cause what the host or the heap threw; null if there is none
   */
  public GuestException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Makes one whose stack of Java says nothing of a script. */
  GuestException(String message, @Nullable Throwable cause, boolean stack) {
    super(message, cause, false, stack);
  }

  /** {@return the message, never null} */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
