package dev.gleaner.lua.compiler;

import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Syntax.Binary;
import dev.gleaner.lua.compiler.Syntax.Call;
import dev.gleaner.lua.compiler.Syntax.Entry;
import dev.gleaner.lua.compiler.Syntax.Expression;
import dev.gleaner.lua.compiler.Syntax.ExpressionList;
import dev.gleaner.lua.compiler.Syntax.FloatConstant;
import dev.gleaner.lua.compiler.Syntax.FunctionExpression;
import dev.gleaner.lua.compiler.Syntax.Index;
import dev.gleaner.lua.compiler.Syntax.IntegerConstant;
import dev.gleaner.lua.compiler.Syntax.Local;
import dev.gleaner.lua.compiler.Syntax.LocalExpression;
import dev.gleaner.lua.compiler.Syntax.MethodCall;
import dev.gleaner.lua.compiler.Syntax.Operator;
import dev.gleaner.lua.compiler.Syntax.Parentheses;
import dev.gleaner.lua.compiler.Syntax.Simple;
import dev.gleaner.lua.compiler.Syntax.StringConstant;
import dev.gleaner.lua.compiler.Syntax.Table;
import dev.gleaner.lua.compiler.Syntax.Unary;
import dev.gleaner.lua.compiler.Syntax.UpvalueExpression;
import dev.gleaner.lua.compiler.Syntax.Varargs;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compiles expressions. A chain that leans to the left, such as a sum or a.b.c, can be as long as a
 * chunk. So a loop follows such a chain, without recursion.
 *
 * <p>The caller sets the line for the value of an expression. The parts have lines of their own.
 */
final class Expressions {
  private static final int BATCH = 50;
  private static final int OPEN = 255;

  /** The most fields for which an instruction can ask room. */
  private static final int MOST_FIELDS = 255;

  /** The number of expressions between two charges of work. */
  private static final int PIECE = 1024;

  private int made;

  private final Compiler compiler;
  private final Assembler code;

  Expressions(Compiler compiler) {
    this.compiler = compiler;
    this.code = compiler.code;
  }

  /** Returns whether {@link #into} reads all operands before its first write. */
  static boolean writesLast(Expression e) {
    return switch (e) {
      case Binary b -> b.operator() != Operator.AND && b.operator() != Operator.OR;
      case Parentheses p -> writesLast(p.inner());
      case Table _ -> false;
      default -> true;
    };
  }

  // ---- lists ----

  /** Puts a number of values into fresh registers. */
  void list(ExpressionList values, int wanted) {
    int first = compiler.free;
    for (int i = 0; i < values.size(); i++) {
      Expression e = values.get(i);
      code.line = values.line(i);
      boolean last = i == values.size() - 1;
      if (last && Syntax.isMultiple(e) && wanted > i) {
        multiple(e, wanted - i);
      } else if (i < wanted) {
        into(e, compiler.reserve(1));
      } else {
        int before = compiler.free;
        if (Syntax.isMultiple(e)) {
          multiple(e, 0);
        } else {
          anyRegister(e);
        }
        compiler.free = before;
      }
    }
    int missing = first + wanted - compiler.free;
    if (missing > 0) {
      code.line = values.size() == 0 ? code.line : values.end;
      code.loadNil(compiler.reserve(missing), missing);
    }
  }

  /** Puts values into fresh registers. Returns whether the last value is open. */
  boolean openList(ExpressionList values) {
    for (int i = 0; i < values.size(); i++) {
      Expression e = values.get(i);
      code.line = values.line(i);
      if (i == values.size() - 1 && Syntax.isMultiple(e)) {
        multiple(e, -1);
        return true;
      }
      into(e, compiler.reserve(1));
    }
    return false;
  }

  // ---- into registers ----

  /** Returns a register with the value: the register of a local, or a fresh one. */
  int anyRegister(Expression e) {
    if (e instanceof LocalExpression(Local l) && !l.isBoxed()) {
      return l.register;
    }
    if (e instanceof Parentheses(Expression inner, int line) && !Syntax.isMultiple(inner)) {
      code.line = isVariable(inner) ? line : code.line;
      return anyRegister(inner);
    }
    return temporary(e);
  }

