package dev.gleaner.lab.measure;

import dev.gleaner.lab.workload.WorkloadFailedException;

/** Words what broke a run off. */
final class Failures {
  private Failures() {}

  /**
   * Returns the status. The stack trace goes to the standard error, unless what was asked for is to
   * blame, a parameter, a file or a script: then the message says it all.
   */
  @SuppressWarnings("CatchAndPrintStackTrace") // the front end shows a worker's standard error
  static String describe(Throwable thrown) {
    String message = thrown.getMessage();
    boolean told =
        thrown instanceof IllegalArgumentException || thrown instanceof WorkloadFailedException;
    if (told && message != null) {
      return "failed: " + message;
    }
    thrown.printStackTrace();
    String name = thrown.getClass().getSimpleName();
    return "failed: " + name + (message == null ? "" : ": " + message);
  }
}
