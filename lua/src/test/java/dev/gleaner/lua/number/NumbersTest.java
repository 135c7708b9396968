package dev.gleaner.lua.number;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lua.Oracle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Numbers are written and read as lua5.4 does it. */
class NumbersTest {
  private static final int CASES = Integer.getInteger("gleanertest.cases", 2000);

  @Test
  void writesWhatLuaHasWritten() {
    checkResource("written.txt", new NumberCases(1)::write);
  }

  @Test
  void readsWhatLuaHasRead() {
    checkResource("read.txt", new NumberCases(1)::read);
  }

  /** Each case is followed by the line that lua5.4 printed for it. */
  private static void checkResource(String name, UnaryOperator<String> ours) {
    String[] lines = Oracle.resource(NumbersTest.class, "/number/" + name).split("\n", -1);
    assertThat(lines.length).isGreaterThan(1000);
    for (int i = 0; i + 1 < lines.length; i += 2) {
      assertThat(ours.apply(lines[i])).as(lines[i]).isEqualTo(lines[i + 1]);
    }
  }

  @Test
  void writesAsLua() throws IOException {
    NumberCases cases = new NumberCases(seed());
    List<String> asked = new ArrayList<>();
    for (int i = 0; i < CASES; i++) {
      asked.add(cases.written());
    }
    compare(NumberCases.WRITE, asked, cases::write);
  }

  @Test
  void readsAsLua() throws IOException {
    NumberCases cases = new NumberCases(seed());
    List<String> asked = new ArrayList<>();
    for (int i = 0; i < CASES; i++) {
      asked.add(cases.numeral());
    }
    compare(NumberCases.READ, asked, cases::read);
  }

  private static long seed() {
    long seed = Long.getLong("gleaner.seed", 42);
    System.out.println("seed " + seed);
    return seed;
  }

  private static void compare(String script, List<String> asked, UnaryOperator<String> ours)
      throws IOException {
    Oracle.require();
    Path file = Files.createTempFile("numbers", ".txt");
    try {
      Files.write(file, asked, StandardCharsets.ISO_8859_1);
      String[] answers = Oracle.run(script, file.toString()).split("\n", -1);
      for (int i = 0; i < asked.size(); i++) {
        assertThat(ours.apply(asked.get(i))).as(asked.get(i)).isEqualTo(answers[i]);
      }
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void knowsWhichFloatsAreIntegers() {
    assertThat(Numbers.hasInteger(-0x1p63)).isTrue();
    assertThat(Numbers.hasInteger(0x1p63)).isFalse();
    assertThat(Numbers.hasInteger(Math.nextDown(0x1p63))).isTrue();
    assertThat(Numbers.hasInteger(0.5)).isFalse();
    assertThat(Numbers.hasInteger(-0.0)).isTrue();
    assertThat(Numbers.hasInteger(Double.NaN)).isFalse();
    assertThat(Numbers.hasInteger(Double.POSITIVE_INFINITY)).isFalse();
  }

  @Test
  void theValueThatIsNoNumberHasTheSignOfTheUsualProcessors() {
    assertThat(Numbers.text(Double.NaN)).isEqualTo("-nan");
    assertThat(Numbers.text(-1.0)).isEqualTo("-1.0");
    assertThat(Numbers.text(Long.MIN_VALUE)).isEqualTo("-9223372036854775808");
    assertThat(Numbers.parse("0x10")).isEqualTo(16L);
    assertThat(Numbers.parse("1e1")).isEqualTo(10.0);
    assertThat(Numbers.parse("nan")).isNull();
  }

  @Test
  void keepsLittleOfALongNumeral() {
    NumberReader reader = new NumberReader();
    byte[] zeros = "0".repeat(1000).getBytes(StandardCharsets.ISO_8859_1);
    reader.begin();
    reader.feed(new byte[] {'0', '.'}, 0, 2);
    for (int i = 0; i < 1000; i++) {
      assertThat(reader.feed(zeros, 0, zeros.length)).isTrue();
    }
    byte[] rest = "15e1000001".getBytes(StandardCharsets.ISO_8859_1);
    reader.feed(rest, 0, rest.length);
    assertThat(reader.end()).isTrue();
    assertThat(reader.toDouble()).isEqualTo(1.5);
  }
}
