package dev.gleaner.collector.framestack;

import static dev.gleaner.frame.FrameBuffer.GENERATION_SHIFT;
import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.memory.Memory;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * A cycle over what one frame owns, in small steps.
 *
 * <pre>
 *   begin   the last owning frame's fresh elements are the candidates; in a large cycle its survivors too
 *           candidate: from ≤ generation &lt; limit
 *   roots   what the slots of this frame and of younger ones refer to, and what records hold that are
 *           moved just then
 *   mark    a candidate that is reached gets {@code target}, which is no candidate's
 *   sweep   candidates that are left are freed, the others go to their owner's lists
 * </pre>
 *
 * <p>A trace stops at everything that is no candidate: an element refers to nothing of a higher
 * generation, so nothing older leads to a candidate, and nothing made later need be looked at.
 * Stores while it marks shade what they overwrite (a snapshot at the beginning), and reach what
 * they store into.
 *
 * <p>A cycle goes on when frames are left and entered meanwhile: when the frame itself is left,
 * what survives is its caller's. With {@code on-leave = abandon} a cycle that marks ends then, and
 * when the frame compacts, as in the diary before its last leak was found: the next one looks at
 * all.
 */
final class Cycle {
  private final HeapContext context;
  private final Memory memory;
  private final OwningFrames frames;
  private final LongConsumer free;
  private final boolean abandons;
  private final ElementList candidates;

  /** Made once: to link code in the midst of a change takes much of the Java stack. */
  private final Scanner.Visitor visitPlace = this::visitPlace;

  private OwningFrame frame;
  private boolean marking;
  private boolean large;
  private int from;
  private int limit;
  private int target;
  private long[] grey = new long[64];
  private int greys;
  private long cycles;

  Cycle(HeapContext context, OwningFrames frames, boolean abandons, LongConsumer free) {
    this.abandons = abandons;
    this.context = context;
    this.memory = context.memory();
    this.frames = frames;
    this.free = free;
    this.candidates = new ElementList(frames.segments());
    this.frame = frames.last();
  }

  boolean isIdle() {
    return !marking && candidates.size() == 0;
  }

  boolean isMarking() {
    return marking;
  }

  long cycles() {
    return cycles;
  }

  void begin(OwningFrame f, boolean all) {
    frame = f;
    limit = f.next;
    large = all;
    if (all) {
      from = f.first;
      target = limit;
      f.generation = limit;
      f.next = limit + 2;
      f.compacted = false;
      f.abandoned = false;
      candidates.takeAll(f.survivors);
    } else {
      from = f.generation + 1;
      target = f.generation;
      f.next = limit + 1;
    }
    candidates.takeAll(f.fresh);
    cycles++;
    marking = true;
    context.setBarrier(true);
  }

  /** Reaches what the slots hold; the functions of activations are in their callers' slots. */
  void roots(YoungFrames young) {
    long start = young.stackStart() + frame.base;
    for (long at = start, end = young.stackTop(); at < end; at += 8) {
      visit(memory.get(at));
    }
  }

  /** Reaches a value's element. */
  void visit(long value) {
    if ((value & NOT_REFERENCE) == 0 && value != 0) {
      long h = memory.get(value);
      long g = h >>> GENERATION_SHIFT;
      if (g >= from && g < limit) {
        memory.put(value, (h & Layout.LOW_MASK) | (long) target << GENERATION_SHIFT);
        if (Layout.hasReferences(Layout.kind(h))) {
          if (greys == grey.length) {
            grey = Arrays.copyOf(grey, greys * 2);
          }
          grey[greys++] = value;
        }
      }
    }
  }

  /** Does so many units of work: an element marked or swept. */
  void step(long units) {
    long n = units;
    while (marking && n-- > 0) {
      if (greys == 0) {
        marking = false;
        context.setBarrier(false);
      } else {
        scan(grey[--greys]);
      }
    }
    while (n-- > 0 && candidates.size() > 0) {
      sweep(candidates.take());
    }
    if (isIdle() && large) {
      large = false;
      frame.survivorsThen = frame.survivors.size();
    }
  }

  private void scan(long e) {
    long h = memory.get(e);
    if (Layout.kind(h) == Layout.RECORD) {
      int words = (int) Layout.payloadWords(memory, e, h);
      for (int i = 0; i < words; i++) { // words may be the largest int
        visit(memory.get(e + 8 + ((long) i << 3)));
      }
    } else {
      Scanner.forEachPlace(memory, e, visitPlace);
    }
  }

  private void visitPlace(long place) {
    visit(memory.get(place));
  }

  private void sweep(long e) {
    int g = (int) (memory.get(e) >>> GENERATION_SHIFT);
    if (g >= from && g < limit) {
      free.accept(e);
    } else if (g >= frame.first) {
      frame.add(e, g);
    } else if (g != FrameBuffer.OLD) {
      frames.owner(g).add(e, g);
    }
  }

  /** Sweeps what is known to be dead, so that elements can be walked. */
  void finishSweep() {
    if (!marking) {
      step(Long.MAX_VALUE);
    }
  }

  /** Told that a frame is left for another. */
  void left(OwningFrame left, OwningFrame caller) {
    if (frame == left) {
      frame = caller;
      giveBack();
    }
  }

  /** Told that a frame keeps only some of its slots. */
  void compacted(OwningFrame f) {
    if (frame == f) {
      giveBack();
    }
  }

  /** Abandons the cycle while it marks, if that is the policy: its candidates are fresh again. */
  private void giveBack() {
    if (abandons && marking) {
      frame.fresh.takeAll(abandon());
      frame.abandoned = true;
    }
  }

  /** Calls back for each candidate that is not swept. */
  void forEachCandidate(OffsetVisitor visitor) {
    candidates.forEach(visitor);
  }

  /** Gives up, because all is known of all frames. */
  ElementList abandon() {
    if (marking) {
      marking = false;
      context.setBarrier(false);
    }
    greys = 0;
    large = false;
    return candidates;
  }
}
