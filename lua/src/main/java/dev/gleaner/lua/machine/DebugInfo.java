package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.ThreadState;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.compiler.Prototype.Variable;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the frames of the current coroutine, or of a suspended one. */
final class DebugInfo {
  /** The name of an argument of a library function. */
  static final String TEMPORARY = "(C temporary)";

  /** The number of a value that has no name is smaller. */
  private static final int MOST_TEMPORARIES = 1 << 20;

  private final Machine machine;
  private final State s;
  private final Mutator t;
  private final Hooks hooks;

  DebugInfo(Machine machine) {
    this.machine = machine;
    this.s = machine.state();
    this.t = s.t;
    this.hooks = machine.calls().hooks();
  }

  /** A function in a frame: its code if it is a Lua function, and its name in the caller. */
  record Frame(int level, @Nullable Code code, int at, boolean tail, String name) {}

  /**
   * Runs work on the stack of a coroutine. A suspended coroutine is the current one meanwhile. The
   * work gets the level of the top frame, and must call no script.
   *
   * @param a the arguments of the library function
   * @param thread the slot of the coroutine, or 0 for the current one
   * @param d the slot for what the work passes on in a global, which is empty again then
   * @param work the work
   * @return the result of the work; null if no function runs in the coroutine
   */
  <T> @Nullable T on(Arguments a, int thread, int d, IntWork<T> work) {
    int x = s.scratch(1);
    try {
      return on(a, thread, work);
    } finally {
      t.getGlobal(d, machine.passed());
      t.set(x, Values.UNDEFINED);
      t.setGlobal(machine.passed(), x);
      t.resizeFrame(x);
    }
  }

  private <T> @Nullable T on(Arguments a, int thread, IntWork<T> work) {
    if (thread == 0) {
      return work.at(0);
    }
    switch (t.threadState(thread)) {
      case RUNNING -> {
        return work.at(0);
      }
      case WAITING ->
          throw a.argumentError(thread, "the stack of a coroutine that waits cannot be read");
      case IDLE -> {
        return null;
      }
      case SUSPENDED -> {}
    }
    int _ = t.resumeInto(thread, 0, 0, 0, 0);
    int size = t.frameSize();
    try {
      return work.at(t.functionCode(0) < 0 ? 1 : 0);
    } finally {
      t.resizeFrame(size);
      int _ = t.suspend(0, 0, 0, 0);
    }
  }

  /** Work on a stack. The level is that of the frame that counts as 0. */
  interface IntWork<T> {
    @Nullable T at(int top);
  }

  /** Returns whether the coroutine in a slot runs; true for slot 0. */
  boolean isCurrent(int thread) {
    return thread == 0 || t.threadState(thread) == ThreadState.RUNNING;
  }

  /** Returns the frame of a level that a script asks for, or null. A global keeps the function. */
  @Nullable Frame frame(int top, int asked) {
    int level = machine.parts().levels.find(top, asked);
    if (level > t.frameDepth() - 2) {
      return null;
    }
    int x = s.scratch(1);
    t.peek(x, level, 0);
    t.setGlobal(machine.passed(), x);
    Code code = s.codes.of(t, x);
    int at = -1;
    boolean tail = false;
    if (code != null) {
      t.peek(x, level, code.pcSlot);
      at = Math.max(0, Return.pc(t.get(x)) - 1);
      tail = Return.isTail(Return.of(t.get(x)));
    }
    t.resizeFrame(x);
    String name = tail ? "" : machine.parts().messages.called(level);
    return new Frame(level, code, at, tail, name);
  }

  // ---- variables ----

  /** Returns the nth variable in scope; null if there is none. */
  @Nullable Variable variable(Code code, int at, long n) {
    s.limits.work(code.prototype.variables.length >>> 3);
    List<Variable> there =
        Stream.of(code.prototype.variables)
            .filter(v -> v.from() <= at && at < v.to())
            .sorted(Comparator.comparingInt(Variable::register))
            .toList();
    return n >= 1 && n <= there.size() ? there.get((int) n - 1) : null;
  }

  boolean isBox(int slot) {
    return Values.isReference(t.get(slot))
        && !t.isInteger(slot)
        && t.kind(slot) == Kind.RECORD
        && t.slotCount(slot) == 1;
  }

  /** Puts the value of a local variable into a global. Returns the variable's name, or null. */
  @Nullable String local(Frame f, long n, @Nullable Coroutine coroutine) {
    Code code = f.code;
    if (code == null) {
      return ofLibrary(f, n);
    }
    if (n < 0) {
      return vararg(f, code, -n, x -> t.load(x, x, (int) -n - 1));
    }
    Variable v = variable(code, f.at, n);
    int register = v == null ? temporary(f, code, n) : v.register();
    if (register < 0) {
      return copied(f, code, n) ? name(null) : null;
    }
    int x = s.scratch(1);
    if (!hooks.loadWritten(x, coroutine, f.level, register)) {
      t.peek(x, f.level, register);
    }
    if (isBox(x)) {
      t.load(x, x, 0);
    }
    t.setGlobal(machine.passed(), x);
    t.resizeFrame(x);
    return name(v);
  }

