package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;

/** Tables, without metamethods: an object whose inline slot is the metatable. No value is nil. */
final class Tables {
  private final State s;
  private final Mutator t;

  Tables(State state) {
    this.s = state;
    this.t = state.t;
  }

  boolean isTable(int slot) {
    return Values.isReference(t.get(slot)) && !t.isInteger(slot) && t.kind(slot) == Kind.OBJECT;
  }

  /** Finds a value in a table; ABSENT if there is none, or no table. */
  long find(int d, int o, int k) {
    if (!isKey(k)) {
      return Values.ABSENT;
    }
    return isTable(o) && t.getOwnProperty(d, o, k) ? t.get(d) : Values.ABSENT;
  }

  private boolean isKey(int k) {
    long v = t.get(k);
    return v != Values.UNDEFINED && !(Values.isDouble(v) && Double.isNaN(Values.toDouble(v)));
  }

  /** Stores a value that is not nil where there is one; or nothing is changed. */
  boolean update(int o, int k, int v) {
    return isKey(k)
        && t.get(v) != Values.UNDEFINED
        && isTable(o)
        && t.hasProperty(o, k)
        && put(o, k, v);
  }

  private boolean put(int o, int k, int v) {
    t.putProperty(o, k, v);
    return true;
  }

  /** The value of any key; nil if there is none. */
  void get(int d, int o, int k) {
    if (!isKey(k) || !t.getOwnProperty(d, o, k)) {
      t.set(d, Values.UNDEFINED);
    }
  }

  /** Stores under any key that can be one. */
  void set(int o, int k, int v) {
    if (t.get(v) == Values.UNDEFINED) {
      if (isKey(k)) {
        boolean _ = t.deleteProperty(o, k);
      }
    } else {
      t.putProperty(o, k, v);
    }
  }

  void get(int d, int o, long k) {
    int x = s.scratch(1);
    s.setInteger(x, k);
    get(d, o, x);
    t.resizeFrame(x);
  }

  void set(int o, long k, int v) {
    int x = s.scratch(1);
    s.setInteger(x, k);
    set(o, x, v);
    t.resizeFrame(x);
  }

  void setList(int o, int first, int count, int start) {
    for (int i = 0; i < count; i++) {
      set(o, (long) start + i, first + i);
    }
  }

  private boolean has(int o, int x, long k) {
    s.setInteger(x, k);
    return t.hasProperty(o, x);
  }

  /** A border. */
  long length(int o) {
    int x = s.scratch(1);
    long low = 0;
    long high = Math.max(1, t.propertyCount(o));
    while (has(o, x, high)) {
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      long middle = (low + high) >>> 1;
      if (has(o, x, middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    t.resizeFrame(x);
    return low;
  }

  /** The key after another one, and its value; nil at the end. */
  boolean next(int d, int o, int k, int wanted) {
    boolean more = wanted > 1 ? t.nextPropertyAfter(o, k, d, d + 1) : nextKey(d, o, k);
    if (!more) {
      t.set(d, Values.UNDEFINED);
    }
    for (int i = more ? 2 : 1; i < wanted; i++) {
      t.set(d + i, Values.UNDEFINED);
    }
    return more;
  }

  private boolean nextKey(int d, int o, int k) {
    int x = s.scratch(1);
    boolean more = t.nextPropertyAfter(o, k, d, x);
    t.resizeFrame(x);
    return more;
  }
}
