package dev.gleaner.lua.compiler;

import dev.gleaner.lua.compiler.Syntax.Assignment;
import dev.gleaner.lua.compiler.Syntax.Block;
import dev.gleaner.lua.compiler.Syntax.Call;
import dev.gleaner.lua.compiler.Syntax.CallStatement;
import dev.gleaner.lua.compiler.Syntax.Declaration;
import dev.gleaner.lua.compiler.Syntax.Expression;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses a chunk by recursive descent of a bounded depth, and resolves its names.
 *
 * <p>Statements and expressions become trees. A name is looked for in the blocks around it, then in
 * those of the functions around: there it becomes an upvalue of each function in between. What is
 * found in none is a field of _ENV.
 *
 * <p>Depth counts nested blocks, functions, and operators that lean to the right. What leans to the
 * left is followed by a cycle. Messages, and the token that they name, are those of lua5.4.
 */
final class Parser {
  /** How deep statements and expressions can be in each other, as in PUC Lua. */
  private static final int MOST_LEVELS = 195;

  private static final String STATE = "(for state)";

  private final Lexer lexer;
  private Scopes scopes;
  private int levels;

  private Parser(byte[] source, String chunk) {
    this.lexer = new Lexer(source, chunk);
    Function main = new Function(null, 0);
    main.varargs = true;
    Local environment = new Local("_ENV", 0);
    environment.captured = true;
    main.upvalues.add(new Upvalue(environment, true, 0));
    this.scopes = new Scopes(null, main, lexer);
  }

