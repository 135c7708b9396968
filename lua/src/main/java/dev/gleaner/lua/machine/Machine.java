package dev.gleaner.lua.machine;

import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapInspection;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.lua.CompiledFunctions;
import dev.gleaner.lua.HostFunction;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.lua.LuaValue;
import dev.gleaner.lua.compiler.Compiler;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.memory.Account;
import dev.gleaner.spi.CollectFlags;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs compiled functions, and serves library functions.
 *
 * <pre>
 *   library function --> Machine --> Mutator           values, tables without metamethods
 *                           |-----> Metatables         with them
 *                           |-----> Interpreter        a function called from Java
 *                           '-----> Limits             steps, time, interruption
 * </pre>
 *
 * <p>A library function finds its arguments in slots of a frame, and leaves its results there. The
 * function keeps elements in slots; Java variables never hold the place of an element.
 *
 * <p>A call from Java nests on the Java stack, up to a bound. Some functions must let a coroutine
 * yield inside: pcall, wrapped coroutines, metamethods of instructions. {@link Calls} finishes
 * these, without this class.
 */
public final class Machine {
  private static final int FRAME = 8;

  private static final String USERDATA = "lua.userdata";

  /** The name under which the counts of finalizers are kept. */
  static final String FINALIZERS = "finalizers";

  /** The root of the coroutine that {@link #park} has begun. */
  private static final String PARKED = "parked";

  /** The initial sizes of the table of globals, and of package.loaded. */
  private static final int GLOBALS = 32;

  private static final int LIBRARIES = 10;

  /** Collections at the end: a finalizer may make an element that has a finalizer, too. */
  private static final int ROUNDS = 3;

  private final Mutator t;
  private final State state;
  private final Parts parts;
  private final @Nullable GlobalRef[] typeNames = new GlobalRef[Types.COUNT];
  private final Calls calls;
  private final Finalizers finalizers;
  private final Unit.Owner units;
  private final Tracebacks tracebacks;
  private final GlobalRef globals;
  private final GlobalRef loaded;
  private final Sandbox sandbox;
  private final Handles handles = new Handles(this);

  /** A value that passes from one coroutine to another. */
  private final GlobalRef passed;

  private final int userdataSort;

  /** What libraries keep beside the heap, by name. */
  private final Map<String, Supplier<long[]>> kept = new HashMap<>();

  /** A function that resumes the coroutine which {@link #park} began; null if there is none. */
  private @Nullable GlobalRef parked;

  /** Whether the elements of the libraries are those of an image. */
  private boolean restoring;

  /**
   * Makes a machine without libraries.
   *
   * @param heap a new heap for this machine alone
   * @param limits the limits on scripts
   * @param deepest the greatest depth of nested calls
   * @param compileAfter the calls and loop turns after which a function is compiled; 0 for never
   * @param bodies the compiled functions, which machines share
   * @param sandbox the files, streams and programs that scripts may use
   */
  public Machine(
      Heap heap, Limits limits, int deepest, int compileAfter, Bodies bodies, Sandbox sandbox) {
    this(heap, limits, deepest, new Codes(compileAfter, bodies), sandbox, null);
    t.enter(FRAME);
    parts.meta.start(0);
    MachineTexts.set(t, 0, "not enough memory");
    t.setGlobal(state.memoryMessage, 0);
    newTable(0, GLOBALS, 0);
    t.setGlobal(globals, 0);
    newTable(0, LIBRARIES, 0);
    t.setGlobal(loaded, 0);
    t.set(0, Values.UNDEFINED);
  }

