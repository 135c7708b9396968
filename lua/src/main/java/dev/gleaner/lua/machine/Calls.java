package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.compiler.Prototype.Capture;
import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.StackFullException;
import java.util.Objects;

/**
 * Calls, returns, and instructions that may call. A metamethod runs in a frame of the heap; when
 * the metamethod returns, the interrupted instruction is finished.
 *
 * <p>Methods for instructions return true if the instruction is done. After false the frame has
 * changed, or a call has finished the instruction: the interpreter loads its registers again.
 */
final class Calls {
  /** The argument slots that every library function has: functions name no more one by one. */
  private static final int LIBRARY_ARGUMENTS = 5;

  /** Frames beyond the limit of depth, for handlers of errors. */
  private static final int MARGIN = 500;

  /** The first levels, which no probe covers, and the levels that one probe covers. */
  private static final int UNPROBED = 3;

  private static final int LEVELS = 2;

  /** The most errors in a row that leave no frame. After more, the unwinding gives up. */
  private static final int MOST_IN_PLACE = 10;

  /** The variables that a search passes in the time of one step. */
  private static final int VARIABLES_PER_STEP = 16;

  /** The loop over instructions. */
  interface Loop {
    /** Calls the value in a slot, and runs until the return to Java code. */
    void run(int first, int arguments, long ret);

    /** Forgets all running compiled functions. */
    void abandon();
  }

  private final State s;
  private final Mutator t;
  private final Metatables meta;
  private final Access access;
  private final Operators operators;
  private final Tables tables;
  private final Messages messages;
  private final Builtins builtins;
  private final Arguments args;
  private final Hooks hooks;
  private final Protection protection;
  private final HostCalls hosts;
  private final int deepest;

  /** The frames that are allowed now beyond {@link #deepest}, after they were reached. */
  int margin;

  /** The number of nested runs on the Java stack. */
  int nested;

  /** The depth of nesting at which the next probe of the stack is due. */
  private int roomUntil = UNPROBED;

  private Loop loop;

  @SuppressWarnings("NullAway.Init") // setLoop comes first
  Calls(Parts parts, int deepest, Host host) {
    this.s = parts.state;
    this.t = s.t;
    this.meta = parts.meta;
    this.access = parts.access;
    this.operators = parts.operators;
    this.tables = parts.tables;
    this.messages = parts.messages;
    this.builtins = parts.builtins;
    this.args = parts.arguments;
    this.deepest = deepest;
    this.protection = new Protection(parts, this);
    this.hosts = new HostCalls(parts, this, host);
    this.hooks = new Hooks(parts, this);
  }

  void setLoop(Loop interpreter) {
    loop = interpreter;
  }

  Protection protection() {
    return protection;
  }

  Hooks hooks() {
    return hooks;
  }

  HostCalls hosts() {
    return hosts;
  }

  // ---- entering ----

  private void checkDepth() {
    if (isDeepest(t.frameDepth())) {
      throw tooDeep();
    }
  }

  /** Returns whether no more frames may be entered above so many. */
  boolean isDeepest(int depth) {
    return depth >= deepest + margin;
  }

  private LuaError tooDeep() {
    if (margin > 0) {
      return new LuaError(Protection.HOPELESS);
    }
    margin = MARGIN;
    return messages.error("stack overflow");
  }

  /**
   * Enters the frame of a Lua function, to which the arguments move. The interpreter loads the
   * registers afterwards.
   */
  void enter(Code callee, int first, int arguments) {
    enter(callee, first, arguments, true);
  }

