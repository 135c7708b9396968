package tutorial;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.space.BumpSpace;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;

/** Takes memory, and gives none back. */
final class TutorialCollector implements Collector {
  private final HeapContext context;
  private final BumpSpace space;
  private long allocatedElements;
  private long allocatedBytes;

  TutorialCollector(HeapContext context) {
    this.context = context;
    this.space = new BumpSpace(context.raw(), context.budget());
  }

  @Override
  public long allocate(int kind, long words) {
    long before = space.bytes();
    long element = space.allocate(kind, words);
    if (element != 0) {
      allocatedElements++;
      allocatedBytes += space.bytes() - before;
      context.gate().trigger().decrease(1);
    }
    return element;
  }

  @Override
  public void collect(CollectionRequest request) {}

  @Override
  public void forEachElement(OffsetVisitor visitor) {
    space.forEach(visitor);
  }

  @Override
  public long elements(int kind) {
    return space.elements(kind);
  }

  @Override
  public long allocatedElements() {
    return allocatedElements;
  }

  @Override
  public long allocatedBytes() {
    return allocatedBytes;
  }

  @Override
  public void close() {}
}
