package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.memory.Memory;
import dev.gleaner.testing.Seeds;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
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
  void clearsWhatAHeapThatWasLargerLeft() {
    try (MarkBits bits = new MarkBits(1 << 20, true)) {
      bits.clearAll(4096);
      assertThat(bits.ensure(1 << 20)).isTrue();
      bits.set(1 << 19);
      bits.clearAll(4096); // the heap is smaller now, and may be larger again soon
      assertThat(bits.ensure(1 << 20)).isTrue();
      assertThat(bits.get(1 << 19)).isFalse();
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
  void theBitsOfALargeHeapMoveToReservedAddressesAndThoseOfASmallOneDoNot() {
    assumeTrue(Memory.canReserve());
    try (MarkBits bits = new MarkBits(1L << 30, true)) {
      assertThat(bits.ensure(2 << 20)).isTrue();
      assertThat(bits.region().isReserved()).isFalse();
      bits.set(512);
      bits.set((2 << 20) - 8);
      Memory small = bits.region();
      assertThat(bits.ensure(64 << 20)).isTrue();
      assertThat(bits.region().isReserved()).isTrue();
      assertThat(small.size()).as("given back").isZero();
      assertThat(bits.next(0, 512)).isEqualTo(512);
      assertThat(bits.get(512)).isTrue();
      assertThat(bits.next(520, 64 << 20)).isEqualTo((2 << 20) - 8);
      assertThat(bits.next(2 << 20, 64 << 20)).isEqualTo(64 << 20);
      Memory large = bits.region();
      assertThat(bits.ensure(128 << 20)).isTrue();
      assertThat(bits.region()).as("once").isSameAs(large);
    }
    try (MarkBits grown = new MarkBits(1L << 30, false)) {
      assertThat(grown.ensure(64 << 20)).isTrue();
      assertThat(grown.region().isReserved()).as("only if it may").isFalse();
    }
  }

  @Test
  void isEmptyOnceClosed() {
    MarkBits bits = new MarkBits(1 << 20, true);
    bits.close();
    assertThatThrownBy(() -> bits.get(8)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static final int PAGES = 64 << 10;

  @Test
  void clearsWhatLiesInPagesOrLayThereSinceItDidSoLast() {
    Seeds.forEach(
        10,
        random -> {
          long bytes = (long) PAGES << PageAllocator.PAGE_SHIFT;
          try (Memory memory = Memory.open(bytes, 1 << 20, true);
              MarkBits some = new MarkBits(bytes, true);
              MarkBits others = new MarkBits(bytes, true)) {
            pagesComeAndGo(random, new PageAllocator(memory, bytes), some, others);
          }
        });
  }

  private static void pagesComeAndGo(
      Random random, PageAllocator pages, MarkBits some, MarkBits others) {
    List<int[]> spans = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      if (random.nextInt(100) < 60 - spans.size()) {
        int n = 1 + random.nextInt(random.nextInt(4) == 0 ? 9000 : 300);
        int page = pages.allocate(n);
        if (page != 0) {
          spans.add(new int[] {page, n});
        }
      } else if (!spans.isEmpty()) {
        int[] gone = spans.remove(random.nextInt(spans.size()));
        pages.free(gone[0], gone[1]);
      }
      MarkBits bits = random.nextBoolean() ? some : others;
      long extent = (long) pages.frontier() << PageAllocator.PAGE_SHIFT;
      assertThat(bits.ensure(extent)).isTrue();
      for (int[] span : spans) {
        bits.set((span[0] + (long) random.nextInt(span[1])) << PageAllocator.PAGE_SHIFT);
        bits.set(((long) (span[0] + span[1]) << PageAllocator.PAGE_SHIFT) - 8);
      }
      if (random.nextInt(4) == 0) {
        clear(random, pages, bits, spans);
        assertThat(bits.next(0, extent)).isEqualTo(extent);
      }
      if (random.nextInt(20) == 0) {
        pages.release();
      }
    }
  }

  /** Clears bits at once, or in parts; between two parts pages may go. */
  private static void clear(Random random, PageAllocator pages, MarkBits bits, List<int[]> spans) {
    if (random.nextBoolean()) {
      bits.clear(pages);
      return;
    }
    while (!bits.clearUntil(pages, System.nanoTime())) {
      if (!spans.isEmpty() && random.nextInt(4) == 0) {
        int[] gone = spans.remove(random.nextInt(spans.size()));
        pages.free(gone[0], gone[1]);
      }
      if (random.nextInt(50) == 0) {
        bits.clear(pages);
      }
    }
  }
}
