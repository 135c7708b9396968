package dev.gleaner.lab.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AxisTest {
  private static final double MIB = 1 << 20;

  private static List<String> texts(Axis axis) {
    return axis.ticks().stream().map(Axis.Tick::text).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BYTES | 45875200    | 5 | memory, MiB | 0 10 20 30 40 50",
        "BYTES | 1048576     | 4 | memory, MiB | 0 0.2 0.4 0.6 0.8 1.0",
        "BYTES | 700         | 5 | memory, B   | 0 200 400 600 800",
        "BYTES | 1000        | 5 | memory, B   | 0 200 400 600 800 1000",
        "TIME  | 0.733       | 4 | memory, ms  | 0 200 400 600 800",
        "TIME  | 1.3         | 5 | memory, s   | 0 0.5 1.0 1.5",
        "TIME  | 0           | 4 | memory, ms  | 0 0.2 0.4 0.6 0.8 1.0",
      })
  void linearOnesEndAtATick(Quantity quantity, double most, int steps, String label, String ticks) {
    Axis axis = Axis.linear("memory", quantity, most, steps, true);
    assertThat(axis.label()).isEqualTo(label);
    assertThat(texts(axis)).containsExactly(ticks.split(" "));
    assertThat(axis.high()).isEqualTo(axis.ticks().getLast().value()).isGreaterThanOrEqualTo(most);
    assertThat(axis.at(0)).isZero();
    assertThat(axis.at(axis.high() / 2)).isEqualTo(0.5);
  }

  @Test
  void anAxisOfTimeEndsWithTheData() {
    Axis axis = Axis.linear("time", Quantity.TIME, 0.733, 8, false);
    assertThat(axis.high()).isEqualTo(0.733);
    assertThat(texts(axis)).containsExactly("0", "100", "200", "300", "400", "500", "600", "700");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TIME  | 0.085   | 1.3       | 50 ms,100 ms,200 ms,500 ms,1 s,2 s",
        "TIME  | 0.00001 | 0.1       | 10 µs,100 µs,1 ms,10 ms,100 ms",
        "TIME  | 0.001   | 0.001     | 1 ms,2 ms",
        "BYTES | 1048576 | 8388608   | 1 MiB,2 MiB,4 MiB,8 MiB",
        "BYTES | 3000    | 500000000 | 2 KiB,16 KiB,128 KiB,1 MiB,8 MiB,64 MiB,512 MiB",
      })
  void logarithmicOnesHaveRoundTicks(Quantity quantity, double least, double most, String ticks) {
    Axis axis = Axis.logarithmic("x", quantity, least, most);
    assertThat(texts(axis)).containsExactly(ticks.replace(' ', '\u00a0').split(","));
    assertThat(axis.low()).isLessThanOrEqualTo(least * 1.000001);
    assertThat(axis.high()).isGreaterThanOrEqualTo(most * 0.999999);
    double middle = Math.sqrt(axis.low() * axis.high());
    assertThat(axis.at(middle)).isCloseTo(0.5, within(1e-9));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 3e-7, 0.00042, 0.009999999999, 0.5, 1, 17, 3600})
  void everyRangeHasAFewTicksInGrowingOrder(double most) {
    for (Axis axis :
        List.of(
            Axis.linear("x", Quantity.TIME, most, 5, true),
            Axis.logarithmic("x", Quantity.TIME, most / 300, most))) {
      List<Double> values = axis.ticks().stream().map(Axis.Tick::value).toList();
      assertThat(values).hasSizeBetween(2, 8).isSorted().doesNotHaveDuplicates();
      assertThat(texts(axis)).doesNotHaveDuplicates();
    }
  }

  @Test
  void aWideRangeIsLogarithmic() {
    assertThat(Axis.fitting("x", Quantity.BYTES, 20 * MIB, 44 * MIB).logarithmic()).isFalse();
    assertThat(Axis.fitting("x", Quantity.BYTES, 20 * MIB, 487 * MIB).logarithmic()).isTrue();
    assertThat(Axis.fitting("x", Quantity.BYTES, 0, 487 * MIB).logarithmic()).isFalse();
  }

  @Test
  void whatLiesOutsideIsAtTheEdge() {
    Axis axis = Axis.logarithmic("x", Quantity.TIME, 0.001, 1);
    assertThat(axis.at(0)).isZero();
    assertThat(axis.at(Double.MAX_VALUE)).isEqualTo(1);
  }
}
