package dev.gleaner.util;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.testing.Seeds;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A map from elements to numbers, against the one of the JDK. */
class ElementIndexTest {

  @Test
  void whatWasNeverPutHasNoNumber() {
    ElementIndex index = new ElementIndex();
    assertThat(index.get(8)).isEqualTo(-1);
    assertThat(index.remove(8)).isEqualTo(-1);
  }

  @Test
  void puttingAgainAnswersTheOldNumber() {
    ElementIndex index = new ElementIndex();
    assertThat(index.put(8, 0)).isEqualTo(-1);
    assertThat(index.put(8, 7)).isZero();
    assertThat(index.get(8)).isEqualTo(7);
    assertThat(index.remove(8)).isEqualTo(7);
    assertThat(index.put(8, 1)).isEqualTo(-1);
  }

  /** Few elements that come and go fill the gaps that removing leaves; many make it grow. */
  @Test
  void randomProgramsAgreeWithAMap() {
    Seeds.forEach(
        40,
        random -> {
          ElementIndex index = new ElementIndex();
          Map<Long, Integer> model = new HashMap<>();
          int distinct = 1 << (2 + random.nextInt(11));
          int shift = 3 + random.nextInt(12); // as far apart as cells of a size are
          for (int i = 0; i < 5000; i++) {
            long e = (1L + random.nextInt(distinct)) << shift;
            switch (random.nextInt(5)) {
              case 0, 1 -> {
                int number = random.nextInt(1000);
                Integer old = model.put(e, number);
                assertThat(index.put(e, number)).isEqualTo(old == null ? -1 : old);
              }
              case 2, 3 -> {
                Integer old = model.remove(e);
                assertThat(index.remove(e)).isEqualTo(old == null ? -1 : old);
              }
              default -> assertThat(index.get(e)).isEqualTo(model.getOrDefault(e, -1));
            }
            if (i % 1000 == 999) {
              assertSame(index, model, distinct, shift);
            }
          }
        });
  }

  private static void assertSame(
      ElementIndex index, Map<Long, Integer> model, int distinct, int shift) {
    for (long i = 1; i <= distinct; i++) {
      assertThat(index.get(i << shift)).isEqualTo(model.getOrDefault(i << shift, -1));
    }
  }

  @Test
  void aHundredThousandAreFoundInAnyOrder() {
    ElementIndex index = new ElementIndex();
    int[] order = new Random(1).ints(100_000, 0, 1 << 30).distinct().toArray();
    for (int i = 0; i < order.length; i++) {
      index.put((order[i] + 1L) << 3, i);
    }
    for (int i = 0; i < order.length; i += 2) {
      assertThat(index.remove((order[i] + 1L) << 3)).isEqualTo(i);
    }
    for (int i = 0; i < order.length; i++) {
      assertThat(index.get((order[i] + 1L) << 3)).isEqualTo(i % 2 == 0 ? -1 : i);
    }
  }
}
