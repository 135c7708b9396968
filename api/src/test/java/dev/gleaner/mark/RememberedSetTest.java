package dev.gleaner.mark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.testing.Seeds;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Offsets, each once, against a set. */
class RememberedSetTest {
  private static final long BYTES = 4 << 20;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isASetInTheOrderOfItsMembers(boolean reserve) {
    Seeds.forEach(3, random -> check(random, reserve));
  }

  private static void check(Random random, boolean reserve) {
    try (RememberedSet set = new RememberedSet(BYTES, reserve)) {
      Set<Long> expected = new LinkedHashSet<>();
      for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 300; i++) {
          long offset = random.nextInt(round < 20 ? 500 : (int) BYTES >> 3) * 8L;
          assertThat(set.contains(offset)).isEqualTo(expected.contains(offset));
          assertThat(set.add(offset)).isEqualTo(expected.add(offset));
          assertThat(set.contains(offset)).isTrue();
        }
        List<Long> seen = new ArrayList<>();
        set.retain(offset -> {
          seen.add(offset);
          return offset % 24 == 0;
        });
        assertThat(seen).containsExactlyElementsOf(expected);
        expected.removeIf(offset -> offset % 24 != 0);
        assertThat(set.size()).isEqualTo(expected.size());
        if (round % 10 == 9) {
          set.clear();
          expected.clear();
          assertThat(set.size()).isZero();
          assertThat(seen).noneMatch(set::contains);
        }
      }
    }
  }
}
