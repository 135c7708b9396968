package dev.gleaner.lua.compiler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The syntax tree of a function, with resolved names. */
final class Syntax {
  private Syntax() {}

  /** Returns whether the value of an expression is a list of values. */
  static boolean isMultiple(Expression e) {
    return e instanceof Call || e instanceof MethodCall || e instanceof Varargs;
  }

  /** A local variable. */
  static final class Local {
    static final int CONST = 1;
    static final int CLOSE = 2;

    final Name binding;
    final String name;
    final int attribute;
    boolean captured;
    boolean assigned;

    /** The value of a local without a register. */
    @Nullable Expression constant;

    /** The register, during the compilation of the scope. */
    int register;

    /** The scopes of the function, while the local is in scope, and the number among its locals. */
    @Nullable Scopes scopes;

    int number;

    /** The local of the same name that this one hides. */
    @Nullable Local shadowed;

    Local(Name name, int attribute) {
      this.binding = name;
      this.name = name.text;
      this.attribute = attribute;
    }

    /** Returns whether the function and its closures share the value in a box. */
    boolean isBoxed() {
      return captured && assigned;
    }
  }

  /**
   * A variable of an enclosing function.
   *
   * @param origin the variable
   * @param local whether the variable is a local of the next outer function; else an upvalue there
   * @param index the index of that upvalue
   */
  record Upvalue(Local origin, boolean local, int index) {}

  /** A function. */
  static final class Function {
    final int line;
    int lastLine;

    /** The name in the statement, "a.b:c"; empty for an expression. */
    String name = "";

    int parameters;
    boolean varargs;
    final List<Local> locals = new ArrayList<>(); // the parameters
    final List<Upvalue> upvalues = new ArrayList<>();
    Block body = new Block();

    /** The upvalues for variables of enclosing functions. */
    final Map<Local, UpvalueExpression> upvalue = new HashMap<>();

    Function(int line) {
      this.line = line;
    }
  }

  /**
   * A list of expressions. PUC Lua makes the code for the value of an expression when it has read
   * what follows: the list knows the line of each separator, and of the last token.
   */
  static final class ExpressionList {
    static final ExpressionList NONE = new ExpressionList(List.of(), new int[0], 0);

    final List<Expression> list;
    private final int[] lines;

    /** The line for the last value. */
    int end;

    ExpressionList(List<Expression> list, int[] lines, int end) {
      this.list = list;
      this.lines = lines;
      this.end = end;
    }

    int size() {
      return list.size();
    }

    Expression get(int i) {
      return list.get(i);
    }

    int line(int i) {
      return i == list.size() - 1 ? end : lines[i];
    }

    ExpressionList withoutLast() {
      int size = list.size() - 1;
      return new ExpressionList(list.subList(0, size), lines, size == 0 ? end : lines[size - 1]);
    }
  }

  /** Statements in one scope. */
  static final class Block {
    final List<Statement> statements = new ArrayList<>(1);
    int lastLine;

    /** Labels behind the last statement. */
    List<Label> ends = List.of();
  }

  /** A label. */
  static final class Label {
    final String name;
    final int line;
    int locals;

    /** The line of the end of a loop, or that behind a label: there PUC Lua closes variables. */
    int endLine;

    /** Whether a jump leaves locals that closures have. */
    boolean closes;

    /** The position in the code; -1 until known. */
    int pc = -1;

    Label(String name, int line, int locals) {
      this.name = name;
      this.line = line;
      this.locals = locals;
    }
  }

  // ---- statements: the line is that of the last instruction, if not stated otherwise ----

  sealed interface Statement {
    int line();
  }

  record Declaration(List<Local> locals, ExpressionList values, int line) implements Statement {}

  record Assignment(List<Expression> targets, ExpressionList values, int line)
      implements Statement {}

  record CallStatement(Expression call, int line) implements Statement {}

  record Scope(Block block, int line) implements Statement {}

  /** The line is that of the condition's last token. */
  record While(Expression condition, Block block, Label end, int line) implements Statement {}

  /** The line is that of the condition's last token. */
  record Repeat(Block block, Expression condition, Label end, int line) implements Statement {}

  /** The lines are those of each "then". */
  record If(
      List<Expression> conditions,
      List<Block> blocks,
      @Nullable Block otherwise,
      List<Integer> lines,
      int line)
      implements Statement {}

  /** The line is that of "for". The bounds are the first value, the last one, and the step. */
  record NumericFor(
      Local variable, ExpressionList bounds, Block block, Label end, int line, int doLine)
      implements Statement {}

