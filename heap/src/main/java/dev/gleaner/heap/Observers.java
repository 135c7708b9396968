package dev.gleaner.heap;

import org.jspecify.annotations.Nullable;

/**
 * Calls code of the host that may look at the heap but not change it: listeners, handlers of the
 * log, visitors of a walk, streams of a snapshot.
 *
 * <p>The heap has no owner meanwhile, so every call goes where calls are refused. Other operations
 * take no extra time for that. {@link Ownership#checkLook} admits calls that only look.
 */
final class Observers {
  private final Registers registers;

  /** The number of nested calls of observers. */
  private int depth;

  Observers(Registers registers) {
    this.registers = registers;
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

  /** Code of the host, with any result and any exception. */
  interface Code<T extends @Nullable Object, X extends Exception> {
    T run() throws X;
  }

  /** Calls an observer, or code that may call observers. */
  <T extends @Nullable Object, X extends Exception> T tell(Code<T, X> code) throws X {
    Thread owner = registers.owner;
    depth++;
    registers.owner = null;
    try {
      return code.run();
    } finally {
      depth--; // a write and no call, as the Java stack may be at its end
      registers.owner = owner;
    }
  }
}
