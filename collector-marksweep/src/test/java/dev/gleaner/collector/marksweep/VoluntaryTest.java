package dev.gleaner.collector.marksweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.spi.CollectionRequest.Cause;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Voluntary collections happen exactly when the formula says: {@code ((kept objects + kept strings)
 * * MULT) + ADD} operations after the last one, at the next allocation.
 */
@Tag("D21")
class VoluntaryTest extends HeapTests {

  /** The count after a collection, computed anew from what is live. */
  private static long formula(Heap heap, double mult, double add) {
    HeapStatistics s = heap.statistics();
    long fixed = Math.round(mult * 256);
    return (((s.liveElements() + s.strings()) * fixed) >> 8) + Math.round(add);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1024, 0",
    "1, 1024, 5000",
    "1, 0, 0",
    "1, 0, 777",
    "2, 10, 1000",
    "0.5, 3, 1001",
    "0.25, 0, 10",
    "0.003, 5, 4000", // 0.768 / 256 rounds to 1 / 256
    "3.7, 0, 123",
    "50, 1024, 100",
    "0, 0, 500",
    "0, 100, 500",
  })
  void recordsOfOneSize(double mult, double add, int live) {
    Heap heap = open("voluntary { mult = " + mult + ", add = " + add + " }");
    Events events = new Events(heap);
    Mutator t = heap.mutator();
    t.enter(3);
    list(t, 0, 1, live);
    heap.collect();
    for (int round = 0; round < 3; round++) {
      long count = formula(heap, mult, add);
      int before = events.all.size();
      // Operations bring the count to zero, and one more below it; the next allocation collects.
      for (long i = 0; i <= count; i++) {
        t.newRecord(1, 2);
        if (events.all.size() != before) {
          assertThat(events.all).as("after %s of %s", i, count).hasSize(before);
        }
      }
      t.newRecord(1, 2);
      assertThat(events.causes()).as("after %s", count + 1).hasSize(before + 1);
      assertThat(events.all.getLast().cause()).isEqualTo(Cause.VOLUNTARY);
      heap.collect();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"record", "string", "buffer", "object", "block", "realloc", "free"})
  void everyKindOfOperationCounts(String operation) {
    Heap heap = open("voluntary { mult = 0, add = 100 }", "strings.initial = 1024");
    Events events = new Events(heap);
    Mutator t = heap.mutator();
    t.enter(1);
    t.newString(0, "so that there is a table");
    long[] blocks = new long[102];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = heap.plainMemory().allocRaw(8);
    }
    heap.collect();
    int before = events.all.size();
    for (int i = 0; i <= 100; i++) {
      switch (operation) {
        case "record" -> t.newRecord(0, i);
        case "string" -> t.newString(0, "string " + i);
        case "buffer" -> t.newBuffer(0, i * 200L); // large ones, too
        case "object" -> t.newObject(0, i % 40);
        case "block" -> blocks[i] = heap.plainMemory().alloc(i * 100L + 1);
        case "realloc" -> blocks[i] = heap.plainMemory().realloc(blocks[i], i * 100L + 1);
        default -> heap.plainMemory().free(blocks[i]);
      }
      assertThat(events.all).as("after %s", i + 1).hasSize(before);
    }
    t.newRecord(0, 1);
    assertThat(events.all).hasSize(before + 1);
  }

  @Test
  void anElementWithABlockOfItsOwnIsTwoOperations() {
    Heap heap = open("voluntary { mult = 0, add = 99 }");
    Mutator t = heap.mutator();
    t.enter(1);
    heap.collect();
    for (int i = 0; i < 50; i++) {
      t.newDynamicBuffer(0, 100);
    }
    assertThat(collections(heap)).isEqualTo(1);
    t.newRecord(0, 0);
    assertThat(collections(heap)).isEqualTo(2);
  }

  @Test
  void whatIsNotAnAllocationDoesNotCollect() {
    Heap heap = open("voluntary { mult = 0, add = 0 }");
    Mutator t = heap.mutator();
    t.enter(4);
    t.newObject(0);
    t.newString(1, "key");
    t.putProperty(0, 1, 0);
    long block = heap.plainMemory().alloc(8);
    heap.collect();
    heap.plainMemory().free(heap.plainMemory().allocRaw(8)); // the count is below zero
    long before = collections(heap);
    t.newString(2, "key"); // interned already
    t.putProperty(0, 1, 2); // there already
    t.getProperty(3, 0, 1);
    t.enter(3);
    t.leave();
    t.deleteProperty(0, 1);
    heap.plainMemory().free(block);
    assertThat(collections(heap)).isEqualTo(before);
    t.newRecord(3, 0);
    assertThat(collections(heap)).isEqualTo(before + 1);
  }

  @Test
  void collectionsOfAnyCauseRenewTheTrigger() {
    Heap heap = open("voluntary { mult = 0, add = 100 }");
    Mutator t = heap.mutator();
    t.enter(1);
    for (int i = 0; i < 50; i++) {
      for (int n = 0; n < 90; n++) {
        t.newRecord(0, 1);
      }
      heap.collect();
    }
    assertThat(collections(heap)).isEqualTo(50);
  }

  @Test
  void withoutATriggerOnlyExhaustionCollects() {
    Heap heap = open("voluntary.enabled = false", "memory.max = 1MiB");
    Events events = new Events(heap);
    Mutator t = heap.mutator();
    t.enter(1);
    for (int i = 0; i < 200_000; i++) {
      t.newRecord(0, 2);
    }
    assertThat(events.causes()).isNotEmpty().containsOnly("exhausted");
  }

  /** Every operation that counts, mixed at random, against a count kept beside it. */
  @ParameterizedTest
  @CsvSource({"0, 40", "1, 20", "0.5, 0", "0, 3", "2.25, 7"})
  @Tag("seeds")
  void mixedOperations(double mult, double add) {
    long first = Long.getLong("gleaner.seed", 42);
    for (long seed = first; seed < first + Tier.number(1, 4); seed++) {
      Heap heap =
          open("voluntary { mult = " + mult + ", add = " + add + " }", "strings.initial = 65536");
      new Mixed(heap, mult, add, seed).run();
      heap.close();
    }
  }

  private static final class Mixed {
    private final Heap heap;
    private final Mutator t;
    private final double mult;
    private final double add;
    private final long seed;
    private final Random random;
    private final Events events;
    private final List<Long> blocks = new ArrayList<>();
    private long count;
    private int expected;
    private int texts;

    Mixed(Heap heap, double mult, double add, long seed) {
      this.heap = heap;
      this.mult = mult;
      this.add = add;
      this.seed = seed;
      this.t = heap.mutator();
      this.random = new Random(seed);
      this.events = new Events(heap);
    }

    void run() {
      t.enter(20);
      t.newString(0, "so that there is a table");
      heap.collect();
      expected = events.all.size() - 1;
      renewed();
      for (int i = 0; i < 3000; i++) {
        step();
        assertThat(events.all.stream().map(CollectionEvent::cause).filter(Cause.VOLUNTARY::equals))
            .as("with -Dgleaner.seed=%s, step %s, count %s", seed, i, count)
            .hasSize(expected);
      }
      for (long block : blocks) {
        heap.plainMemory().free(block);
      }
      assertThat(expected).isGreaterThan(10);
    }

    private void renewed() {
      HeapStatistics s = heap.statistics();
      count = (((s.liveElements() + s.strings()) * Math.round(mult * 256)) >> 8) + Math.round(add);
    }

    /** An allocation: it collects first when the count is below zero. */
    private void allocation(Runnable operation) {
      boolean due = count < 0;
      if (due) {
        expected++;
      }
      operation.run();
      if (due) {
        // What is live but for the new element was kept; a plain block is no element.
        HeapStatistics s = heap.statistics();
        long kept = s.liveElements() + s.strings();
        long made = s.allocatedElements() - allocated;
        count = (((kept - made) * Math.round(mult * 256)) >> 8) + Math.round(add);
      }
      count--;
      allocated = heap.statistics().allocatedElements();
    }

    private long allocated;

    private void step() {
      allocated = heap.statistics().allocatedElements();
      int d = random.nextInt(20);
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> {
          int slots = random.nextInt(6);
          allocation(() -> t.newRecord(d, slots));
        }
        case 4 -> {
          int slots = random.nextInt(2000);
          allocation(() -> t.newRecord(d, slots));
        }
        case 5 -> allocation(() -> t.newString(d, "text " + texts++));
        case 6 -> allocation(() -> t.newObject(d, random.nextInt(40)));
        case 7, 8 -> {
          long bytes = 1L + random.nextInt(300);
          allocation(() -> blocks.add(heap.plainMemory().alloc(bytes)));
        }
        case 9 -> {
          if (!blocks.isEmpty()) {
            int i = random.nextInt(blocks.size());
            long bytes = 1L + random.nextInt(3000);
            allocation(() -> blocks.set(i, heap.plainMemory().realloc(blocks.get(i), bytes)));
          }
        }
        default -> {
          for (int n = random.nextInt(4); n >= 0 && !blocks.isEmpty(); n--) {
            heap.plainMemory().free(blocks.remove(random.nextInt(blocks.size())));
            count--;
          }
        }
      }
    }
  }
}
