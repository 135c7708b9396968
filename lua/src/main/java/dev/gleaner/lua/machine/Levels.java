package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;

/**
 * The levels that scripts see. While an error leaves frames, functions that close variables run
 * above these frames. As in Lua, their caller is the protected call that catches the error. So
 * scripts do not see the frames between. In a deep stack they do: to look for each frame takes time
 * that grows with the square of the depth.
 */
final class Levels {
  /** The slot of a protected call's return word, while the call catches errors. */
  static final int INFO = 1;

  private static final int FRAMES_PER_STEP = 8;

  /** The times that the heap goes down to a frame which somebody looks at. */
  private static final int LOOKS = 4;

  /** The depth of a stack that is deep. */
  private static final int DEEP = 1000;

  /** The frames that a search for a level passes in the time of a step. */
  private static final int PASSED_PER_STEP = 64;

  private final State s;
  private final Mutator t;

  /** The code numbers of pcall and xpcall. */
  private int pcall = State.NO_CODE;

  private int xpcall = State.NO_CODE;

  Levels(State state) {
    this.s = state;
    this.t = state.t;
  }

  /** Sets the code numbers of the functions whose calls catch errors. */
  void setCatching(int pcallCode, int xpcallCode) {
    pcall = pcallCode;
    xpcall = xpcallCode;
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
    int caller = findCatching(level + 1);
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
        || Return.kind(returnWord(level)) == Return.UNWIND;
  }

  /** Returns the level of the next protected call that catches errors; the depth if none does. */
  int findCatching(int from) {
    int depth = t.frameDepth();
    int x = s.scratch(1);
    int level = from;
    while ((level = t.findFrame(level, pcall, xpcall)) >= 0 && level < depth) {
      if (t.frameSize(level) > INFO) {
        t.peek(x, level, INFO);
        if (Values.isDouble(t.get(x))) {
          break;
        }
      }
      level++;
    }
    t.resizeFrame(x);
    return level < 0 ? depth : level;
  }

  /** Returns the return word that a frame has saved; 0 for functions that save none. */
  private long returnWord(int level) {
    int x = s.scratch(1);
    t.peek(x, level, 0);
    int number = t.functionCode(x);
    Code code = number < 0 ? null : s.codes.compiled[number];
    int slot = code != null ? code.pcSlot : number == pcall || number == xpcall ? INFO : -1;
    long saved = Values.UNDEFINED;
    if (slot >= 0 && slot < t.frameSize(level)) {
      t.peek(x, level, slot);
      saved = t.get(x);
    }
    t.resizeFrame(x);
    return Return.of(saved);
  }
}
