package dev.gleaner.kit.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one line into tokens.
 *
 * <p>Only strings and parameters can be wrong here. A character that starts nothing becomes a token
 * of its own, so that the parser can say what could stand in its place.
 */
final class Lexer {
  private static final Pattern BLANK = Pattern.compile("[ \t\r\f]+");
  private static final Pattern WORD =
      Pattern.compile("[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z][A-Za-z0-9_]*)*");
  private static final Pattern NUMBER =
      Pattern.compile("[0-9][0-9_]*(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+|[KMG]iB)?\\b");
  private static final Pattern SIGNED = Pattern.compile("[@~]([a-z][a-z0-9_]*)\\b");
  private static final Pattern PARAMETER = Pattern.compile("\\$([a-z][a-z0-9_]*)\\b");
  private static final Pattern OTHER = Pattern.compile("[@~$]?[A-Za-z0-9_]+|.", Pattern.DOTALL);
  private static final Pattern SYMBOL = Pattern.compile("==|!=|<=|>=|[{}\\[\\].*!+-]");

  private final String file;
  private final int number;
  private final String line;
  private final Map<String, Long> parameters;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  /** Where columns were counted last, and which one it was. */
  private int counted;

  private int column = 1;

  private Lexer(String file, int number, String line, Map<String, Long> parameters) {
    this.file = file;
    this.number = number;
    this.line = line;
    this.parameters = parameters;
  }

  /**
   * Returns the tokens of a line; the last one is its end.
   *
   * @param parameters the numbers that {@code $NAME} stands for
   * @throws ScenarioSyntaxException if a string is not well formed, or a parameter is unknown
   */
  static List<Token> tokens(String file, int number, String line, Map<String, Long> parameters) {
    Lexer lexer = new Lexer(file, number, line, parameters);
    lexer.run();
    return lexer.tokens;
  }

  private void run() {
    while (at < line.length() && line.charAt(at) != '#') {
      if (matches(BLANK) == null) {
        token();
      }
    }
    add(Token.Type.END, "", "the end of the line", line.length());
  }

  private void token() {
    int start = at;
    Matcher m;
    if ((m = matches(WORD)) != null) {
      add(Token.Type.WORD, m.group(), quote(m.group()), start);
    } else if ((m = matches(NUMBER)) != null) {
      add(Token.Type.NUMBER, m.group(), quote(m.group()), start);
    } else if ((m = matches(SIGNED)) != null) {
      Token.Type type = line.charAt(start) == '@' ? Token.Type.GLOBAL : Token.Type.WEAK;
      add(type, m.group(1), quote(m.group()), start);
    } else if ((m = matches(PARAMETER)) != null) {
      Long value = parameters.get(m.group(1));
      if (value == null) {
        String there = "a line 'parameter " + m.group(1) + " N' before the first statement";
        throw wrong(start, quote(m.group()), there);
      }
      add(Token.Type.NUMBER, value.toString(), quote(m.group()), start);
    } else if ((m = matches(SYMBOL)) != null) {
      add(Token.Type.SYMBOL, m.group(), quote(m.group()), start);
    } else if (line.charAt(at) == '"') {
      text();
    } else if ((m = matches(OTHER)) != null) {
      add(Token.Type.UNKNOWN, m.group(), quote(m.group()), start);
    }
  }

  private @Nullable Matcher matches(Pattern pattern) {
    Matcher matcher = pattern.matcher(line).region(at, line.length());
    if (!matcher.lookingAt()) {
      return null;
    }
    at = matcher.end();
    return matcher;
  }

  private void text() {
    int start = at++;
    StringBuilder value = new StringBuilder();
    while (true) {
      if (at >= line.length()) {
        throw wrong(at, "the end of the line", "'\"', the end of the text");
      }
      char c = line.charAt(at++);
      if (c == '"') {
        add(Token.Type.TEXT, value.toString(), line.substring(start, at), start);
        return;
      }
      value.append(c == '\\' ? escaped() : c);
    }
  }

  /** Whether it is the statement in whose texts a byte can stand for itself. */
  private boolean isBytes() {
    return !tokens.isEmpty() && tokens.getFirst().isWord("bytes");
  }

  private char escaped() {
    int start = at - 1;
    char c = at < line.length() ? line.charAt(at++) : 0;
    switch (c) {
      case '"', '\\' -> {
        return c;
      }
      case 'n' -> {
        return '\n';
      }
      case 'u' -> {
        if (at + 4 <= line.length()) {
          String hex = line.substring(at, at + 4);
          if (hex.matches("[0-9A-Fa-f]{4}")) {
            at += 4;
            return (char) Integer.parseInt(hex, 16);
          }
        }
      }
      case 'x' -> {
        if (isBytes() && at + 2 <= line.length()) {
          String hex = line.substring(at, at + 2);
          if (hex.matches("[0-9A-Fa-f]{2}")) {
            at += 2;
            return (char) Integer.parseInt(hex, 16);
          }
        }
      }
      default -> {}
    }
    int length = c == 'u' ? 6 : c == 'x' && isBytes() ? 4 : 2;
    String read = line.substring(start, Math.min(line.length(), start + length));
    String others = isBytes() ? "\\n, \\xNN or \\uXXXX" : "\\n or \\uXXXX";
    throw wrong(start, quote(read), "\\\", \\\\, " + others);
  }

  private static String quote(String read) {
    return "'" + read + "'";
  }

  private void add(Token.Type type, String text, String read, int start) {
    tokens.add(new Token(type, text, read, column(start)));
  }

  private ScenarioSyntaxException wrong(int start, String read, String expected) {
    return new ScenarioSyntaxException(file, number, column(start), read, expected);
  }

  private int column(int offset) {
    column += line.codePointCount(counted, offset);
    counted = offset;
    return column;
  }
}
