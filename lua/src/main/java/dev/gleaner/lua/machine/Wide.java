package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;

/** Integers that do not fit into a tagged value. */
final class Wide {
  private Wide() {}

  static void set(Mutator t, int d, long v) {
    t.setLong(d, v);
  }

  static boolean is(Mutator t, int s) {
    return t.isInteger(s);
  }

  static long get(Mutator t, int s) {
    return t.getLong(s);
  }
}
