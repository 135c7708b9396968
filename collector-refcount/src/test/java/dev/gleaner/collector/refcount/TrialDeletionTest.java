package dev.gleaner.collector.refcount;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Loops are found among what lost a reference; what is held from outside keeps its counts, which
 * the verifier computes anew after each collection.
 */
@Tag("D24")
class TrialDeletionTest extends HeapTests {
  private static final String ON = "collectors.refcount.cycles = trial-deletion";

  /** What every heap has: its threads. */
  private long empty;

  private Heap heap;
  private Mutator t;

  @BeforeEach
  void openHeap() {
    heap = open(ON, "voluntary.enabled = false");
    t = heap.mutator();
    t.enter(12);
    t.newRecord(0, 0);
    t.setFinalizer(0, "first", (thread, closing) -> {}); // so that there is the thread for them
    t.setUndefined(0);
    empty = alive(heap);
  }

  /** Makes a ring of records of 3 slots: 0 the next one, 1 and 2 free; slot d has one of them. */
  private void ring(int d, int scratch, int length) {
    t.newRecord(d, 3);
    t.copy(scratch, d);
    for (int i = 1; i < length; i++) {
      t.enter(2, scratch, 1);
      t.newRecord(1, 3);
      t.store(1, 0, 0);
      t.leave(1, scratch);
    }
    t.store(d, 0, scratch);
    t.setUndefined(scratch);
  }

  private void assertAlive(long more) {
    assertThat(alive(heap)).isEqualTo(empty + more);
  }

