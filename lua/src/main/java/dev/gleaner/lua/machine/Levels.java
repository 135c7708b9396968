package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;

/**
 * The levels that scripts see. While an error leaves frames, functions that close variables run
 * above these frames. As in Lua, their caller is the protected call that catches the error. So
 * scripts do not see the frames between. In a deep stack they do: to look for each frame takes time
 * that grows with the square of the depth.
 */
final class Levels {
  private static final int FRAMES_PER_STEP = 8;

  /** The times that the heap goes down to a frame which somebody looks at. */
  private static final int LOOKS = 4;

  /** The depth of a stack that is deep. */
  private static final int DEEP = 1000;

  /** The frames that a search for a level passes in the time of a step. */
  private static final int PASSED_PER_STEP = 64;

  private final State s;
  private final Mutator t;
  private final Protection protection;

  Levels(State state, Protection protection) {
    this.s = state;
    this.t = state.t;
    this.protection = protection;
  }

  /** Returns the heap's level for a level of scripts, from the heap's level of their level 0. */
  int find(int top, int level) {
    int depth = t.frameDepth();
    if (seesAll()) {
      if (level >= depth - top) {
        return depth;
      }
      charge(top + level);
      return top + level;
    }
    int at = top;
    int n = 0;
    while (n < level && at < depth) {
      at = next(at);
      n++;
    }
    s.limits.work((long) n * at / PASSED_PER_STEP);
    charge(at);
    return at;
  }

  /** Charges for a look at a frame: the heap goes down to it from the running one. */
  void charge(int level) {
    s.limits.work((long) level * LOOKS / FRAMES_PER_STEP);
  }

  private boolean seesAll() {
    return !s.hasUnwound || t.frameDepth() > DEEP;
  }

  /** Returns the heap's level of the caller that scripts see; the depth if there is none. */
  int next(int level) {
    if (seesAll() || !isClosing(level)) {
      return level + 1;
    }
    int caller = protection.findCatching(level + 1);
    s.limits.work((caller - level) / FRAMES_PER_STEP);
    return caller;
  }

  /** Returns the number of levels that scripts see, up to a last one of the heap. */
  int count(int from, int last) {
    if (seesAll()) {
      return Math.max(0, last - from + 1);
    }
    int n = 0;
    for (int at = from; at <= last; at = next(at)) {
      n++;
    }
    s.limits.work((long) n * last / PASSED_PER_STEP);
    return n;
  }

  /** Returns whether a function closes a variable of a frame that an error leaves. */
  boolean isClosing(int level) {
    if (!s.hasUnwound || level + 1 >= t.frameDepth()) {
      return false;
    }
    return t.frameDepth() - level - 1 == s.unwound
        || Return.kind(protection.returnWord(level)) == Return.UNWIND;
  }
}
