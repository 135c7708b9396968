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
  private static final int WRITE = 160;

  /** The hook of coroutines that never had a hook; no code writes to this object. */
  private static final Coroutine.Hook NONE = new Coroutine.Hook();

  private final State s;
  private final Tables tables;
  private final Builtins builtins;
  private final Arguments arguments;
  private final Calls calls;
  private final Mutator t;
  private final Coroutine.Hook ofMain = new Coroutine.Hook();

  /** A table from coroutines, as weak keys, to functions; null if there never was a hook. */
  private @Nullable GlobalRef functions;

  /** New values of variables in frames that are not the current one. */
  private final List<Write> writes = new ArrayList<>();

  /** The code number of next. */
  private int next = State.NO_CODE;

  private int nextIndex = State.NO_CODE;

  /** The first slot of the arguments or results of the function under a hook, and their number. */
  private int first;

  private int count;

  Hooks(Parts parts, Calls calls) {
    this.s = parts.state;
    this.tables = parts.tables;
    this.builtins = parts.builtins;
    this.arguments = parts.arguments;
    this.calls = calls;
    this.t = s.t;
  }

  /** Sets the code numbers of the functions that loops do without a call. */
  void setIterators(int ofPairs, int ofIpairs) {
    next = ofPairs;
    nextIndex = ofIpairs;
    update();
  }

  private record Write(
      @Nullable Coroutine coroutine, int depth, Code code, int register, GlobalRef value) {}

  Coroutine.Hook of(@Nullable Coroutine coroutine) {
    Coroutine.Hook hook = coroutine == null ? ofMain : coroutine.hook;
    return hook == null ? NONE : hook;
  }

  private Coroutine.Hook make(@Nullable Coroutine coroutine) {
    if (coroutine != null && coroutine.hook == null) {
      coroutine.hook = new Coroutine.Hook();
    }
    return of(coroutine);
  }

  /** Returns whether scripts have hooks now: not in a hook, nor in a finalizer. */
  private boolean isOn() {
    return s.hookDepth == 0 && s.finalizerDepth == 0;
  }

  /** Returns whether the function of a hook runs in a frame. */
  boolean isHook(int frame) {
    return frame == s.hookDepth;
  }

  /** Decides whether the machine calls this class, after a change of coroutine or hook. */
  void update() {
    boolean events = isOn() && of(calls.protection().current()).mask != 0;
    s.hooked = events || !writes.isEmpty();
    s.nextCode = s.hooked ? State.NO_CODE : next;
    s.nextIndexCode = s.hooked ? State.NO_CODE : nextIndex;
    if (s.hooked) {
      s.limits.interruptSlice();
    }
  }

  /** Sets a hook. The slots hold the coroutine, and the function if the mask is not 0. */
  void set(@Nullable Coroutine coroutine, int thread, int function, int mask, int count) {
    int x = s.scratch(4);
    if (functions == null) {
      t.newObject(x, 1);
      t.newObject(x + 1, 1);
      MachineTexts.set(t, x + 2, "__mode");
      MachineTexts.set(t, x + 3, "k");
      tables.set(x + 1, x + 2, x + 3);
      t.store(x, 0, x + 1);
      t.setWeakness(x, Weakness.KEYS);
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
    tables.set(x, thread, x + 1);
    Coroutine.Hook hook = make(coroutine);
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
      tables.get(d, d, thread);
    }
  }

  /** Loads the table of hooks, or nil if there never was a hook. */
  void loadTable(int d) {
    if (functions == null) {
      t.set(d, Values.UNDEFINED);
    } else {
      t.getGlobal(d, functions);
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
    if (!isOn()) {
      return;
    }
    Coroutine.Hook hook = of(calls.protection().current());
    int at = s.pc - 1;
    int before = Return.pc(saved) - 1;
    int op = code.code[at] & 255;
    if (entered && (hook.mask & CALL) != 0) {
      call(Return.isTail(s.ret) ? "tail call" : "call", 0, 1, code.parameters);
    }
    boolean counted = (hook.mask & COUNT) != 0 && isCounted(op) && --hook.left <= 0;
    if (counted) {
      hook.left = hook.count;
      call("count", 0, 0, 0);
    }
    // In PUC Lua an instruction whose hook counted begins a line.
    if ((hook.mask & LINE) != 0 && (counted || isNewLine(code, at, entered ? -1 : before))) {
      call("line", Messages.line(code, at), 0, 0);
    }
    if ((hook.mask & RETURN) != 0
        && op == Op.RETURN
        && (code.code[at] >>> 24 == 0 || calls.closable(code, at, 0) < 0)) {
      int a = code.code[at] >>> 8 & 255;
      int b = code.code[at] >>> 16 & 255;
      call("return", 0, a, b == 0 ? s.top - a : b - 1);
    }
    apply(code, false);
  }

  /** Returns whether PUC Lua has such an instruction: variables are in no boxes there. */
  private static boolean isCounted(int op) {
    return op != Op.BOX && op != Op.GET_BOX && op != Op.SET_BOX;
  }

  private boolean isNewLine(Code code, int at, int before) {
    int op = code.code[at] & 255;
    if (before < 0) {
      return true;
    }
    if (at <= before) {
      // An instruction that closes variables runs again after each.
      return at < before || (op != Op.RETURN && op != Op.CLOSE);
    }
    if (Messages.line(code, at) == Messages.line(code, before)) {
      return false;
    }
    int start = new Names(s, code).start(before);
    int last = code.code[start] & 255;
    // PUC Lua does both at once, or jumps to the target of a jump at once.
    return !(op == Op.TFOR_CALL && last == Op.TFOR_PREPARE)
        && !(code.code[at] == Op.JUMP
            && Op.jumps(last)
            && last != Op.FOR_PREPARE
            && at != start + Op.width(last));
  }

  /** Runs before a function that is no Lua function, in the function's frame. */
  void called(int arguments) {
    if (isOn() && (of(calls.protection().current()).mask & CALL) != 0) {
      call("call", 0, 1, arguments);
    }
  }

  /** Runs after a function that is no Lua function, in the function's frame with the results. */
  void returned(int from, int results) {
    if (isOn() && (of(calls.protection().current()).mask & RETURN) != 0) {
      call("return", 0, from, results);
    }
  }

  /** Does {@link #returned} for a function of the machine itself. */
  void returnedOwn(int from, int results) {
    int number = t.functionCode(0);
    if (number >= 0 && s.codes.compiled[number] == null && builtins.get(number) == null) {
      returned(from, results);
    }
  }

  /** Returns the first slot of what the function in a frame takes or returns; 0 if none. */
  int first(int frame) {
    return isHook(frame + 1) ? first : 0;
  }

  /** Returns the number of values that the function in a frame takes or returns. */
  int count(int frame) {
    return isHook(frame + 1) ? count : 0;
  }

  private void call(String event, int line, int from, int values) {
    int x = s.scratch(3);
    t.currentThread(x + 1);
    load(x, x + 1);
    if (t.get(x) == Values.UNDEFINED) {
      t.resizeFrame(x);
      return;
    }
    MachineTexts.set(t, x + 1, event);
    t.set(x + 2, line <= 0 ? Values.UNDEFINED : Values.ofInt(line));
    int result = arguments.firstResult();
    first = from;
    count = values;
    s.hookDepth = t.frameDepth() + 1;
    update();
    try {
      int _ = calls.call(x, 2, 0);
      t.resizeFrame(x);
    } finally {
      s.hookDepth = 0;
      arguments.setFirst(result);
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
