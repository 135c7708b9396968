package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.FreeListSpace;
import org.jspecify.annotations.Nullable;

/**
 * Integers of 64 bits. An integer that fits 32 bits is always a tagged value. A larger integer is a
 * separate element, a box. A program sees a box as a value: two boxes of the same integer are
 * equal, and a box never changes.
 */
final class IntegerAccess {
  private final WordAccess r;
  private final Driver driver;
  private final Memory mem;
  private final @Nullable FreeListSpace cells;
  private final long[] buffers;

  IntegerAccess(HeapCore core) {
    this.r = core.registers();
    this.driver = core.driver();
    this.mem = core.context().memory();
    this.cells = core.collector().cells();
    this.buffers = core.collector().allocationBuffers(Layout.LONG);
  }

  static boolean fits(long value) {
    return value == (int) value;
  }

  void setLong(int d, long value) {
    r.check();
    try {
      set(d, value);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Stores an integer into a slot; may collect. */
  void set(int d, long value) {
    long at = r.slot(d);
    if (fits(value)) {
      r.put(at, Values.ofInt((int) value));
    } else {
      long e = box(value);
      r.setSlot(d, e); // the slot may have moved
    }
  }

  /** Makes a box; may collect. */
  long box(long value) {
    long e = AllocationBuffers.take(cells, buffers, Layout.LONG, 2);
    if (e == 0) {
      e = driver.allocateElement(Layout.LONG, 1);
    } else {
      mem.put(e, Layout.header(Layout.LONG, 1));
    }
    mem.put(e + Layout.LONG_VALUE, value);
    return e;
  }

  long getLong(int s) {
    r.checkThread();
    return valueOf(s);
  }

  /** Returns the integer in a slot. */
  long valueOf(int s) {
    long v = r.value(s);
    if (Values.isInt(v)) {
      return Values.toInt(v);
    }
    if (!isBox(v)) {
      throw new HeapUsageException("not an integer: slot " + s + " holds " + r.describe(v));
    }
    return mem.get(v + Layout.LONG_VALUE);
  }

  boolean isInteger(int s) {
    r.checkThread();
    return holdsInteger(s);
  }

  boolean holdsInteger(int s) {
    long v = r.value(s);
    return Values.isInt(v) || isBox(v);
  }

  boolean isBox(long v) {
    return Values.isReference(v) && Layout.kind(mem.get(v)) == Layout.LONG;
  }
}
