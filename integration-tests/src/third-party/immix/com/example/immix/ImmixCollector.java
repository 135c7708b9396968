package com.example.immix;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.MarkPhase;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.SpaceSet;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.CollectionRequest.Cause;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import java.util.function.LongUnaryOperator;

/**
 * Mark-region (Blackburn and McKinley 2008, "Immix"): elements are marked, and with them the lines
 * that they are on; allocation fills the lines that are free.
 *
 * <pre>
 *   full    1 mark      what the roots reach, then what is to be finalized; weak references are cleared
 *           2 sweep     the dead give back what they own; lines without a marked element are free
 *           3 evacuate  if much is unused, or memory was refused: elements of nearly empty blocks move
 *           4 update    then roots, built-ins, live elements and the heap's tables learn the new places
 *
 *   minor   1 mark      marks and lines stay: what the roots and remembered elements reach of the young
 *           2 sweep     the young that are dead; nothing moves
 * </pre>
 *
 * <p>Minor collections are those of sticky mark bits (Demers et al. 1990): what is marked is old.
 * An old element has {@link #OLD}, and {@link Layout#FLAG_UNLOGGED} until something young is stored
 * into it. What is young and survives is old at once.
 *
 * <p>Larger elements stay where they are: {@link LargeSpace}. So do all of them when the user
 * provides the allocation functions, because each must be a request to those.
 */
final class ImmixCollector implements Collector {
  /** A header's flag: the element is old, and was counted. */
  private static final long OLD = 1L << Layout.COLLECTOR_FLAGS_SHIFT;

  private static final long LEAST_THRESHOLD = 8 << 20;

  private final HeapContext context;
  private final Memory memory;
  private final MarkPhase phase;
  private final MarkBits marks;
  private final LineSpace small;
  private final LargeSpace large;
  private final SpaceSet spaces;
  private final double mostUnused;
  private final LongUnaryOperator moved = this::moved;

  /** Bytes that are made before a minor collection; 0 if there is none. */
  private final long nursery;

  private final Offsets remembered = new Offsets();
  private boolean minor;

  /** What is in use when a full collection is due. */
  private long threshold = Long.MAX_VALUE;

  /** The bytes of large elements that were made before the last collection. */
  private long oldLarge;

  /** Finalizers that were set since the last collection have higher numbers. */
  private long lastSerial;

  private long movedElements;

  /**
   * Makes the collector of a heap.
   *
   * @param mostUnused the share of the blocks' bytes that may be unused before elements move
   * @param nursery the bytes that are made before a minor collection; 0 for none
   */
  ImmixCollector(HeapContext context, double mostUnused, long nursery) {
    this.context = context;
    this.memory = context.memory();
    this.nursery = Math.min(nursery, context.budget().max() >> 3);
    this.phase = new MarkPhase(context, this::reached);
    this.marks = phase.newBits();
    this.small = new LineSpace(context, marks, nursery > 0);
    this.large = context.newLargeSpace();
    this.spaces = new SpaceSet(small, large, context.builtins());
    this.mostUnused = context.settings().torture().gcEvery() > 0 ? 0 : mostUnused;
    setThreshold();
  }

  // ---- allocation ----

  @Override
  public long[] allocationBuffers(int kind) {
    return small.buffer();
  }

  @Override
  public void retire() {
    spaces.retire();
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    if (nursery > 0 && !context.builtins().isOpen()) {
      if (small.youngBytes() + large.allocatedBytes() - oldLarge > nursery) {
        return NURSERY_FULL;
      }
      if (context.budget().charged() > threshold) {
        return FULL_DUE;
      }
    }
    return words > LineSpace.LARGEST || context.hasUserFunctions()
        ? large.allocate(kind, words)
        : small.allocate(words);
  }

  private void setThreshold() {
    if (nursery > 0) {
      threshold = Math.max(LEAST_THRESHOLD, 2 * context.budget().used() + nursery);
    }
  }

  @Override
  public void afterStore(long holder, long place, long value) {
    if (value == 0 || !marks.isSet(value)) {
      memory.put(holder, memory.get(holder) & ~Layout.FLAG_UNLOGGED);
      remembered.add(holder);
    }
  }

