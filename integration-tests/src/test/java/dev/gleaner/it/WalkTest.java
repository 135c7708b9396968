package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Walks over properties, by cursor and from keys, under every collector: what is there throughout
 * is seen once. The random programs have walks in the midst of everything else.
 */
@Tag("L1")
class WalkTest {
  private static final int OBJECT = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int OTHER = 3;
  private static final int SLOTS = 6;

  /** The two ways to walk. */
  enum Way {
    CURSOR,
    KEYS
  }

  /** A walk of one of the ways; the key it stands on is in a slot of its own. */
  private static final class Walk {
    private final Mutator t;
    private final Way way;
    private final int key;
    private long cursor;

    Walk(Mutator t, Way way, int key) {
      this.t = t;
      this.way = way;
      this.key = key;
      t.setUndefined(key);
    }

    boolean next() {
      if (way == Way.KEYS) {
        return t.nextPropertyAfter(OBJECT, key, key, VALUE);
      }
      cursor = t.nextProperty(OBJECT, cursor, key, VALUE);
      return cursor >= 0;
    }
  }

  static Stream<Arguments> ways() {
    return Installed.collectors().stream()
        .flatMap(c -> Stream.of(Way.values()).map(way -> Arguments.of(c, way)));
  }

  static Stream<String> collectors() {
    return Installed.collectors().stream();
  }

  private static Heap open(String collector) {
    Heap heap = Installed.open(collector, "memory.max = 1MiB");
    heap.mutator().enter(SLOTS);
    heap.mutator().newObject(OBJECT);
    return heap;
  }

  private static void put(Mutator t, int first, int end) {
    for (int i = first; i < end; i++) {
      t.newString(OTHER, "key " + i);
      t.putProperty(OBJECT, OTHER, VALUE);
    }
  }

