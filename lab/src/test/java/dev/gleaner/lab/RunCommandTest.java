package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCommandTest {
  @TempDir private Path dir;
  private String good = "";
  private String bad = "";
  private String prompt = "";

  private static Result run(String... arguments) {
    return Result.of(Stream.concat(Stream.of("run"), Stream.of(arguments)).toList());
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(dir.resolve(name), text).toString();
  }

  @BeforeEach
  void write() throws IOException {
    good = file("good.heap", "record a 1\ncollect\nexpect alive 1\n");
    bad = file("bad.heap", "record a 1\nexpect alive 2\n");
    prompt = file("prompt.heap", "requires prompt\nexpect alive 7\n");
  }

  @Test
  void printsALineAScenarioAndTheirSum() {
    Result result = run(good, prompt, bad, "--collector", "marksweep");
    assertThat(result.out())
        .isEqualTo(
            """
            ok %s
            skipped %s: needs prompt
            FAILED %s:2: expected alive 2, found 1
            1 passed, 1 failed, 1 skipped
            """
                .formatted(good, prompt, bad));
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isEqualTo(1);
  }

  @Test
  void isDoneIfNoneFailed() {
    Result result = run(good, prompt);
    assertThat(result.out()).startsWith("ok ").endsWith("1 passed, 0 failed, 1 skipped\n");
    assertThat(result.status()).isZero();
  }

  @Test
  void aDirectoryStandsForItsScenarios() throws IOException {
    String other = file("other.txt", "no scenario");
    Files.createDirectory(dir.resolve("inner.d"));
    Result result = run(dir.toString());
    assertThat(result.out()).doesNotContain(other);
    assertThat(result.out().lines().map(line -> line.replaceAll("[: ].*[/\\\\]", " ")).toList())
        .startsWith("FAILED bad.heap:2: expected alive 2, found 1", "ok good.heap")
        .endsWith("1 passed, 1 failed, 1 skipped");
  }

  @Test
  void namesCollectorsWhereThereAreSeveral() {
    assertThat(run(good, "--collector", "marksweep,marksweep").out())
        .startsWith("ok " + good + "\n");
    Result several = run(good, bad, "--collector", "marksweep,no-op");
    assertThat(several.out())
        .contains(
            "ok " + good + " (marksweep)\nok " + good + " (no-op)\n",
            "FAILED " + bad + ":2: expected alive 2, found 1 (marksweep)\n",
            "2 passed, 2 failed, 0 skipped");
    assertThat(run(good, "--collector", "all").out()).contains("ok " + good);
  }

  @Test
  void printsJson() throws IOException {
    Result result = run(good, prompt, bad, "--format", "json");
    assertThat(result.status()).isEqualTo(1);
    JsonNode array = new ObjectMapper().readTree(result.out());
    assertThat(array.isArray()).isTrue();
    assertThat(array).hasSize(3);
    assertThat(array.findValuesAsText("status")).containsExactly("passed", "skipped", "failed");
    assertThat(array.findValuesAsText("collector")).containsOnly("marksweep");
    JsonNode failed = array.get(2);
    assertThat(List.copyOf(failed.properties()).stream().map(e -> e.getKey()).toList())
        .containsExactly("file", "collector", "status", "line", "message");
    assertThat(failed.get("file").textValue()).isEqualTo(bad);
    assertThat(failed.get("line").intValue()).isEqualTo(2);
    assertThat(failed.get("message").textValue()).isEqualTo("expected alive 2, found 1");
    assertThat(array.get(0).get("line").isNull()).isTrue();
    assertThat(array.get(1).get("message").textValue()).isEqualTo("needs prompt");
  }

  @Test
  void printsCsv() {
    assertThat(run(good, bad, "--format", "csv").out().replace(dir.toString(), "d"))
        .isEqualTo(
            """
            file,collector,status,line,message
            d/good.heap,marksweep,passed,,
            d/bad.heap,marksweep,failed,2,"expected alive 2, found 1"
            """
                .replace("d/", "d" + File.separator));
  }

  @Test
  void printsGoToTheOutputUnlessThatIsData() throws IOException {
    String file = file("print.heap", "print \"hello\" 5\n");
    assertThat(run(file).out())
        .isEqualTo("hello 5\nok " + file + "\n1 passed, 0 failed, 0 skipped\n");
    Result json = run(file, "--format", "json");
    assertThat(json.out()).startsWith("[");
    assertThat(json.err()).isEqualTo("hello 5\n");
  }

  @Test
  void whatFailsInAFinalizerIsALine() throws IOException {
    String file =
        file("throw.heap", "record a 0\nfinalizer a A {\n  throw \"boom\"\n}\ndrop a\ncollect\n");
    Result result = run(file);
    assertThat(result.err()).isEqualTo("heap scenario: finalizer A failed: boom\n");
    assertThat(result.status()).isZero();
  }

  @Test
  void torturesWhatDoesNotCount() throws IOException {
    String counts = file("counts.heap", "expect collections == 0\n");
    String early =
        file(
            "early.heap",
            """
            record a 0
            finalizer a A
            drop a
            record b 0
            expect finalized
            collect
            expect finalized A
            """);
    assertThat(run(counts, early).status()).isZero();
    Result tortured = run(counts, early, "--torture");
    assertThat(tortured.out())
        .isEqualTo(
            """
            skipped %s: needs to run without torture: it expects collections, emergencies, used or peak
            ok %s
            1 passed, 0 failed, 1 skipped
            """
                .formatted(counts, early));
    assertThat(tortured.status()).isZero();
  }

  @Test
  void settingsOfTheCommandLineHold() throws IOException {
    String big = file("big.heap", "buffer a 1MiB\n");
    Path config =
        Files.writeString(
            dir.resolve("app.conf"), "gleaner { collector = no-op, memory.max = 64KiB }");
    Result result = run(big, "--config", config.toString(), "--format", "json");
    assertThat(result.out()).contains("\"no-op\"", "is exhausted: ");
    assertThat(run(big, "--config", config.toString(), "-D", "gleaner.memory.max=2MiB").status())
        .isZero();
  }

  @Test
  void whatCannotBeReadIsAWrongRequest() throws IOException {
    String first = file("1.heap", "record a\n");
    String second = file("2.heap", "\n  expct alive 1\n");
    Result result = run(good, first, second, dir.resolve("none.heap").toString());
    assertThat(result.status()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .contains(
            "gleaner: " + first + ":1:9: read the end of the line, expected a number of reference",
            second + ":2:3: read 'expct', expected one of record, object",
            "(expect?)",
            dir.resolve("none.heap") + ": there is no such file or directory");
    Path empty = Files.createDirectory(dir.resolve("empty"));
    assertThat(run(empty.toString()).err()).contains("there is no *.heap file in this directory");
    assertThat(run().status()).isEqualTo(2);
    assertThat(run(good, "--collector", "markswep").err()).contains("(marksweep?)");
    String settings = file("settings.heap", "config { memory.mx = 3 }\n");
    Result wrong = run(settings);
    assertThat(wrong.status()).isEqualTo(2);
    assertThat(wrong.err()).contains(settings + ": 1: gleaner.memory.mx: unknown setting");
  }
}
