package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.it.ForkedJvm.Result;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What README.md says is so: its program compiles and runs as it stands. */
class ReadmeTest {
  @TempDir private Path folder;

  private static String readme() throws IOException {
    Path module = Path.of(System.getProperty("basedir", System.getProperty("user.dir")));
    return Files.readString(module.resolve("../README.md"));
  }

  /** The twenty lines. */
  static String program() throws IOException {
    List<String> programs = PagePrograms.of(readme());
    assertThat(programs).hasSize(1);
    return programs.getFirst();
  }

  private String compiled(String source) throws IOException {
    return PagePrograms.compile(folder, source);
  }

  private Result run(String main, List<String> flags) throws Exception {
    String classPath = folder + File.pathSeparator + System.getProperty("java.class.path");
    return ForkedJvm.run(flags, classPath, main);
  }

  @Test
  void theTwentyLinesDoWhatTheySay() throws Exception {
    String main = compiled(program());
    for (List<String> flags : List.of(List.<String>of(), List.of(ForkedJvm.NATIVE_ACCESS))) {
      Result result = run(main, flags);
      assertThat(result.err()).isEmpty();
      assertThat(result.exit()).isZero();
      assertThat(result.out()).hasSize(2);
      assertThat(result.out().get(0)).matches("42, \\d+ bytes in use");
      assertThat(result.out().get(1)).isEqualTo("finalized");
    }
  }

  /** With a setting that is wrong, no heap is ever opened. */
  @Test
  void theTwentyLinesCheckTheWholeConfiguration() throws Exception {
    String main = compiled(program());
    Result result = run(main, List.of("-Dgleaner.memory.mx=64MiB"));
    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(String.join("\n", result.err())).contains("1 problem", "gleaner.memory.mx", "max?");
  }

  /** The record is garbage once its frame is left: the finalizer runs before the heap closes. */
  @Test
  void theTwentyLinesFinalizeInTheCollection() throws Exception {
    String source = program();
    String told = source.replace("\"finalized\"", "closing ? \"closed\" : \"collected\"");
    assertThat(told).isNotEqualTo(source);
    String main = compiled(told);
    assertThat(run(main, List.of()).out().get(1)).isEqualTo("collected");
    String left = told.replace("t.leave();", "");
    assertThat(left).isNotEqualTo(told);
    assertThat(run(compiled(left), List.of()).out().get(1)).isEqualTo("closed");
  }

  @Test
  void theSettingsAreSettings() throws IOException {
    List<String> settings =
        Pattern.compile("`(gleaner\\.[a-z.-]+ = [^`]+)`")
            .matcher(readme())
            .results()
            .map(r -> r.group(1))
            .toList();
    assertThat(settings).hasSizeGreaterThan(1);
    for (String setting : settings) {
      try (Heap heap = Gleaner.factory(ConfigFactory.parseString(setting)).open()) {
        assertThat(heap.inspect().verify()).isEmpty();
      }
    }
  }

  @Test
  void everyInstalledCollectorIsListed() throws IOException {
    String readme = readme();
    for (String collector : Installed.collectors()) {
      assertThat(readme).contains("\n| `" + collector + "` |");
    }
  }
}
