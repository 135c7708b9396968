package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Conformance;
import dev.gleaner.kit.Rule;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.testing.Tier;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Every collector that is installed passes the kit, under torture too. {@code -Dgleaner.seed=…}
 * makes other random programs, {@code -Dgleaner.test.programs=…} more of them.
 */
class ConformanceTest {
  private static final Logger HEAPS = Logger.getLogger("dev.gleaner.heap");

  /** These run with few programs in the short tier, and with many in the exhaustive one. */
  private static final Pattern RANDOM = Pattern.compile("^oracle ");

  /** The kit provokes errors that heaps log. */
  @BeforeAll
  static void beQuiet() {
    HEAPS.setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    HEAPS.setLevel(null);
  }

  @TestFactory
  @Tag("seeds")
  Stream<DynamicTest> rules() {
    return Installed.collectors().stream().flatMap(ConformanceTest::rules);
  }

  private static Stream<DynamicTest> rules(String collector) {
    Conformance kit =
        new Conformance(collector, ConfigFactory.empty(), List.of())
            .withSeed(Long.getLong("gleaner.seed", 42))
            .withPrograms(Tier.number("gleaner.test.programs", 2, 60));
    return Stream.concat(kit.rules().stream(), kit.tortureRules().stream())
        .filter(rule -> RANDOM.matcher(rule.name()).find() || Tier.exhaustive() == isLong(rule))
        .map(rule -> dynamicTest(collector + ": " + rule.name(), () -> check(rule)));
  }

  private static boolean isLong(Rule rule) {
    return rule.name().contains("more-to-mark-than-the-stack-holds");
  }

  private static void check(Rule rule) {
    Verdict verdict = rule.check().get();
    assumeFalse(verdict.status() == Status.SKIPPED, verdict.message());
    assertThat(verdict.status()).as("%s", verdict.message()).isEqualTo(Status.PASSED);
  }
}
