package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Conformance;
import dev.gleaner.kit.Rule;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.collector.KitCollectors;
import dev.gleaner.testing.Tier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

  /** In the short tier each of these has one collector, in turn. */
  private static final Pattern SHARED =
      Pattern.compile(
          "^scenario (.*, (under torture|in slices)|buffers/large-.*)$"
              + "|^(callbacks|refusal|reuse|stores) ");

  /** In the short tier each of these has two collectors, in turn. */
  private static final Pattern SHARED_BY_TWO =
      Pattern.compile("^(scenario|finalizers|frames|indexes|slices|weak) ");

  /** The pairs of a collector and a rule that find a planted bug: all are in the short tier. */
  private static final Set<String> FINDING = finding();

  private static Set<String> finding() {
    Path list = Path.of("..", "docs", "internal", "planted-bugs.md");
    try (Stream<String> lines = Files.lines(list)) {
      return lines
          .map(line -> line.split(" *\\| *", -1))
          .filter(cells -> cells.length == 7)
          .map(cells -> cells[3] + ": " + cells[5].replace("`", ""))
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** These take longest with poison, which the exhaustive tier gives them. */
  private static final Pattern NOT_WITH_POISON = Pattern.compile("^(plug-in|stores) ");

  /** Those that are installed, and poison. */
  private static final int COLLECTORS = 6;

  private static final int SHARES = 3;

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
    List<String> collectors = new ArrayList<>(Installed.collectors());
    if (!Tier.exhaustive()) {
      collectors.add("poison"); // in the other tier it has a test of its own
    }
    return collectors.stream().flatMap(c -> rules(c, collectors.indexOf(c)));
  }

  private static Stream<DynamicTest> rules(String collector, int index) {
    Conformance kit =
        new Conformance(collector, ConfigFactory.empty(), List.of(KitCollectors.loader()))
            .withSeed(Long.getLong("gleaner.seed", 42))
            .withPrograms(Tier.number("gleaner.test.programs", 2, 60));
    List<Rule> all = Stream.concat(kit.rules().stream(), kit.tortureRules().stream()).toList();
    return IntStream.range(0, all.size())
        .filter(i -> isChosen(all.get(i), i, collector, index))
        .mapToObj(all::get)
        .map(rule -> dynamicTest(collector + ": " + rule.name(), () -> check(rule)));
  }

  private static boolean isChosen(Rule rule, int i, String name, int collector) {
    if (RANDOM.matcher(rule.name()).find()) {
      return true;
    }
    if (isLong(rule)) {
      return Tier.exhaustive();
    }
    if (FINDING.contains(name + ": " + rule.name())) {
      return !Tier.exhaustive();
    }
    if (SHARED.matcher(rule.name()).find()) {
      return Tier.has(i, collector, COLLECTORS);
    }
    if (SHARED_BY_TWO.matcher(rule.name()).find()) {
      return Tier.has(i, collector % SHARES, SHARES);
    }
    boolean poison = collector == COLLECTORS - 1;
    return !Tier.exhaustive() && !(poison && NOT_WITH_POISON.matcher(rule.name()).find());
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
