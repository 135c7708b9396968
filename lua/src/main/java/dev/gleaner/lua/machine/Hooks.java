package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.lua.compiler.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The hooks of debug.sethook, and the writes of debug.setlocal. If there are any, the machine calls
 * this class before each instruction. No compiled function runs then, since the fuel is for one
 * instruction only.
 *
 * <p>The slot for a function's program counter holds the instruction before. The slot is empty if
 * the function has just been entered.
 */
final class Hooks {
  static final int CALL = 1;
  static final int RETURN = 2;
  static final int LINE = 4;
  static final int COUNT = 8;

  /** The size of a waiting write, in bytes. */
  private static final int WRITE = 128;

  /** The hook of coroutines that never had a hook; no code writes to this object. */
  private static final Hook NONE = new Hook();

  private final State s;
  private final Calls calls;
  private final Mutator t;
  private final Hook ofMain = new Hook();

  /** A table from coroutines, as weak keys, to functions; null if there never was a hook. */
  private @Nullable GlobalRef functions;

  /** New values of variables in frames that are not the current one. */
  private final List<Write> writes = new ArrayList<>();

  private boolean running;

  /** The depth of the frame in which the function of a hook runs. */
  private int depth;

  Hooks(State state, Calls calls) {
    this.s = state;
    this.calls = calls;
    this.t = state.t;
  }

  /** The events that a coroutine reports. */
  static final class Hook {
    int mask;
    int count;
    int left;
  }

  private record Write(
      @Nullable Coroutine coroutine, int depth, Code code, int register, GlobalRef value) {}

  Hook of(@Nullable Coroutine coroutine) {
    Hook hook = coroutine == null ? ofMain : coroutine.hook;
    return hook == null ? NONE : hook;
  }

  private Hook make(@Nullable Coroutine coroutine) {
    if (coroutine != null && coroutine.hook == null) {
      coroutine.hook = new Hook();
    }
    return of(coroutine);
  }

  /** Returns whether the function of a hook runs in a frame. */
  boolean isHook(int frame) {
    return running && frame == depth;
  }

  /** Decides whether the machine calls this class, after a change of coroutine or hook. */
  void update() {
    boolean events = !running && of(calls.protection().current()).mask != 0;
    s.hooked = events || !writes.isEmpty();
    if (s.hooked) {
      s.limits.interruptSlice();
    }
  }

  /** Sets a hook. The slots hold the coroutine, and the function if the mask is not 0. */
  void set(@Nullable Coroutine coroutine, int thread, int function, int mask, int count) {
    int x = s.scratch(2);
    if (functions == null) {
      t.newWeakObject(x, Weakness.KEYS);
      GlobalRef made = s.heap.newGlobal();
      t.setGlobal(made, x);
      functions = made;
    }
    t.getGlobal(x, functions);
    if (mask == 0) {
      t.set(x + 1, Values.UNDEFINED);
    } else {
      t.copy(x + 1, function);
    }
    s.tables.set(x, thread, x + 1);
    Hook hook = make(coroutine);
    hook.mask = mask;
    hook.count = count;
    hook.left = count;
    t.resizeFrame(x);
    update();
  }

  /** Loads the function of a coroutine's hook, or nil. */
  void load(int d, int thread) {
    if (functions == null) {
      t.set(d, Values.UNDEFINED);
    } else {
      t.getGlobal(d, functions);
      s.tables.get(d, d, thread);
    }
  }

  // ---- events ----

