package dev.gleaner.refusal;

/**
 * A call that cannot be meant: a wrong slot, kind, index or order of calls. Nothing was changed.
 */
public class HeapUsageException extends HeapException {
  private static final long serialVersionUID = 1;

  /**
   * Makes an exception.
   *
   * @param message what was asked, and what is wrong
   */
  public HeapUsageException(String message) {
    super(message);
  }
}
