package dev.gleaner.it.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The kit finds every planted bug, by the rule that {@code docs/internal/planted-bugs.md} names.
 * Without a rule there, all are run, and the message names the one to write.
 */
class PlantedBugsTest {
  private static final Path LIST = Path.of("..", "docs", "internal", "planted-bugs.md");

  @TempDir Path folder;

  private static List<PlantedBug> bugs() {
    Pattern names = Pattern.compile(System.getProperty("gleaner.test.bugs", ".*"));
    return PlantedBugs.all().stream().filter(b -> names.matcher(b.name()).matches()).toList();
  }

  /** From a bug's name to the rule that catches it, as the list says. */
  private static Map<String, String> caughtBy() throws IOException {
    Map<String, String> rules = new HashMap<>();
    for (String line : Files.readAllLines(LIST)) {
      List<String> cells = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
      if (cells.size() == 6 && cells.get(1).startsWith("`")) {
        rules.put(cells.get(1).replace("`", ""), cells.get(4).replace("`", ""));
      }
    }
    return rules;
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void isFound(PlantedBug bug) throws IOException, ReflectiveOperationException {
    try (BuggyClasses classes = BuggyClasses.of(bug, folder)) {
      String rule = caughtBy().getOrDefault(bug.name(), "");
      String failure = classes.run(bug.collector(), rule);
      assertThat(failure).as("%s: what the kit found (by %s)", bug, rule).isNotEmpty();
      if (rule.isEmpty()) {
        fail(
            "not in %s: | `%s` | %s | %s | `%s` |",
            LIST, bug.name(), bug.collector(), bug.text(), failure);
      }
    }
  }

  @Test
  void theListIsComplete() throws IOException {
    assertThat(caughtBy().keySet())
        .containsExactlyInAnyOrderElementsOf(
            PlantedBugs.all().stream().map(PlantedBug::name).toList());
  }
}
