package dev.gleaner.kit;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.kit.Verdict.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is probably wrong with a collector, by messages that faulty collectors caused. */
class LikelyCauseTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ROOTS | oracle PLAIN | [root, global reference 3: refers to 2416, which is no element]",
        "ROOTS | plug-in keeps built-ins and what they refer to | no slot 1 in a record of 1",
        "BARRIER | minor keeps what an old record refers to | expected value 0, found -1",
        "BARRIER | scenario properties/grow.heap, in slices | expected alive 1, found 0",
        "BARRIER | oracle INCREMENTAL | RECORD 88, slot 2: refers to 96, which is no element",
        "BARRIER | oracle TINY | [element 96 refers to a young one, unremembered]",
        "MOVING | stores keep what is in a slot | OBJECT 88, prototype: refers to 96, which is no"
            + " element",
        "MOVING | reuse stays whole | java.lang.IllegalStateException: no memory for a copy of 8008"
            + " bytes",
        "WEAK | stores keep what is in a key | expected an intact heap, found [the string table has"
            + " 2160, which is no string]",
        "WEAK | scenario finalizers/once.heap | once.heap:7: expected finalized A, found none",
        "WEAK | scenario weak/one.heap | one.heap:13: expected ~a cleared, found ~a held",
        "WEAK | finalizers run whatever a listener throws | expected 20 calls, found 0",
        "ACCOUNTING | oracle VERIFY | 2992 bytes were used at first, and at the end 5936",
        "ACCOUNTING | scenario threads/stack.heap | expected used <= 4784 (mark +4096), found"
            + " 168368",
        "ACCOUNTING | plug-in gives the user's functions back what it took | expected all blocks"
            + " back, found {1024=256} left",
        "LIVENESS | oracle PLAIN | after a collection, cause explicit: 1 of RECORD, expected 2",
        "LIVENESS | scenario flags/base.heap | base.heap:19: expected alive 1, found 0",
        "OTHER | frames keep their slots | expected 7, found 8"
      })
  void judgesByRuleAndMessage(LikelyCause cause, String rule, String message) {
    assertThat(LikelyCause.of(rule, message)).isEqualTo(cause);
  }

  @Test
  void groupsTheMostTellingFirst() {
    Verdict random = failed("oracle TINY", "3 bytes were used at first");
    Verdict scenario = failed("scenario a.heap", "a.heap:3: expected used <= 3, found 4");
    Verdict slices = failed("scenario b.heap, in slices", "b.heap:1: expected used <= 1, found 4");
    Verdict place = failed("oracle PLAIN", "RECORD 8, slot 0: refers to 96, which is no element");
    Verdict wrong = failed("stores keep what is in a slot", "expected hash 3, found 4");
    assertThat(
            LikelyCause.group(
                List.of(new Verdict("x", Status.PASSED, ""), scenario, slices, wrong, place)))
        .containsExactly(
            entry(LikelyCause.BARRIER, List.of(slices)),
            entry(LikelyCause.MOVING, List.of(place, wrong)),
            entry(LikelyCause.ACCOUNTING, List.of(scenario)));
    assertThat(LikelyCause.group(List.of(random, scenario)))
        .containsExactly(entry(LikelyCause.ACCOUNTING, List.of(scenario, random)));
  }

  @Test
  void whatFailsInSlicesAsItDoesWithoutIsTheSame() {
    Verdict plain = failed("scenario b.heap", "b.heap:1: expected ~a cleared, found ~a held");
    Verdict slices = failed("scenario b.heap, in slices", "b.heap:1: expected ~a cleared");
    assertThat(LikelyCause.group(List.of(slices, plain)))
        .containsExactly(entry(LikelyCause.WEAK, List.of(plain, slices)));
  }

  private static Verdict failed(String rule, String message) {
    return new Verdict(rule, Status.FAILED, message);
  }
}
