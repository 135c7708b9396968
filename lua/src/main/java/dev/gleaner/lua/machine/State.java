package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.memory.Account;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The registers of the machine. All its parts share them; they know no part. */
final class State {
  final Heap heap;

  /** The account for Java objects that scripts make grow. */
  final Account account;

  final Mutator t;
  final Codes codes;
  final Limits limits;

  final Roots roots;

  /** What an image says of the machine; null if the heap was new. */
  final @Nullable Restored restored;

  /** The depth of a frame that an error leaves, while a variable there is closed; else 0. */
  int unwound;

  /** Whether an error has ever closed a variable. Only then scripts see fewer levels. */
  boolean hasUnwound;

  /** The Lua function of the frame; null if another function runs. */
  private @Nullable Code code;

  /** The next instruction of the function. */
  int pc;

  /** The return word of the function. */
  long ret;

  /** The slot behind the values of an open call, varargs or return. */
  int top;

  /** The instructions until the next check of the limits. */
  int fuel;

  /** The instruction that error messages name. */
  int at;

  /** Whether the run has ended. */
  boolean exit;

  /** Whether there are hooks. Each instruction then asks for fuel. */
  boolean hooked;

  /** The depth of the frame in which the function of a hook runs; 0 if none does. */
  int hookDepth;

  /** The depth of the frame of the finalizer that runs; 0 if none does. */
  int finalizerDepth;

  /** The exception after which no script can run; null if there is none. */
  @Nullable Throwable stopped;

  /** The number of results of a call from Java code. */
  int javaCount;

  /** The longest list for which a new table has room. */
  private static final int MOST_ROOM = 1 << 16;

  /** The code number of no value; that of values that are no functions is -1. */
  static final int NO_CODE = -2;

  /** The code number of next, which loops do without a call; none if there are hooks. */
  int nextCode = NO_CODE;

  /** The code number of the function that ipairs returns, as above. */
  int nextIndexCode = NO_CODE;

  /** The functions that pairs and ipairs return. */
  final GlobalRef nextFunction;

  final GlobalRef nextIndexFunction;

  /** The table "package". */
  final GlobalRef packages;

  /** The value of the current error. */
  final GlobalRef error;

  /** The message handler in force, or nil. */
  private final GlobalRef handler;

  /** Whether there may be a handler. Without one neither calls nor coroutines touch the global. */
  private boolean handled;

  /** The error value when memory runs out. */
  final GlobalRef memoryMessage;

  /** The table of the library under construction, and the library's name. */
  private final GlobalRef built;

  private String builtName = "";

  State(Heap heap, Limits limits, Codes codes, @Nullable Restored restored) {
    this.heap = heap;
    this.account = new Account(heap);
    this.t = heap.mutator();
    this.limits = limits;
    this.codes = codes;
    this.restored = restored;
    this.roots = new Roots(heap, restored == null ? Map.of() : restored.roots());
    this.error = roots.make("error");
    this.handler = roots.make("handler");
    this.handled = restored != null;
    this.memoryMessage = roots.make("memory message");
    this.built = roots.make("library");
    this.packages = roots.make("package");
    this.nextFunction = roots.make("next");
    this.nextIndexFunction = roots.make("next index");
    limits.attach(this);
  }

  Code code() {
    return Code.need(code);
  }

  @Nullable Code codeOrNull() {
    return code;
  }

  void setCode(@Nullable Code value) {
    code = value;
  }

  /** Saves the next instruction and the return word of the Lua function in its frame. */
  void saveFrame() {
    t.set(code().pcSlot, Return.save(pc, ret));
  }

  /** Loads the state of a frame that is the current one again. */
  void loadFrame() {
    Code c = Code.need(codes.compiled[t.functionCode(0)]);
    code = c;
    long saved = t.get(c.pcSlot);
    pc = Return.pc(saved);
    ret = Return.of(saved);
  }

  /** Loads the message handler in force, or nil. */
  void loadHandler(int d) {
    if (handled) {
      t.getGlobal(d, handler);
    } else {
      t.set(d, Values.UNDEFINED);
    }
  }

  /** Puts the value in a slot in force as the message handler; nil for none. */
  void setHandler(int s) {
    boolean some = t.get(s) != Values.UNDEFINED;
    if (some || handled) {
      handled = true; // first: the heap may refuse
      t.setGlobal(handler, s);
      handled = some;
    }
  }

  /** Leaves no message handler in force. */
  void clearHandler(int x) {
    if (handled) {
      t.set(x, Values.UNDEFINED);
      setHandler(x);
    }
  }

  /** Removes the slots that open values added to the frame. */
  void shrink(Code c) {
    if (t.frameSize() > c.frameSize) {
      t.resizeFrame(c.frameSize);
    }
  }

  /** Keeps the table of a library during its construction. */
  void build(String library, int s) {
    builtName = library;
    t.setGlobal(built, s);
  }

  /** Loads the table of a library. Returns false if another library is under construction. */
  boolean loadBuilt(String library, int d) {
    if (!library.equals(builtName)) {
      return false;
    }
    t.getGlobal(d, built);
    return true;
  }

  /** Ends the construction of a library. */
  void endBuilding(int x) {
    t.set(x, Values.UNDEFINED);
    build("", x);
  }

  /** Adds slots to the frame. Returns the first new slot. */
  int scratch(int n) {
    int size = t.frameSize();
    t.resizeFrame(size + n);
    return size;
  }

  /**
   * Makes a table with room.
   *
   * @param d the slot of the result
   * @param fields the expected number of other keys than those of the list
   * @param positions the expected length of the list, a hint that a dump can choose
   */
  void newTable(int d, int fields, int positions) {
    int room = Math.clamp(positions, 0, MOST_ROOM);
    t.newObject(d, 1, fields, room == 0 ? 0 : room + 1);
  }

  // ---- integers of 64 bits ----

  void setInteger(int d, long v) {
    if (v == (int) v) {
      t.set(d, Values.ofInt((int) v));
    } else {
      Wide.set(t, d, v);
    }
  }

  boolean isInteger(int s, long v) {
    return Values.isInt(v) || (Values.isReference(v) && Wide.is(t, s));
  }

  long integer(int s, long v) {
    return Values.isInt(v) ? Values.toInt(v) : Wide.get(t, s);
  }
}