  /** Makes a machine; of an image if that has something to be restored. */
  Machine(
      Heap heap,
      Limits limits,
      int deepest,
      Codes codes,
      Sandbox sandbox,
      @Nullable Restored restored) {
    this.t = heap.mutator();
    this.sandbox = sandbox;
    this.restoring = restored != null;
    this.state = new State(heap, limits, codes, restored);
    this.parts = new Parts(state);
    this.calls = new Calls(parts, deepest, HostCall.host(this));
    calls.setLoop(new Interpreter(parts, calls));
    this.finalizers = new Finalizers(state, parts.meta, calls, this::warn);
    limits.between(finalizers::areWaiting, finalizers::callWaiting, calls.hooks()::step);
    heap.setDeadSlots(new DeadRegisters(state, calls.protection()));
    this.units = new Unit.Owner(heap, state.account, codes, limits::work);
    this.userdataSort = heap.sort(USERDATA);
    this.globals = newGlobal("globals");
    this.loaded = newGlobal("loaded");
    this.tracebacks = new Tracebacks(parts, loaded);
    this.passed = newGlobal("passed");
    this.parked = state.roots.restored(PARKED);
    kept.put(FINALIZERS, finalizers::counts);
    keep(
        "machine",
        () -> new long[] {state.hasUnwound ? 1 : 0, warns ? 1 : 0},
        saved -> {
          state.hasUnwound = saved.length == 0 || saved[0] != 0;
          warns = saved.length > 1 && saved[1] != 0;
        });
    keep(
        "instructions",
        () -> new long[] {limits.steps()},
        saved -> {
          if (restored != null && restored.countsOn() && saved.length > 0) {
            limits.charge(Math.max(0, saved[0]));
          }
        });
    nameForTools();
  }

  /** Returns whether the machine began with an image. */
  boolean isOfImage() {
    return state.restored != null;
  }

  /** {@return whether the elements of the libraries are those of an image} */
  boolean isRestoring() {
    return restoring;
  }

  /**
   * Names what a library keeps beside the heap, for images. In a machine of an image it is set at
   * once.
   *
   * @param name the name in an image
   * @param get returns it as numbers
   * @param set takes the numbers of an image, which may be any
   */
  public void keep(String name, Supplier<long[]> get, Consumer<long[]> set) {
    kept.put(name, get);
    long[] saved = state.restored == null ? null : state.restored.kept().get(name);
    if (saved != null) {
      set.accept(saved);
    }
  }

  Map<String, Supplier<long[]>> kept() {
    return kept;
  }

  /**
   * Begins a coroutine that the machine keeps until it ends, in place of another one.
   *
   * @param s the slot of the coroutine's function; then of a function that resumes it
   */
  public void park(int s) {
    int x = state.scratch(2);
    Protection p = calls.protection();
    p.newCoroutine(x, s, x + 1);
    t.newFunction(s, 1, 0);
    t.setFunctionCode(s, p.wrapCode());
    t.storeConstant(s, 0, x);
    GlobalRef root = parked;
    if (root == null) {
      root = newGlobal(PARKED);
      parked = root;
    }
    t.setGlobal(root, s);
    t.resizeFrame(x);
  }

  /**
   * Loads a function that resumes the coroutine which {@link #park} began.
   *
   * @param d the slot of the result; unchanged if there is none
   * @return whether there is one that has not ended
   */
  public boolean loadParked(int d) {
    GlobalRef root = parked;
    if (root == null) {
      return false;
    }
    int x = state.scratch(2);
    t.getGlobal(x, root);
    boolean is = t.get(x) != Values.UNDEFINED;
    if (is) {
      t.loadConstant(x + 1, x, 0);
      is = calls.protection().status(x + 1).equals("suspended");
      if (is) {
        t.copy(d, x);
      }
    }
    t.resizeFrame(x);
    return is;
  }

  /** {@return the heap's mutator} */
  public Mutator mutator() {
    return t;
  }

  /** {@return the heap} */
  public Heap heap() {
    return state.heap;
  }

  /** {@return the account for Java objects that scripts make grow} */
  public Account account() {
    return state.account;
  }

  /** {@return figures of the compiled functions that count for this machine} */
  public CompiledFunctions compiled() {
    return state.codes.bodies();
  }

  State state() {
    return state;
  }

  Parts parts() {
    return parts;
  }

  Finalizers finalizers() {
    return finalizers;
  }

  /** Gives names to kinds and functions, for inspection of the heap. */
  private void nameForTools() {
    HeapInspection inspection = state.heap.inspect();
    inspection.nameKind(Kind.OBJECT, "lua.table");
    inspection.nameKind(Kind.FUNCTION, "lua.closure");
    inspection.nameKind(Kind.THREAD, "lua.coroutine");
    inspection.setFunctionNames(state.codes::title);
  }

  /**
   * Drops all elements that scripts have made, and calls their finalizers. No script can run after
   * that. A finalizer may make new elements, so the heap collects several times.
   */
  public void drop() {
    calls.protection().returnToMain();
    t.leaveTo(0);
    t.enter(FRAME);
    drop(List.of(globals, loaded, state.packages));
    finalizers.end();
    for (int i = 0; i < ROUNDS; i++) {
      state.heap.collect();
    }
    finalizers.forget();
    drop(state.roots.all());
    t.leave();
    state.stopped = new IllegalStateException("what scripts made was dropped");
  }

