package dev.gleaner.inspect;

import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;

/** The frames on a value stack in the layout of {@link ThreadLayout}. */
public final class Frames {
  private Frames() {}

  /**
   * Whether the frames lead to the bottom of the stack, each right above its caller's slots. All
   * places are offsets.
   *
   * @param start the start of the stack
   * @param base the base of the running frame
   * @param size the number of slots of the running frame
   * @param top the end of the words in use
   * @param end the end of the stack
   */
  public static boolean areWhole(
      Memory memory, long start, long base, long size, long top, long end) {
    long bottom = start + 8;
    if (base < bottom || top != base + (size << 3) || top > end) {
      return false;
    }
    long at = base;
    while (at > bottom) {
      long callerSize = memory.get(at - 8) & ThreadLayout.LINK_MASK;
      if (distance(memory, at) != callerSize + 1) {
        return false;
      }
      at -= distance(memory, at) << 3;
    }
    return at == bottom && memory.get(start) == Values.RAW_TAG;
  }

  /**
   * Returns the number of frames above the bottom of the stack. The frames must be whole.
   *
   * @param base the base of the running frame
   */
  public static int count(Memory memory, long base) {
    int n = 0;
    for (long at = base; distance(memory, at) != 0; at -= distance(memory, at) << 3) {
      n++;
    }
    return n;
  }

  private static long distance(Memory memory, long base) {
    return memory.get(base - 8) >>> ThreadLayout.LINK_BITS & ThreadLayout.LINK_MASK;
  }
}
