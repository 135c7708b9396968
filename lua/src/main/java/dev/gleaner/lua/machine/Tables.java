package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapUsageException;

/**
 * Tables, without metamethods. A table is an object with the metatable in its inline slot. No
 * stored value is nil.
 */
final class Tables {
  private final State s;
  private final Messages messages;
  private final Mutator t;

  Tables(State state, Messages messages) {
    this.s = state;
    this.messages = messages;
    this.t = state.t;
  }

  boolean isTable(int slot) {
    return Types.isTable(t, slot);
  }

  /** Returns whether a value is a table without a metatable. */
  boolean isPlain(int slot) {
    return t.isObject(slot) && t.get(slot, 0) == Values.UNDEFINED;
  }

  private boolean isKey(int k) {
    long v = t.get(k);
    return v != Values.UNDEFINED && !(Values.isDouble(v) && Double.isNaN(Values.toDouble(v)));
  }

  /** Loads the value of a key, or nil. */
  void get(int d, int o, int k) {
    if (t.lookUp(d, o, k) == Values.ABSENT) {
      t.set(d, Values.UNDEFINED);
    }
  }

  /** Stores a value under a key; nil deletes. */
  void set(int o, int k, int v) {
    if (t.get(v) != Values.UNDEFINED) {
      t.putProperty(o, k, v);
    } else if (isKey(k)) {
      boolean _ = t.deleteProperty(o, k);
    }
  }

  void get(int d, int o, long k) {
    int x = s.scratch(1);
    s.setInteger(x, k);
    get(d, o, x);
    t.resizeFrame(x);
  }

  void set(int o, long k, int v) {
    if (k >= 0 && k < Integer.MAX_VALUE && t.get(v) != Values.UNDEFINED) {
      t.putIndex(o, (int) k, v);
    } else {
      setSlowly(o, k, v);
    }
  }

  private void setSlowly(int o, long k, int v) {
    int x = s.scratch(1);
    s.setInteger(x, k);
    set(o, x, v);
    t.resizeFrame(x);
  }

  void setList(int o, int first, int count, int start) {
    if (!isTable(o)) { // debug.setlocal can replace the table
      throw messages.error("a list that is no table");
    }
    int x = 0; // a slot with true, which stands for nil
    for (int i = 0; i < count; i++) {
      long k = (long) start + i;
      int v = first + i;
      if (t.get(v) == Values.UNDEFINED) {
        x = x > 0 ? x : s.scratch(1);
        t.set(x, Values.TRUE);
        v = x;
      }
      if (k >= 0 && k < Integer.MAX_VALUE) {
        t.putIndex(o, (int) k, v);
      } else {
        setSlowly(o, k, v);
      }
    }
    if (x > 0) {
      makeHoles(o, first, count, start, x);
    }
  }

  /** Deletes what stands for nil in a list. So the list is an array with holes, as in PUC Lua. */
  private void makeHoles(int o, int first, int count, int start, int x) {
    for (int i = 0; i < count; i++) {
      if (t.get(first + i) == Values.UNDEFINED) {
        s.setInteger(x, (long) start + i);
        boolean _ = t.deleteProperty(o, x);
      }
    }
    t.resizeFrame(x);
  }

  /** Returns a border of a table. */
  long length(int o) {
    return t.border(o);
  }

  /** Loads the key after another key, and the value; nil at the end. */
  boolean next(int d, int o, int k, int wanted) {
    boolean more;
    try {
      more = wanted > 1 ? t.nextPropertyAfter(o, k, d, d + 1) : nextKey(d, o, k);
    } catch (HeapUsageException _) {
      throw new LuaError("invalid key to 'next'");
    }
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
