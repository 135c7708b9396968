package dev.gleaner.kit.oracle;

/** What finalizers, callbacks and listeners throw on purpose: whatever can be thrown. */
final class Thrown {
  private static final String TEXT = "thrown by the program";

  private Thrown() {}

  /** One that a scenario can throw as well. */
  static Throwable plain() {
    return new PlainException();
  }

  static Throwable any(Dice dice) {
    return switch (dice.below(3)) {
      case 0 -> plain();
      case 1 -> new PlainError();
      default -> new CheckedException();
    };
  }

  /** Throws it, checked or not. */
  @SuppressWarnings("DoNotCallSuggester")
  static void raise(Throwable e) {
    throw Thrown.<RuntimeException>unchecked(e);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Throwable> X unchecked(Throwable e) throws X {
    throw (X) e;
  }

  private static final class PlainException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PlainException() {
      super(TEXT, null, false, false);
    }
  }

  private static final class PlainError extends Error {
    private static final long serialVersionUID = 1;

    PlainError() {
      super(TEXT, null, false, false);
    }
  }

  private static final class CheckedException extends Exception {
    private static final long serialVersionUID = 1;

    CheckedException() {
      super(TEXT, null, false, false);
    }
  }
}
