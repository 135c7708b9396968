package dev.gleaner.collector.marksweep;

import dev.gleaner.layout.Layout;
import dev.gleaner.mark.MarkPhase;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Budget;
import dev.gleaner.space.CellSpace;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.Releaser;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.SpaceSet;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Mark-and-sweep in two generations that lie together: what is marked is old (sticky mark bits,
 * Demers and others 1990).
 *
 * <pre>
 *   minor   the marks of the last collection stay, so that only young elements are marked: from the
 *           roots, and from old elements that the program stored into since (remembered); what is
 *           not marked is young and dead
 *   full    all marks are cleared first
 * </pre>
 *
 * <p>Nothing moves. What a minor collection marks is old from then on, and gets {@link
 * Layout#FLAG_UNLOGGED}, so that the heap tells of the first store into it. A small old element is
 * then remembered, and scanned as a whole by the next collection. A large one is not: what is
 * stored into it is marked at once, and stays until a full collection.
 *
 * <p>A minor collection is due when the program has taken half of what was in use after the last
 * collection, and at most {@code nursery}; later, where the last ones found little garbage. The
 * voluntary trigger asks for full ones; the garbage of minor ones does not count for it.
 */
final class StickyMarksCollector implements Collector {
  /** A minor collection costs more than less garbage than this is worth. */
  private static final long LEAST_NURSERY = 512 << 10;

  private static final int MOST_PATIENCE = 3;
  private static final int FEW = 64;
  private static final int MOST_KEPT = 4096;

  /** An element remembered for each 256 bytes is many: that takes a 32nd on Java's heap. */
  private static final int MANY_SHIFT = 8;

  private final HeapContext context;
  private final Memory memory;
  private final Budget budget;
  private final long nursery;
  private final MarkPhase phase;
  private final CellSpace cells;
  private final LargeSpace large;
  private final SpaceSet spaces;
  private final Releaser releaser;
  private @Nullable MarkBits bits;

  /** What was in use after the last collection. */
  private long liveAfter;

  /** What is charged when the next minor collection is due. */
  private long due;

  private boolean refused;

  /** The logarithm of how much longer than usual the next minor collection is put off. */
  private int patience;

  /** Old elements that may refer to young ones, and what was stored into large ones. */
  private long[] remembered = new long[FEW];

  private int count;

  /** The last finalizer that was set before the last collection. */
  private long lastSerial;

  StickyMarksCollector(HeapContext context, long nursery) {
    this.context = context;
    this.memory = context.memory();
    this.budget = context.budget();
    this.nursery = nursery;
    this.releaser = context::release;
    this.phase = new MarkPhase(context, this::becomesOld);
    this.cells = new CellSpace(context.raw(), budget, context.gate());
    this.large = context.newLargeSpace();
    this.spaces = new SpaceSet(cells, large, context.builtins());
    setDue();
  }

  @Override
  public long[] allocationBuffers(int kind) {
    return cells.allocationBuffers(kind);
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    if (budget.charged() >= due && !refused) {
      refused = true;
      return NURSERY_FULL;
    }
    if (words <= SizeClasses.LARGEST_WORDS && !context.hasUserFunctions()) {
      return cells.refill(kind, words);
    }
    return large.allocate(kind, words);
  }

  private void setDue() {
    refused = false;
    long used = budget.charged();
    due = used + (Math.clamp(used >> 1, LEAST_NURSERY, nursery) << patience);
  }

  @Override
  public void retire() {
    cells.retire();
  }

  // ---- remembering ----

  private void becomesOld(long element, long header) {
    if (Layout.hasReferences(Layout.kind(header))) {
      memory.put(element, header | Layout.FLAG_UNLOGGED);
    }
  }

  @Override
  public void afterStore(long holder, long place, long value) {
    long header = memory.get(holder);
    boolean isLarge = Layout.payloadWords(memory, holder, header) > SizeClasses.LARGEST_WORDS;
    if (!isLarge || value == 0 || !keeps(value)) {
      memory.put(holder, header & ~Layout.FLAG_UNLOGGED);
      remember(holder);
    }
  }

  /** Makes an element old at once; returns false if there is no memory for its mark bit. */
  private boolean keeps(long value) {
    MarkBits marks = Objects.requireNonNull(bits); // what is old was marked
    if (!marks.isSet(value)) {
      if (!marks.ensure(value + Layout.WORD)) {
        return false;
      }
      marks.set(value);
      remember(value);
    }
    return true;
  }

  /** Notes an element to be scanned. Many of them bring the next minor collection about. */
  private void remember(long element) {
    if (count == remembered.length) {
      remembered = Arrays.copyOf(remembered, count * 2);
      if (count > budget.charged() >> MANY_SHIFT) {
        due = 0;
      }
    }
    remembered[count++] = element;
  }

  // ---- collections ----

  @Override
  public void collect(CollectionRequest request) {
    retire();
    long before = budget.used();
    MarkBits marks = bits;
    if (request.isMinor() && marks != null) {
      phase.resume(marks);
      for (int i = 0; i < count; i++) {
        phase.rescan(remembered[i]);
      }
      phase.drain();
      phase.finishYoungAndStrings(context.finalizers().firstSince(lastSerial + 1));
      large.sweepYoung(marks, releaser, _ -> {});
    } else {
      marks = marks == null ? phase.newBits() : marks;
      bits = marks;
      phase.start(marks);
      phase.drain();
      phase.finish();
      large.sweep(marks, releaser);
    }
    count = 0;
    if (remembered.length > MOST_KEPT) {
      remembered = new long[FEW];
    }
    lastSerial = context.finalizers().lastSerial();
    cells.sweep(marks, releaser);
    await(before - liveAfter, before - budget.used());
    if (!request.isMinor()) {
      context.tidy(request.flags(), spaces::forEach);
    }
    setDue();
    liveAfter = budget.used();
  }

  /** Puts minor collections off while they find little garbage: full ones find it for less. */
  private void await(long young, long garbage) {
    boolean isWorth = garbage > young >> 1;
    patience = isWorth ? Math.max(0, patience - 1) : Math.min(MOST_PATIENCE, patience + 1);
  }

  // ---- the whole ----

  @Override
  public SpaceSet spaces() {
    return spaces;
  }

  @Override
  public String describe(long element) {
    return bits == null || !bits.isSet(element) ? "young" : "old";
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
  }
}
