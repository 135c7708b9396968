package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The limit: exact, advances or not. */
class BudgetTest {

  /** Advances of so many bytes, which can be taken back. */
  private static final class Granted implements Budget.Advances {
    private final Budget budget;
    long unused;
    int asked;

    Granted(Budget budget) {
      this.budget = budget;
    }

    @Override
    public long unusedBytes() {
      return unused;
    }

    @Override
    public void giveBack() {
      asked++;
      budget.refund(unused);
      unused = 0;
    }
  }

  @Test
  void chargesUpToTheLimitAndNotAByteMore() {
    Budget b = new Budget(100);
    assertThat(b.charge(99)).isTrue();
    assertThat(b.charge(2)).isFalse();
    assertThat(b.charge(1)).isTrue();
    assertThat(b.remaining()).isZero();
    assertThat(b.charge(0)).isTrue();
    assertThat(b.charge(Long.MAX_VALUE)).isFalse();
    b.refund(100);
    assertThat(b.used()).isZero();
  }

  @Test
  void advancesAreGivenBackBeforeARefusal() {
    Budget b = new Budget(100);
    Granted granted = new Granted(b);
    b.addAdvances(granted);
    assertThat(b.charge(80)).isTrue();
    granted.unused = 60;
    assertThat(b.used()).isEqualTo(20);
    assertThat(b.charge(20)).isTrue();
    assertThat(granted.asked).isZero();
    assertThat(b.charge(60)).isTrue();
    assertThat(granted.asked).isEqualTo(1);
    assertThat(b.used()).isEqualTo(100);
    assertThat(b.charge(1)).isFalse();
  }

  @Test
  void thePeakIsOfBytesInUseNotOfAdvances() {
    Budget b = new Budget(1000);
    Granted granted = new Granted(b);
    b.addAdvances(granted);
    assertThat(b.charge(500)).isTrue();
    granted.unused = 400;
    assertThat(b.peak()).isEqualTo(100);
    granted.unused = 100;
    b.notePeak();
    b.refund(300);
    assertThat(b.used()).isEqualTo(100);
    assertThat(b.peak()).isEqualTo(400);
  }

  @Test
  void externalBytesCountAgainstTheLimit() {
    Budget b = new Budget(100);
    assertThat(b.chargeExternal(60)).isTrue();
    assertThat(b.chargeExternal(60)).isFalse();
    assertThat(b.external()).isEqualTo(60);
    assertThat(b.charge(41)).isFalse();
    b.refundExternal(60);
    assertThat(b.external()).isZero();
    assertThat(b.used()).isZero();
  }

  /** Another thread may see a charge before the advance that it is for. */
  @Test
  void whoReadsThePeakDoesNotSetIt() {
    Budget b = new Budget(100);
    Granted granted = new Granted(b);
    b.addAdvances(granted);
    assertThat(b.charge(80)).isTrue();
    assertThat(b.peak()).isEqualTo(80);
    granted.unused = 60;
    assertThat(b.peak()).isEqualTo(20);
    b.notePeak();
    b.refund(10);
    granted.unused = 70;
    assertThat(b.peak()).isEqualTo(20);
  }

  @Test
  void whoLeavesOftenAsksTheAdvancesOnce() {
    Budget b = new Budget(1000);
    int[] asked = new int[1];
    b.addAdvances(
        new Budget.Advances() {
          @Override
          public long unusedBytes() {
            asked[0]++;
            return 7;
          }

          @Override
          public void giveBack() {}
        });
    assertThat(b.charge(100)).isTrue();
    for (int i = 0; i < 10; i++) {
      b.notePeak(0);
      b.notePeak(50);
    }
    assertThat(asked[0]).isEqualTo(1);
    assertThat(b.charge(100)).isTrue();
    b.notePeak(50);
    assertThat(asked[0]).isEqualTo(2);
    b.refund(190);
    assertThat(b.peak()).isEqualTo(193);
  }
}
