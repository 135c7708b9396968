package dev.gleaner.collector.hybrid;

import dev.gleaner.count.CountingCollector;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.MarkPhase;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.MarkBits;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.HeapContext;

/**
 * Reference counting with mark-and-sweep for what counting cannot see (Duktape, "Interactions
 * between reference counting and mark-and-sweep").
 *
 * <pre>
 *   always         counts, refzero: CountingCollector
 *   a collection   1 mark    MarkPhase
 *                  2 adjust  what the dead hold loses a reference, and nothing else happens
 *                  3 free    the dead; the free lists are made anew; the counts are exact again
 * </pre>
 *
 * <p>Two scans, because in one the second element of a dead loop could be gone when the first drops
 * it ("Basic algorithm", steps 3 and 4).
 *
 * <p><b>Incremental</b>: snapshot at the beginning, as in mark-and-sweep; the barrier is the
 * decrement itself. What drops to zero is freed as always, but its memory is held until the cycle
 * ends, since the marker may come by; all cells that are free when the cycle begins are marked, so
 * that new elements are born marked.
 */
final class HybridCollector extends CountingCollector {
  private final Memory memory;
  private final MarkPhase phase;
  private final MarkBits bits;
  private final Scanner.Visitor dropIfLive = this::drop;
  private boolean inCycle;

  HybridCollector(HeapContext context, boolean inline, boolean checkBorrowed) {
    super(context, inline, checkBorrowed);
    this.memory = context.memory();
    this.phase = new MarkPhase(context, counts);
    this.bits = phase.newBits();
  }

  @Override
  public long allocate(int kind, long words) {
    long e = super.allocate(kind, words);
    boolean isCell = isCell(words) && !context.builtins().takes(kind);
    if (inCycle && e != 0 && !isCell) {
      if (bits.ensure(context.raw().extent())) {
        phase.setMarked(e);
      } else {
        endCycle();
      }
    }
    return e;
  }

  @Override
  public void collect(CollectionRequest request) {
    endCycle();
    start();
    phase.drain();
    finish(request.flags());
  }

  private void start() {
    phase.start(bits);
    counts.forEachZero(phase::mark); // counting frees them, after the finalizer that runs now
  }

  private void finish(int flags) {
    phase.finish();
    forEachCounted(this::adjust);
    large.sweep(bits, context::release);
    cells.sweep(bits, context::release);
    context.tidy(flags, spaces()::forEach);
  }

  /**
   * Drops what a dead element holds, if that stays; no count triggers anything. It can be the last
   * reference, to what was dropped otherwise while it was marked: that is freed afterwards.
   */
  private void adjust(long element) {
    if (bits.get(element)) {
      return;
    }
    long h = memory.get(element);
    int words = (int) h >>> Layout.SIZE_SHIFT;
    if (Layout.kind(h) == Layout.RECORD && words < Layout.LARGE) {
      for (int i = words; i > 0; i--) {
        drop(element + ((long) i << 3));
      }
    } else {
      Scanner.forEachPlace(memory, element, dropIfLive);
    }
  }

  private void drop(long place) {
    long v = memory.get(place);
    if (Values.isReference(v) && bits.get(v)) {
      counts.decrement(v);
    }
  }

  // ---- in slices ----

  @Override
  public boolean step(long deadline) {
    if (!inCycle) {
      inCycle = true;
      start();
      spaces().forEach(Layout.THREAD, phase::markRunningStack);
      context.setBarrier(true);
      counts.setObserver(this::dropped);
      cells.allocateBlack(bits);
      holdFreed(true);
    }
    if (!phase.drain(deadline)) {
      return false;
    }
    endCycle();
    finish(context.baseFlags());
    return true;
  }

  private void dropped(long element) {
    context.section().enter();
    phase.mark(element);
    context.section().leave();
  }

  private void endCycle() {
    if (inCycle) {
      inCycle = false;
      context.setBarrier(false);
      counts.setObserver(null);
      cells.allocateBlack(null);
      holdFreed(false);
    }
  }

  @Override
  public void beforeStore(long oldValue) {
    phase.mark(oldValue);
  }

  @Override
  public String describe(long element) {
    return !inCycle
        ? "no cycle is under way"
        : bits.isSet(element) ? "marked by the cycle under way" : "not marked yet";
  }

  @Override
  public boolean inCycle() {
    return inCycle;
  }

  @Override
  public void close() {
    endCycle();
    super.close();
    phase.close();
    bits.close();
  }
}
