package com.example.markcompact;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.MarkPhase;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.MarkBits;
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
final class MarkCompactCollector implements Collector {
  private final HeapContext context;
  private final Memory memory;
  private final Space space;
  private final LargeSpace large;
  private final MarkPhase phase;
  private final MarkBits marks;

  private long allocatedElements;
  private long allocatedBytes;

  MarkCompactCollector(HeapContext context, ChunkPolicy chunks) {
    this.context = context;
    this.memory = context.memory();
    this.space = new Space(context.raw(), chunks.largest());
    this.large = context.newLargeSpace();
    this.phase = new MarkPhase(context);
    this.marks = phase.newBits();
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    if (words > Space.LARGEST || context.hasUserFunctions()) {
      return large.allocate(kind, words);
    }
    return allocateSmall(kind, words);
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
    phase.start(marks);
    phase.drain();
    phase.finish();
    large.sweep(marks, context::release);
    long before = space.bytes();
    space.forward(marks, context::release);
    context.budget().notePeak();
    context.budget().refund(before - space.bytes());
    update();
    space.slide();
    context.tidy(request.flags(), this::forEach);
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
    phase.close();
    marks.close();
  }
}
