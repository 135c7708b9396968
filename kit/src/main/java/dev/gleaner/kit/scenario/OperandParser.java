package dev.gleaner.kit.scenario;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads what statements are about: places, values, names, labels, numbers. */
final class OperandParser {
  static final String A_LABEL = "a label: a letter, then letters, digits and underscores";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");
  private static final Pattern LABEL = Pattern.compile("[A-Za-z][A-Za-z0-9_]*");
  private static final Set<String> RESERVED = Set.of("null", "undefined", "true", "false");
  private static final String PLACE =
      "a place: NAME, @NAME, or one of these with .N, [KEY] or .proto";
  private static final String KEY =
      "a key: a text, a number, true, false, or a place that holds the key";
  private static final int DEEPEST_KEY = 20;
  private static final String VALUE =
      "a value: a place, null, true, false, undefined, a number, NaN, a text, or ~NAME";
  private static final BigInteger LARGEST = BigInteger.valueOf(Long.MAX_VALUE);

  /** Beyond all integers of 64 bits: no digits need be read there. */
  private static final double FAR = 0x1p70;

  private static final String NAN = "NaN";

  private final Map<String, Place.Global> globals = new LinkedHashMap<>();
  private final Map<String, Name.Weak> weaks = new LinkedHashMap<>();

  /** The names of the global roots, in the order of their numbers. */
  List<String> globals() {
    return List.copyOf(globals.keySet());
  }

  int weaks() {
    return weaks.size();
  }

  // ---- names ----

  private static boolean isName(Token token) {
    return token.type() == Token.Type.WORD
        && NAME.matcher(token.text()).matches()
        && !RESERVED.contains(token.text());
  }

  static Token name(Line line) {
    if (!isName(line.peek())) {
      throw line.unexpected("a name: a lower-case letter, then letters, digits and underscores");
    }
    return line.take();
  }

  /** A local that the statement assigns. */
  static Place.Local assignedLocal(Line line, Scope scope) {
    return scope.assign(name(line).text());
  }

  /** A local that the statement reads. */
  static Place.Local local(Line line, Scope scope) {
    return scope.read(name(line), line);
  }

  Name.Weak weak(Line line) {
    String name = line.require(Token.Type.WEAK, "a weak reference, ~NAME").text();
    return weaks.computeIfAbsent(name, n -> new Name.Weak(n, weaks.size()));
  }

  private Place.Global global(Token token) {
    return globals.computeIfAbsent(token.text(), n -> new Place.Global(n, globals.size()));
  }

  /** A local, global or weak name. */
  Name anyName(Line line, Scope scope) {
    return switch (line.peek().type()) {
      case WEAK -> weak(line);
      case GLOBAL -> global(line.take());
      default -> {
        if (!isName(line.peek())) {
          throw line.unexpected("NAME, @NAME or ~NAME");
        }
        yield local(line, scope);
      }
    };
  }

  static String label(Line line, String expected) {
    if (line.peek().type() != Token.Type.WORD || !LABEL.matcher(line.peek().text()).matches()) {
      throw line.unexpected(expected);
    }
    return line.take().text();
  }

  static String label(Line line) {
    return label(line, A_LABEL);
  }

  // ---- places and values ----

  /** A place that the statement assigns; a bare name is made by it. */
  Place target(Line line, Scope scope) {
    Token first = line.peek();
    if (isName(first) && !goesOn(line.peekSecond())) {
      return scope.assign(line.take().text());
    }
    return place(line, scope);
  }

  /** A place that the statement reads. */
  Place place(Line line, Scope scope) {
    return counted(part(base(line, scope, PLACE), line, scope, 0), scope);
  }

  private static <V extends Value> V counted(V value, Scope scope) {
    scope.useTemps(value.temps());
    return value;
  }

  private static boolean goesOn(Token token) {
    return token.isSymbol(".") || token.isSymbol("[");
  }

  private Place.Base base(Line line, Scope scope, String expected) {
    Token token = line.peek();
    if (token.type() == Token.Type.GLOBAL) {
      return global(line.take());
    }
    if (!isName(token)) {
      throw line.unexpected(expected);
    }
    return scope.read(line.take(), line);
  }

  /** A base, or a part of it; in a key so many keys deep. */
  private Place part(Place.Base base, Line line, Scope scope, int depth) {
    if (line.acceptSymbol(".")) {
      if (line.acceptWord("proto")) {
        return new Place.Prototype(base);
      }
      return new Place.Slot(base, index(line, "the number of a slot, or proto"));
    }
    if (line.peek().isSymbol("[")) {
      return new Place.Property(base, key(line, scope, depth + 1));
    }
    return base;
  }

