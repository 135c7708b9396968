package dev.gleaner.lua.compiler;

import dev.gleaner.lua.memory.Account;
import dev.gleaner.lua.number.NumberReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Cuts a chunk into tokens, with one token of look-ahead. Strings are bytes, in ISO 8859-1. Besides
 * the chunk, the lexer keeps each name once, and the longest token.
 */
final class Lexer {
  private static final int END = -1;

  /** The bytes between two charges of work, and the bytes per step. */
  private static final int PIECE = 4096;

  private static final int BYTES_PER_STEP = 4;

  /** The bytes that are searched for a word in the time of a step. */
  private static final int SCANNED_PER_STEP = 64;

  /** The length of a name for which memory must have room before the look-up. */
  private static final int LONG = 1024;

  /**
   * Whether the source names functions of the debug library that show which variables closures
   * share. All captured variables have boxes then.
   */
  final boolean reflects;

  private final byte[] source;
  private final String chunk;
  private final Meter meter;
  private final Map<String, Name> names = new HashMap<>();
  private final NumberReader numbers = new NumberReader();
  private int at;
  private int stop;
  private int current;

  /** The kind of the current token. */
  int kind;

  int line = 1;

  /** The line of the token before. */
  int lastLine = 1;

  /** The current name or reserved word. */
  Name name = new Name("", Token.NAME);

  /** The current string, in ISO 8859-1. */
  String text = "";

  long integer;
  double real;

  private int aheadKind = END;
  private Name aheadName = name;
  private String aheadText = "";
  private long aheadInteger;
  private double aheadReal;

  private byte[] buffer = new byte[64];
  private int length;

  Lexer(byte[] source, String chunk, Meter meter) {
    this.source = source;
    this.chunk = chunk;
    this.meter = meter;
    this.reflects = mentionsSharing();
    read();
  }

  private boolean mentionsSharing() {
    for (int i = 0; i < source.length; i++) {
      if ((source[i] == 'u' && isAt(i, "upvalue")) || (source[i] == 's' && isAt(i, "setlocal"))) {
        return true;
      }
      if (i % PIECE == PIECE - 1) {
        meter.work(PIECE / SCANNED_PER_STEP);
      }
    }
    return false;
  }

  private boolean isAt(int at, String word) {
    if (source.length - at < word.length()) {
      return false;
    }
    for (int n = 1; n < word.length(); n++) {
      if (source[at + n] != word.charAt(n)) {
        return false;
      }
    }
    return true;
  }

  // ---- characters ----

  private void read() {
    current = at < stop ? source[at++] & 0xFF : further();
  }

  /** Charges work for the next piece of the source. Returns the first byte of the piece. */
  private int further() {
    int piece = Math.min(PIECE, source.length - stop);
    if (piece == 0) {
      return END;
    }
    meter.work((piece + BYTES_PER_STEP - 1) / BYTES_PER_STEP);
    stop += piece;
    return source[at++] & 0xFF;
  }

  private void save(int c) {
    if (length == buffer.length) {
      meter.charge(2L * length);
      buffer = Arrays.copyOf(buffer, length * 2);
      meter.refund(length);
    }
    buffer[length++] = (byte) c;
  }

  private void saveAndRead() {
    save(current);
    read();
  }

  /** {@return the only object of a name in this chunk} */
  Name intern(String name) {
    Name known = names.get(name);
    if (known == null) {
      meter.charge(Account.ENTRY + 2 * Account.OBJECT + Account.text(0) + name.length());
      known = new Name(name, Token.RESERVED.getOrDefault(name, Token.NAME));
      names.put(name, known);
    }
    return known;
  }

  private String bytes(int from, int to) {
    return new String(buffer, from, to - from, StandardCharsets.ISO_8859_1);
  }

  private String literal(int from, int to) {
    meter.node(Account.text(0) + to - from);
    return bytes(from, to);
  }

  private boolean isNewline() {
    return current == '\n' || current == '\r';
  }

  private void newline() {
    int first = current;
    read();
    if (isNewline() && current != first) {
      read();
    }
    line++;
  }

  // ---- errors ----

  SyntaxException error(String message, int token) {
    String near = "";
    if (token == Token.NAME
        || token == Token.STRING
        || token == Token.INTEGER
        || token == Token.FLOAT) {
      meter.charge(4L * length); // the message, with intermediate texts
      int end = 0;
      while (end < length && buffer[end] != 0) { // lua5.4 shows the token up to a zero byte
        end++;
      }
      near = " near '" + bytes(0, end) + "'";
    } else if (token != 0) {
      near = " near " + Token.describe(token);
    }
    return new SyntaxException(chunk + ":" + line + ": " + message + near);
  }

