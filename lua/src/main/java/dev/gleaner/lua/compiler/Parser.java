package dev.gleaner.lua.compiler;

import dev.gleaner.lua.compiler.Syntax.Assignment;
import dev.gleaner.lua.compiler.Syntax.Block;
import dev.gleaner.lua.compiler.Syntax.Call;
import dev.gleaner.lua.compiler.Syntax.CallStatement;
import dev.gleaner.lua.compiler.Syntax.Declaration;
import dev.gleaner.lua.compiler.Syntax.Expression;
import dev.gleaner.lua.compiler.Syntax.ExpressionList;
import dev.gleaner.lua.compiler.Syntax.FloatConstant;
import dev.gleaner.lua.compiler.Syntax.Function;
import dev.gleaner.lua.compiler.Syntax.FunctionExpression;
import dev.gleaner.lua.compiler.Syntax.GenericFor;
import dev.gleaner.lua.compiler.Syntax.Index;
import dev.gleaner.lua.compiler.Syntax.IntegerConstant;
import dev.gleaner.lua.compiler.Syntax.Label;
import dev.gleaner.lua.compiler.Syntax.LabelStatement;
import dev.gleaner.lua.compiler.Syntax.Local;
import dev.gleaner.lua.compiler.Syntax.LocalExpression;
import dev.gleaner.lua.compiler.Syntax.LocalFunction;
import dev.gleaner.lua.compiler.Syntax.MethodCall;
import dev.gleaner.lua.compiler.Syntax.NumericFor;
import dev.gleaner.lua.compiler.Syntax.Operator;
import dev.gleaner.lua.compiler.Syntax.Parentheses;
import dev.gleaner.lua.compiler.Syntax.Repeat;
import dev.gleaner.lua.compiler.Syntax.Return;
import dev.gleaner.lua.compiler.Syntax.Simple;
import dev.gleaner.lua.compiler.Syntax.Statement;
import dev.gleaner.lua.compiler.Syntax.StringConstant;
import dev.gleaner.lua.compiler.Syntax.Table;
import dev.gleaner.lua.compiler.Syntax.Upvalue;
import dev.gleaner.lua.compiler.Syntax.UpvalueExpression;
import dev.gleaner.lua.compiler.Syntax.Varargs;
import dev.gleaner.lua.compiler.Syntax.While;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses a chunk by recursive descent of a bounded depth, and resolves its names.
 *
 * <p>Statements and expressions become trees. The parser looks for a name in the blocks around,
 * then in the blocks of the outer functions. A name of an outer function becomes an upvalue of each
 * function in between. An unknown name is a field of _ENV.
 *
 * <p>Depth counts nested blocks, functions, and operators that lean to the right. A loop follows
 * operators that lean to the left. Messages, and the tokens in them, are those of lua5.4.
 */
final class Parser {
  /** The greatest depth of nested statements and expressions, as in PUC Lua. */
  private static final int MOST_LEVELS = 195;

  /** Bytes of a function, with its scopes, while the parser reads it. */
  private static final int FUNCTION = 768;

  private static final String STATE = "(for state)";
  private static final int[] NO_LINES = {};

  private final String chunk;
  private final Meter meter;
  private final Lexer lexer;
  private final Name environment;
  private Scopes scopes;
  private int levels;

  private Parser(byte[] source, String chunk, Meter meter) {
    this.chunk = chunk;
    this.meter = meter;
    this.lexer = new Lexer(source, chunk, meter);
    this.environment = lexer.intern("_ENV");
    Function main = new Function(0);
    main.varargs = true;
    Local global = new Local(environment, 0);
    global.captured = true;
    global.assigned = lexer.reflects;
    environment.local = global;
    this.scopes = new Scopes(null, main, lexer, meter);
    var _ = scopes.add(new Upvalue(global, true, 0));
  }

  /**
   * Parses a chunk.
   *
   * @param source the bytes of the chunk
   * @param chunk the chunk's name in messages
   */
  static Draft parse(byte[] source, String chunk, Meter meter) {
    Parser parser = new Parser(source, chunk, meter);
    parser.lexer.next();
    Function main = parser.scopes.function;
    long nodes = meter.nodes();
    parser.body(main);
    main.lastLine = parser.lexer.lastLine;
    parser.check(Token.EOF);
    Draft draft = Compiler.compile(main, chunk, meter);
    meter.dropNodes(nodes);
    return draft;
  }

