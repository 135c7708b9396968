package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "5, 5",
    "1234567, 1234567",
    "1.2345, 1.23",
    "12.345, 12.3",
    "123.45, 123",
    "9.9996, 10.0",
    "0.5, 0.500",
    "0.00123456, 0.00123",
    "0.000000001, 0.000000",
    "-1.5, -1.50"
  })
  void threeSignificantDigits(double value, String text) {
    assertThat(Units.digits(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"7, 7", "9999, 9999", "10000, 10 k", "14940649, 14.9 M", "2.5e9, 2.50 G"})
  void counts(double count, String text) {
    assertThat(Units.count(count)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"0, ms", "0.0000012, µs", "0.5, ms", "0.9999, s", "300, s"})
  void unitsOfTime(double seconds, String unit) {
    assertThat(Units.time(seconds).name()).isEqualTo(unit);
  }

  @Test
  void sizes() {
    assertThat(Units.bytes(0)).isEqualTo("0 B");
    assertThat(Units.bytes(1 << 20)).isEqualTo("1 MiB");
    assertThat(Units.bytes(1.5 * (1L << 30))).isEqualTo("1.50 GiB");
  }
}
