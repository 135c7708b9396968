package dev.gleaner.lua.machine;

import dev.gleaner.lua.GuestException;

/** A script has called os.exit. No script can catch it. */
public final class ExitException extends GuestException {
  private static final long serialVersionUID = 1;

  private final int status;

  /**
   * Makes an exit.
   *
   * @param status the status of the program
   */
  public ExitException(int status) {
    super("os.exit with status " + status, null);
    this.status = status;
  }

  /** {@return the status of the program} */
  public int status() {
    return status;
  }
}
