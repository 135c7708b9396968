package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.it.ForkedJvm.Result;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/debugging.md prints what the page says. */
class DebuggingPageTest {
  private static final Pattern PRINTED = Pattern.compile("(?s)the program prints\n\n```\n(.*?)```");
  private static final Path PAGES =
      Path.of(System.getProperty("basedir", System.getProperty("user.dir"))).resolve("../docs");

  @TempDir private Path folder;

  @Test
  void theProgramPrintsWhatThePageSays() throws Exception {
    String page = Files.readString(PAGES.resolve("debugging.md"));
    List<String> programs = PagePrograms.of(page);
    assertThat(programs).hasSize(1);
    String main = PagePrograms.compile(folder, programs.getFirst());
    String classPath = folder + File.pathSeparator + System.getProperty("java.class.path");
    List<String> options =
        List.of(ForkedJvm.NATIVE_ACCESS, "-Dgleaner.collector=refcount", "-Dgleaner.log=gc");
    Result result = ForkedJvm.run(options, classPath, main);
    assertThat(result.exit()).isZero();
    String printed = PRINTED.matcher(page).results().findFirst().orElseThrow().group(1);
    assertThat(result.out())
        .map(DebuggingPageTest::plain)
        .isEqualTo(printed.lines().map(DebuggingPageTest::plain).toList());
    assertThat(result.err().toString())
        .containsPattern("\\[gc] app \\(refcount\\) GC\\(0\\) full, explicit: ")
        .contains("WARNING: heap app: 2 elements of 48 bytes have leaked");
  }

  /** Hashes of strings have a seed of the heap's. */
  private static String plain(String line) {
    return line.replaceAll("entry \\d+ of the string table", "entry N of the string table")
        .replaceAll("Thread\\[#\\d+", "Thread[#N");
  }

  /** A row a term, in the order of the alphabet, each of one to three sentences. */
  @Test
  void theGlossaryIsInOrder() throws Exception {
    List<String[]> rows =
        Files.readAllLines(PAGES.resolve("glossary.md")).stream()
            .filter(l -> l.startsWith("| "))
            .skip(1)
            .map(l -> l.split("\\s*\\|\\s*"))
            .toList();
    assertThat(rows).hasSizeGreaterThan(70);
    assertThat(rows.stream().map(r -> r[1]).toList()).isSorted().doesNotHaveDuplicates();
    assertThat(rows)
        .allSatisfy(r -> assertThat(r[2]).matches("[A-Z`0-9].*\\.").hasSizeLessThan(220));
  }
}
