package dev.gleaner.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tagged values: every value of a type comes back, and is of that type alone. */
class ValuesTest {

  private static void only(long v, boolean reference, boolean integer, boolean real, boolean bool) {
    assertThat(Values.isReference(v)).isEqualTo(reference);
    assertThat(Values.isInt(v)).isEqualTo(integer);
    assertThat(Values.isDouble(v)).isEqualTo(real);
    assertThat(Values.isBoolean(v)).isEqualTo(bool);
    // What a scan tests: clear in references and undefined, and in nothing else.
    assertThat((v & Values.NOT_REFERENCE) == 0).isEqualTo(reference || v == Values.UNDEFINED);
  }

  @Test
  void theSpecialValues() {
    only(Values.UNDEFINED, false, false, false, false);
    only(Values.NULL, false, false, false, false);
    only(Values.FALSE, false, false, false, true);
    only(Values.TRUE, false, false, false, true);
  }

  @Test
  void integers() {
    int[] edges = {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE};
    for (int i : edges) {
      only(Values.ofInt(i), false, true, false, false);
      assertThat((int) Values.ofInt(i)).isEqualTo(i);
    }
    Random random = new Random(42);
    for (int n = 0; n < 10_000; n++) {
      int i = random.nextInt();
      only(Values.ofInt(i), false, true, false, false);
      assertThat((int) Values.ofInt(i)).isEqualTo(i);
    }
  }

  @Test
  void doubles() {
    double[] edges = {
      0.0,
      -0.0,
      1.0,
      -1.0,
      Double.MIN_VALUE,
      -Double.MIN_VALUE,
      Double.MIN_NORMAL,
      Double.MAX_VALUE,
      -Double.MAX_VALUE,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.NaN,
      Double.longBitsToDouble(-1L), // a NaN of another sign and payload
      Double.longBitsToDouble(0x7FF0_0000_0000_0001L),
    };
    for (double d : edges) {
      only(Values.ofDouble(d), false, false, true, false);
      assertThat(Double.doubleToLongBits(Values.toDouble(Values.ofDouble(d))))
          .isEqualTo(Double.doubleToLongBits(d));
    }
    Random random = new Random(42);
    for (int n = 0; n < 100_000; n++) {
      double d = Double.longBitsToDouble(random.nextLong());
      only(Values.ofDouble(d), false, false, true, false);
      assertThat(Double.doubleToLongBits(Values.toDouble(Values.ofDouble(d))))
          .isEqualTo(Double.doubleToLongBits(d));
    }
  }

  @Test
  void referencesAreAlignedOffsetsBelow48Bits() {
    for (long e = 8; e < 1L << 48; e <<= 1) {
      only(e, true, false, false, false);
    }
    only((1L << 48) - 8, true, false, false, false);
  }

  @Test
  void rawWordsAreOfNoTypeAndKeep48Bits() {
    for (long bits : new long[] {0, 8, 1024, (1L << 48) - 1}) {
      only(Values.ofRaw(bits), false, false, false, false);
      assertThat(Values.raw(Values.ofRaw(bits))).isEqualTo(bits);
    }
    only(TableLayout.HOLE, false, false, false, false);
    assertThat(TableLayout.HOLE).isNotEqualTo(Values.UNDEFINED);
  }
}
