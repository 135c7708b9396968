package dev.gleaner.kit.oracle;

import dev.gleaner.layout.Values;
import dev.gleaner.spi.HeapContext;

/** Does not look at the first global reference. */
public final class SkippedRoot extends Mutant {
  private static final int THREADS = 4;

  @Override
  public String name() {
    return "skipped-root";
  }

  @Override
  Runnable beforeCollecting(HeapContext context) {
    long[] hidden = {Values.UNDEFINED};
    forFirstGlobal(
        context,
        value -> {
          hidden[0] = value;
          return Values.UNDEFINED;
        });
    return () -> forFirstGlobal(context, value -> hidden[0]);
  }

  private static void forFirstGlobal(HeapContext context, dev.gleaner.layout.RootVisitor visitor) {
    int[] n = {0};
    context.roots().forEachRoot(value -> n[0]++ == THREADS ? visitor.visit(value) : value);
  }
}