  /**
   * Returns whether PUC Lua reads an operand as late as its instruction does: a local has a
   * register there, also where it has a box here. So what comes between may change the operand.
   */
  static boolean isLate(Expression e) {
    return switch (e) {
      case LocalExpression(Local l) -> l.isBoxed();
      case Parentheses p -> isLate(p.inner());
      default -> false;
    };
  }

  /** Returns a register for an operand; one that is late is loaded by {@link #late}. */
  int early(Expression e) {
    return isLate(e) ? compiler.reserve(1) : anyRegister(e);
  }

  /** Loads an operand that is late. */
  void late(Expression e, int r) {
    if (isLate(e)) {
      into(e, r);
    }
  }

  int temporary(Expression e) {
    int r = compiler.reserve(1);
    into(e, r);
    return r;
  }

  /** Puts the value into a given register, and frees temporaries. */
  void into(Expression expression, int r) {
    int before = compiler.free;
    int line = code.line;
    if ((++made & PIECE - 1) == 0) {
      compiler.meter.work(PIECE / 4);
    }
    switch (expression) {
      case Simple s -> {
        if (s == Simple.NIL) {
          code.loadNil(r, 1);
        } else {
          code.emit(Op.LOAD_BOOLEAN, r, s == Simple.TRUE ? 1 : 0, 0);
        }
      }
      case IntegerConstant(long v) -> code.loadInteger(r, v);
      case FloatConstant(double v) -> code.loadFloat(r, v);
      case StringConstant(String s) -> code.emit(Op.LOAD_STRING, r, 0, 0, code.string(s));
      case Varargs _, Call _, MethodCall _ -> {
        int first = compiler.free;
        multiple(expression, 1);
        move(first, r, line);
      }
      case LocalExpression(Local l) -> {
        if (l.isBoxed()) {
          code.emit(Op.GET_BOX, r, l.register, 0);
        } else if (l.register != r) {
          code.emit(Op.MOVE, r, l.register, 0);
        }
      }
      case UpvalueExpression u ->
          code.emit(u.origin().isBoxed() ? Op.GET_UPVALUE_BOX : Op.GET_UPVALUE, r, u.index(), 0);
      case Index i -> index(i, r, line);
      case FunctionExpression f -> {
        int n = compiler.inner(f.draft());
        code.line = f.line();
        code.emit(Op.CLOSURE, r, 0, 0, n);
      }
      case Binary b -> binary(b, r, line);
      case Unary u -> unary(u, r);
      case Parentheses(Expression inner, int end) -> {
        code.line = isVariable(inner) ? end : line;
        into(inner, r);
      }
      case Table t -> table(t, r, line);
      case Entry _ -> throw new IllegalStateException();
    }
    compiler.free = before;
  }

  /** Moves a value to where it is wanted. PUC Lua moves to variables only. */
  private void move(int from, int to, int line) {
    if (from != to) {
      code.line = compiler.isVariable(to) ? line : code.line;
      code.emit(Op.MOVE, to, from, 0);
    }
  }

  /** Returns whether PUC Lua loads a value as soon as it has read the expression. */
  private static boolean isVariable(Expression e) {
    return e instanceof Index || e instanceof UpvalueExpression;
  }

  /** Returns the line for a key of an index, which is no constant of an instruction. */
  static int keyLine(Index i) {
    return Constants.isConstant(i.key()) || i.key() instanceof LocalExpression
        ? i.line()
        : i.keyLine();
  }

  /**
   * Lists the links of a chain such as a.b(c).d, the outermost first. Returns the chain's start.
   */
  private static Expression chain(Expression e, List<Expression> links) {
    Expression at = e;
    while (true) {
      switch (at) {
        case Index i -> {
          if (global(i) != null) {
            return at;
          }
          links.add(i);
          at = i.object();
        }
        case Call c -> {
          links.add(c);
          at = c.function();
        }
        case MethodCall m -> {
          links.add(m);
          at = m.object();
        }
        default -> {
          return at;
        }
      }
    }
  }

