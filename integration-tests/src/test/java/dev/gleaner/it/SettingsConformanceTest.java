package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Conformance;
import dev.gleaner.kit.Rule;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.Verdict.Status;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
 * Collectors pass the kit under their own settings, too; but for the scenarios, named here, to
 * which such a setting is there to give another answer.
 */
@Tag("exhaustive")
class SettingsConformanceTest {
  private static final Logger HEAPS = Logger.getLogger("dev.gleaner.heap");

  /**
   * When finalizers run is what the setting changes; and that in those of a collection nothing can
   * collect, so that a request that is refused there stays refused.
   */
  private static final Set<String> OTHERWISE_INLINE =
      Set.of(
          "counting/finalizers-after-the-cascade.heap",
          "counting/order-of-what-falls.heap(?!, under torture)",
          "finalizers that found no memory find some in the next operation",
          "finalizers that allocate much collect as often as it takes",
          "finalizers/collection-inside.heap",
          "finalizers/that-need-a-collection.heap",
          "properties/finalizer-fills-the-growing-table.heap, under torture",
          "properties/tables-beside-the-growing-one-are-compacted.heap");

  /** There the refused requests are those of the finalizer, not those before it. */
  private static final String OTHERWISE_UNDER_TORTURE =
      "threads/finalizer-pushes-on-the-growing-stack.heap, under torture";

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
  @Tag("D24")
  Stream<DynamicTest> refcountWithTrialDeletion() {
    return rules("refcount", "gleaner.collectors.refcount.cycles = trial-deletion", Set.of());
  }

  @TestFactory
  @Tag("D29")
  Stream<DynamicTest> hybridWithInlineFinalization() {
    return rules("hybrid", "gleaner.collectors.hybrid.finalization = inline", otherwiseInline());
  }

  @TestFactory
  @Tag("D29")
  Stream<DynamicTest> marksweepOfDuktape1() {
    return rules(
        "marksweep", "gleaner.collectors.marksweep.compatibility = duktape-1", otherwiseInline());
  }

  @TestFactory
  Stream<DynamicTest> marksweepWithMinorCollections() {
    return rules("marksweep", "gleaner.collectors.marksweep.generational = on", Set.of());
  }

  @TestFactory
  @Tag("D29")
  Stream<DynamicTest> refcountOfDuktape1() {
    return rules(
        "refcount", "gleaner.collectors.refcount.compatibility = duktape-1", otherwiseInline());
  }

  private static Set<String> otherwiseInline() {
    Set<String> otherwise = new HashSet<>(OTHERWISE_INLINE);
    otherwise.add(OTHERWISE_UNDER_TORTURE);
    return otherwise;
  }

  @TestFactory
  @Tag("F9")
  Stream<DynamicTest> framestackThatPretenuresAfterEachEscape() {
    return rules(
        "framestack",
        "gleaner.collectors.framestack { cycle.after = 1, region = 4KiB, pretenure.after = 0 }",
        Set.of());
  }

  @TestFactory
  @Tag("F2")
  Stream<DynamicTest> framestackThatCopiesResults() {
    return rules("framestack", "gleaner.collectors.framestack.mode = copying", Set.of());
  }

  @TestFactory
  @Tag("F12")
  Stream<DynamicTest> framestackThatOwnsFromBirth() {
    return rules(
        "framestack",
        "gleaner.collectors.framestack { mode = owned, cycle.after = 1, merge.calls = 3 }",
        Set.of());
  }

  @TestFactory
  @Tag("F5b")
  Stream<DynamicTest> framestackThatAbandonsCycles() {
    return rules(
        "framestack",
        "gleaner.collectors.framestack { mode = owned, cycle { after = 1, on-leave = abandon } }",
        Set.of("frames/f-of-ni-without-collections.heap")); // the leak is what the setting shows
  }

  @TestFactory
  @Tag("F7b")
  Stream<DynamicTest> framestackThatMergesNoCalls() {
    return rules(
        "framestack",
        "gleaner.collectors.framestack { cycle.after = 1, region = 4KiB, merge.bytes = 0 }",
        Set.of());
  }

  private static Stream<DynamicTest> rules(
      String collector, String settings, Set<String> otherwise) {
    Conformance kit =
        new Conformance(collector, ConfigFactory.parseString(settings), List.of())
            .withSeed(Long.getLong("gleaner.seed", 42));
    return Stream.concat(kit.rules().stream(), kit.tortureRules().stream())
        .map(rule ->
            dynamicTest(
                collector + ": " + rule.name(),
                () ->
                    check(
                        rule,
                        otherwise.stream()
                            .anyMatch(o -> Pattern.compile(o).matcher(rule.name()).find()))));
  }

  private static void check(Rule rule, boolean otherwise) {
    Verdict verdict = rule.check().get();
    assumeFalse(verdict.status() == Status.SKIPPED, verdict.message());
    assertThat(verdict.status())
        .as("%s", verdict.message())
        .isEqualTo(otherwise ? Status.FAILED : Status.PASSED);
  }
}
