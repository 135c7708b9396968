package dev.gleaner.heap;

import org.jspecify.annotations.Nullable;

/**
 * Calls code of the host that is told something, and may look at the heap but not change it:
 * listeners, handlers of the log, visitors of a walk, streams of a snapshot.
 *
 * <p>The heap has no owner meanwhile, so that all calls come to where they are refused: operations
 * that call nobody pay nothing. {@link Operations#checkLook} lets those in that only look.
 */
final class Observers {
  private final Mutator mutator;

  /** Observers that are under way, one inside of another. */
  private int depth;

  Observers(Mutator mutator) {
    this.mutator = mutator;
  }

  boolean areTold() {
    return depth > 0;
  }

  void tell(Runnable code) {
    boolean _ =
        tell(() -> {
          code.run();
          return true;
        });
  }

  /** Code that can be told something, whatever it throws. */
  interface Code<T extends @Nullable Object, X extends Exception> {
    T run() throws X;
  }

  /** Calls an observer, or what calls one now and then. */
  <T extends @Nullable Object, X extends Exception> T tell(Code<T, X> code) throws X {
    Thread owner = mutator.owner;
    depth++;
    mutator.owner = null;
    try {
      return code.run();
    } finally {
      depth--; // no call here: the Java stack may be at its end
      mutator.owner = owner;
    }
  }
}
