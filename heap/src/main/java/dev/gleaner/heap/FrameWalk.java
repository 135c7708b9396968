package dev.gleaner.heap;

import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.space.StackSnapshot;
import org.jspecify.annotations.Nullable;

/** Shows a runtime the frames of the running thread, and of the threads that resumed it. */
final class FrameWalk implements DeadSlots.Frame {
  /** More levels of calls than a drop makes. */
  private static final int STACK_LEVELS = 24;

  private final Registers registers;
  private final Memory mem;
  private final StackSnapshot snapshot;
  private final @Nullable ReferenceCounts counts;
  private final DeadSlots dead;
  private long at;
  private int size;
  private int depth;
  private boolean running;

  FrameWalk(
      Registers registers, HeapParts context, @Nullable ReferenceCounts counts, DeadSlots dead) {
    this.registers = registers;
    this.mem = context.memory();
    this.snapshot = context.stackSnapshot();
    this.counts = counts;
    this.dead = dead;
  }

  /**
   * Asks the runtime about frames, from the running one on.
   *
   * @param most the number of frames at most
   * @param resumers whether the threads that resumed the running one follow
   */
  void walk(int most, boolean resumers) {
    at = registers.base;
    size = registers.size;
    depth = registers.depth;
    running = true;
    long thread = registers.current;
    for (int n = 0; n < most; n++) {
      if (size > 0) {
        dead.drop(this);
      }
      running = false;
      if (depth > 0) {
        long link = registers.link(at);
        size = (int) link & ThreadLayout.LINK_MASK;
        at -= Registers.distance(link) << 3;
        depth--;
      } else if (!resumers) {
        return;
      } else {
        thread = mem.get(thread + ThreadLayout.RESUMER);
        if (!Values.isReference(thread)) {
          return;
        }
        long stack = Values.raw(mem.get(thread + ThreadLayout.STACK));
        at = stack + (Values.raw(mem.get(thread + ThreadLayout.BASE)) << 3);
        size = (int) Values.raw(mem.get(thread + ThreadLayout.SIZE));
        depth = (int) Values.raw(mem.get(thread + ThreadLayout.DEPTH));
      }
    }
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int slots() {
    return size;
  }

  @Override
  public int functionCode() {
    long v = mem.get(at);
    return Values.isReference(v) ? registers.codeOf(v) : -1;
  }

  @Override
  public long get(int slot) {
    return mem.get(at + ((long) slot << 3));
  }

  @Override
  public void drop(int slot) {
    int _ = CriticalSection.probeStack(STACK_LEVELS);
    long place = at + ((long) slot << 3);
    long value = mem.get(place);
    mem.put(place, Values.UNDEFINED);
    snapshot.lose(value);
    if (counts != null) {
      counts.decrement(value);
    }
  }
}
