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
import dev.gleaner.testing.Tier;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Planted faults are found, and written as small scenarios that fail on them alone. */
class MutantTest {
  private static final int SMALL = 40;

  private static final Logger HEAPS = Logger.getLogger("dev.gleaner.heap");

  @TempDir private Path plugin;

  /** What fails is tried hundreds of times, and heaps log each failure. */
  @BeforeAll
  static void beQuiet() {
    HEAPS.setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    HEAPS.setLevel(null);
  }

  /** To make the programs of the first one small takes half a minute. */
  static List<Class<? extends CollectorProvider>> faults() {
    return Tier.exhaustive()
        ? List.of(SkippedRoot.class)
        : List.of(KeptWeak.class, LostFinalizer.class);
  }

  @ParameterizedTest
  @MethodSource("faults")
  @Tag("seeds")
  void aFaultIsFoundAndWrittenAsASmallScenario(Class<? extends CollectorProvider> fault)
      throws Exception {
    String name = fault.getConstructor().newInstance().name();
    try (URLClassLoader loader = Mutant.loaderOf(fault, plugin)) {
      Oracle oracle = new Oracle(name, ConfigFactory.empty(), List.of(loader));
      Failure failure = scenario(oracle);

      assertThat(failure.reproduces()).as("%s", failure).isTrue();
      assertThat(statements(failure)).as("%s", failure).isLessThan(SMALL);
      assertThat(run(failure, name, List.of(loader)).status()).isEqualTo(Status.FAILED);
      assertThat(run(failure, "marksweep", List.of()))
          .as("%s", failure)
          .returns(Status.PASSED, ScenarioResult::status);
    }
  }

  /** The failure of a program that can be said in the language; not each can. */
  private static Failure scenario(Oracle oracle) {
    Failure failure = oracle.find("PLAIN", Dice.seed(), 200).orElseThrow();
    for (int i = 0; i < 5 && !failure.reproduces(); i++) {
      failure = oracle.find("PLAIN", Dice.mix(Dice.seed(), i), 200).orElseThrow();
    }
    return failure;
  }

  @Test
  void theVerdictHasTheSeedAndTheScenario() throws Exception {
    try (URLClassLoader loader = Mutant.loaderOf(KeptWeak.class, plugin)) {
      Oracle oracle = new Oracle("kept-weak", ConfigFactory.empty(), List.of(loader));
      Failure failure = oracle.find("PLAIN", Dice.seed(), 200).orElseThrow();
      assertThat(oracle.run("PLAIN", Dice.seed(), 200).message())
          .contains("program seed " + failure.seed(), failure.scenario());
    }
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
