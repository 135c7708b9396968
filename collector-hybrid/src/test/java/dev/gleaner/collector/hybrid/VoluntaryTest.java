package dev.gleaner.collector.hybrid;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.spi.CollectionRequest.Cause;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Under counting, collections that start by themselves come exactly when {@code ((kept objects +
 * kept strings) * MULT) + ADD} operations went by, what counting frees included, and reclaim loops.
 */
@Tag("D21")
@Tag("D23")
class VoluntaryTest extends HeapTests {

  static Stream<Arguments> tunings() {
    List<Arguments> all = new ArrayList<>();
    // In the short tier each pair of figures with one of the two, in turn.
    int pair = 0;
    for (double mult : new double[] {0.5, 1, 2, 10, 50}) {
      for (int add : new int[] {0, 100, 1024}) {
        for (int i = 0; i < 2; i++) {
          if (Tier.has(pair, i, 2)) {
            all.add(Arguments.of(mult, add, i == 0 ? "deferred" : "inline"));
          }
        }
        pair++;
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("tunings")
  @Tag("seeds")
  void collectionsComeWhenTheFormulaSays(double mult, int add, String finalization) {
    Program p = new Program(mult, add, finalization);
    p.run(6000);
    assertThat(p.found).isEqualTo(p.expected).hasSizeGreaterThan(mult > 10 ? 2 : 5);
    assertThat(p.heap.statistics().explicitCollections()).isEqualTo(1);
  }

  /** Makes loops, elements that counting frees, plain blocks, and now and then one to keep. */
  private final class Program implements HeapListener {
    private final double mult;
    private final int add;

    /** By Duktape 1.x refzero counts what can hold others, a free nothing, and zero fires. */
    private final boolean old;

    final Heap heap;
    private final Mutator t;

    /** The allocations that collected first, and what the model says. */
    final List<Integer> found = new ArrayList<>();

    final List<Integer> expected = new ArrayList<>();
    private int allocations;
    private long count;

    /** Elements and strings that nothing but a collection frees, or that are in use. */
    private long present;

    /** Elements of loops that nothing leads to. */
    private long lost;

    private long ceiling;

    Program(double mult, int add, String finalization) {
      this.mult = mult;
      this.add = add;
      this.old = finalization.equals("inline");
      this.heap =
          open(
              "voluntary { mult = " + mult + ", add = " + add + " }",
              "strings.initial = 1024",
              "collectors.hybrid.finalization = " + finalization);
      this.t = heap.mutator();
    }

    void run(int rounds) {
      t.enter(6);
      t.newRecord(4, 100);
      for (int i = 0; i < 100; i++) {
        t.newString(5, "kept " + i);
        t.store(4, i, 5);
      }
      t.setNull(3);
      heap.collect();
      present = heap.statistics().liveElements() + heap.statistics().strings();
      renew();
      heap.addListener(this);
      for (int i = 0; i < rounds; i++) {
        loop();
        temporary(i);
        block(i);
        if (i % 40 == 0) {
          keep();
        }
        assertThat(heap.statistics().liveElements() + heap.statistics().strings())
            .as("round %s", i)
            .isEqualTo(present)
            .isLessThanOrEqualTo(ceiling);
      }
      heap.removeListener(this);
      assertThat(heap.inspect().verify()).isEmpty();
    }

    @Override
    public void collectionFinished(CollectionEvent event) {
      assertThat(event.cause()).isEqualTo(Cause.VOLUNTARY);
      found.add(allocations);
    }

    private void renew() {
      count = ((present * Math.round(mult * 256)) >> 8) + add;
      ceiling = present + count + 1; // each operation makes one at most
    }

    /** An allocation is coming: it collects first when the count is below zero. */
    private void allocation() {
      allocations++;
      collectIfDue();
      count--;
    }

    private void collectIfDue() {
      if (count < (old ? 1 : 0)) {
        expected.add(allocations);
        present -= lost;
        lost = 0;
        renew();
      }
    }

    private void made() {
      present++;
    }

    private void freed(boolean object) {
      present--;
      count -= old && !object ? 0 : 1;
      collectIfDue();
    }

    private void loop() {
      allocation();
      t.newRecord(0, 3);
      made();
      allocation();
      t.newRecord(1, 3);
      made();
      t.store(0, 0, 1);
      t.store(1, 0, 0);
      t.setUndefined(0);
      t.setUndefined(1);
      lost += 2;
    }

    private void temporary(int i) {
      allocation();
      switch (i % 4) {
        case 0 -> t.newRecord(2, 5);
        case 1 -> t.newRecord(2, 2000);
        case 2 -> t.newBuffer(2, i % 500);
        default -> t.newString(2, "temporary " + i);
      }
      made();
      if (i % 2 == 0) {
        t.copy(5, 2);
        t.setUndefined(5);
      }
      t.setUndefined(2);
      freed(i % 4 < 2);
    }

    private void block(int i) {
      if (i % 3 == 0) {
        allocation();
        long block = heap.plainMemory().alloc(1 + i % 300);
        allocation();
        block = heap.plainMemory().realloc(block, 1 + i % 700);
        heap.plainMemory().free(block);
        count -= old ? 0 : 1;
      }
    }

    private void keep() {
      allocation();
      t.newRecord(2, 1);
      made();
      t.store(2, 0, 3);
      t.copy(3, 2);
      t.setUndefined(2);
    }
  }

  @Test
  void whatCountingFreesAllowsAFullCollectionLess() {
    Heap heap = open("voluntary { mult = 0, add = 1000 }");
    Mutator t = heap.mutator();
    t.enter(2);
    heap.collect();
    list(t, 0, 1, 500);
    t.setUndefined(0); // 500 allocations and 500 frees
    t.newRecord(0, 0);
    assertThat(heap.statistics().collections()).isEqualTo(1);
    t.newRecord(0, 0);
    assertThat(heap.statistics().collections()).isEqualTo(2);
  }

  @Test
  void loopsAreReclaimedInSmallMemory() {
    Heap heap = open("memory.max = 256KiB");
    Mutator t = heap.mutator();
    t.enter(2);
    for (int i = 0; i < 100_000; i++) {
      t.newObject(0, 1);
      t.newObject(1, 1);
      t.store(0, 0, 1);
      t.store(1, 0, 0);
    }
    t.wipe(0);
    heap.collect();
    assertThat(count(heap, Kind.OBJECT)).isZero();
    assertThat(heap.statistics().emergencies()).isZero();
  }
}
