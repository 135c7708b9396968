package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pages: their links lead somewhere, and they can be read in a terminal. */
class DocsTest {
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\n]*`");
  private static final Pattern BLOCKS = Pattern.compile("\\n\\s*\\n|\\n(?=\\s*([-*]|\\d+\\.) )");

  /** A class, perhaps with a member, in backticks. */
  private static final Pattern NAME =
      Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:[.#](\\w+))?(?:\\([^`]*\\))?`");

  private static final int LONGEST_LINE = 100;
  private static final int LONGEST_PARAGRAPH = 600;
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", System.getProperty("user.dir")))
          .resolve("..")
          .toAbsolutePath()
          .normalize();

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String folder : List.of(".", "docs", "docs/decisions", "docs/internal")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder).normalize())) {
        files.filter(f -> f.toString().endsWith(".md")).sorted().forEach(pages::add);
      }
    }
    return pages;
  }

  private static List<String> links(Path page) throws IOException {
    String text = CODE.matcher(Files.readString(page)).replaceAll("");
    return LINK.matcher(text).results().map(r -> r.group(1)).toList();
  }

  /** The anchors of a page, as forges make them from headings. */
  private static List<String> anchors(Path page) throws IOException {
    return Files.readAllLines(page).stream()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("#+ *", "").toLowerCase(Locale.ROOT))
        .map(title -> title.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .toList();
  }

  @Test
  void linksLeadToFilesAndHeadings() throws IOException {
    List<String> broken = new ArrayList<>();
    int looked = 0;
    for (Path page : pages()) {
      for (String link : links(page)) {
        if (link.matches("[a-z]+:.*")) {
          continue;
        }
        looked++;
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(target) || (parts.length == 2 && !anchors(target).contains(parts[1]))) {
          broken.add(ROOT.relativize(page) + ": " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(looked).isGreaterThan(100);
  }

  /** Classes, and methods or fields of them, that the checklist's coverage names. */
  @Test
  @Tag("C1")
  void allThatCoverageNamesExists() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file :
          files
              .filter(f -> f.toString().endsWith(".java") && f.toString().contains("src"))
              .toList()) {
        String name = file.getFileName().toString().replace(".java", "");
        sources.merge(name, Files.readString(file), String::concat);
      }
    }
    List<String> missing = new ArrayList<>();
    int looked = 0;
    for (MatchResult name :
        NAME.matcher(Files.readString(ROOT.resolve("docs/internal/coverage.md")))
            .results()
            .toList()) {
      looked++;
      String source = sources.get(name.group(1));
      String member = name.group(2);
      boolean there =
          source != null
              && (member == null || Pattern.compile("\\b" + member + "\\b").matcher(source).find());
      if (!there) {
        missing.add(name.group());
      }
    }
    assertThat(missing).isEmpty();
    assertThat(looked).isGreaterThan(400);
  }

  /** The third line of a record: the day of the choice, and what became of the choice. */
  @Test
  void everyDecisionHasADateAndAState() throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve("docs/decisions"))) {
      assertThat(files)
          .allSatisfy(file -> {
            String line = Files.readAllLines(file).get(2);
            assertThat(line)
                .matches("\\*\\d{4}-\\d\\d-\\d\\d, (in force|replaced by \\[.*\\))\\.\\*");
          });
    }
  }

  @Test
  void everyDecisionIsInTheIndex() throws IOException {
    List<String> links = links(ROOT.resolve("docs/decisions.md"));
    try (Stream<Path> files = Files.list(ROOT.resolve("docs/decisions"))) {
      assertThat(files.map(f -> "decisions/" + f.getFileName()))
          .containsExactlyInAnyOrderElementsOf(links);
    }
  }

  /** Tables and pictures may be wider; so may a link that cannot be broken. */
  @Test
  void noLineIsTooWide() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Path page : pages()) {
      for (String line : Files.readAllLines(page)) {
        boolean canBeBroken = line.strip().indexOf(' ', 2) > 0;
        if (line.length() > LONGEST_LINE && canBeBroken && !line.matches("(\\||!\\[).*")) {
          wrong.add(ROOT.relativize(page) + ": " + line);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Tables may have longer ones; an item of a list is a paragraph. */
  @Test
  void noParagraphIsTooLong() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Path page : pages()) {
      String text = Files.readString(page).replaceAll("(?s)```.*?```", "");
      for (String block : BLOCKS.split(text, -1)) {
        String paragraph = block.strip().replaceAll("\\s+", " ");
        if (paragraph.length() > LONGEST_PARAGRAPH && !paragraph.startsWith("|")) {
          wrong.add(ROOT.relativize(page) + ": " + block.strip().lines().findFirst().orElse(""));
        }
      }
    }
    assertThat(wrong).isEmpty();
  }
}