  // ---- tokens ----

  private boolean accept(int kind) {
    if (lexer.kind == kind) {
      lexer.next();
      return true;
    }
    return false;
  }

  private void check(int kind) {
    if (lexer.kind != kind) {
      throw lexer.error(Token.describe(kind) + " expected");
    }
  }

  private void expect(int kind) {
    check(kind);
    lexer.next();
  }

  private void expectMatch(int kind, int opening, int line) {
    if (!accept(kind)) {
      if (line == lexer.line) {
        throw lexer.error(Token.describe(kind) + " expected");
      }
      throw lexer.error(
          Token.describe(kind)
              + " expected (to close "
              + Token.describe(opening)
              + " at line "
              + line
              + ")");
    }
  }

  private Name name() {
    check(Token.NAME);
    Name name = lexer.name;
    lexer.next();
    return name;
  }

  private Local local(Name name, int attribute) {
    meter.node(2L * Meter.NODE + Meter.ENTRY);
    return new Local(name, attribute);
  }

  private void enterLevel() {
    if (++levels > MOST_LEVELS) {
      throw new SyntaxException("C stack overflow");
    }
  }

  // ---- blocks and statements ----

  private void body(Function f) {
    scopes.open(null);
    for (Local parameter : f.locals) {
      scopes.declare(parameter);
    }
    statements(f.body);
    f.lastLine = lexer.line;
    scopes.close();
  }

  private boolean blockEnds(boolean withUntil) {
    return switch (lexer.kind) {
      case Token.ELSE, Token.ELSEIF, Token.END, Token.EOF -> true;
      case Token.UNTIL -> withUntil;
      default -> false;
    };
  }

  private void statements(Block block) {
    while (!blockEnds(true)) {
      if (lexer.kind == Token.RETURN) {
        meter.node(Meter.NODE + Meter.ENTRY);
        block.statements.add(returnStatement());
        break;
      }
      Statement s = statement();
      if (s instanceof LabelStatement l && l.last()) {
        block.ends = l.labels();
      } else if (s != null) {
        meter.node(Meter.NODE + Meter.ENTRY);
        block.statements.add(s);
      }
    }
    block.lastLine = lexer.lastLine;
  }

  private Block block(@Nullable Label end) {
    scopes.open(end);
    Block block = newBlock();
    statements(block);
    scopes.close();
    return block;
  }

  private Block newBlock() {
    meter.node(Meter.NODE + Meter.LIST);
    return new Block();
  }

  private Label end() {
    meter.node(Meter.FIELD);
    return new Label("break", lexer.line, scopes.activeCount());
  }

  private @Nullable Statement statement() {
    int line = lexer.line;
    enterLevel();
    Statement s =
        switch (lexer.kind) {
          case ';' -> {
            lexer.next();
            yield null;
          }
          case Token.IF -> ifStatement(line);
          case Token.WHILE -> whileStatement(line);
          case Token.DO -> {
            lexer.next();
            Block block = block(null);
            expectMatch(Token.END, Token.DO, line);
            yield new Syntax.Scope(block, line);
          }
          case Token.FOR -> forStatement(line);
          case Token.REPEAT -> repeatStatement(line);
          case Token.FUNCTION -> functionStatement(line);
          case Token.LOCAL -> {
            lexer.next();
            yield accept(Token.FUNCTION) ? localFunction() : localStatement();
          }
          case Token.DOUBLE_COLON -> {
            lexer.next();
            yield labelStatement(name().text, line);
          }
          case Token.BREAK -> {
            lexer.next();
            yield scopes.addBreak(line);
          }
          case Token.GOTO -> {
            lexer.next();
            int nameLine = lexer.line;
            yield scopes.addGoto(name().text, nameLine);
          }
          default -> expressionStatement(line);
        };
    levels--;
    return s;
  }

