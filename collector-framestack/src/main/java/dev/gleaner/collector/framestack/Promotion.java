package dev.gleaner.collector.framestack;

import static dev.gleaner.frame.FrameBuffer.GENERATION_SHIFT;
import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;

/**
 * Turns records of frames into collected elements, and collected elements of a frame into those of
 * an older one.
 *
 * <pre>
 *   evacuate   a value that escapes, with the generation of what is to hold it
 *              what the slots of the frames that made records refer to, with their owners' generations
 *              what those reach: records are copied, collected elements lowered
 * </pre>
 *
 * <p><b>Owners.</b> Listed frames share an owner as long as they made less than {@code merge.bytes}
 * bytes together (fble merges calls by 4 KiB, too): what dies with the younger ones of them is
 * garbage of the oldest until that is left, 4 KiB for each owning frame at most.
 */
final class Promotion {
  private final FramePolicy policy;
  private final HeapContext context;
  private final Memory memory;
  private final YoungFrames young;
  private final OwningFrames owners;
  private final FreeListSpace cells;
  private final Cycle cycle;

  /** Made once, as a move is in the midst of a change: to link code there takes much Java stack. */
  private final Scanner.Visitor moving = this::moveReferent;

  private final Scanner.Visitor lowering = this::lowerReferent;
  private OwningFrame[] owner = new OwningFrame[4];
  private long[] grey = new long[64];
  private int greys;
  private long[] lowered = new long[64];
  private int lowers;

  /** The generation of what is being lowered. */
  private int lowest;

  /** Copies that lie where lists do not reach: they and what they hold become old, at the end. */
  private long[] unlisted = new long[8];

  private int unlistedCopies;
  private long promoted;
  private long promotedNow;
  private long promotedBytesNow;

  Promotion(
      HeapContext context,
      YoungFrames young,
      OwningFrames owners,
      FreeListSpace cells,
      Cycle cycle,
      FramePolicy policy) {
    this.policy = policy;
    this.context = context;
    this.memory = context.memory();
    this.young = young;
    this.owners = owners;
    this.cells = cells;
    this.cycle = cycle;
  }

  long promoted() {
    return promoted;
  }

  /**
   * Moves all that the running thread's frames reach of their records; the region is empty then.
   *
   * @param first a record that escapes, or 0
   * @param generation the one it gets
   * @return how many were moved
   */
  long evacuate(long first, int generation) {
    if (young.isMainThread()) {
      pushOwners();
      findOwners();
    }
    promotedNow = 0;
    promotedBytesNow = 0;
    young.discharge();
    if (first != 0) {
      long _ = copy(first, generation);
      drain();
    }
    long at = young.stackStart() + young.base(0);
    for (long end = young.stackTop(); at < end; at += 8) {
      moveReferent(at);
    }
    young.forEachCall(moving);
    drain();
    while (unlistedCopies > 0) {
      lower(unlisted[--unlistedCopies], FrameBuffer.OLD);
    }
    promoted += promotedNow;
    context.gate().trigger().decrease(-promotedNow);
    young.releaseDead();
    young.clear(promotedNow, promotedBytesNow);
    return promotedNow;
  }

  /**
   * Makes the listed frames above the last owning one owning frames, merged where they are small.
   */
  void pushOwners() {
    long last = owners.last().base;
    int n = young.frames();
    int i = n;
    while (i > 0 && young.base(i - 1) > last) {
      i--;
    }
    if (i == n) {
      return;
    }
    int from = i;
    for (int group = i; i < n; i++) {
      boolean merged =
          i > from
              && young.mark(i) - young.mark(group) < policy.mergeBytes()
              && i - group < policy.mergeCalls();
      if (!merged) {
        owners.push(young.base(i));
        group = i;
      }
    }
    young.own(owners.returnBarrier());
  }

  private void findOwners() {
    int n = young.frames();
    if (owner.length < n) {
      owner = new OwningFrame[Math.max(n, owner.length * 2)];
    }
    for (int i = 0; i < n; i++) {
      owner[i] = owners.at(young.base(i));
    }
  }

