package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;

/** Reads and writes of fields, which follow __index and __newindex up to a function. */
final class Access {
  /** The steps for a link of a chain of __index: two look-ups. */
  private static final int LINK = 4;

  private final State s;
  private final Metatables meta;
  private final Tables tables;
  private final Messages messages;
  private final Mutator t;

  Access(State state, Metatables meta, Tables tables, Messages messages) {
    this.s = state;
    this.meta = meta;
    this.tables = tables;
    this.messages = messages;
    this.t = state.t;
  }

  /**
   * Does {@code d = o[k]}, and follows __index. Returns true if the value is in the slot. After
   * false the caller must call the function in slot x, with the two arguments behind.
   */
  boolean index(int d, int o, int k, int x) {
    t.copy(x + 1, o);
    t.copy(x + 2, k);
    for (int i = 0; i < Metatables.CHAIN; i++) {
      s.limits.work(i == 0 ? 0 : LINK);
      if (tables.isTable(x + 1)) {
        tables.get(x, x + 1, x + 2);
        if (t.get(x) != Values.UNDEFINED) {
          t.copy(d, x);
          return true;
        }
        if (!meta.method(x, x + 1, Metatables.INDEX)) {
          t.set(d, Values.UNDEFINED);
          return true;
        }
      } else if (!meta.method(x, x + 1, Metatables.INDEX)) {
        throw messages.index(i == 0 ? o : -1, x + 1);
      }
      if (t.functionCode(x) >= 0) {
        return false;
      }
      t.copy(x + 1, x);
    }
    throw messages.error("'__index' chain too long; possible loop");
  }

  /** Does {@code o[k] = v}, as {@link #index} does; the function has three arguments. */
  boolean newIndex(int o, int k, int v, int x) {
    t.copy(x + 1, o);
    t.copy(x + 2, k);
    t.copy(x + 3, v);
    for (int i = 0; i < Metatables.CHAIN; i++) {
      s.limits.work(i == 0 ? 0 : LINK);
      if (tables.isTable(x + 1)) {
        tables.get(x, x + 1, x + 2);
        if (t.get(x) != Values.UNDEFINED || !meta.method(x, x + 1, Metatables.NEW_INDEX)) {
          messages.checkKey(x + 2);
          tables.set(x + 1, x + 2, x + 3);
          return true;
        }
      } else if (!meta.method(x, x + 1, Metatables.NEW_INDEX)) {
        throw messages.index(i == 0 ? o : -1, x + 1);
      }
      if (t.functionCode(x) >= 0) {
        return false;
      }
      t.copy(x + 1, x);
    }
    throw messages.error("'__newindex' chain too long; possible loop");
  }
}
