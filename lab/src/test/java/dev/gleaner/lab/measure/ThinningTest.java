package dev.gleaner.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.measure.Timeline.Sample;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThinningTest {
  private static final long MS = 1_000_000;

  @Test
  void fewSamplesAreKeptAsTheyAre() {
    Thinning thinning = new Thinning();
    thinning.add(3 * MS, 30);
    thinning.add(0, 10);
    thinning.add(3 * MS + 1, 5);
    thinning.add(-1, 99);
    assertThat(thinning.timeline().samples())
        .containsExactly(new Sample(0, 10), new Sample(3 * MS, 30), new Sample(3 * MS + 1, 5));
    assertThat(thinning.spanNanos()).isEqualTo(MS);
  }

  /** A saw-tooth whose peaks grow, with one deep valley. */
  @ParameterizedTest
  @ValueSource(longs = {100 * MS, 10_000 * MS, 3_600_000 * MS})
  void neitherPeaksNorValleysAreLostHoweverLongItTakes(long duration) {
    Thinning thinning = new Thinning();
    int steps = 50_000;
    for (int i = 0; i < steps; i++) {
      long bytes = i == 33_333 ? 7 : 1000 + i % 50 * (1000 + i);
      thinning.add(duration / steps * i, bytes);
    }
    List<Sample> samples = thinning.timeline().samples();
    assertThat(samples).hasSizeBetween(Math.min(100, steps), 2 * Thinning.SPANS);
    assertThat(samples).isSortedAccordingTo(Comparator.comparingLong(Sample::nanos));
    assertThat(samples).contains(new Sample(duration / steps * 33_333, 7));
    assertThat(samples).extracting(Sample::bytes).contains(1000 + 49 * (1000 + 49_999L));
    assertThat(thinning.spanNanos() * Thinning.SPANS).isGreaterThanOrEqualTo(duration / 2);
    // As fine at the start as at the end.
    long first = samples.stream().filter(s -> s.nanos() < duration / 2).count();
    assertThat(first).isBetween(samples.size() * 4L / 10, samples.size() * 6L / 10);
  }
}