  private void moveReferent(long place) {
    long v = memory.get(place);
    if ((v & NOT_REFERENCE) == 0 && young.contains(v)) {
      memory.put(place, forwarded(v, Integer.MAX_VALUE));
    }
  }

  /** Where a record is, or is moved to now. */
  private long forwarded(long e, int atMost) {
    long h = memory.get(e);
    if (YoungFrames.isForwarded(h)) {
      return YoungFrames.target(h);
    }
    return copy(e, atMost);
  }

  private long copy(long e, int atMost) {
    long h = memory.get(e);
    int words = (int) (h >>> Layout.SIZE_SHIFT) + 1;
    int kind = Layout.kind(h);
    long to = cells.take(kind, words);
    if (to == 0) {
      to = cells.refill(kind, words);
      if (to == 0) {
        throw new IllegalStateException(
            "no memory for a copy of " + ((long) words << 3) + " bytes");
      }
    }
    int g = generation(e, atMost, to);
    memory.put(to, h | (long) g << GENERATION_SHIFT);
    for (int i = 1; i < words; i++) {
      memory.put(to + ((long) i << 3), memory.get(e + ((long) i << 3)));
    }
    young.forward(e, to);
    promotedNow++;
    promotedBytesNow += (long) words << 3;
    if (greys == grey.length) {
      grey = Arrays.copyOf(grey, greys * 2);
    }
    grey[greys++] = to;
    return to;
  }

  /** Finds the generation that a record gets, and puts its copy on the owner's list. */
  private int generation(long e, int atMost, long copy) {
    if (!young.isMainThread() || atMost == FrameBuffer.OLD) {
      return FrameBuffer.OLD;
    }
    OwningFrame f = owner[young.frames() == 1 ? 0 : young.index(e)];
    int g = f.freshGeneration();
    if (atMost < g) {
      g = atMost;
      f = owners.owner(g);
    }
    if (copy < Segments.REACH) {
      f.add(copy, g);
    } else {
      addUnlisted(copy);
    }
    return g;
  }

  private void addUnlisted(long copy) {
    if (unlistedCopies == unlisted.length) {
      unlisted = Arrays.copyOf(unlisted, unlistedCopies * 2);
    }
    unlisted[unlistedCopies++] = copy;
  }

  private void drain() {
    boolean marking = cycle.isMarking();
    while (greys > 0) {
      long e = grey[--greys];
      long h = memory.get(e);
      int g = (int) (h >>> GENERATION_SHIFT);
      drain(e + Layout.WORD, Scanner.end(memory, e, h), g, marking);
      if (Layout.kind(h) == Layout.OBJECT) {
        drain(
            Scanner.blockStart(memory, e, Layout.OBJECT, 0),
            Scanner.blockEnd(memory, e, Layout.OBJECT, 0),
            g,
            marking);
      }
    }
  }

  private void drain(long from, long end, int g, boolean marking) {
    for (long at = from; at < end; at += Layout.WORD) {
      long v = memory.get(at);
      if ((v & NOT_REFERENCE) != 0 || v == 0) {
        continue;
      }
      if (young.contains(v)) {
        memory.put(at, forwarded(v, g));
      } else {
        if (marking) {
          cycle.visit(v);
        }
        lower(v, g);
      }
    }
  }

  /** Makes a collected element, and all that it reaches, at least as old as a generation. */
  void lower(long element, int generation) {
    lowest = generation;
    lowerOne(element, generation);
    while (lowers > 0) {
      Scanner.forEachPlace(memory, lowered[--lowers], lowering);
    }
  }

  private void lowerReferent(long place) {
    long v = memory.get(place);
    if ((v & NOT_REFERENCE) == 0 && v != 0) {
      lowerOne(v, lowest);
    }
  }

  private void lowerOne(long e, int generation) {
    long h = memory.get(e);
    if (h >>> GENERATION_SHIFT > generation) {
      memory.put(e, (h & Layout.LOW_MASK) | (long) generation << GENERATION_SHIFT);
      if (Layout.hasReferences(Layout.kind(h))) {
        if (lowers == lowered.length) {
          lowered = Arrays.copyOf(lowered, lowers * 2);
        }
        lowered[lowers++] = e;
      }
    }
  }
}