  private static @Nullable UpvalueExpression global(Index i) {
    return i.object() instanceof UpvalueExpression u
            && i.key() instanceof StringConstant
            && !u.origin().isBoxed()
        ? u
        : null;
  }

  /** Puts the value before the outermost link into a register. */
  private int beforeLast(Expression e, int line) {
    List<Expression> links = new ArrayList<>();
    Expression start = chain(e, links);
    if (links.size() <= 1) {
      code.line = startLine(links, line);
      return anyRegister(start);
    }
    int r = compiler.reserve(1);
    int last = links.size() - 1;
    code.line = startLine(links, line);
    int from = start instanceof LocalExpression(Local l) && !l.isBoxed() ? l.register : -1;
    if (from < 0) {
      loadStart(start, links, r);
      from = r;
    }
    for (int i = last; i > 0; i--) {
      link(links.get(i), from, r, objectLine(links.get(i - 1)));
      from = r;
    }
    return r;
  }

  /** Loads the start of a chain, unless its first link loads the start after a key. */
  private void loadStart(Expression start, List<Expression> links, int r) {
    if (links.isEmpty() || !(links.getLast() instanceof Index i && hasLateObject(i))) {
      into(start, r);
    }
  }

  /** Returns the line for the start of a chain, whose value has another line. */
  private static int startLine(List<Expression> links, int line) {
    int own = links.isEmpty() ? 0 : objectLine(links.getLast());
    return own > 0 ? own : links.size() > 1 ? objectLine(links.get(links.size() - 2)) : line;
  }

  /** Returns the line for the value before a link; 0 for that of the link. */
  private static int objectLine(Expression link) {
    return switch (link) {
      case Index i -> i.objectLine();
      case Call c -> c.functionLine();
      case MethodCall m -> m.nameLine();
      default -> throw new IllegalStateException();
    };
  }

  /** Compiles a link of a chain, from the value in one register to another register. */
  private void link(Expression link, int from, int r, int line) {
    int before = compiler.free;
    switch (link) {
      case Index i -> field(i, from, r, line);
      case Call c -> {
        int f = compiler.reserve(1);
        code.line = c.functionLine();
        code.emit(Op.MOVE, f, from, 0);
        finishCall(c.arguments(), f, 0, 1, c.line(), Op.CALL);
        code.emit(Op.MOVE, r, f, 0);
      }
      case MethodCall m -> {
        int f = compiler.reserve(2);
        code.line = m.nameLine();
        code.emit(Op.SELF, f, from, 0, code.string(m.name()));
        finishCall(m.arguments(), f, 1, 1, m.line(), Op.CALL);
        code.emit(Op.MOVE, r, f, 0);
      }
      default -> throw new IllegalStateException();
    }
    compiler.free = before;
  }

  private void index(Index i, int r, int line) {
    UpvalueExpression environment = global(i);
    if (environment != null && i.key() instanceof StringConstant(String name)) {
      code.line = line;
      code.emit(Op.GET_GLOBAL, r, environment.index(), compiler.free, code.string(name));
      return;
    }
    field(i, hasLateObject(i) ? compiler.reserve(1) : beforeLast(i, line), r, line);
  }

  /** Returns whether the object of an index is loaded after the key. */
  private static boolean hasLateObject(Index i) {
    return !isShort(i.key()) && isLateObject(i.object(), i.key());
  }

  /** Returns whether PUC Lua reads an object after the key: also an upvalue. */
  static boolean isLateObject(Expression object, Expression key) {
    return isLate(object)
        || (object instanceof UpvalueExpression u
            && u.origin().isBoxed()
            && !(key instanceof StringConstant));
  }

  /** Returns whether a key has a place in the instruction. */
  static boolean isShort(Expression key) {
    return key instanceof StringConstant
        || (key instanceof IntegerConstant(long n) && n >= 0 && n <= 255);
  }

