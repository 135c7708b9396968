package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.kit.Verdict.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Under torture labels may come earlier than their line, never later. */
class TortureTest {
  /** A comes early, with the allocation of b; B with the collection. */
  private static final String EARLY =
      """
      config { voluntary.enabled = false }
      record a 0
      finalizer a A
      drop a
      record b 0
      finalizer b B
      expect finalized
      drop b
      collect
      """;

  private static void holds(String text) {
    assertThat(Scenarios.torture(text)).isEqualTo(ScenarioResult.passed("test.heap"));
  }

  private static void fails(String text, int line, String message) {
    assertThat(Scenarios.torture(text))
        .isEqualTo(ScenarioResult.failed("test.heap", line, message));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "expect collections >= 0",
        "expect emergencies == 0",
        "expect used >= 0",
        "expect peak >= 0"
      })
  void skipsWhatItChanges(String expectation) {
    ScenarioResult result = Scenarios.torture("frame {\n" + expectation + "\n}");
    assertThat(result.status()).isEqualTo(Status.SKIPPED);
    assertThat(result.message())
        .isEqualTo(
            "needs to run without torture: it expects collections, emergencies, used or peak");
    Scenarios.passes("frame {\n" + expectation + "\n}");
  }

  @Test
  void everythingElseRuns() {
    String everything = Scenarios.everything();
    holds(everything.replaceAll("(?m)^ *expect (used|peak|collections|emergencies).*\n", ""));
  }

  @Test
  void labelsMayComeEarlier() {
    String later = EARLY + "expect finalized {A B}\nexpect finalized";
    Scenarios.passes(later);
    holds(later);
  }

  @Test
  void labelsMustNotComeLater() {
    fails(
        EARLY + "expect finalized {A B C}\nrecord c 0\nfinalizer c C\ndrop c\ncollect",
        10,
        "expected finalized {A B C}, found A B");
  }

  @Test
  void labelsThatNoLineExpectsAreTooMany() {
    fails(
        EARLY + "expect finalized B", 10, "expected no other finalizers up to this line, found A");
    holds(EARLY.replace("expect finalized\n", ""));
  }

  @Test
  void aChoiceIsMadeWhenALaterLineNeedsIt() {
    holds(
        EARLY.replace("expect finalized\n", "")
            + "expect finalized [A B]\nexpect finalized [A C]\nexpect finalized");
    fails(
        EARLY.replace("expect finalized\n", "") + "expect finalized [A B]\nexpect finalized [C D]",
        10,
        "expected finalized [C D], found A");
  }

  @Test
  void aScenariosOwnTortureChangesNoRule() {
    Scenarios.fails(
        EARLY.replace("config {", "config { torture.gc = every-allocation, ")
            + "expect finalized {A B}",
        7,
        "expected finalized none, found A");
  }
}
