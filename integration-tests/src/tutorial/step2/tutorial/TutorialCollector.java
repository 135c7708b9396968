package tutorial;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.BumpSpace;
import dev.gleaner.space.Forwarding;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;

/** Copies what the roots reach into a fresh space, and drops the old one (Cheney 1970). */
final class TutorialCollector implements Collector {
  private final HeapContext context;
  private final Memory memory;
  private BumpSpace space;
  private long allocatedElements;
  private long allocatedBytes;

  TutorialCollector(HeapContext context) {
    this.context = context;
    this.memory = context.memory();
    this.space = newSpace();
  }

  private BumpSpace newSpace() {
    return new BumpSpace(context.raw(), context.budget());
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
  public void collect(CollectionRequest request) {
    BumpSpace from = space;
    space = newSpace();
    context.roots().forEachRoot(this::copy);
    space.scan(this::copyWhatItHolds);
    space.takeCharge(from);
    from.clear();
  }

  /** Answers where the element of a value is now; copies it if nobody did. */
  private long copy(long value) {
    if (!Values.isReference(value)) {
      return value;
    }
    long to = Forwarding.get(memory, value);
    if (to == 0) {
      to = space.copy(value);
      Forwarding.set(memory, value, to);
    }
    return to;
  }

  private void copyWhatItHolds(long element) {
    Scanner.forEachPlace(memory, element, place -> memory.put(place, copy(memory.get(place))));
  }

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
