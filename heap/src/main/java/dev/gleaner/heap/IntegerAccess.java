package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.spi.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Integers of 64 bits. An integer that fits 32 bits is always a tagged value. A larger integer is a
 * separate element, a box. A program sees a box as a value: two boxes of the same integer are
 * equal, and a box never changes.
 */
final class IntegerAccess {
  private final Mutator mutator;
  private final Driver driver;
  private final Memory mem;
  private final @Nullable FreeListSpace cells;
  private final long[] buffers;

  IntegerAccess(Mutator mutator, HeapParts context, Collector collector, Driver driver) {
    this.mutator = mutator;
    this.driver = driver;
    this.mem = context.memory();
    this.cells = collector.cells();
    this.buffers = collector.allocationBuffers(Layout.LONG);
  }

  static boolean fits(long value) {
    return value == (int) value;
  }

  void set(int d, long value) {
    long at = mutator.slot(d);
    if (fits(value)) {
      mutator.put(at, Values.ofInt((int) value));
    } else {
      long e = box(value);
      mutator.setSlot(d, e); // the slot may have moved
    }
  }

  /** Makes a box; may collect. */
  long box(long value) {
    long e = cells == null ? AllocationBuffers.take(buffers, 2) : cells.take(Layout.LONG, 2);
    if (e == 0) {
      e = driver.allocateElement(Layout.LONG, 1);
    } else {
      mem.put(e, Layout.header(Layout.LONG, 1));
    }
    mem.put(e + Layout.LONG_VALUE, value);
    return e;
  }

  long get(int s) {
    long v = mutator.value(s);
    if (Values.isInt(v)) {
      return Values.toInt(v);
    }
    if (!isBox(v)) {
      throw new HeapUsageException("not an integer: slot " + s + " holds " + mutator.describe(v));
    }
    return mem.get(v + Layout.LONG_VALUE);
  }

  boolean isInteger(int s) {
    long v = mutator.value(s);
    return Values.isInt(v) || isBox(v);
  }

  boolean isBox(long v) {
    return Values.isReference(v) && Layout.kind(mem.get(v)) == Layout.LONG;
  }
}
