package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.settings.VoluntarySettings;
import dev.gleaner.testing.Triggers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** trigger_count = ((kept objects + kept strings) * MULT) + ADD, in fixed point. */
@Tag("D21")
class VoluntaryTriggerTest {

  @ParameterizedTest
  @CsvSource({
    "0, 1, 0, 0",
    "0, 1, 1024, 1024",
    "1000, 1, 1024, 2024",
    "1000, 2, 0, 2000",
    "1000, 50, 1024, 51024",
    "1000, 0.5, 0, 500",
    "1001, 0.5, 0, 500", // the fraction of the product is cut
    "3, 0.25, 10, 10",
    "1000, 0.00390625, 0, 3", // 1/256, the least step of MULT
    "1000, 0.001, 7, 7", // less rounds to nothing
    "1000, 1.003, 0, 1003", // 256.768 / 256 rounds to 257 / 256
    "1000000000, 1000000, 0, 1000000000000000",
  })
  void theCountIsTheFormula(long kept, double mult, double add, long expected) {
    VoluntaryTrigger t = Triggers.of(true, mult, add);
    t.renew(kept);
    assertThat(t.count()).isEqualTo(expected);
  }

  @Test
  void firesBelowZeroOnly() {
    VoluntaryTrigger t = Triggers.of(true, 1, 3);
    for (int i = 0; i < 3; i++) {
      t.decrease(1);
      assertThat(t.due()).as("after %s", i + 1).isFalse();
    }
    t.decrease(1);
    assertThat(t.due()).isTrue();
    t.renew(0);
    assertThat(t.due()).isFalse();
  }

  @Test
  void neverFiresWhenDisabled() {
    VoluntaryTrigger t = Triggers.of(false, 1, 0);
    t.decrease(1_000_000);
    assertThat(t.due()).isFalse();
    assertThat(t.grant()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aProductTooLargeForAWordIsOutOfReachNotNegative() {
    for (long kept = 1L << 30; kept > 0; kept <<= 1) {
      VoluntaryTrigger t = Triggers.of(true, 1_000_000, 1e12);
      t.renew(kept);
      assertThat(t.count()).as("%s kept", kept).isGreaterThan(1L << 45);
    }
  }

  @Test
  void grantsNeverReachBeyondTheCount() {
    for (int count = 0; count < 100; count++) {
      VoluntaryTrigger t = Triggers.of(true, 1, count);
      assertThat(t.grant()).isBetween(1L, count + 1L);
    }
    VoluntaryTrigger t = Triggers.of(true, 1, 0);
    t.decrease(5);
    assertThat(t.grant()).isEqualTo(1);
  }

  @Test
  void halfOfWhatIsLeftIsGranted() {
    assertThat(Triggers.of(true, 1, 9).grant()).isEqualTo(5);
    assertThat(Triggers.of(true, 1, 10).grant()).isEqualTo(5);
  }

  @Test
  void whatAMinorCollectionReclaimedIsGivenBack() {
    VoluntaryTrigger t = Triggers.of(true, 1, 100);
    t.decrease(90);
    t.restore(t.count() + 85);
    assertThat(t.count()).isEqualTo(95);
    t.decrease(96);
    assertThat(t.due()).isTrue();
  }

  @Test
  void bytesByWhichMemoryGrowsAreOperations() {
    Budget budget = new Budget(1 << 20);
    VoluntaryTrigger t = new VoluntaryTrigger(new VoluntarySettings(true, 1, 10, 64), budget);
    assertThat(budget.charge(640)).isTrue();
    assertThat(t.due()).isFalse();
    assertThat(budget.charge(1)).isTrue();
    assertThat(t.due()).isTrue();
    budget.refund(1); // what was freed is no garbage
    assertThat(t.due()).isFalse();
    t.decrease(1);
    assertThat(t.due()).as("operations and bytes add up").isTrue();
  }

  @Test
  void bytesInUseAreKeptElements() {
    Budget budget = new Budget(1 << 20);
    VoluntaryTrigger t = new VoluntaryTrigger(new VoluntarySettings(true, 2, 10, 64), budget);
    assertThat(budget.charge(6400)).isTrue();
    t.renew(7);
    assertThat(t.count()).isEqualTo(2 * (7 + 100) + 10);
    assertThat(t.due()).isFalse();
  }

  @Test
  void noGrowthReachesACountThatIsOutOfReach() {
    Budget budget = new Budget(Long.MAX_VALUE);
    VoluntaryTrigger t =
        new VoluntaryTrigger(new VoluntarySettings(true, 1_000_000, 1e12, 1 << 20), budget);
    t.renew(1L << 40);
    assertThat(budget.charge(1L << 40)).isTrue();
    assertThat(t.due()).isFalse();
  }
}