  private Statement ifStatement(int line) {
    List<Expression> conditions = new ArrayList<>(1);
    List<Block> blocks = new ArrayList<>(1);
    List<Integer> lines = new ArrayList<>(1);
    meter.node(3L * Meter.LIST);
    do {
      meter.node(3L * Meter.ENTRY + Meter.NODE);
      lexer.next();
      conditions.add(expression());
      expect(Token.THEN);
      lines.add(lexer.lastLine);
      blocks.add(block(null));
    } while (lexer.kind == Token.ELSEIF);
    Block otherwise = accept(Token.ELSE) ? block(null) : null;
    expectMatch(Token.END, Token.IF, line);
    return new Syntax.If(conditions, blocks, otherwise, lines, line);
  }

  private Statement whileStatement(int line) {
    lexer.next();
    Expression condition = expression();
    int conditionLine = lexer.lastLine;
    Label end = end();
    expect(Token.DO);
    Block block = block(end);
    expectMatch(Token.END, Token.WHILE, line);
    end.endLine = lexer.lastLine;
    return new While(condition, block, end, conditionLine);
  }

  private Statement repeatStatement(int line) {
    lexer.next();
    Label end = end();
    scopes.open(end);
    scopes.open(null);
    Block block = newBlock();
    statements(block);
    expectMatch(Token.UNTIL, Token.REPEAT, line);
    Expression condition = expression();
    scopes.close();
    scopes.close();
    end.endLine = lexer.lastLine;
    return new Repeat(block, condition, end, lexer.lastLine);
  }

  private Statement forStatement(int line) {
    lexer.next();
    Label end = end();
    scopes.open(end);
    Name first = name();
    Statement s =
        switch (lexer.kind) {
          case '=' -> numericFor(first, end, line);
          case ',', Token.IN -> genericFor(first, end, line);
          default -> throw lexer.error("'=' or 'in' expected");
        };
    scopes.close();
    return s;
  }

  private Block forBlock(List<Local> variables, int line) {
    expect(Token.DO);
    scopes.open(null);
    for (Local v : variables) {
      scopes.declare(v);
    }
    Block block = newBlock();
    statements(block);
    scopes.close();
    expectMatch(Token.END, Token.FOR, line);
    return block;
  }

  private void declareState(int count) {
    Name state = lexer.intern(STATE);
    for (int i = 0; i < count; i++) {
      scopes.declare(local(state, 0));
    }
  }

  private Statement numericFor(Name variable, Label end, int line) {
    lexer.next();
    List<Expression> bounds = new ArrayList<>(3);
    int[] lines = new int[2];
    meter.node(2L * Meter.LIST);
    bounds.add(expression());
    lines[0] = lexer.lastLine;
    expect(',');
    bounds.add(expression());
    lines[1] = lexer.lastLine;
    bounds.add(accept(',') ? expression() : new IntegerConstant(1));
    ExpressionList values = new ExpressionList(bounds, lines, lexer.lastLine);
    Local v = local(variable, 0);
    declareState(3);
    int doLine = lexer.line;
    Block block = forBlock(List.of(v), line);
    end.endLine = lexer.lastLine;
    return new NumericFor(v, values, block, end, line, doLine);
  }

  private Statement genericFor(Name first, Label end, int line) {
    List<Local> variables = new ArrayList<>();
    variables.add(local(first, 0));
    while (accept(',')) {
      variables.add(local(name(), 0));
    }
    expect(Token.IN);
    int valuesLine = lexer.line;
    ExpressionList values = expressions();
    declareState(4);
    end.locals = scopes.activeCount(); // the end of the loop closes the state
    int doLine = lexer.line;
    Block block = forBlock(variables, line);
    end.endLine = lexer.lastLine;
    return new GenericFor(variables, values, block, end, valuesLine, doLine);
  }

  private LabelStatement labelStatement(String name, int line) {
    expect(Token.DOUBLE_COLON);
    scopes.checkNewLabel(name);
    while (lexer.kind == ';' || lexer.kind == Token.DOUBLE_COLON) {
      if (lexer.kind == Token.DOUBLE_COLON) {
        return labelBefore(name, line);
      }
      lexer.next();
    }
    boolean last = blockEnds(false);
    List<Label> labels = new ArrayList<>(1);
    labels.add(scopes.addLabel(name, line, last));
    return new LabelStatement(labels, last, line);
  }

