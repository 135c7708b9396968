package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.number.NumberReader;
import dev.gleaner.lua.number.NumberWriter;
import dev.gleaner.lua.number.Numbers;
import java.nio.charset.StandardCharsets;

/** Arithmetic, comparison and conversion of numbers and strings, without metamethods. */
final class Operators {
  /** The length in bytes from which a test of strings for equality is charged. */
  private static final int LONG = 64;

  private final State s;
  private final Metatables meta;
  private final Messages messages;
  private final Mutator t;
  private final NumberReader reader = new NumberReader();
  private final NumberWriter writer = new NumberWriter();
  private final byte[] buffer = new byte[256];

  Operators(State state, Metatables meta, Messages messages) {
    this.s = state;
    this.meta = meta;
    this.messages = messages;
    this.t = state.t;
  }

  // ---- arithmetic ----

  /** Computes with two numbers. Returns false, and does nothing, if a value is no number. */
  boolean compute(int op, int d, long x, long y) {
    if (Values.isInt(x) && Values.isInt(y)) {
      return integers(op, d, Values.toInt(x), Values.toInt(y));
    }
    if (Values.isDouble(x) && Values.isDouble(y)) {
      return floats(op, d, Values.toDouble(x), Values.toDouble(y));
    }
    return false;
  }

  private boolean integers(int op, int d, long x, long y) {
    switch (op) {
      case Op.ADD -> s.setInteger(d, x + y);
      case Op.SUB -> s.setInteger(d, x - y);
      case Op.MUL -> s.setInteger(d, x * y);
      case Op.MOD -> {
        if (y == 0) {
          throw messages.error("attempt to perform 'n%0'");
        }
        s.setInteger(d, Math.floorMod(x, y));
      }
      case Op.IDIV -> {
        if (y == 0) {
          throw messages.error("attempt to divide by zero");
        }
        s.setInteger(d, Math.floorDiv(x, y));
      }
      case Op.BAND -> s.setInteger(d, x & y);
      case Op.BOR -> s.setInteger(d, x | y);
      case Op.BXOR -> s.setInteger(d, x ^ y);
      case Op.SHL -> s.setInteger(d, Numbers.shift(x, y));
      case Op.SHR -> s.setInteger(d, y == Long.MIN_VALUE ? 0 : Numbers.shift(x, -y));
      default -> {
        return floats(op, d, (double) x, (double) y);
      }
    }
    return true;
  }

  private boolean floats(int op, int d, double x, double y) {
    if (Words.isBitwise(op)) {
      return false;
    }
    t.set(d, Values.ofDouble(Words.compute(op, x, y)));
    return true;
  }

  /** Computes with numbers and numeric strings. Returns false, and does nothing, for others. */
  boolean coerced(int op, int d, int b, int c) {
    if (Words.isBitwise(op) && !(isNumber(b) && isNumber(c))) {
      return false; // lua5.4 converts strings for arithmetic only
    }
    long v = t.get(b);
    long w = t.get(c);
    if (s.isInteger(b, v) && s.isInteger(c, w)) {
      return integers(op, d, s.integer(b, v), s.integer(c, w));
    }
    if (!(isNumber(b) && isNumber(c)) && callsForStrings(Metatables.event(op))) {
      return false;
    }
    int x = s.scratch(2);
    t.copy(x, b);
    t.copy(x + 1, c);
    boolean done = toNumber(x) && toNumber(x + 1) && mixed(op, d, x);
    t.resizeFrame(x);
    return done;
  }

  /** Returns whether metamethods of strings compute: a script has set them, or a hook sees them. */
  private boolean callsForStrings(int event) {
    return s.hooked || !meta.computesStrings(event);
  }

  private boolean mixed(int op, int d, int x) {
    long v = t.get(x);
    long w = t.get(x + 1);
    if (Words.isBitwise(op)) {
      return toInteger(x) && toInteger(x + 1) && integers(op, d, t.getLong(x), t.getLong(x + 1));
    }
    if (s.isInteger(x, v) && s.isInteger(x + 1, w)) {
      return integers(op, d, s.integer(x, v), s.integer(x + 1, w));
    }
    return floats(op, d, number(x), number(x + 1));
  }

