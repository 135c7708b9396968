package com.example.markcompact;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.mark.Marker;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.MarkBits;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;

/**
 * Mark-compact in four passes, called Lisp 2 (Jones, Hosking, Moss, The Garbage Collection
 * Handbook, section 3.2): elements slide together and keep their order.
 *
 * <pre>
 *   1 mark      all that the roots reach, then what is to be finalized; weak references are cleared
 *   2 forward   each live element's new place goes into its header; the dead give back what they own
 *   3 update    roots, built-ins, live elements and the heap's tables: references to new places
 *   4 slide     the elements move
 * </pre>
 *
 * <p>Large elements stay where they are: {@link LargeSpace}. So do all of them when the user
 * provides the allocation functions, because each must be a request to those.
 */
final class MarkCompactCollector implements Collector, DuktapeFinalizers.Tracer {
  private final HeapContext context;
  private final Memory memory;
  private final Space space;
  private final LargeSpace large;
  private final Marker marker;
  private final MarkBits marks;
  private final DuktapeFinalizers finalizers;

  /** No element ends behind this. */
  private long extent;

  private long allocatedElements;
  private long allocatedBytes;

  MarkCompactCollector(HeapContext context, long largestChunk) {
    this.context = context;
    this.memory = context.memory();
    this.space = new Space(context.raw(), largestChunk);
    this.large = context.newLargeSpace();
    this.marker =
        new Marker(memory, context.regionBytes(), context.settings().mark().recursionLimit());
    this.marks = new MarkBits(context.regionBytes(), memory.isReserved());
    this.finalizers = new DuktapeFinalizers(context);
  }

  @Override
  public long allocate(int kind, long words) {
    long element;
    if (context.builtins().takes(kind)) {
      element = context.builtins().allocate(words);
    } else if (words > Space.LARGEST || context.hasUserFunctions()) {
      element = large.allocate(kind, words);
    } else {
      element = allocateSmall(kind, words);
    }
    if (element != 0) {
      extent = Math.max(extent, element + (words << 3));
    }
    return element;
  }

  private long allocateSmall(int kind, long words) {
    long bytes = words << 3;
    if (!context.budget().charge(bytes)) {
      return 0;
    }
    long element = space.allocate(kind, words);
    if (element == 0) {
      context.budget().refund(bytes);
      return 0;
    }
    context.gate().trigger().decrease(1);
    allocatedElements++;
    allocatedBytes += bytes;
    return element;
  }

  @Override
  public void collect(CollectionRequest request) {
    mark();
    finalizers.find(this);
    context.sweepWeak(marks::get);
    large.sweep(marks, context::release);
    long before = space.bytes();
    space.forward(marks, context::release);
    context.budget().notePeak();
    context.budget().refund(before - space.bytes());
    update();
    space.slide();
    tidy(request.flags());
  }

  private void mark() {
    if (!marker.start(marks, extent)) {
      throw new OutOfMemoryError("no memory for the mark bits");
    }
    finalizers.begin();
    context.builtins().forEach(marker::mark);
    context
        .roots()
        .forEachRoot(v -> {
          marker.mark(v);
          return v;
        });
    marker.drain();
  }

  @Override
  public boolean isReached(long element) {
    return marks.get(element);
  }

  @Override
  public void reach(long element) {
    marker.mark(element);
  }

  @Override
  public void drain() {
    marker.drain();
  }

  private void update() {
    context.roots().forEachRoot(this::moved);
    context.builtins().forEach(this::updateElement);
    large.forEach(this::updateElement);
    space.forEach(e -> {
      if (Forwarding.get(memory, e) != 0) {
        updateElement(e);
      }
    });
    context.relocate(this::moved);
  }

  private void updateElement(long element) {
    Scanner.forEachPlace(memory, element, place -> memory.put(place, moved(memory.get(place))));
  }

  private long moved(long value) {
    long to = Values.isReference(value) ? Forwarding.get(memory, value) : 0;
    return to == 0 ? value : to;
  }

  private void tidy(int flags) {
    boolean emergency = (flags & CollectFlags.EMERGENCY) != 0;
    if ((flags & CollectFlags.NO_STRING_TABLE_RESIZE) == 0) {
      context.strings().tidy();
    }
    forEach(Layout.THREAD, thread -> context.stacks().shrink(thread, emergency));
    if (emergency && (flags & CollectFlags.NO_OBJECT_COMPACTION) == 0) {
      forEach(Layout.OBJECT, context.tables()::compact);
    }
    context.raw().release(emergency);
  }

  private void forEach(int kind, OffsetVisitor visitor) {
    space.forEach(kind, visitor);
    large.forEach(kind, visitor);
    context.builtins().forEach(kind, visitor);
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
  public String verify() {
    return space.verify();
  }

  @Override
  public void close() {
    if (context.hasUserFunctions()) {
      large.close(context::release);
    }
    marker.close();
    marks.close();
  }
}