  /**
   * Prepares the close of the heap: leaves all frames, and calls the finalizers that wait. When the
   * heap closes, the other finalizers run in the reverse order in which they were set.
   */
  public void close() {
    if (calls.nested > 0) {
      return; // a function of the host closes the guest that called the function
    }
    calls.protection().returnToMain();
    t.leaveTo(0);
    t.enter(FRAME);
    finalizers.end();
    int _ = state.heap.setBaseFlags(state.heap.baseFlags() | CollectFlags.NO_FINALIZERS);
  }

  /** No finalizer is called from now on. */
  public void forgetFinalizers() {
    finalizers.forget();
  }

  /** Logs how many finalizers did not run to their end before the heap closed. */
  public void tellWhatDidNotRun() {
    finalizers.tellWhatDidNotRun();
  }

  private void drop(List<GlobalRef> roots) {
    t.set(0, Values.UNDEFINED);
    roots.forEach(root -> t.setGlobal(root, 0));
  }

  /** Returns what the chunks of this machine share. */
  Unit.Owner units() {
    return units;
  }

  Tracebacks tracebacks() {
    return tracebacks;
  }

  Calls calls() {
    return calls;
  }

  GlobalRef passed() {
    return passed;
  }

  Handles handles() {
    return handles;
  }

  /**
   * {@return a value for the host}
   *
   * @param s the slot of a table, function, coroutine or userdata
   */
  public LuaValue handle(int s) {
    return handles.make(s);
  }

  /** Leaves all running functions where they are. No function is called, no variable is closed. */
  void abandon(int depth, int size) {
    calls.abandon();
    t.leaveTo(depth);
    t.resizeFrame(size);
    t.set(0, t.get(0)); // this operation has the heap check itself
  }

  /**
   * Loads the table of globals.
   *
   * @param d the slot of the result
   */
  public void loadGlobals(int d) {
    t.getGlobal(d, globals);
  }

  /**
   * Loads package.loaded.
   *
   * @param d the slot of the result
   */
  public void loadLoaded(int d) {
    t.getGlobal(d, loaded);
  }

  /**
   * Compiles a chunk of the host to a function.
   *
   * @param d the slot of the result
   * @param text the bytes of the chunk
   * @param source the chunk's name: "@file", "=name", or the text
   * @param environment the slot of the chunk's environment, any value
   * @throws dev.gleaner.lua.compiler.SyntaxException if the text is not valid Lua
   */
  public void load(int d, byte[] text, String source, int environment) {
    Prototype main;
    try (Account.Loan loan = state.account.borrow()) {
      main = Compiler.compile(text, source, loan, this::work);
    } catch (StackOverflowError _) {
      throw parts.messages.error("stack overflow");
    }
    load(d, main, environment);
  }

  /**
   * Makes a function of compiled code. The first upvalue is the environment, the others are nil.
   *
   * @param d the slot of the result
   * @param main the code
   * @param environment the slot of the environment, any value
   */
  public void load(int d, Prototype main, int environment) {
    int x = state.scratch(3);
    int number = Unit.link(units, main, x);
    t.newFunction(x + 1, main.captures.length + 1, 0);
    t.setFunctionCode(x + 1, number);
    t.storeConstant(x + 1, 0, x);
    for (int i = 0; i < main.captures.length; i++) {
      t.set(x, Values.UNDEFINED);
      int value = i == 0 ? environment : x;
      if (main.captures[i].boxed()) {
        t.newRecord(x + 2, 1);
        t.store(x + 2, 0, value);
        value = x + 2;
      }
      t.storeConstant(x + 1, i + 1, value);
    }
    t.copy(d, x + 1);
    t.resizeFrame(x);
  }

  private boolean convertsTables;

  /**
   * Decides how the host gets tables, as results and as arguments of functions.
   *
   * @param converts whether a table becomes a list or a map
   */
  public void setConvertsTables(boolean converts) {
    convertsTables = converts;
  }

  boolean convertsTables() {
    return convertsTables;
  }

  /** Whether warnings are shown. */
  boolean warns;

