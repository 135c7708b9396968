package dev.gleaner.space;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import dev.gleaner.util.ElementIndex;
import java.util.Arrays;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Elements with a block of their own from the allocation functions: large ones, and all of them
 * when the user provides the functions.
 *
 * <p>They are enumerated from a dense array of their offsets, which a sweep compacts. The extra
 * size word of a payload of {@link Layout#LARGE} words or more stands before the header. An index
 * of where in the array an element is gets made when one is freed by itself, and again after a
 * sweep.
 */
public final class LargeSpace implements Space {
  private final Memory memory;
  private final AllocationFunctions functions;
  private final @Nullable SizeClassAllocator known;
  private final AllocationGate gate;
  private long[] elements = new long[4];
  private int count;
  private final long[] byKind = new long[Layout.KINDS];
  private long allocatedElements;
  private long allocatedBytes;
  private @Nullable ElementIndex places;
  private boolean holding;
  private long[] held = new long[0];
  private int heldCount;

  /** Elements from here on are swept, or newer than the sweep. */
  private int sweepAt;

  /** How many elements the last sweep left. */
  private int old;

  /**
   * Makes the space.
   *
   * @param known the default allocator when {@code functions} is that, to learn what reads as zero
   */
  public LargeSpace(
      Memory memory,
      AllocationFunctions functions,
      @Nullable SizeClassAllocator known,
      AllocationGate gate) {
    this.memory = memory;
    this.functions = functions;
    this.known = known;
    this.gate = gate;
  }

  /**
   * Takes memory for an element, cleared.
   *
   * @param words the header's and the payload's
   * @return the element, or 0
   */
  public long allocate(int kind, long words) {
    int before = words - 1 >= Layout.LARGE ? Layout.WORD : 0;
    long bytes = (words << 3) + before;
    long block = functions.alloc(bytes);
    if (block == 0) {
      return 0;
    }
    if (known == null || !known.isZero(block)) {
      memory.zero(block, bytes);
    }
    if (count == elements.length) {
      elements = Arrays.copyOf(elements, count * 2);
    }
    long element = block + before;
    if (before != 0) {
      memory.put(block, words - 1);
    }
    if (places != null) {
      places.put(element, count);
    }
    elements[count++] = element;
    byKind[kind]++;
    allocatedElements++;
    allocatedBytes += bytes;
    gate.trigger().decrease(1);
    return element;
  }

  /** Frees one element, when what it owns was released. */
  public void free(long element) {
    ElementIndex index = index();
    int at = index.remove(element);
    long last = elements[--count];
    if (last != element) {
      elements[at] = last;
      index.put(last, at);
    }
    long header = memory.get(element);
    byKind[Layout.kind(header)]--;
    if (!holding) {
      free(element, header);
      return;
    }
    memory.put(element, (header & ~Layout.KIND_MASK) | ReferenceCounts.UNCOUNTED);
    if (heldCount == held.length) {
      held = Arrays.copyOf(held, Math.max(8, heldCount * 2));
    }
    held[heldCount++] = element;
  }

  /**
   * Keeps the memory of elements that are freed one by one, which read as free, until this is
   * switched off: somebody may still look at them.
   */
  public void hold(boolean on) {
    holding = on;
    while (!on && heldCount > 0) {
      long element = held[--heldCount];
      free(element, memory.get(element));
    }
  }

  /** Whether an offset, where an element was once, has one still. */
  public boolean contains(long offset) {
    return count > 0 && index().get(offset) >= 0;
  }

  private ElementIndex index() {
    ElementIndex index = places;
    if (index == null) {
      index = new ElementIndex();
      for (int i = 0; i < count; i++) {
        index.put(elements[i], i);
      }
      places = index;
    }
    return index;
  }

  /** Frees every element whose mark is not set. */
  public void sweep(MarkBits marks, Releaser releaser) {
    sweep(marks::get, releaser);
  }

  /** Frees every element that does not stay. */
  public void sweep(LongPredicate stays, Releaser releaser) {
    sweep(0, stays, releaser);
  }

  /**
   * Frees the elements that were made since the last sweep and whose mark is not set, and looks at
   * no others: in a minor collection.
   *
   * @param releaser told of those that own resources
   * @param strings told of each dead string
   */
  public void sweepYoung(MarkBits marks, Releaser releaser, OffsetVisitor strings) {
    int from = Math.min(old, count);
    for (int i = from; byKind[Layout.STRING] > 0 && i < count; i++) {
      if (Layout.kind(memory.get(elements[i])) == Layout.STRING && !marks.get(elements[i])) {
        strings.visit(elements[i]);
      }
    }
    sweep(from, marks::get, releaser);
  }

  private void sweep(int from, LongPredicate stays, Releaser releaser) {
    places = null;
    int kept = from;
    for (int i = from; i < count; i++) {
      long element = elements[i];
      if (stays.test(element)) {
        elements[kept++] = element;
      } else {
        freeDead(element, releaser);
      }
    }
    count = kept;
    old = kept;
  }

  private void freeDead(long element, Releaser releaser) {
    long header = memory.get(element);
    int kind = Layout.kind(header);
    if (Layout.ownsResources(kind)) {
      releaser.release(kind, element);
    }
    byKind[kind]--;
    free(element, header);
  }

  /** Begins a sweep that {@link #sweepUntil} goes on with; elements made later stay. */
  public void beginSweep() {
    sweepAt = count;
  }

  /**
   * Frees elements whose mark is not set, until the deadline. The last element takes the place of a
   * dead one: those behind the place where the sweep is are done, or new.
   *
   * @param deadline a time of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   * @return whether all are swept
   */
  public boolean sweepUntil(long deadline, MarkBits marks, Releaser releaser) {
    sweepAt = Math.min(sweepAt, count);
    while (sweepAt > 0) {
      long element = elements[--sweepAt];
      if (!marks.get(element)) {
        long last = elements[--count];
        elements[sweepAt] = last;
        if (places != null) {
          int _ = places.remove(element);
          if (last != element) {
            places.put(last, sweepAt);
          }
        }
        freeDead(element, releaser);
      }
      if ((sweepAt & 15) == 0 && deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
        return sweepAt == 0;
      }
    }
    return true;
  }

  private void free(long element, long header) {
    boolean large = (header & Layout.LOW_MASK) >>> Layout.SIZE_SHIFT == Layout.LARGE;
    functions.free(large ? element - Layout.WORD : element);
  }

  /** Frees every element, when its natives were released: the user's functions get all back. */
  public void close(Releaser releaser) {
    hold(false);
    for (int i = 0; i < count; i++) {
      long header = memory.get(elements[i]);
      int kind = Layout.kind(header);
      if (Layout.ownsResources(kind) && kind != Layout.NATIVE) {
        releaser.release(kind, elements[i]);
      }
      free(elements[i], header);
    }
    count = 0;
  }

  @Override
  public String name() {
    return "elements with a block of their own";
  }

  @Override
  public void forEach(OffsetVisitor visitor) {
    for (int i = 0; i < count; i++) {
      visitor.visit(elements[i]);
    }
  }

  /** Calls back for each element of a kind. */
  @Override
  public void forEach(int kind, OffsetVisitor visitor) {
    for (int i = 0; byKind[kind] > 0 && i < count; i++) {
      if (Layout.kind(memory.get(elements[i])) == kind) {
        visitor.visit(elements[i]);
      }
    }
  }

  @Override
  public long elements(int kind) {
    return byKind[kind];
  }

  @Override
  public long allocatedElements() {
    return allocatedElements;
  }

  @Override
  public long allocatedBytes() {
    return allocatedBytes;
  }
}
