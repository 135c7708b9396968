package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/debugging.md print what the page says. */
class DebuggingCommandsTest {
  private static final Pattern BLOCK = Pattern.compile("(?s)```\n(\\$ .*?)```");
  private static final Pattern COMMAND =
      Pattern.compile("(?m)^\\$ \\./gleaner (.*)\n((?:(?!\\$ ).*\n)*)");
  private static final Pattern ARGUMENT = Pattern.compile("'([^']*)'|(\\S+)");
  private static final String MORE = "...\n";

  @TempDir private Path dir;

  @Test
  void theCommandsPrintWhatThePageSays() throws Exception {
    Path module = Path.of(System.getProperty("basedir", System.getProperty("user.dir")));
    String page = Files.readString(module.resolve("../docs/debugging.md"));
    int commands = 0;
    for (MatchResult block : BLOCK.matcher(page).results().toList()) {
      for (MatchResult command : COMMAND.matcher(block.group(1)).results().toList()) {
        String expected = plain(command.group(2));
        String printed = plain(printed(command.group(1)));
        if (expected.endsWith(MORE)) {
          String start = expected.substring(0, expected.length() - MORE.length());
          assertThat(printed).as(command.group(1)).startsWith(start);
        } else {
          assertThat(printed).as(command.group(1)).isEqualTo(expected);
        }
        commands++;
      }
    }
    assertThat(commands).isEqualTo(6);
  }

  /** What a command prints to both outputs, with files in a folder of the test's. */
  private String printed(String command) {
    List<String> arguments = new ArrayList<>();
    for (MatchResult m : ARGUMENT.matcher(command).results().toList()) {
      String word = m.group(1) == null ? m.group(2) : m.group(1);
      arguments.add(word.endsWith(".trace") ? dir.resolve(word).toString() : word);
    }
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    System.setOut(both);
    System.setErr(both);
    Result result;
    try {
      result = Result.of(arguments);
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    return result.out() + result.err() + bytes.toString(StandardCharsets.UTF_8);
  }

  /** Without the folder, the numbers of heaps, and what depends on time and on properties. */
  private String plain(String text) {
    return text.replace(dir + "/", "")
        .replaceAll("heap-\\d+", "heap-N")
        .replaceAll("\\d+\\.\\d{3}(m?s)", "T$1")
        .replaceAll("\\d+K->\\d+K", "U")
        .replaceAll("[\\d,]+ bytes, [\\d.]+ bytes", "N bytes, N bytes"); // of settings, too
  }
}
