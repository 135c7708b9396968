package dev.gleaner.collector.hybrid;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stores, drops and frees in the midst of a cycle: what counting frees goes at once, what was there
 * when the cycle began is not lost, and no cell is used again that the marker may still look at.
 */
@Tag("D32")
@Tag("D23")
class IncrementalTest extends HeapTests {
  /** Records in the table, more than a slice can mark. */
  private static final int MANY = 20_000;

  private static final int TABLE = 9;

  private Heap heap;
  private Mutator t;

  @BeforeEach
  void aCycleIsUnderWay() {
    heap = open("voluntary.enabled = false", "incremental.slice = 1us");
    t = heap.mutator();
    t.enter(10);
    t.newRecord(0, 1);
    t.setFinalizer(0, "first", (thread, closing) -> {}); // so that there is the thread for them
    t.setUndefined(0);
    t.newRecord(TABLE, MANY);
    for (int i = 0; i < MANY; i++) {
      t.newRecord(0, 3);
      t.storeInt(0, 1, i);
      t.store(TABLE, i, 0);
    }
    t.setUndefined(0);
  }

  /** Makes all slots undefined but for the table. */
  private void clear() {
    t.compact(TABLE);
  }

  private void start() {
    assertThat(heap.step(1)).as("the first slice marks all").isFalse();
  }

  private void finish() {
    while (!heap.step(100)) {}
    assertThat(heap.inspect().verify()).isEmpty();
  }

