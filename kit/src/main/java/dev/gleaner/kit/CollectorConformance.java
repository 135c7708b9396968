package dev.gleaner.kit;

import com.typesafe.config.ConfigFactory;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * The conformance kit as JUnit tests, one for each rule.
 *
 * <pre>{@code
 * class MyCollectorTest extends CollectorConformance {
 *   @Override
 *   protected String collector() { return "mine"; }
 * }
 * }</pre>
 *
 * <p>{@code -Dgleaner.seed=…} makes other random programs. Settings come from {@code
 * application.conf} and system properties, as everywhere. What heaps log while a rule runs, since
 * rules make code fail, is not shown where {@code java.util.logging} has it.
 */
@API(status = API.Status.STABLE, since = "0.1")
public abstract class CollectorConformance {
  /** Held: a logger that nobody holds forgets its level. */
  private static final Logger HEAPS = Logger.getLogger("dev.gleaner.heap");

  /** Makes the tests; for JUnit. */
  protected CollectorConformance() {}

  /** {@return the name of the collector to be tested, which is on the class path} */
  protected abstract String collector();

  /** {@return class loaders that lead to it when the class path does not; by default none} */
  protected List<ClassLoader> loaders() {
    return List.of();
  }

  private Conformance kit() {
    return new Conformance(collector(), ConfigFactory.load(), loaders())
        .withSeed(Long.getLong("gleaner.seed", 42));
  }

  @TestFactory
  Stream<DynamicTest> rules() {
    return kit().rules().stream().map(CollectorConformance::test);
  }

  @TestFactory
  Stream<DynamicTest> underTorture() {
    return kit().tortureRules().stream().map(CollectorConformance::test);
  }

  private static DynamicTest test(Rule rule) {
    String text = rule.text().isEmpty() ? rule.name() : rule.name() + " (" + rule.text() + ")";
    return DynamicTest.dynamicTest(text, () -> check(rule));
  }

  static void check(Rule rule) {
    Level level = HEAPS.getLevel();
    HEAPS.setLevel(Level.OFF);
    Verdict verdict;
    try {
      verdict = rule.check().get();
    } finally {
      HEAPS.setLevel(level);
    }
    switch (verdict.status()) {
      case PASSED -> {}
      case FAILED -> throw new AssertionFailedError(verdict.message());
      case SKIPPED -> throw new TestAbortedException(verdict.message());
    }
  }
}
