package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The string access cache: few entries, weak ones. */
@Tag("D11")
class StringCacheTest {
  private final StringCache cache = new StringCache(2);

  private void remember(long string, int character, int offset) {
    cache.remember(cache.find(string), string, character, character + 1, offset);
  }

  @Test
  void remembersWhereACharacterBegins() {
    remember(800, 5, 11);
    int e = cache.find(800);
    assertThat(e).isNotNegative();
    assertThat(cache.character(e)).isEqualTo(5);
    assertThat(cache.unit(e)).isEqualTo(6);
    assertThat(cache.offset(e)).isEqualTo(11);
    remember(800, 6, 14);
    assertThat(cache.find(800)).as("one entry a string").isEqualTo(e);
    assertThat(cache.offset(e)).isEqualTo(14);
    remember(808, 7, 20);
    assertThat(cache.character(cache.find(808))).isEqualTo(7);
    assertThat(cache.character(cache.find(800))).isEqualTo(6);
  }

  @Test
  void theOldestEntryGoesFirst() {
    remember(800, 1, 1);
    remember(808, 2, 2);
    remember(800, 3, 3);
    remember(816, 4, 4);
    assertThat(cache.find(800)).isEqualTo(-1);
    assertThat(cache.find(808)).isNotNegative();
    assertThat(cache.find(816)).isNotNegative();
  }

  @Test
  void anEntryGoesWithItsString() {
    remember(800, 1, 1);
    remember(808, 2, 2);
    cache.sweep(s -> s == 808);
    assertThat(cache.find(800)).isEqualTo(-1);
    assertThat(cache.find(808)).isNotNegative();
  }

  @Test
  void anEntryFollowsItsString() {
    remember(8, 3, 5);
    cache.relocate(e -> e + 100);
    assertThat(cache.find(8)).isNegative();
    int entry = cache.find(108);
    assertThat(cache.character(entry)).isEqualTo(3);
    assertThat(cache.offset(entry)).isEqualTo(5);
    assertThat(cache.find(100)).as("an empty entry is no string's").isNegative();
  }

  @Test
  void aCacheWithoutEntriesRemembersNothing() {
    StringCache none = new StringCache(0);
    none.remember(-1, 800, 1, 1, 1);
    assertThat(none.find(800)).isEqualTo(-1);
    none.sweep(s -> false);
  }
}
