package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Scripts pass shellcheck, pages have no misspelt word, and the pages for users stay short.
 *
 * <p>The tools are packages of Debian, which {@code .ci/run} installs; where one is missing, its
 * test is skipped and says so.
 */
class LintTest {
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", System.getProperty("user.dir")))
          .resolve("..")
          .toAbsolutePath()
          .normalize();
  private static final List<String> SCRIPTS = List.of("gleaner", ".ci/run", ".mvn/format");

  /** Our own words, one a line. */
  private static final Path WORDS = ROOT.resolve(".ci/words");

  private static final Pattern NO_PROSE =
      Pattern.compile("(?s)```.*?```|`[^`]*`|\\]\\([^)]*\\)|<[^>]*>|https?:\\S+|\\b\\w*\\d\\w*\\b");

  /**
   * What a reader can be asked to read. Code does not count, nor do pages for those who build
   * Gleaner, and the index of decisions.
   */
  private static final int MOST_WORDS = 22_400;

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init") // JUnit sets the folder
  LintTest() {}

  private static void assumeInstalled(String tool) {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin", tool)), tool + " is not installed; .ci/run does it");
  }

  private String output(String... command) throws Exception {
    Path out = folder.resolve("out");
    Process process =
        new ProcessBuilder(command)
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    int _ = process.waitFor();
    return Files.readString(out);
  }

  @Test
  void scriptsPassShellcheck() throws Exception {
    assumeInstalled("shellcheck");
    List<String> command = new ArrayList<>(List.of("shellcheck", "--color=never"));
    command.addAll(SCRIPTS);
    assertThat(output(command.toArray(String[]::new))).isEmpty();
    Path wrong = Files.writeString(folder.resolve("wrong"), "#!/bin/sh\nrm $1\n");
    assertThat(output("shellcheck", "--color=never", wrong.toString())).contains("SC2086");
  }

  private static List<Path> pages(String... folders) throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String name : folders) {
      try (Stream<Path> files = Files.list(ROOT.resolve(name).normalize())) {
        files.filter(f -> f.toString().endsWith(".md")).sorted().forEach(pages::add);
      }
    }
    return pages;
  }

  private String misspelt(String prose) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("prose"),
            NO_PROSE.matcher(prose).replaceAll(" "),
            StandardCharsets.UTF_8);
    return output(
        "hunspell", "-i", "UTF-8", "-d", "en_US", "-p", WORDS.toString(), "-l", file.toString());
  }

  @Test
  void pagesHaveNoMisspeltWord() throws Exception {
    assumeInstalled("hunspell");
    assumeTrue(
        Files.exists(Path.of("/usr/share/hunspell/en_US.dic")), "hunspell-en-us is not installed");
    Map<Path, String> texts = new LinkedHashMap<>();
    for (Path page : pages(".", "docs", "docs/decisions", "docs/internal")) {
      String text = Files.readString(page);
      if (page.startsWith(ROOT.resolve("docs/internal"))) {
        text = text.replaceAll("(?m)^\\|.*", ""); // tables of codes and names
      }
      texts.put(page, NO_PROSE.matcher(text).replaceAll(" "));
    }
    List<String> wrong = new ArrayList<>();
    // hunspell takes longer to start than to read a page: the pages are read one by one only to
    // name the wrong one.
    if (!misspelt(String.join("\n\n", texts.values())).isEmpty()) {
      for (Map.Entry<Path, String> page : texts.entrySet()) {
        for (String word : new TreeSet<>(misspelt(page.getValue()).lines().toList())) {
          wrong.add(ROOT.relativize(page.getKey()) + ": " + word);
        }
      }
    }
    assertThat(wrong).as("misspelt, or missing in .ci/words").isEmpty();
    assertThat(misspelt("a colector that `moovs`")).isEqualTo("colector\n");
  }

  @Test
  void ownWordsAreSortedAndNeeded() throws IOException {
    List<String> words = Files.readAllLines(WORDS);
    assertThat(words).isSorted().doesNotHaveDuplicates();
    StringBuilder all = new StringBuilder();
    for (Path page : pages(".", "docs", "docs/decisions", "docs/internal")) {
      all.append(Files.readString(page));
    }
    assertThat(words).allMatch(word -> all.indexOf(word) >= 0, "is in some page");
  }

  @Test
  void pagesForUsersStayShort() throws IOException {
    int words = 0;
    for (Path page : pages("docs")) {
      words += page.endsWith("docs/decisions.md") ? 0 : words(page);
    }
    assertThat(words + words(ROOT.resolve("README.md"))).isLessThan(MOST_WORDS);
  }

  private static int words(Path page) throws IOException {
    return Files.readString(page).replaceAll("(?s)```.*?```", "").strip().split("\\s+").length;
  }
}
