package dev.gleaner.collector.refcount;

/** What becomes of loops: the setting {@code cycles}. */
enum CycleMode {
  /** They stay until the heap is closed, and are reported. */
  LEAK,
  /** A collection finds them, see {@link TrialDeletion}. */
  TRIAL_DELETION
}
