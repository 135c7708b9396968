package dev.gleaner.mark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dirty cards, against a set. */
class CardTableTest {
  private static final long BYTES = 8 << 20;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isLikeASet(boolean reserve) {
    Seeds.forEach(3, random -> check(random, reserve));
  }

  private static void check(Random random, boolean reserve) {
    try (CardTable cards = new CardTable(BYTES, reserve)) {
      TreeSet<Long> expected = new TreeSet<>();
      for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 200; i++) {
          long place = random.nextInt((int) BYTES >> 3) * 8L;
          cards.dirty(place);
          expected.add(place / CardTable.CARD * CardTable.CARD);
          assertThat(cards.isDirty(place)).isTrue();
          long other = random.nextInt((int) BYTES >> 3) * 8L;
          assertThat(cards.isDirty(other))
              .isEqualTo(expected.contains(other / CardTable.CARD * CardTable.CARD));
        }
        List<Long> found = new ArrayList<>();
        cards.forEach((start, end) -> {
          assertThat(end - start).isEqualTo(CardTable.CARD);
          found.add(start);
          return start % 1024 == 0;
        });
        assertThat(found).containsExactlyElementsOf(expected);
        expected.removeIf(start -> start % 1024 != 0);
        if (round % 10 == 9) {
          cards.clear();
          expected.clear();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 511, 512, BYTES - 8})
  void aCardIsDirtyAsAWhole(long place) {
    try (CardTable cards = new CardTable(BYTES, false)) {
      assertThat(cards.isDirty(place)).isFalse();
      cards.dirty(place);
      long start = place / CardTable.CARD * CardTable.CARD;
      assertThat(cards.isDirty(start)).isTrue();
      assertThat(cards.isDirty(start + CardTable.CARD - 1)).isTrue();
      assertThat(cards.isDirty(start + CardTable.CARD)).isFalse();
      assertThat(start == 0 || !cards.isDirty(start - 1)).isTrue();
    }
  }
}
