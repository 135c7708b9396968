package dev.gleaner.memory;

import java.lang.ref.Cleaner;

/** The cleaner of what nobody closed, for all heaps of this JVM. */
public final class Cleaning {
  /** Runs actions that must not refer to what they clean up after. */
  public static final Cleaner CLEANER = Cleaner.create();

  private Cleaning() {}
}