  /** Returns an error at the current token. */
  SyntaxException error(String message) {
    return error(message, kind);
  }

  /** Returns an error without a token. */
  SyntaxException semanticError(String message) {
    return error(message, 0);
  }

  // ---- tokens ----

  void next() {
    lastLine = line;
    if (aheadKind != END) {
      kind = aheadKind;
      name = aheadName;
      text = aheadText;
      integer = aheadInteger;
      real = aheadReal;
      aheadKind = END;
    } else {
      kind = scan();
    }
  }

  int lookAhead() {
    int keptKind = kind;
    Name keptName = name;
    String keptText = text;
    long keptInteger = integer;
    double keptReal = real;
    aheadKind = scan();
    aheadName = name;
    aheadText = text;
    aheadInteger = integer;
    aheadReal = real;
    kind = keptKind;
    name = keptName;
    text = keptText;
    integer = keptInteger;
    real = keptReal;
    return aheadKind;
  }

  private int scan() {
    length = 0;
    while (true) {
      switch (current) {
        case '\n', '\r' -> newline();
        case ' ', '\f', '\t', 0x0B -> read();
        case '-' -> {
          read();
          if (current != '-') {
            return '-';
          }
          read();
          comment();
        }
        case '[' -> {
          int level = bracket();
          if (level >= 2) {
            longString(level, true);
            return Token.STRING;
          }
          if (level == 0) {
            throw error("invalid long string delimiter", Token.STRING);
          }
          return '[';
        }
        case '=' -> {
          return follows('=', Token.EQ);
        }
        case '<' -> {
          read();
          if (current == '=') {
            read();
            return Token.LE;
          }
          if (current == '<') {
            read();
            return Token.SHL;
          }
          return '<';
        }
        case '>' -> {
          read();
          if (current == '=') {
            read();
            return Token.GE;
          }
          if (current == '>') {
            read();
            return Token.SHR;
          }
          return '>';
        }
        case '/' -> {
          return follows('/', Token.IDIV);
        }
        case '~' -> {
          return follows('=', Token.NE);
        }
        case ':' -> {
          return follows(':', Token.DOUBLE_COLON);
        }
        case '"', '\'' -> {
          string(current);
          return Token.STRING;
        }
        case '.' -> {
          saveAndRead();
          if (current == '.') {
            read();
            if (current == '.') {
              read();
              return Token.DOTS;
            }
            return Token.CONCAT;
          }
          return isDigit(current) ? number() : '.';
        }
        case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> {
          return number();
        }
        case END -> {
          return Token.EOF;
        }
        default -> {
          if (isLetter(current)) {
            return name();
          }
          int c = current;
          read();
          return c;
        }
      }
    }
  }

  private int follows(int second, int both) {
    int first = current;
    read();
    if (current == second) {
      read();
      return both;
    }
    return first;
  }

  private int name() {
    do {
      saveAndRead();
    } while (isLetter(current) || isDigit(current));
    if (length > LONG) {
      meter.charge(Account.text(length));
    }
    name = intern(bytes(0, length));
    if (length > LONG) {
      meter.refund(Account.text(length));
    }
    return name.kind;
  }

  private int number() {
    int first = length == 0 ? current : '.';
    if (length == 0) {
      saveAndRead();
    }
    boolean hexadecimal = first == '0' && (current == 'x' || current == 'X');
    if (hexadecimal) {
      saveAndRead();
    }
    while (true) {
      int c = current | 0x20;
      if (current != END && c == (hexadecimal ? 'p' : 'e')) {
        saveAndRead();
        if (current == '+' || current == '-') {
          saveAndRead();
        }
      } else if (isHexadecimal(current) || current == '.') {
        saveAndRead();
      } else {
        break;
      }
    }
    if (isLetter(current)) {
      saveAndRead(); // an error: the message shows this letter
    }
    if (!isNumber()) {
      throw error("malformed number", Token.FLOAT);
    }
    if (numbers.isInteger()) {
      integer = numbers.toLong();
      return Token.INTEGER;
    }
    real = numbers.toDouble();
    return Token.FLOAT;
  }

  /** Reads the token as a number, in pieces. Each piece is charged again. */
  private boolean isNumber() {
    numbers.begin();
    for (int from = 0; from < length; from += PIECE) {
      int piece = Math.min(PIECE, length - from);
      meter.work(length <= PIECE ? 0 : piece / BYTES_PER_STEP);
      if (!numbers.feed(buffer, from, piece)) {
        return false;
      }
    }
    return numbers.end();
  }