  /** Warns of an error in a finalizer, if warnings are shown, and forgets the error. */
  private void warn(int d) {
    if (warns) {
      calls.protection().loadError(d);
      String message = isString(d) ? string(d) : "error object is not a string";
      writeError("Lua warning: error in __gc (" + message + ")\n");
    }
    t.set(d, Values.UNDEFINED);
    calls.protection().dropError(d);
  }

  /** Writes to the standard error of the script. */
  void writeError(String bytes) {
    try {
      sandbox.err().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
      sandbox.err().flush();
    } catch (IOException _) {
      // There is no other stream for the warning.
    }
  }

  private boolean compareMeta(int a, int b, int event) {
    int x = state.scratch(3);
    if (!parts.meta.method(x, a, event) && !parts.meta.method(x, b, event)) {
      throw parts.messages.compare(a, b);
    }
    boolean is = truth(x, a, b);
    t.resizeFrame(x);
    return is;
  }

  private boolean truth(int x, int a, int b) {
    t.copy(x + 1, a);
    t.copy(x + 2, b);
    int _ = calls.call(x, 2, 1);
    long v = t.get(x);
    return v != Values.UNDEFINED && v != Values.FALSE;
  }

  // ---- values ----

  /**
   * {@return whether a slot holds a table}
   *
   * @param s any slot
   */
  public boolean isTable(int s) {
    return parts.tables.isTable(s);
  }

  /**
   * {@return whether a slot holds a string}
   *
   * @param s any slot
   */
  public boolean isString(int s) {
    return parts.operators.isString(s);
  }

  /**
   * {@return whether a slot holds a function}
   *
   * @param s any slot
   */
  public boolean isFunction(int s) {
    return t.functionCode(s) >= 0;
  }

  /**
   * {@return whether a slot holds a number}
   *
   * @param s any slot
   */
  public boolean isNumber(int s) {
    return parts.operators.isNumber(s);
  }

  /**
   * {@return whether a slot holds an integer}
   *
   * @param s any slot
   */
  public boolean isInteger(int s) {
    return t.isInteger(s);
  }

  /**
   * {@return the integer of a slot}
   *
   * @param s a slot of which {@link #isInteger} holds
   */
  public long integer(int s) {
    return t.getLong(s);
  }

  /**
   * {@return the number of a slot, as a float}
   *
   * @param s a slot of which {@link #isNumber} holds
   */
  public double number(int s) {
    return parts.operators.number(s);
  }

  /**
   * Stores an integer.
   *
   * @param d a slot
   * @param v the value
   */
  public void setInteger(int d, long v) {
    state.setInteger(d, v);
  }

  /**
   * Converts a string to a number, in its slot.
   *
   * @param s any slot
   * @return whether the slot holds a number now
   */
  public boolean toNumber(int s) {
    return parts.operators.toNumber(s);
  }

  /**
   * Converts a float or a string to an integer, in its slot, if the number is integral.
   *
   * @param s any slot
   * @return whether the slot holds an integer now; if not, the slot is unchanged
   */
  public boolean toInteger(int s) {
    return parts.operators.convertToInteger(s);
  }

  /**
   * Converts a number to a string, in its slot.
   *
   * @param s any slot
   * @return whether the slot holds a string now
   */
  public boolean toText(int s) {
    return parts.operators.toText(s);
  }

  /**
   * {@return the bytes of a string, in ISO 8859-1}
   *
   * @param s the slot of a string
   */
  public String string(int s) {
    return parts.strings.get(s);
  }

  /** Charges for a copy of a text. The limits are checked after the running instruction. */
  void chargeText(int length) {
    parts.strings.charge(length);
  }

  /**
   * Stores a part of a string.
   *
   * @param d a slot
   * @param s the slot of the string
   * @param from the first byte
   * @param to the byte after the last one
   */
  public void substring(int d, int s, int from, int to) {
    chargeText(to - from);
    t.substring(d, s, from, to);
  }

  /**
   * Stores a string.
   *
   * @param d a slot
   * @param bytes the string, in ISO 8859-1
   */
  public void setString(int d, String bytes) {
    parts.strings.set(d, bytes);
  }

  /**
   * {@return the name of a value's type, as {@code type} in Lua returns}
   *
   * @param s any slot
   */
  public String typeName(int s) {
    return Types.name(Types.of(t, s));
  }

