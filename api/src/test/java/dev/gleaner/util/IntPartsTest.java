package dev.gleaner.util;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.testing.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IntPartsTest {
  @Test
  void growsShrinksAndKeepsWhatIsThere() {
    Seeds.forEach(5, IntPartsTest::program);
  }

  private static void program(Random random) {
    IntParts parts = new IntParts();
    int[] model = new int[20_000];
    int size = 16;
    for (int i = 0; i < 60; i++) {
      int n = random.nextInt(random.nextBoolean() ? model.length : 100);
      for (; size > n; size--) {
        parts.set(size - 1, 0);
        model[size - 1] = 0;
      }
      parts.trim(n);
      parts.ensure(n);
      size = Math.max(size, n);
      for (int k = 0; k < 20 && n > 0; k++) {
        int at = random.nextInt(n);
        parts.set(at, i + 1);
        model[at] = i + 1;
      }
      for (int at = 0; at < n; at++) {
        assertThat(parts.get(at)).isEqualTo(model[at]);
      }
      if (random.nextInt(20) == 0) {
        parts.clear();
        model = new int[model.length];
      }
    }
  }
}