  private void field(Index i, int object, int r, int line) {
    switch (i.key()) {
      case StringConstant(String name) -> {
        code.line = line;
        code.emit(Op.GET_FIELD, r, object, 0, code.string(name));
      }
      case IntegerConstant(long n) when n >= 0 && n <= 255 -> {
        code.line = line;
        code.emit(Op.GET_INT, r, object, (int) n);
      }
      default -> {
        code.line = keyLine(i);
        int key = anyRegister(i.key());
        code.line = line;
        if (hasLateObject(i)) {
          into(i.object(), object);
        }
        code.emit(Op.GET_TABLE, r, object, key);
      }
    }
  }

  // ---- calls ----

  /** Compiles a call or varargs. The values begin at the next free register. */
  void multiple(Expression e, int wanted) {
    int first = compiler.free;
    if (e instanceof Varargs v) {
      code.line = v.line();
      code.emit(Op.VARARG, first, wanted + 1, 0);
    } else {
      call(e, wanted, Op.CALL);
    }
    compiler.free = first;
    compiler.reserve(Math.max(wanted, 1));
    compiler.free = first + Math.max(wanted, 0);
  }

  void tailCall(Expression e) {
    int before = compiler.free;
    call(e, -1, Op.TAIL_CALL);
    compiler.free = before;
  }

  private void call(Expression e, int wanted, int op) {
    switch (e) {
      case Call c -> {
        int f = compiler.reserve(1);
        if (c.function() instanceof Call
            || c.function() instanceof MethodCall
            || c.function() instanceof Index) {
          List<Expression> links = new ArrayList<>();
          Expression start = chain(c.function(), links);
          startChain(start, links, f, c.functionLine());
        } else {
          code.line = c.functionLine();
          into(c.function(), f);
        }
        finishCall(c.arguments(), f, 0, wanted, c.line(), op);
      }
      case MethodCall m -> {
        int f = compiler.reserve(2);
        int before = compiler.free;
        int object = beforeLast(m, m.nameLine());
        code.line = m.nameLine();
        code.emit(Op.SELF, f, object, 0, code.string(m.name()));
        compiler.free = before;
        finishCall(m.arguments(), f, 1, wanted, m.line(), op);
      }
      default -> throw new IllegalStateException();
    }
  }

  private void startChain(Expression start, List<Expression> links, int r, int line) {
    code.line = startLine(links, line);
    int from = start instanceof LocalExpression(Local l) && !l.isBoxed() ? l.register : r;
    if (from == r || links.isEmpty()) {
      loadStart(start, links, r);
      from = r;
    }
    for (int i = links.size() - 1; i >= 0; i--) {
      link(links.get(i), from, r, i == 0 ? line : objectLine(links.get(i - 1)));
      from = r;
    }
  }

  private void finishCall(
      ExpressionList arguments, int f, int before, int wanted, int line, int op) {
    boolean open = openList(arguments);
    code.line = line;
    code.emit(op, f, open ? 0 : before + arguments.size() + 1, wanted + 1);
    compiler.free = f + 1;
  }

  // ---- tables ----

  private void table(Table t, int r, int tableLine) {
    int target = r == compiler.free - 1 ? r : compiler.reserve(1);
    code.line = t.line();
    code.emit(Op.NEW_TABLE, target, Math.min(fields(t), MOST_FIELDS), 0, t.positions());
    int first = compiler.free;
    int stored = 1;
    int waiting = 0;
    for (int i = 0; i < t.values().size(); i++) {
      Expression value = t.values().get(i);
      if (value instanceof Entry e) {
        int before = compiler.free;
        entry(target, e);
        compiler.free = before;
        continue;
      }
      int line = t.values().line(i);
      code.line = line;
      if (i == t.values().size() - 1 && Syntax.isMultiple(value)) {
        multiple(value, -1);
        code.line = line;
        code.emit(Op.SET_LIST, target, first, OPEN, stored);
        waiting = 0;
        break;
      }
      into(value, compiler.reserve(1));
      if (++waiting == BATCH) {
        code.line = line;
        code.emit(Op.SET_LIST, target, first, waiting, stored);
        stored += waiting;
        waiting = 0;
        compiler.free = first;
      }
    }
    if (waiting > 0) {
      code.line = t.values().end;
      code.emit(Op.SET_LIST, target, first, waiting, stored);
    }
    move(target, r, tableLine);
  }

