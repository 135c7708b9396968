package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The keyed hash of strings. */
@Tag("D10")
class StringHashTest {
  private static final StringHash HASH = new StringHash(1);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static int hash(byte[] b) {
    return HASH.of(b, 0, b.length);
  }

  @Test
  void theHashDependsOnTheBytesAloneNotOnWhereTheyStand() {
    byte[] b = bytes("xxhello, worldyy");
    assertThat(HASH.of(b, 2, 12)).isEqualTo(hash(bytes("hello, world")));
    assertThat(hash(bytes("a"))).isNotEqualTo(hash(bytes("a\0")));
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      seen.add(hash(bytes("key" + i)));
    }
    assertThat(seen).hasSizeGreaterThan(19_990);
    seen.clear();
    for (int i = 0; i < 20_000; i++) {
      seen.add(
          hash(bytes("a prefix of several words, then " + i + " and a suffix of several words")));
    }
    assertThat(seen).hasSizeGreaterThan(19_990);
  }

  /** A table takes the low bits of a hash: keys that differ anywhere are to differ there. */
  @Test
  void everyByteReachesTheLowBitsOfTheHash() {
    for (int length : new int[] {1, 7, 8, 9, 16, 20}) {
      for (int at = 0; at < length; at++) {
        byte[] b = new byte[length];
        Set<Integer> seen = new HashSet<>();
        for (int value = 0; value < 256; value++) {
          b[at] = (byte) value;
          seen.add(hash(b) & 0xFFF);
        }
        assertThat(seen).as("byte %s of %s", at, length).hasSizeGreaterThan(220);
      }
    }
  }

  /** A seed makes a hash, another one another. */
  @Test
  void aSeedIsAHash() {
    assertThat(hash(bytes("a"))).isEqualTo(new StringHash(1).of(bytes("a"), 0, 1));
    Set<Integer> seen = new HashSet<>();
    for (int seed = 0; seed < 1000; seed++) {
      seen.add(new StringHash(seed).of(bytes("a"), 0, 1));
    }
    assertThat(seen).hasSizeGreaterThan(995);
  }

  /**
   * Two strings that differ in one byte, or in length, collide under no more seeds than by chance.
   */
  @Test
  void noPairOfStringsCollidesUnderMoreThanItsShareOfSeeds() {
    for (int length : new int[] {1, 8, 16, 17, 63, 64, 65, 128, 129, 1000}) {
      for (int at : new int[] {0, length / 2, length - 1, length}) {
        byte[] a = new byte[length];
        byte[] b = new byte[at == length ? length + 1 : length];
        if (at < length) {
          b[at] = 1;
        }
        int collisions = 0;
        for (int seed = 0; seed < 20_000; seed++) {
          StringHash hash = new StringHash(seed);
          int difference = hash.of(a, 0, a.length) ^ hash.of(b, 0, b.length);
          collisions += (difference & 0xFF) == 0 ? 1 : 0; // 78 on average
        }
        assertThat(collisions).as("byte %s of %s", at, length).isBetween(30, 140);
      }
    }
  }
}
