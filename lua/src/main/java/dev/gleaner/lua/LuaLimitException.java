package dev.gleaner.lua;

/**
 * A limit of a guest is used up, or the guest was interrupted. No script catches it. The guest can
 * only be closed.
 */
public final class LuaLimitException extends GuestException {
  private static final long serialVersionUID = 1;

  /** What is limited. */
  public enum Limit {
    /** Instructions, with the steps of library functions. */
    INSTRUCTIONS,
    /** Time. */
    TIME,
    /** The host interrupted the guest. */
    INTERRUPT
  }

  private final Limit limit;

  /**
   * A limit was reached.
   *
   * @param limit which one
   * @param message with its figures
   */
  public LuaLimitException(Limit limit, String message) {
    super(message);
    this.limit = limit;
  }

  /** {@return which limit} */
  public Limit limit() {
    return limit;
  }
}
