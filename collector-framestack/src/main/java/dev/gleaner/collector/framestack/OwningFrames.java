package dev.gleaner.collector.framestack;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.MarkBits;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The frames of the main thread that own collected elements, the oldest first; the first one is the
 * bottom of its stack, and always there.
 */
final class OwningFrames {
  private static final long BOTTOM = 8;

  private final Segments segments = new Segments();
  private OwningFrame[] frames = new OwningFrame[4];
  private int count;

  OwningFrames() {
    push(BOTTOM);
  }

  Segments segments() {
    return segments;
  }

  int count() {
    return count;
  }

  OwningFrame get(int i) {
    return frames[i];
  }

  OwningFrame last() {
    return frames[count - 1];
  }

  /** The base of the last one if it is to be told of its leaving, or 0. */
  long returnBarrier() {
    return count == 1 ? 0 : last().base;
  }

  OwningFrame push(long base) {
    if (count == frames.length) {
      frames = Arrays.copyOf(frames, count * 2);
    }
    OwningFrame f = frames[count];
    if (f == null) {
      f = new OwningFrame(segments);
      frames[count] = f;
    }
    f.open(base, count == 0 ? FrameBuffer.OLD + 1 : frames[count - 1].next);
    count++;
    return f;
  }

  /**
   * Leaves the last frame for another, in constant time: what it owned is that one's.
   *
   * @return the frame that owns it now
   */
  OwningFrame leave(long callerBase) {
    OwningFrame left = last();
    OwningFrame below = frames[count - 2];
    if (below.base < callerBase) {
      left.base = callerBase;
      left.compacted = true;
      return left;
    }
    below.fresh.takeAll(left.fresh);
    below.fresh.takeAll(left.survivors);
    below.next = left.next;
    below.abandoned |= left.abandoned;
    count--;
    return below;
  }

  /** The frame in whose range a generation is. */
  OwningFrame owner(int generation) {
    return frames[index(generation)];
  }

  /** The oldest frame that may own what the frame with this base made. */
  OwningFrame at(long base) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (frames[middle].base <= base) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return frames[low];
  }

  private int index(int generation) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (frames[middle].first <= generation) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /**
   * Gives out the generations anew, from the lowest on.
   *
   * @param candidates of a cycle that was given up
   * @param alive if given, only these elements stay, and all of them survive
   */
  void renumber(Memory memory, ElementList candidates, @Nullable MarkBits alive) {
    ElementList all = new ElementList(segments);
    all.takeAll(candidates);
    for (int i = 0; i < count; i++) {
      all.takeAll(frames[i].survivors);
      all.takeAll(frames[i].fresh);
    }
    for (long e = all.take(); e != 0; e = all.take()) {
      if (alive != null && !alive.get(e)) {
        continue;
      }
      long h = memory.get(e);
      int g = (int) (h >>> FrameBuffer.GENERATION_SHIFT);
      if (g == FrameBuffer.OLD) {
        continue;
      }
      int i = index(g);
      OwningFrame f = frames[i];
      boolean survives = alive != null || g == f.generation;
      (survives ? f.survivors : f.fresh).add(e);
      long to = lowest(i) + (survives ? 0L : 1L);
      memory.put(e, (h & Layout.LOW_MASK) | to << FrameBuffer.GENERATION_SHIFT);
    }
    for (int i = 0; i < count; i++) {
      OwningFrame f = frames[i];
      f.first = lowest(i);
      f.generation = f.first;
      f.next = f.first + 2;
      if (alive != null) {
        f.compacted = false;
        f.abandoned = false;
        f.survivorsThen = f.survivors.size();
      }
    }
  }

  private static int lowest(int i) {
    return FrameBuffer.OLD + 1 + 2 * i;
  }
}
