package dev.gleaner.kit.oracle;

import dev.gleaner.spi.HeapContext;

/** Loses a finalizer where two are due. */
public final class LostFinalizer extends Mutant {
  @Override
  public String name() {
    return "lost-finalizer";
  }

  @Override
  Runnable beforeCollecting(HeapContext context) {
    return () -> {
      if (context.finalizers().queued() > 1) {
        long _ = context.finalizers().dequeue();
      }
    };
  }
}