  private static String name(@Nullable Variable v) {
    return v == null || v.name().isEmpty() ? "(temporary)" : v.name();
  }

  /** Returns the number for scripts of a register, as if a frame had nothing but registers. */
  static int number(Code code, int register) {
    return register <= code.parameters ? register : register - (code.varargs ? 2 : 1);
  }

  private static int register(Code code, int number) {
    return number + (number <= code.parameters ? 0 : code.varargs ? 2 : 1);
  }

  /**
   * Passes on what PUC Lua leaves in a caller's frame: a function with varargs, which it copies,
   * its parameters, which are nil then, and the varargs. Returns whether the number is that of one.
   */
  private boolean copied(Frame f, Code code, long n) {
    int i = code.code[new Names(s, code).start(f.at)];
    int op = i & 255;
    boolean calls = op == Op.CALL || op == Op.TFOR_CALL;
    if (n < 1 || n >= MOST_TEMPORARIES || !calls || hooks.isHook(t.frameDepth() - f.level + 1)) {
      return false;
    }
    int at = register(code, (int) n) - (i >>> 8 & 255) - (op == Op.TFOR_CALL ? 4 : 0);
    int x = s.scratch(1);
    t.peek(x, f.level - 1, 0);
    Code callee = s.codes.of(t, x);
    boolean there = at >= 0 && callee != null && callee.varargs;
    if (callee != null && there && at > 0) {
      t.peek(x, f.level - 1, callee.parameters + 2);
      int vararg = at - callee.parameters - 1;
      int varargs = Values.isReference(t.get(x)) ? t.slotCount(x) : 0;
      there = vararg < varargs;
      if (there && vararg >= 0) {
        t.load(x, x, vararg);
      } else {
        t.set(x, Values.UNDEFINED);
      }
    }
    if (there) {
      t.setGlobal(machine.passed(), x);
    }
    t.resizeFrame(x);
    return there;
  }

  /** Returns the register of a value that has no name, below what the frame has called; or -1. */
  private int temporary(Frame f, Code code, long n) {
    if (n < 1 || n > code.frameSize + (long) hooks.count(t.frameDepth() - f.level)) {
      return -1;
    }
    int register = register(code, (int) n);
    int frame = t.frameDepth() - f.level;
    int end = hooks.first(frame) + hooks.count(frame);
    int i = code.code[new Names(s, code).start(f.at)];
    int above =
        switch (i & 255) {
          case Op.CALL, Op.TAIL_CALL ->
              hooks.isHook(frame + 1) ? code.frameSize - 1 : i >>> 8 & 255;
          case Op.TFOR_CALL -> (i >>> 8 & 255) + 4;
          default -> code.frameSize - 1;
        };
    return register < Math.max(above, end) ? register : -1;
  }

  /** Does {@link #local} for an argument or result of a library function at hand. */
  private @Nullable String ofLibrary(Frame f, long n) {
    int frame = t.frameDepth() - f.level;
    int end = hooks.first(frame) + hooks.count(frame);
    if (n < 1 || n >= end) {
      return null;
    }
    int x = s.scratch(1);
    t.peek(x, f.level, (int) n);
    t.setGlobal(machine.passed(), x);
    t.resizeFrame(x);
    return TEMPORARY;
  }

  /** Work on a slot. */
  interface SlotWork {
    void on(int slot);
  }

  private @Nullable String vararg(Frame f, Code code, long n, SlotWork work) {
    if (!code.varargs) {
      return null;
    }
    int x = s.scratch(1);
    t.peek(x, f.level, code.parameters + 2);
    boolean there = Values.isReference(t.get(x)) && n <= t.slotCount(x);
    if (there) {
      work.on(x);
      t.setGlobal(machine.passed(), x);
    }
    t.resizeFrame(x);
    return there ? "(vararg)" : null;
  }

  /** Sets a local variable to the value of a global. Returns the variable's name, or null. */
  @Nullable String setLocal(Frame f, long n, @Nullable Coroutine coroutine) {
    Code code = f.code;
    if (code == null) {
      return null;
    }
    int value = s.scratch(2);
    t.getGlobal(value, machine.passed());
    String name;
    if (n < 0) {
      name = vararg(f, code, -n, x -> t.store(x, (int) -n - 1, value));
    } else {
      Variable v = variable(code, f.at, n);
      int register = v == null ? temporary(f, code, n) : v.register();
      name = register < 0 || (v != null && v.name().startsWith("(")) ? null : name(v);
      if (name != null) {
        t.peek(value + 1, f.level, register);
        if (isBox(value + 1)) {
          t.store(value + 1, 0, value);
        } else {
          hooks.write(coroutine, f.level, code, register, value);
        }
      }
    }
    t.resizeFrame(value);
    return name;
  }

  /** Returns the stack of a coroutine as text. */
  String traceback(Arguments a, int thread, long level) {
    int x = s.scratch(1);
    String text =
        on(
            a,
            thread,
            x,
            top -> machine.tracebacks().text(machine.parts().levels.find(top, (int) level)));
    return text == null ? "stack traceback:" : text;
  }
}