  /** Reads a label before another label. The last label tells whether the block ends there. */
  private LabelStatement labelBefore(String name, int line) {
    enterLevel();
    lexer.next();
    int nextLine = lexer.line;
    String next = name().text;
    if (next.equals(name)) {
      throw lexer.semanticError("label '" + name + "' already defined on line " + line);
    }
    LabelStatement following = labelStatement(next, nextLine);
    levels--;
    following.labels().add(scopes.addLabel(name, line, following.last()));
    return following;
  }

  private Statement functionStatement(int line) {
    lexer.next();
    Name first = name();
    StringBuilder whole = new StringBuilder(first.text);
    Expression target = variable(first);
    boolean method = false;
    while (lexer.kind == '.' || lexer.kind == ':') {
      method = lexer.kind == ':';
      int before = lexer.lastLine;
      lexer.next();
      String field = name().text;
      meter.node(2L * Meter.NODE + 4L * (field.length() + 1)); // with the name of the function
      whole.append(method ? ':' : '.').append(field);
      target = new Index(target, before, new StringConstant(field), line, line);
      if (method) {
        break;
      }
    }
    FunctionExpression f = function(whole.toString(), method, line);
    checkTarget(target, first);
    meter.node(4L * Meter.NODE);
    return new Assignment(
        List.of(target), new ExpressionList(List.of(f), NO_LINES, f.line()), line);
  }

  private Statement localFunction() {
    Local local = local(name(), 0);
    scopes.declare(local);
    FunctionExpression f = function(local.name, false, lexer.line);
    return new LocalFunction(local, f, f.line());
  }

  private Statement localStatement() {
    List<Local> locals = new ArrayList<>(1);
    meter.node(Meter.LIST);
    boolean closes = false;
    do {
      Name name = name();
      int attribute = attribute();
      if (attribute == Local.CLOSE) {
        if (closes) {
          throw lexer.semanticError("multiple to-be-closed variables in local list");
        }
        closes = true;
      }
      locals.add(local(name, attribute));
      scopes.checkLocals(locals.size());
    } while (accept(','));
    ExpressionList values = accept('=') ? expressions() : ExpressionList.NONE;
    int line = lexer.lastLine;
    for (Local local : locals) {
      scopes.declare(local);
    }
    Local last = locals.getLast();
    if (last.attribute == Local.CONST
        && locals.size() == values.size()
        && Constants.isConstant(values.list.getLast())) {
      last.constant = values.list.getLast();
      return new Declaration(locals, values.withoutLast(), line);
    }
    return new Declaration(locals, values, line);
  }

  private int attribute() {
    if (!accept('<')) {
      return 0;
    }
    String name = name().text;
    expect('>');
    return switch (name) {
      case "const" -> Local.CONST;
      case "close" -> Local.CLOSE;
      default -> throw lexer.semanticError("unknown attribute '" + name + "'");
    };
  }

  private Statement returnStatement() {
    lexer.next();
    ExpressionList values =
        blockEnds(true) || lexer.kind == ';' ? ExpressionList.NONE : expressions();
    int line = lexer.lastLine;
    accept(';');
    return new Return(values, line);
  }

  private Statement expressionStatement(int line) {
    Name name = first();
    Expression e = suffixed();
    if (lexer.kind == '=' || lexer.kind == ',') {
      List<Expression> targets = new ArrayList<>(1);
      meter.node(Meter.LIST);
      checkTarget(e, name);
      targets.add(e);
      while (accept(',')) {
        Name next = first();
        Expression further = suffixed();
        checkTarget(further, next);
        meter.node(Meter.ENTRY);
        targets.add(further);
        if (targets.size() + levels > MOST_LEVELS) {
          throw new SyntaxException("C stack overflow");
        }
      }
      check('=');
      lexer.next();
      return new Assignment(targets, expressions(), lexer.lastLine);
    }
    if (e instanceof Call || e instanceof MethodCall) {
      return new CallStatement(e, line);
    }
    throw lexer.error("syntax error");
  }

  /** Returns the name at the start of an expression; null if another token starts it. */
  private @Nullable Name first() {
    return lexer.kind == Token.NAME ? lexer.name : null;
  }

