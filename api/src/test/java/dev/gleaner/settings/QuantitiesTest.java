package dev.gleaner.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes and times in all units, and those that no setting can be. */
class QuantitiesTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "65536, 65536",
    "7B, 7",
    "512k, 524288",
    "1.5 KiB, 1536",
    "64K, 65536",
    "1kB, 1000",
    "2 megabytes, 2000000",
    "1 mebibyte, 1048576",
    "1e3k, 1024000",
    "1 GiB, 1073741824",
    "7E, 8070450532247928832",
    "9223372036854775807, 9223372036854775807",
    "0 yottabytes, 0",
    "0.000001 Z, 1180591620717411",
    "-1k, -1024"
  })
  void sizes(String text, long bytes) {
    assertThat(Quantities.bytes(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "1ns, 1",
    "500us, 500000",
    "1.5 ms, 1500000",
    "2s, 2000000000",
    "3 minutes, 180000000000",
    "1 hour, 3600000000000",
    "1d, 86400000000000"
  })
  void times(String text, long nanos) {
    assertThat(Quantities.nanos(text)).isEqualTo(nanos);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "k",
        "1e99999999k",
        "1e999999999KiB",
        "1e-999999999GiB",
        "20Y",
        "8E",
        "9223372036854775808",
        "99999999999999999 k",
        "1 zettabyte",
        "random",
        "1 kb",
        "1x",
        "1e99999999999999",
        "NaN",
        "Infinity",
        "0x10",
        "1e1e1s",
        "1 1s",
        "200000d",
        "1ss"
      })
  void whatIsNone(String text) {
    assertThat(Quantities.bytes(text)).isNull();
    assertThat(Quantities.nanos(text)).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 1_000_000})
  void aTextLongerThanAnyNumberIsNone(int digits) {
    assertThat(Quantities.bytes("0".repeat(digits))).isNull();
    assertThat(Quantities.decimal("9".repeat(digits))).isNull();
  }
}
