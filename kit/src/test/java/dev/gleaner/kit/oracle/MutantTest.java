package dev.gleaner.kit.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.LikelyCause;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioResult;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.spi.CollectorProvider;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Planted faults are found, and written as small scenarios that fail on them alone. */
class MutantTest {
  private static final int SMALL = 40;

  @TempDir private Path plugin;

  @ParameterizedTest
  @ValueSource(classes = {SkippedRoot.class, KeptWeak.class, LostFinalizer.class})
  void aFaultIsFoundAndWrittenAsASmallScenario(Class<? extends CollectorProvider> fault)
      throws Exception {
    String name = fault.getConstructor().newInstance().name();
    try (URLClassLoader loader = Mutant.loaderOf(fault, plugin)) {
      Oracle oracle = new Oracle(name, ConfigFactory.empty(), List.of(loader));
      long seed = seedOfScenario(oracle);
      Failure failure = oracle.find("PLAIN", seed, 200).orElseThrow();

      assertThat(failure.reproduces()).as("%s", failure).isTrue();
      assertThat(statements(failure)).as("%s", failure).isLessThan(SMALL);
      assertThat(run(failure, name, List.of(loader)).status()).isEqualTo(Status.FAILED);
      assertThat(run(failure, "marksweep", List.of()))
          .as("%s", failure)
          .returns(Status.PASSED, ScenarioResult::status);
      assertThat(oracle.run("PLAIN", seed, 200).message())
          .contains("program seed " + failure.seed(), failure.scenario());
    }
  }

  /** A seed whose program can be said in the language; not each can. */
  private static long seedOfScenario(Oracle oracle) {
    long seed = Dice.seed();
    for (int i = 0; i < 5; i++) {
      seed = Dice.mix(Dice.seed(), i);
      if (oracle.find("PLAIN", seed, 200).orElseThrow().reproduces()) {
        break;
      }
    }
    return seed;
  }

  /** A program that failed by one fault is not made small to one that fails by another. */
  @Test
  @Tag("exhaustive")
  void aScenarioShowsTheFailureOfItsProgram() throws Exception {
    Set<LikelyCause> causes = EnumSet.noneOf(LikelyCause.class);
    try (URLClassLoader loader = Mutant.loaderOf(TwoFaults.class, plugin)) {
      Oracle oracle = new Oracle("two-faults", ConfigFactory.empty(), List.of(loader));
      for (int i = 0; i < 6; i++) {
        Failure failure = oracle.find("PLAIN", Dice.mix(Dice.seed(), i), 200).orElseThrow();
        LikelyCause cause = LikelyCause.of("", failure.message().lines().findFirst().orElse(""));
        causes.add(cause);
        ScenarioResult result = run(failure, "two-faults", List.of(loader));
        LikelyCause shown = LikelyCause.of("", result.message());
        assertThat(failure.reproduces()).as("%s", failure).isTrue();
        assertThat(shown.resembles(cause)).as("%s: %s", shown, failure).isTrue();
      }
    }
    assertThat(causes).contains(LikelyCause.WEAK);
  }

  private static ScenarioResult run(Failure failure, String collector, List<ClassLoader> loaders) {
    Config config = ConfigFactory.parseString("gleaner.collector = " + collector);
    return new ScenarioRunner(config, loaders)
        .run(Scenario.parse("oracle.heap", failure.scenario()));
  }

  private static long statements(Failure failure) {
    return failure
        .scenario()
        .lines()
        .map(String::strip)
        .filter(line -> !line.startsWith("#") && !line.equals("}"))
        .count();
  }
}
