package dev.gleaner.lab.workload;

/** A workload's own program has failed, and says why: no fault of the heap or of this program. */
public final class WorkloadFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes one with what the program says. */
  public WorkloadFailedException(String message) {
    super(message);
  }
}
