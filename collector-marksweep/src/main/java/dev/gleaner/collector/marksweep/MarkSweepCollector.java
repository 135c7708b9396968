package dev.gleaner.collector.marksweep;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.mark.MarkPhase;
import dev.gleaner.mark.Phases;
import dev.gleaner.space.CellSpace;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.Releaser;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.SpaceSet;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Mark-and-sweep (Duktape, "Mark-and-sweep"), with mark bits at the side and lazy sweeping.
 *
 * <pre>
 *   1 mark      built-ins, threads, globals, finalize list, and what they reach
 *   2 finalize  the unreachable with a finalizer that did not run yet -> finalize list, marked too;
 *               those whose finalizer ran: reachable -> rescued, else forgotten
 *   3 clear     weak references, access cache, string table
 *   4 sweep     resources of the dead; blocks counted and given back; cells are found free later
 *   5 tidy      string table, value stacks; in an emergency property tables, pages
 * </pre>
 *
 * <p><b>Incremental</b>: snapshot at the beginning (Yuasa 1990). The first slice marks all roots
 * and everything on the running threads' stacks; while the cycle runs, a store first marks the
 * reference that it overwrites, a weak reference that is read and a string that is found again are
 * marked, and new elements are born marked. So slots need no barrier, and nobody looks at the roots
 * again. The slice in which marking ends does step 2, and clears weak references. From then on the
 * program cannot reach what is not marked, but for strings in the table. So the rest is done in
 * slices: the string table first, while a string that is found is marked; then elements, block by
 * block. Two sets of bits take turns, because allocation goes on finding free cells by the old one,
 * until the sweep begins.
 *
 * <p>A full collection gives up a cycle that marks and starts afresh, so that it is exact. Whoever
 * walks over all elements ends a cycle's sweep before.
 */
final class MarkSweepCollector implements Collector {
  /** The number of phases in which a cycle can be given up. */
  private static final int MARKING = 4;

  /** The number of phases before strings are swept: finalizers and weak tables are decided. */
  private static final int DECIDED = 8;

  /** The number of phases before memory is swept. */
  private static final int UNSWEPT = 9;

  /** The number of phases after which nothing dead is left. */
  private static final int ALL_BUT_TIDY = 11;

  private final HeapContext context;
  private final MarkPhase phase;
  private final CellSpace cells;
  private final LargeSpace large;
  private final SpaceSet spaces;
  private @Nullable MarkBits bits;
  private @Nullable MarkBits next;
  private final boolean inline;
  private final Releaser releaser;

  private final Phases phases = new Phases();

  /** Whether the phases were added. */
  private boolean sliced;

  /**
   * @param inline whether the rules are those of Duktape 1.x: finalizers run inside of collections
   */
  MarkSweepCollector(HeapContext context, boolean inline) {
    this.context = context;
    this.inline = inline;
    this.releaser = context::release;
    if (inline) {
      context.gate().trigger().countAsDuktape1();
    }
    this.phase = new MarkPhase(context);
    this.cells = new CellSpace(context.raw(), context.budget(), context.gate());
    this.large = context.newLargeSpace();
    this.spaces = new SpaceSet(cells, large, context.builtins());
  }

  @Override
  public long[] allocationBuffers(int kind) {
    return cells.allocationBuffers(kind);
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return bornBlack(context.builtins().allocate(words));
    }
    if (words <= SizeClasses.LARGEST_WORDS && !context.hasUserFunctions()) {
      return cells.refill(kind, words);
    }
    return bornBlack(large.allocate(kind, words));
  }

  private long bornBlack(long e) {
    if (e != 0 && phases.isIn(UNSWEPT) && next != null) {
      if (next.ensure(cells.extent())) {
        next.set(e);
      } else {
        abandon();
      }
    }
    return e;
  }

  @Override
  public void retire() {
    cells.retire();
  }

  @Override
  public boolean finalizesInline() {
    return inline;
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
  public void collect(CollectionRequest request) {
    abandon();
    MarkBits b = bits == null ? phase.newBits() : bits;
    bits = b;
    phase.start(b);
    phase.drain();
    phase.finish();
    large.sweep(b, releaser);
    cells.sweep(b, releaser);
    context.tidy(request.flags(), spaces::forEach);
  }

  @Override
  public boolean step(long deadline) {
    if (!sliced) {
      sliced = true;
      addPhases();
    }
    if (phases.isIdle()) {
      phases.start();
    }
    return phases.run(deadline);
  }

  /** Adds the phases of a cycle: a heap that is never collected in slices needs none. */
  private void addPhases() {
    phases
        .add("roots", this::startCycle)
        .add("roots", phase::takeStacks)
        .add("mark", this::mark)
        .add("decide", phase::traceWeak)
        .add("decide", phase::findFinalizers)
        .add("decide", phase::hideLost)
        .add("decide", phase::traceHeld)
        .add("decide", phase::clearLost)
        .add("strings", this::sweepStrings)
        .add("large", this::sweepLarge)
        .add("cells", this::sweepCells)
        .add("tidy", this::tidy)
        .add("clear", deadline -> next == null || phase.clear(next, deadline));
    phase.onHurry(() -> phases.runTo(DECIDED));
  }

  private void startCycle() {
    MarkBits b = next == null ? phase.newBits() : next;
    next = b;
    phase.start(b);
    cells.allocateBlack(b);
    context.setBarrier(true);
    phase.beginStacks(spaces::forEach);
  }

  private boolean mark(long deadline) {
    return phase.drain(deadline);
  }

  private boolean sweepStrings(long deadline) {
    if (!phase.sweepStrings(deadline)) {
      return false;
    }
    MarkBits done = Objects.requireNonNull(next);
    context.setBarrier(false);
    cells.allocateBlack(null);
    next = bits;
    bits = done;
    cells.beginSweep(done, releaser);
    large.beginSweep();
    return true;
  }

  private boolean sweepLarge(long deadline) {
    return large.sweepUntil(deadline, Objects.requireNonNull(bits), releaser);
  }

  private boolean sweepCells(long deadline) {
    return cells.sweepUntil(deadline);
  }

  private void tidy() {
    // The sweep closed the gaps of the string table: only one with few strings is made anew.
    context.tidy(context.baseFlags(), spaces::forEach);
  }

  /** Gives up a cycle that marks; ends one that sweeps. */
  private void abandon() {
    if (phases.isIn(MARKING)) {
      phase.abandon();
      context.setBarrier(false);
      cells.allocateBlack(null);
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
    spaces.forEach(visitor);
  }

  @Override
  public SpaceSet spaces() {
    return spaces;
  }

  @Override
  public String describe(long element) {
    if (phases.isIn(UNSWEPT) && next != null) {
      return next.isSet(element) ? "marked by the cycle under way" : "not marked yet";
    }
    return bits == null || !bits.isSet(element)
        ? "made since the last collection"
        : "marked by the last collection";
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
    if (context.hasUserFunctions()) {
      large.close(context::release);
    }
    phase.close();
    if (bits != null) {
      bits.close();
    }
    if (next != null) {
      next.close();
    }
  }
}
