package com.example.immix;

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
 *   1 mark      what the roots reach, then what is to be finalized; weak references are cleared
 *   2 sweep     the dead give back what they own; lines without a marked element are free
 *   3 evacuate  if much is unused, or memory was refused: elements of nearly empty blocks move
 *   4 update    then roots, built-ins, live elements and the heap's tables learn the new places
 * </pre>
 *
 * <p>Larger elements stay where they are: {@link LargeSpace}. So do all of them when the user
 * provides the allocation functions, because each must be a request to those.
 */
final class ImmixCollector implements Collector {
  private final HeapContext context;
  private final Memory memory;
  private final MarkPhase phase;
  private final MarkBits marks;
  private final LineSpace small;
  private final LargeSpace large;
  private final SpaceSet spaces;
  private final double mostUnused;
  private final LongUnaryOperator moved = this::moved;
  private long movedElements;

  /**
   * Makes the collector of a heap.
   *
   * @param mostUnused the share of the blocks' bytes that may be unused before elements move
   */
  ImmixCollector(HeapContext context, double mostUnused) {
    this.context = context;
    this.memory = context.memory();
    this.phase = new MarkPhase(context);
    this.marks = phase.newBits();
    this.small = new LineSpace(context, marks);
    this.large = context.newLargeSpace();
    this.spaces = new SpaceSet(small, large, context.builtins());
    this.mostUnused = context.settings().torture().gcEvery() > 0 ? 0 : mostUnused;
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    return words > LineSpace.LARGEST || context.hasUserFunctions()
        ? large.allocate(kind, words)
        : small.allocate(kind, words);
  }

  @Override
  public void collect(CollectionRequest request) {
    phase.start(marks);
    phase.drain();
    phase.finish();
    large.sweep(marks, context::release);
    small.sweep();
    boolean refused = request.cause() == Cause.EXHAUSTED || request.cause() == Cause.EMERGENCY;
    if (refused || small.unused() > mostUnused) {
      moveTogether();
    }
    small.giveBack();
    context.tidy(request.flags(), spaces::forEach);
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
    long[] wrong = new long[1];
    forEachElement(e -> wrong[0] = Forwarding.get(memory, e) == 0 ? wrong[0] : e);
    return wrong[0] == 0 ? null : "element " + wrong[0] + " was left with a new place";
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
