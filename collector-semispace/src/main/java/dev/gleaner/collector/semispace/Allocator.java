package dev.gleaner.collector.semispace;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.Budget;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.Space;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes elements from the half in use.
 *
 * <p>Small records, objects and strings come from {@link KindBuffers}: the heap bumps through a
 * buffer without asking. All others are taken one by one. What is granted is charged, counted and
 * zero; after {@link #retire} every figure is exact, and what is unused can be walked over.
 */
final class Allocator implements Space, Budget.Advances {
  private static final int LEAST_SPAN_BITS = 8;

  /** Spans of 8 KiB: clearing one leaves the first-level cache to the mutator. */
  private static final int MOST_GROWTH = 5;

  private static final long MOST_CELLS = 1 << (LEAST_SPAN_BITS + MOST_GROWTH - 3);

  private final Memory memory;
  private final Budget budget;
  private final AllocationGate gate;
  private final SpaceSize size;
  private final @Nullable KindBuffers[] buffers = new KindBuffers[Layout.KINDS];
  private CopySpaces spaces;
  private long charged;
  private long allocatedElements;
  private long allocatedBytes;

  Allocator(HeapContext context, SpaceSize size, CopySpaces spaces) {
    this.memory = context.memory();
    this.budget = context.budget();
    this.gate = context.gate();
    this.size = size;
    this.spaces = spaces;
    budget.addAdvances(this);
    buffers[Layout.RECORD] = new KindBuffers();
    buffers[Layout.OBJECT] = new KindBuffers();
    buffers[Layout.STRING] = new KindBuffers();
  }

  /** The buffers of a kind, or null. */
  long @Nullable [] allocationBuffers(int kind) {
    KindBuffers b = buffers[kind];
    return b == null ? null : b.buffers;
  }

  /**
   * Takes an element that is not large, cleared.
   *
   * @return the element, or 0 if it is time to collect, or the limit or the memory says no
   */
  long allocate(int kind, long words) {
    if (!size.admits(words << 3)) {
      return 0;
    }
    KindBuffers b = buffers[kind];
    return b == null ? takeOne(kind, words << 3) : refill(b, kind, (int) words);
  }

  private long takeOne(int kind, long bytes) {
    if (!budget.charge(bytes)) {
      return 0;
    }
    long e = spaces.take(kind, bytes);
    if (e == 0) {
      budget.refund(bytes);
      return 0;
    }
    memory.zero(e, bytes);
    count(kind, 1, bytes);
    return e;
  }

  private void count(int kind, long n, long bytes) {
    gate.trigger().decrease(n);
    spaces.elements[kind] += n;
    charged += bytes;
    allocatedElements += n;
    allocatedBytes += bytes;
  }

  private long refill(KindBuffers b, int kind, int c) {
    int bytes = c << 3;
    if (bytes > budget.remaining()) { // the limit is exact: charge takes all advances back first
      if (!budget.charge(bytes)) {
        return 0;
      }
      budget.refund(bytes);
    }
    long[] buffer = b.buffers;
    long at = buffer[2 * c];
    if (at + bytes > buffer[2 * c + 1]) {
      if (at == b.spanEnd[c]) {
        at = newSpan(b, kind, c, bytes);
        if (at == 0) {
          return 0;
        }
      }
      long most =
          Math.min(Math.min(gate.grant(), MOST_CELLS) * bytes, budget.remaining() / bytes * bytes);
      grant(b, kind, c, at, Math.min(b.spanEnd[c], at + Math.max(most, bytes)));
    }
    buffer[2 * c] = at + bytes;
    return at;
  }

  private long newSpan(KindBuffers b, int kind, int c, int bytes) {
    long cells = Math.max(1, (1L << (LEAST_SPAN_BITS + b.growth[c])) / bytes);
    long span = cells * bytes;
    if (b.growth[c] < MOST_GROWTH) {
      b.growth[c]++;
    }
    long at = spaces.take(kind, span);
    if (at == 0) {
      span = bytes;
      at = spaces.take(kind, bytes);
      if (at == 0) {
        return 0;
      }
    }
    memory.zero(at, span);
    b.spanEnd[c] = at + span;
    return at;
  }

  private void grant(KindBuffers b, int kind, int c, long at, long end) {
    long bytes = end - at;
    boolean within = budget.charge(bytes);
    assert within;
    count(kind, bytes / (c << 3), bytes);
    gap(end, b.spanEnd[c]);
    b.buffers[2 * c] = at;
    b.buffers[2 * c + 1] = end;
  }

  /**
   * Makes what nothing lies in something that can be walked over. Its header is where the next
   * cell's will be, which the heap writes whatever was there.
   */
  private void gap(long from, long to) {
    if (from < to) {
      memory.put(from, Layout.header(Layout.FREE, (to - from - 8) >> 3));
    }
  }

  @Override
  public void giveBack() {
    retire();
  }

  /** Gives the unused parts of all buffers back. */
  @Override
  public void retire() {
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      KindBuffers b = buffers[kind];
      if (b != null) {
        retire(b, kind);
      }
    }
  }

  private void retire(KindBuffers b, int kind) {
    for (int c = 1; c <= SizeClasses.EXACT; c++) {
      long at = b.buffers[2 * c];
      long end = b.buffers[2 * c + 1];
      if (at < end) {
        budget.refund(end - at);
        count(kind, -(end - at) / (c << 3), at - end);
        b.buffers[2 * c + 1] = at;
        gap(at, b.spanEnd[c]);
      }
    }
  }

  @Override
  public long unusedBytes() {
    long n = 0;
    for (KindBuffers b : buffers) {
      if (b != null) {
        for (int c = 1; c <= SizeClasses.EXACT; c++) {
          n += b.buffers[2 * c + 1] - b.buffers[2 * c];
        }
      }
    }
    return n;
  }

  /** Goes on in the half to which the living were copied, and pays for them alone. */
  void moveTo(CopySpaces to) {
    for (KindBuffers b : buffers) {
      if (b != null) {
        Arrays.fill(b.buffers, 0);
        Arrays.fill(b.spanEnd, 0);
      }
    }
    spaces = to;
    long live = to.bytes();
    budget.notePeak();
    budget.refund(charged - live);
    charged = live;
  }

  @Override
  public String name() {
    return "the half in use";
  }

  @Override
  public void forEach(OffsetVisitor visitor) {
    retire();
    spaces.forEach(visitor);
  }

  @Override
  public void forEach(int kind, OffsetVisitor visitor) {
    forEach(e -> {
      if (Layout.kind(memory.get(e)) == kind) {
        visitor.visit(e);
      }
    });
  }

  /** Elements of a kind in the half in use. */
  @Override
  public long elements(int kind) {
    return spaces.elements[kind] - unusedElements(kind);
  }

  @Override
  public long allocatedElements() {
    long n = allocatedElements;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      n -= unusedElements(kind);
    }
    return n;
  }

  @Override
  public long allocatedBytes() {
    return allocatedBytes - unusedBytes();
  }

  private long unusedElements(int kind) {
    KindBuffers b = buffers[kind];
    long n = 0;
    for (int c = 1; b != null && c <= SizeClasses.EXACT; c++) {
      n += (b.buffers[2 * c + 1] - b.buffers[2 * c]) / (c << 3);
    }
    return n;
  }
}