  /**
   * Loads the name of a value's type. The strings are kept, so no call makes one.
   *
   * @param d the slot of the result
   * @param s any slot
   */
  public void loadTypeName(int d, int s) {
    int type = Types.of(t, s);
    GlobalRef name = typeNames[type];
    if (name != null) {
      t.getGlobal(d, name);
      return;
    }
    setString(d, Types.name(type));
    name = state.roots.make("type " + Types.name(type));
    t.setGlobal(name, d);
    typeNames[type] = name;
  }

  /**
   * {@return the __name of a value's metatable, or else the name of the value's type}
   *
   * @param s any slot
   */
  public String typeNameMeta(int s) {
    return parts.messages.typeName(s);
  }

  // ---- tables, without metamethods ----

  /**
   * Makes a table.
   *
   * @param d the slot of the result
   */
  public void newTable(int d) {
    t.newObject(d, 1);
  }

  /**
   * Makes a table with room.
   *
   * @param d the slot of the result
   * @param fields the expected number of other keys than those of the list
   * @param elements the expected length of the list
   */
  public void newTable(int d, int fields, int elements) {
    t.newObject(d, 1, fields, elements == 0 ? 0 : elements + 1);
  }

  /**
   * Loads the value of a key, or nil.
   *
   * @param d the slot of the result
   * @param o the slot of a table
   * @param k the slot of the key, any value
   */
  public void rawGet(int d, int o, int k) {
    parts.tables.get(d, o, k);
  }

  /**
   * Stores a value; nil deletes.
   *
   * @param o the slot of a table
   * @param k the slot of the key; nil and NaN are errors
   * @param s the slot of the value
   */
  public void rawSet(int o, int k, int s) {
    parts.messages.checkKey(k);
    parts.tables.set(o, k, s);
  }

  /**
   * Loads the value of an integer key, or nil.
   *
   * @param d the slot of the result
   * @param o the slot of a table
   * @param k any
   */
  public void rawGet(int d, int o, long k) {
    parts.tables.get(d, o, k);
  }

  /**
   * Stores the value of an integer key; nil deletes.
   *
   * @param o the slot of a table
   * @param k any
   * @param s the slot of the value
   */
  public void rawSet(int o, long k, int s) {
    parts.tables.set(o, k, s);
  }

  /**
   * Sets the indexes of a new table from 1 on, as its constructor does.
   *
   * @param o the slot of a table
   * @param first the slot of the first value
   * @param count the number of values; those that are nil become holes
   */
  public void rawSetList(int o, int first, int count) {
    parts.tables.setList(o, first, count, 1);
  }

  /**
   * {@return a border of a table}
   *
   * @param o the slot of a table
   */
  public long rawLength(int o) {
    return parts.tables.length(o);
  }

  /**
   * Loads the metatable of a value.
   *
   * @param d the slot of the result; unchanged if there is none
   * @param s any slot
   * @return whether there is one
   */
  public boolean metatable(int d, int s) {
    return parts.meta.load(d, s);
  }

  /**
   * Sets the metatable of a table or userdata, or of all values of another type. The fields __gc
   * and __mode take effect.
   *
   * @param o the slot of the value
   * @param s the slot of the metatable, or of nil
   */
  public void setMetatable(int o, int s) {
    int type = Types.of(t, o);
    if (type != Types.TABLE && type != Types.USERDATA) {
      parts.meta.share(type, t.get(s) == Values.UNDEFINED ? null : s);
      return;
    }
    t.store(o, 0, s);
    if (t.get(s) == Values.UNDEFINED) {
      return;
    }
    int x = state.scratch(1);
    if (type == Types.TABLE) {
      setMode(o, s, x);
    }
    if (parts.meta.has(x, s, Metatables.GC)) {
      int code = t.functionCode(x);
      finalizers.set(o, type == Types.TABLE || (code >= 0 && state.codes.compiled[code] != null));
    }
    t.resizeFrame(x);
  }

  private void setMode(int o, int m, int x) {
    int weakness = Weakness.NONE;
    if (parts.meta.has(x, m, Metatables.MODE) && isString(x)) {
      String mode = string(x);
      weakness |= mode.indexOf('k') >= 0 ? Weakness.KEYS : 0;
      weakness |= mode.indexOf('v') >= 0 ? Weakness.VALUES : 0;
    }
    t.setWeakness(o, weakness);
  }