  private void enter(Code callee, int first, int arguments, boolean moves) {
    checkDepth();
    int parameters = callee.parameters;
    if (!callee.varargs || arguments <= parameters) {
      enterFrame(callee.frameSize, first, Math.min(arguments, parameters) + 1, moves);
      return;
    }
    int extra = arguments - parameters;
    int size = Math.max(callee.frameSize, arguments + 2);
    enterFrame(size, first, arguments + 1, moves);
    Code caller = s.codeOrNull();
    s.setCode(null); // the frame has no instruction yet
    try {
      t.newRecord(arguments + 1, extra);
    } catch (RuntimeException e) {
      t.leave();
      s.setCode(caller);
      throw e;
    }
    t.storeRange(arguments + 1, 0, parameters + 1, extra);
    t.copy(parameters + 2, arguments + 1);
    t.set(parameters + 1, Values.UNDEFINED);
    if (arguments + 1 >= parameters + 3) {
      t.wipe(parameters + 3);
    }
    if (size > callee.frameSize) {
      t.resizeFrame(callee.frameSize);
    }
  }

  /** Enters the frame of an iterator of Lua. The loop's state stays in the caller's slots. */
  void enterIterator(Code iterator, int first) {
    protection.nest();
    enter(iterator, first, 2, false);
  }

  /** Calls an iterator of the library, as {@link #builtin(Builtin, int, int)} does. */
  int iterator(Builtin iterator, int first) {
    protection.nest();
    return builtin(iterator, first, 2, false);
  }

  /** Calls an iterator of any kind, of which the code number is known. */
  void invokeIterator(int number, int first, long ret) {
    int f = number < 0 ? s.scratch(4) : first; // __call needs one more slot
    if (f != first) {
      t.move(f, first, 3);
    }
    nestKeeping(f, 2, ret);
  }

  private void enterFrame(int size, int first, int values, boolean moves) {
    if (moves) {
      t.enterMoving(size, first, values);
    } else {
      t.enter(size, first, values);
    }
  }

  /**
   * Calls the value in a slot; the value and the arguments move. A Lua function is only entered;
   * other calls are done on return.
   */
  void invoke(int function, int arguments, long ret) {
    invoke(function, arguments, ret, true);
  }

  /** Does the same for a call that nests, and for arguments that stay in the caller's slots. */
  void nestKeeping(int function, int arguments, long ret) {
    protection.nest();
    invoke(function, arguments, ret, false);
  }

  private void invoke(int function, int arguments, long ret, boolean moving) {
    int first = function;
    int n = arguments;
    long r = ret;
    boolean moves = moving;
    while (!called(first, n, r, moves)) { // a protected call: its frame holds the next callee
      moves = true;
      n = protection.arguments();
      first = Protection.VALUES;
      r = Return.of(Return.LIBRARY, first, protection.wanted());
    }
  }

  /** Calls the function that a library function has prepared, which waits for the results. */
  void invokePrepared(long ret) {
    protection.await(ret);
    invoke(
        Protection.VALUES,
        protection.arguments(),
        Return.of(Return.LIBRARY, Protection.VALUES, protection.wanted()));
  }

  private boolean called(int first, int arguments, long r, boolean moves) {
    int n = arguments;
    int number = t.functionCode(first);
    if (number < 0) {
      n = callable(first, n);
      number = t.functionCode(first);
    }
    Code callee = s.codes.compiled[number];
    if (callee != null) {
      enter(callee, first, n, moves);
      s.setCode(callee);
      s.pc = 0;
      s.ret = r;
      return true;
    }
    Builtin b = builtins.get(number);
    if (b != null) {
      int results = builtin(b, first, n, moves);
      if (results == Arguments.CALLS) {
        protection.await(r);
        return false;
      }
      finish(args.firstResult(), results, r);
      return true;
    }
    checkDepth();
    enterFrame(n + 1, first, n + 1, moves);
    if (s.hooked) {
      hooks.called(n);
    }
    return protection.start(number, n, r);
  }

  /**
   * Puts the __call metamethod before a value that is no function, until there is a function.
   * Returns the number of arguments.
   */
  private int callable(int first, int arguments) {
    int n = arguments;
    do {
      if (n - arguments == Metatables.CHAIN) {
        throw messages.error("'__call' chain too long");
      }
      insertCall(first, n++);
      s.limits.work(1 + (n >>> 3));
    } while (t.functionCode(first) < 0);
    return n;
  }

