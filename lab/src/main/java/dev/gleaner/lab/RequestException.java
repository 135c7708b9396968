package dev.gleaner.lab;

/** The request was wrong: the message says what would be right. The program ends with status 2. */
final class RequestException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RequestException(String message) {
    super(message);
  }

  RequestException(String message, Throwable cause) {
    super(message, cause);
  }
}