  /** Returns the number of values of a table that are surely not in its list. */
  private static int fields(Table t) {
    int n = 0;
    for (int i = 0; i < t.values().size(); i++) {
      n += t.values().get(i) instanceof Entry e && !(e.key() instanceof IntegerConstant) ? 1 : 0;
    }
    return n;
  }

  private void entry(int target, Entry e) {
    if (e.key() instanceof StringConstant(String name)) {
      code.line = e.line();
      int v = anyRegister(e.value());
      code.line = e.line();
      code.emit(Op.SET_FIELD, target, v, 0, code.string(name));
    } else if (e.key() instanceof IntegerConstant(long i) && i >= 0 && i <= 255) {
      code.line = e.line();
      int v = anyRegister(e.value());
      code.line = e.line();
      code.emit(Op.SET_INT, target, (int) i, v);
    } else {
      code.line = Constants.isConstant(e.key()) ? e.signLine() : e.keyLine();
      int k = early(e.key());
      code.line = e.line();
      int v = anyRegister(e.value());
      code.line = e.line();
      late(e.key(), k);
      code.emit(Op.SET_TABLE, target, k, v);
    }
  }

  // ---- operators ----

  private void unary(Unary u, int r) {
    code.line = u.end();
    int operand = anyRegister(u.operand());
    code.line = u.operator() == Token.NOT ? u.end() : u.line();
    int op =
        switch (u.operator()) {
          case '-' -> Op.NEGATE;
          case '~' -> Op.BNOT;
          case '#' -> Op.LENGTH;
          default -> Op.NOT;
        };
    code.emit(op, r, operand, 0);
  }

  private void binary(Binary b, int r, int line) {
    if (b.operator() == Operator.AND || b.operator() == Operator.OR) {
      logical(b, r, line);
      return;
    }
    if (b.operator() == Operator.CONCAT) {
      concat(b, r, line);
      return;
    }
    List<Binary> spine = new ArrayList<>();
    Expression start = b;
    while (start instanceof Binary n && isPlain(n.operator())) {
      spine.add(n);
      start = n.left();
    }
    int kept = compiler.free;
    int left = left(start, spine.getLast());
    for (int i = spine.size() - 1; i >= 0; i--) {
      Binary n = spine.get(i);
      int result = i == 0 ? r : kept;
      if (i > 0 && compiler.free == kept) {
        compiler.reserve(1);
      }
      int before = compiler.free;
      Expression late = i == spine.size() - 1 ? start : Simple.NIL;
      operation(n, left, late, result, i == 0 ? line : spine.get(i - 1).line());
      compiler.free = before;
      left = result;
    }
  }

  /** Loads the left operand. PUC Lua loads a constant after the right one, or not at all. */
  private int left(Expression e, Binary b) {
    code.line = b.line();
    boolean equality = b.operator() == Operator.EQ || b.operator() == Operator.NE;
    if (!Constants.isNumber(e) && !(equality && Constants.isConstant(e))) {
      return early(e);
    }
    if (Constants.isConstant(b.right())) {
      code.line = b.end();
      return temporary(e);
    }
    int early = code.startEarly();
    int r = temporary(e);
    code.endEarly(early);
    return r;
  }

  private static boolean isPlain(Operator op) {
    return op != Operator.AND && op != Operator.OR && op != Operator.CONCAT;
  }