  private void insertCall(int first, int arguments) {
    int end = first + arguments + 1;
    if (t.frameSize() < end + 1) {
      t.resizeFrame(end + 1);
    }
    int x = s.scratch(1);
    if (!meta.method(x, first, Metatables.CALL)) {
      s.at = s.pc - 1;
      throw messages.call(first);
    }
    t.move(first + 1, first, arguments + 1);
    t.copy(first, x);
    t.resizeFrame(x);
  }

  /**
   * Calls a library function, to which the arguments move. Returns the number of results; its frame
   * stays for now. After {@link Arguments#CALLS} the function waits for a call, which the caller
   * must begin.
   */
  int builtin(Builtin b, int first, int arguments) {
    return builtin(b, first, arguments, true);
  }

  private int builtin(Builtin b, int first, int arguments, boolean moves) {
    checkDepth();
    enterFrame(Math.max(arguments, LIBRARY_ARGUMENTS) + 1, first, arguments + 1, moves);
    args.begin(arguments);
    if (s.hooked) {
      hooks.called(arguments);
    }
    int n = b.call(args);
    if (s.hooked && n != Arguments.CALLS) {
      hooks.returned(args.firstResult(), n);
    }
    return n;
  }

  void tailCall(int a, int arguments, long r) {
    int n = arguments;
    int number = t.functionCode(a);
    if (number < 0) {
      s.saveFrame();
      n = callable(a, n);
      number = t.functionCode(a);
    }
    Code callee = s.codes.compiled[number];
    if (callee == null) {
      // A traceback shows the callee. The results of the callee are this function's.
      s.saveFrame();
      invoke(a, n, Return.of(Return.AGAIN_AS_RETURN, a, Return.ALL));
      return;
    }
    if (callee.varargs && n > callee.parameters) {
      int extra = n - callee.parameters;
      int x = s.scratch(1);
      t.newRecord(x, extra);
      t.storeRange(x, 0, a + callee.parameters + 1, extra);
      t.copy(a + callee.parameters + 1, x); // over the first extra argument
      int given = callee.parameters + 2;
      t.tailCall(Math.max(callee.frameSize, given), a, given);
      t.copy(callee.parameters + 2, callee.parameters + 1);
      t.set(callee.parameters + 1, Values.UNDEFINED);
    } else {
      t.tailCall(callee.frameSize, a, Math.min(n, callee.parameters) + 1);
    }
    s.setCode(callee);
    s.pc = 0;
    s.ret = Return.asTail(r);
  }

  // ---- returning ----

  /** Leaves a frame with results, and the frames below that return the same; then continues. */
  void finish(int first, int count, long r) {
    int from = first;
    int n = count;
    long to = r;
    while (true) {
      if (s.hooked) {
        hooks.returnedOwn(from, n);
      }
      int kind = Return.kind(to);
      if (kind == Return.COROUTINE) {
        protection.finishCoroutine(from, n);
        return;
      }
      int slot = Return.slot(to);
      int wanted = Return.wanted(to);
      n = t.leave(from, n, slot, wanted);
      switch (kind) {
        case Return.LIBRARY -> {
          if (hosts.waits()) {
            int end = hosts.goOn(n);
            if (end != HostCalls.RETURNS) {
              if (end == HostCalls.CALLS) {
                hosts.postpone();
              }
              return;
            }
            from = hosts.first;
            n = hosts.count;
            to = hosts.ret;
            continue;
          }
          if (protection.passesOn()) {
            to = protection.goOn();
            from = slot;
            n = wanted < 0 ? n : wanted;
            if (s.hooked) {
              hooks.returned(from, n);
            }
          } else {
            to = protection.goOn();
            t.set(slot - 1, Values.TRUE);
            from = slot - 1;
            n++;
          }
        }
        case Return.AGAIN_AS_RETURN -> {
          s.loadFrame();
          to = s.ret;
          from = slot;
          if (s.hooked) {
            hooks.returned(from, n);
          }
        }
        case Return.JAVA -> {
          s.javaCount = n;
          s.exit = true;
          return;
        }
        default -> {
          s.loadFrame();
          goOn(kind, slot, wanted, n);
          return;
        }
      }
    }
  }

