package dev.gleaner.lua.machine;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.text.BoundedLog;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls __gc. The heap runs finalizers in the middle of operations, so a finalizer only puts its
 * element on a list. The machine calls the metamethod between two instructions: there its
 * instructions are counted, and its errors shown. When the heap closes, the metamethod is called at
 * once.
 *
 * <p>Setting a finalizer also makes a spare record for the list, since the list may need the record
 * when memory has run out.
 */
final class Finalizers {
  /** Bytes of an element in the heap's table of finalizers, and on the list of due finalizers. */
  private static final int ENTRY = 64;

  /** The steps of a call besides those of the function, which may fail at once. */
  private static final int CALL = 8;

  private final State s;
  private final Metatables meta;
  private final Calls calls;
  private final IntConsumer warn;
  private final Mutator t;

  /** The list of waiting elements: records of an element and the next record. */
  private final GlobalRef first;

  private final GlobalRef last;

  /** Spare records for elements with a finalizer, linked by their second slots. */
  private final GlobalRef spare;

  private int waiting;
  private boolean calling;
  private boolean ending;
  private boolean over;

  /** The limit that was met at the close, and the number of finalizers that did not end. */
  private @Nullable LuaLimitException limit;

  private int notRun;

  /** The number of elements with a finalizer of the script that the heap has not found dead. */
  private int set;

  /** The number of elements with a finalizer, each with its charge. */
  private int charged;

  private Call ofScript = new Call(true);
  private Call ofLibrary = new Call(false);

  /**
   * The finalizer for the heap. After a limit at the close, the heap passes by all others. That of
   * an image does nothing until the machine is there.
   */
  static final class Call implements Finalizer {
    private final boolean byScript;
    private @Nullable Finalizers owner;

    Call(boolean byScript) {
      this.byScript = byScript;
    }

    boolean isByScript() {
      return byScript;
    }

    @Override
    public void run(Mutator thread, boolean closing) {
      Finalizers all = owner;
      if (all != null) {
        all.set -= byScript ? 1 : 0;
        all.finalized(closing);
      }
    }

    @Override
    public boolean refuses() {
      Finalizers all = owner;
      return all == null || all.over || all.limit != null;
    }
  }

  /**
   * Makes the finalizers of a machine.
   *
   * @param warn tells of the current error, with the help of a slot
   */
  Finalizers(State state, Metatables meta, Calls calls, IntConsumer warn) {
    this.s = state;
    this.meta = meta;
    this.calls = calls;
    this.warn = warn;
    this.t = state.t;
    this.first = state.roots.make("finalizers.first");
    this.last = state.roots.make("finalizers.last");
    this.spare = state.roots.make("finalizers.spare");
    own(ofScript, ofLibrary);
  }

  /** Takes the finalizers of an image in place of new ones, before the heap is used. */
  final void own(Call script, Call library) {
    ofScript = script;
    ofLibrary = library;
    script.owner = this;
    library.owner = this;
  }

  /** Returns the counts, for an image. */
  long[] counts() {
    return new long[] {set, charged, waiting};
  }

  /**
   * Takes the counts of an image. The list of waiting elements is in the heap.
   *
   * @param most the most elements that may wait
   */
  void restore(long[] counts, int most) {
    if (counts.length < 3) {
      return;
    }
    set = Math.clamp(counts[0], 0, most);
    int entries = Math.clamp(counts[1], 0, most);
    s.account.charge((long) ENTRY * entries);
    charged = entries;
    int x = s.scratch(1);
    t.getGlobal(x, first);
    while (waiting < Math.min(counts[2], most) && isEntry(x)) {
      waiting++;
      t.load(x, x, 1);
    }
    t.resizeFrame(x);
    if (waiting > 0) {
      s.limits.interruptSlice();
    }
  }

  private boolean isEntry(int x) {
    return t.isReference(x) && t.kind(x) == Kind.RECORD && t.slotCount(x) == 2;
  }