  /**
   * Compiles an operation.
   *
   * @param start the left operand if it may be late
   */
  private void operation(Binary n, int left, Expression start, int r, int line) {
    if (n.operator().isComparison()) {
      List<Integer> jumps = new ArrayList<>();
      compare(n, left, start, true, jumps);
      code.line = line;
      code.emit(Op.LOAD_BOOLEAN, r, 0, 0);
      int end = code.jump(Op.JUMP, 0, 0, 0);
      code.patchHere(jumps);
      code.emit(Op.LOAD_BOOLEAN, r, 1, 0);
      code.patch(end, code.label());
      return;
    }
    int op = opcode(n.operator());
    int withNumber = op <= Op.IDIV ? op - Op.ADD + Op.ADD_NUMBER : -1;
    int number = withNumber < 0 ? -1 : number(n.right());
    if (number >= 0) {
      code.line = n.line();
      late(start, left);
      code.emit(withNumber, r, left, number);
      return;
    }
    code.line = n.end();
    int right = anyRegister(n.right());
    code.line = n.line();
    late(start, left);
    code.emit(op, r, left, right);
  }

  private static int opcode(Operator op) {
    return switch (op) {
      case ADD -> Op.ADD;
      case SUB -> Op.SUB;
      case MUL -> Op.MUL;
      case MOD -> Op.MOD;
      case POW -> Op.POW;
      case DIV -> Op.DIV;
      case IDIV -> Op.IDIV;
      case BAND -> Op.BAND;
      case BOR -> Op.BOR;
      case BXOR -> Op.BXOR;
      case SHL -> Op.SHL;
      case SHR -> Op.SHR;
      default -> throw new IllegalStateException();
    };
  }

  /** Returns the index of a number constant if the index fits into a byte, or else -1. */
  private int number(Expression e) {
    long tagged =
        switch (e) {
          case IntegerConstant(long v) when v == (int) v -> Values.ofInt((int) v);
          case FloatConstant(double v) -> Values.ofDouble(v);
          default -> Values.ABSENT;
        };
    if (tagged == Values.ABSENT) {
      return -1;
    }
    int i = code.number(tagged);
    return i <= 255 ? i : -1;
  }

  /** Compiles a concatenation from right to left, with all operands of the chain in a row. */
  private void concat(Binary b, int r, int line) {
    int first = compiler.free;
    int count = 1;
    Binary at = b;
    while (true) {
      code.line = at.line();
      into(at.left(), compiler.reserve(1));
      Expression right = at.right();
      while (right instanceof Parentheses(Expression inner, int _) && !Syntax.isMultiple(inner)) {
        right = inner; // a .. (b .. c) goes from right to left, too
      }
      count++;
      if (!(right instanceof Binary next && next.operator() == Operator.CONCAT)) {
        code.line = at.end();
        into(at.right(), compiler.reserve(1));
        break;
      }
      at = next;
    }
    code.line = at.line(); // the line of the last operator
    code.emit(Op.CONCAT, first, count, 0);
    move(first, r, line);
  }

  /** Returns the nodes of a chain of one operator that leans to the left, the innermost first. */
  private static List<Binary> spine(Binary b) {
    List<Binary> spine = new ArrayList<>();
    Expression at = b;
    while (at instanceof Binary n && n.operator() == b.operator()) {
      spine.add(n);
      at = n.left();
    }
    return spine.reversed();
  }

  /** Returns an operand of a chain, by number from 0, and sets the line for its value. */
  private Expression operand(List<Binary> spine, int i, int line) {
    Expression e = i == 0 ? spine.get(0).left() : spine.get(i - 1).right();
    code.line =
        i > 0 && isVariable(e)
            ? spine.get(i - 1).end()
            : i == spine.size() ? line : spine.get(i).line();
    return e;
  }

  private void logical(Binary b, int r, int line) {
    List<Binary> spine = spine(b);
    List<Integer> ends = new ArrayList<>();
    for (int i = 0; i < spine.size(); i++) {
      into(operand(spine, i, line), r);
      code.line = spine.get(i).line();
      ends.add(code.jump(Op.TEST, r, 0, b.operator() == Operator.OR ? 1 : 0));
    }
    into(operand(spine, spine.size(), line), r);
    code.patchHere(ends);
  }