  /** Negates a number or numeric string. Returns false, and does nothing, for other values. */
  boolean unary(int op, int d, int b) {
    if (!isNumber(b) && (op == Op.BNOT || callsForStrings(Metatables.UNM))) {
      return false;
    }
    int x = s.scratch(1);
    t.copy(x, b);
    boolean done = op == Op.NEGATE ? toNumber(x) : isNumber(x) && toInteger(x);
    if (done && op == Op.BNOT) {
      s.setInteger(d, ~t.getLong(x));
    } else if (done && t.isInteger(x)) {
      s.setInteger(d, -t.getLong(x));
    } else if (done) {
      t.set(d, Values.ofDouble(-number(x)));
    }
    t.resizeFrame(x);
    return done;
  }

  // ---- conversion ----

  boolean isNumber(int slot) {
    return Types.isNumber(t, slot);
  }

  boolean isString(int slot) {
    return Types.isString(t, slot);
  }

  double number(int slot) {
    long v = t.get(slot);
    return Values.isDouble(v) ? Values.toDouble(v) : (double) s.integer(slot, v);
  }

  /** Converts a string to a number, in its slot. Returns whether the slot holds a number now. */
  boolean toNumber(int slot) {
    if (isNumber(slot)) {
      return true;
    }
    if (!isString(slot)) {
      return false;
    }
    int length = t.stringBytes(slot);
    reader.begin();
    for (int at = 0; at < length; at += buffer.length) {
      int n = Math.min(buffer.length, length - at);
      s.limits.work(n >>> 4);
      t.readString(slot, at, buffer, 0, n);
      if (!reader.feed(buffer, 0, n)) {
        return false;
      }
    }
    if (!reader.end()) {
      return false;
    }
    if (reader.isInteger()) {
      s.setInteger(slot, reader.toLong());
    } else {
      t.set(slot, Values.ofDouble(reader.toDouble()));
    }
    return true;
  }

  /** Converts an integral float to an integer. Returns whether the slot holds an integer now. */
  boolean toInteger(int slot) {
    long v = t.get(slot);
    if (s.isInteger(slot, v)) {
      return true;
    }
    if (Values.isDouble(v) && Numbers.hasInteger(Values.toDouble(v))) {
      s.setInteger(slot, (long) Values.toDouble(v));
      return true;
    }
    return false;
  }

  /** Converts a number or a string to an integer, in its slot, or leaves the slot. */
  boolean convertToInteger(int slot) {
    if (isNumber(slot)) {
      return toInteger(slot);
    }
    int x = s.scratch(1);
    t.copy(x, slot);
    boolean done = toNumber(x) && toInteger(x);
    if (done) {
      t.copy(slot, x);
    }
    t.resizeFrame(x);
    return done;
  }

  /** Converts a number to a string, in its slot. Returns whether the slot holds a string now. */
  boolean toText(int slot) {
    long v = t.get(slot);
    if (Values.isReference(v) && isString(slot)) {
      return true;
    }
    int end;
    if (s.isInteger(slot, v)) {
      end = NumberWriter.write(s.integer(slot, v), buffer, 0);
    } else if (Values.isDouble(v)) {
      end = writer.write(Values.toDouble(v), buffer, 0);
    } else {
      return false;
    }
    t.newString(slot, buffer, 0, end);
    return true;
  }

  /** Returns a number as Lua writes it. */
  String text(int slot) {
    long v = t.get(slot);
    int end =
        s.isInteger(slot, v)
            ? NumberWriter.write(s.integer(slot, v), buffer, 0)
            : writer.write(number(slot), buffer, 0);
    return new String(buffer, 0, end, StandardCharsets.ISO_8859_1);
  }

  // ---- comparison ----

  /** Returns whether two values are equal, without metamethods. */
  boolean rawEqual(int a, int b) {
    long x = t.get(a);
    long y = t.get(b);
    if (Values.isReference(x) && Values.isReference(y)) {
      return t.same(a, b) || equalStrings(a, b);
    }
    if (Values.isReference(x) || Values.isReference(y)) {
      return isNumber(a) && isNumber(b) && compareNumbers(a, b) == 0;
    }
    return Words.equal(x, y);
  }

  boolean equalStrings(int a, int b) {
    return isString(a) && isString(b) && sameText(a, b);
  }

  /** Returns whether two strings are equal. */
  boolean sameText(int a, int b) {
    int bytes = t.stringBytes(a);
    if (bytes >= LONG && bytes == t.stringBytes(b)) {
      s.limits.work(bytes >>> 4);
    }
    return t.equalStrings(a, b);
  }

