package dev.gleaner.kit.collector;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.BumpSpace;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.SizeClassAllocator;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Is as unpleasant to its heap as the SPI allows, so that the heap's own code is found wherever it
 * keeps a place for too long or stores without telling (after MMTk's PoisonedGC).
 *
 * <pre>
 *   every collection: 1 the barrier told of every reference that was overwritten?  {@link BarrierCheck}
 *                     2 trace from the roots; finalizers by Duktape's rule
 *                     3 copy all that was reached into a fresh space, in random order
 *                     4 move value stacks, call stacks, property tables, dynamic buffers
 *                     5 fill what was left with {@link #POISON}, and the stacks above their tops
 * </pre>
 *
 * <p>What was left stays poisoned until the next collection, so a stale place does not meet another
 * element by chance. Poison is no tagged reference, no kind of element, and as an offset out of
 * bounds. With {@code torture.gc = every-allocation} nothing stays where it is for longer than an
 * allocation.
 */
final class PoisonCollector implements Collector {
  /** Kind 15; a raw value that leads nowhere. */
  static final long POISON = 0xFFFF_7BAD_7BAD_7BAFL;

  private final HeapContext context;
  private final Memory memory;
  private final DuktapeFinalizers finalizers;
  private final BarrierCheck barrier;
  private final Random order;
  private BumpSpace space;

  /**
   * Elements with blocks of their own: large ones, which move where there is room for them twice;
   * and all where the user provides the functions: those stay in place.
   */
  private final LargeSpace large;

  private @Nullable BumpSpace poisoned;
  private final BitSet reached = new BitSet();
  private long[] grey = new long[64];
  private int greys;
  private long[] live = new long[64];
  private int lives;
  private long movedElements;
  private long allocatedElements;
  private long allocatedBytes;

  // Large elements that moved, which count as made.
  private long largeMoved;
  private long largeMovedBytes;

  PoisonCollector(HeapContext context) {
    this.context = context;
    this.memory = context.memory();
    this.finalizers = new DuktapeFinalizers(context);
    this.barrier = new BarrierCheck(context);
    this.order = new Random(context.settings().torture().seed());
    this.space = newSpace();
    this.large = new LargeSpace(context.memory(), context.elementFunctions(), null, context.gate());
    context.setBarrier(true);
  }

  private BumpSpace newSpace() {
    return new BumpSpace(context.raw(), context.budget());
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    if (words > RawSpace.MOST_COPIED || context.hasUserFunctions()) {
      return large.allocate(kind, words);
    }
    long before = space.bytes();
    long e = space.allocate(kind, words);
    if (e != 0) {
      allocatedElements++;
      allocatedBytes += space.bytes() - before;
      context.gate().trigger().decrease(1);
    }
    return e;
  }

  @Override
  public void beforeStore(long oldValue) {
    barrier.told(oldValue);
  }

  @Override
  public void collect(CollectionRequest request) {
    barrier.compare(this::forEachElement);
    reached.clear();
    lives = 0;
    finalizers.begin();
    context.builtins().forEach(this::reach);
    context
        .roots()
        .forEachRoot(v -> {
          reach(v);
          return v;
        });
    drain();
    finalizers.find(new Tracer());
    context.sweepWeak(this::isReached);
    large.sweep(this::isReached, context::release);
    if (!context.hasUserFunctions()) {
      copy();
    }
    tidy(request.flags());
    barrier.remember(this::forEachElement);
  }

  private boolean isReached(long element) {
    return reached.get((int) (element >>> 3));
  }

  private void reach(long value) {
    if (Values.isReference(value) && !isReached(value)) {
      reached.set((int) (value >>> 3));
      if (greys == grey.length) {
        grey = Arrays.copyOf(grey, greys * 2);
      }
      grey[greys++] = value;
    }
  }

  private void drain() {
    while (greys > 0) {
      long e = grey[--greys];
      if ((memory.get(e) & Layout.FLAG_IMMORTAL) == 0) {
        if (lives == live.length) {
          live = Arrays.copyOf(live, lives * 2);
        }
        live[lives++] = e;
      }
      Scanner.forEachPlace(memory, e, place -> reach(memory.get(place)));
    }
  }

  /** Reaches by a mark, while all are still in their places. */
  private final class Tracer implements DuktapeFinalizers.Tracer {
    @Override
    public boolean isReached(long element) {
      return PoisonCollector.this.isReached(element);
    }

    @Override
    public void reach(long element) {
      PoisonCollector.this.reach(element);
    }

    @Override
    public void drain() {
      PoisonCollector.this.drain();
    }
  }

  private void copy() {
    if (poisoned != null) {
      poisoned.clear();
    }
    BumpSpace to = newSpace();
    for (int i = lives; i > 0; i--) {
      int at = order.nextInt(i);
      long e = live[at];
      live[at] = live[i - 1];
      live[i - 1] = e;
      long words = words(e);
      long copy = words > RawSpace.MOST_COPIED ? copyLarge(e, words) : to.copy(e);
      if (copy != 0) {
        Forwarding.set(memory, e, copy);
        movedElements++;
      }
    }
    context.roots().forEachRoot(this::moved);
    context.relocate(this::moved);
    to.forEach(this::redirect);
    large.forEach(this::redirect);
    context.builtins().forEach(this::redirect);
    space.forEach(e -> {
      int kind = Layout.kind(memory.get(e));
      if (Forwarding.get(memory, e) == 0 && Layout.ownsResources(kind)) {
        context.release(kind, e);
      }
    });
    for (int i = 0; i < lives; i++) {
      poisonLarge(live[i]);
    }
    to.takeCharge(space);
    poisoned = space;
    poisoned.fill(POISON);
    space = to;
  }

  private long words(long e) {
    return Layout.payloadWords(memory, e, memory.get(e)) + 1;
  }

  /** Answers 0 if there is no room for it twice. */
  private long copyLarge(long e, long words) {
    long before = large.allocatedBytes();
    long copy = large.allocate(Layout.kind(memory.get(e)), words);
    if (copy != 0) {
      memory.copy(e, copy, words << 3);
      largeMoved++;
      largeMovedBytes += large.allocatedBytes() - before;
      context.gate().trigger().decrease(-1);
    }
    return copy;
  }

  /** Frees a large element that moved; of a cell the first word is the allocator's then. */
  private void poisonLarge(long e) {
    if (Forwarding.get(memory, e) != 0 && words(e) > RawSpace.MOST_COPIED) {
      boolean isCell = words(e) <= SizeClasses.LARGEST_WORDS;
      fill(e + 8, e + (words(e) << 3));
      large.free(e);
      if (!isCell) {
        memory.put(e, POISON);
      }
    }
  }

  private void fill(long from, long to) {
    for (long at = from; at < to; at += 8) {
      memory.put(at, POISON);
    }
  }

  private void redirect(long element) {
    Scanner.forEachPlace(memory, element, place -> memory.put(place, moved(memory.get(place))));
  }

  private long moved(long value) {
    if (!Values.isReference(value)) {
      return value;
    }
    long to = Forwarding.get(memory, value);
    return to == 0 ? value : to; // built-ins stay
  }

  private void tidy(int flags) {
    context.tidy(flags, this);
    forEachElement(e -> {
      switch (Layout.kind(memory.get(e))) {
        case Layout.THREAD -> {
          moveBlock(e + ThreadLayout.STACK);
          moveBlock(e + ThreadLayout.CALLS);
          poisonAboveTop(e);
        }
        case Layout.OBJECT -> {
          if (!Layout.isWeak(memory.get(e))) {
            moveBlock(e + Layout.OBJECT_TABLE);
          }
        }
        case Layout.DYNAMIC_BUFFER -> moveBlock(e + Layout.DYNAMIC_BLOCK);
        default -> {}
      }
    });
    context.raw().release((flags & CollectFlags.EMERGENCY) != 0);
  }

  /** Moves an auxiliary block, unless there is no room for it twice. */
  private void moveBlock(long place) {
    long block = Values.raw(memory.get(place));
    if (block == 0 || context.hasUserFunctions()) {
      return;
    }
    SizeClassAllocator allocator = context.raw().allocator();
    long bytes = allocator.size(block);
    long moved = allocator.alloc(bytes);
    if (moved != 0) {
      memory.copy(block, moved, bytes);
      fill(block, block + bytes);
      allocator.free(block);
      memory.put(place, Values.ofRaw(moved));
    }
  }

  private void poisonAboveTop(long thread) {
    long stack = Values.raw(memory.get(thread + ThreadLayout.STACK));
    long end = stack + (Values.raw(memory.get(thread + ThreadLayout.CAPACITY)) << 3);
    long top = stack + (Values.raw(memory.get(thread + ThreadLayout.TOP)) << 3);
    fill(top, end);
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
    return allocatedElements
        + large.allocatedElements()
        - largeMoved
        + context.builtins().allocatedElements();
  }

  @Override
  public long allocatedBytes() {
    return allocatedBytes
        + large.allocatedBytes()
        - largeMovedBytes
        + context.builtins().allocatedBytes();
  }

  @Override
  public long movedElements() {
    return movedElements;
  }

  @Override
  public @Nullable String verify() {
    return barrier.violation();
  }

  @Override
  public void close() {
    if (context.hasUserFunctions()) {
      large.close(context::release);
    }
  }
}