  private long records() {
    return count(heap, Kind.RECORD);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, MANY / 2, MANY - 1})
  void whatIsDroppedGoesAtOnceAndItsCellIsNotUsedAgainMeanwhile(int at) {
    start();
    for (int i = 0; i < 500; i++) {
      t.storeNull(TABLE, (at + i) % MANY);
    }
    assertThat(records()).isEqualTo(MANY + 1 - 500);
    assertThat(heap.inspect().verify()).isEmpty();
    long allocated = heap.statistics().usedBytes();
    for (int i = 0; i < 500; i++) {
      t.newRecord(0, 3);
      t.storeInt(0, 1, -i);
      t.store(TABLE, (at + i) % MANY, 0);
    }
    t.setUndefined(0);
    assertThat(heap.statistics().usedBytes()).isEqualTo(allocated + 500 * 32);
    finish();
    for (int i = 0; i < 500; i++) {
      t.load(0, TABLE, (at + i) % MANY);
      assertThat(t.loadInt(0, 1)).isEqualTo(-i);
    }
    assertThat(records()).isEqualTo(MANY + 1);
  }

  /** A dead loop was the last to hold it; it waits to go while the finalizers run. */
  @Test
  void whatADeadLoopHeldMayBeFoundByAFinalizer() {
    t.newRecord(1, 1);
    t.storeInt(1, 0, 7);
    WeakRef held = t.newWeak(1);
    t.newRecord(2, 2);
    t.store(2, 0, 2);
    t.store(2, 1, 1);
    t.newRecord(3, 1);
    t.store(3, 0, 3);
    GlobalRef found = heap.newGlobal();
    t.setFinalizer(
        3,
        "finds",
        (thread, closing) -> {
          thread.getWeak(1, held);
          thread.setGlobal(found, 1);
        });
    clear();
    start();
    t.getWeak(1, held); // so the marker has seen it
    assertThat(t.isReference(1)).isTrue();
    t.setUndefined(1);
    finish();
    t.getGlobal(1, found);
    assertThat(t.loadInt(1, 0)).isEqualTo(7);
    t.newRecord(2, 1);
    assertThat(t.loadInt(1, 0)).isEqualTo(7);
    clear();
    found.close();
    assertThat(records()).isEqualTo(MANY + 2); // and the loop that was finalized
  }

  @ParameterizedTest
  @ValueSource(ints = {0, MANY / 2, MANY - 1})
  void aReferenceThatMovesBehindTheMarkerIsNotLost(int at) {
    t.load(0, TABLE, at);
    t.newRecord(1, 1);
    t.storeInt(1, 0, 77);
    t.store(0, 0, 1); // only there
    t.setUndefined(1);
    start();
    t.load(1, 0, 0);
    t.storeNull(0, 0);
    t.store(TABLE, 0, 1); // perhaps scanned already
    clear();
    t.newRecord(TABLE - 1, 1);
    finish();
    t.load(0, TABLE, 0);
    assertThat(t.loadInt(0, 0)).isEqualTo(77);
  }

  @ParameterizedTest
  @ValueSource(strings = {"global", "stack", "weak", "frame", "suspended"})
  void referencesThatLeaveOtherPlacesAreNotLost(String place) {
    t.newRecord(0, 1);
    t.storeInt(0, 0, 77);
    GlobalRef global = heap.newGlobal();
    WeakRef weak = t.newWeak(0);
    t.newThread(2);
    t.load(3, TABLE, MANY - 1);
    t.store(3, 0, 2); // reached late
    switch (place) {
      case "global" -> t.setGlobal(global, 0);
      case "stack" -> t.push(2, 0);
      case "weak" -> t.store(3, 2, 0);
      case "suspended" -> {
        t.push(2, 0);
        t.push(2, 0);
      }
      default -> {
        t.enter(2, 0, 1);
      }
    }
    if (!place.equals("frame")) {
      t.setUndefined(0);
      t.setUndefined(2);
    }
    start();
    switch (place) {
      case "global" -> {
        t.getGlobal(0, global);
        t.setGlobal(global, 1);
      }
      case "weak" -> {
        assertThat(t.getWeak(0, weak)).isTrue();
        t.storeNull(3, 2);
      }
      case "stack", "suspended" -> {
        t.load(4, TABLE, MANY - 1);
        t.load(4, 4, 0);
        t.pop(4, 0);
        if (place.equals("suspended")) {
          t.setUndefined(0);
          t.resume(4, 1);
          t.suspend(0, 1, 0, 1);
        }
        t.setUndefined(4);
      }
      default -> t.leave(0, 0);
    }
    t.newRecord(1, 1);
    t.store(1, 0, 0);
    t.setUndefined(0);
    finish();
    t.load(0, 1, 0);
    assertThat(t.loadInt(0, 0)).isEqualTo(77);
  }

  @Test
  void loopsThatDieInACycleGoWithTheNextOne() {
    t.newRecord(0, 1);
    t.store(0, 0, 0);
    start();
    t.setUndefined(0);
    for (int i = 0; i < 1000; i++) {
      t.newRecord(0, 1);
      t.store(0, 0, 0);
    }
    t.setUndefined(0);
    finish();
    assertThat(records()).isEqualTo(MANY + 1 + 1001);
    start();
    finish();
    assertThat(records()).isEqualTo(MANY + 1);
  }

  @Test
  void loopsThatWereDeadBeforeGoWithTheCycle() {
    for (int i = 0; i < 1000; i++) {
      t.newRecord(0, 2);
      t.store(0, 0, 0);
      t.load(1, TABLE, i * 20);
      t.store(0, 1, 1); // whose counts are to be set right
    }
    t.setUndefined(0);
    t.setUndefined(1);
    start();
    for (int i = 0; i < 1000; i += 2) {
      t.storeNull(TABLE, i * 20); // held by a dead loop alone from here on
    }
    finish();
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(records()).isEqualTo(MANY + 1 - 500);
  }

  @Test
  void elementsWithBlocksOfTheirOwn() {
    long used = heap.statistics().usedBytes();
    t.newRecord(0, 5000);
    t.load(1, TABLE, MANY - 1);
    t.store(1, 0, 0);
    t.newRecord(2, 2000);
    t.store(0, 4999, 2);
    clear();
    start();
    t.load(1, TABLE, MANY - 1);
    t.storeNull(1, 0); // both die, perhaps on the mark stack
    t.newRecord(3, 3000); // not in their memory
    t.store(3, 2999, 1);
    t.newRecord(4, 1 << 20);
    t.store(4, (1 << 20) - 1, 3);
    t.setUndefined(3);
    assertThat(heap.inspect().verify()).isEmpty();
    finish();
    t.load(3, 4, (1 << 20) - 1);
    t.load(3, 3, 2999);
    assertThat(t.same(3, 1)).isTrue();
    clear();
    heap.collect();
    assertThat(heap.statistics().usedBytes()).isLessThanOrEqualTo(used);
  }

  @Test
  @Tag("D10")
  void stringsThatGoAndComeBackInACycle() {
    for (int i = 0; i < 1000; i++) {
      t.newString(0, "text " + i);
      t.load(1, TABLE, i * 19);
      t.store(1, 2, 0);
    }
    clear();
    start();
    for (int i = 0; i < 1000; i++) {
      t.load(1, TABLE, i * 19);
      t.storeNull(1, 2);
      assertThat(t.findString(2, "text " + i)).isFalse();
      t.newString(0, "text " + i);
      t.store(1, 0, 0);
    }
    clear();
    assertThat(heap.inspect().verify()).isEmpty();
    finish();
    for (int i = 0; i < 1000; i++) {
      assertThat(t.findString(2, "text " + i)).isTrue();
    }
  }

  @Test
  void objectsThreadsAndFunctionsThatGoInACycle() {
    long objects = count(heap, Kind.OBJECT);
    long threads = count(heap, Kind.THREAD);
    t.newString(5, "key");
    for (int i = 0; i < 1000; i++) {
      t.newObject(0, i % 3);
      t.newThread(1);
      t.newFunction(2, 1, 1);
      t.newDynamicBuffer(3, 100);
      t.putProperty(0, 5, 1);
      t.push(1, 2);
      t.storeConstant(2, 0, 3);
      t.load(4, TABLE, i * 19);
      t.store(4, 0, 0);
      t.store(4, 2, 1);
    }
    clear();
    start();
    for (int i = 0; i < 1000; i++) {
      t.load(4, TABLE, i * 19);
      t.storeNull(4, 0);
      t.storeNull(4, 2);
      t.newObject(0, i % 3);
      t.store(4, 0, 0);
      if (i % 100 == 0) {
        boolean _ = heap.step(1);
        assertThat(heap.inspect().verify()).isEmpty();
      }
    }
    clear();
    assertThat(count(heap, Kind.OBJECT)).isEqualTo(objects + 1000);
    assertThat(count(heap, Kind.THREAD)).isEqualTo(threads);
    finish();
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(count(heap, Kind.OBJECT)).isEqualTo(objects + 1000);
  }

  /** The element waits on the finalize list, or is in its finalizer's slot, when the cycle ends. */
  @ParameterizedTest
  @ValueSource(ints = {0, MANY / 2, MANY - 1})
  @Tag("D20")
  void aCycleEndsInsideAFinalizerThatItsMidstCalled(int at) {
    GlobalRef rescued = heap.newGlobal();
    place(
        at,
        1,
        "a",
        (thread, closing) -> {
          if (closing) {
            return;
          }
          thread.getGlobal(1, rescued);
          thread.load(2, 1, at);
          thread.storeNull(2, 2); // b: has to wait for its turn
          thread.setGlobal(rescued, 0);
          finish();
          assertThat(thread.loadInt(0, 0)).isEqualTo(1);
        });
    t.load(2, TABLE, at);
    t.newRecord(0, 1);
    t.storeInt(0, 0, 2);
    t.setFinalizer(
        0,
        "b",
        noting(
            "b",
            (thread, closing) -> {
              assertThat(thread.loadInt(0, 0)).isEqualTo(2);
            }));
    t.store(2, 2, 0);
    clear();
    t.newRecord(0, 0);
    t.enter(3, TABLE, 1);
    t.setGlobal(rescued, 0);
    t.leave();
    t.setUndefined(0);
    start();
    t.load(2, TABLE, at);
    t.storeNull(2, 0);
    assertThat(finalized).containsExactly("a", "b");
    t.setUndefined(2);
    assertThat(heap.inspect().verify()).isEmpty();
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
    t.getGlobal(0, rescued);
    assertThat(t.loadInt(0, 0)).as("rescued").isEqualTo(1);
  }

  /** Puts a record that holds a number and has a finalizer into a record of the table. */
  private void place(int at, int number, String label, Finalizer finalizer) {
    t.load(2, TABLE, at);
    t.newRecord(0, 1);
    t.storeInt(0, 0, number);
    t.setFinalizer(0, label, noting(label, finalizer));
    t.store(2, 0, 0);
    clear();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, MANY / 2, MANY - 1})
  @Tag("D20")
  void whatAFinalizerRescuesInACycleStaysWithAllThatItHolds(int at) {
    GlobalRef rescued = heap.newGlobal();
    place(at, 1, "a", (thread, closing) -> thread.setGlobal(rescued, 0));
    t.load(2, TABLE, at);
    t.load(0, 2, 0);
    t.newRecord(1, 1);
    t.storeInt(1, 0, 77);
    t.store(0, 0, 1);
    clear();
    start();
    t.load(2, TABLE, at);
    t.storeNull(2, 0);
    t.setUndefined(2);
    assertThat(finalized).containsExactly("a");
    finish();
    t.getGlobal(0, rescued);
    t.load(0, 0, 0);
    assertThat(t.loadInt(0, 0)).isEqualTo(77);
  }

  @Test
  void aFullCollectionAndClosingGiveACycleUp() {
    start();
    for (int i = 0; i < MANY; i += 3) {
      t.storeNull(TABLE, i);
    }
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(records()).isEqualTo(1 + MANY * 2 / 3);
    start();
    for (int i = 1; i < MANY; i += 3) {
      t.storeNull(TABLE, i);
    }
    assertThat(records()).isEqualTo(1 + MANY / 3);
    heap.close();
  }

  @Test
  void memoryThatWasHeldIsUsedAgainAfterTheCycle() {
    heap.collect();
    long used = heap.statistics().usedBytes();
    long committed = 0;
    for (int cycle = 0; cycle < 12; cycle++) {
      start();
      for (int i = 0; i < MANY; i++) {
        t.newRecord(0, 3);
        t.storeInt(0, 1, i);
        t.store(TABLE, i, 0);
        if (i % 1000 == 0) {
          t.newRecord(1, 4000);
        }
      }
      clear();
      t.newRecord(0, 0);
      t.setUndefined(0);
      while (!heap.step(1)) {}
      assertThat(heap.statistics().usedBytes()).isLessThanOrEqualTo(used + 1000);
      if (cycle == 3) {
        committed = heap.statistics().committedBytes();
      }
    }
    assertThat(heap.statistics().committedBytes()).isLessThanOrEqualTo(committed * 5 / 4);
  }

  /** Random stores, drops and slices; what a search from the slots reaches is there, and exact. */
  @Test
  void randomGraphs() {
    long first = Long.getLong("gleaner.seed", 42);
    for (long seed = first; seed < first + 20; seed++) {
      Random random = new Random(seed);
      int[] slots = new int[9];
      List<int[]> nodes = new ArrayList<>();
      nodes.add(new int[3]); // 0 is none
      for (int i = 0; i < 3000; i++) {
        int a = random.nextInt(9);
        int b = random.nextInt(9);
        int place = random.nextInt(3);
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> {
            t.newRecord(a, random.nextInt(50) == 0 ? 2000 : 3);
            slots[a] = nodes.size();
            nodes.add(new int[3]);
          }
          case 3 -> {
            t.setUndefined(a);
            slots[a] = 0;
          }
          case 4 -> {
            if (slots[b] != 0) {
              t.load(a, b, place);
              slots[a] = nodes.get(slots[b])[place];
            }
          }
          case 5 -> {
            if (random.nextInt(10) == 0) {
              boolean _ = heap.step(1);
              if (random.nextInt(10) == 0) {
                assertThat(heap.inspect().verify())
                    .as("-Dgleaner.seed=%s, step %s", seed, i)
                    .isEmpty();
              }
            }
          }
          default -> {
            if (slots[a] != 0) {
              t.store(a, place, b);
              nodes.get(slots[a])[place] = slots[b];
            }
          }
        }
      }
      while (!heap.step(1000)) {}
      assertThat(heap.inspect().verify()).as("-Dgleaner.seed=%s", seed).isEmpty();
      assertThat(records() - MANY - 1).isGreaterThanOrEqualTo(reached(slots, nodes));
      heap.collect();
      assertThat(records() - MANY - 1).isEqualTo(reached(slots, nodes));
      clear();
    }
  }

  private static long reached(int[] slots, List<int[]> nodes) {
    boolean[] seen = new boolean[nodes.size()];
    List<Integer> pending = new ArrayList<>();
    for (int s : slots) {
      pending.add(s);
    }
    long n = 0;
    while (!pending.isEmpty()) {
      int node = pending.removeLast();
      if (node != 0 && !seen[node]) {
        seen[node] = true;
        n++;
        for (int next : nodes.get(node)) {
          pending.add(next);
        }
      }
    }
    return n;
  }
}
