package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.Registration;
import dev.gleaner.lua.number.Numbers;
import java.util.function.DoubleUnaryOperator;

/** The functions of numbers (§ 6.7), with those of Lua 5.3 that lua5.4 keeps. */
final class MathLibrary {
  private static final double LN_2 = Math.log(2);

  private final Machine machine;
  private final Mutator t;
  private final Xoshiro random = new Xoshiro();

  private MathLibrary(Machine machine) {
    this.machine = machine;
    this.t = machine.mutator();
  }

  /** Adds the library to a machine. */
  static void open(Machine machine) {
    MathLibrary l = new MathLibrary(machine);
    l.random.seed(System.nanoTime(), System.identityHashCode(l));
    machine.keep("random", l.random::state, l.random::setState);
    new Registration(machine, "math", 35)
        .add("abs", l::abs)
        .add("acos", a -> l.real(a, Math::acos))
        .add("asin", a -> l.real(a, Math::asin))
        .add("atan", l::atan)
        .add("atan2", l::atan)
        .add("ceil", a -> l.round(a, true))
        .add("cos", a -> l.real(a, Math::cos))
        .add("cosh", a -> l.real(a, Math::cosh))
        .add("deg", a -> l.real(a, x -> x * (180.0 / Math.PI)))
        .add("exp", a -> l.real(a, Math::exp))
        .add("floor", a -> l.round(a, false))
        .add("fmod", l::fmod)
        .add("frexp", l::frexp)
        .add("huge", Double.POSITIVE_INFINITY)
        .add("ldexp", l::ldexp)
        .add("log", l::log)
        .add("log10", a -> l.real(a, Math::log10))
        .add("max", a -> l.extreme(a, true))
        .add("maxinteger", Long.MAX_VALUE)
        .add("min", a -> l.extreme(a, false))
        .add("mininteger", Long.MIN_VALUE)
        .add("modf", l::modf)
        .add("pi", Math.PI)
        .add("pow", l::pow)
        .add("rad", a -> l.real(a, x -> x * (Math.PI / 180.0)))
        .add("random", l::random)
        .add("randomseed", l::randomseed)
        .add("sin", a -> l.real(a, Math::sin))
        .add("sinh", a -> l.real(a, Math::sinh))
        .add("sqrt", a -> l.real(a, Math::sqrt))
        .add("tan", a -> l.real(a, Math::tan))
        .add("tanh", a -> l.real(a, Math::tanh))
        .add("tointeger", l::tointeger)
        .add("type", l::type)
        .add("ult", l::ult);
  }

  private int real(Arguments a, DoubleUnaryOperator f) {
    t.setDouble(1, f.applyAsDouble(a.checkNumber(1)));
    return a.one(1);
  }

  /** Stores a float with the value of an integer as an integer, if it is one of 64 bits. */
  private void setWhole(int d, double v) {
    if (Numbers.hasInteger(v)) {
      machine.setInteger(d, (long) v);
    } else {
      t.setDouble(d, v);
    }
  }

  private boolean isInteger(Arguments a, int i) {
    return i <= a.count() && machine.isInteger(i);
  }

  private int round(Arguments a, boolean up) {
    if (!isInteger(a, 1)) {
      double v = a.checkNumber(1);
      setWhole(1, up ? Math.ceil(v) : Math.floor(v));
    }
    return a.one(1);
  }

  private int abs(Arguments a) {
    if (isInteger(a, 1)) {
      machine.setInteger(1, Math.abs(machine.integer(1)));
    } else {
      t.setDouble(1, Math.abs(a.checkNumber(1)));
    }
    return a.one(1);
  }

  private int fmod(Arguments a) {
    if (isInteger(a, 1) && isInteger(a, 2)) {
      long divisor = machine.integer(2);
      if (divisor == 0) {
        throw a.argumentError(2, "zero");
      }
      machine.setInteger(1, machine.integer(1) % divisor);
    } else {
      double y = a.checkNumber(2); // the first that lua5.4 asks for
      t.setDouble(1, a.checkNumber(1) % y);
    }
    return a.one(1);
  }

  private int modf(Arguments a) {
    int results = a.scratch(2);
    if (isInteger(a, 1)) {
      t.copy(results, 1);
      t.setDouble(results + 1, 0);
    } else {
      double v = a.checkNumber(1);
      double whole = v < 0 ? Math.ceil(v) : Math.floor(v);
      setWhole(results, whole);
      t.setDouble(results + 1, v == whole ? 0 : v - whole);
    }
    return a.results(results, 2);
  }

