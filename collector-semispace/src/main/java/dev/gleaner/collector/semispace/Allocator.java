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
 * <p>Small records, objects and strings come from {@link KindRuns}: the heap bumps through a run
 * without asking. All others are taken one by one. What is granted is charged, counted and zero;
 * after {@link #retire} every figure is exact, and what is unused can be walked over.
 */
final class Allocator implements Space, Budget.Advances {
  private static final int LEAST_STRETCH_BITS = 8;

  /** Stretches of 8 KiB: clearing one leaves the first-level cache to the mutator. */
  private static final int MOST_GROWTH = 5;

  private static final long MOST_CELLS = 1 << (LEAST_STRETCH_BITS + MOST_GROWTH - 3);

  private final Memory memory;
  private final Budget budget;
  private final AllocationGate gate;
  private final SpaceSize size;
  private final @Nullable KindRuns[] runs = new KindRuns[Layout.KINDS];
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
    runs[Layout.RECORD] = new KindRuns();
    runs[Layout.OBJECT] = new KindRuns();
    runs[Layout.STRING] = new KindRuns();
  }

  /** The runs of a kind, or null. */
  long @Nullable [] runs(int kind) {
    KindRuns r = runs[kind];
    return r == null ? null : r.runs;
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
    KindRuns r = runs[kind];
    return r == null ? takeOne(kind, words << 3) : refill(r, kind, (int) words);
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

  private long refill(KindRuns r, int kind, int c) {
    int bytes = c << 3;
    if (bytes > budget.remaining()) { // the limit is exact: charge takes all advances back first
      if (!budget.charge(bytes)) {
        return 0;
      }
      budget.refund(bytes);
    }
    long[] run = r.runs;
    long at = run[2 * c];
    if (at + bytes > run[2 * c + 1]) {
      if (at == r.stretchEnd[c]) {
        at = newStretch(r, kind, c, bytes);
        if (at == 0) {
          return 0;
        }
      }
      long most =
          Math.min(Math.min(gate.grant(), MOST_CELLS) * bytes, budget.remaining() / bytes * bytes);
      grant(r, kind, c, at, Math.min(r.stretchEnd[c], at + Math.max(most, bytes)));
    }
    run[2 * c] = at + bytes;
    return at;
  }

  private long newStretch(KindRuns r, int kind, int c, int bytes) {
    long cells = Math.max(1, (1L << (LEAST_STRETCH_BITS + r.growth[c])) / bytes);
    long stretch = cells * bytes;
    if (r.growth[c] < MOST_GROWTH) {
      r.growth[c]++;
    }
    long at = spaces.take(kind, stretch);
    if (at == 0) {
      stretch = bytes;
      at = spaces.take(kind, bytes);
      if (at == 0) {
        return 0;
      }
    }
    memory.zero(at, stretch);
    r.stretchEnd[c] = at + stretch;
    return at;
  }

  private void grant(KindRuns r, int kind, int c, long at, long end) {
    long bytes = end - at;
    boolean within = budget.charge(bytes);
    assert within;
    count(kind, bytes / (c << 3), bytes);
    gap(end, r.stretchEnd[c]);
    r.runs[2 * c] = at;
    r.runs[2 * c + 1] = end;
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

  /** Gives the unused parts of all runs back. */
  @Override
  public void retire() {
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      KindRuns r = runs[kind];
      if (r != null) {
        retire(r, kind);
      }
    }
  }

  private void retire(KindRuns r, int kind) {
    for (int c = 1; c <= SizeClasses.EXACT; c++) {
      long at = r.runs[2 * c];
      long end = r.runs[2 * c + 1];
      if (at < end) {
        budget.refund(end - at);
        count(kind, -(end - at) / (c << 3), at - end);
        r.runs[2 * c + 1] = at;
        gap(at, r.stretchEnd[c]);
      }
    }
  }

  @Override
  public long unusedBytes() {
    long n = 0;
    for (KindRuns r : runs) {
      if (r != null) {
        for (int c = 1; c <= SizeClasses.EXACT; c++) {
          n += r.runs[2 * c + 1] - r.runs[2 * c];
        }
      }
    }
    return n;
  }

  /** Goes on in the half to which the living were copied, and pays for them alone. */
  void moveTo(CopySpaces to) {
    for (KindRuns r : runs) {
      if (r != null) {
        Arrays.fill(r.runs, 0);
        Arrays.fill(r.stretchEnd, 0);
      }
    }
    spaces = to;
    long live = to.bytes();
    budget.notePeak();
    budget.refund(charged - live);
    charged = live;
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
    KindRuns r = runs[kind];
    long n = 0;
    for (int c = 1; r != null && c <= SizeClasses.EXACT; c++) {
      n += (r.runs[2 * c + 1] - r.runs[2 * c]) / (c << 3);
    }
    return n;
  }
}