  /** Continues an instruction of a Lua function. */
  private void goOn(int kind, int slot, int wanted, int n) {
    if (kind != Return.CALL) {
      protection.unnest();
    }
    switch (kind) {
      case Return.TEST, Return.TEST_NOT -> {
        long v = t.get(slot);
        boolean is = (v != Values.UNDEFINED && v != Values.FALSE) == (kind == Return.TEST);
        int[] code = s.code().code;
        int i = code[s.pc - 1];
        s.pc = is == (i >>> 24 != 0) ? code[s.pc] : s.pc + 1;
        s.shrink(s.code());
      }
      case Return.AGAIN -> {
        s.top = slot;
        s.pc--;
      }
      case Return.CONCAT -> {
        int a = s.code().code[s.pc - 1] >>> 8 & 255;
        s.shrink(s.code());
        concat(a, slot - a + 1);
      }
      case Return.UNWIND -> {
        t.setGlobal(s.error, slot);
        protection.unwindFurther();
      }
      default -> {
        if (wanted < 0) {
          s.top = slot + n;
        } else {
          s.shrink(s.code());
        }
      }
    }
  }

  // ---- called by Java ----

  /** The steps of a call on the Java stack, besides the steps of the function. */
  private static final int CALL = 8;

  /** Calls the value in a slot, on the Java stack. Returns the number of results. */
  int call(int first, int arguments, int wanted) {
    if (protection.isDeep()) {
      throw protection.deep();
    }
    return run(first, arguments, wanted);
  }

  /** Calls a message handler with the error behind it, also where no other call may nest. */
  int callHandler(int handler) {
    return run(handler, 1, 1);
  }

  private int run(int first, int arguments, int wanted) {
    if (nested >= roomUntil) {
      probe();
    }
    s.limits.work(CALL);
    Code code = s.codeOrNull();
    int pc = s.pc;
    long ret = s.ret;
    int top = s.top;
    int count = args.count();
    int level = protection.level();
    nested++;
    Protection.Run outer = protection.enterRun();
    try {
      loop.run(first, arguments, Return.of(Return.JAVA, first, wanted));
      s.exit = false;
    } catch (LuaError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      if (!s.limits.isEnding(e) || !protection.isAtBottom()) {
        s.stopped = e;
      }
      throw e;
    } finally {
      protection.leaveRun(outer);
      nested--;
      roomUntil = Math.min(roomUntil, Math.max(UNPROBED, nested + 1));
      protection.restoreLevel(level);
      s.setCode(code);
      s.pc = pc;
      s.ret = ret;
      s.top = top;
      args.begin(count);
    }
    return s.javaCount;
  }

  /** Begins a call of the host. The room on the Java stack is unknown. */
  void begin() {
    roomUntil = UNPROBED;
  }

  /**
   * Checks that the Java stack has room for the next levels, whatever they call; so a return ends
   * what is known of deeper ones. The first levels have no probe, since a host calls often. If the
   * stack ends there, the whole call ends, and no script catches the error.
   */
  private void probe() {
    if (!JavaStack.hasRoom()) {
      throw messages.error("stack overflow");
    }
    roomUntil = nested + LEVELS;
  }

  /** Leaves all running functions where they are. */
  void abandon() {
    protection.abandon();
    hosts.abandon();
    loop.abandon();
    nested = 0;
    protection.restoreLevel(0);
    margin = 0;
    s.exit = false;
    s.unwound = 0;
    s.setCode(null);
  }

