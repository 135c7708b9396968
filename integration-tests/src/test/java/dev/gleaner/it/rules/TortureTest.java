package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Torture as settings: what may happen at any time happens all the time. */
@Tag("D28")
class TortureTest extends AllCollectors {
  TortureTest(String collector) {
    super(collector);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10, 100})
  void aCollectionBeforeEveryNthAllocation(int every) {
    Heap heap =
        open(
            "torture.gc = " + (every == 1 ? "every-allocation" : every),
            "voluntary.enabled = false");
    Events events = new Events(heap);
    Mutator t = heap.mutator();
    t.enter(1);
    int before = events.all.size();
    for (int i = 0; i < 300; i++) {
      if (i % 2 == 0) {
        t.newRecord(0, i % 7);
      } else {
        heap.plainMemory().free(heap.plainMemory().alloc(i));
      }
    }
    int n = events.all.size() - before;
    assertThat(n).isBetween(300 / every, 300 / every + 1);
    assertThat(events.causes()).containsOnly("torture");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, -1})
  void theSeedMovesTheFirstOne(int seed) {
    assertThat(firstCollected(0) - firstCollected(seed))
        .satisfies(
            earlier -> assertThat(Math.floorMod(earlier, 5)).isEqualTo(Math.floorMod(seed, 5)));
  }

  /** The number of the first allocation before which a heap with this seed collects. */
  private int firstCollected(int seed) {
    Heap heap = open("torture { gc = 5, seed = " + seed + " }", "voluntary.enabled = false");
    Events events = new Events(heap);
    int n = 0;
    while (events.all.isEmpty()) {
      heap.plainMemory().free(heap.plainMemory().alloc(8));
      n++;
    }
    return n;
  }

  @Test
  void nothingReachableIsLostUnderIt() {
    Heap heap = open("torture.gc = every-allocation", "verify = after-collection");
    Mutator t = heap.mutator();
    t.enter(6);
    t.newObject(0);
    for (int i = 0; i < 60; i++) {
      t.newString(1, "key " + i);
      t.newRecord(2, 2);
      t.newString(3, "value " + i);
      t.store(2, 0, 3);
      t.newDynamicBuffer(4, i);
      t.store(2, 1, 4);
      t.putProperty(0, 1, 2);
      t.putIndex(0, i, 3);
      t.newFunction(5, 2, 1);
      t.storeConstant(5, 1, 3);
      t.call(3, 5);
      t.newThread(0);
      t.newNative(1, i, null);
      t.push(0, 1);
      t.resume(0, 2);
      t.newRecord(1, 1);
      assertThat(t.nativeValue(0)).isEqualTo(i);
      t.suspend();
      t.leave();
    }
    for (int i = 0; i < 60; i++) {
      t.newString(1, "key " + i);
      t.getProperty(2, 0, 1);
      t.load(3, 2, 0);
      assertThat(t.getString(3)).isEqualTo("value " + i);
      t.getIndex(4, 0, i);
      assertThat(t.same(3, 4)).isTrue();
      t.load(4, 2, 1);
      assertThat(t.bufferSize(4)).isEqualTo(i);
    }
  }

  @Test
  void finalizersWithACollectionInsideEachStillRunOnce() {
    Heap heap = open("torture { gc = 3, finalizers = on }");
    Mutator t = heap.mutator();
    t.enter(2);
    for (int i = 0; i < 50; i++) {
      lose(t, 0, "f" + i, (thread, closing) -> thread.newRecord(1, 2));
    }
    heap.collect();
    heap.collect();
    heap.collect();
    assertThat(finalized).hasSize(50).doesNotHaveDuplicates();
    assertThat(count(heap, Kind.RECORD)).isZero();
  }

  @Test
  void theVerifierRunsAfterEachCollectionWhenAsked() {
    Heap heap = open("verify = after-collection", "torture.gc = every-allocation");
    Mutator t = heap.mutator();
    t.enter(2);
    list(t, 0, 1, 100);
    assertThat(collections(heap)).isGreaterThan(100);
  }
}
