package dev.gleaner.lab.growth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.growth.GrowthCurve.GrowthException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrowthCurveTest {
  private final List<Long> ran = new ArrayList<>();

  /** A program whose peak follows a curve, and that runs in no less. */
  private GrowthCurve curve(DoubleUnaryOperator bytes, Long... sizes) {
    return GrowthCurve.of(
        "any",
        "1",
        List.of(sizes),
        true,
        (n, limit) -> {
          long peak = (long) bytes.applyAsDouble((double) n);
          if (limit > 0 && peak > limit) {
            throw new GrowthException("full", null);
          }
          ran.add(n);
          return new Peak(n, peak, 0, n);
        });
  }

  private static DoubleUnaryOperator shape(String name) {
    return switch (name) {
      case "1" -> n -> 1;
      case "log" -> Math::log;
      case "sqrt" -> Math::sqrt;
      case "n" -> n -> n;
      case "n log" -> n -> n * Math.log(n);
      case "n^1.5" -> n -> n * Math.sqrt(n);
      default -> n -> n * n;
    };
  }

  @ParameterizedTest
  @CsvSource({
    "1, constant",
    "log, logarithmic",
    "sqrt, linear",
    "n, linear",
    "n log, linear",
    "n^1.5, more",
    "n^2, more"
  })
  void knowsShapesUnderNoiseAndOnTopOfAConstant(String name, String verdict) {
    Random random = new Random(1);
    for (double base : new double[] {0, 500, 20_000}) {
      for (Long[] sizes :
          List.of(
              new Long[] {10_000L, 20_000L},
              new Long[] {1000L, 2000L, 4000L, 8000L},
              new Long[] {100L, 3000L, 10_000L, 11_000L, 90_000L})) {
        DoubleUnaryOperator shape = shape(name);
        double scale = (3 * base + 1000) / shape.applyAsDouble(sizes[0]);
        assertThat(
                curve(
                        n ->
                            base
                                + scale
                                    * shape.applyAsDouble(n)
                                    * (1 + 0.002 * random.nextDouble()),
                        sizes)
                    .verdict())
            .as(name + " " + base + " " + List.of(sizes))
            .hasToString(verdict);
      }
    }
  }

  @Test
  void twoPointsAreEnoughForConstantMemoryAndHalvesComeBesideOtherwise() {
    assertThat(curve(n -> 700_000, 10L, 20L).peaks()).hasSize(2);
    ran.clear();
    GrowthCurve linear = curve(n -> 100_000 + 50 * n, 10_000L, 20_000L);
    assertThat(ran).containsExactly(10_000L, 20_000L, 5_000L, 2_500L);
    assertThat(linear.peaks()).extracting(Peak::n).containsExactly(2500L, 5000L, 10_000L, 20_000L);
    assertThat(linear.bytesForEach()).isEqualTo(50);
    assertThat(curve(n -> n * 1e6, 1L, 2L).peaks()).hasSize(2);
  }

  @Test
  void garbageThatIsKeptWhileThereIsRoomIsNoGrowth() {
    GrowthCurve lazy =
        GrowthCurve.of(
            "any",
            "1",
            List.of(10_000L, 20_000L),
            true,
            (n, limit) -> new Peak(n, limit == 0 ? 100 * n : limit, 0, 7));
    assertThat(lazy.verdict()).isEqualTo(GrowthClass.CONSTANT);
    assertThat(lazy.note()).contains("with a limit of 1,050,000 bytes it runs n = 20,000, too");
    GrowthCurve alone =
        GrowthCurve.of(
            "any", "1", List.of(10_000L, 20_000L), false, (n, _) -> new Peak(n, 100 * n, 0, 7));
    assertThat(alone.verdict()).isEqualTo(GrowthClass.LINEAR);
  }

  /** No heap has a limit of less than 64 KiB, so small peaks are looked at for longer. */
  @Test
  void aSmallPeakThatRisesToALevelIsConstant() {
    GrowthCurve level = curve(n -> Math.min(30_000, 5 * n), 4000L, 8000L);
    assertThat(level.verdict()).isEqualTo(GrowthClass.CONSTANT);
    assertThat(level.peaks()).extracting(Peak::n).containsExactly(4000L, 8000L, 16_000L);
    assertThat(curve(n -> Math.min(60_000, 5 * n), 4000L, 8000L).verdict())
        .isEqualTo(GrowthClass.CONSTANT);
    assertThat(curve(n -> 5 * n, 4000L, 8000L).verdict()).isEqualTo(GrowthClass.LINEAR);
    GrowthCurve most =
        GrowthCurve.of(
            "any",
            "1",
            List.of(10L, 20L),
            true,
            (n, limit) -> {
              if (n > 20) {
                throw new GrowthException("n = 40: at most 20", null);
              }
              return new Peak(n, 100 * n, 0, 0);
            });
    assertThat(most.verdict()).isEqualTo(GrowthClass.LINEAR);
  }

  /** A limit that does not hold, or another result under it, proves nothing. */
  @Test
  void aRunWithinTheLimitHasToBeTheSameRun() {
    for (int i = 0; i < 2; i++) {
      int kind = i;
      GrowthCurve curve =
          GrowthCurve.of(
              "any",
              "1",
              List.of(10_000L, 20_000L),
              true,
              (n, limit) ->
                  new Peak(
                      n,
                      kind == 1 && limit > 0 ? limit : 100 * n,
                      0,
                      kind == 1 && limit > 0 ? 8 : 7));
      assertThat(curve.verdict()).isEqualTo(GrowthClass.LINEAR);
      assertThat(curve.note()).isEmpty();
    }
  }

  @Test
  void aRunThatFailsLeavesNoVerdict() {
    GrowthCurve failed =
        GrowthCurve.of(
            "any",
            "1",
            List.of(1L, 2L),
            true,
            (n, limit) -> {
              if (n == 2) {
                throw new GrowthException("n = 2: no", null);
              }
              return new Peak(n, 1, 0, 0);
            });
    assertThat(failed.verdict()).isNull();
    assertThat(failed.note()).isEqualTo("n = 2: no");
    assertThat(failed.peaks()).hasSize(1);
  }
}
