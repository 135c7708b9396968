package dev.gleaner.lab.trace;

import org.jspecify.annotations.Nullable;

/** Where a replay went another way than the recording: how often, and where first. */
public final class Divergences {
  private long count;
  private @Nullable String first;

  void add(long offset, String what) {
    if (count++ == 0) {
      first = "byte " + offset + ": " + what;
    }
  }

  /** Returns how many there were. */
  public long count() {
    return count;
  }

  /** Returns the first one, with its place in the file; null if there was none. */
  public @Nullable String first() {
    return first;
  }
}
