package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Values;
import dev.gleaner.testing.Region;
import dev.gleaner.util.PlaceHash;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L2")
class KeysTest {
  private static long ofDouble(double d) {
    return Keys.normal(Values.ofDouble(d));
  }

  @Test
  void aDoubleIsTheIntegerOfItsValueIfThereIsOne() {
    assertThat(ofDouble(3)).isEqualTo(Values.ofInt(3));
    assertThat(ofDouble(-0.0)).isEqualTo(Values.ofInt(0));
    assertThat(ofDouble(Integer.MAX_VALUE)).isEqualTo(Values.ofInt(Integer.MAX_VALUE));
    assertThat(ofDouble(Integer.MIN_VALUE)).isEqualTo(Values.ofInt(Integer.MIN_VALUE));
    for (double d : new double[] {0.5, 2147483648.0, -2147483649.0, 1e300, -1 / 0.0, 1 / 0.0}) {
      assertThat(ofDouble(d)).as("%s", d).isEqualTo(Values.ofDouble(d));
    }
  }

  @Test
  void undefinedNullAndNanAreNone() {
    assertThat(ofDouble(Double.NaN)).isEqualTo(Values.UNDEFINED);
    assertThat(Keys.normal(Values.NULL)).isEqualTo(Values.UNDEFINED);
    assertThat(Keys.normal(Values.UNDEFINED)).isEqualTo(Values.UNDEFINED);
    assertThat(Keys.isKey(Values.UNDEFINED)).isFalse();
    assertThat(Keys.isKey(Values.ofRaw(1))).isFalse();
    assertThat(Keys.isKey(Values.ofDouble(3))).isFalse();
    assertThat(Keys.isKey(Values.FALSE)).isTrue();
  }

  /** With any multiplier: keys in a row, and doubles that differ in their upper bits alone. */
  @Test
  void hashesAreSpreadInTheirLowerBits() {
    try (Region r = new Region(1 << 20)) {
      for (long seed = 1; seed < 200; seed++) {
        long multiplier = PlaceHash.multiplier(seed);
        Keys keys = new Keys(r.memory, new IdentityTable(multiplier), multiplier);
        Set<Integer> integers = new HashSet<>();
        Set<Integer> doubles = new HashSet<>();
        for (int i = 0; i < 512; i++) {
          integers.add(keys.hash(Values.ofInt(i << (seed % 20))) & 1023);
          doubles.add(keys.hash(Values.ofDouble((double) ((i + 1L) << 40))) & 1023);
        }
        assertThat(integers).as("seed %s", seed).hasSizeGreaterThan(300);
        assertThat(doubles).as("seed %s", seed).hasSizeGreaterThan(300);
      }
    }
  }
}
