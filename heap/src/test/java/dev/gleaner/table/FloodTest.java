package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.BlockWatch;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.testing.Region;
import dev.gleaner.util.PlaceHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Strings that are made to collide spread over tables as any others do. Counted are the entries
 * that searches pass over, in linear probing.
 */
class FloodTest {
  private static final int N = 5000;
  private static final int SEEDS = 50;
  private static final long NOT_ASCII = 0x8080808080808080L;

  /** What each word was mixed with before there was a key. */
  private static long mix(long h) {
    long m = h * 0xD6E8FEB86659FD93L;
    return m ^ (m >>> 32);
  }

  private static int hashWithoutKey(byte[] b) {
    ByteBuffer words = ByteBuffer.wrap(b).order(ByteOrder.LITTLE_ENDIAN);
    long h = mix(mix(16 * 0x9E3779B97F4A7C15L ^ words.getLong(0)) ^ words.getLong(8));
    return (int) ((mix(h) * 0x9E3779B97F4A7C15L) >>> 32);
  }

  /** Texts of 16 characters of one hash: the second word takes away what the first one brings. */
  private static List<byte[]> colliding() {
    List<byte[]> texts = new ArrayList<>();
    long target = mix(0x123456789L);
    for (long counter = 0; texts.size() < N; counter++) {
      long first = 0;
      for (int i = 0; i < 8; i++) {
        first |= (0x30 + (counter >>> (4 * i) & 15)) << (8 * i);
      }
      long second = mix(16 * 0x9E3779B97F4A7C15L ^ first) ^ target;
      if ((second & NOT_ASCII) == 0) {
        texts.add(
            ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(first)
                .putLong(second)
                .array());
      }
    }
    return texts;
  }

  /** All strings of four letters of a few: what differs in few bits of a word. */
  private static List<byte[]> alike() {
    List<byte[]> texts = new ArrayList<>();
    for (int i = 0; i < N; i++) {
      byte[] b = new byte[12];
      for (int j = 0; j < 12; j++) {
        b[j] = (byte) ('a' + (i >> (2 * (j % 7)) & 3) * (j < 7 ? 1 : 0));
      }
      texts.add(b);
    }
    return texts;
  }

  /** Texts of numbers one after the other. */
  private static List<byte[]> numbers() {
    List<byte[]> texts = new ArrayList<>();
    for (int i = 0; i < N; i++) {
      texts.add(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(i * 256L).array());
    }
    return texts;
  }

  @Test
  void theyDidCollide() {
    List<byte[]> texts = colliding();
    assertThat(texts)
        .extracting(FloodTest::hashWithoutKey)
        .containsOnly(hashWithoutKey(texts.get(0)));
    assertThat(texts.stream().map(b -> ByteBuffer.wrap(b)).distinct()).hasSize(N);
  }

  @Test
  void stringsSpreadOverTheTableOfStrings() {
    for (List<byte[]> texts : List.of(colliding(), alike(), numbers())) {
      for (int seed = 0; seed < SEEDS; seed++) {
        StringHash hash = new StringHash(seed);
        int capacity = 1 << 14; // at the load where the table doubles, 3/8
        boolean[] taken = new boolean[capacity];
        int passed = 0;
        for (byte[] b : texts) {
          int i = hash.of(b, 0, b.length) & (capacity - 1);
          for (; taken[i]; i = (i + 1) & (capacity - 1)) {
            passed++;
          }
          taken[i] = true;
        }
        assertThat(passed).as("seed %s", seed).isLessThan(N); // 12 million when they collide
      }
    }
  }

  @Test
  void keysSpreadOverTheHashPartOfATable() {
    for (List<byte[]> texts : List.of(colliding(), alike(), numbers())) {
      try (Region r = new Region(4 << 20)) {
        StringHash hash = new StringHash(1);
        PropertyTables tables =
            new PropertyTables(
                r.raw, r.allocator, new Keys(r.memory, new IdentityTable(1), 1), new BlockWatch());
        long o = r.object();
        for (byte[] b : texts) {
          long key = r.string(hash.of(b, 0, b.length), 1);
          if (tables.placeForPut(o, key) == 0) {
            assertThat(tables.makeRoom(o, key)).isTrue();
            assertThat(tables.placeForPut(o, key)).isNegative();
          }
        }
        assertThat(passed(r, Values.raw(r.memory.get(o + Layout.OBJECT_TABLE)))).isLessThan(N);
      }
    }
  }

  private static int passed(Region r, long table) {
    int mask = (1 << TableLayout.log(r.memory.get(table + TableLayout.HASH))) - 1;
    int passed = 0;
    for (int i = 0; i <= mask; i++) {
      int e = r.memory.getInt(TableLayout.hashAt(r.memory, table) + 4L * i);
      if (e != 0) {
        long key = r.memory.get(TableLayout.entryAt(table, e - 1));
        passed += (i - (int) (r.memory.get(key + Layout.STRING_WORD) >>> 32)) & mask;
      }
    }
    return passed;
  }

  /**
   * Places at which a product with a known number collides: each 2^20th, nearly, and those near.
   */
  @Test
  void identityHashesOfChosenElementsAreFoundAtOnce() {
    for (int seed = 0; seed < SEEDS; seed++) {
      long multiplier = PlaceHash.multiplier(seed);
      int capacity = 1 << 14;
      boolean[] taken = new boolean[capacity];
      int passed = 0;
      int n = 0;
      for (long place = 1; n < N; place++) {
        int known = (int) ((place * 0x9E3779B97F4A7C15L) >>> 32) & (capacity - 1);
        if (known < 64) { // what lands in 64 places of the table without a seed
          n++;
          int i = PlaceHash.of(place << 3, multiplier) & (capacity - 1);
          for (; taken[i]; i = (i + 1) & (capacity - 1)) {
            passed++;
          }
          taken[i] = true;
        }
      }
      assertThat(passed).as("seed %s", seed).isLessThan(2 * N);
    }
  }
}
