package dev.gleaner.util;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Numbers of entries: the lowest first, and a bound that falls. */
class NumbersTest {

  private static List<Integer> used(Numbers numbers, int first) {
    List<Integer> used = new ArrayList<>();
    for (int n = numbers.next(first); n < numbers.bound(); n = numbers.next(n + 1)) {
      used.add(n);
    }
    return used;
  }

  @Test
  void thereAreNoneAtFirst() {
    assertThat(used(new Numbers(0), 0)).isEmpty();
    assertThat(new Numbers(0).previous(9)).isNegative();
    assertThat(new Numbers(1).previous(9)).isZero();
    assertThat(new Numbers(1).bound()).isEqualTo(1);
    assertThat(new Numbers(1).take()).isEqualTo(1);
  }

  @Test
  void theBoundFallsToTheHighestThatIsLeft() {
    Numbers numbers = new Numbers(0);
    for (int i = 0; i < 200_000; i++) {
      assertThat(numbers.take()).isEqualTo(i);
    }
    for (int i = 0; i < 199_999; i++) {
      if (i != 77) {
        numbers.release(i);
      }
    }
    assertThat(numbers.bound()).isEqualTo(200_000);
    assertThat(used(numbers, 0)).containsExactly(77, 199_999);
    assertThat(numbers.previous(199_998)).isEqualTo(77);
    assertThat(numbers.previous(76)).isNegative();
    numbers.release(199_999);
    assertThat(numbers.bound()).isEqualTo(78);
    numbers.release(77);
    assertThat(numbers.bound()).isZero();
    assertThat(numbers.take()).isZero();
  }

  @Test
  void randomProgramsAgreeWithASet() {
    Seeds.forEach(20, NumbersTest::program);
  }

  private static void program(Random random) {
    int first = random.nextInt(3);
    Numbers numbers = new Numbers(first);
    TreeSet<Integer> model = new TreeSet<>();
    for (int i = 0; i < 2000; i++) {
      if (random.nextInt(500) < 250 + (i / 500 % 2 == 0 ? 100 : -100) || model.isEmpty()) {
        int lowest = first;
        while (model.contains(lowest)) {
          lowest++;
        }
        assertThat(numbers.take()).isEqualTo(lowest);
        model.add(lowest);
      } else {
        int some = model.first() + random.nextInt(model.last() - model.first() + 1);
        int n = model.floor(some);
        numbers.release(n);
        model.remove(n);
      }
      assertThat(numbers.bound()).isEqualTo(model.isEmpty() ? first : model.last() + 1);
      if (i % 50 == 0) {
        assertThat(used(numbers, first)).containsExactlyElementsOf(model);
        List<Integer> backwards = new ArrayList<>();
        for (int n = numbers.previous(5000); n >= first; n = numbers.previous(n - 1)) {
          backwards.add(n);
        }
        assertThat(backwards).containsExactlyElementsOf(model.descendingSet());
      }
    }
  }
}
