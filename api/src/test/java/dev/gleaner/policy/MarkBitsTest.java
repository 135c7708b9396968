package dev.gleaner.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** One bit for every eight bytes. */
class MarkBitsTest {
  private static final int WORDS = 20_000;

  @Test
  void agreesWithABitSet() {
    Seeds.forEach(
        6,
        random -> {
          try (MarkBits bits = new MarkBits(WORDS * 8L, random.nextBoolean())) {
            assertThat(bits.ensure(WORDS * 8L)).isTrue();
            BitSet model = new BitSet();
            for (int i = 0; i < 5000; i++) {
              step(random, bits, model);
            }
            for (int w = 0; w < WORDS; w++) {
              assertThat(bits.get(w * 8L)).isEqualTo(model.get(w));
            }
          }
        });
  }

  private static void step(Random random, MarkBits bits, BitSet model) {
    int w = random.nextInt(WORDS);
    int to = w + random.nextInt(WORDS - w);
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        bits.set(w * 8L);
        model.set(w);
      }
      case 2 -> {
        bits.clear(w * 8L);
        model.clear(w);
      }
      case 3 -> {
        int next = model.nextSetBit(w);
        long expected = next < 0 || next >= to ? to : next;
        assertThat(bits.next(w * 8L, to * 8L)).as("from %s to %s", w, to).isEqualTo(expected * 8);
      }
      case 4 -> {
        int from = w & -64;
        int end = to & -64;
        if (from <= end) {
          assertThat(bits.count(from * 8L, end * 8L)).isEqualTo(model.get(from, end).cardinality());
        }
      }
      default -> assertThat(bits.get(w * 8L)).isEqualTo(model.get(w));
    }
  }

  @Test
  void clearsAllOfAnExtent() {
    try (MarkBits bits = new MarkBits(1 << 20, false)) {
      assertThat(bits.ensure(1 << 20)).isTrue();
      for (long e = 0; e < 1 << 20; e += 8) {
        bits.set(e);
      }
      bits.clearAll(1 << 20);
      assertThat(bits.next(0, 1 << 20)).isEqualTo(1 << 20);
      assertThat(bits.count(0, 1 << 20)).isZero();
    }
  }

  @Test
  void growsWithItsMarks() {
    try (MarkBits bits = new MarkBits(64 << 20, false)) {
      assertThat(bits.ensure(1024)).isTrue();
      bits.set(512);
      assertThat(bits.ensure(64 << 20)).isTrue();
      assertThat(bits.get(512)).isTrue();
      assertThat(bits.next(520, 64 << 20)).isEqualTo(64 << 20);
      bits.set((64 << 20) - 8);
      assertThat(bits.next(520, 64 << 20)).isEqualTo((64 << 20) - 8);
      assertThat(bits.ensure(1L << 40)).as("beyond the most it was made for").isFalse();
    }
  }

  @Test
  void isEmptyOnceClosed() {
    MarkBits bits = new MarkBits(1 << 20, true);
    bits.close();
    assertThatThrownBy(() -> bits.get(8)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