  /** Calls as {@link #call} does, without the message handler in force. */
  int protectedCall(int first, int arguments, int wanted) {
    return protection.withoutHandler(() -> call(first, arguments, wanted));
  }

  /**
   * Unwinds to the call that catches an error; throws the error if no call in this run does.
   * Another error may happen on the way, such as one of a host routine in a waiting frame.
   */
  void caught(RuntimeException e) {
    RuntimeException error = e;
    for (int still = 0; ; still++) {
      Coroutine coroutine = protection.current();
      int depth = t.frameDepth();
      try {
        protection.caught(error);
        return;
      } catch (LuaError | HeapExhaustedException | StackFullException | LuaLimitException another) {
        if (!Objects.equals(coroutine, protection.current()) || depth != t.frameDepth()) {
          still = 0;
        }
        if (protection.isAtBottom() || still >= MOST_IN_PLACE) {
          throw another;
        }
        error = another;
      }
    }
  }

  // ---- tables ----

  /** Calls a metamethod. Its result finishes the instruction. */
  private boolean callFor(int d, int x, int arguments, int wanted) {
    s.saveFrame();
    nest(x, arguments, Return.of(Return.NESTED, d, wanted));
    return false;
  }

  /** Calls a metamethod, which nests as in PUC Lua. */
  private void nest(int x, int arguments, long r) {
    protection.nest();
    invoke(x, arguments, r);
  }

  /** Loads a value that a look-up has not found, and that a metatable may have. */
  boolean get(int d, int o, int k) {
    if (tables.isPlain(o)) {
      t.set(d, Values.UNDEFINED);
      return true;
    }
    s.at = s.pc - 1;
    return get(d, o, k, s.scratch(4));
  }

  private boolean get(int d, int o, int k, int x) {
    if (access.index(d, o, k, x)) {
      t.resizeFrame(x);
      return true;
    }
    return callFor(d, x, 2, 1);
  }

  boolean getField(int d, int o, GlobalRef name) {
    if (tables.isPlain(o)) {
      t.set(d, Values.UNDEFINED);
      return true;
    }
    s.at = s.pc - 2;
    int x = s.scratch(4);
    t.getGlobal(x + 3, name);
    return get(d, o, x + 3, x);
  }

  /** Stores a value under a key that no update has found. */
  boolean set(int o, int k, int v) {
    s.at = s.pc - 1;
    if (tables.isPlain(o) && t.get(v) != Values.UNDEFINED) {
      messages.checkKey(k);
      t.putProperty(o, k, v);
      return true;
    }
    return set(o, k, v, s.scratch(5));
  }

  private boolean set(int o, int k, int v, int x) {
    if (access.newIndex(o, k, v, x)) {
      t.resizeFrame(x);
      return true;
    }
    return callFor(0, x, 3, 0);
  }

  boolean setField(int o, GlobalRef name, int v) {
    if (tables.isPlain(o) && t.get(v) != Values.UNDEFINED) {
      t.putProperty(o, name, v);
      return true;
    }
    s.at = s.pc - 2;
    int x = s.scratch(5);
    t.getGlobal(x + 4, name);
    return set(o, x + 4, v, x);
  }

  // ---- operators ----

  boolean arithmetic(int op, int d, int b, int c) {
    s.at = s.pc - 1;
    if (operators.coerced(op, d, b, c)) {
      return true;
    }
    int x = s.scratch(3);
    int event = Metatables.ADD + op - Op.ADD;
    if (!meta.method(x, b, event) && !meta.method(x, c, event)) {
      throw messages.arithmetic(op, b, c);
    }
    t.copy(x + 1, b);
    t.copy(x + 2, c);
    return callFor(d, x, 2, 1);
  }

