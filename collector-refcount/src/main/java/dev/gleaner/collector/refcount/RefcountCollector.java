package dev.gleaner.collector.refcount;

import dev.gleaner.count.CountingCollector;
import dev.gleaner.layout.Layout;
import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.mark.Unreached;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.HeapContext;
import org.jspecify.annotations.Nullable;

/**
 * Reference counting alone (Duktape, "Reference counting"): loops stay until the heap is closed,
 * unless trial deletion looks for them.
 *
 * <p>Without it a collection has nothing to free; it decides the rescues that counting could not,
 * and counts what has leaked. With or without it makes the free lists anew and gives memory back.
 */
final class RefcountCollector extends CountingCollector {
  private final DuktapeFinalizers finalizers;
  private final @Nullable TrialDeletion trial;
  private final Unreached unreached;
  private long leaked;

  RefcountCollector(HeapContext context, CycleMode cycles, boolean inline, boolean checkBorrowed) {
    super(context, inline, checkBorrowed);
    this.finalizers = new DuktapeFinalizers(context, counts);
    this.unreached = new Unreached(context);
    this.trial =
        cycles == CycleMode.TRIAL_DELETION
            ? new TrialDeletion(context, counts, this::isElement)
            : null;
    counts.setObserver(trial);
  }

  private boolean isElement(long offset) {
    return cells.isCell(offset)
        ? Layout.kind(context.memory().get(offset)) != Layout.FREE
        : large.contains(offset);
  }

  @Override
  public void collect(CollectionRequest request) {
    if (trial != null) {
      trial.run(this::freeDropped);
    } else {
      finalizers.begin();
      finalizers.find(Everything.REACHED);
      unreached.find(this);
      leaked = unreached.elements();
    }
    cells.sweep(null, context::release);
    context.tidy(request.flags(), spaces()::forEach);
  }

  @Override
  public void close() {
    super.close();
    unreached.close();
  }

  @Override
  public long leakedElements() {
    return leaked;
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