  private void collect() {
    collect(heap);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 100, 100_000})
  void aRingGoesWhenNothingHoldsIt(int length) {
    ring(0, 1, length);
    t.copy(2, 0);
    collect();
    assertAlive(length);
    t.setUndefined(0);
    collect();
    assertAlive(length);
    t.setUndefined(2);
    assertAlive(length); // counting cannot see it
    collect();
    assertAlive(0);
    assertThat(heap.statistics().leakedElements()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"slot", "outer slot", "global", "record", "builtin", "stack"})
  void aRingStaysForAsLongAsSomethingHoldsIt(String holder) {
    ring(0, 1, 5);
    GlobalRef global = heap.newGlobal();
    switch (holder) {
      case "slot" -> t.copy(3, 0);
      case "outer slot" -> {
        t.copy(3, 0);
        t.enter(3);
      }
      case "global" -> t.setGlobal(global, 0);
      case "builtin" ->
          heap.makeBuiltins(() -> {
            t.newRecord(3, 1);
            t.store(3, 0, 0);
            t.setGlobal(global, 3);
            t.setUndefined(3);
          });
      case "stack" -> {
        t.newThread(3);
        t.push(3, 0);
      }
      default -> {
        t.newRecord(3, 1);
        t.store(3, 0, 0);
      }
    }
    long with = alive(heap);
    if (!holder.equals("outer slot")) {
      t.setUndefined(0);
    }
    for (int i = 0; i < 3; i++) {
      collect();
      assertThat(alive(heap)).isEqualTo(with);
    }
    switch (holder) {
      case "slot", "record" -> t.setUndefined(3);
      case "outer slot" -> {
        t.leave();
        t.setUndefined(0);
        t.setUndefined(3);
      }
      case "global" -> t.setGlobal(global, 1);
      case "builtin" -> {
        t.getGlobal(3, global);
        t.storeNull(3, 0);
        t.setUndefined(3);
      }
      default -> t.setUndefined(3);
    }
    collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(holder.equals("builtin") ? 1 : 0);
  }

  /** A tail that a dead ring holds goes with it; what it shares with the living stays. */
  @Test
  void whatHangsOnARingGoesWithItUnlessItIsShared() {
    ring(0, 1, 3);
    list(t, 2, 1, 1000);
    t.store(0, 1, 2);
    t.setUndefined(2);
    list(t, 3, 1, 500);
    t.store(0, 2, 3);
    t.newString(4, "only the ring has it");
    t.load(1, 0, 0);
    t.store(1, 1, 4);
    t.newString(5, "shared");
    t.store(1, 2, 5);
    t.setUndefined(1);
    t.setUndefined(4);
    t.setUndefined(0);
    collect();
    assertAlive(500);
    assertThat(t.findString(6, "only the ring has it")).isFalse();
    assertThat(t.findString(6, "shared")).isTrue();
    assertThat(t.loadInt(3, 1)).isEqualTo(499);
    t.setUndefined(3);
    assertAlive(0); // its counts are right: it goes at once
  }

  /** Rings of rings: each element of the outer one is in an inner one, and they are crossed. */
  @ParameterizedTest
  @CsvSource({"3, 3", "10, 2", "2, 50", "40, 40"})
  void nestedRings(int outer, int inner) {
    ring(0, 1, outer);
    t.copy(2, 0);
    for (int i = 0; i < outer; i++) {
      ring(3, 1, inner);
      t.store(2, 1, 3);
      t.store(3, 1, 0); // back to the first of the outer ring
      t.load(4, 3, 0);
      t.store(4, 2, 2);
      t.load(2, 2, 0);
    }
    t.wipe(3);
    t.setUndefined(2);
    collect();
    assertAlive(outer + (long) outer * inner);
    t.load(0, 0, 1); // held by one of an inner ring alone
    t.load(0, 0, 0);
    collect();
    assertAlive(outer + (long) outer * inner);
    t.setUndefined(0);
    collect();
    assertAlive(0);
  }

  /** Two rings of which one refers to the other: the second stays when the first one goes. */
  @Test
  void oneRingHoldsTheOther() {
    ring(0, 1, 4);
    ring(2, 1, 4);
    t.store(0, 1, 2);
    t.copy(3, 2);
    t.setUndefined(2);
    t.setUndefined(0);
    collect();
    assertAlive(4);
    ring(0, 1, 4);
    t.store(0, 1, 3);
    t.setUndefined(3);
    collect();
    assertAlive(8);
    t.setUndefined(0);
    collect();
    assertAlive(0);
  }

  @Test
  void anElementThatHoldsItselfManyTimes() {
    t.newRecord(0, 900);
    for (int i = 0; i < 900; i++) {
      t.store(0, i, 0);
    }
    t.copy(1, 0);
    t.setUndefined(0);
    collect();
    assertAlive(1);
    t.setUndefined(1);
    collect();
    assertAlive(0);
  }

  @Test
  void candidatesThatDieAreNoMoreCandidates() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 1000; i++) { // each loses a reference and then its last one
        t.newRecord(0, 2);
        t.copy(1, 0);
        t.setUndefined(0);
        t.setUndefined(1);
      }
      // The cells are used again, by kinds of elements of other sizes and by candidates again.
      ring(0, 1, 10);
      t.copy(2, 0);
      t.setUndefined(0);
      t.newObject(3);
      collect();
      assertAlive(11);
      t.setUndefined(2);
      t.setUndefined(3);
      collect();
      assertAlive(0);
    }
  }

  @Test
  void aCandidatesCellTakenByAnotherCandidate() {
    for (int i = 0; i < 300; i++) { // more entries than the buffer has
      t.newRecord(0, 1);
      t.copy(1, 0);
      t.setUndefined(1); // a candidate
      t.setUndefined(0); // and gone
      t.newRecord(0, 1); // in the same cell
      t.store(0, 0, 0);
      t.copy(1, 0);
      t.setUndefined(1); // a candidate, too
      if (i % 2 == 0) {
        t.setUndefined(0); // a loop
      } else {
        t.storeNull(0, 0);
        t.setUndefined(0);
      }
    }
    assertAlive(150);
    collect();
    assertAlive(0);
  }

  /** Where a large candidate was there are cells later that were never carved: no elements. */
  @Test
  void aLargeCandidateDiesAndItsPagesAreUsedForCells() {
    t.newRecord(1, 40);
    for (int i = 0; i < 40; i++) {
      t.newRecord(0, 3000);
      t.store(1, i, 0);
      t.setUndefined(0); // a candidate
    }
    t.setUndefined(1);
    assertAlive(0);
    t.enter(300);
    for (int i = 0; i < 300; i++) {
      t.newRecord(i, 3); // no candidate; the last block's pages stay as they are but for the first
    }
    collect();
    assertAlive(300);
    t.leave();
    assertAlive(0);
  }

  @Test
  void elementsOfEveryKindInOneLoop() {
    t.newNative(8, "so that there is a thread for callbacks", (_, _) -> {});
    t.setUndefined(8);
    empty = alive(heap);
    t.newObject(0, 1);
    t.newRecord(1, 2);
    t.newFunction(2, 1, 1);
    t.newFunction(3, 1, 0);
    t.newThread(4);
    t.newString(5, "key");
    t.newBuffer(6, 100);
    t.newDynamicBuffer(7, 10_000);
    List<Object> freed = new ArrayList<>();
    t.newNative(8, "native", (value, closing) -> freed.add(value));
    t.putProperty(0, 5, 1); // object -> record -> function -> inner -> thread -> object
    t.store(1, 0, 2);
    t.storeInner(2, 0, 3);
    t.storeConstant(2, 0, 6);
    t.storeConstant(3, 0, 4);
    t.push(4, 0);
    t.push(4, 7);
    t.putIndex(0, 50, 8);
    t.store(0, 0, 5);
    t.newObject(9);
    t.setPrototype(0, 9);
    t.store(1, 1, 9);
    assertAlive(9);
    t.copy(10, 3);
    t.wipe(0);
    assertThat(freed).isEmpty();
    collect();
    assertAlive(0);
    assertThat(freed).containsExactly("native");
    assertThat(heap.statistics().strings()).isZero();
    long used = heap.statistics().usedBytes();
    heap.collect();
    assertThat(heap.statistics().usedBytes()).isEqualTo(used);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void theLoopStaysWhicheverOfItsKindsIsHeld(int held) {
    t.newObject(0, 1);
    t.newRecord(1, 1);
    t.newFunction(2, 0, 1);
    t.newFunction(3, 1, 0);
    t.newThread(4);
    t.newString(5, "key");
    t.putProperty(0, 5, 1);
    t.store(1, 0, 2);
    t.storeInner(2, 0, 3);
    t.storeConstant(3, 0, 4);
    t.push(4, 0);
    t.copy(7, held);
    t.wipe(8);
    t.enter(1, 7, 1);
    t.leave();
    for (int i = 0; i < 7; i++) {
      t.setUndefined(i);
    }
    for (int i = 0; i < 3; i++) {
      collect();
      assertAlive(5);
      assertThat(heap.statistics().strings()).isEqualTo(1);
    }
    t.setUndefined(7);
    collect();
    assertAlive(0);
    assertThat(heap.statistics().strings()).isZero();
  }

  /** Elements with blocks of their own: over 1024 words, and over the header's size field. */
  @ParameterizedTest
  @ValueSource(ints = {1023, 1024, 5000, (1 << 20) - 1, 1 << 20})
  void largeElementsInLoops(int slots) {
    long used = heap.statistics().usedBytes();
    t.newRecord(0, slots);
    t.newRecord(1, slots);
    t.store(0, slots - 1, 1);
    t.store(1, slots / 2, 0);
    t.newBuffer(2, slots * 8L);
    t.store(1, 0, 2);
    t.setUndefined(2);
    t.setUndefined(1);
    collect();
    assertAlive(3);
    t.setUndefined(0);
    collect();
    assertAlive(0);
    assertThat(heap.statistics().usedBytes()).isEqualTo(used);
  }

  // ---- finalizers, weak references ----

  @Test
  @Tag("D20")
  void aLoopsFinalizersRunOnceAndWhatTheyReachIsKeptForThem() {
    ring(0, 1, 3);
    list(t, 2, 1, 100);
    t.store(0, 1, 2);
    t.setFinalizer(
        0,
        "a",
        noting(
            "a",
            (thread, closing) -> {
              thread.load(1, 0, 1);
              assertThat(thread.loadInt(1, 1)).isEqualTo(99);
              thread.load(1, 0, 0);
              thread.load(1, 1, 0);
              assertThat(thread.slotCount(1)).isEqualTo(3);
            }));
    t.load(3, 0, 0);
    t.setFinalizer(3, "b", noting("b"));
    t.wipe(0);
    collect();
    assertThat(finalized).containsExactlyInAnyOrder("a", "b");
    assertAlive(103);
    collect();
    assertThat(finalized).hasSize(2);
    assertAlive(0);
    collect();
    assertThat(finalized).hasSize(2);
  }

  @Test
  @Tag("D20")
  void aRescuedLoopIsFinalizedAgain() {
    GlobalRef rescue = heap.newGlobal();
    ring(0, 1, 3);
    t.setFinalizer(0, "a", noting("a", (thread, closing) -> thread.setGlobal(rescue, 0)));
    t.setUndefined(0);
    for (int i = 1; i <= 3; i++) {
      collect();
      assertThat(finalized).hasSize(i);
      assertAlive(3);
      collect(); // decides the rescue
      assertThat(finalized).hasSize(i);
      assertThat(heap.statistics().finalizersRescued()).isEqualTo(i);
      t.setGlobal(rescue, 1);
    }
    t.setUndefined(0);
    collect();
    t.setGlobal(rescue, 1);
    heap.collect();
    heap.close();
    assertThat(finalized).contains("a");
  }

  @Test
  @Tag("D20")
  void aFinalizerBreaksItsLoop() {
    ring(0, 1, 10);
    t.setFinalizer(0, "a", noting("a", (thread, closing) -> thread.storeNull(0, 0)));
    t.setUndefined(0);
    collect();
    assertThat(finalized).containsExactly("a");
    assertAlive(0); // nothing but the finalizer's slot held it then
  }

  /** The finalizer of one frees the other, which is on the finalize list behind it. */
  @Test
  @Tag("D20")
  void oneFinalizerUnlinksTheOther() {
    t.newRecord(0, 1);
    t.newRecord(1, 1);
    t.store(0, 0, 1);
    t.store(1, 0, 0);
    t.setFinalizer(0, "a", noting("a", (thread, closing) -> thread.storeNull(0, 0)));
    t.setFinalizer(1, "b", noting("b", (thread, closing) -> thread.storeNull(0, 0)));
    t.wipe(0);
    collect();
    assertThat(finalized).containsExactlyInAnyOrder("a", "b");
    collect();
    assertAlive(0);
    assertThat(finalized).hasSize(2);
  }

  @Test
  void aLoopWhoseFinalizersAreOffGoesWithoutThem() {
    Heap off = open(ON, "voluntary.enabled = false", "finalizers = off");
    Mutator u = off.mutator();
    u.enter(1);
    u.newRecord(0, 1);
    u.store(0, 0, 0);
    u.setFinalizer(0, "a", noting("a"));
    u.setUndefined(0);
    collect(off);
    assertThat(finalized).isEmpty();
    assertThat(count(off, Kind.RECORD)).isZero();
  }

  @Test
  @Tag("D26")
  void weakReferencesToDeadLoopsAreCleared() {
    ring(0, 1, 3);
    WeakRef dead = t.newWeak(0);
    t.load(1, 0, 0);
    WeakRef other = t.newWeak(1);
    ring(2, 3, 3);
    WeakRef kept = t.newWeak(2);
    t.setUndefined(0);
    t.setUndefined(1);
    assertThat(dead.isCleared()).isFalse();
    collect();
    assertThat(dead.isCleared()).isTrue();
    assertThat(other.isCleared()).isTrue();
    assertThat(kept.isCleared()).isFalse();
    t.getWeak(0, kept);
    assertThat(t.same(0, 2)).isTrue();
    t.wipe(0);
    collect();
    assertAlive(0);
    assertThat(heap.statistics().weakCleared()).isEqualTo(3);
  }

  @Test
  @Tag("D26")
  void aWeakReferenceBringsALoopBackBeforeACollection() {
    ring(0, 1, 3);
    WeakRef weak = t.newWeak(0);
    t.setUndefined(0);
    assertThat(t.getWeak(0, weak)).isTrue();
    collect();
    assertAlive(3);
    t.setUndefined(0);
    collect();
    assertAlive(0);
    assertThat(t.getWeak(0, weak)).isFalse();
  }

  @Test
  void collectionsByThemselvesReclaimLoopsToo() {
    Heap small = open(ON, "voluntary { mult = 1, add = 1000 }", "memory.max = 1MiB");
    Mutator u = small.mutator();
    u.enter(2);
    for (int i = 0; i < 100_000; i++) {
      u.newRecord(0, 3);
      u.newRecord(1, 3);
      u.store(0, 0, 1);
      u.store(1, 0, 0);
    }
    assertThat(small.statistics().collections()).isGreaterThan(50);
    assertThat(count(small, Kind.RECORD)).isLessThan(4000);
    assertThat(small.statistics().peakBytes()).isLessThan(400_000);
  }

  /** Random graphs of all shapes; what stays is what a search from the slots reaches. */
  @Test
  void randomGraphs() {
    long first = Long.getLong("gleaner.seed", 42);
    for (long seed = first; seed < first + 20; seed++) {
      Random random = new Random(seed);
      Graph graph = new Graph(heap, random, 20 + random.nextInt(200));
      for (int round = 0; round < 20; round++) {
        graph.change(random.nextInt(300));
        heap.collect();
        assertThat(heap.inspect().verify()).as("-Dgleaner.seed=%s", seed).isEmpty();
        assertThat(count(heap, Kind.RECORD))
            .as("-Dgleaner.seed=%s, round %s", seed, round)
            .isEqualTo(graph.reached());
      }
      t.wipe(0);
    }
  }

  /** Records of 3 slots, some named by slots of the frame, and the same graph in Java. */
  private static final class Graph {
    private static final int SLOTS = 8;
    private static final int OUT = 3;

    private final Mutator t;
    private final Random random;
    private final int most;
    private final int[] slots = new int[SLOTS];
    private final List<int[]> nodes = new ArrayList<>();

    Graph(Heap heap, Random random, int most) {
      this.t = heap.mutator();
      this.random = random;
      this.most = most;
      nodes.add(new int[OUT]); // 0 is none
    }

    void change(int times) {
      for (int i = 0; i < times; i++) {
        int a = random.nextInt(SLOTS);
        int b = random.nextInt(SLOTS);
        int place = random.nextInt(OUT);
        switch (random.nextInt(8)) {
          case 0, 1 -> {
            if (reached() < most) {
              t.newRecord(a, OUT);
              slots[a] = nodes.size();
              nodes.add(new int[OUT]);
            }
          }
          case 2 -> {
            t.setUndefined(a);
            slots[a] = 0;
          }
          case 3 -> {
            t.copy(a, b);
            slots[a] = slots[b];
          }
          case 4 -> {
            if (slots[b] != 0) {
              t.load(a, b, place);
              slots[a] = nodes.get(slots[b])[place];
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
    }

    long reached() {
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
}
