package dev.gleaner.lab.measure;

/** Words what broke a run off. */
final class Failures {
  private Failures() {}

  /** Returns the status, and prints the stack trace on the standard error. */
  @SuppressWarnings("CatchAndPrintStackTrace") // the front end shows a worker's standard error
  static String describe(Throwable thrown) {
    thrown.printStackTrace();
    String message = thrown.getMessage();
    String name = thrown.getClass().getSimpleName();
    return "failed: " + name + (message == null ? "" : ": " + message);
  }
}
