package dev.gleaner.kit.oracle;

import dev.gleaner.spi.HeapContext;
import java.util.concurrent.locks.LockSupport;

/** Never comes back from a collection. */
public final class Hanging extends Mutant {
  @Override
  public String name() {
    return "hanging";
  }

  @Override
  @SuppressWarnings("InfiniteLoop")
  Runnable beforeCollecting(HeapContext context) {
    while (true) {
      LockSupport.park();
    }
  }
}
