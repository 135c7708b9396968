package dev.gleaner.inspect;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.Space;
import dev.gleaner.spi.Collector;
import org.jspecify.annotations.Nullable;

/**
 * The places of the elements of a heap that may be broken: a bit for each, found by one walk.
 *
 * <p>If the collector names its spaces, the walk neither finishes a sweep nor aborts a collection
 * under way. If damage leads the walk astray, the walk ends, and {@link #damage} says so.
 */
final class KnownElements implements AutoCloseable {
  private final Memory memory;
  private final Collector collector;
  private final long extent;
  private final MarkBits bits;
  private long steps;
  private @Nullable String damage;

  /** Visits the elements. */
  @FunctionalInterface
  interface Visitor {
    void element(long element, String space);
  }

  /**
   * Walks over all elements.
   *
   * @param visitor visits each element; an exception ends the walk
   */
  KnownElements(HeapParts context, Collector collector, Visitor visitor) {
    this.memory = context.memory();
    this.collector = collector;
    this.extent = context.raw().extent();
    this.bits = new MarkBits(context.regionBytes(), memory.isReserved());
    if (!bits.ensure(extent)) {
      bits.close();
      throw new HeapExhaustedException(
          context.heap(), context.budget().used(), context.budget().max(), extent >> 6);
    }
    try {
      walk(visitor);
    } catch (RuntimeException e) {
      damage = "the walk over the elements ended early: " + e;
    }
  }

  private void walk(Visitor visitor) {
    for (Space space : collector.spaces().parts()) {
      String name = space.name();
      space.forEach(e -> add(e, name, visitor));
    }
    if (collector.spaces().parts().isEmpty()) {
      collector.forEachElement(e -> add(e, "", visitor));
    }
  }

  private void add(long e, String space, Visitor visitor) {
    if (++steps > extent >> 3) {
      throw new IllegalStateException("more elements than there are words");
    }
    int kind = memory.contains(e) ? Layout.kind(memory.get(e)) : Layout.FREE;
    if (kind == Layout.FREE || kind >= Layout.KINDS || e >= extent) {
      return;
    }
    bits.set(e);
    visitor.element(e, space);
  }

  boolean contains(long offset) {
    return bits.isSet(offset);
  }

  boolean isString(long value) {
    return value % Layout.WORD == 0
        && contains(value)
        && Layout.kind(memory.get(value)) == Layout.STRING;
  }

  /** Returns the damage that kept the walk from seeing all elements, or null. */
  @Nullable String damage() {
    return damage;
  }

  @Override
  public void close() {
    bits.close();
  }
}
