package dev.gleaner.collector.marksweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The mark phase on shapes that would break a recursive one. */
@Tag("D16")
class MarkingTest extends HeapTests {
  private static final String QUIET = "voluntary.enabled = false";

  @ParameterizedTest
  @ValueSource(ints = {16, 65536})
  void aListOfAMillion(int limit) {
    Heap heap = open(QUIET, "mark.recursion-limit = " + limit);
    Mutator t = heap.mutator();
    t.enter(2);
    int n = 1_000_000;
    list(t, 0, 1, n);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(n);
    int i = n;
    for (t.copy(1, 0); !t.isNull(1); t.load(1, 1, 0)) {
      if (t.loadInt(1, 1) != --i) {
        assertThat(t.loadInt(1, 1)).isEqualTo(i);
      }
    }
    assertThat(i).isZero();
    t.wipe(0);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 65536})
  void aRecordOfManySlotsOverManyWindows(int limit) {
    Heap heap = open(QUIET, "mark.recursion-limit = " + limit);
    Mutator t = heap.mutator();
    t.enter(4);
    int n = 200_000;
    t.newRecord(0, n);
    for (int i = 0; i < n; i++) {
      t.newRecord(1, 6);
      t.newRecord(2, 1);
      t.store(1, 5, 2);
      t.storeInt(2, 0, i);
      t.store(0, i, 1);
    }
    t.wipe(1);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(2 * n + 1);
    for (int i = 0; i < n; i += 997) {
      t.load(1, 0, i);
      t.load(2, 1, 5);
      assertThat(t.loadInt(2, 0)).isEqualTo(i);
    }
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 64, 1000})
  void aChainOfObjectsByEveryWayOfReference(int limit) {
    Heap heap = open(QUIET, "mark.recursion-limit = " + limit);
    Mutator t = heap.mutator();
    t.enter(4);
    int n = 30_000;
    t.setNull(0);
    t.newString(3, "next");
    for (int i = 0; i < n; i++) {
      switch (i % 6) {
        case 0 -> {
          t.newObject(1);
          t.putProperty(1, 3, 0);
        }
        case 1 -> {
          t.newObject(1);
          t.putIndex(1, 2, 0);
        }
        case 2 -> {
          t.newObject(1, 1);
          t.store(1, 0, 0);
        }
        case 3 -> {
          t.newFunction(1, 3, 0);
          t.storeConstant(1, 2, 0);
        }
        case 4 -> {
          t.newThread(1);
          t.push(1, 0);
        }
        default -> {
          t.newRecord(1, 40);
          t.store(1, 39, 0);
        }
      }
      t.copy(0, 1);
    }
    t.wipe(1);
    long live = heap.statistics().liveElements();
    heap.collect();
    assertThat(heap.statistics().liveElements()).isEqualTo(live);
    assertThat(heap.inspect().verify()).isEmpty();
    t.setUndefined(0);
    heap.collect();
    assertThat(heap.statistics().liveElements()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 65536})
  void aRandomGraph(int limit) {
    Heap heap = open(QUIET, "mark.recursion-limit = " + limit);
    Mutator t = heap.mutator();
    Random random = new Random(Long.getLong("gleaner.seed", 42));
    t.enter(4);
    int n = 100_000;
    t.newRecord(0, n);
    for (int i = 0; i < n; i++) {
      t.newRecord(1, 2);
      t.store(0, i, 1);
    }
    for (int i = 0; i < n; i++) {
      t.load(1, 0, i);
      for (int slot = 0; slot < 2; slot++) {
        t.load(2, 0, random.nextInt(n));
        t.store(1, slot, 2);
      }
    }
    t.load(1, 0, 0); // from one element a fifth of a random graph cannot be reached
    t.setUndefined(0);
    t.setUndefined(2);
    heap.collect();
    long live = count(heap, Kind.RECORD);
    assertThat(live).isBetween(n * 7L / 10, n * 9L / 10);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(live);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void whatIsToBeFinalizedIsMarkedWithAllItReachesInASecondPass() {
    Heap heap = open(QUIET, "mark.recursion-limit = 16");
    Mutator t = heap.mutator();
    t.enter(3);
    int n = 50_000;
    list(t, 0, 1, n);
    t.newRecord(1, 1);
    t.store(1, 0, 0);
    t.setFinalizer(
        1,
        "walks",
        noting(
            "walks",
            (thread, closing) -> {
              int i = n;
              for (thread.load(1, 0, 0); !thread.isNull(1); thread.load(1, 1, 0)) {
                if (thread.loadInt(1, 1) != --i) {
                  throw new IllegalStateException();
                }
              }
              if (i != 0) {
                throw new IllegalStateException();
              }
            }));
    t.wipe(0);
    heap.collect();
    assertThat(finalized).containsExactly("walks");
    assertThat(heap.statistics().finalizersFailed()).isZero();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(n + 1);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isZero();
  }
}