  /**
   * Sets a finalizer that calls an element's __gc. While the guest ends none is set, as in PUC Lua.
   *
   * @param byScript whether the finalizer counts as the script's, not as the library's or the
   *     host's
   */
  void set(int o, boolean byScript) {
    if (ending || t.hasFinalizer(o)) {
      return;
    }
    s.account.charge(ENTRY);
    charged++;
    int x = s.scratch(2);
    t.newRecord(x, 2);
    t.getGlobal(x + 1, spare);
    t.store(x, 1, x + 1);
    t.setGlobal(spare, x);
    t.resizeFrame(x);
    t.setFinalizer(o, "__gc", byScript ? ofScript : ofLibrary);
    set += byScript ? 1 : 0;
  }

  private void finalized(boolean closing) {
    boolean _ = t.clearFinalizer(0);
    if (charged > 0) {
      charged--;
      s.account.release(ENTRY);
    }
    if (over || limit != null) {
      return;
    }
    if (closing || ending) {
      callAtEnd();
      return;
    }
    t.enter(2, 0, 1);
    try {
      append();
    } finally {
      t.leave();
    }
    waiting++;
    if (!calling) {
      s.limits.interruptSlice();
    }
  }

  /** Calls waiting finalizers. From now on each is called as soon as the heap finds the element. */
  void end() {
    ending = true;
    try {
      callWaiting();
    } catch (LuaLimitException e) {
      cut(e);
    }
  }

  /** No finalizer is called from now on. */
  void forget() {
    over = true;
  }

  /** Calls a finalizer at the close, within the limits for all of them. */
  private void callAtEnd() {
    try {
      call(0);
    } catch (LuaLimitException e) {
      cut(e);
    }
  }

  /** The running finalizer has met a limit. No other finalizer is called. */
  private void cut(LuaLimitException e) {
    limit = e;
    notRun = 1 + waiting + set;
    waiting = 0;
  }

  void tellWhatDidNotRun() {
    LuaLimitException met = limit;
    if (met != null) {
      String what = "finalizers of a guest did not run to their end when the guest was closed";
      new BoundedLog("dev.gleaner.lua", "heap " + s.heap.name())
          .warn(what, notRun + " " + what + ": " + met.getMessage(), null);
    }
  }

  private void append() {
    int x = s.scratch(2);
    t.getGlobal(x, spare);
    t.load(x + 1, x, 1);
    t.setGlobal(spare, x + 1);
    t.store(x, 0, 0);
    t.set(x + 1, Values.UNDEFINED);
    t.store(x, 1, x + 1);
    if (waiting == 0) {
      t.setGlobal(first, x);
    } else {
      t.getGlobal(x + 1, last);
      t.store(x + 1, 1, x);
    }
    t.setGlobal(last, x);
  }

  /** Returns whether a finalizer runs. */
  boolean areRunning() {
    return s.finalizerDepth != 0;
  }

  boolean areWaiting() {
    return waiting > 0 && !calling;
  }

  /**
   * Calls the finalizers that wait, between two instructions. Those that begin to wait meanwhile
   * are called with the next slice: under counting a finalizer that sets itself again is due at
   * once, and would keep the script from going on.
   */
  void callWaiting() {
    calling = true;
    try {
      for (int n = waiting; n > 0 && waiting > 0; n--) {
        waiting--;
        int x = s.scratch(2);
        t.getGlobal(x, first);
        t.load(x + 1, x, 1);
        t.setGlobal(first, x + 1);
        t.load(x + 1, x, 0);
        t.set(x, 0, Values.UNDEFINED); // the last record stays in a root
        call(x + 1);
        t.resizeFrame(x);
      }
    } finally {
      calling = false;
    }
  }

  private void call(int o) {
    int x = s.scratch(2);
    if (meta.method(x, o, Metatables.GC) && t.functionCode(x) >= 0) {
      s.limits.work(CALL);
      t.copy(x + 1, o);
      int outer = s.finalizerDepth;
      s.finalizerDepth = t.frameDepth() + 1;
      calls.hooks().update();
      try {
        int _ = calls.protectedCall(x, 1, 0);
      } catch (LuaError e) {
        warn.accept(x);
      } finally {
        s.finalizerDepth = outer;
        calls.hooks().update();
      }
    }
    t.resizeFrame(x);
  }
}
