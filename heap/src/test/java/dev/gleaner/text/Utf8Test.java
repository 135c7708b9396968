package dev.gleaner.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.memory.Memory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** UTF-8, with unpaired surrogates kept. */
class Utf8Test {

  private static byte[] encode(String text) {
    byte[] to = new byte[text.length() * 3];
    return Arrays.copyOf(to, Utf8.encode(text, 0, to));
  }

  private static int count(byte[] b) {
    try (Memory m = Memory.open(64, 64, false)) {
      m.write(8, b, 0, b.length);
      return Utf8.count(m, 8, b.length);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a", "\u007f\u0080\u07ff\u0800\uffff", "\ud800\udc00\udbff\udfff", "aé€😀z\0"})
  void isUtf8ForWellFormedText(String text) {
    assertThat(encode(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
    assertThat(Utf8.decode(encode(text))).isEqualTo(text);
    assertThat(count(encode(text))).isEqualTo(text.codePointCount(0, text.length()));
  }

  @Test
  void everyCodePointRoundTrips() {
    try (Memory m = Memory.open(64, 64, false)) {
      for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
        byte[] b = encode(Character.toString(c));
        m.write(8, b, 0, b.length);
        // assertions of the library are too slow for a million
        if (Utf8.length(b[0]) != b.length
            || Utf8.count(m, 8, b.length) != 1
            || Utf8.decode(b).codePointAt(0) != c
            || Utf8.decodeAt(m, 8) != c) {
          throw new AssertionError("U+" + Integer.toHexString(c));
        }
      }
    }
  }

  @Test
  void everyJavaStringRoundTrips() {
    Random random = new Random(Long.getLong("gleaner.seed", 42));
    char[] some = {'a', 'é', '€', '\ud83d', '\ude00', '\ud800', '\udfff', '\0'};
    for (int i = 0; i < 5000; i++) {
      char[] text = new char[random.nextInt(12)];
      for (int at = 0; at < text.length; at++) {
        text[at] = some[random.nextInt(some.length)];
      }
      String s = new String(text);
      byte[] b = encode(s);
      assertThat(Utf8.decode(b)).isEqualTo(s);
      assertThat(count(b)).isEqualTo(s.codePointCount(0, s.length()));
    }
  }

  @Test
  void encodesBehindWhatIsAlreadyWritten() {
    byte[] to = {'a', 'b', 0, 0, 0};
    assertThat(Utf8.encode("ab€", 2, to)).isEqualTo(5);
    assertThat(to).isEqualTo("ab€".getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80", // a continuation alone
        "bf80",
        "c3", // cut off
        "e282",
        "f09f98",
        "c328", // no continuation
        "e28228",
        "c080", // not the shortest form
        "c1bf",
        "e09fbf",
        "f08fbfbf",
        "f4908080", // beyond the last code point
        "f8808080",
        "ff",
        "eda0bdedb880", // a surrogate pair as two characters
        "6180"
      })
  void whatIsNoUtf8HasNoCharacters(String hex) {
    byte[] b = HexFormat.of().parseHex(hex);
    assertThat(count(b)).isNegative();
  }

  @Test
  void unpairedSurrogatesAreThreeBytesEach() {
    byte[] b = HexFormat.of().parseHex("edb880eda0bd"); // low, then high: no pair
    assertThat(count(b)).isEqualTo(2);
    assertThat(Utf8.decode(b)).isEqualTo("\ude00\ud83d");
  }
}
