package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Stops that are no collections: timed by a clock of the test. */
@Tag("M1")
class PauseClockTest {
  private long now = 1000;
  private final PauseClock clock = new PauseClock(() -> now);

  private void work(long all, long before, long nanos) {
    clock.begin();
    now += nanos;
    clock.end(all, before, all, all * 8);
  }

  @Test
  void whatCameBeforeTheClockCounts() {
    work(1256, 256, 1000);
    assertThat(clock.isPending()).isTrue();
    assertThat(clock.nanos()).isEqualTo(1256);
    assertThat(clock.startNanos()).isEqualTo(2000 - 1256);
    assertThat(clock.elements()).isEqualTo(1256);
    assertThat(clock.bytes()).isEqualTo(1256 * 8);
  }

  @Test
  void severalAreOneUntilTheyAreTaken() {
    work(1000, 0, 70);
    now += 5;
    work(500, 0, 30);
    assertThat(clock.startNanos()).isEqualTo(1000);
    assertThat(clock.nanos()).isEqualTo(100);
    assertThat(clock.elements()).isEqualTo(1500);
    clock.take();
    assertThat(clock.isPending()).isFalse();
    assertThat(clock.nanos() + clock.elements() + clock.bytes()).isZero();
    work(300, 256, 44);
    assertThat(clock.nanos()).isEqualTo(300);
  }
}
