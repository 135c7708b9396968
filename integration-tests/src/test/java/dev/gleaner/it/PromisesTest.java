package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is promised is still on the pages, and the tests that are named for it exist. */
class PromisesTest {
  private static final Pattern ROW = Pattern.compile("\\| `([^`]+\\.md)` \\| (.+?) \\| `.+");
  private static final Pattern METHOD = Pattern.compile("`(\\w+Test)#(\\w+)`");
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", System.getProperty("user.dir")))
          .resolve("..")
          .toAbsolutePath()
          .normalize();

  private static List<String> lines() throws IOException {
    return Files.readAllLines(ROOT.resolve("docs/internal/promises.md"));
  }

  @Test
  void wordsAreOnThePages() throws IOException {
    List<String> gone = new ArrayList<>();
    int rows = 0;
    for (String line : lines()) {
      var row = ROW.matcher(line);
      if (row.matches()) {
        rows++;
        String page = Files.readString(ROOT.resolve(row.group(1))).replaceAll("\\s+", " ");
        String plain = page.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
        if (!plain.contains(row.group(2))) {
          gone.add(row.group(1) + ": " + row.group(2));
        }
      }
    }
    assertThat(gone).isEmpty();
    assertThat(rows).isGreaterThan(30);
  }

  @Test
  void testsThatAreNamedExist() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path tests : modules.map(m -> m.resolve("src/test/java")).toList()) {
        if (Files.isDirectory(tests)) {
          try (Stream<Path> files = Files.walk(tests)) {
            for (Path f : files.filter(f -> f.toString().endsWith("Test.java")).toList()) {
              String name = f.getFileName().toString().replace(".java", "");
              String _ = sources.merge(name, Files.readString(f), String::concat);
            }
          }
        }
      }
    }
    List<String> missing = new ArrayList<>();
    for (String line : lines()) {
      METHOD
          .matcher(line)
          .results()
          .filter(m -> !sources.getOrDefault(m.group(1), "").contains("void " + m.group(2) + "("))
          .forEach(m -> missing.add(m.group()));
      if (line.startsWith("| ") && !line.contains("| tests |")) {
        assertThat(METHOD.matcher(line).find()).as(line).isTrue();
      }
    }
    assertThat(missing).isEmpty();
  }
}
