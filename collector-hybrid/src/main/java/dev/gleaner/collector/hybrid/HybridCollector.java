package dev.gleaner.collector.hybrid;

import dev.gleaner.count.CountingCollector;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.MarkPhase;
import dev.gleaner.mark.Phases;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.Releaser;
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
 * decrement itself. What drops to zero is freed as always, but its memory is held until the sweep,
 * since the marker may come by, and what the dead hold is looked up in the marks. New elements are
 * born marked. The slice in which marking ends decides about finalizers and weak references. From
 * then on the program cannot reach what is not marked, but for strings in the table: so these are
 * swept first, then counts are adjusted, then memory is swept, all of it in slices.
 */
final class HybridCollector extends CountingCollector {
  /** The number of phases in which a cycle can be given up. */
  private static final int MARKING = 4;

  /** The number of phases before strings are swept: finalizers and weak tables are decided. */
  private static final int DECIDED = 8;

  /** The number of phases before memory is swept. */
  private static final int UNSWEPT = 11;

  /** The number of phases after which nothing dead is left. */
  private static final int ALL_BUT_TIDY = 13;

  private final Memory memory;
  private final MarkPhase phase;
  private final MarkBits bits;
  private final Releaser releaser;
  private final Scanner.Visitor dropIfLive = this::drop;
  private final OffsetVisitor adjust = this::adjust;

  private final Phases phases;

  HybridCollector(HeapContext context, boolean inline, boolean checkBorrowed) {
    super(context, inline, checkBorrowed);
    this.memory = context.memory();
    this.releaser = context::release;
    this.phase = new MarkPhase(context, counts);
    this.bits = phase.newBits();
    this.phases =
        new Phases()
            .add("roots", this::startCycle)
            .add("roots", phase::takeStacks)
            .add("mark", this::mark)
            .add("decide", this::traceWeak)
            .add("decide", phase::findFinalizers)
            .add("decide", phase::hideLost)
            .add("decide", phase::traceHeld)
            .add("decide", phase::clearLost)
            .add("strings", this::sweepStrings)
            .add("counts", this::adjustCells)
            .add("counts", this::adjustLarge)
            .add("large", this::sweepLarge)
            .add("cells", this::sweepCells)
            .add("tidy", this::tidy)
            .add("clear", deadline -> phase.clear(bits, deadline));
    phase.onHurry(() -> phases.runTo(DECIDED));
  }

  @Override
  public long allocate(int kind, long words) {
    long e = super.allocate(kind, words);
    boolean isCell = isCell(words) && !context.builtins().takes(kind);
    if (phases.isIn(UNSWEPT) && e != 0 && !isCell) {
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
    forEachCounted(adjust);
    large.sweep(bits, releaser);
    cells.sweep(bits, releaser);
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
    if (phases.isIdle()) {
      phases.start();
    }
    return phases.run(deadline);
  }

  private void startCycle() {
    start();
    phase.beginStacks(spaces()::forEach);
    context.setBarrier(true);
    counts.setObserver(this::dropped);
    cells.allocateBlack(bits);
    holdFreed(true);
  }

  private boolean mark(long deadline) {
    return phase.drain(deadline);
  }

  private void dropped(long element) {
    context.section().enter();
    phase.mark(element);
    context.section().leave();
  }

  private boolean traceWeak(long deadline) {
    if (!phase.traceWeak(deadline)) {
      return false;
    }
    counts.setObserver(null);
    return true;
  }

  private boolean sweepStrings(long deadline) {
    if (!phase.sweepStrings(deadline)) {
      return false;
    }
    context.setBarrier(false);
    cells.beginWalk();
    return true;
  }

  private boolean adjustCells(long deadline) {
    return cells.walkUntil(deadline, adjust);
  }

  private void adjustLarge() {
    large.forEach(adjust);
    cells.allocateBlack(null);
    holdFreed(false);
    cells.beginSweep(bits, releaser);
    large.beginSweep();
  }

  private boolean sweepLarge(long deadline) {
    return large.sweepUntil(deadline, bits, releaser);
  }

  private boolean sweepCells(long deadline) {
    return cells.sweepUntil(deadline);
  }

  private void tidy() {
    // The sweep closed the gaps of the string table: only one with few strings is made anew.
    context.tidy(context.baseFlags(), spaces()::forEach);
  }

  /** Gives up a cycle that marks; ends one that sweeps. */
  private void endCycle() {
    if (phases.isIn(MARKING)) {
      phase.abandon();
      context.setBarrier(false);
      counts.setObserver(null);
      cells.allocateBlack(null);
      holdFreed(false);
    } else {
      phases.runTo(ALL_BUT_TIDY);
    }
    phases.stop();
  }

  /** Sees to it that a walk comes by nothing that is half gone. */
  @Override
  public void forEachElement(OffsetVisitor visitor) {
    if (!phases.isIn(MARKING)) {
      phases.runTo(ALL_BUT_TIDY);
    }
    spaces().forEach(visitor);
  }

  @Override
  public void beforeStore(long oldValue) {
    if (phases.isIn(MARKING)) {
      phase.mark(oldValue);
    } else {
      phase.keepString(oldValue);
    }
  }

  @Override
  public String describe(long element) {
    return !phases.isIn(UNSWEPT)
        ? "no cycle is under way"
        : bits.isSet(element) ? "marked by the cycle under way" : "not marked yet";
  }

  @Override
  public String phase() {
    return phases.longest();
  }

  @Override
  public boolean inCycle() {
    return !phases.isIdle();
  }

  @Override
  public void close() {
    endCycle();
    super.close();
    phase.close();
    bits.close();
  }
}
