package dev.gleaner.kit.oracle;

import dev.gleaner.spi.HeapContext;
import dev.gleaner.weak.WeakTable;
import java.lang.reflect.Field;

/** Forgets to clear the weak reference that was made first. */
public final class KeptWeak extends Mutant {
  @Override
  public String name() {
    return "kept-weak";
  }

  @Override
  Runnable beforeCollecting(HeapContext context) {
    long[] targets = targets(context.weak());
    long first = targets.length == 0 ? 0 : targets[0];
    return () -> {
      if (first > 0) {
        targets[0] = first;
      }
    };
  }

  /** No interface leads to them: a table does clear what it is told to. */
  private static long[] targets(WeakTable table) {
    try {
      Field targets = WeakTable.class.getDeclaredField("targets");
      targets.setAccessible(true);
      return (long[]) targets.get(table);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
