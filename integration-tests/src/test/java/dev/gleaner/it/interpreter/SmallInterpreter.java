package dev.gleaner.it.interpreter;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.ThreadState;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.StackFullException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A small interpreter: a register machine whose registers, calls, catchers and coroutines are in
 * the heap. Nothing that a guest does nests on the Java stack.
 *
 * <pre>
 *   a frame      slot 0     the function, whose code id says what it runs
 *                slot 1     where its caller goes on: function and instruction, as an integer
 *                slot 2 …   its arguments, then its other registers
 *   an error     goes to the innermost catcher of its coroutine. Where there is none, it ends the
 *                coroutine, and the resumer finds it
 *   a coroutine  is a thread; the Java object attached to it knows where it stands
 * </pre>
 */
final class SmallInterpreter {
  /** Where the first function goes on: in Java. */
  private static final int HALT = -1;

  /** Where the first function of a coroutine goes on: at its resumer. */
  private static final int RESUMER = -2;

  /** Code ids from here on are functions of the host. */
  static final int HOST = 1 << 14;

  private static final int HOST_SLOTS = 16;

  /** A function of the host: its arguments are the first slots of a frame of its own. */
  @FunctionalInterface
  interface HostFunction {
    /**
     * Leaves its results in the frame's first slots, and answers how many there are.
     *
     * @throws GuestException to raise an error in the guest
     */
    int call(Mutator t, int arguments);
  }