  /**
   * Loads a metamethod of a value.
   *
   * @param d the slot of the result; unchanged if there is none
   * @param s any slot
   * @param event the name of the metamethod, as "__index"
   * @return whether there is one
   */
  public boolean metamethod(int d, int s, String event) {
    return parts.meta.method(d, s, event);
  }

  // ---- with metamethods: calls nest on the Java stack, and cannot yield ----

  /**
   * Calls a function.
   *
   * @param first the slot of the function, before the arguments; results begin here, too
   * @param args the number of arguments
   * @param wanted the number of results, padded with nil; -1 for all
   * @return the number of results
   */
  public int call(int first, int args, int wanted) {
    return calls.call(first, args, wanted);
  }

  /**
   * Prepares the last call of a library function. Coroutines may yield in it.
   *
   * @param function the slot of the function, before its arguments
   * @param arguments the number of arguments
   * @param wanted the number of results, or {@link Return#ALL}
   * @return the return value of the library function
   */
  int callLast(int function, int arguments, int wanted) {
    calls.protection().prepare(function, arguments, wanted);
    return Arguments.CALLS;
  }

  /**
   * {@code d = o[k]}.
   *
   * @param d the slot of the result
   * @param o any slot
   * @param k any slot
   */
  public void index(int d, int o, int k) {
    int x = state.scratch(4);
    if (!parts.access.index(d, o, k, x)) {
      int _ = calls.call(x, 2, 1);
      t.copy(d, x);
    }
    t.resizeFrame(x);
  }

  /**
   * {@code o[k] = s}.
   *
   * @param o any slot
   * @param k any slot
   * @param s any slot
   */
  public void setIndex(int o, int k, int s) {
    int x = state.scratch(5);
    if (!parts.access.newIndex(o, k, s, x)) {
      int _ = calls.call(x, 3, 0);
    }
    t.resizeFrame(x);
  }

  /**
   * {@code d = #o}.
   *
   * @param d the slot of the result
   * @param o any slot
   */
  public void length(int d, int o) {
    if (parts.operators.isString(o)) {
      state.setInteger(d, t.stringBytes(o));
      return;
    }
    int x = state.scratch(3);
    if (parts.meta.method(x, o, Metatables.LENGTH)) {
      t.copy(x + 1, o);
      t.copy(x + 2, o);
      int _ = calls.call(x, 2, 1);
      t.copy(d, x);
    } else if (isTable(o)) {
      state.setInteger(d, parts.tables.length(o));
    } else {
      throw parts.messages.length(o);
    }
    t.resizeFrame(x);
  }

  /**
   * {@return a &lt; b}
   *
   * @param a any slot
   * @param b any slot
   */
  public boolean lessThan(int a, int b) {
    if (isNumber(a) && isNumber(b)) {
      return parts.operators.compareNumbers(a, b) == -1;
    }
    if (isString(a) && isString(b)) {
      return parts.operators.compareStrings(a, b) < 0;
    }
    return compareMeta(a, b, Metatables.LT);
  }

  /**
   * {@return a == b}
   *
   * @param a any slot
   * @param b any slot
   */
  public boolean equal(int a, int b) {
    if (parts.operators.rawEqual(a, b)) {
      return true;
    }
    int type = Types.of(t, a);
    if (type != Types.of(t, b) || (type != Types.TABLE && type != Types.USERDATA)) {
      return false;
    }
    int x = state.scratch(3);
    boolean is =
        (parts.meta.method(x, a, Metatables.EQ) || parts.meta.method(x, b, Metatables.EQ))
            && truth(x, a, b);
    t.resizeFrame(x);
    return is;
  }

  /**
   * {@return whether two slots hold the same value, without metamethods}
   *
   * @param a any slot
   * @param b any slot
   */
  public boolean rawEqual(int a, int b) {
    return parts.operators.rawEqual(a, b);
  }

  /**
   * Converts a value to a string, as {@code tostring} does.
   *
   * @param d the slot of the result
   * @param s any slot
   */
  public void toStringMeta(int d, int s) {
    int x = state.scratch(2);
    if (parts.meta.method(x, s, Metatables.TOSTRING)) {
      t.copy(x + 1, s);
      int _ = calls.call(x, 1, 1);
      if (!isString(x)) {
        if (!isNumber(x)) {
          throw parts.arguments.error("'__tostring' must return a string");
        }
        boolean _ = toText(x);
      }
    } else {
      t.copy(x, s);
      switch (Types.of(t, s)) {
        case Types.NIL -> MachineTexts.set(t, x, "nil");
        case Types.BOOLEAN -> MachineTexts.set(t, x, t.get(s) == Values.TRUE ? "true" : "false");
        case Types.NUMBER, Types.STRING -> {
          boolean _ = toText(x);
        }
        default -> setString(x, typeNameMeta(s) + ": " + address(s));
      }
    }
    t.copy(d, x);
    t.resizeFrame(x);
  }

