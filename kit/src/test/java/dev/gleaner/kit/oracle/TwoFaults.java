package dev.gleaner.kit.oracle;

import dev.gleaner.spi.HeapContext;

/** Forgets a root, and forgets to clear a weak reference: which one shows is chance. */
public final class TwoFaults extends Mutant {
  private final Mutant first = new KeptWeak();
  private final Mutant second = new SkippedRoot();

  @Override
  public String name() {
    return "two-faults";
  }

  @Override
  Runnable beforeCollecting(HeapContext context) {
    Runnable one = first.beforeCollecting(context);
    Runnable other = second.beforeCollecting(context);
    return () -> {
      other.run();
      one.run();
    };
  }
}
