package dev.gleaner.lua.machine;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.text.BoundedLog;
import org.jspecify.annotations.Nullable;

/**
 * Calls __gc. The heap's finalizers run in the midst of operations, so they only put the element on
 * a list; its metamethod is called between two instructions, where it counts and where an error can
 * be told of. When the heap is closed it is called at once.
 *
 * <p>The record that puts an element on the list is made when its finalizer is set, and is spare
 * until then: memory may be what has run out when it is needed.
 */
final class Finalizers {
  /** Of an element in the heap's table of finalizers and on its list of those that are due. */
  private static final int ENTRY = 64;

  /** The instructions that a call costs besides those of its function, which may fail at once. */
  private static final int CALL = 8;

  private final State s;
  private final Machine machine;
  private final Mutator t;

  /** The list of those that wait: records of a value and the next one. */
  private final GlobalRef first;

  private final GlobalRef last;

  /** Records for those that have a finalizer, by their second slots. */
  private final GlobalRef spare;

  private int waiting;
  private boolean calling;
  private boolean ending;
  private boolean over;

  /** What ended the finalizers at the end, and how many did not run to their end. */
  private @Nullable LuaLimitException limit;

  private int notRun;

  /** Elements whose finalizer is the script's own, and which the heap has not found dead. */
  private int set;

  private final Finalizer ofScript = new Call(1);
  private final Finalizer ofLibrary = new Call(0);

  /** What the heap calls. When a limit is met at the end, it has the heap pass by all others. */
  private final class Call implements Finalizer {
    private final int counts;

    Call(int counts) {
      this.counts = counts;
    }

    @Override
    public void run(Mutator thread, boolean closing) {
      set -= counts;
      finalized(closing);
    }

    @Override
    public boolean refuses() {
      return over || limit != null;
    }
  }

  Finalizers(State state, Machine machine) {
    this.s = state;
    this.machine = machine;
    this.t = state.t;
    this.first = state.newGlobal();
    this.last = state.newGlobal();
    this.spare = state.newGlobal();
  }

  /**
   * Has __gc of an element called, in the order in which elements got one.
   *
   * @param byScript whether it is counted as the script's own, not the library's or the host's
   */
  void set(int o, boolean byScript) {
    if (t.hasFinalizer(o)) {
      return;
    }
    s.account.charge(ENTRY);
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
    s.account.release(ENTRY);
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
    s.limits.interruptSlice();
  }

  /** Calls those that wait, and from now on each as soon as its element is found. */
  void end() {
    ending = true;
    try {
      callWaiting();
    } catch (LuaLimitException e) {
      cut(e);
    }
  }

  /** None is called any more. */
  void forget() {
    over = true;
  }

  /** None is called any more when the instructions of them all are used up. */
  private void callAtEnd() {
    try {
      call(0);
    } catch (LuaLimitException e) {
      cut(e);
    }
  }

  /** The finalizer that was running has met a limit: no other one is called. */
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

  boolean areWaiting() {
    return waiting > 0 && !calling;
  }

  /** Calls those that wait, between two instructions. */
  void callWaiting() {
    calling = true;
    try {
      while (waiting > 0) {
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
    if (s.meta.method(x, o, Metatables.GC) && t.functionCode(x) >= 0) {
      s.limits.work(CALL);
      t.copy(x + 1, o);
      try {
        int _ = machine.calls().protectedCall(x, 1, 0);
      } catch (LuaError e) {
        machine.warn(x);
      }
    }
    t.resizeFrame(x);
  }
}