  private static void emergency(Mutator t) {
    assertThatThrownBy(() -> t.newRecord(OTHER, 1 << 20))
        .isInstanceOf(HeapExhaustedException.class);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aWalkThatDeletesWhatItSeesOutlastsAnEmergency(String collector, Way way) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      put(t, 0, 1000);
      Walk walk = new Walk(t, way, KEY);
      for (int seen = 0; seen < 1000; seen++) {
        assertThat(walk.next()).as("after %s", seen).isTrue();
        assertThat(t.getString(KEY)).isEqualTo("key " + seen);
        assertThat(t.deleteProperty(OBJECT, KEY)).isTrue();
        if (seen % 250 == 0) {
          emergency(t);
        }
      }
      assertThat(walk.next()).isFalse();
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void puttingAndDeletingOthersMakesNoDifference(String collector, Way way) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      put(t, 0, 300);
      for (int i = 0; i < 300; i++) {
        if (i % 3 > 0) {
          t.newString(OTHER, "key " + i);
          assertThat(t.deleteProperty(OBJECT, OTHER)).isTrue();
        }
      }
      Walk walk = new Walk(t, way, KEY);
      Set<String> seen = new HashSet<>();
      for (int i = 0; walk.next(); i++) {
        assertThat(seen.add(t.getString(KEY))).as("once").isTrue();
        if (i < 50) {
          put(t, 1000 + 10 * i, 1010 + 10 * i);
          for (int k = 0; k < 10; k++) {
            t.newString(OTHER, "key " + (1000 + 10 * i + k));
            assertThat(t.deleteProperty(OBJECT, OTHER)).isTrue();
          }
        } else if (i == 50) {
          t.newString(KEY, "key 150");
          assertThat(t.deleteProperty(OBJECT, KEY)).as("where it stands").isTrue();
          t.putProperty(OBJECT, KEY, VALUE);
          seen.remove("key 150");
        }
        heap.collect(i % 7 == 0 ? CollectFlags.EMERGENCY : 0);
      }
      assertThat(seen).hasSize(100);
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void walksInEachOther(String collector, Way way) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      put(t, 0, 40);
      Walk outer = new Walk(t, way, KEY);
      for (int i = 0; i < 20; i++) {
        assertThat(outer.next()).isTrue();
        assertThat(t.getString(KEY)).isEqualTo("key " + i);
        Walk inner = new Walk(t, way, 4);
        int seen = 0;
        while (inner.next()) {
          seen++;
        }
        assertThat(seen).isEqualTo(40 - i);
        Walk givenUp = new Walk(t, way, 4);
        assertThat(givenUp.next()).isTrue();
        assertThat(t.deleteProperty(OBJECT, KEY)).isTrue();
        heap.collect(CollectFlags.EMERGENCY);
      }
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void theFirstKeyOverAndOverNeedsConstantSpace(String collector, Way way) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      put(t, 0, 10);
      heap.collect();
      long before = heap.statistics().usedBytes();
      for (int i = 0; i < 20_000; i++) {
        assertThat(new Walk(t, way, KEY).next()).isTrue();
        boolean _ = t.deleteProperty(OBJECT, KEY);
        put(t, 10 + i, 11 + i);
        t.wipe(1);
      }
      heap.collect();
      assertThat(heap.statistics().usedBytes()).isLessThan(before + 2048);
      assertThat(heap.statistics().strings()).isLessThanOrEqualTo(12);
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aKeyThatIsNoneIsRefused(String collector) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      put(t, 0, 20);
      for (String text : new String[] {"key 3", "key 5", "none"}) {
        t.newString(KEY, text);
        boolean _ = t.deleteProperty(OBJECT, KEY);
        refuses(t); // nobody walked when it was deleted
      }
      t.setUndefined(KEY);
      assertThat(t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE)).isTrue();
      assertThat(t.getString(KEY)).isEqualTo("key 0");
      for (String text : new String[] {"key 0", "key 7", "key 8", "key 9"}) {
        t.newString(KEY, text);
        assertThat(t.deleteProperty(OBJECT, KEY)).isTrue();
        heap.collect(CollectFlags.EMERGENCY);
      }
      t.newString(KEY, "key 8");
      refuses(t); // neither answered nor deleted last
      expectNext(t, "key 9", "key 10"); // deleted last; now key 10 was answered last
      t.newString(KEY, "key 0");
      refuses(t);
      expectNext(t, "key 9", "key 10");
      t.newObject(OBJECT);
      t.newString(KEY, "key 9");
      refuses(t);
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  private static void refuses(Mutator t) {
    assertThatThrownBy(() -> t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE))
        .isInstanceOf(HeapUsageException.class)
        .hasMessageContaining("no key to go on from");
  }

  private static void expectNext(Mutator t, String from, String next) {
    t.newString(KEY, from);
    assertThat(t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE)).isTrue();
    assertThat(t.getString(KEY)).isEqualTo(next);
  }

  /** The table has no entry when it grows, so that the index alone says where the walk is. */
  @ParameterizedTest
  @MethodSource("collectors")
  void goesOnFromADeletedKeyIfItStoodOnAnIndexBefore(String collector) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      t.setInt(VALUE, 1);
      t.putIndex(OBJECT, 0, VALUE);
      assertThat(t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE)).isTrue();
      assertThat(t.deleteProperty(OBJECT, KEY)).isTrue();
      t.newString(OTHER, "key");
      t.putProperty(OBJECT, OTHER, VALUE);
      assertThat(t.deleteProperty(OBJECT, OTHER)).isTrue();
      assertThat(t.nextPropertyAfter(OBJECT, OTHER, KEY, VALUE)).isFalse();
    }
  }

  /** The key that the walk stands on was deleted last, until an index was. */
  @ParameterizedTest
  @MethodSource("collectors")
  void letsGoOfADeletedKeyOnceItWentOnThoughAnIndexWasDeletedBetween(String collector) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      put(t, 0, 2);
      t.putIndex(OBJECT, 0, VALUE);
      t.setInt(KEY, 0);
      assertThat(t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE)).isTrue();
      assertThat(t.getString(KEY)).isEqualTo("key 0");
      assertThat(t.deleteProperty(OBJECT, KEY)).isTrue();
      t.setArrayLength(OBJECT, 0);
      expectNext(t, "key 0", "key 1");
      t.newString(KEY, "key 0");
      refuses(t);
      t.wipe(1);
      heap.collect();
      assertThat(heap.statistics().strings()).isOne();
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }
}