  /** Runs before each instruction of a Lua function. */
  void step() {
    Code code = s.code();
    long saved = t.get(code.pcSlot);
    boolean entered = saved == Values.UNDEFINED;
    s.saveFrame();
    apply(code, entered);
    if (running) {
      return;
    }
    Hook hook = of(calls.protection().current());
    int at = s.pc - 1;
    int before = Return.pc(saved) - 1;
    int op = code.code[at] & 255;
    if (entered && (hook.mask & CALL) != 0) {
      call(Return.isTail(s.ret) ? "tail call" : "call", 0);
    }
    if ((hook.mask & COUNT) != 0 && --hook.left <= 0) {
      hook.left = hook.count;
      call("count", 0);
    }
    // An instruction that closes variables runs again after each.
    boolean again = at == before && (op == Op.RETURN || op == Op.CLOSE);
    if ((hook.mask & LINE) != 0
        && !again
        && (entered || at <= before || line(code, at) != line(code, before))) {
      call("line", line(code, at));
    }
    if ((hook.mask & RETURN) != 0
        && op == Op.RETURN
        && (code.code[at] >>> 24 == 0 || calls.closable(code, at, 0) < 0)) {
      call("return", 0);
    }
    apply(code, false);
  }

  private static int line(Code code, int at) {
    int[] lines = code.prototype.lines;
    return lines.length == 0 ? -1 : lines[Math.clamp(at, 0, lines.length - 1)];
  }

  /** Runs before a function that is no Lua function, in the function's frame. */
  void called() {
    if (!running && (of(calls.protection().current()).mask & CALL) != 0) {
      call("call", 0);
    }
  }

  /** Runs after a function that is no Lua function, in the function's frame with the results. */
  void returned() {
    if (!running && (of(calls.protection().current()).mask & RETURN) != 0) {
      call("return", 0);
    }
  }

  /** Does {@link #returned} for a function of the machine itself. */
  void returnedOwn() {
    int number = t.functionCode(0);
    if (number >= 0 && s.codes.compiled[number] == null && s.codes.builtins[number] == null) {
      returned();
    }
  }

  private void call(String event, int line) {
    int x = s.scratch(3);
    t.currentThread(x + 1);
    load(x, x + 1);
    if (t.get(x) == Values.UNDEFINED) {
      t.resizeFrame(x);
      return;
    }
    MachineTexts.set(t, x + 1, event);
    t.set(x + 2, line == 0 ? Values.UNDEFINED : Values.ofInt(line));
    int outer = depth;
    int first = s.arguments.firstResult();
    running = true;
    depth = t.frameDepth() + 1;
    update();
    try {
      int _ = calls.call(x, 2, 0);
      t.resizeFrame(x);
    } finally {
      running = false;
      depth = outer;
      s.arguments.setFirst(first);
      update();
    }
  }

  // ---- variables of outer frames ----

  /** Records a write to a register. The write happens when the register's frame continues. */
  void write(@Nullable Coroutine coroutine, int level, Code code, int register, int value) {
    int at = t.frameDepth() - level;
    s.account.charge(WRITE);
    GlobalRef held = s.heap.newGlobal();
    t.setGlobal(held, value);
    writes.add(new Write(coroutine, at, code, register, held));
  }

  /** Loads the waiting value of a register. Returns false if no write waits. */
  boolean loadWritten(int d, @Nullable Coroutine coroutine, int level, int register) {
    int at = t.frameDepth() - level;
    for (int i = writes.size() - 1; i >= 0; i--) {
      Write w = writes.get(i);
      if (w.depth == at && w.register == register && Objects.equals(w.coroutine, coroutine)) {
        t.getGlobal(d, w.value);
        return true;
      }
    }
    return false;
  }

  private void apply(Code code, boolean entered) {
    if (writes.isEmpty()) {
      return;
    }
    Coroutine current = calls.protection().current();
    int now = t.frameDepth();
    for (int i = 0; i < writes.size(); ) {
      Write w = writes.get(i);
      boolean dead = w.coroutine != null && w.coroutine.dead;
      boolean here = Objects.equals(w.coroutine, current) && w.depth >= now;
      if (here && w.depth == now && w.code.equals(code) && !entered) {
        t.getGlobal(w.register, w.value);
      }
      if (here || dead) { // the write is done, or its frame is gone
        w.value.close();
        s.account.release(WRITE);
        writes.remove(i);
      } else {
        i++;
      }
    }
    if (writes.isEmpty()) {
      update();
    }
  }
}
