package dev.gleaner.testing;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.space.CellSpace;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import org.jspecify.annotations.Nullable;

/** Allocates and never reclaims: enough to open a heap and to watch its collections. */
public final class LeakingCollector implements Collector {

  private final CellSpace cells;

  /** Makes one. */
  public LeakingCollector(HeapContext context) {
    cells = new CellSpace(context.raw(), context.budget(), context.gate());
  }

  @Override
  public long[] allocationBuffers(int kind) {
    return cells.allocationBuffers(kind);
  }

  @Override
  public long allocate(int kind, long words) {
    return cells.refill(kind, words);
  }

  @Override
  public void retire() {
    cells.retire();
  }

  @Override
  public void beforeStore(long oldValue) {}

  @Override
  public void collect(CollectionRequest request) {}

  @Override
  public boolean step(long deadline) {
    return true;
  }

  @Override
  public boolean inCycle() {
    return false;
  }

  @Override
  public void forEachElement(OffsetVisitor visitor) {
    cells.forEach(visitor);
  }

  @Override
  public long elements(int kind) {
    return cells.elements(kind);
  }

  @Override
  public long allocatedElements() {
    return cells.allocatedElements();
  }

  @Override
  public long allocatedBytes() {
    return cells.allocatedBytes();
  }

  @Override
  public @Nullable String verify() {
    return null;
  }

  @Override
  public void close() {}
}
