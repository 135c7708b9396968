package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.settings.ConfigurationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioRunnerTest {
  @Test
  void whatACollectorLacksSkipsAScenario() {
    assertThat(Scenarios.run("requires prompt\nexpect alive 5"))
        .isEqualTo(new ScenarioResult("test.heap", Status.SKIPPED, 0, "needs prompt"));
    assertThat(Scenarios.run("requires cycles prompt !incremental\nrequires frames").message())
        .isEqualTo("needs prompt, frames, !incremental");
    assertThat(Scenarios.run("requires cycles incremental !prompt").status())
        .isEqualTo(Status.PASSED);
  }

  @Test
  void verdictsSayWhereAScenarioFailed() {
    assertThat(Scenarios.run("\nexpect alive 1").verdict())
        .isEqualTo(
            new Verdict("test.heap", Status.FAILED, "test.heap:2: expected alive 1, found 0"));
    assertThat(Scenarios.run("requires prompt").verdict())
        .isEqualTo(new Verdict("test.heap", Status.SKIPPED, "needs prompt"));
    assertThat(Scenarios.run("").verdict()).isEqualTo(new Verdict("test.heap", Status.PASSED, ""));
  }

  @Test
  void aScenariosSettingsComeFirst() {
    String text =
        """
        requires !prompt
        config { memory { max = "1MiB" } # }
          // not the end: }
          voluntary.enabled = false }
        config { memory.max = 128KiB }
        expect out-of-memory {
          buffer b 512KiB
        }
        """;
    Scenarios.passes(text);
    ScenarioRunner runner =
        new ScenarioRunner(
            ConfigFactory.parseString(
                "gleaner { collector = marksweep, memory.max = 2MiB"
                    + ", collectors.marksweep.memory.max = 4MiB }"),
            List.of());
    assertThat(runner.run(Scenario.parse("x", text)).status()).isEqualTo(Status.PASSED);
    assertThat(runner.run(Scenario.parse("x", "buffer b 3MiB")).status()).isEqualTo(Status.PASSED);
    assertThat(runner.run(Scenario.parse("x", "buffer b 5MiB")).message())
        .startsWith("expected no error, found heap scenario is exhausted: 5");
  }

  @Test
  void settingsThatCannotBeUsedAreNamedWithTheirLine() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scenarios.run("# one\nconfig {\n  memory.mx = 3\n}"))
        .withMessageContaining("test.heap: 3: gleaner.memory.mx: unknown setting")
        .withMessageContaining("(max?)");
  }

  @Test
  void aHeapThatCannotBeOpenedIsAFailure() {
    Scenarios.fails(
        "config { memory.max = 64KiB, threads.initial-stack-slots = 100000 }\nexpect alive 0",
        1,
        "expected a heap, found heap scenario is exhausted: 800000 bytes requested, 0 of 65536"
            + " in use");
  }

  @Test
  void runsOneScenarioManyTimes() {
    Scenario scenario = Scenario.parse("x", "record @a 0\nweak ~a @a\nfinalizer @a A\nclose");
    for (int i = 0; i < 3; i++) {
      assertThat(Scenarios.RUNNER.run(scenario)).isEqualTo(ScenarioResult.passed("x"));
    }
    assertThat(scenario.file()).isEqualTo("x");
  }

  @Test
  void readsFilesInUtf8(@TempDir Path dir) throws IOException {
    Path file = dir.resolve("a.heap");
    Files.writeString(file, "\uFEFFstring a \"h\u00E4\"\nexpect a == \"h\\u00e4\"");
    assertThat(Scenarios.RUNNER.run(Scenario.read(file)))
        .isEqualTo(ScenarioResult.passed(file.toString()));
    Files.write(file, "print 1\nprint \"\u00E4x\"".getBytes(StandardCharsets.ISO_8859_1));
    assertThatExceptionOfType(ScenarioSyntaxException.class)
        .isThrownBy(() -> Scenario.read(file))
        .withMessage(file + ":2:8: read the byte 0xE4, expected UTF-8");
  }
}