  /**
   * Parses a chunk.
   *
   * @param source all of its bytes
   * @param chunk its name, as messages have it
   */
  static Function parse(byte[] source, String chunk) {
    Parser parser = new Parser(source, chunk);
    parser.lexer.next();
    Function main = parser.scopes.function;
    parser.body(main);
    parser.check(Token.EOF);
    return main;
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

  private String name() {
    check(Token.NAME);
    String name = lexer.text;
    lexer.next();
    return name;
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
        block.statements.add(returnStatement());
        break;
      }
      Statement s = statement();
      if (s != null) {
        block.statements.add(s);
      }
    }
    block.lastLine = lexer.lastLine;
  }

  private Block block(@Nullable Label end) {
    scopes.open(end);
    Block block = new Block();
    statements(block);
    scopes.close();
    return block;
  }

  private Label end() {
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
            yield accept(Token.FUNCTION) ? localFunction(line) : localStatement(line);
          }
          case Token.DOUBLE_COLON -> {
            lexer.next();
            yield labelStatement(name(), line);
          }
          case Token.BREAK -> {
            lexer.next();
            yield scopes.addBreak(line);
          }
          case Token.GOTO -> {
            lexer.next();
            yield scopes.addGoto(name(), line);
          }
          default -> expressionStatement(line);
        };
    levels--;
    return s;
  }

  private Statement ifStatement(int line) {
    List<Expression> conditions = new ArrayList<>();
    List<Block> blocks = new ArrayList<>();
    List<Integer> lines = new ArrayList<>();
    do {
      lexer.next();
      lines.add(lexer.line);
      conditions.add(expression());
      expect(Token.THEN);
      blocks.add(block(null));
    } while (lexer.kind == Token.ELSEIF);
    Block otherwise = accept(Token.ELSE) ? block(null) : null;
    expectMatch(Token.END, Token.IF, line);
    return new Syntax.If(conditions, blocks, otherwise, lines, line);
  }

  private Statement whileStatement(int line) {
    lexer.next();
    Expression condition = expression();
    Label end = end();
    expect(Token.DO);
    Block block = block(end);
    expectMatch(Token.END, Token.WHILE, line);
    return new While(condition, block, end, line);
  }

  private Statement repeatStatement(int line) {
    lexer.next();
    Label end = end();
    scopes.open(end);
    scopes.open(null);
    Block block = new Block();
    statements(block);
    expectMatch(Token.UNTIL, Token.REPEAT, line);
    Expression condition = expression();
    scopes.close();
    scopes.close();
    return new Repeat(block, condition, end, line);
  }

  private Statement forStatement(int line) {
    lexer.next();
    Label end = end();
    scopes.open(end);
    String first = name();
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
    Block block = new Block();
    statements(block);
    scopes.close();
    expectMatch(Token.END, Token.FOR, line);
    return block;
  }

  private void declareState(int count) {
    for (int i = 0; i < count; i++) {
      scopes.declare(new Local(STATE, 0));
    }
  }

  private Statement numericFor(String variable, Label end, int line) {
    lexer.next();
    Expression first = expression();
    expect(',');
    Expression last = expression();
    Expression step = accept(',') ? expression() : null;
    Local v = new Local(variable, 0);
    declareState(3);
    int doLine = lexer.line;
    Block block = forBlock(List.of(v), line);
    return new NumericFor(v, first, last, step, block, end, line, doLine);
  }

  private Statement genericFor(String first, Label end, int line) {
    List<Local> variables = new ArrayList<>();
    variables.add(new Local(first, 0));
    while (accept(',')) {
      variables.add(new Local(name(), 0));
    }
    expect(Token.IN);
    int valuesLine = lexer.line;
    List<Expression> values = expressions();
    declareState(4);
    Block block = forBlock(variables, line);
    return new GenericFor(variables, values, block, end, valuesLine);
  }

  private Statement labelStatement(String name, int line) {
    expect(Token.DOUBLE_COLON);
    scopes.checkNewLabel(name);
    while (lexer.kind == ';' || lexer.kind == Token.DOUBLE_COLON) {
      if (lexer.kind == Token.DOUBLE_COLON) {
        return labelBefore(name, line);
      }
      lexer.next();
    }
    return new LabelStatement(scopes.addLabel(name, line, blockEnds(false)), line);
  }

  /** A label before another one: whether it is the last statement is known after that. */
  private Statement labelBefore(String name, int line) {
    enterLevel();
    lexer.next();
    int nextLine = lexer.line;
    String next = name();
    if (next.equals(name)) {
      throw lexer.semanticError("label '" + name + "' already defined on line " + line);
    }
    Statement following = labelStatement(next, nextLine);
    levels--;
    Block both = new Block();
    both.statements.add(new LabelStatement(scopes.addLabel(name, line, blockEnds(false)), line));
    both.statements.add(following);
    return new Syntax.Scope(both, line);
  }

  private Statement functionStatement(int line) {
    lexer.next();
    String first = name();
    StringBuilder whole = new StringBuilder(first);
    Expression target = variable(first, line);
    boolean method = false;
    while (lexer.kind == '.' || lexer.kind == ':') {
      method = lexer.kind == ':';
      lexer.next();
      String field = name();
      whole.append(method ? ':' : '.').append(field);
      target = new Index(target, new StringConstant(field), line);
      if (method) {
        break;
      }
    }
    FunctionExpression f = function(method, line);
    f.function().name = whole.toString();
    checkAssignable(target);
    return new Assignment(List.of(target), List.of(f), line);
  }

  private Statement localFunction(int line) {
    Local local = new Local(name(), 0);
    scopes.declare(local);
    FunctionExpression f = function(false, lexer.line);
    f.function().name = local.name;
    return new LocalFunction(local, f, line);
  }

  private Statement localStatement(int line) {
    List<Local> locals = new ArrayList<>();
    boolean closes = false;
    do {
      String name = name();
      int attribute = attribute();
      if (attribute == Local.CLOSE) {
        if (closes) {
          throw lexer.semanticError("multiple to-be-closed variables in local list");
        }
        closes = true;
      }
      locals.add(new Local(name, attribute));
      scopes.checkLocals(locals.size());
    } while (accept(','));
    List<Expression> values = accept('=') ? expressions() : List.of();
    for (Local local : locals) {
      scopes.declare(local);
    }
    Local last = locals.getLast();
    if (last.attribute == Local.CONST
        && locals.size() == values.size()
        && Constants.isConstant(values.getLast())) {
      last.constant = values.getLast();
      return new Declaration(locals, values.subList(0, locals.size() - 1), line);
    }
    return new Declaration(locals, values, line);
  }

  private int attribute() {
    if (!accept('<')) {
      return 0;
    }
    String name = name();
    expect('>');
    return switch (name) {
      case "const" -> Local.CONST;
      case "close" -> Local.CLOSE;
      default -> throw lexer.semanticError("unknown attribute '" + name + "'");
    };
  }

  private Statement returnStatement() {
    int line = lexer.line;
    lexer.next();
    List<Expression> values = blockEnds(true) || lexer.kind == ';' ? List.of() : expressions();
    accept(';');
    return new Return(values, line);
  }

  private Statement expressionStatement(int line) {
    String name = lexer.kind == Token.NAME ? lexer.text : "";
    Expression e = suffixed();
    if (lexer.kind == '=' || lexer.kind == ',') {
      List<Expression> targets = new ArrayList<>();
      targets.add(target(e, name));
      while (accept(',')) {
        String next = lexer.kind == Token.NAME ? lexer.text : "";
        targets.add(target(suffixed(), next));
        if (targets.size() + levels > MOST_LEVELS) {
          throw new SyntaxException("C stack overflow");
        }
      }
      check('=');
      lexer.next();
      List<Expression> values = expressions();
      targets.forEach(this::checkAssignable);
      return new Assignment(targets, values, lexer.lastLine);
    }
    if (e instanceof Call || e instanceof MethodCall) {
      return new CallStatement(e, line);
    }
    throw lexer.error("syntax error");
  }

  private Expression target(Expression e, String name) {
    if (e instanceof Index || e instanceof LocalExpression || e instanceof UpvalueExpression) {
      return e;
    }
    if (Constants.isConstant(e) && !name.isEmpty()) {
      throw lexer.semanticError("attempt to assign to const variable '" + name + "'");
    }
    throw lexer.error("syntax error");
  }

  private void checkAssignable(Expression target) {
    Local local =
        switch (target) {
          case LocalExpression l -> l.local();
          case UpvalueExpression u -> u.origin();
          default -> null;
        };
    if (local != null) {
      if (local.attribute != 0) {
        throw lexer.semanticError("attempt to assign to const variable '" + local.name + "'");
      }
      local.assigned = true;
    }
  }

  // ---- expressions ----

  private List<Expression> expressions() {
    List<Expression> list = new ArrayList<>();
    do {
      list.add(expression());
    } while (accept(','));
    return list;
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
      left = Constants.fold(op, left, right, op.isComparison() ? lexer.lastLine : line);
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
      return Constants.fold(operator, subexpression(Operator.UNARY), line);
    }
    return simple();
  }

  private Expression simple() {
    Expression e;
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
        e = new Varargs(lexer.line);
      }
      case '{' -> {
        return table();
      }
      case Token.FUNCTION -> {
        int line = lexer.line;
        lexer.next();
        return function(false, line);
      }
      default -> {
        return suffixed();
      }
    }
    lexer.next();
    return e;
  }

  @SuppressWarnings("RefactorSwitch") // its cases do several things
  private Expression primary() {
    switch (lexer.kind) {
      case Token.NAME -> {
        int line = lexer.line;
        return variable(name(), line);
      }
      case '(' -> {
        int line = lexer.line;
        lexer.next();
        Expression e = expression();
        expectMatch(')', '(', line);
        return Constants.isConstant(e) ? e : new Parentheses(e);
      }
      default -> throw lexer.error("unexpected symbol");
    }
  }

  private Expression variable(String name, int line) {
    Expression e = scopes.find(name);
    if (e != null) {
      return e;
    }
    Expression environment = scopes.find("_ENV");
    if (environment == null) {
      throw new IllegalStateException("no _ENV");
    }
    return new Index(environment, new StringConstant(name), line);
  }

  private Expression suffixed() {
    int start = lexer.line;
    Expression e = primary();
    while (true) {
      switch (lexer.kind) {
        case '.' -> {
          lexer.next();
          int line = lexer.line;
          e = new Index(e, new StringConstant(name()), line);
        }
        case '[' -> {
          lexer.next();
          Expression key = expression();
          int line = lexer.line;
          expect(']');
          e = new Index(e, key, line);
        }
        case ':' -> {
          lexer.next();
          int nameLine = lexer.line;
          String method = name();
          e = new MethodCall(e, method, nameLine, arguments(), start);
        }
        case '(', '{', Token.STRING -> {
          e = new Call(e, arguments(), start);
        }
        default -> {
          return e;
        }
      }
    }
  }

  @SuppressWarnings("RefactorSwitch") // its cases do several things
  private List<Expression> arguments() {
    switch (lexer.kind) {
      case '(' -> {
        int line = lexer.line;
        lexer.next();
        if (accept(')')) {
          return List.of();
        }
        List<Expression> list = expressions();
        expectMatch(')', '(', line);
        return list;
      }
      case '{' -> {
        return List.of(table());
      }
      case Token.STRING -> {
        Expression e = new StringConstant(lexer.text);
        lexer.next();
        return List.of(e);
      }
      default -> throw lexer.error("function arguments expected");
    }
  }

  private Expression table() {
    int line = lexer.line;
    List<@Nullable Expression> keys = new ArrayList<>();
    List<Expression> values = new ArrayList<>();
    List<Integer> lines = new ArrayList<>();
    expect('{');
    while (lexer.kind != '}') {
      if (lexer.kind == Token.NAME && lexer.lookAhead() == '=') {
        keys.add(new StringConstant(name()));
        expect('=');
      } else if (accept('[')) {
        keys.add(expression());
        expect(']');
        expect('=');
      } else {
        keys.add(null);
      }
      values.add(expression());
      lines.add(lexer.lastLine);
      if (!accept(',') && !accept(';')) {
        break;
      }
    }
    expectMatch('}', '{', line);
    return new Table(keys, values, lines, line);
  }

  private FunctionExpression function(boolean method, int line) {
    Function f = new Function(scopes.function, line);
    Scopes outer = scopes;
    scopes = new Scopes(outer, f, lexer);
    if (method) {
      f.locals.add(new Local("self", 0));
    }
    expect('(');
    if (lexer.kind != ')') {
      do {
        if (lexer.kind == Token.NAME) {
          f.locals.add(new Local(name(), 0));
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
    return new FunctionExpression(f, lexer.lastLine);
  }
}
