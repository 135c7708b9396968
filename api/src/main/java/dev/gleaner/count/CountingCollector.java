package dev.gleaner.count;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.SpaceSet;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import org.jspecify.annotations.Nullable;

/**
 * What collectors that count have in common: the counts, the elements in cells with free lists or
 * in blocks of their own, and the refzero algorithm. How loops are found is left to the others.
 */
public abstract class CountingCollector implements Collector {
  protected final HeapContext context;
  protected final ReferenceCounts counts;
  protected final FreeListSpace cells;
  protected final LargeSpace large;
  private final SpaceSet spaces;
  private final RefZero refZero;

  private final boolean inline;
  private final boolean checkBorrowed;

  /**
   * Makes the common parts.
   *
   * @param inline whether the rules are those of Duktape 1.x: finalizers run from the refzero list
   * @param checkBorrowed whether cells are not used again before the next collection, so that a
   *     count of what they held is found out
   */
  protected CountingCollector(HeapContext context, boolean inline, boolean checkBorrowed) {
    this.context = context;
    this.inline = inline;
    this.checkBorrowed = checkBorrowed;
    this.counts = new ReferenceCounts(context.memory());
    this.cells = new FreeListSpace(context.raw(), context.budget(), context.gate());
    this.large = context.newLargeSpace();
    this.spaces = new SpaceSet(cells, large, context.builtins());
    cells.hold(checkBorrowed);
    this.refZero = new RefZero(context, counts, cells, large);
    counts.setFreer(inline ? null : refZero);
    if (inline) {
      context.gate().trigger().countAsDuktape1();
    }
  }

  @Override
  public final ReferenceCounts counts() {
    return counts;
  }

  /** The user's own functions are asked for every element. */
  @Override
  public final @Nullable FreeListSpace cells() {
    return context.hasUserFunctions() ? null : cells;
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    return isCell(words) ? cells.refill(kind, words) : large.allocate(kind, words);
  }

  /** Whether an element of so many words, the header's among them, lives in a cell. */
  protected final boolean isCell(long words) {
    return words <= SizeClasses.LARGEST_WORDS && !context.hasUserFunctions();
  }

  @Override
  public final void retire() {
    cells.retire();
  }

  @Override
  public final void freeUnreferenced() {
    if (inline) {
      refZero.runInline();
    } else {
      refZero.run();
    }
  }

  @Override
  public final boolean finalizesInline() {
    return inline;
  }

  /** Keeps the memory of what counting frees as it is, while somebody may come by. */
  protected final void holdFreed(boolean on) {
    cells.hold(on || checkBorrowed);
    large.hold(on);
  }

  /** Frees an element whose references are dropped, and that no table knows any more. */
  protected final void freeDropped(long element) {
    long _ = refZero.freeDropped(element);
  }

  /** Calls back for each element that counts can free. */
  protected final void forEachCounted(OffsetVisitor visitor) {
    cells.forEach(visitor);
    large.forEach(visitor);
  }

  @Override
  public final SpaceSet spaces() {
    return spaces;
  }

  @Override
  public final long promptlyReclaimedBytes() {
    return refZero.reclaimedBytes();
  }

  @Override
  public final long promptlyReclaimedElements() {
    return refZero.reclaimedElements();
  }

  @Override
  public void close() {
    if (context.hasUserFunctions()) {
      large.close(context::release);
    }
  }
}
