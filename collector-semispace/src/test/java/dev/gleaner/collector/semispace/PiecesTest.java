package dev.gleaner.collector.semispace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapExhaustedException;
import dev.gleaner.heap.HeapThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pages run out long before the limit does, as blocks of many sizes leave one on each: what lives
 * can be copied in any case.
 */
class PiecesTest extends HeapTests {
  private static final int KEPT = 2000;
  private static final int STEPS = 600;

  private final List<Long> blocks = new ArrayList<>();
  private int refusals;

  @ParameterizedTest
  @CsvSource({"1, reserved", "2, reserved", "3, reserved", "4, grown", "5, grown", "6, grown"})
  void whatLivesIsCopiedWhateverIsFree(int seed, String backing) {
    Heap heap = open("memory { max = 1MiB, backing = " + backing + " }, verify = after-collection");
    HeapThread t = heap.thread();
    t.enter(2);
    t.newRecord(0, KEPT);
    Random random = new Random(seed);
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
    assertThat(heap.verify()).isEmpty();
    assertThat(refusals).as("refused for want of pages").isPositive();
    for (int i = 0; i < KEPT; i++) {
      t.load(1, 0, i);
      if (t.isReference(1)) {
        assertThat(t.loadInt(1, 0)).isEqualTo(i);
      }
    }
  }

  /** Fills most of what is left with blocks of one size, and frees all but a few. */
  private void leaveBlocks(Heap heap, int bytes, int apart) {
    List<Long> made = new ArrayList<>();
    while (heap.statistics().usedBytes() + bytes < heap.statistics().maxBytes() * 7 / 8) {
      long block = heap.alloc(bytes);
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
        heap.free(made.get(i));
      }
    }
  }

  private void freeBlocks(Heap heap, Random random) {
    int from = random.nextInt(blocks.size() + 1);
    int to = Math.min(blocks.size(), from + random.nextInt(20));
    List<Long> freed = blocks.subList(from, to);
    freed.forEach(heap::free);
    freed.clear();
  }

  /** Puts records that know their place into the array, and drops others. */
  private static void makeElements(HeapThread t, Random random) {
    int most = random.nextInt(3) == 0 ? 1200 : 31;
    int from = random.nextInt(KEPT);
    int to = Math.min(KEPT, from + random.nextInt(KEPT / 2));
    for (int i = from; i < to; i++) {
      if (random.nextInt(3) == 0) {
        t.storeNull(0, i);
      } else {
        t.newRecord(1, 1 + random.nextInt(most));
        t.storeInt(1, 0, i);
        t.store(0, i, 1);
      }
    }
  }
}