  private int atan(Arguments a) {
    double y = a.checkNumber(1);
    double x = a.isNoneOrNil(2) ? 1 : a.checkNumber(2);
    t.setDouble(1, Math.atan2(y, x));
    return a.one(1);
  }

  private int pow(Arguments a) {
    double x = a.checkNumber(1);
    t.setDouble(1, Numbers.power(x, a.checkNumber(2)));
    return a.one(1);
  }

  private int log(Arguments a) {
    double x = a.checkNumber(1);
    double result;
    if (a.isNoneOrNil(2)) {
      result = Math.log(x);
    } else {
      double base = a.checkNumber(2);
      if (base == 2) {
        result = log2(x);
      } else if (base == 10) {
        result = Math.log10(x);
      } else {
        result = Math.log(x) / Math.log(base);
      }
    }
    t.setDouble(1, result);
    return a.one(1);
  }

  /** Exact for powers of two. */
  static double log2(double x) {
    if (!(x > 0) || Double.isInfinite(x)) {
      return Math.log(x);
    }
    double scaled = x < Double.MIN_NORMAL ? x * 0x1p54 : x;
    int exponent = Math.getExponent(scaled);
    double mantissa = Math.scalb(scaled, -exponent);
    if (mantissa > Math.sqrt(2)) {
      mantissa /= 2;
      exponent++;
    }
    return Math.log(mantissa) / LN_2 + (x < Double.MIN_NORMAL ? exponent - 54 : exponent);
  }

  private int frexp(Arguments a) {
    double v = a.checkNumber(1);
    int exponent = 0;
    double mantissa = v;
    if (v != 0 && !Double.isNaN(v) && !Double.isInfinite(v)) {
      double scaled = Math.abs(v) < Double.MIN_NORMAL ? v * 0x1p54 : v;
      exponent = Math.getExponent(scaled) + 1;
      mantissa = Math.scalb(scaled, -exponent);
      exponent -= Math.abs(v) < Double.MIN_NORMAL ? 54 : 0;
    }
    int results = a.scratch(2);
    t.setDouble(results, mantissa);
    machine.setInteger(results + 1, exponent);
    return a.results(results, 2);
  }

  private int ldexp(Arguments a) {
    double v = a.checkNumber(1);
    t.setDouble(1, Math.scalb(v, (int) a.checkInteger(2)));
    return a.one(1);
  }

  private int extreme(Arguments a, boolean largest) {
    if (a.isNone(1)) {
      throw a.argumentError(1, "value expected");
    }
    int best = 1;
    for (int i = 2; i <= a.count(); i++) {
      if (largest ? machine.lessThan(best, i) : machine.lessThan(i, best)) {
        best = i;
      }
      a.work(1);
    }
    return a.one(best);
  }

  private int random(Arguments a) {
    long bits = random.next();
    if (a.count() == 0) {
      t.setDouble(1, Xoshiro.real(bits));
      return a.one(1);
    }
    long low = 1;
    long high;
    if (a.count() == 1) {
      high = a.checkInteger(1);
      if (high == 0) {
        machine.setInteger(1, bits);
        return a.one(1);
      }
    } else if (a.count() == 2) {
      low = a.checkInteger(1);
      high = a.checkInteger(2);
    } else {
      throw a.error("wrong number of arguments");
    }
    if (low > high) {
      throw a.argumentError(1, "interval is empty");
    }
    machine.setInteger(1, low + random.upTo(bits, high - low));
    return a.one(1);
  }

  private int randomseed(Arguments a) {
    int results = a.scratch(2);
    long first;
    long second;
    if (a.isNone(1)) {
      first = System.nanoTime();
      second = System.identityHashCode(this);
    } else {
      first = a.checkInteger(1);
      second = a.optInteger(2, 0);
    }
    random.seed(first, second);
    machine.setInteger(results, first);
    machine.setInteger(results + 1, second);
    return a.results(results, 2);
  }

  private int tointeger(Arguments a) {
    a.checkAny(1);
    if (!machine.toInteger(1)) {
      t.setUndefined(1);
    }
    return a.one(1);
  }

  private int type(Arguments a) {
    a.checkAny(1);
    if (!machine.isNumber(1)) {
      t.setUndefined(1);
    } else {
      machine.setString(1, machine.isInteger(1) ? "integer" : "float");
    }
    return a.one(1);
  }

  private int ult(Arguments a) {
    long x = a.checkInteger(1);
    boolean less = Long.compareUnsigned(x, a.checkInteger(2)) < 0;
    t.set(1, less ? Values.TRUE : Values.FALSE);
    return a.one(1);
  }
}
