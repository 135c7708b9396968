package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.kit.Rule;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.Verdict.Status;
import org.junit.jupiter.api.Test;

/** What {@code gleaner conform} says of a collector that does not hold the rules. */
class ConformanceReportTest {
  private final ConformanceReport report = new ConformanceReport();
  private final ConformanceReport.Collector mine = report.collector("mine");

  private void add(String rule, String text, Status status, String message) {
    Verdict verdict = new Verdict(rule, status, message);
    ConformanceReport.Item _ = mine.add(new Rule(rule, text, () -> verdict), verdict);
  }

  @Test
  void groupsFailuresByLikelyCauseAndSaysWhyRulesWereSkipped() {
    add("oracle TINY", "", Status.FAILED, "30 bytes were used at first");
    add("scenario a.heap", "D10: one copy", Status.FAILED, "a.heap:3: expected used <= 3, found 4");
    add(
        "scenario b.heap",
        "D20: once",
        Status.FAILED,
        "b.heap:7: expected finalized A, found none");
    add("scenario c.heap", "", Status.SKIPPED, "needs frames");
    add("scenario d.heap", "", Status.SKIPPED, "needs frames");
    add("scenario e.heap", "", Status.SKIPPED, "needs prompt");
    add("scenario f.heap", "", Status.PASSED, "");
    assertThat(mine.groups())
        .containsExactly(
            "likely cause: weak processing, 1 rule; look at finalizers, then context.sweepWeak,"
                + " then context.relocate; release",
            "  scenario b.heap",
            "likely cause: accounting, 2 rules; look at the budget, figures, tidy, retire, close",
            "  scenario a.heap",
            "  oracle TINY");
    assertThat(mine.summary())
        .containsExactly(
            "skipped 2 rules: needs frames",
            "skipped 1 rule: needs prompt",
            "mine: 1 passed, 3 failed, 3 skipped");
    assertThat(report.csv())
        .contains(
            "collector,rule,text,status,message,cause",
            "mine,scenario f.heap,,passed,,",
            "mine,oracle TINY,,failed,30 bytes were used at first,accounting");
    assertThat(report.json()).contains("\"cause\" : \"weak processing\"");
  }
}
