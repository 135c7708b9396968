package dev.gleaner.lua;

import org.jspecify.annotations.Nullable;

/**
 * A limit is used up, or the guest was interrupted. No script catches that. Where {@link #ofCall}
 * holds, the call has ended and the guest can be used again; else the guest can only be closed.
 */
public final class LuaLimitException extends GuestException {
  private static final long serialVersionUID = 1;

  /** What is limited. */
  public enum Limit {
    /** Instructions, with the steps of library functions. */
    INSTRUCTIONS,
    /** Time. */
    TIME,
    /** Bytes that the guest writes to the host's output. */
    OUTPUT,
    /** The host interrupted the guest, or the Java thread that runs the guest. */
    INTERRUPT
  }

  private final Limit limit;
  private final boolean ofCall;

  /**
   * A limit on the life of a guest was reached.
   *
   * @param limit which one
   * @param message with its figures
   */
  public LuaLimitException(Limit limit, String message) {
    this(limit, message, false, null);
  }

  /**
   * A limit was reached.
   *
   * @param limit which one
   * @param message with its figures
   * @param ofCall whether it is a limit of one call
   * @param cause what a function of the host threw that was woken; null if there is none
   */
  public LuaLimitException(Limit limit, String message, boolean ofCall, @Nullable Throwable cause) {
    super(message, cause, false);
    this.limit = limit;
    this.ofCall = ofCall;
  }

  /** {@return which limit} */
  public Limit limit() {
    return limit;
  }

  /** {@return whether the limit is one of the call alone, so that the guest can be used again} */
  public boolean ofCall() {
    return ofCall;
  }
}