  /** Compares two strings. Returns a number below 0, 0, or above 0. */
  int compareStrings(int a, int b) {
    s.limits.work(Math.min(t.stringBytes(a), t.stringBytes(b)) >>> 4);
    return t.compareStrings(a, b);
  }

  /** Compares two numbers. Returns -1, 0 or 1; or 2 if they have no order. */
  int compareNumbers(int a, int b) {
    long x = t.get(a);
    long y = t.get(b);
    boolean floatA = Values.isDouble(x);
    boolean floatB = Values.isDouble(y);
    if (!floatA && !floatB) {
      return Long.compare(s.integer(a, x), s.integer(b, y));
    }
    if (floatA && floatB) {
      return order(Values.toDouble(x), Values.toDouble(y));
    }
    return floatA
        ? -compare(s.integer(b, y), Values.toDouble(x), -2)
        : compare(s.integer(a, x), Values.toDouble(y), 2);
  }

  private static int order(double x, double y) {
    if (Double.isNaN(x) || Double.isNaN(y)) {
      return 2;
    }
    return x < y ? -1 : x > y ? 1 : 0;
  }

  /** Compares exactly: a float may have more range, an integer more digits. */
  private static int compare(long i, double f, int none) {
    if (Double.isNaN(f)) {
      return none;
    }
    if (f >= 0x1p63) {
      return -1;
    }
    if (f < -0x1p63) {
      return 1;
    }
    double floor = Math.floor(f);
    int c = Long.compare(i, (long) floor);
    return c == 0 && floor < f ? -1 : c;
  }

  // ---- numeric for ----

  /** Prepares a loop whose values are not all small integers. Returns whether the loop runs. */
  boolean prepareFor(int a) {
    if (t.isInteger(a) && t.isInteger(a + 2)) {
      long step = t.getLong(a + 2);
      if (step == 0) {
        throw messages.error("'for' step is zero");
      }
      long first = t.getLong(a);
      if (!toNumber(a + 1)) {
        throw messages.forError("limit", a + 1);
      }
      long limit;
      if (t.isInteger(a + 1)) {
        limit = t.getLong(a + 1);
      } else {
        double f = number(a + 1);
        double rounded = step > 0 ? Math.floor(f) : Math.ceil(f);
        if (rounded >= 0x1p63) {
          if (step < 0) {
            return false;
          }
          limit = Long.MAX_VALUE;
        } else if (!(rounded >= -0x1p63)) { // as in lua5.4, NaN counts as the least limit
          if (step > 0) {
            return false;
          }
          limit = Long.MIN_VALUE;
        } else {
          limit = (long) rounded;
        }
      }
      if (step > 0 ? first > limit : first < limit) {
        return false;
      }
      long count =
          step > 0
              ? Long.divideUnsigned(limit - first, step)
              : Long.divideUnsigned(first - limit, -(step + 1) + 1L);
      s.setInteger(a + 1, count);
      t.copy(a + 3, a);
      return true;
    }
    String[] names = {"initial", "limit", "step"};
    for (int i : new int[] {1, 2, 0}) {
      if (!toNumber(a + i)) {
        throw messages.forError(names[i], a + i);
      }
    }
    double step = number(a + 2);
    double limit = number(a + 1);
    double first = number(a);
    if (step == 0) {
      throw messages.error("'for' step is zero");
    }
    t.set(a, Values.ofDouble(first));
    t.set(a + 1, Values.ofDouble(limit));
    t.set(a + 2, Values.ofDouble(step));
    t.copy(a + 3, a);
    return !(step > 0 ? limit < first : first < limit); // with NaN the loop runs once
  }

  /** Continues a loop that is not of small integers. Returns whether there is another turn. */
  boolean forNext(int a) {
    long x = t.get(a);
    if (!Values.isDouble(x)) {
      long left = t.getLong(a + 1);
      if (left == 0) {
        return false;
      }
      s.setInteger(a + 1, left - 1);
      forStep(a);
      return true;
    }
    double step = Values.toDouble(t.get(a + 2));
    double limit = Values.toDouble(t.get(a + 1));
    double next = Values.toDouble(x) + step;
    if (step > 0 ? next <= limit : limit <= next) {
      t.set(a, Values.ofDouble(next));
      t.set(a + 3, Values.ofDouble(next));
      return true;
    }
    return false;
  }

  private void forStep(int a) {
    s.setInteger(a, t.getLong(a) + t.getLong(a + 2));
    t.copy(a + 3, a);
  }
}
