package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pages run out long before the limit does, as blocks of many sizes leave one on each: what lives
 * can be copied in any case.
 */
class PiecesTest {
  private static final int KEPT = 2000;
  private static final int STEPS = Tier.number(100, 300);

  private final List<Long> blocks = new ArrayList<>();
  private int refusals;

  static Stream<Arguments> heaps() {
    List<Arguments> all = new ArrayList<>();
    for (int seed = 1; seed <= Tier.number(1, 4); seed++) {
      String backing = "grown";
      for (String collector : Installed.collectors()) {
        backing = (all.size() + seed) % 2 == 0 ? "reserved" : "grown";
        all.add(Arguments.of(seed, collector, backing, ""));
      }
      all.add(Arguments.of(seed, "framestack", backing, ", collectors.framestack.mode = copying"));
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("heaps")
  @Tag("seeds")
  void whatLivesStaysWhateverIsFree(int seed, String collector, String backing, String more) {
    try (Heap heap =
        Installed.open(collector, "memory { max = 1MiB, backing = " + backing + " }" + more)) {
      run(heap, new Random(seed));
    }
  }

  private void run(Heap heap, Random random) {
    Mutator t = heap.mutator();
    t.enter(2);
    t.newRecord(0, KEPT);
    for (int bytes = 1024; bytes >= 64; bytes -= bytes >> 3) {
      leaveBlocks(heap, bytes, (32 << 10) / bytes);
    }
    for (int step = 0; step < STEPS; step++) {
      try {
        switch (random.nextInt(8)) {
          case 0, 1 -> {
            int bytes = 8 + random.nextInt(random.nextInt(4) == 0 ? 20_000 : 600);
            leaveBlocks(heap, bytes, 1 + random.nextInt(64 << 10) / bytes);
          }
          case 2 -> freeBlocks(heap, random);
          default -> makeElements(t, random);
        }
      } catch (HeapExhaustedException e) {
        t.wipe(1);
        refusals += e.used() + e.requested() <= e.limit() ? 1 : 0;
      }
      if (random.nextInt(4) == 0) {
        heap.collect();
      }
    }
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(refusals).as("refused for want of pages").isPositive();
    for (int i = 0; i < KEPT; i++) {
      t.load(1, 0, i);
      while (t.isReference(1)) {
        assertThat(t.loadInt(1, 0)).isEqualTo(i);
        t.load(1, 1, 1);
      }
    }
  }

  /** Fills most of what is left with blocks of one size, and frees all but a few. */
  private void leaveBlocks(Heap heap, int bytes, int apart) {
    List<Long> made = new ArrayList<>();
    while (heap.statistics().usedBytes() + bytes < heap.statistics().maxBytes() * 7 / 8) {
      long block = heap.plainMemory().alloc(bytes);
      if (block == 0) {
        refusals++;
        break;
      }
      made.add(block);
    }
    for (int i = 0; i < made.size(); i++) {
      if (i % apart == 0) {
        blocks.add(made.get(i));
      } else {
        heap.plainMemory().free(made.get(i));
      }
    }
  }

  private void freeBlocks(Heap heap, Random random) {
    int from = random.nextInt(blocks.size() + 1);
    int to = Math.min(blocks.size(), from + random.nextInt(20));
    List<Long> freed = blocks.subList(from, to);
    freed.forEach(heap.plainMemory()::free);
    freed.clear();
  }

  /** Puts records, or lists, that know their place into the array, and drops others. */
  private static void makeElements(Mutator t, Random random) {
    int depth = t.frameDepth();
    try {
      t.enter(4, 0, 1);
      int most = random.nextInt(3) == 0 ? 1200 : 31;
      int from = random.nextInt(KEPT);
      int to = Math.min(KEPT, from + random.nextInt(KEPT / 2));
      int longest = random.nextInt(5) == 0 ? 500 : 1;
      for (int i = from; i < to; i++) {
        if (random.nextInt(3) == 0) {
          t.storeNull(0, i);
        } else {
          makeList(t, 1 + random.nextInt(longest), 2 + random.nextInt(most), i);
          t.store(0, i, 1);
        }
      }
      t.leave();
    } catch (HeapExhaustedException e) {
      while (t.frameDepth() > depth) {
        t.leave();
      }
      throw e;
    }
  }

  /** Leaves its first record in slot 1: {place, next, ...}. */
  private static void makeList(Mutator t, int length, int words, int place) {
    t.enter(2);
    for (int n = 0; n < length; n++) {
      t.newRecord(1, n < length - 1 ? 2 : words);
      t.storeInt(1, 0, place);
      t.store(1, 1, 0);
      t.copy(0, 1);
    }
    t.leave(0, 1);
  }
}
