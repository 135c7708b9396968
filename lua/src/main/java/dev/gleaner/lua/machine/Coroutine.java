package dev.gleaner.lua.machine;

import org.jspecify.annotations.Nullable;

/** What the machine knows of a coroutine; attached to its thread. */
final class Coroutine {
  /** The coroutine that has resumed it; null for the main program. */
  @Nullable Coroutine resumer;

  /** Runs on the Java stack when it was resumed. */
  int nested;

  boolean dead;

  /** What it is hooked to, if it ever was. */
  Hooks.@Nullable Hook hook;

  /** It died by an error, which is on its stack until it is closed. */
  boolean failed;

  /** It is closed after an error. */
  boolean erred;

  /** It was resumed by a function that {@code wrap} made. */
  boolean wrapped;

  /** It is not to go on, but to close its variables. */
  boolean closing;
}