  // ---- conditions ----

  /** Compiles a jump that is taken if the truth of the value is the wanted one. */
  void jumpIf(Expression e, boolean wanted, List<Integer> jumps) {
    jumpIf(e, wanted, jumps, code.line);
  }

  private void jumpIf(Expression e, boolean wanted, List<Integer> jumps, int line) {
    int before = compiler.free;
    switch (e) {
      case Parentheses(Expression inner, int end) when !Syntax.isMultiple(inner) -> {
        code.line = isVariable(inner) ? end : code.line;
        jumpIf(inner, wanted, jumps, line);
      }
      case Unary u when u.operator() == Token.NOT -> {
        code.line = u.end();
        jumpIf(u.operand(), !wanted, jumps, line);
      }
      case Binary b when b.operator() == Operator.AND || b.operator() == Operator.OR ->
          jumpIfLogical(b, wanted, jumps, line);
      case Binary b when b.operator().isComparison() -> {
        int left = left(b.left(), b);
        compare(b, left, b.left(), wanted, jumps);
      }
      default -> {
        if (Constants.isConstant(e)) {
          if ((e != Simple.NIL && e != Simple.FALSE) == wanted) {
            code.line = line;
            jumps.add(code.jump(Op.JUMP, 1, 0, 0)); // hooks see the test
          }
        } else {
          boolean local = e instanceof LocalExpression; // of which PUC Lua has no box
          int early = local ? code.startEarly() : 0;
          int r = anyRegister(e);
          if (local) {
            code.endEarly(early);
          }
          code.line = line;
          jumps.add(code.jump(Op.TEST, r, 0, wanted ? 1 : 0));
        }
      }
    }
    compiler.free = before;
  }

  private void jumpIfLogical(Binary b, boolean wanted, List<Integer> jumps, int line) {
    List<Binary> spine = spine(b);
    boolean decides = b.operator() == Operator.OR; // an operand of this truth decides
    List<Integer> skips = decides == wanted ? jumps : new ArrayList<>();
    for (int i = 0; i < spine.size(); i++) {
      jumpIf(operand(spine, i, line), decides, skips, spine.get(i).line());
    }
    jumpIf(operand(spine, spine.size(), line), wanted, jumps, line);
    if (decides != wanted) {
      code.patchHere(skips);
    }
  }

  private void compare(Binary b, int left, Expression start, boolean wanted, List<Integer> jumps) {
    Operator op = b.operator();
    int c = wanted != (op == Operator.NE) ? 1 : 0;
    boolean equality = op == Operator.EQ || op == Operator.NE;
    code.line = b.end();
    int number = number(b.right());
    boolean needsRegister =
        number < 0
            && !(equality && (b.right() == Simple.NIL || b.right() instanceof StringConstant));
    int right = needsRegister ? anyRegister(b.right()) : -1;
    code.line = b.end();
    late(start, left);
    if (equality && b.right() == Simple.NIL) {
      jumps.add(code.jump(Op.EQ_NIL, left, 0, c));
      return;
    }
    if (equality && b.right() instanceof StringConstant(String s)) {
      jumps.add(code.jump(Op.EQ_STRING, left, 0, c));
      code.append(code.string(s));
      return;
    }
    if (number >= 0) {
      int with =
          switch (op) {
            case LT -> Op.LT_NUMBER;
            case LE -> Op.LE_NUMBER;
            case GT -> Op.GT_NUMBER;
            case GE -> Op.GE_NUMBER;
            default -> Op.EQ_NUMBER;
          };
      jumps.add(code.jump(with, left, number, c));
      return;
    }
    switch (op) {
      case LT -> jumps.add(code.jump(Op.LT, left, right, c));
      case LE -> jumps.add(code.jump(Op.LE, left, right, c));
      case GT -> jumps.add(code.jump(Op.LT, right, left, c));
      case GE -> jumps.add(code.jump(Op.LE, right, left, c));
      default -> jumps.add(code.jump(Op.EQ, left, right, c));
    }
  }
}
