package dev.gleaner.kit.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a scenario, and where the reader is in them.
 *
 * <p>Only the header's {@code config { … }} goes over several lines; it is HOCON, not ours, and is
 * taken out as text.
 */
final class Source {
  private static final String TRIPLE = "\"\"\"";

  private final String file;
  private final List<String> lines;

  /** The values that were given for parameters. */
  private final Map<String, Long> given;

  private final Map<String, Long> parameters = new LinkedHashMap<>();
  private int next;

  Source(String file, String text, Map<String, Long> given) {
    this.file = file;
    this.lines = text.lines().toList();
    this.given = given;
  }

  String file() {
    return file;
  }

  /** Makes a parameter, unless there is one of that name; returns whether there was none. */
  boolean define(String name, long value) {
    return parameters.putIfAbsent(name, given.getOrDefault(name, value)) == null;
  }

  /**
   * Checks that the header has every parameter that a value was given for.
   *
   * @throws ScenarioSyntaxException if one is missing
   */
  void checkGiven() {
    for (String name : given.keySet()) {
      if (!parameters.containsKey(name)) {
        throw new ScenarioSyntaxException(
            file,
            1,
            1,
            "no parameter '" + name + "'",
            "a line 'parameter " + name + " N' before the first statement");
      }
    }
  }

  /** Returns the next line that says something, or null at the end. */
  @Nullable Line nextLine() {
    while (next < lines.size()) {
      Line line = new Line(file, next + 1, tokens(next + 1, lines.get(next)));
      next++;
      if (!line.atEnd()) {
        return line;
      }
    }
    return null;
  }

  private List<Token> tokens(int number, String line) {
    return Lexer.tokens(file, number, line, parameters);
  }

  /** Returns that the file ends where something is needed. */
  ScenarioSyntaxException unexpectedEnd(String expected) {
    return new ScenarioSyntaxException(file, lines.size() + 1, 1, "the end of the file", expected);
  }

  /**
   * Returns the text between braces, the first of which stands in the line that was read last.
   *
   * <p>It begins with as many line ends as there are lines before, so that what HOCON's parser says
   * of lines is right.
   */
  String braced() {
    int row = next - 1;
    int column = lines.get(row).indexOf('{') + 1;
    StringBuilder text = new StringBuilder("\n".repeat(row));
    int depth = 1;
    for (; row < lines.size(); row++, column = 0) {
      String line = lines.get(row);
      int end = column;
      while (end < line.length()) {
        char c = line.charAt(end);
        if (c == '#' || line.startsWith("//", end)) {
          break;
        }
        if (c == '"') {
          end = afterString(line, end);
          continue;
        }
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (depth == 0) {
          finish(row, end + 1);
          return text.append(line, column, end).toString();
        }
        end++;
      }
      text.append(line, column, end).append('\n');
    }
    throw unexpectedEnd("'}', the end of the configuration");
  }

  private static int afterString(String line, int start) {
    if (line.startsWith(TRIPLE, start)) {
      int end = line.indexOf(TRIPLE, start + 3);
      return end < 0 ? line.length() : end + 3;
    }
    int at = start + 1;
    while (at < line.length() && line.charAt(at) != '"') {
      at += line.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(at + 1, line.length());
  }

  private void finish(int row, int column) {
    String rest = " ".repeat(column) + lines.get(row).substring(column);
    new Line(file, row + 1, tokens(row + 1, rest)).requireEnd();
    next = row + 1;
  }
}
