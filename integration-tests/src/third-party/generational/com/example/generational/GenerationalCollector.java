package com.example.generational;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.RootVisitor;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.mark.MarkPhase;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Budget;
import dev.gleaner.space.CellSpace;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.Releaser;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.SpaceSet;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * Two generations (Ungar 1984): a {@link Nursery} that is copied, and an old generation that is
 * marked and swept.
 *
 * <pre>
 *   minor   1 copy      what roots, built-ins and {@link Remembered} elements reach of the young
 *           2 finalize  the young that nothing reached -> finalize list, copied too
 *           3 clear     weak references to the young that go; the strings among them
 *           4 release   what the dead own; the tables are told the new places
 *           5 flip      the nursery is empty, survivors change sides
 *
 *   full    1 mark      everything, young and old
 *           2 finalize, clear, release
 *           3 sweep     the old generation
 *           4 promote   all young that are marked, into the room that this made
 * </pre>
 *
 * <p>Promotion never fails in the midst: what is young is refunded to the budget before it is
 * charged where it goes, cells of small elements are as large as these are, and pages for all of
 * the young are kept ({@link #keepRoom}). Where there are none, all are born old.
 *
 * <p>A full collection is due when the bytes in use have doubled; or when the voluntary trigger
 * says so, which minor ones do not use up. Elements of more than 32 words, threads, and all of them
 * under a user's allocation functions are born old.
 */
final class GenerationalCollector implements Collector {
  /** Kind 15; as a value raw, and as an offset out of bounds. */
  private static final long POISON = 0xFFFF_7BAD_7BAD_7BAFL;

  /**
   * Of cells of each size and each of six kinds a page may be begun; one of each is kept anyway.
   */
  private static final long BEGUN_PAGES = 160 << 10;

  private static final long LEAST_THRESHOLD = 8 << 20;

  private final HeapContext context;
  private final Memory memory;
  private final Budget budget;
  private final Nursery nursery;
  private final CellSpace cells;
  private final LargeSpace large;
  private final SpaceSet spaces;
  private final Remembered remembered;
  private final Evacuator evacuator;
  private final MarkPhase phase;
  private final MarkBits marks;
  private final DuktapeFinalizers finalizers;
  private final long slack;
  private final boolean poisons;

  /** Whether pages are kept for the nursery to be promoted. */
  private boolean roomKept;

  /** What may be charged before a full collection. */
  private long threshold;

  private boolean refused;

  /** Whether most of what is young stays, so that to keep it young a while is copied twice. */
  private boolean promotesAtOnce;

  /** Finalizers set since the last collection but one have higher numbers. */
  private long oldSerial;

  private long lastSerial;

  // Made once: a collection allocates nothing.
  private final RootVisitor forwardRoot;
  private final LongPredicate isReached;
  private final LongPredicate isMarked;
  private final LongUnaryOperator moved;
  private final OffsetVisitor scan;
  private final OffsetVisitor afterMinor = this::afterMinor;
  private final OffsetVisitor releaseUnmarked = this::releaseUnmarked;
  private final OffsetVisitor promoteMarked = this::promoteMarked;
  private final Releaser releaser;
  private final DuktapeFinalizers.Tracer copying = new CopyingTracer();

  GenerationalCollector(HeapContext context, long nurseryBytes) {
    this.context = context;
    this.memory = context.memory();
    this.budget = context.budget();
    context.raw().endAt(Forwarding.REACH);
    this.nursery = new Nursery(context, nurseryBytes);
    this.cells = new CellSpace(context.raw(), budget, context.gate());
    this.large = context.newLargeSpace();
    budget.addAdvances(nursery);
    this.spaces = new SpaceSet(nursery, cells, large, context.builtins());
    this.remembered = new Remembered(context);
    this.evacuator = new Evacuator(context, nursery, cells, remembered);
    this.phase = new MarkPhase(context);
    this.marks = phase.newBits();
    this.finalizers = new DuktapeFinalizers(context);
    this.slack = 2 * nursery.youngBytes();
    this.poisons =
        context.settings().verifyAfterCollection() || context.settings().torture().gcEvery() > 0;
    this.forwardRoot = evacuator::forward;
    this.isReached = evacuator::isReached;
    this.isMarked = marks::get;
    this.moved = evacuator::moved;
    this.scan = evacuator::scan;
    this.releaser = context::release;
    this.evacuator.begin(false);
    setThreshold();
    keepRoom();
  }

  // ---- allocation ----

  @Override
  public long[] allocationBuffers(int kind) {
    return nursery.runs(kind);
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    if (!Evacuator.isSmall(words) || kind == Layout.THREAD || !roomKept) {
      return allocateOld(kind, words);
    }
    long element = nursery.allocate(kind, (int) words);
    return element >= 0 ? element : admits(0) ? NURSERY_FULL : FULL_DUE;
  }

  private long allocateOld(int kind, long words) {
    if (!admits(words << 3)) {
      return FULL_DUE;
    }
    boolean isLarge = Evacuator.isLarge(words) || context.hasUserFunctions();
    long element = isLarge ? large.allocate(kind, words) : cells.refill(kind, words);
    if (element != 0 && Layout.hasReferences(kind) && nursery.hasRoom()) {
      remembered.add(element);
    }
    return element;
  }

  /** Whether so many bytes may be taken before a full collection, which is asked for once. */
  private boolean admits(long bytes) {
    if (refused || budget.charged() + bytes <= threshold) {
      refused = false;
      return true;
    }
    refused = true;
    return false;
  }

  private void setThreshold() {
    threshold = Math.min(budget.max(), Math.max(LEAST_THRESHOLD, 2 * budget.used() + slack));
  }

  /** Keeps pages to which all that is young can be promoted. */
  private void keepRoom() {
    roomKept = nursery.hasRoom() && context.raw().reserveCells(nursery.youngBytes() + BEGUN_PAGES);
  }

  @Override
  public void retire() {
    spaces.retire();
  }

  @Override
  public void afterStore(long holder, long place, long value) {
    if (value == 0 || evacuator.isCollected(value)) {
      remembered.stored(holder, place);
    }
  }

  // ---- collections ----

  @Override
  public void collect(CollectionRequest request) {
    retire();
    if (request.isMinor()) {
      collectYoung();
    } else {
      collectAll(request.flags());
      setThreshold();
    }
    keepRoom();
    oldSerial = lastSerial;
    lastSerial = context.finalizers().lastSerial();
  }

  private void collectYoung() {
    long young = nursery.bytes();
    long promotedBefore = evacuator.promotedBytes();
    beginCopying(promotesAtOnce);
    context.builtins().forEach(scan);
    context.roots().forEachRoot(forwardRoot);
    remembered.scan(evacuator);
    evacuator.drain();
    int since = context.finalizers().firstSince(oldSerial + 1);
    finalizers.findYoung(copying, since);
    context.sweepYoungWeak(isReached);
    nursery.forEachWithin(afterMinor);
    context.relocateYoung(since, moved);
    long kept = evacuator.top() - nursery.survivorsTo();
    kept += evacuator.promotedBytes() - promotedBefore;
    promotesAtOnce = kept > (promotesAtOnce ? young >> 2 : young >> 1);
    endCopying();
  }

  /** Releases what an element of the young owned, or tells where a string is. */
  private void afterMinor(long element) {
    int kind = Layout.kind(memory.get(element));
    long to = Forwarding.get(memory, element);
    if (kind == Layout.STRING) {
      if (to != 0) {
        context.stringMoved(element, to);
      } else {
        context.stringDied(element);
      }
    } else if (to == 0 && Layout.ownsResources(kind)) {
      context.release(kind, element);
    }
  }

  private void collectAll(int flags) {
    phase.start(marks);
    phase.drain();
    phase.finish();
    nursery.forEach(releaseUnmarked);
    remembered.retain(isMarked);
    large.sweep(marks, releaser);
    cells.sweep(marks, releaser);
    beginCopying(true);
    nursery.forEach(promoteMarked); // no scan comes by what weak tables hold
    context.builtins().forEach(scan);
    context.roots().forEachRoot(forwardRoot);
    large.forEach(scan);
    remembered.scan(evacuator);
    evacuator.drain();
    context.relocate(moved);
    endCopying();
    context.tidy(flags, spaces::forEach);
  }

  private void promoteMarked(long element) {
    if (marks.get(element)) {
      long _ = evacuator.forward(element);
    }
  }

  private void releaseUnmarked(long element) {
    int kind = Layout.kind(memory.get(element));
    if (!marks.get(element) && Layout.ownsResources(kind)) {
      context.release(kind, element);
    }
  }

  private void beginCopying(boolean promotesAll) {
    nursery.refund();
    context.raw().beginCopies();
    evacuator.begin(promotesAll);
  }

  private void endCopying() {
    context.raw().endCopies();
    nursery.flip(evacuator.top(), evacuator.survivors());
    evacuator.begin(false);
    if (poisons && nursery.hasRoom()) {
      nursery.fill(POISON);
    }
  }

  private final class CopyingTracer implements DuktapeFinalizers.Tracer {
    @Override
    public boolean isReached(long element) {
      return evacuator.isReached(element);
    }

    @Override
    public void reach(long element) {
      long _ = evacuator.forward(element);
    }

    @Override
    public void drain() {
      evacuator.drain();
    }
  }

  // ---- the whole ----

  @Override
  public SpaceSet spaces() {
    return spaces;
  }

  /** What is promoted came into the nursery before. */
  @Override
  public long allocatedElements() {
    return Collector.super.allocatedElements() - evacuator.promotedElements();
  }

  @Override
  public long allocatedBytes() {
    return Collector.super.allocatedBytes() - evacuator.promotedBytes();
  }

  @Override
  public long movedElements() {
    return evacuator.moved();
  }

  @Override
  public String verify() {
    long[] wrong = new long[2];
    forEachElement(e -> {
      long header = memory.get(e);
      if (header >>> 32 != 0) {
        wrong[0] = e;
      }
      if ((header & Layout.FLAG_UNLOGGED) != 0 && !isLargeElement(e, header)) {
        dev.gleaner.layout.Scanner.forEachPlace(
            memory, e, place -> wrong[1] = isYoung(memory.get(place)) ? e : wrong[1]);
      }
    });
    if (wrong[0] != 0) {
      return "element " + wrong[0] + " was left with a new place";
    }
    return wrong[1] == 0 ? null : "element " + wrong[1] + " refers to a young one, unremembered";
  }

  private boolean isLargeElement(long e, long header) {
    return Layout.payloadWords(memory, e, header) >= SizeClasses.LARGEST_WORDS;
  }

  private boolean isYoung(long value) {
    return Values.isReference(value) && evacuator.isCollected(value);
  }

  @Override
  public void close() {
    if (context.hasUserFunctions()) {
      large.close(context::release);
    }
    phase.close();
    marks.close();
    remembered.close();
  }
}