  // ---- collections ----

  @Override
  public void collect(CollectionRequest request) {
    minor = request.isMinor();
    if (minor) {
      collectYoung();
    } else {
      collectAll(request);
    }
    remembered.clear();
    oldLarge = large.allocatedBytes();
    lastSerial = context.finalizers().lastSerial();
  }

  private void collectAll(CollectionRequest request) {
    small.beginMarking();
    phase.start(marks);
    phase.drain();
    phase.finish();
    sweep();
    boolean refused = request.cause() == Cause.EXHAUSTED || request.cause() == Cause.EMERGENCY;
    if (refused || small.unused() > mostUnused) {
      moveTogether();
    }
    small.giveBack();
    context.tidy(request.flags(), spaces::forEach);
    setThreshold();
  }

  private void collectYoung() {
    phase.resume(marks);
    remembered.forEach(phase::rescan);
    phase.drain();
    int since = context.finalizers().firstSince(lastSerial + 1);
    phase.finishYoung(since);
    sweep();
    small.giveBack();
    if (context.weakTables().size() > 0) {
      context.relocateYoung(since, e -> e); // what they hold is old now
    }
  }

  private void sweep() {
    if (minor) {
      large.sweepYoung(marks, context::release, context::stringDied);
    } else {
      large.sweep(marks, context::release);
    }
    small.sweep(minor);
  }

  /** Counts an element that is marked now, and makes it old. */
  private void reached(long element, long header) {
    if ((header & Layout.FLAG_IMMORTAL) != 0) {
      return;
    }
    long size = ((header & Layout.LOW_MASK) >>> Layout.SIZE_SHIFT) + 1 << 3;
    boolean isNew = !minor || (header & OLD) == 0;
    int kind = Layout.kind(header);
    if (isNew && size <= LineSpace.LARGEST << 3 && !context.hasUserFunctions()) {
      small.reached(kind, element, size);
    }
    if (nursery > 0) {
      memory.put(element, header | OLD | (Layout.hasReferences(kind) ? Layout.FLAG_UNLOGGED : 0));
    }
  }

  private void moveTogether() {
    long n = small.evacuate();
    movedElements += n;
    if (n > 0) {
      context.roots().forEachRoot(this::moved);
      spaces.forEach(this::update);
      small.relocateOwners(moved);
      context.relocate(moved);
    }
  }

  private void update(long element) {
    Scanner.forEachPlace(memory, element, place -> memory.put(place, moved(memory.get(place))));
  }

  private long moved(long value) {
    long to = Values.isReference(value) ? Forwarding.get(memory, value) : 0;
    return to == 0 ? value : to;
  }

  // ---- the whole ----

  @Override
  public SpaceSet spaces() {
    return spaces;
  }

  @Override
  public long movedElements() {
    return movedElements;
  }

  @Override
  public String describe(long element) {
    return marks.isSet(element)
        ? "marked by the last collection"
        : "made since the last collection";
  }

  @Override
  public String verify() {
    long[] wrong = new long[2];
    forEachElement(e -> {
      long header = memory.get(e);
      wrong[0] = Forwarding.get(memory, e) == 0 ? wrong[0] : e;
      if ((header & Layout.FLAG_UNLOGGED) != 0) {
        Scanner.forEachPlace(
            memory, e, place -> wrong[1] = isYoung(memory.get(place)) ? e : wrong[1]);
      }
    });
    return wrong[0] != 0
        ? "element " + wrong[0] + " was left with a new place"
        : wrong[1] != 0 ? "element " + wrong[1] + " refers to a young one, unremembered" : null;
  }

  private boolean isYoung(long value) {
    return Values.isReference(value)
        && !marks.isSet(value)
        && (memory.get(value) & Layout.FLAG_IMMORTAL) == 0;
  }

  @Override
  public void close() {
    if (context.hasUserFunctions()) {
      large.close(context::release);
    }
    phase.close();
    marks.close();
    small.close();
  }
}
