package dev.gleaner.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers to text and back, beside what Java has for it. */
@Tag("L6")
class DecimalTest {
  private final DecimalReader reader = new DecimalReader();
  private final DecimalWriter writer = new DecimalWriter();

  private boolean read(String text) {
    byte[] b = text.getBytes(StandardCharsets.ISO_8859_1);
    return reader.read(b, b.length);
  }

  private void sameAsJava(String text) {
    assertThat(read(text)).as(text).isTrue();
    assertThat(reader.toDouble()).as(text).isEqualTo(Double.valueOf(text));
  }

  @Test
  void doublesReadBack() {
    Random random = new Random(Long.getLong("gleaner.seed", 42));
    byte[] to = new byte[DecimalWriter.MOST + 1];
    for (int i = 0; i < 100_000; i++) {
      double d = Double.longBitsToDouble(random.nextLong());
      int n = writer.write(d, to, 1);
      assertThat(new String(to, 1, n, StandardCharsets.ISO_8859_1)).isEqualTo(Double.toString(d));
      sameAsJava(Double.toString(d));
    }
  }

  @Test
  void anyDigitsAreRoundedAsJavaDoes() {
    Random random = new Random(Long.getLong("gleaner.seed", 42));
    for (int i = 0; i < 100_000; i++) {
      StringBuilder text = new StringBuilder();
      int digits = 1 + random.nextInt(24);
      int point = random.nextInt(30);
      for (int j = 0; j < digits; j++) {
        text.append((char) ('0' + (random.nextInt(3) == 0 ? 0 : random.nextInt(10))));
        text.append(j == point ? "." : "");
      }
      int exponent = random.nextInt(60) - 30;
      text.append(random.nextBoolean() ? "" : "e" + (random.nextInt(9) == 0 ? 11 : 1) * exponent);
      sameAsJava(text.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.",
        ".5",
        "+1.5",
        "-0.0",
        "1e5",
        "1E-5",
        "1e+5",
        "4.9e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "1e309",
        "1e-400",
        "9007199254740993.0",
        "0.000000000000000000000000000001",
        "123456789012345678901234567890",
        "1e99999999999",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551617",
        "8.5e22",
        "6929495644600919.5"
      })
  void edgesAreThoseOfJava(String text) {
    sameAsJava(text);
    assertThat(reader.isInteger()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "-0",
        "7",
        "+7",
        "-2147483648",
        "2147483647",
        "2147483648",
        "-2147483649",
        "9223372036854775807",
        "-9223372036854775808",
        "1448997445238699",
        "9007199254740993",
        "000000000000000000000012"
      })
  void digitsAloneAreAnInteger(String text) {
    assertThat(read(text)).isTrue();
    assertThat(reader.isInteger()).isTrue();
    assertThat(reader.toLong()).isEqualTo(Long.parseLong(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN", "-NaN", "Infinity", "+Infinity", "-Infinity"})
  void theWordsOfDoublesAreRead(String text) {
    sameAsJava(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "-", ".", "e5", "1e", "1e+", "1 ", " 1", "1.2.3", "1d", "0x10", "--1", "1e5.", "nan",
        "Inf", "1a"
      })
  void allElseIsNoNumber(String text) {
    assertThat(read(text)).isFalse();
  }
}
