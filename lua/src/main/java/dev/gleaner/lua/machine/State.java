package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.memory.Account;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The registers of the machine, which its parts share. */
final class State {
  final Heap heap;

  /** Of what scripts make grow on the JVM's heap. */
  final Account account;

  final Mutator t;
  final Codes codes;
  final Limits limits;
  final Tables tables;
  final Metatables meta;
  final Operators operators;
  final Messages messages;
  final Finalizers finalizers;

  /** All that the machine holds, but for the strings of chunks. */
  final List<GlobalRef> roots = new ArrayList<>();

  /** The depth of the frame that an error leaves, while a variable of it is closed; or 0. */
  int unwound;

  /** The Lua function of the frame, if it is one. */
  private @Nullable Code code;

  /** Where it goes on. */
  int pc;

  /** Where its results go. */
  long ret;

  /** Behind the values of an open call, varargs or return. */
  int top;

  /** Instructions until the limits are looked at. */
  int fuel;

  /** The instruction that errors are about. */
  int at;

  /** Whether the run has come to its end. */
  boolean exit;

  /** Whether there are hooks, so that each instruction asks for fuel. */
  boolean hooked;

  /** Told of each instruction then. */
  Hooks hooks;

  /** What ended a run so that nothing can run any more. */
  @Nullable Throwable stopped;

  /** Results of what Java code called. */
  int javaCount;

  /** The code of next, and what else the machine knows. */
  int nextCode = -1;

  int collectCode = -1;

  /** The value of the error that is under way. */
  final GlobalRef error;

  /** The message handler in force, or nil. */
  final GlobalRef handler;

  /** The value of the error that memory ran out. */
  final GlobalRef memoryMessage;

  /** The table of the library that is built, and its name. */
  private final GlobalRef built;

  private String builtName = "";

  final Arguments arguments;

  @SuppressWarnings("NullAway.Init") // Calls sets the hooks
  State(Heap heap, Limits limits, int compileAfter, Bodies bodies, Machine machine) {
    this.heap = heap;
    this.account = new Account(heap);
    this.t = heap.mutator();
    this.limits = limits;
    this.codes = new Codes(compileAfter, bodies, limits);
    this.error = newGlobal();
    this.handler = newGlobal();
    this.tables = new Tables(this);
    this.meta = new Metatables(this);
    this.operators = new Operators(this);
    this.messages = new Messages(this);
    this.finalizers = new Finalizers(this, machine);
    this.memoryMessage = newGlobal();
    this.built = newGlobal();
    this.arguments = new Arguments(machine);
    limits.attach(this);
  }

  Code code() {
    return Interpreter.need(code);
  }

  @Nullable Code codeOrNull() {
    return code;
  }

  void setCode(@Nullable Code value) {
    code = value;
  }

  Code codeOfFrame() {
    return Interpreter.need(codes.compiled[t.functionCode(0)]);
  }

  /** Writes where the Lua function of the frame goes on. */
  void saveFrame() {
    t.set(code().pcSlot, Return.save(pc, ret));
  }

  /** Reads it back, of a frame that is there again. */
  void loadFrame() {
    Code c = codeOfFrame();
    code = c;
    long saved = t.get(c.pcSlot);
    pc = Return.pc(saved);
    ret = Return.of(saved);
  }

  /** Takes back what open values added to the frame. */
  void shrink(Code c) {
    if (t.frameSize() > c.frameSize) {
      t.resizeFrame(c.frameSize);
    }
  }

  /** Keeps the table of a library while it is built. */
  void build(String library, int s) {
    builtName = library;
    t.setGlobal(built, s);
  }

  /** Loads it; false, and the slot as it was, if another library is built. */
  boolean loadBuilt(String library, int d) {
    if (!library.equals(builtName)) {
      return false;
    }
    t.getGlobal(d, built);
    return true;
  }

  /** Lets go of it. */
  void endBuilding(int x) {
    t.set(x, Values.UNDEFINED);
    build("", x);
  }

  /** A root of the machine, undefined. */
  GlobalRef newGlobal() {
    GlobalRef made = heap.newGlobal();
    roots.add(made);
    return made;
  }

  void close(GlobalRef root) {
    roots.remove(root);
    root.close();
  }

  /** Adds slots to the frame; answers the first of them. */
  int scratch(int n) {
    int size = t.frameSize();
    t.resizeFrame(size + n);
    return size;
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