  /** An error of the guest's. */
  static final class GuestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    GuestException(String message) {
      super(message, null, false, false);
    }
  }

  /** What is attached to a coroutine's thread. */
  private static final class Coroutine {
    @Nullable Coroutine outer;
    int resumedAt;
    int stands;
    boolean over;
  }

  private final Mutator t;
  private final List<Code> functions;
  private final List<HostFunction> hosts;
  private final GlobalRef[] texts;
  private final GlobalRef noMemory;
  private final GlobalRef noStack;

  /** What runs: a function, its code, its next instruction; the coroutine, null outside of any. */
  private int function;

  private Code code;
  private int pc;
  private @Nullable Coroutine running;

  SmallInterpreter(Heap heap, List<Code> functions, List<HostFunction> hosts, List<String> texts) {
    this.t = heap.mutator();
    this.functions = functions;
    this.hosts = hosts;
    this.code = functions.getFirst();
    this.texts = texts.stream().map(text -> global(heap, text)).toArray(GlobalRef[]::new);
    this.noMemory = global(heap, "not enough memory"); // made while there is some
    this.noStack = global(heap, "stack overflow");
  }

  private GlobalRef global(Heap heap, String text) {
    GlobalRef global = heap.newGlobal();
    t.enter(1);
    t.newString(0, text);
    t.setGlobal(global, 0);
    t.leave();
    return global;
  }

  /**
   * Calls the first function with an integer, and answers its result, an integer.
   *
   * @throws GuestException if an error is not caught
   */
  long run(int argument) {
    int depth = t.frameDepth();
    t.enter(3);
    try {
      makeFunction(0, 0);
      t.setInt(1, HALT);
      t.setInt(2, argument);
      begin(0, 1);
      interpret();
      return t.getLong(0);
    } finally {
      t.leaveTo(depth);
    }
  }

  private void interpret() {
    boolean more = true;
    while (more) {
      try {
        more = step();
      } catch (GuestException e) {
        raise(Objects.requireNonNull(e.getMessage()));
      } catch (HeapExhaustedException e) {
        raise(noMemory);
      } catch (StackFullException e) {
        raise(noStack);
      }
    }
  }

  /** Runs an instruction; answers whether the guest goes on. */
  private boolean step() {
    int op = code.word(pc, 0);
    int a = code.word(pc, 1);
    int b = code.word(pc, 2);
    int c = code.word(pc, 3);
    pc++;
    switch (op) {
      case Code.NUMBER -> t.setInt(a, b);
      case Code.TEXT -> t.getGlobal(a, texts[b]);
      case Code.MOVE -> t.copy(a, b);
      case Code.ADD -> t.setLong(a, integer(b) + integer(c));
      case Code.LESS -> pc = integer(a) < integer(b) ? pc : c;
      case Code.JUMP -> pc = a;
      case Code.TABLE -> t.newObject(a);
      case Code.FUNCTION -> makeFunction(a, b);
      case Code.GET -> get(a, b, c);
      case Code.SET -> set(a, b, c);
      case Code.CALL -> call(a, b, c);
      case Code.PROTECTED -> {
        t.pushCatcher(a + 1, here());
        call(a, b, c);
      }
      case Code.TAIL_CALL -> tailCall(a, b);
      case Code.RETURN -> {
        return giveBack(a, b);
      }
      case Code.RAISE -> raise(a);
      case Code.CREATE -> create(a, b);
      case Code.RESUME -> resume(a, b);
      case Code.YIELD -> giveToResumer(a, b);
      default -> throw new IllegalStateException("operation " + op);
    }
    return true;
  }

  private long integer(int s) {
    if (!t.isInteger(s)) {
      throw new GuestException("an integer is wanted");
    }
    return t.getLong(s);
  }

  // ---- tables ----

  private void get(int d, int table, int key) {
    if (t.lookUp(d, table, key) == Values.ABSENT) {
      checkTable(table);
      t.setUndefined(d);
    }
  }

  private void set(int table, int key, int s) {
    if (!t.update(table, key, s)) {
      checkTable(table);
      t.putProperty(table, key, s);
    }
  }

  private void checkTable(int s) {
    if (!t.isReference(s) || t.kind(s) != Kind.OBJECT) {
      throw new GuestException("a table is wanted");
    }
  }

  // ---- calls ----

  private void makeFunction(int d, int id) {
    t.newFunction(d, 0, 0);
    t.setFunctionCode(d, id);
  }

  private int functionIn(int s) {
    int id = t.functionCode(s);
    if (id < 0) {
      throw new GuestException("a function is wanted");
    }
    return id;
  }

  /** Calls what is in slot a; slot a + 1 is for where to go on, and the arguments follow. */
  private void call(int a, int arguments, int wanted) {
    int id = functionIn(a);
    if (id >= HOST) {
      callHost(id, a, arguments, wanted);
    } else {
      t.setInt(a + 1, here());
      begin(a, arguments);
    }
  }

  private void begin(int a, int arguments) {
    int id = functionIn(a);
    Code callee = functions.get(id);
    t.enterMoving(callee.slots(), a, 2 + Math.min(arguments, callee.parameters()));
    goTo(id, 0);
  }

  private void callHost(int id, int a, int arguments, int wanted) {
    int depth = t.frameDepth();
    t.enterMoving(HOST_SLOTS, a + 2, arguments);
    try {
      int results = hosts.get(id - HOST).call(t, arguments);
      t.leave(0, results, landing(pc - 1), wanted);
    } catch (RuntimeException e) {
      t.leaveTo(depth);
      throw e;
    }
    returned();
  }

  private void tailCall(int a, int arguments) {
    int id = functionIn(a);
    if (id >= HOST) {
      throw new GuestException("a function of the host is called otherwise");
    }
    Code callee = functions.get(id);
    t.copy(a + 1, 1); // where my caller goes on
    t.tailCall(callee.slots(), a, 2 + Math.min(arguments, callee.parameters()));
    goTo(id, 0);
  }

  private boolean giveBack(int a, int count) {
    int where = t.getInt(1);
    if (where == HALT) {
      t.leave(a, count, 0, 1);
      return false;
    }
    if (where == RESUMER) {
      goToResumer(true, a, count, true);
      return true;
    }
    goTo(where >>> 16, where & 0xFFFF);
    t.leave(a, count, landing(pc - 1), code.word(pc - 1, 3));
    returned();
    return true;
  }

  private void returned() {
    if (code.word(pc - 1, 0) == Code.PROTECTED) {
      t.popCatcher();
    }
    landed(true);
  }

  /** Where the results of a calling instruction land. */
  private int landing(int instruction) {
    int a = code.word(instruction, 1);
    return code.word(instruction, 0) == Code.CALL ? a : a + 1;
  }

  /** Tells the instruction that called, or resumed, how it ended, if it wants to know. */
  private void landed(boolean well) {
    if (code.word(pc - 1, 0) != Code.CALL) {
      t.setBoolean(code.word(pc - 1, 1), well);
    }
  }

  private int here() {
    return function << 16 | pc;
  }

  private void goTo(int id, int instruction) {
    function = id;
    code = functions.get(id);
    pc = instruction;
  }

  // ---- errors ----

  private void raise(String message) {
    try {
      t.newString(code.scratch(), message);
    } catch (HeapExhaustedException e) {
      t.getGlobal(code.scratch(), noMemory);
    }
    raise(code.scratch());
  }

  private void raise(GlobalRef text) {
    t.getGlobal(code.scratch(), text);
    raise(code.scratch());
  }

  private void raise(int s) {
    int where = t.raise(s);
    if (where != -1) {
      goTo(where >>> 16, where & 0xFFFF);
      landed(false);
    } else if (running != null) {
      goToResumer(false, s, 1, true);
    } else {
      throw new GuestException(t.getString(s));
    }
  }

  // ---- coroutines ----

  /** What is pushed becomes the first two slots of the coroutine's first frame. */
  private void create(int d, int f) {
    int id = functionIn(f);
    if (id >= HOST) {
      throw new GuestException("a function of the guest is wanted");
    }
    int word = code.scratch();
    t.newThread(word);
    t.setThreadObject(word, new Coroutine());
    t.push(word, f);
    t.copy(d, word);
    t.setInt(word, RESUMER);
    t.push(d, word);
    ((Coroutine) Objects.requireNonNull(t.threadObject(d))).stands = id << 16;
  }

  private void resume(int a, int arguments) {
    Object attached = t.isReference(a) && t.kind(a) == Kind.THREAD ? t.threadObject(a) : null;
    if (!(attached instanceof Coroutine coroutine)) {
      throw new GuestException("a coroutine is wanted");
    }
    ThreadState state = t.threadState(a);
    if (coroutine.over || (state != ThreadState.IDLE && state != ThreadState.SUSPENDED)) {
      throw new GuestException("a coroutine that waits is wanted");
    }
    int resumedAt = here();
    int id = coroutine.stands >>> 16;
    int at = coroutine.stands & 0xFFFF;
    Code resumed = functions.get(id);
    if (state == ThreadState.IDLE) {
      t.resume(a, resumed.slots(), a + 2, Math.min(arguments, resumed.parameters()));
    } else {
      t.resumeInto(a, a + 2, arguments, resumed.word(at - 1, 1), resumed.word(at - 1, 3));
    }
    coroutine.resumedAt = resumedAt;
    coroutine.outer = running;
    running = coroutine;
    goTo(id, at);
  }

  private void giveToResumer(int a, int count) {
    if (running == null) {
      throw new GuestException("outside of a coroutine");
    }
    running.stands = here();
    goToResumer(true, a, count, false);
  }

  private void goToResumer(boolean well, int first, int count, boolean over) {
    Coroutine coroutine = Objects.requireNonNull(running);
    goTo(coroutine.resumedAt >>> 16, coroutine.resumedAt & 0xFFFF);
    int wanted = code.word(pc - 1, 3);
    if (over) {
      t.finish(first, count, landing(pc - 1), wanted);
    } else {
      t.suspend(first, count, landing(pc - 1), wanted);
    }
    coroutine.over = over;
    running = coroutine.outer;
    landed(well);
  }
}
