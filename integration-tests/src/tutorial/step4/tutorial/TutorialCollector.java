package tutorial;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.BumpSpace;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.RawSpace;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;

/** A semispace: copies what is reached into a fresh space, breadth first (Cheney 1970). */
final class TutorialCollector implements Collector, DuktapeFinalizers.Tracer {
  /** The mark of an element that stays; no element is there. */
  private static final long STAYS = 8;

  private final HeapContext context;
  private final Memory memory;
  private final DuktapeFinalizers finalizers;
  private final LargeSpace large;
  private BumpSpace space;
  private long[] grey = new long[16];
  private int greys;
  private long allocatedElements;
  private long allocatedBytes;

  TutorialCollector(HeapContext context) {
    this.context = context;
    this.memory = context.memory();
    this.finalizers = new DuktapeFinalizers(context);
    this.space = newSpace();
    this.large = context.newLargeSpace();
  }

  private BumpSpace newSpace() {
    return new BumpSpace(context.raw(), context.budget());
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    if (isLarge(words)) {
      return large.allocate(kind, words);
    }
    long element = space.allocate(kind, words);
    if (element != 0) {
      allocatedElements++;
      allocatedBytes += words << 3;
      context.gate().trigger().decrease(1);
    }
    return element;
  }

  /** Whether an element stays where it is: a block of the user's functions does, too. */
  private boolean isLarge(long words) {
    return words > RawSpace.MOST_COPIED || context.hasUserFunctions();
  }

  @Override
  public void collect(CollectionRequest request) {
    BumpSpace from = space;
    space = newSpace();
    finalizers.begin();
    context.roots().forEachRoot(this::copy);
    context.builtins().forEach(this::copyWhatItHolds);
    drain();
    finalizers.find(this);
    context.sweepWeak(this::isReached);
    context.relocate(this::copy);
    from.forEach(this::releaseTheDead);
    large.sweep(this::isReached, context::release);
    large.forEach(element -> Forwarding.clear(memory, element));
    space.takeCharge(from);
    from.clear();
    context.tidy(request.flags(), this);
  }

  @Override
  public boolean isReached(long element) {
    return isBuiltin(element) || Forwarding.get(memory, element) != 0;
  }

  private boolean isBuiltin(long element) {
    return (memory.get(element) & Layout.FLAG_IMMORTAL) != 0;
  }

  @Override
  public void reach(long element) {
    long _ = copy(element);
  }

  @Override
  public void drain() {
    space.scan(this::copyWhatItHolds);
    while (greys > 0) {
      copyWhatItHolds(grey[--greys]);
      space.scan(this::copyWhatItHolds);
    }
  }

  private void releaseTheDead(long element) {
    int kind = Layout.kind(memory.get(element));
    if (Layout.ownsResources(kind) && !isReached(element)) {
      context.release(kind, element);
    }
  }

  /** Answers where the element of a value is now; copies it if nobody did. */
  private long copy(long value) {
    if (!Values.isReference(value) || isBuiltin(value)) {
      return value;
    }
    long to = Forwarding.get(memory, value);
    if (to == STAYS) {
      return value;
    }
    if (to == 0) {
      if (isLarge(Layout.payloadWords(memory, value, memory.get(value)) + 1)) {
        return keep(value);
      }
      to = space.copy(value);
      Forwarding.set(memory, value, to);
    }
    return to;
  }

  private long keep(long element) {
    Forwarding.set(memory, element, STAYS);
    if (greys == grey.length) {
      grey = Arrays.copyOf(grey, greys * 2);
    }
    grey[greys++] = element;
    return element;
  }

  private void copyWhatItHolds(long element) {
    Scanner.forEachPlace(memory, element, place -> memory.put(place, copy(memory.get(place))));
  }

  @Override
  public void forEachElement(OffsetVisitor visitor) {
    space.forEach(visitor);
    large.forEach(visitor);
    context.builtins().forEach(visitor);
  }

  @Override
  public long elements(int kind) {
    return space.elements(kind) + large.elements(kind) + context.builtins().elements(kind);
  }

  @Override
  public long allocatedElements() {
    return allocatedElements + large.allocatedElements() + context.builtins().allocatedElements();
  }

  @Override
  public long allocatedBytes() {
    return allocatedBytes + large.allocatedBytes() + context.builtins().allocatedBytes();
  }

  @Override
  public void close() {
    if (context.hasUserFunctions()) {
      large.close(context::release);
    }
  }
}
