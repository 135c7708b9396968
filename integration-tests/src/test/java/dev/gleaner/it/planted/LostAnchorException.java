package dev.gleaner.it.planted;

/** A bug's place is not in the classes; the message has what was asked and what is there. */
final class LostAnchorException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LostAnchorException(String message) {
    super(message);
  }
}
