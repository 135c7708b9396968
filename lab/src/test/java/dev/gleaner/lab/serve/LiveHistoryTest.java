package dev.gleaner.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.serve.LiveHistory.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LiveHistoryTest {
  private static Sample sample(double seconds, @Nullable Double used) {
    List<@Nullable Double> figures = new ArrayList<>();
    figures.add(used);
    figures.addAll(Arrays.asList(100.0, seconds, seconds, seconds));
    return new Sample(seconds, List.of(figures));
  }

  private static @Nullable Double used(Sample sample) {
    return sample.figures().getFirst().getFirst();
  }

  @Test
  void keepsAllSinceTheStartInBoundedMemory() {
    LiveHistory history = new LiveHistory();
    for (int second = 0; second <= 100_000; second++) {
      history.add(sample(second, second == 77_777 ? 99.0 : 1.0));
      assertThat(history.samples().size()).isLessThan(LiveHistory.KEPT);
    }
    List<Sample> kept = history.samples();
    assertThat(kept.size()).isGreaterThanOrEqualTo(LiveHistory.KEPT / 2 - 1);
    assertThat(kept.getFirst().seconds()).isLessThan(500);
    assertThat(kept.getLast().seconds()).isGreaterThan(99_500);
    assertThat(kept).isSortedAccordingTo((a, b) -> Double.compare(a.seconds(), b.seconds()));
    assertThat(kept.stream().filter(s -> Double.valueOf(99).equals(used(s)))).hasSize(1);
    double step = kept.get(1).seconds() - kept.get(0).seconds();
    for (int i = 1; i < kept.size(); i++) {
      assertThat(kept.get(i).seconds() - kept.get(i - 1).seconds()).isEqualTo(step);
    }
  }

  @Test
  void joinsWhatHasNoFigureAndWhatCameLater() {
    Sample before = sample(1, null);
    Sample later = new Sample(2, List.of(sample(2, 5.0).figures().getFirst(), List.of(7.0)));
    assertThat(used(before.joined(sample(2, 5.0)))).isEqualTo(5);
    assertThat(used(sample(1, 9.0).joined(sample(2, null)))).isEqualTo(9);
    assertThat(used(before.joined(sample(2, null)))).isNull();
    assertThat(before.joined(later).figures().get(1)).containsExactly(7.0);
    assertThat(before.joined(later).seconds()).isEqualTo(2);
  }
}
