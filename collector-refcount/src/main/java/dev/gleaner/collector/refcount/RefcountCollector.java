package dev.gleaner.collector.refcount;

import dev.gleaner.policy.DuktapeFinalizers;
import dev.gleaner.spi.HeapContext;

/**
 * Reference counting alone (Duktape, "Reference counting"): loops stay until the heap is closed.
 *
 * <p>A collection has nothing to find; it decides the rescues that counting could not, makes the
 * free lists anew and gives memory back.
 */
final class RefcountCollector extends CountingCollector {
  private final DuktapeFinalizers finalizers;

  RefcountCollector(HeapContext context) {
    super(context);
    this.finalizers = new DuktapeFinalizers(context, counts);
  }

  @Override
  public void collect(int flags) {
    finalizers.begin();
    finalizers.find(Everything.REACHED);
    cells.sweep(null, context::release);
    context.tidy(flags, this::forEachOfKind);
  }

  /** By counting alone, what is there is reached. */
  private enum Everything implements DuktapeFinalizers.Tracer {
    REACHED;

    @Override
    public boolean isReached(long element) {
      return true;
    }

    @Override
    public void reach(long element) {}

    @Override
    public void drain() {}
  }
}