  private Value key(Line line, Scope scope, int depth) {
    line.requireSymbol("[");
    if (depth > DEEPEST_KEY) {
      throw line.unexpected("keys at most " + DEEPEST_KEY + " deep");
    }
    Value key = value(line, scope, depth, KEY);
    line.requireSymbol("]");
    return key;
  }

  /** An object and the key of one of its properties. */
  Statement.Delete property(Line line, Scope scope) {
    Place.Base base = base(line, scope, PLACE);
    Place object = part(base, line, scope, 0);
    scope.useTemps(object.temps() + 1);
    if (object instanceof Place.Property property && !line.peek().isSymbol("[")) {
      return new Statement.Delete(base, property.key());
    }
    Value key = key(line, scope, 1);
    scope.useTemps(key.temps());
    return new Statement.Delete(object, key);
  }

  /** Any value. */
  Value value(Line line, Scope scope) {
    return counted(value(line, scope, 0, VALUE), scope);
  }

  private Value value(Line line, Scope scope, int depth, String expected) {
    for (Value.Plain plain : Value.Plain.values()) {
      if (line.acceptWord(plain.toString())) {
        return plain;
      }
    }
    if (line.acceptWord(NAN)) {
      return new Value.Real(Double.NaN);
    }
    return switch (line.peek().type()) {
      case TEXT -> new Value.Text(line.take().text());
      case NUMBER -> number(line, false);
      case WEAK -> weak(line);
      default ->
          line.acceptSymbol("-")
              ? number(line, true)
              : part(base(line, scope, expected), line, scope, depth);
    };
  }

  // ---- numbers and texts ----

  static String text(Line line, String expected) {
    return line.require(Token.Type.TEXT, expected).text();
  }

  /** A text whose bytes are written out where they are no text, as characters of Latin-1. */
  static String bytes(Line line) {
    return Texts.bytes(line.require(Token.Type.TEXT, "a text, in which \\xNN is a byte").read());
  }

  private static Value number(Line line, boolean negative) {
    Token token = line.require(Token.Type.NUMBER, "a number");
    double value = real(token.text());
    if (Double.isInfinite(value)) {
      throw line.unexpected(token, "a number up to " + Double.MAX_VALUE);
    }
    if (!token.text().matches(".*[.eE].*") && value < FAR) {
      BigInteger whole = decimal(token.text()).toBigInteger();
      BigInteger signed = negative ? whole.negate() : whole;
      if (signed.bitLength() < Long.SIZE) {
        return new Value.Int(signed.longValue());
      }
    }
    return new Value.Real(negative ? -value : value);
  }

  private static double real(String text) {
    int unit = unit(text);
    String digits = text.substring(0, text.length() - (unit == 0 ? 0 : 3)).replace("_", "");
    return Double.parseDouble(digits) * (1L << (10 * unit));
  }

  /** 1 for KiB, 2 for MiB, 3 for GiB, 0 for none. */
  private static int unit(String text) {
    return text.endsWith("iB") ? "KMG".indexOf(text.charAt(text.length() - 3)) + 1 : 0;
  }

  private static BigDecimal decimal(String text) {
    int unit = unit(text);
    String digits = text.substring(0, text.length() - (unit == 0 ? 0 : 3)).replace("_", "");
    return new BigDecimal(digits).multiply(BigDecimal.valueOf(1L << (10 * unit)));
  }

  /** A whole number from 0 on. */
  static long number(Line line, String expected) {
    return whole(line, expected, LARGEST);
  }

  /** A whole number with a sign. */
  static long signed(Line line, String expected) {
    boolean negative = line.acceptSymbol("-");
    long n = number(line, expected);
    return negative ? -n : n;
  }

  /** A whole number that counts things. */
  static int index(Line line, String expected) {
    return (int) whole(line, expected, BigInteger.valueOf(Integer.MAX_VALUE));
  }

  private static long whole(Line line, String expected, BigInteger largest) {
    Token token = line.require(Token.Type.NUMBER, expected);
    if (token.text().matches(".*[.eE].*")) {
      throw line.unexpected(token, expected + ", which is a whole number");
    }
    if (real(token.text()) < FAR) {
      BigInteger number = decimal(token.text()).toBigInteger();
      if (number.compareTo(largest) <= 0) {
        return number.longValue();
      }
    }
    throw line.unexpected(token, expected + ", at most " + largest);
  }

  /** One value after the other, to the end of the line. */
  List<Value> values(Line line, Scope scope) {
    List<Value> values = new ArrayList<>();
    do {
      values.add(value(line, scope));
    } while (!line.atEnd());
    return values;
  }
}
