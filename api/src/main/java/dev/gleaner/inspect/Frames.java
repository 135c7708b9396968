package dev.gleaner.inspect;

import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;

/** The frames on a value stack, as {@link ThreadLayout} has them. */
public final class Frames {
  private Frames() {}

  /**
   * Whether the frames lead to the bottom of the stack, each right above its caller's slots.
   *
   * @param start of the stack, an offset as the others are
   * @param base of the running frame
   * @param size its slots
   * @param top the end of the words in use
   * @param end of the stack
   */
  public static boolean areWhole(
      Memory memory, long start, long base, long size, long top, long end) {
    long bottom = start + 8;
    if (base < bottom || top != base + (size << 3) || top > end) {
      return false;
    }
    long at = base;
    while (at > bottom) {
      long link = memory.get(at - 8);
      long callerSize = link & ThreadLayout.LINK_MASK;
      long distance = link >>> ThreadLayout.LINK_BITS & ThreadLayout.LINK_MASK;
      if (distance != callerSize + 1) {
        return false;
      }
      at -= distance << 3;
    }
    return at == bottom && memory.get(start) == Values.RAW_TAG;
  }
}
