package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Scenarios;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioResult;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.testing.Tier;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * The kit's scenarios that run in constant memory do so for twice as many steps: their limits, and
 * the bytes that they may use beyond a mark, stay as they are.
 */
@Tag("F5")
class ConstantSpaceTest {
  private static final List<String> SCENARIOS =
      List.of(
          "frames/calls-alone-reclaim.heap",
          "frames/do-and-append.heap",
          "frames/f-of-ni-without-collections.heap",
          "frames/f-of-ni.heap",
          "frames/garbage-then-a-tight-loop.heap",
          "frames/returned-garbage-is-reclaimed.heap",
          "frames/toggle.heap",
          "limits/finalizers-in-constant-memory.heap",
          "limits/frame-that-never-compacts.heap",
          "limits/garbage-in-64-kib.heap",
          "limits/kinds-in-constant-memory.heap",
          "limits/loops-in-64-kib.heap",
          "limits/natives-in-constant-memory.heap",
          "limits/strings-in-constant-memory.heap");

  private static final Pattern REPEAT = Pattern.compile("repeat ([\\d_]+)");

  /** In the short tier each scenario under one collector, in turn. */
  @TestFactory
  @Tag("seeds")
  Stream<DynamicTest> runTwiceAsLong() {
    List<String> collectors = Installed.collectors();
    return IntStream.range(0, SCENARIOS.size() * collectors.size())
        .filter(i -> Tier.has(i / collectors.size(), i % collectors.size(), collectors.size()))
        .mapToObj(i -> {
          String name = SCENARIOS.get(i / collectors.size());
          String collector = collectors.get(i % collectors.size());
          return dynamicTest(collector + ": " + name, () -> run(collector, name));
        });
  }

  private static void run(String collector, String name) {
    ScenarioRunner runner =
        new ScenarioRunner(
            ConfigFactory.parseString("gleaner.collector = " + collector), List.of());
    ScenarioResult result = runner.run(Scenario.parse(name, doubled(Scenarios.text(name))));
    assumeFalse(result.status() == Status.SKIPPED, result.message());
    assertThat(result.status()).as("%s", result.verdict().message()).isEqualTo(Status.PASSED);
  }

  /** Doubles the number of steps wherever the text has it: as a count, and in what it expects. */
  private static String doubled(String text) {
    long steps =
        REPEAT
            .matcher(text)
            .results()
            .mapToLong(match -> Long.parseLong(match.group(1).replace("_", "")))
            .max()
            .orElseThrow();
    String digits = String.join("_?", Long.toString(steps).split("", -1));
    String result =
        text.replaceAll("(?<![\\d_])" + digits + "(?![\\d_])", Long.toString(2 * steps));
    assertThat(result).isNotEqualTo(text);
    return result;
  }
}
