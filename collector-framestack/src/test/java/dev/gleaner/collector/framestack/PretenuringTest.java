package dev.gleaner.collector.framestack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PretenuringTest extends HeapTests {
  private static final int OLDER = 5;

  private Heap open(int batch) {
    return open(
        "voluntary.enabled = false",
        "collectors.framestack { cycle.after = 64, pretenure.batch = " + batch + " }");
  }

  // ---- the decision ----

  /** So many escapes of one record, each of which was the only one made since the last one. */
  private static long escapes(Pretenuring pretenuring, long made, int times) {
    for (int i = 1; i <= times; i++) {
      pretenuring.end();
      pretenuring.escaped(made + i, 1, OLDER);
    }
    return made + times;
  }

  private static int batch(Pretenuring pretenuring) {
    int n = 0;
    while (pretenuring.take()) {
      n++;
    }
    return n;
  }

  @Test
  void startsAfterEightEscapesAndDoublesWithEachThatAgrees() {
    Pretenuring pretenuring = new Pretenuring(8, 1000);
    long made = escapes(pretenuring, 0, 7);
    assertThat(batch(pretenuring)).isZero();
    List<Integer> batches = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      made = escapes(pretenuring, made, 1);
      batches.add(batch(pretenuring));
    }
    assertThat(batches).containsExactly(16, 32, 64, 128, 256, 512, 1000, 1000);
    assertThat(pretenuring.generation()).isEqualTo(OLDER);
    escapes(pretenuring, made, 100);
    assertThat(batch(pretenuring)).isEqualTo(1000);
  }

  @Test
  void startsAnewWhenMostOfWhatWasMadeDiesYoung() {
    Pretenuring pretenuring = new Pretenuring(8, 1000);
    long made = escapes(pretenuring, 0, 10);
    pretenuring.end();
    assertThat(batch(pretenuring)).isZero();
    made += 3;
    pretenuring.escaped(made, 1, OLDER);
    assertThat(batch(pretenuring)).isZero();
    made = escapes(pretenuring, made, 7);
    assertThat(batch(pretenuring)).isZero();
    escapes(pretenuring, made, 1);
    assertThat(batch(pretenuring)).isEqualTo(16);
  }

  // ---- what comes of it ----

  /** Each call makes two records, one held by the other, and stores them into the array. */
  private static void store(Mutator t, int slots, int calls) {
    for (int i = 0; i < calls; i++) {
      t.enter(3, 0, 1);
      t.newRecord(1, 1);
      t.newRecord(2, 1);
      t.storeInt(2, 0, i);
      t.store(1, 0, 2);
      t.store(0, i % slots, 1);
      t.leave();
    }
  }

  private static void assertStored(Mutator t, int slots, int calls) {
    for (int i = calls - slots; i < calls; i++) {
      t.load(1, 0, i % slots);
      t.load(1, 1, 0);
      assertThat(t.loadInt(1, 0)).isEqualTo(i);
    }
  }

  @Test
  @Tag("F9")
  void recordsThatAllEscapeAreHardlyCopied() {
    long copied = copied(1024);
    assertThat(copied(0)).isEqualTo(200_000);
    assertThat(copied).isLessThan(1000);
  }

  private long copied(int batch) {
    Heap heap = open(batch);
    Mutator t = heap.mutator();
    t.enter(2);
    t.newObject(0, 500);
    store(t, 500, 100_000);
    assertStored(t, 500, 100_000);
    // 1000 stay; what was overwritten goes by cycles.
    assertThat(heap.statistics().live(Kind.RECORD)).isBetween(1000L, 4000L);
    assertThat(collections(heap)).isZero();
    return heap.statistics().movedElements();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1024})
  @Tag("F3")
  void onceTheyStopEscapingTheyGoWithTheirFrames(int batch) {
    Heap heap = open(batch);
    Mutator t = heap.mutator();
    t.enter(2);
    t.newObject(0, 500);
    store(t, 500, 5000);
    call(t, batch); // uses the batch up
    long before = heap.statistics().live(Kind.RECORD);
    for (int i = 0; i < 1000; i++) {
      call(t, 100);
    }
    assertThat(heap.statistics().live(Kind.RECORD)).isEqualTo(before);
    assertStored(t, 500, 5000);
    assertThat(collections(heap)).isZero();
  }

  private static void call(Mutator t, int records) {
    t.enter(1);
    for (int i = 0; i < records; i++) {
      t.newRecord(0, 2);
    }
    t.leave();
  }

  /** A function that fills an object of its own, and returns it or not, goes in mid-batch. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("F9")
  void theFrameThatOwnsThemMayBeLeftInBetween(boolean returned) {
    Heap heap = open(1024);
    Mutator t = heap.mutator();
    t.enter(3);
    t.newObject(2, OWNED);
    for (int round = 0; round < 200; round++) {
      t.enter(2);
      t.newObject(0, OWNED);
      store(t, 8, 50);
      if (returned) {
        t.leave(0, 0);
        assertStored(t, 8, 50);
      } else {
        t.leave();
      }
      t.newRecord(1, 1);
      t.storeInt(1, 0, round);
      t.store(2, 0, 1);
      t.load(1, 2, 0);
      assertThat(t.loadInt(1, 0)).isEqualTo(round);
      assertThat(heap.inspect().verify()).isEmpty();
    }
    assertThat(heap.statistics().movedElements()).isLessThan(200 * 40);
    assertThat(heap.statistics().live(Kind.RECORD)).isLessThan(4000);
    assertThat(collections(heap)).isZero();
  }

  @Test
  @Tag("F9")
  void aCoroutineMakesNoneThatAFrameOfAnotherThreadOwns() {
    Heap heap = open(1024);
    Mutator t = heap.mutator();
    t.enter(3);
    t.newObject(0, 500);
    t.newThread(2);
    t.resume(2, 1); // this frame of the coroutine stays
    goBack(t);
    for (int round = 0; round < 50; round++) {
      store(t, 500, 1000);
      goOn(t);
      t.newRecord(0, 1);
      t.storeInt(0, 0, round);
      goBack(t);
      assertThat(heap.inspect().verify()).isEmpty();
      for (int i = 0; i < 1000; i++) {
        t.enter(1);
        t.newObject(0, OWNED);
        t.leave();
      }
      goOn(t);
      assertThat(t.loadInt(0, 0)).isEqualTo(round);
      goBack(t);
    }
    assertThat(collections(heap)).isZero();
  }

  /** Goes on in the frame of the coroutine that stays. */
  private static void goOn(Mutator t) {
    t.resume(2, 0);
    t.leave();
  }

  private static void goBack(Mutator t) {
    t.enter(0);
    t.suspend();
  }
}
