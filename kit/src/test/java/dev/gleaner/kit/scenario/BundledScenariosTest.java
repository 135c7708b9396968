package dev.gleaner.kit.scenario;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The kit's own scenarios: that none is forgotten. Collectors run them in the integration tests.
 */
class BundledScenariosTest {
  private static final Path FOLDER =
      Path.of("src/main/resources/dev/gleaner/kit/scenarios").toAbsolutePath();
  private static final Path COVERAGE = Path.of("../docs/internal/coverage.md").toAbsolutePath();
  private static final Pattern TITLE = Pattern.compile("# ([DPFLI]\\d+(?:, [DPFLI]\\d+)*): \\S.*");

  /** The rows of the checklist that no scenario can show, and why. */
  private static final Map<String, String> UNSEEN =
      Map.ofEntries(
          entry("D11", "the language reads no characters, and the cache changes no result"),
          entry("D27", "borrowed references are the collector's; programs name slots"),
          entry("D29", "a setting of one collector, whose own tests have the scenario"),
          entry("D33", "built-ins are made through the Java API, before the program starts"),
          entry("F11", "2^63 frames take longer than any test"));

  static List<String> index() throws IOException {
    return Files.readAllLines(FOLDER.resolve("index.txt"));
  }

  @Test
  void theIndexListsAllFiles() throws IOException {
    try (Stream<Path> files = Files.walk(FOLDER)) {
      List<String> names =
          files
              .filter(Files::isRegularFile)
              .map(f -> FOLDER.relativize(f).toString().replace('\\', '/'))
              .filter(name -> !name.equals("index.txt"))
              .sorted()
              .toList();
      assertThat(index())
          .isEqualTo(names)
          .allMatch(name -> name.matches("[a-z]+/[a-z0-9-]+\\.heap"));
    }
  }

  @Test
  void eachNamesItsRowsAndEveryRowThatCanBeSeenIsShown() throws IOException {
    Set<String> rows = new TreeSet<>();
    for (String name : index()) {
      Matcher title = TITLE.matcher(Files.readAllLines(FOLDER.resolve(name)).getFirst());
      assertThat(title.matches()).as(name + " begins with '# ROW, ROW: what it shows'").isTrue();
      rows.addAll(List.of(title.group(1).split(", ", -1)));
    }
    assertThat(rows).contains("L1", "I1");
    rows.removeIf(row -> "LI".indexOf(row.charAt(0)) >= 0); // there are more of these than are done
    assertThat(rows).doesNotContainAnyElementsOf(UNSEEN.keySet());
    rows.addAll(UNSEEN.keySet());
    Set<String> all = new HashSet<>(rows("D", 33));
    all.addAll(rows("P", 9));
    all.addAll(rows("F", 11));
    assertThat(rows).isEqualTo(all);
  }

  @Test
  void theCoverageTableNamesThemAll() throws IOException {
    Map<String, Map<String, StringJoiner>> rows = new TreeMap<>();
    for (String name : index()) {
      Matcher title = TITLE.matcher(Files.readAllLines(FOLDER.resolve(name)).getFirst());
      assertThat(title.matches()).as(name).isTrue();
      int slash = name.indexOf('/');
      String folder = "`" + name.substring(0, slash + 1) + "` ";
      for (String row : title.group(1).split(", ", -1)) {
        rows.computeIfAbsent(row, _ -> new TreeMap<>())
            .computeIfAbsent(folder, f -> new StringJoiner(", ", f, ""))
            .add(name.substring(slash + 1).replace(".heap", ""));
      }
    }
    List<String> table = new ArrayList<>();
    rows.forEach((row, folders) ->
        table.add(
            folders.values().stream()
                .map(StringJoiner::toString)
                .collect(joining("; ", "| " + row + " | ", " |"))));
    assertThat(Files.readAllLines(COVERAGE)).containsAll(table);
  }

  private static Set<String> rows(String letter, int last) {
    return IntStream.rangeClosed(1, last).mapToObj(i -> letter + i).collect(toSet());
  }
}