  // ---- functions and userdata of libraries ----

  /**
   * Declares a library function, as part of the setup.
   *
   * @param key the name in tracebacks and images; it begins with "?" if tracebacks show no name. No
   *     other function has the same
   * @param function the Java code
   * @param held the number of values that scripts see as upvalues
   * @return the code number, for {@link #newBuiltin}
   */
  public int declare(String key, Builtin function, int held) {
    return parts.builtins.add(function, key, held);
  }

  /**
   * Declares the function of an operator that has strings as operands.
   *
   * @param event the name of the metamethod
   * @param function the Java code
   * @return the code number
   */
  public int declareForStrings(String event, Builtin function) {
    int number = declare(event, function, 0);
    parts.meta.noteStringOperator(event, number);
    return number;
  }

  /**
   * Makes a library function with values of its own, as a closure has.
   *
   * @param d the slot of the result
   * @param number what {@link #declare} returned
   * @param first the slot of the first value
   * @param held the number of values, at least 0
   */
  public void newBuiltin(int d, int number, int first, int held) {
    int x = state.scratch(1);
    t.newFunction(x, held, 0);
    t.setFunctionCode(x, number);
    for (int i = 0; i < held; i++) {
      t.storeConstant(x, i, first + i);
    }
    t.copy(d, x);
    t.resizeFrame(x);
  }

  /**
   * Loads a value of the running library function.
   *
   * @param d the slot of the result
   * @param i the index of the value, from 0
   */
  public void loadHeld(int d, int i) {
    t.loadConstant(d, 0, i);
  }

  /**
   * Stores a value of the running library function.
   *
   * @param i the index of the value, from 0
   * @param s the slot of the value
   */
  public void storeHeld(int i, int s) {
    t.storeConstant(0, i, s);
  }

  /**
   * Makes a userdata without a metatable.
   *
   * @param d the slot of the result
   * @param value the Java object
   * @param bytes the size of the object on the JVM's heap
   * @param onFree runs when the userdata is freed, or when the heap closes; not that of an image
   */
  public void newUserdata(int d, Savable value, long bytes, FreeCallback onFree) {
    int x = state.scratch(2);
    newNative(x, value, new Owned(Owned.Kind.LIBRARY, bytes, onFree));
    t.newRecord(x + 1, 2);
    t.setSort(x + 1, userdataSort);
    t.store(x + 1, 1, x);
    t.copy(d, x + 1);
    t.resizeFrame(x);
  }

  /**
   * Makes a function of the host. The machine drops the Java code when the function is freed.
   *
   * @param d the slot of the result
   * @param name the name in messages
   * @param function the Java code
   */
  void newHostFunction(int d, String name, HostFunction function) {
    int number = state.codes.reserve();
    parts.builtins.setHost(number, name, HostCall.builtin(this, function));
    own(d, number);
  }

  /** Makes a function of a host routine, as {@link #newHostFunction} does. */
  void newHostRoutine(int d, String name, HostRoutine routine) {
    int number = state.codes.reserve();
    state.codes.setRoutine(number, name, routine);
    own(d, number);
  }

  /** Makes a native element. Its memory on the JVM's heap is charged until it is freed. */
  private void newNative(int d, Object value, Owned owned) {
    owned.charge(state.account, parts.builtins::release);
    try {
      t.newNative(d, value, owned);
    } catch (RuntimeException | Error e) {
      boolean _ = owned.release();
      throw e;
    }
  }

  /** Makes a function that owns a code number: the number is free again when the function is. */
  private void own(int d, int number) {
    int x;
    try {
      x = state.scratch(2);
      newNative(x + 1, new HostCode(number), Owned.ofFunction());
    } catch (RuntimeException | Error e) {
      parts.builtins.release(number);
      throw e;
    }
    t.newFunction(x, 1, 0);
    t.setFunctionCode(x, number);
    t.storeConstant(x, 0, x + 1);
    t.copy(d, x);
    t.resizeFrame(x);
  }

