package dev.gleaner.lua.compiler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The syntax tree of a function, whose names are resolved already. */
final class Syntax {
  private Syntax() {}

  /** A local variable. */
  static final class Local {
    static final int CONST = 1;
    static final int CLOSE = 2;

    final Name binding;
    final String name;
    final int attribute;
    boolean captured;
    boolean assigned;

    /** What it stands for, if it has no place of its own. */
    @Nullable Expression constant;

    /** Where it lives while its scope is compiled. */
    int register;

    /** The scopes that it is in, while it is in scope, and its number among all of these. */
    @Nullable Scopes scopes;

    int number;

    /** Another one of the same name, which is not seen while this one is in scope. */
    @Nullable Local shadowed;

    Local(Name name, int attribute) {
      this.binding = name;
      this.name = name.text;
      this.attribute = attribute;
    }

    /** Whether closures and its function share a record that holds the value. */
    boolean isBoxed() {
      return captured && assigned;
    }
  }

  /**
   * A variable of an enclosing function.
   *
   * @param origin the variable
   * @param local whether it is one of the function just outside; else an upvalue of that
   * @param index of that upvalue
   */
  record Upvalue(Local origin, boolean local, int index) {}

  /** A function. */
  static final class Function {
    final int line;
    int lastLine;

    /** As its statement has it, "a.b:c"; empty for an expression. */
    String name = "";

    int parameters;
    boolean varargs;
    final List<Local> locals = new ArrayList<>(); // the parameters
    final List<Upvalue> upvalues = new ArrayList<>();
    Block body = new Block();

    /** The upvalue that stands for a variable of an enclosing function. */
    final Map<Local, UpvalueExpression> upvalue = new HashMap<>();

    Function(int line) {
      this.line = line;
    }
  }

  /** Statements with a scope of their own. */
  static final class Block {
    final List<Statement> statements = new ArrayList<>(1);
    int lastLine;

    /** Labels behind the last statement. */
    List<Label> ends = List.of();
  }

  /** Where gotos lead. */
  static final class Label {
    final String name;
    final int line;
    int locals;

    /** Of the compiled code; -1 until it is known. */
    int pc = -1;

    Label(String name, int line, int locals) {
      this.name = name;
      this.line = line;
      this.locals = locals;
    }
  }

  // ---- statements ----

  sealed interface Statement {
    int line();
  }

  record Declaration(List<Local> locals, List<Expression> values, int line) implements Statement {}

  record Assignment(List<Expression> targets, List<Expression> values, int line)
      implements Statement {}

  record CallStatement(Expression call, int line) implements Statement {}

  record Scope(Block block, int line) implements Statement {}

  record While(Expression condition, Block block, Label end, int line) implements Statement {}

  record Repeat(Block block, Expression condition, Label end, int line) implements Statement {}

  record If(
      List<Expression> conditions,
      List<Block> blocks,
      @Nullable Block otherwise,
      List<Integer> lines,
      int line)
      implements Statement {}

  record NumericFor(
      Local variable,
      Expression first,
      Expression last,
      @Nullable Expression step,
      Block block,
      Label end,
      int line,
      int doLine)
      implements Statement {}

  record GenericFor(
      List<Local> variables, List<Expression> values, Block block, Label end, int line)
      implements Statement {}

  record LocalFunction(Local local, FunctionExpression function, int line) implements Statement {}

  record Return(List<Expression> values, int line) implements Statement {}

  /** Also a break. */
  static final class Goto implements Statement {
    final String name;
    final int line;

    /** Of all gotos of its function. */
    final int number;

    /** How many locals its function has declared before. */
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

  /** Labels at one place; the last ones of a block are not in the scope of its variables. */
  record LabelStatement(List<Label> labels, boolean last, int line) implements Statement {}

  // ---- expressions ----

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

  record Index(Expression object, Expression key, int line) implements Expression {}

  record Call(Expression function, List<Expression> arguments, int line) implements Expression {}

  record MethodCall(
      Expression object, String name, int nameLine, List<Expression> arguments, int line)
      implements Expression {}

  record FunctionExpression(Draft draft, int line) implements Expression {}

  record Binary(Operator operator, Expression left, Expression right, int line)
      implements Expression {}

  record Unary(int operator, Expression operand, int line) implements Expression {}

  record Parentheses(Expression inner) implements Expression {}

  /**
   * A table constructor.
   *
   * @param values those with a key are entries
   * @param positions how many have none
   */
  record Table(List<Expression> values, int positions, int line) implements Expression {}

  /** A value with a key, in a table constructor. */
  record Entry(Expression key, Expression value, int line) implements Expression {}

  /** Binary operators, with their precedence on the left and on the right. */
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
