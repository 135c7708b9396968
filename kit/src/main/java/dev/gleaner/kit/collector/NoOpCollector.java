package dev.gleaner.kit.collector;

import dev.gleaner.space.CellSpace;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.SpaceSet;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;

/**
 * Allocates until the heap is full, and reclaims nothing before it is closed.
 *
 * <p>It takes cells from allocation buffers, as the fastest collectors do: what a program costs
 * more under another collector is what collecting costs. It shows, too, what the least is that a
 * collector owes.
 */
final class NoOpCollector implements Collector {
  private final HeapContext context;
  private final CellSpace cells;
  private final LargeSpace large;
  private final SpaceSet spaces;

  NoOpCollector(HeapContext context) {
    this.context = context;
    this.cells = new CellSpace(context.raw(), context.budget(), context.gate());
    this.large = context.newLargeSpace();
    this.spaces = new SpaceSet(cells, large, context.builtins());
  }

  @Override
  public long[] allocationBuffers(int kind) {
    return context.hasUserFunctions()
        ? Collector.super.allocationBuffers(kind)
        : cells.allocationBuffers(kind);
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    if (words <= SizeClasses.LARGEST_WORDS && !context.hasUserFunctions()) {
      return cells.refill(kind, words);
    }
    return large.allocate(kind, words);
  }

  @Override
  public void retire() {
    cells.retire();
  }

  @Override
  public SpaceSet spaces() {
    return spaces;
  }

  @Override
  public void collect(CollectionRequest request) {}

  @Override
  public void close() {
    if (context.hasUserFunctions()) {
      large.close(context::release);
    }
  }
}