  /** Checks that code may assign a target, and marks the target as assigned. */
  private void checkTarget(Expression target, @Nullable Name name) {
    if (target instanceof Index) {
      return;
    }
    Local local =
        switch (target) {
          case LocalExpression l -> l.local();
          case UpvalueExpression u -> u.origin();
          default -> null;
        };
    if (local == null && name != null && Constants.isConstant(target)) {
      throw assignsConstant(name.text);
    }
    if (local == null) {
      throw lexer.error("syntax error");
    }
    if (local.attribute != 0) {
      throw assignsConstant(local.name);
    }
    local.assigned = true;
  }

  private SyntaxException assignsConstant(String name) {
    return lexer.semanticError("attempt to assign to const variable '" + name + "'");
  }

  // ---- expressions ----

  private ExpressionList expressions() {
    Expression first = expression();
    meter.node(Meter.LIST);
    if (lexer.kind != ',') {
      return new ExpressionList(List.of(first), NO_LINES, lexer.lastLine);
    }
    List<Expression> list = new ArrayList<>();
    meter.node(Meter.LIST);
    list.add(first);
    int[] lines = NO_LINES;
    while (lexer.kind == ',') {
      lines = separator(lines, list.size() - 1);
      meter.node(Meter.ENTRY);
      list.add(expression());
    }
    return new ExpressionList(list, lines, lexer.lastLine);
  }

  /** Reads a separator, and notes its line. */
  private int[] separator(int[] lines, int number) {
    int[] there = lines;
    if (number >= there.length) {
      int more = Math.max(4, number);
      meter.node(Meter.ENTRY + 2L * Integer.BYTES * more);
      there = Arrays.copyOf(there, there.length + more);
    }
    there[number] = lexer.line;
    lexer.next();
    return there;
  }

  private Expression expression() {
    return subexpression(0);
  }

  private Expression subexpression(int limit) {
    enterLevel();
    Expression left = operand();
    Operator op = Operator.of(lexer.kind);
    while (op != null && op.left > limit) {
      int line = lexer.line;
      lexer.next();
      Expression right = subexpression(op.right);
      meter.node(Meter.NODE);
      left = Constants.fold(op, left, right, line, lexer.lastLine);
      op = Operator.of(lexer.kind);
    }
    levels--;
    return left;
  }

  private Expression operand() {
    int operator = lexer.kind;
    if (operator == Token.NOT || operator == '-' || operator == '~' || operator == '#') {
      int line = lexer.line;
      lexer.next();
      meter.node(Meter.NODE);
      Expression operand = subexpression(Operator.UNARY);
      return Constants.fold(operator, operand, line, lexer.lastLine);
    }
    return simple();
  }

  private Expression simple() {
    Expression e;
    meter.node(Meter.NODE);
    switch (lexer.kind) {
      case Token.FLOAT -> e = new FloatConstant(lexer.real);
      case Token.INTEGER -> e = new IntegerConstant(lexer.integer);
      case Token.STRING -> e = new StringConstant(lexer.text);
      case Token.NIL -> e = Simple.NIL;
      case Token.TRUE -> e = Simple.TRUE;
      case Token.FALSE -> e = Simple.FALSE;
      case Token.DOTS -> {
        if (!scopes.function.varargs) {
          throw lexer.error("cannot use '...' outside a vararg function");
        }
        e = new Varargs(lexer.lastLine);
      }
      case '{' -> {
        return table();
      }
      case Token.FUNCTION -> {
        int line = lexer.line;
        lexer.next();
        return function("", false, line);
      }
      default -> {
        return suffixed();
      }
    }
    lexer.next();
    return e;
  }

  @SuppressWarnings("RefactorSwitch") // each case does several things
  private Expression primary() {
    switch (lexer.kind) {
      case Token.NAME -> {
        return variable(name());
      }
      case '(' -> {
        int line = lexer.line;
        lexer.next();
        Expression e = expression();
        meter.node(Meter.NODE);
        expectMatch(')', '(', line);
        return Constants.isConstant(e) ? e : new Parentheses(e, lexer.lastLine);
      }
      default -> throw lexer.error("unexpected symbol");
    }
  }

  private Expression variable(Name name) {
    Expression e = scopes.find(name);
    if (e != null) {
      return e;
    }
    Expression globals = scopes.find(environment);
    if (globals == null) {
      throw new IllegalStateException("no _ENV");
    }
    meter.node(Meter.FIELD);
    return new Index(globals, 0, new StringConstant(name.text), 0, 0);
  }

