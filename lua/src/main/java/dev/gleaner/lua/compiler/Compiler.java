package dev.gleaner.lua.compiler;

import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.lua.compiler.Syntax.Assignment;
import dev.gleaner.lua.compiler.Syntax.Block;
import dev.gleaner.lua.compiler.Syntax.Call;
import dev.gleaner.lua.compiler.Syntax.CallStatement;
import dev.gleaner.lua.compiler.Syntax.Declaration;
import dev.gleaner.lua.compiler.Syntax.Expression;
import dev.gleaner.lua.compiler.Syntax.ExpressionList;
import dev.gleaner.lua.compiler.Syntax.Function;
import dev.gleaner.lua.compiler.Syntax.GenericFor;
import dev.gleaner.lua.compiler.Syntax.Goto;
import dev.gleaner.lua.compiler.Syntax.If;
import dev.gleaner.lua.compiler.Syntax.Index;
import dev.gleaner.lua.compiler.Syntax.IntegerConstant;
import dev.gleaner.lua.compiler.Syntax.Label;
import dev.gleaner.lua.compiler.Syntax.LabelStatement;
import dev.gleaner.lua.compiler.Syntax.Local;
import dev.gleaner.lua.compiler.Syntax.LocalExpression;
import dev.gleaner.lua.compiler.Syntax.LocalFunction;
import dev.gleaner.lua.compiler.Syntax.MethodCall;
import dev.gleaner.lua.compiler.Syntax.NumericFor;
import dev.gleaner.lua.compiler.Syntax.Parentheses;
import dev.gleaner.lua.compiler.Syntax.Repeat;
import dev.gleaner.lua.compiler.Syntax.Return;
import dev.gleaner.lua.compiler.Syntax.Scope;
import dev.gleaner.lua.compiler.Syntax.Statement;
import dev.gleaner.lua.compiler.Syntax.StringConstant;
import dev.gleaner.lua.compiler.Syntax.UpvalueExpression;
import dev.gleaner.lua.compiler.Syntax.While;
import dev.gleaner.lua.memory.Account;
import dev.gleaner.refusal.HeapExhaustedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Compiles the statements of a function, from its syntax tree to code. A local has a register, a
 * slot of the frame. If a closure captures the local, and any code assigns it, the register holds a
 * box with the value. A captured local without assignments is copied into the closures.
 *
 * <p>An instruction has the line that it has in PUC Lua, which makes code while it reads: the line
 * of the token before the next one, or that of an operator. So hooks see the same lines.
 */
public final class Compiler {
  /** The most bytes of a source. */
  public static final int MOST_TEXT = 16 << 20;

  /** The most bytes of the JVM's heap for a compilation that no guest pays. */
  public static final long MOST_MEMORY = 256L << 20;

  /** Bytes of a function, with the parts that all functions have. */
  private static final int FUNCTION = 512;

  /** Bytes of a variable in the table of variables. */
  private static final int VARIABLE = 48;

  private static final Name STATE = new Name("(for state)", Token.NAME);

  final Assembler code;
  final Function function;
  private final String chunk;
  final Meter meter;
  private final List<Draft> inner = new ArrayList<>();
  private final List<Variable> variables = new ArrayList<>();
  private final List<Active> active = new ArrayList<>();

  /** The targets of all gotos, in their order. */
  private final List<Label> left = new ArrayList<>();

  private final Map<Label, List<Integer>> pending = new HashMap<>();
  private final Expressions expressions;
  int free;
  private int most;

  private Compiler(String chunk, Function function, Meter meter) {
    this.chunk = chunk;
    this.function = function;
    this.meter = meter;
    this.code = new Assembler(meter);
    this.expressions = new Expressions(this);
  }

  /** A local in scope, with its register if the local is to be closed, or else -1. */
  private record Active(Local local, int closes, int from) {}