  boolean unary(int op, int d, int b) {
    s.at = s.pc - 1;
    if (op == Op.LENGTH) {
      return length(d, b);
    }
    if (operators.unary(op, d, b)) {
      return true;
    }
    int x = s.scratch(3);
    if (!meta.method(x, b, op == Op.NEGATE ? Metatables.UNM : Metatables.BNOT)) {
      throw messages.arithmetic(op, b, b);
    }
    t.copy(x + 1, b);
    t.copy(x + 2, b);
    return callFor(d, x, 2, 1);
  }

  private boolean length(int d, int b) {
    if (tables.isPlain(b)) {
      s.setInteger(d, tables.length(b));
      return true;
    }
    if (operators.isString(b)) {
      s.setInteger(d, t.stringBytes(b));
      return true;
    }
    int x = s.scratch(3);
    if (meta.method(x, b, Metatables.LENGTH)) {
      t.copy(x + 1, b);
      t.copy(x + 2, b);
      return callFor(d, x, 2, 1);
    }
    t.resizeFrame(x);
    if (!tables.isTable(b)) {
      throw messages.length(b);
    }
    s.setInteger(d, tables.length(b));
    return true;
  }

  /** Joins values. The result is in the first register, the others are free. */
  boolean concat(int a, int count) {
    int n = count;
    while (n > 1) {
      int last = a + n - 1;
      int from = last;
      while (from >= a && isText(from)) {
        from--;
      }
      if (last - from >= 2) {
        for (int i = from + 1; i <= last; i++) {
          boolean _ = operators.toText(i);
        }
        checkLength(from + 1, last - from);
        t.concat(from + 1, from + 1, last - from);
        n = from + 1 - a + 1;
      } else {
        s.at = s.pc - 1;
        int x = s.scratch(3);
        if (!meta.method(x, last - 1, Metatables.CONCAT)
            && !meta.method(x, last, Metatables.CONCAT)) {
          throw messages.arithmetic(Op.CONCAT, last - 1, last);
        }
        t.copy(x + 1, last - 1);
        t.copy(x + 2, last);
        s.saveFrame();
        nest(x, 2, Return.of(Return.CONCAT, last - 1, 1));
        return false;
      }
    }
    return true;
  }

  private void checkLength(int first, int count) {
    long bytes = 0;
    for (int i = first; i < first + count; i++) {
      bytes += t.stringBytes(i);
    }
    if (bytes > Integer.MAX_VALUE - 64) {
      throw messages.error("string length overflow");
    }
    s.limits.work(bytes >>> 4);
  }

  private boolean isText(int slot) {
    return operators.isNumber(slot) || operators.isString(slot);
  }

  /** Jumps by the result of a comparison. Returns true. */
  private boolean decide(boolean is) {
    int[] code = s.code().code;
    int i = code[s.pc - 1];
    s.pc = is == (i >>> 24 != 0) ? code[s.pc] : s.pc + 1;
    return true;
  }

  boolean equal(int a, int b) {
    if (operators.rawEqual(a, b)) {
      return decide(true);
    }
    int type = Types.of(t, a);
    if (type != Types.of(t, b) || (type != Types.TABLE && type != Types.USERDATA)) {
      return decide(false);
    }
    int x = s.scratch(3);
    if (!meta.method(x, a, Metatables.EQ) && !meta.method(x, b, Metatables.EQ)) {
      t.resizeFrame(x);
      return decide(false);
    }
    t.copy(x + 1, a);
    t.copy(x + 2, b);
    s.saveFrame();
    nest(x, 2, Return.of(Return.TEST, x, 1));
    return false;
  }