  private Expression suffixed() {
    Expression e = primary();
    while (true) {
      int before = lexer.lastLine;
      switch (lexer.kind) {
        case '.' -> {
          lexer.next();
          meter.node(Meter.FIELD);
          e = new Index(e, before, new StringConstant(name().text), 0, 0);
        }
        case '[' -> {
          lexer.next();
          Expression key = expression();
          int keyLine = lexer.lastLine;
          meter.node(Meter.NODE);
          expect(']');
          e = new Index(e, before, key, keyLine, lexer.lastLine);
        }
        case ':' -> {
          lexer.next();
          String method = name().text;
          int nameLine = lexer.lastLine;
          int line = lexer.line;
          meter.node(2L * Meter.NODE);
          e = new MethodCall(e, method, nameLine, arguments(), line);
        }
        case '(', '{', Token.STRING -> {
          int line = lexer.line;
          meter.node(2L * Meter.NODE);
          e = new Call(e, before, arguments(), line);
        }
        default -> {
          return e;
        }
      }
    }
  }

  @SuppressWarnings("RefactorSwitch") // each case does several things
  private ExpressionList arguments() {
    switch (lexer.kind) {
      case '(' -> {
        int line = lexer.line;
        lexer.next();
        if (accept(')')) {
          return ExpressionList.NONE;
        }
        ExpressionList list = expressions();
        expectMatch(')', '(', line);
        list.end = lexer.lastLine;
        return list;
      }
      case '{' -> {
        meter.node(Meter.LIST);
        return new ExpressionList(List.of(table()), NO_LINES, lexer.lastLine);
      }
      case Token.STRING -> {
        Expression e = new StringConstant(lexer.text);
        meter.node(Meter.LIST);
        lexer.next();
        return new ExpressionList(List.of(e), NO_LINES, lexer.lastLine);
      }
      default -> throw lexer.error("function arguments expected");
    }
  }

  private Expression table() {
    int before = lexer.lastLine;
    int line = lexer.line;
    List<Expression> values = new ArrayList<>();
    int[] lines = NO_LINES;
    int positions = 0;
    meter.node(2L * Meter.NODE + Meter.LIST);
    expect('{');
    while (lexer.kind != '}') {
      Expression key = null;
      int keyLine = 0;
      meter.node(Meter.ENTRY);
      if (lexer.kind == Token.NAME && lexer.lookAhead() == '=') {
        key = new StringConstant(name().text);
        expect('=');
      } else if (accept('[')) {
        key = expression();
        keyLine = lexer.lastLine;
        expect(']');
        expect('=');
      }
      int signLine = lexer.lastLine;
      Expression value = expression();
      if (key == null) {
        positions++;
        values.add(value);
      } else {
        meter.node(2L * Meter.NODE);
        values.add(new Syntax.Entry(key, keyLine, signLine, value, lexer.lastLine));
      }
      if (lexer.kind != ',' && lexer.kind != ';') {
        break;
      }
      lines = separator(lines, values.size() - 1);
    }
    expectMatch('}', '{', line);
    return new Table(new ExpressionList(values, lines, lexer.lastLine), positions, before);
  }

  private FunctionExpression function(String name, boolean method, int line) {
    meter.charge(FUNCTION);
    long nodes = meter.nodes();
    Function f = new Function(line);
    f.name = name;
    Scopes outer = scopes;
    scopes = new Scopes(outer, f, lexer, meter);
    if (method) {
      f.locals.add(local(lexer.intern("self"), 0));
    }
    expect('(');
    if (lexer.kind != ')') {
      do {
        if (lexer.kind == Token.NAME) {
          f.locals.add(local(name(), 0));
          scopes.checkLocals(f.locals.size());
        } else if (accept(Token.DOTS)) {
          f.varargs = true;
        } else {
          throw lexer.error("<name> or '...' expected");
        }
      } while (!f.varargs && accept(','));
    }
    f.parameters = f.locals.size();
    expect(')');
    body(f);
    expectMatch(Token.END, Token.FUNCTION, line);
    scopes = outer;
    int lastLine = lexer.lastLine;
    Draft draft = Compiler.compile(f, chunk, meter);
    meter.dropNodes(nodes);
    meter.refund(FUNCTION);
    return new FunctionExpression(draft, lastLine);
  }
}
