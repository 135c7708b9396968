package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.LuaError;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.Registration;
import dev.gleaner.lua.number.Numbers;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The metamethods of strings that are operands of arithmetic (§ 3.4.3). */
final class StringArithmetic {
  /** The operations, by the names of their events. */
  private enum Operation {
    ADD,
    SUB,
    MUL,
    MOD,
    POW,
    DIV,
    IDIV,
    UNM
  }

  private final Machine machine;
  private final Mutator t;

  private StringArithmetic(Machine machine) {
    this.machine = machine;
    this.t = machine.mutator();
  }

  /** Adds them to the metatable of strings, after {@code forStrings} has made that. */
  static void open(Machine machine, Registration strings) {
    StringArithmetic l = new StringArithmetic(machine);
    Map<Operation, Integer> numbers = new EnumMap<>(Operation.class);
    for (Operation o : Operation.values()) {
      numbers.put(o, machine.declareForStrings(event(o), a -> l.operate(a, o)));
    }
    Registration _ = strings.with(_ -> set(machine, numbers));
  }

  private static String event(Operation o) {
    return "__" + o.name().toLowerCase(Locale.ROOT);
  }

  private static void set(Machine machine, Map<Operation, Integer> numbers) {
    int s = machine.mutator().frameSize();
    machine.resizeFrame(s + 3);
    machine.setString(s, "");
    if (!machine.metatable(s, s)) {
      throw new IllegalStateException("strings have no metatable");
    }
    numbers.forEach((o, number) -> {
      machine.setString(s + 1, event(o));
      machine.newBuiltin(s + 2, number, s, 0);
      machine.rawSet(s, s + 1, s + 2);
    });
    machine.resizeFrame(s);
  }

  private int operate(Arguments a, Operation o) {
    int x = a.scratch(3);
    int y = x + 1;
    if (a.count() >= 1) {
      t.copy(x, 1);
      t.copy(y, a.count() >= 2 ? 2 : 1);
    }
    if (!machine.toNumber(x) || !machine.toNumber(y)) {
      return otherwise(a, o, x);
    }
    boolean integers = machine.isInteger(x) && machine.isInteger(y);
    if (integers && o != Operation.DIV && o != Operation.POW) {
      machine.setInteger(x, integers(o, machine.integer(x), machine.integer(y)));
    } else {
      t.setDouble(x, floats(o, machine.number(x), machine.number(y)));
    }
    return a.one(x);
  }

  /** What the second operand says, where it is no string and says something. */
  private int otherwise(Arguments a, Operation o, int x) {
    String name = o.name().toLowerCase(Locale.ROOT);
    int first = a.count() >= 1 ? 1 : x + 2;
    int second = a.count() >= 2 ? 2 : first;
    if (machine.isString(second) || !machine.metamethod(x, second, "__" + name)) {
      String types = machine.typeName(first) + "' with a '" + machine.typeName(second);
      throw a.error("attempt to " + name + " a '" + types + "'");
    }
    t.copy(x + 1, first);
    t.copy(x + 2, second);
    machine.call(x, 2, 1);
    return a.one(x);
  }

  private static long integers(Operation o, long x, long y) {
    if (y == 0 && o == Operation.MOD) {
      throw new LuaError("attempt to perform 'n%0'");
    }
    if (y == 0 && o == Operation.IDIV) {
      throw new LuaError("attempt to divide by zero");
    }
    return switch (o) {
      case ADD -> x + y;
      case SUB -> x - y;
      case MUL -> x * y;
      case MOD -> Math.floorMod(x, y);
      case IDIV -> Math.floorDiv(x, y);
      default -> -x;
    };
  }

  private static double floats(Operation o, double x, double y) {
    return switch (o) {
      case ADD -> x + y;
      case SUB -> x - y;
      case MUL -> x * y;
      case MOD -> Numbers.modulo(x, y);
      case POW -> Numbers.power(x, y);
      case DIV -> x / y;
      case IDIV -> Math.floor(x / y);
      default -> -x;
    };
  }
}
