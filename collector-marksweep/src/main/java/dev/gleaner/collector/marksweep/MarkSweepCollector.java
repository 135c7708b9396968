package dev.gleaner.collector.marksweep;

import dev.gleaner.layout.Layout;
import dev.gleaner.mark.MarkPhase;
import dev.gleaner.space.CellSpace;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.SpaceSet;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
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
 * marked, and new elements are born marked. So slots need no barrier, and the last slice need not
 * look at the roots again; it does steps 2 to 5 in one go. Two sets of bits take turns, because
 * allocation goes on finding free cells by the old one. A full collection gives up a cycle and
 * starts afresh, so that it is exact.
 */
final class MarkSweepCollector implements Collector {
  private final HeapContext context;
  private final MarkPhase phase;
  private final CellSpace cells;
  private final LargeSpace large;
  private final SpaceSet spaces;
  private @Nullable MarkBits bits;
  private @Nullable MarkBits next;
  private final boolean inline;
  private boolean inCycle;

  /**
   * @param inline whether the rules are those of Duktape 1.x: finalizers run inside of collections
   */
  MarkSweepCollector(HeapContext context, boolean inline) {
    this.context = context;
    this.inline = inline;
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
    if (e != 0 && inCycle && next != null) {
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
    phase.mark(oldValue);
  }

  @Override
  public void collect(CollectionRequest request) {
    abandon();
    MarkBits b = bits == null ? phase.newBits() : bits;
    bits = b;
    phase.start(b);
    phase.drain();
    finish(b, request.flags());
  }

  @Override
  public boolean step(long deadline) {
    if (!inCycle) {
      startCycle();
    }
    if (!phase.drain(deadline)) {
      return false;
    }
    MarkBits done = next;
    if (done == null) {
      throw new IllegalStateException();
    }
    inCycle = false;
    context.setBarrier(false);
    cells.allocateBlack(null);
    next = bits;
    bits = done;
    finish(done, context.baseFlags());
    return true;
  }

  private void startCycle() {
    MarkBits b = next == null ? phase.newBits() : next;
    next = b;
    phase.start(b);
    inCycle = true;
    cells.allocateBlack(b);
    context.setBarrier(true);
    spaces.forEach(Layout.THREAD, phase::markRunningStack);
  }

  private void abandon() {
    if (inCycle) {
      inCycle = false;
      context.setBarrier(false);
      cells.allocateBlack(null);
    }
  }

  private void finish(MarkBits b, int flags) {
    phase.finish();
    large.sweep(b, context::release);
    cells.sweep(b, context::release);
    context.tidy(flags, spaces::forEach);
  }

  @Override
  public SpaceSet spaces() {
    return spaces;
  }

  @Override
  public String describe(long element) {
    if (inCycle && next != null) {
      return next.isSet(element) ? "marked by the cycle under way" : "not marked yet";
    }
    return bits == null || !bits.isSet(element)
        ? "made since the last collection"
        : "marked by the last collection";
  }

  @Override
  public boolean inCycle() {
    return inCycle;
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
