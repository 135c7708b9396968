package dev.gleaner.lab.hprof;

/** A file is no heap dump, or a damaged one. The message says where and what. */
public final class HprofException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  HprofException(String message) {
    super(message);
  }

  HprofException(String message, Throwable cause) {
    super(message, cause);
  }
}