  /**
   * Compiles a chunk.
   *
   * @param text the bytes of the chunk
   * @param source the chunk's name: "@file", "=name" or the text itself
   * @param loan pays for memory on the JVM's heap, with the result, but without the text and its
   *     name
   * @param work gets the steps of the compilation, a sixteenth of the bytes or more
   * @throws SyntaxException if the text is not valid Lua
   */
  public static Prototype compile(
      byte[] text, String source, Account.Loan loan, LongConsumer work) {
    String chunk = ChunkNames.display(source);
    Meter meter = new Meter(loan, work);
    return Parser.parse(text, chunk, meter).finish(source, chunk, meter);
  }

  /**
   * Compiles a chunk for the host, within bounds.
   *
   * @param text the bytes of the chunk, {@link #MOST_TEXT} at most
   * @param source the chunk's name: "@file", "=name" or the text itself
   * @throws SyntaxException if the text is not valid Lua, or too large
   */
  public static Prototype compile(byte[] text, String source) {
    if (text.length > MOST_TEXT) {
      throw new SyntaxException(
          ChunkNames.display(source)
              + ": chunk too large ("
              + text.length
              + " bytes; at most "
              + MOST_TEXT
              + ")");
    }
    try (Account.Loan loan = Account.upTo(MOST_MEMORY).borrow()) {
      return compile(text, source, loan, _ -> {});
    } catch (HeapExhaustedException _) {
      throw new SyntaxException(
          ChunkNames.display(source)
              + ": chunk too large (compiling takes more than "
              + (MOST_MEMORY >> 20)
              + " MiB)");
    }
  }

  /** Compiles a function with a complete syntax tree. */
  static Draft compile(Function function, String chunk, Meter meter) {
    meter.charge(FUNCTION + Account.text(function.name.length()));
    return new Compiler(chunk, function, meter).compile();
  }

  /** {@return the bytes of a text in ISO 8859-1} */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private Draft compile() {
    code.line = function.line;
    free = 1;
    for (Local p : function.locals) {
      p.register = reserve(1);
      activate(p, -1);
    }
    reserve(function.varargs ? 2 : 1);
    int early = code.startEarly();
    for (Local p : function.locals) {
      box(p);
    }
    code.endEarly(early);
    int locals = active.size();
    int registers = free;
    statements(function.body);
    code.line = function.lastLine; // the function's end closes variables
    if (closing(locals) >= 0) {
      endScope(locals, registers);
    }
    function.body.ends.forEach(this::label);
    code.emit(Op.RETURN, 0, 1, 0);
    deactivate(0); // as in PUC Lua, where the return sees the variables of the function's block
    function.body = new Block(); // drops the syntax tree
    return code.draft(function, most, inner, variables);
  }

  int inner(Draft f) {
    inner.add(f);
    return inner.size() - 1;
  }

  // ---- registers and scopes ----

  int reserve(int count) {
    int first = free;
    free += count;
    if (free > Draft.MOST_REGISTERS) {
      throw Draft.tooManyRegisters(chunk, code.line);
    }
    most = Math.max(most, free);
    return first;
  }

  private void activate(Local local, int closes) {
    active.add(new Active(local, closes, code.pc()));
  }

  private void deactivate(int count) {
    while (active.size() > count) {
      Active a = active.remove(active.size() - 1);
      Local l = a.local;
      if (l.constant != null) {
        continue;
      }
      meter.charge(VARIABLE);
      variables.add(
          new Variable(l.name, l.register, a.from, code.pc(), l.isBoxed(), a.closes >= 0));
    }
  }

  private void box(Local local) {
    if (local.isBoxed()) {
      code.emit(Op.BOX, local.register, 0, 0);
    }
  }

  /** Returns whether a register holds a variable in scope. */
  boolean isVariable(int register) {
    for (int i = active.size() - 1; i >= 0; i--) {
      if (active.get(i).local.constant == null) {
        return register <= active.get(i).local.register;
      }
    }
    return false;
  }

  boolean closes() {
    return closing(0) >= 0;
  }