  /** The userdata of a class of the host: their metatable, and the callback when one is freed. */
  private record HostClass(Handle metatable, @Nullable Consumer<Object> release) {}

  private final Map<Class<?>, HostClass> classes = new HashMap<>();

  /**
   * Sets the metatable for objects of a class of the host.
   *
   * @param type the class
   * @param metatable a table of this machine
   * @param release runs when a userdata is freed; null for nothing
   */
  public void setClass(Class<?> type, LuaValue metatable, @Nullable Consumer<Object> release) {
    if (!(metatable.keep() instanceof Handle kept)) {
      throw new IllegalArgumentException("a value of another kind");
    }
    classes.put(type, new HostClass(kept, release));
  }

  /** Returns whether the class of an object of the host has a metatable. */
  boolean hasClass(Object value) {
    return find(value) != null;
  }

  private @Nullable HostClass find(Object value) {
    if (classes.isEmpty()) {
      return null;
    }
    Class<?> type = value.getClass();
    HostClass found = null;
    while (found == null && type != null) {
      found = classes.get(type);
      for (Class<?> i : type.getInterfaces()) {
        found = found == null ? classes.get(i) : found;
      }
      type = type.getSuperclass();
    }
    return found;
  }

  /** Makes a userdata of an object of the host. Returns false if the class has no metatable. */
  boolean newUserdata(int d, Object value) {
    HostClass found = find(value);
    if (found == null) {
      return false;
    }
    newUserdata(d, value, found.metatable, found.release);
    return true;
  }

  /**
   * Makes a userdata of an object of the host, with one user value.
   *
   * @param d the slot of the result
   * @param value the object
   * @param metatable a table of this machine, or null for none
   * @param release runs when the userdata is freed; null for nothing
   */
  public void newUserdata(
      int d, Object value, @Nullable LuaValue metatable, @Nullable Consumer<Object> release) {
    HostObject object = new HostObject(value, release);
    int x = state.scratch(3);
    t.newRecord(x + 1, 3);
    HostCall.set(this, x + 2, metatable);
    newNative(x, object, Owned.ofObject());
    t.store(x + 1, 1, x);
    if (metatable != null) {
      setMetatable(x + 1, x + 2);
    }
    t.copy(d, x + 1);
    t.resizeFrame(x);
  }

  /**
   * {@return a new root for a library; its value is that of the image, or else undefined}
   *
   * @param name no other root has the same
   */
  public GlobalRef newGlobal(String name) {
    return state.roots.make(name);
  }

  /** {@return the files, streams and programs that scripts may use} */
  public Sandbox sandbox() {
    return sandbox;
  }

  /**
   * {@return the Java object of a userdata; null if the slot holds no userdata}
   *
   * @param s any slot
   */
  public @Nullable Object userdata(int s) {
    if (Types.of(t, s) != Types.USERDATA || Types.isLight(t, s)) {
      return null;
    }
    int x = state.scratch(1);
    t.load(x, s, 1);
    Object value = t.nativeValue(x);
    t.resizeFrame(x);
    return value;
  }

  /**
   * {@return the address that %p and tostring show for an element, as "0x550123456780"}
   *
   * @param s the slot of an element
   */
  public String address(int s) {
    return String.format(Locale.ROOT, "0x55%09x0", t.identityHash(s) & 0xFFFF_FFFFL);
  }

  // ---- frames, errors, limits, libraries ----

  /**
   * Changes the number of slots of the frame. New slots are undefined.
   *
   * @param slots at least 0
   */
  public void resizeFrame(int slots) {
    t.resizeFrame(slots);
  }

  /**
   * {@return the position of a running function, as "file:12: "; empty if no Lua function runs
   * there}
   *
   * @param level 0 for the function that runs, 1 for its caller
   */
  public String where(int level) {
    return parts.messages.where(level);
  }

  /**
   * {@return an error with a value of any type as the error object}
   *
   * @param s the slot of the value
   */
  public LuaError error(int s) {
    t.setGlobal(state.error, s);
    return new LuaError();
  }

  /**
   * Charges steps, and checks the limits if the fuel is used up.
   *
   * @param steps at least 0
   */
  public void work(long steps) {
    state.limits.work(steps);
  }

  /** Ends the setup, after the last library. */
  public void endLibraries() {
    t.enter(1);
    state.endBuilding(0);
    t.leave();
    restoring = false;
  }
}
