package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.spi.CollectionRequest.Cause;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.CollectorTraits;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Fixed and dynamic buffers by slots. */
final class BufferAccess {
  private final WordAccess r;
  private final HeapParts context;
  private final CollectorTraits traits;
  private final Collector collector;
  private final Driver driver;
  private final Memory mem;
  private final CriticalSection section;

  BufferAccess(HeapCore core) {
    this.r = core.registers();
    this.traits = core.traits();
    this.context = core.context();
    this.collector = core.collector();
    this.driver = core.driver();
    this.mem = core.context().memory();
    this.section = core.context().section();
  }

  void newFixed(int d, long bytes) {
    r.check();
    try {
      long _ = r.slot(d);
      checkSize(bytes);
      long e = driver.allocateElement(Layout.BUFFER, 1 + ((bytes + 7) >>> 3));
      mem.put(e + Layout.BUFFER_SIZE, bytes);
      r.setSlot(d, e);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void newDynamic(int d, long bytes) {
    r.check();
    try {
      long _ = r.slot(d);
      checkSize(bytes);
      long block = bytes == 0 ? 0 : allocateBlock(bytes);
      long e;
      try {
        e = driver.allocateElement(Layout.DYNAMIC_BUFFER, 2);
      } catch (RuntimeException | Error x) {
        context.functions().free(block);
        throw x;
      }
      mem.put(e + Layout.DYNAMIC_BLOCK, Values.ofRaw(block));
      mem.put(e + Layout.DYNAMIC_SIZE, bytes);
      r.setSlot(d, e);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private long allocateBlock(long bytes) {
    driver.beforeAllocation();
    for (int attempt = 0; ; attempt++) {
      long block = context.functions().alloc(bytes);
      if (block != 0) {
        clear(block, 0, bytes);
        return block;
      }
      driver.beforeRetry(attempt, bytes);
    }
  }

  private static void checkSize(long bytes) {
    if (bytes < 0) {
      throw new HeapUsageException("no buffer size: " + bytes);
    }
  }

  private long buffer(int b) {
    long e = r.reference(b);
    int kind = Layout.kind(mem.get(e));
    if (kind != Layout.BUFFER && kind != Layout.DYNAMIC_BUFFER) {
      throw r.wrongKind(b, "buffer");
    }
    return e;
  }

  long size(int b) {
    r.checkThread();
    return sizeOf(b);
  }

  private long sizeOf(int b) {
    long e = buffer(b);
    boolean fixed = Layout.kind(mem.get(e)) == Layout.BUFFER;
    return mem.get(e + (fixed ? Layout.BUFFER_SIZE : Layout.DYNAMIC_SIZE));
  }

  /** Returns the place of {@code length} bytes from {@code at} on. */
  long place(int b, long at, long length) {
    long e = buffer(b);
    boolean fixed = Layout.kind(mem.get(e)) == Layout.BUFFER;
    long n = mem.get(e + (fixed ? Layout.BUFFER_SIZE : Layout.DYNAMIC_SIZE));
    if (at < 0 || at > n - length) {
      throw new HeapUsageException(
          "no bytes " + at + " to " + (at + length) + " in a buffer of " + n);
    }
    return at + (fixed ? e + Layout.BUFFER_DATA : Values.raw(mem.get(e + Layout.DYNAMIC_BLOCK)));
  }

  void resize(int b, long bytes) {
    r.check();
    try {
      checkSize(bytes);
      if (Layout.kind(mem.get(buffer(b))) == Layout.BUFFER) {
        throw new HeapUsageException("fixed buffer: slot " + b);
      }
      checkUnpinned(b);
      if (bytes == 0) {
        long e = buffer(b);
        long block = Values.raw(mem.get(e + Layout.DYNAMIC_BLOCK));
        mem.put(e + Layout.DYNAMIC_SIZE, 0);
        mem.put(e + Layout.DYNAMIC_BLOCK, Values.ofRaw(0));
        context.functions().free(block); // last: now nothing leads to the block
        return;
      }
      driver.beforeAllocation();
      for (int attempt = 0; ; attempt++) {
        // Each attempt reads the buffer anew: a finalizer may have resized or pinned it.
        checkUnpinned(b);
        if (reallocate(buffer(b), bytes)) {
          return;
        }
        driver.beforeRetry(attempt, bytes);
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Frees the old block before the element leads to the new block: an Error between breaks both.
   */
  private boolean reallocate(long e, long bytes) {
    long block = Values.raw(mem.get(e + Layout.DYNAMIC_BLOCK));
    section.enter();
    long moved = context.functions().realloc(block, bytes);
    if (moved != 0) {
      long old = mem.get(e + Layout.DYNAMIC_SIZE);
      if (bytes > old) {
        clear(moved, old, bytes);
      }
      mem.put(e + Layout.DYNAMIC_BLOCK, Values.ofRaw(moved));
      mem.put(e + Layout.DYNAMIC_SIZE, bytes);
    }
    section.leave();
    return moved != 0;
  }

  private void checkUnpinned(int b) {
    if (context.pins().size() > 0 && context.pins().contains(buffer(b))) {
      throw new HeapUsageException("pinned buffer: slot " + b);
    }
  }

  // ---- bytes ----

  byte getByte(int b, long at) {
    r.checkThread();
    return mem.getByte(place(b, at, 1));
  }

  void putByte(int b, long at, byte v) {
    r.check();
    mem.putByte(place(b, at, 1), v);
  }

  long getLong(int b, long at) {
    r.checkThread();
    return mem.get(place(b, at, 8));
  }

  void putLong(int b, long at, long v) {
    r.check();
    mem.put(place(b, at, 8), v);
  }

  void read(int b, long at, byte[] to, int offset, int length) {
    r.checkThread();
    Objects.checkFromIndexSize(offset, length, Objects.requireNonNull(to, "to").length);
    mem.read(place(b, at, length), to, offset, length);
  }

  void write(int b, long at, byte[] from, int offset, int length) {
    r.check();
    Objects.checkFromIndexSize(offset, length, Objects.requireNonNull(from, "from").length);
    mem.write(place(b, at, length), from, offset, length);
  }

  MemorySegment view(int b) {
    r.check();
    return viewOf(b);
  }

  private MemorySegment viewOf(int b) {
    long n = sizeOf(b);
    return n == 0 ? MemorySegment.NULL : mem.view(place(b, 0, n), n);
  }

  // ---- pins ----

  MemorySegment pin(int b) {
    r.check();
    try {
      hold(b);
      return viewOf(b);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private void hold(int b) {
    long e = buffer(b);
    if (!traits.pinning() || !mem.keepsPlace()) {
      throw new HeapUsageException(
          "no pinning: collector "
              + context.settings().collector()
              + (traits.pinning() ? " in grown memory" : ""));
    }
    boolean fixed = Layout.kind(mem.get(e)) == Layout.BUFFER;
    for (int attempt = 0; fixed && !collector.stays(buffer(b)); ) {
      if (collector.makeStay(buffer(b))) {
        driver.collect(Cause.PIN, 0);
      } else {
        driver.beforeRetry(attempt++, sizeOf(b));
      }
    }
    long pinned = buffer(b);
    section.enter();
    context.pins().pin(pinned);
    section.leave();
  }

  void unpin(int b) {
    r.check();
    try {
      long e = buffer(b);
      section.enter();
      boolean was = context.pins().unpin(e);
      section.leave();
      if (!was) {
        throw new HeapUsageException("not pinned: slot " + b);
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private void clear(long block, long from, long to) {
    long aligned = Math.min(to, (from + 7) & -8L);
    for (long at = from; at < aligned; at++) {
      mem.putByte(block + at, (byte) 0);
    }
    if (to > aligned) {
      mem.zero(block + aligned, (to - aligned + 7) & -8L);
    }
  }
}
