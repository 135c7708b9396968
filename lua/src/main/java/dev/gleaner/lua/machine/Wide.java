package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;

/** Integers that do not fit into a tagged value. */
final class Wide {
  private Wide() {}

  static void set(Mutator t, int d, long v) {
    t.newBuffer(d, 8);
    t.putLong(d, 0, v);
  }

  static boolean is(Mutator t, int s) {
    return t.kind(s) == Kind.BUFFER;
  }

  static long get(Mutator t, int s) {
    return t.getLong(s, 0);
  }
}