  /** Returns the level of a long bracket plus 2; 1 for a single bracket, 0 for no bracket. */
  private int bracket() {
    int first = current;
    int level = 0;
    saveAndRead();
    while (current == '=') {
      saveAndRead();
      level++;
    }
    return current == first ? level + 2 : level == 0 ? 1 : 0;
  }

  private void comment() {
    if (current == '[') {
      int level = bracket();
      length = 0;
      if (level >= 2) {
        longString(level, false);
        length = 0;
        return;
      }
    }
    while (!isNewline() && current != END) {
      read();
    }
  }

  private void longString(int level, boolean isString) {
    int firstLine = line;
    saveAndRead();
    if (isNewline()) {
      newline();
    }
    while (true) {
      switch (current) {
        case END ->
            throw error(
                "unfinished long %s (starting at line %s)"
                    .formatted(isString ? "string" : "comment", firstLine),
                Token.EOF);
        case ']' -> {
          if (bracket() == level) {
            saveAndRead();
            if (isString) {
              text = literal(level, length - level);
            }
            return;
          }
        }
        case '\n', '\r' -> {
          save('\n');
          newline();
          if (!isString) {
            length = 0;
          }
        }
        default -> {
          if (isString) {
            saveAndRead();
          } else {
            read();
          }
        }
      }
    }
  }

  private void string(int quote) {
    saveAndRead();
    while (current != quote) {
      switch (current) {
        case END -> throw error("unfinished string", Token.EOF);
        case '\n', '\r' -> throw error("unfinished string", Token.STRING);
        case '\\' -> escape();
        default -> saveAndRead();
      }
    }
    saveAndRead();
    text = literal(1, length - 1);
  }

  private void escape() {
    int start = length;
    saveAndRead(); // for messages
    int c;
    switch (current) {
      case 'a' -> c = 7;
      case 'b' -> c = '\b';
      case 'f' -> c = '\f';
      case 'n' -> c = '\n';
      case 'r' -> c = '\r';
      case 't' -> c = '\t';
      case 'v' -> c = 11;
      case 'x' -> {
        saveAndRead();
        c = hexadecimalDigit() << 4;
        saveAndRead();
        c |= hexadecimalDigit();
      }
      case 'u' -> {
        codePoint(start);
        return;
      }
      case '\n', '\r' -> {
        newline();
        length = start;
        save('\n');
        return;
      }
      case '\\', '"', '\'' -> c = current;
      case END -> {
        return; // the caller reports a string without an end
      }
      case 'z' -> {
        length = start;
        read();
        while (current == ' ' || (current >= '\t' && current <= '\r')) {
          if (isNewline()) {
            newline();
          } else {
            read();
          }
        }
        return;
      }
      default -> {
        check(isDigit(current), "invalid escape sequence");
        decimal(start);
        return;
      }
    }
    read();
    length = start;
    save(c);
  }

  private void decimal(int start) {
    int value = 0;
    for (int i = 0; i < 3 && isDigit(current); i++) {
      value = value * 10 + current - '0';
      saveAndRead();
    }
    check(value <= 255, "decimal escape too large");
    length = start;
    save(value);
  }

  private void codePoint(int start) {
    saveAndRead();
    check(current == '{', "missing '{'");
    saveAndRead();
    long value = hexadecimalDigit();
    saveAndRead();
    while (isHexadecimal(current)) {
      check(value <= 0x7FFFFFFFL >> 4, "UTF-8 value too large");
      value = value << 4 | Character.digit(current, 16);
      saveAndRead();
    }
    check(current == '}', "missing '}'");
    read();
    length = start;
    encode(value);
  }

  private void encode(long value) {
    if (value < 0x80) {
      save((int) value);
      return;
    }
    int more = 1;
    while (value >>> (6 + 5 * more) != 0) {
      more++;
    }
    save((int) ((0xFF << (7 - more) & 0xFF) | (value >>> (6 * more))));
    for (int i = more - 1; i >= 0; i--) {
      save((int) (0x80 | (value >>> (6 * i) & 0x3F)));
    }
  }

  private int hexadecimalDigit() {
    check(isHexadecimal(current), "hexadecimal digit expected");
    return Character.digit(current, 16);
  }

  private void check(boolean condition, String message) {
    if (!condition) {
      if (current != END) {
        saveAndRead(); // for the message
      }
      throw error(message, Token.STRING);
    }
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isHexadecimal(int c) {
    return isDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
  }

  private static boolean isLetter(int c) {
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
  }
}
