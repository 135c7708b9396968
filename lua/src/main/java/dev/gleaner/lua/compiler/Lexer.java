package dev.gleaner.lua.compiler;

import dev.gleaner.lua.number.NumberReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Cuts a chunk into tokens, one ahead of the one that is looked at. Its strings are bytes, in ISO
 * 8859-1. It holds no more than the longest token besides the chunk.
 */
final class Lexer {
  private static final int END = -1;

  private final byte[] source;
  private final String chunk;
  private final NumberReader numbers = new NumberReader();
  private int at;
  private int current;

  /** Of the token that is looked at. */
  int kind;

  int line = 1;

  /** The line of the token before. */
  int lastLine = 1;

  String text = "";
  long integer;
  double real;

  private int aheadKind = END;
  private String aheadText = "";
  private long aheadInteger;
  private double aheadReal;

  private byte[] buffer = new byte[64];
  private int length;

  Lexer(byte[] source, String chunk) {
    this.source = source;
    this.chunk = chunk;
    read();
  }

  // ---- characters ----

  private void read() {
    current = at < source.length ? source[at++] & 0xFF : END;
  }

  private void save(int c) {
    if (length == buffer.length) {
      buffer = Arrays.copyOf(buffer, length * 2);
    }
    buffer[length++] = (byte) c;
  }

  private void saveAndRead() {
    save(current);
    read();
  }

  private String saved() {
    return bytes(0, length);
  }

  private String bytes(int from, int to) {
    return new String(buffer, from, to - from, StandardCharsets.ISO_8859_1);
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
      near = " near '" + saved() + "'";
    } else if (token != 0) {
      near = " near " + Token.describe(token);
    }
    return new SyntaxException(chunk + ":" + line + ": " + message + near);
  }

  /** An error at the token that is looked at. */
  SyntaxException error(String message) {
    return error(message, kind);
  }

  /** An error that names no token. */
  SyntaxException semanticError(String message) {
    return error(message, 0);
  }

  // ---- tokens ----

  void next() {
    lastLine = line;
    if (aheadKind != END) {
      kind = aheadKind;
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
    String keptText = text;
    long keptInteger = integer;
    double keptReal = real;
    aheadKind = scan();
    aheadText = text;
    aheadInteger = integer;
    aheadReal = real;
    kind = keptKind;
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
    text = saved();
    return Token.RESERVED.getOrDefault(text, Token.NAME);
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
      saveAndRead(); // an error, and seen in its message
    }
    if (!numbers.read(buffer, 0, length)) {
      throw error("malformed number", Token.FLOAT);
    }
    if (numbers.isInteger()) {
      integer = numbers.toLong();
      return Token.INTEGER;
    }
    real = numbers.toDouble();
    return Token.FLOAT;
  }

  /** The level of a long bracket, plus 2; 1 for a single bracket, 0 for none. */
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
                "unfinished long "
                    + (isString ? "string" : "comment")
                    + " (starting at line "
                    + firstLine
                    + ")",
                Token.EOF);
        case ']' -> {
          if (bracket() == level) {
            saveAndRead();
            if (isString) {
              text = bytes(level, length - level);
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
    text = bytes(1, length - 1);
  }

  private void escape() {
    int start = length;
    saveAndRead(); // kept for messages
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
        return; // the string has no end
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
        saveAndRead(); // so that the message shows it
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