  /** Returns the first register to close among the locals from an index on, or -1. */
  private int closing(int from) {
    for (int i = from; i < active.size(); i++) {
      if (active.get(i).closes >= 0) {
        return active.get(i).closes;
      }
    }
    return -1;
  }

  private void block(Block block) {
    int locals = active.size();
    int registers = free;
    int before = left.size();
    statements(block);
    endInnerBlock(block, locals, registers, before);
  }

  private void endInnerBlock(Block block, int locals, int registers, int before) {
    boolean captured = isCaptured(locals);
    boolean closes = captured || closing(locals) >= 0;
    endBlock(block, locals, registers);
    if (captured) {
      code.end(block.lastLine);
    }
    if (closes) {
      leftVariables(before);
    }
  }

  /** Notes that the jumps from an index on leave variables that PUC Lua closes. */
  private void leftVariables(int before) {
    left.subList(before, left.size()).forEach(l -> l.closes |= l.pc < 0);
  }

  /** Returns whether closures have a local, among those from an index on. */
  private boolean isCaptured(int from) {
    for (int i = from; i < active.size(); i++) {
      if (active.get(i).local.captured && active.get(i).local.constant == null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Ends the scope of a block. A label at the end is outside of the block's variables. So a goto
   * leads behind the instruction that closes them; the goto itself has closed them already.
   */
  private void endBlock(Block block, int locals, int registers) {
    endScope(locals, registers);
    block.ends.forEach(this::label);
  }

  private void statements(Block block) {
    for (Statement s : block.statements) {
      code.line = s.line();
      statement(s);
    }
    code.line = block.lastLine;
  }

  private void endScope(int locals, int registers) {
    int closing = closing(locals);
    if (closing >= 0) {
      code.emit(Op.CLOSE, closing, 0, 0);
    }
    deactivate(locals);
    free = registers;
  }

  // ---- statements ----

  private void statement(Statement statement) {
    switch (statement) {
      case Declaration s -> declaration(s);
      case Assignment s -> assignment(s);
      case CallStatement s -> {
        int before = free;
        expressions.multiple(s.call(), 0);
        free = before;
      }
      case Scope s -> block(s.block());
      case While s -> whileStatement(s);
      case Repeat s -> repeat(s);
      case If s -> ifStatement(s);
      case NumericFor s -> numericFor(s);
      case GenericFor s -> genericFor(s);
      case LocalFunction s -> {
        Local l = s.local();
        l.register = reserve(1);
        activate(l, -1);
        if (l.isBoxed()) {
          int early = code.startEarly();
          code.emit(Op.LOAD_NIL, l.register, 1, 0);
          box(l);
          code.endEarly(early);
          int r = reserve(1);
          expressions.into(s.function(), r);
          code.emit(Op.SET_BOX, l.register, r, 0);
          free = r;
        } else {
          expressions.into(s.function(), l.register);
        }
        active.set(active.size() - 1, new Active(l, -1, code.pc())); // a hook sees it from now on
      }
      case Return s -> returnStatement(s);
      case Goto s -> gotoStatement(s);
      case LabelStatement s -> s.labels().forEach(this::label);
    }
  }

  private void declaration(Declaration s) {
    int first = free;
    boolean constant = s.locals().getLast().constant != null;
    code.line = s.line();
    expressions.list(s.values(), s.locals().size() - (constant ? 1 : 0));
    code.line = s.line();
    for (int i = 0; i < s.locals().size(); i++) {
      Local l = s.locals().get(i);
      if (l.constant != null) {
        activate(l, -1);
        continue;
      }
      l.register = first + i;
      boolean closes = l.attribute == Local.CLOSE;
      code.keepLine();
      box(l);
      activate(l, closes ? l.register : -1);
    }
    code.line = s.line();
    for (Local l : s.locals()) {
      if (l.attribute == Local.CLOSE) {
        code.emit(Op.TBC, l.register, 0, 0);
      }
    }
  }

  private void returnStatement(Return s) {
    ExpressionList values = s.values();
    int closes = closes() ? 1 : 0;
    if (values.size() == 1) {
      Expression only = values.get(0);
      if (closes == 0 && (only instanceof Call || only instanceof MethodCall)) {
        expressions.tailCall(only);
        return;
      }
      if (!Syntax.isMultiple(only)) {
        int before = free;
        code.line = s.line();
        int r = expressions.anyRegister(only);
        code.line = s.line();
        code.emit(Op.RETURN, r, 2, closes);
        free = before;
        return;
      }
    }
    int first = free;
    boolean open = expressions.openList(values);
    code.line = s.line();
    code.emit(Op.RETURN, first, open ? 0 : values.size() + 1, closes);
    free = first;
  }

  private void gotoStatement(Goto s) {
    Label target = target(s);
    if (target.pc < 0) {
      if (closing(target.locals) >= 0) {
        showJump(0);
      }
      leave(target);
      return;
    }
    left.add(target);
    int closing = closing(target.locals);
    if (closing >= 0) {
      code.emit(Op.CLOSE, closing, 0, 0);
    }
    code.emit(Op.JUMP, 0, 0, 0, target.pc);
  }

  /**
   * Adds a jump to the next instruction, for hooks: PUC Lua closes variables behind the jump.
   *
   * @param tested 1 if PUC Lua tests a constant before
   */
  private void showJump(int tested) {
    code.emit(Op.JUMP, tested, 0, 0, code.pc() + 2);
  }

  /** Closes variables for a jump forward, in the line of its target as PUC Lua; then jumps. */
  private void leave(Label target) {
    left.add(target);
    int closing = closing(target.locals);
    if (closing >= 0) {
      code.line = target.endLine;
      code.emit(Op.CLOSE, closing, 0, 0);
    }
    pending.computeIfAbsent(target, t -> new ArrayList<>()).add(code.jump(Op.JUMP, 0, 0, 0));
  }

  private void label(Label label) {
    place(label);
    if (label.closes) {
      code.end(label.endLine);
    }
  }

  private void place(Label label) {
    label.pc = code.label();
    List<Integer> jumps = pending.remove(label);
    if (jumps != null) {
      code.patchHere(jumps);
    }
  }

  private void whileStatement(While s) {
    int start = code.label();
    List<Integer> exits = new ArrayList<>();
    code.line = s.line();
    expressions.jumpIf(s.condition(), false, exits);
    block(s.block());
    code.emit(Op.JUMP, 0, 0, 0, start);
    label(s.end());
    code.patchHere(exits);
  }

  private void repeat(Repeat s) {
    int start = code.label();
    int locals = active.size();
    int registers = free;
    int before = left.size();
    statements(s.block());
    List<Integer> exits = new ArrayList<>();
    code.line = s.line();
    expressions.jumpIf(s.condition(), true, exits);
    code.line = s.line();
    int closing = closing(locals);
    if (closing >= 0) {
      code.emit(Op.CLOSE, closing, 0, 0);
    }
    code.emit(Op.JUMP, 0, 0, 0, start);
    code.patchHere(exits);
    if (closing >= 0 || isCaptured(locals)) {
      leftVariables(before);
    }
    endScope(locals, registers);
    label(s.end());
  }

  private void ifStatement(If s) {
    List<Integer> ends = new ArrayList<>();
    for (int i = 0; i < s.conditions().size(); i++) {
      Block block = s.blocks().get(i);
      code.line = s.lines().get(i);
      if (breaks(block, s.conditions().get(i))) {
        List<Integer> taken = new ArrayList<>();
        left.add(target(block));
        expressions.jumpIf(s.conditions().get(i), true, taken);
        pending.computeIfAbsent(target(block), _ -> new ArrayList<>()).addAll(taken);
        continue;
      }
      List<Integer> otherwise = new ArrayList<>();
      expressions.jumpIf(s.conditions().get(i), false, otherwise);
      if (isBreak(block)) {
        if (otherwise.isEmpty()) {
          showJump(1);
        }
        leave(target(block));
      } else {
        block(block);
      }
      if (i + 1 < s.conditions().size() || s.otherwise() != null) {
        ends.add(code.jump(Op.JUMP, 0, 0, 0));
      }
      code.patchHere(otherwise);
    }
    if (s.otherwise() != null) {
      block(s.otherwise());
    }
    code.patchHere(ends);
  }

  /** Returns whether a condition's jump does a break in its place, or nobody does. */
  private boolean breaks(Block block, Expression condition) {
    return isBreak(block) && (Constants.isFalse(condition) || closing(target(block).locals) < 0);
  }

  /** Returns whether a block is a break alone, which is no statement of its own in PUC Lua. */
  private static boolean isBreak(Block block) {
    return block.statements.size() == 1
        && block.ends.isEmpty()
        && block.statements.get(0) instanceof Goto g
        && g.name.equals("break");
  }

  private static Label target(Block block) {
    return target((Goto) block.statements.get(0));
  }

  private static Label target(Goto s) {
    if (s.target == null) {
      throw new IllegalStateException("goto without a label");
    }
    return s.target;
  }

  private int state(int count, int closes) {
    int first = free - count;
    for (int i = 0; i < count; i++) {
      Local l = new Local(STATE, 0);
      l.register = first + i;
      activate(l, i == 3 ? closes : -1);
    }
    return first;
  }

  private void numericFor(NumericFor s) {
    int locals = active.size();
    int first = free;
    expressions.list(s.bounds(), 3);
    state(3, -1);
    code.line = s.doLine();
    int exit = code.jump(Op.FOR_PREPARE, first, 0, 0);
    int start = code.pc();
    forBody(List.of(s.variable()), s.block());
    code.line = s.line();
    code.emit(Op.FOR_LOOP, first, 0, 0, start);
    code.patch(exit, code.pc());
    deactivate(locals);
    free = first;
    label(s.end());
  }

  private void forBody(List<Local> locals, Block block) {
    int outer = active.size();
    int registers = free;
    for (Local l : locals) {
      l.register = reserve(1);
      activate(l, -1);
    }
    int early = code.startEarly();
    locals.forEach(this::box);
    code.endEarly(early);
    int before = left.size();
    statements(block);
    endInnerBlock(block, outer, registers, before);
  }

  private void genericFor(GenericFor s) {
    int locals = active.size();
    int first = free;
    expressions.list(s.values(), 4);
    state(4, first + 3);
    code.line = s.doLine();
    int enter = code.jump(Op.TFOR_PREPARE, first, 0, 0);
    int start = code.pc();
    forBody(s.variables(), s.block());
    code.patch(enter, code.pc());
    code.line = s.line();
    code.emit(Op.TFOR_CALL, first, s.variables().size(), 0);
    code.emit(Op.TFOR_LOOP, first, 0, 0, start);
    place(s.end());
    code.line = s.end().endLine;
    code.emit(Op.CLOSE, first + 3, 0, 0);
    deactivate(locals);
    free = first;
  }

  // ---- assignments ----

  private void assignment(Assignment s) {
    int before = free;
    if (s.targets().size() == 1 && s.values().size() == 1) {
      single(s.targets().get(0), s.values(), s.line());
    } else {
      multiple(s);
    }
    free = before;
  }

  private void single(Expression target, ExpressionList values, int line) {
    Expression value = values.get(0);
    if (target.equals(value) && target instanceof LocalExpression) {
      return; // as in PUC Lua
    }
    switch (target) {
      case LocalExpression(Local l) when !l.isBoxed() -> {
        code.line = values.end;
        if (Expressions.writesLast(value) && line == values.end) {
          expressions.into(value, l.register);
        } else {
          int r = expressions.temporary(value);
          code.line = line;
          code.emit(Op.MOVE, l.register, r, 0);
        }
      }
      default -> {
        Place p = place(target, List.of());
        code.line = values.end;
        int v = expressions.anyRegister(value);
        code.line = line;
        store(p, v);
      }
    }
  }

  private void multiple(Assignment s) {
    List<Place> places = new ArrayList<>();
    List<Local> written = new ArrayList<>();
    for (Expression t : s.targets()) {
      switch (t) {
        case LocalExpression(Local l) -> written.add(l);
        case UpvalueExpression u -> written.add(u.origin());
        default -> {}
      }
    }
    for (Expression t : s.targets()) {
      places.add(place(t, written));
    }
    int first = free;
    expressions.list(s.values(), places.size());
    code.line = s.line();
    for (int i = places.size() - 1; i >= 0; i--) {
      store(places.get(i), first + i);
    }
  }

  /** The target of an assignment, with its parts in registers, but for parts that are late. */
  private record Place(
      Expression target, int object, int key, boolean lateObject, boolean lateKey) {}

  private Place place(Expression target, List<Local> written) {
    if (!(target instanceof Index(Expression object, int line, Expression key, int _, int _))) {
      return new Place(target, 0, 0, false, false);
    }
    if (object instanceof UpvalueExpression u
        && key instanceof StringConstant
        && !written.contains(u.origin())) {
      return new Place(
          target, -1, 0, false, false); // a global, or a field of an upvalue that no target writes
    }
    boolean late = isLate(object, written);
    if (Expressions.isShort(key)) {
      int o = line == 0 ? environment(object, written) : partOf(object, line, written);
      return new Place(target, o, 0, late, false);
    }
    boolean afterKey = !late && Expressions.isLateObject(object, key);
    int o = afterKey ? reserve(1) : partOf(object, line, written);
    int k = partOf(key, Expressions.keyLine((Index) target), written);
    if (afterKey) {
      expressions.into(object, o);
    }
    return new Place(target, o, k, late, isLate(key, written));
  }

  private int environment(Expression object, List<Local> written) {
    int early = code.startEarly();
    int r = partOf(object, code.line, written);
    code.endEarly(early);
    return r;
  }

  private int partOf(Expression part, int line, List<Local> written) {
    code.line = line;
    return isWritten(part, written) ? expressions.temporary(part) : expressions.early(part);
  }

  private static boolean isLate(Expression part, List<Local> written) {
    return Expressions.isLate(part) && !isWritten(part, written);
  }

  /** Returns whether a part of a target is a local that another target writes. */
  private static boolean isWritten(Expression part, List<Local> written) {
    return switch (part) {
      case LocalExpression(Local l) -> written.contains(l);
      case Parentheses p -> isWritten(p.inner(), written);
      default -> false;
    };
  }

  private void store(Place p, int v) {
    if (p.target instanceof Index i) {
      if (p.lateObject) {
        expressions.late(i.object(), p.object);
      }
      if (p.lateKey) {
        expressions.late(i.key(), p.key);
      }
    }
    switch (p.target) {
      case LocalExpression(Local l) ->
          code.emit(l.isBoxed() ? Op.SET_BOX : Op.MOVE, l.register, v, 0);
      case UpvalueExpression u -> code.emit(Op.SET_UPVALUE_BOX, v, u.index(), 0);
      case Index(Expression object, int _, StringConstant(String name), int _, int _)
          when p.object < 0 ->
          code.emit(
              Op.SET_GLOBAL, v, ((UpvalueExpression) object).index(), free, code.string(name));
      case Index(Expression _, int _, StringConstant(String name), int _, int _) ->
          code.emit(Op.SET_FIELD, p.object, v, 0, code.string(name));
      case Index(Expression _, int _, IntegerConstant(long i), int _, int _)
          when i >= 0 && i <= 255 ->
          code.emit(Op.SET_INT, p.object, (int) i, v);
      case Index _ -> code.emit(Op.SET_TABLE, p.object, p.key, v);
      default -> throw new IllegalStateException();
    }
  }
}
