package tutorial;

import dev.gleaner.heap.CollectFlags;
import dev.gleaner.policy.BumpSpace;
import dev.gleaner.policy.CellSpace;
import dev.gleaner.policy.DuktapeFinalizers;
import dev.gleaner.policy.Forwarding;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.spi.Layout;
import dev.gleaner.spi.Memory;
import dev.gleaner.spi.Scanner;
import dev.gleaner.spi.Values;

/** A semispace: copies what is reached into a fresh space, breadth first (Cheney 1970). */
final class TutorialCollector implements Collector, DuktapeFinalizers.Tracer {
  private final HeapContext context;
  private final Memory memory;
  private final DuktapeFinalizers finalizers;
  private BumpSpace space;
  private long allocatedElements;
  private long allocatedBytes;

  TutorialCollector(HeapContext context) {
    this.context = context;
    this.memory = context.memory();
    this.finalizers = new DuktapeFinalizers(context);
    this.space = newSpace();
  }

  private BumpSpace newSpace() {
    return new BumpSpace(
        context.raw(),
        context.budget(),
        context.hasUserFunctions() ? context.elementFunctions() : null);
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
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
  public void collect(int flags) {
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
    space.takeCharge(from);
    from.clear();
    tidy(flags);
  }

  private void tidy(int flags) {
    boolean emergency = (flags & CollectFlags.EMERGENCY) != 0;
    boolean compact = emergency && (flags & CollectFlags.NO_OBJECT_COMPACTION) == 0;
    if ((flags & CollectFlags.NO_STRING_TABLE_RESIZE) == 0) {
      context.strings().tidy();
    }
    forEachElement(element -> {
      switch (Layout.kind(memory.get(element))) {
        case Layout.THREAD -> context.stacks().shrink(element, emergency);
        case Layout.OBJECT -> {
          if (compact) {
            context.tables().compact(element);
          }
        }
        default -> {}
      }
    });
    context.raw().release(emergency);
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
  public void forEachElement(CellSpace.Visitor visitor) {
    space.forEach(visitor);
    context.builtins().forEach(visitor);
  }

  @Override
  public long elements(int kind) {
    return space.elements(kind) + context.builtins().elements(kind);
  }

  @Override
  public long allocatedElements() {
    return allocatedElements + context.builtins().size();
  }

  @Override
  public long allocatedBytes() {
    return allocatedBytes + context.builtins().allocatedBytes();
  }

  @Override
  public void close() {
    if (context.hasUserFunctions()) {
      space.forEach(this::giveBack);
      space.clear();
    }
  }

  /** What natives hold is no memory, and was freed when the heap began to close. */
  private void giveBack(long element) {
    int kind = Layout.kind(memory.get(element));
    if (Layout.ownsResources(kind) && kind != Layout.NATIVE) {
      context.release(kind, element);
    }
  }
}