  boolean less(int a, int b, boolean orEqual) {
    if (operators.isNumber(a) && operators.isNumber(b)) {
      int c = operators.compareNumbers(a, b);
      return decide(orEqual ? c == -1 || c == 0 : c == -1);
    }
    if (operators.isString(a) && operators.isString(b)) {
      int c = operators.compareStrings(a, b);
      return decide(orEqual ? c <= 0 : c < 0);
    }
    int x = s.scratch(3);
    int event = orEqual ? Metatables.LE : Metatables.LT;
    boolean found = meta.method(x, a, event) || meta.method(x, b, event);
    // As in Lua 5.3: without __le, a <= b means not (b < a).
    boolean reversed = !found && orEqual;
    if (reversed) {
      found = meta.method(x, b, Metatables.LT) || meta.method(x, a, Metatables.LT);
    }
    if (!found) {
      throw messages.compare(a, b);
    }
    t.copy(x + 1, reversed ? b : a);
    t.copy(x + 2, reversed ? a : b);
    s.saveFrame();
    nest(x, 2, Return.of(reversed ? Return.TEST_NOT : Return.TEST, x, 1));
    return false;
  }

  // ---- functions ----

  void closure(Code function, int a, int inner) {
    int number = function.inner[inner];
    Prototype p = Code.need(s.codes.compiled[number]).prototype;
    Capture[] captures = p.captures;
    int x = function.frameSize - 1;
    int d = s.scratch(1);
    t.newFunction(d, captures.length + 1, 0);
    t.setFunctionCode(d, number);
    t.loadConstant(x, 0, 0);
    t.storeConstant(d, 0, x);
    for (int i = 0; i < captures.length; i++) {
      Capture c = captures[i];
      if (!c.local()) {
        t.loadConstant(x, 0, c.index() + 1);
        t.storeConstant(d, i + 1, x);
      } else if (c.index() == a && !c.boxed()) {
        t.storeConstant(d, i + 1, d); // a local function that refers to itself
      } else {
        t.storeConstant(d, i + 1, c.index());
      }
    }
    t.copy(a, d);
    t.resizeFrame(d);
  }

  void varargs(Code function, int a, int wanted) {
    int record = function.parameters + 2;
    int there = t.get(record) == Values.UNDEFINED ? 0 : t.slotCount(record);
    int n = wanted < 0 ? there : wanted;
    s.limits.copies(n);
    if (t.frameSize() < a + n) {
      t.resizeFrame(a + n);
    }
    int copied = Math.min(n, there);
    if (copied > 0) {
      t.loadRange(a, record, 0, copied);
    }
    for (int i = copied; i < n; i++) {
      t.set(a + i, Values.UNDEFINED);
    }
    if (wanted < 0) {
      s.top = a + n;
    }
  }

  // ---- variables to close ----

  void checkTbc(Code function, int a) {
    if (!meta.isClosable(a)) {
      String name = new Names(s, function).local(s.pc - 1, a);
      name = name.isEmpty() ? "(for state)" : name; // every other variable has a name
      throw messages.error("variable '" + name + "' got a non-closable value");
    }
  }

  /** Closes one variable in scope. Returns whether there was one. */
  boolean close(int from, int top) {
    int at = s.pc - 1;
    int v = closable(s.code(), at, from);
    if (v < 0) {
      return false;
    }
    if (t.frameSize() < top) {
      t.resizeFrame(top);
    }
    int x = s.scratch(3);
    prepareClose(v, x);
    t.set(x + 2, Values.UNDEFINED);
    s.saveFrame();
    nest(x, 2, Return.of(Return.AGAIN, top, 0));
    return true;
  }

  void prepareClose(int v, int x) {
    t.copy(x + 1, v);
    if (!meta.method(x, v, Metatables.CLOSE)) {
      t.set(x, Values.UNDEFINED);
    }
    t.set(v, Values.UNDEFINED);
  }

  /** Returns the last register to close, or -1. */
  int closable(Code code, int at, int from) {
    Variable[] closing = code.prototype.closing;
    if (closing.length >= VARIABLES_PER_STEP) {
      s.limits.work(closing.length / VARIABLES_PER_STEP);
    }
    int best = -1;
    for (Variable v : closing) {
      if (v.register() >= from && v.register() > best && v.from() < at && at < v.to()) {
        long value = t.get(v.register());
        if (value != Values.UNDEFINED && value != Values.FALSE) {
          best = v.register();
        }
      }
    }
    return best;
  }
}
