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
      long link = memory.get(at - 8);
      if (!isLink(link)) {
        return false;
      }
      at = caller(at, link);
    }
    return at == bottom && memory.get(start) == Values.RAW_TAG;
  }

  /**
   * Whether a word can be the link of a frame above another one. That of a finalizer's frame on the
   * program's thread has no distance, so that nothing leaves the frame.
   */
  public static boolean isLink(long word) {
    long distance = word >>> ThreadLayout.LINK_BITS & ThreadLayout.LINK_MASK;
    return Values.isRaw(word) && (distance == 0 || distance == (word & ThreadLayout.LINK_MASK) + 1);
  }

  /** Returns the base of the frame that a link leads to, from the base above the link. */
  public static long caller(long base, long link) {
    return base - 8 - ((link & ThreadLayout.LINK_MASK) << 3);
  }

  /**
   * Returns the number of frames above the bottom of the stack, or above the frame that the heap
   * opened for a finalizer. The frames must be whole.
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
