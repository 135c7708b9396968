package dev.gleaner.it.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The kit finds every planted bug, by the rule that {@code docs/internal/planted-bugs.md} names.
 * Where that rule finds nothing, all rules are run, and the message names the one to write.
 */
class PlantedBugsTest {
  private static final Path LIST = Path.of("..", "docs", "internal", "planted-bugs.md");

  /** A guard against bugs that loop without end, which are to be others then. */
  private static final Duration PATIENCE = Duration.ofMinutes(20);

  @TempDir static Path folder;

  private static Path plugin;
  private static Program program;
  private static Anchors anchors;

  @BeforeAll
  static void readClasses() throws IOException {
    plugin = BuggyClasses.thirdParty("generational", folder);
    program = Plant.program(plugin);
    anchors = Anchors.of(program);
  }

  private static Map<String, List<String>> rows() throws IOException {
    Map<String, List<String>> rows = new HashMap<>();
    for (String line : Files.readAllLines(LIST)) {
      List<String> cells = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
      if (cells.size() == 7 && cells.get(2).startsWith("`")) {
        rows.put(cells.get(2).replace("`", ""), cells);
      }
    }
    return rows;
  }

  private static String row(PlantedBug bug, String rule) {
    return String.format(
        "| %s | `%s` | %s | %s | `%s` |",
        bug.area(), bug.name(), bug.collector(), bug.text(), rule);
  }

  @TestFactory
  @Tag("exhaustive")
  Stream<DynamicTest> isFound() throws IOException {
    Pattern names = Pattern.compile(System.getProperty("gleaner.test.bugs", ".*"));
    Map<String, List<String>> rows = rows();
    return PlantedBugs.all().stream()
        .filter(b -> names.matcher(b.name()).matches())
        .map(b -> {
          List<String> row = rows.get(b.name());
          String rule = row == null ? "" : row.get(5).replace("`", "");
          return DynamicTest.dynamicTest(
              b.name(), () -> assertTimeoutPreemptively(PATIENCE, () -> find(b, rule)));
        });
  }

  private static void find(PlantedBug bug, String rule)
      throws IOException, ReflectiveOperationException {
    try (BuggyClasses classes = BuggyClasses.of(bug, anchors, program, plugin)) {
      String failure = rule.isEmpty() ? "" : classes.run(bug.collector(), rule);
      if (failure.isEmpty()) {
        failure = classes.run(bug.collector(), "");
        String row = row(bug, failure.lines().findFirst().orElse(""));
        fail(failure.isEmpty() ? "no rule finds " + bug : "not in " + LIST + ": " + row);
      }
    }
  }

  /** Each bug's place is there, and the change fits; so this is no matter of the kit. */
  @Test
  void everyPlaceIsThere() {
    for (PlantedBug bug : PlantedBugs.all()) {
      Anchors.Target target = anchors.locate(bug.edit().place());
      assertThat(bug.edit().apply(target, program))
          .as(bug.name())
          .isNotEqualTo(program.bytes(target.className()));
    }
  }

  @Test
  void theListIsComplete() throws IOException {
    List<String> rows =
        rows().values().stream().map(r -> String.join(" | ", r.subList(1, 5))).toList();
    assertThat(rows)
        .containsExactlyInAnyOrderElementsOf(
            PlantedBugs.all().stream()
                .map(b -> row(b, "").replaceAll("^\\| | \\| ``.*", ""))
                .toList());
  }

  @Test
  void everyMethodHasASketch() {
    assertThat(PlantedBugs.all().stream().map(b -> b.edit().place()))
        .as("run Plant --record")
        .allMatch(anchors::knows);
  }
}
