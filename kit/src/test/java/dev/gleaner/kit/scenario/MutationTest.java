package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever stands in a file: it is read and run, or refused with its place. */
class MutationTest {
  private static final long SEED = Long.getLong("gleaner.seed", 42);
  private static final int MUTANTS = 100_000;

  private static final int SHUFFLED = Tier.number(300, 1_500);

  private static final ScenarioRunner SMALL =
      new ScenarioRunner(
          ConfigFactory.parseString(
              "gleaner { collector = marksweep, memory.max = 256KiB, verify = after-collection }"),
          List.of());

  private static final List<String> PIECES =
      List.of(
          "{",
          "}",
          "[",
          "]",
          ".",
          "!",
          "*",
          "-",
          "+",
          "==",
          "<=",
          "\"",
          "\\",
          "\n",
          " ",
          "#",
          "@",
          "$three",
          "~",
          "a",
          "self",
          "inner",
          "9",
          "_",
          "1e9999999999",
          "KiB",
          "MiB",
          "null",
          "again",
          "return 1\n",
          "deeper\n",
          "config {",
          "requires",
          "expect ",
          "frame {\n",
          "nest 2 a {\n",
          "}\n",
          "\uD83D\uDE00",
          "\uD800",
          "\u0000",
          "\t",
          "\r",
          "${x}",
          "include \"x\"",
          "\"\"\"",
          "9223372036854775808",
          "0.5",
          "//",
          "=",
          ",",
          ":");

  @Test
  @Tag("exhaustive")
  void everyMutantIsReadOrRefused() {
    String original = Scenarios.everything();
    Random random = new Random(SEED);
    int refused = 0;
    for (int i = 0; i < MUTANTS; i++) {
      String mutant = mutant(original, random);
      try {
        Scenario _ = Scenario.parse("m.heap", mutant);
      } catch (ScenarioSyntaxException e) {
        refused++;
        assertThat(e.line()).isBetween(1, (int) mutant.lines().count() + 1);
        assertThat(e.column()).isPositive();
        assertThat(e.getMessage()).startsWith("m.heap:" + e.line() + ":" + e.column() + ": read ");
      } catch (RuntimeException | StackOverflowError e) {
        fail("seed " + SEED + ", mutant " + i + ":\n" + mutant, e);
      }
    }
    assertThat(refused).isBetween(MUTANTS / 2, MUTANTS - 1);
  }

  /**
   * Statements in any order: what goes wrong is the scenario's fault, an error of the heap's, not
   * of the interpreter.
   */
  @Test
  @Tag("seeds")
  void statementsRunInAnyOrder() {
    List<String> statements = topLevelStatements(Scenarios.everything());
    String elements = "parameter three 3\n" + String.join("", statements.subList(0, 9));
    Random random = new Random(SEED);
    for (int i = 0; i < SHUFFLED; i++) {
      StringBuilder text = new StringBuilder(elements);
      for (int n = 5 + random.nextInt(40); n > 0; n--) {
        text.append(statements.get(random.nextInt(statements.size())));
      }
      text.append(assignments(text.toString()));
      text.append("save image\n");
      assertThat(SMALL.run(Scenario.parse("m.heap", text.toString())).message())
          .as("seed " + SEED + ", program " + i + ":\n" + text)
          .doesNotContain("in a frame of", "found java");
    }
  }

  /** A frame that assigns every word, so that each is a name, assigned or not. */
  private static String assignments(String text) {
    String words =
        Pattern.compile("[a-z][a-z0-9_]*")
            .matcher(text)
            .results()
            .map(MatchResult::group)
            .filter(word -> !List.of("null", "undefined", "true", "false").contains(word))
            .distinct()
            .map(word -> "  set " + word + " 1\n")
            .collect(Collectors.joining());
    return "frame {\n" + words + "}\n";
  }

  private static List<String> topLevelStatements(String text) {
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    String body = text.substring(text.indexOf("record a"));
    for (String line : body.lines().toList()) {
      statement.append(line).append('\n');
      if (!line.startsWith(" ") && !line.endsWith("{")) {
        statements.add(statement.toString());
        statement.setLength(0);
      }
    }
    return statements;
  }

  /** A few lines of the original, so that not every mutant fails at its head, changed somewhere. */
  private static String mutant(String original, Random random) {
    List<String> lines = original.lines().toList();
    int from = random.nextInt(lines.size());
    int to = Math.min(lines.size(), from + 1 + random.nextInt(15));
    StringBuilder text =
        new StringBuilder(String.join("\n", lines.subList(random.nextInt(16) == 0 ? 0 : from, to)));
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      int at = random.nextInt(text.length() + 1);
      int end = Math.min(text.length(), at + random.nextInt(4));
      String piece = PIECES.get(random.nextInt(PIECES.size()));
      switch (random.nextInt(4)) {
        case 0 -> text.insert(at, piece);
        case 1 -> text.replace(at, end, piece);
        case 2 -> text.delete(at, end);
        default -> text.insert(at, text.substring(at, end));
      }
    }
    return text.toString();
  }
}