  /** The line is that of the first value. */
  record GenericFor(
      List<Local> variables, ExpressionList values, Block block, Label end, int line, int doLine)
      implements Statement {}

  record LocalFunction(Local local, FunctionExpression function, int line) implements Statement {}

  record Return(ExpressionList values, int line) implements Statement {}

  /** A goto, or a break. */
  static final class Goto implements Statement {
    final String name;
    final int line;

    /** The number among the gotos of the function. */
    final int number;

    /** The number of locals that the function declared before. */
    final int declared;

    @Nullable Label target;

    Goto(String name, int line, int number, int declared) {
      this.name = name;
      this.line = line;
      this.number = number;
      this.declared = declared;
    }

    @Override
    public int line() {
      return line;
    }
  }

  /** Labels at one place. Labels at a block's end are outside of the scope of its variables. */
  record LabelStatement(List<Label> labels, boolean last, int line) implements Statement {}

  // ---- expressions: what holds an expression knows the line of the code for its value ----

  sealed interface Expression {}

  /** Nil, true or false. */
  enum Simple implements Expression {
    NIL,
    TRUE,
    FALSE
  }

  record IntegerConstant(long value) implements Expression {}

  record FloatConstant(double value) implements Expression {}

  record StringConstant(String bytes) implements Expression {}

  record Varargs(int line) implements Expression {}

  record LocalExpression(Local local) implements Expression {}

  record UpvalueExpression(int index, Local origin) implements Expression {}

  /**
   * The lines are those for the object, of the key's last token, and of the bracket behind it. The
   * first is 0 for a global: PUC Lua does not load its environment.
   */
  record Index(Expression object, int objectLine, Expression key, int keyLine, int line)
      implements Expression {}

  record Call(Expression function, int functionLine, ExpressionList arguments, int line)
      implements Expression {}

  record MethodCall(
      Expression object, String name, int nameLine, ExpressionList arguments, int line)
      implements Expression {}

  record FunctionExpression(Draft draft, int line) implements Expression {}

  /** The lines are those of the operator and of the last token. */
  record Binary(Operator operator, Expression left, Expression right, int line, int end)
      implements Expression {}

  /** The lines are those of the operator and of the last token. */
  record Unary(int operator, Expression operand, int line, int end) implements Expression {}

  record Parentheses(Expression inner, int line) implements Expression {}

  /**
   * A table constructor.
   *
   * @param values the values; a value with a key is an Entry
   * @param positions the number of values without a key
   */
  record Table(ExpressionList values, int positions, int line) implements Expression {}

  /**
   * A value with a key, in a table constructor. The lines are those of the key's last token, of the
   * sign behind the key, and of the value's last token.
   */
  record Entry(Expression key, int keyLine, int signLine, Expression value, int line)
      implements Expression {}

  /** Binary operators, with precedence on the left and on the right. */
  enum Operator {
    OR(1, 1),
    AND(2, 2),
    EQ(3, 3),
    NE(3, 3),
    LT(3, 3),
    LE(3, 3),
    GT(3, 3),
    GE(3, 3),
    BOR(4, 4),
    BXOR(5, 5),
    BAND(6, 6),
    SHL(7, 7),
    SHR(7, 7),
    CONCAT(9, 8),
    ADD(10, 10),
    SUB(10, 10),
    MUL(11, 11),
    DIV(11, 11),
    IDIV(11, 11),
    MOD(11, 11),
    POW(14, 13);

    static final int UNARY = 12;

    final int left;
    final int right;

    Operator(int left, int right) {
      this.left = left;
      this.right = right;
    }

    boolean isComparison() {
      return left == EQ.left;
    }

    static @Nullable Operator of(int token) {
      return switch (token) {
        case Token.OR -> OR;
        case Token.AND -> AND;
        case Token.EQ -> EQ;
        case Token.NE -> NE;
        case '<' -> LT;
        case Token.LE -> LE;
        case '>' -> GT;
        case Token.GE -> GE;
        case '|' -> BOR;
        case '~' -> BXOR;
        case '&' -> BAND;
        case Token.SHL -> SHL;
        case Token.SHR -> SHR;
        case Token.CONCAT -> CONCAT;
        case '+' -> ADD;
        case '-' -> SUB;
        case '*' -> MUL;
        case '/' -> DIV;
        case Token.IDIV -> IDIV;
        case '%' -> MOD;
        case '^' -> POW;
        default -> null;
      };
    }
  }
}
