package dev.gleaner.collector.framestack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.testing.Tier;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What frames do by themselves: no collection is asked for, and none starts unless a test says so.
 */
class FramesTest extends HeapTests {
  private static final String QUIET = "voluntary.enabled = false";
  private static final String EAGER =
      QUIET
          + "\ncollectors.framestack { cycle.after = 1, region = 4KiB }\nverify = after-collection";

  private static long records(Heap heap) {
    return heap.statistics().live(Kind.RECORD);
  }

  @Test
  @Tag("F1")
  @Tag("F3")
  void whatAFrameMadeGoesWhenItIsLeft() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(1);
    t.newRecord(0, 3);
    long used = heap.statistics().usedBytes();
    t.enter(2);
    for (int i = 0; i < 20; i++) {
      t.newRecord(0, 2);
      t.newRecord(1, 5);
      t.store(0, 0, 1);
      t.store(1, 0, 0);
    }
    assertThat(records(heap)).isEqualTo(41);
    t.leave();
    assertThat(records(heap)).isOne();
    assertThat(heap.statistics().usedBytes()).isEqualTo(used);
    assertThat(heap.statistics().collections()).isZero();
  }

  @Test
  @Tag("F3")
  void whatGoesWithItsFrameCountsForNoVoluntaryCollection() {
    Heap heap = open("collectors.framestack.voluntary { mult = 1, add = 1024 }");
    Mutator t = heap.mutator();
    t.enter(1);
    for (int i = 0; i < 100_000; i++) {
      t.enter(1);
      t.newRecord(0, 2);
      t.leave();
    }
    assertThat(heap.statistics().collections()).isZero();
    for (int i = 0; i < 3000; i++) {
      t.newRecord(0, 2);
    }
    assertThat(heap.statistics().collections()).isPositive();
  }

  @Test
  @Tag("D21")
  void whatIsMovedCountsOnce() {
    Heap heap =
        open(
            "collectors.framestack.voluntary { mult = 0, add = 5000 }",
            "collectors.framestack.pretenure.batch = 0");
    Mutator t = heap.mutator();
    t.enter(1);
    t.newRecord(0, 10_000);
    long bytes = heap.statistics().allocatedBytes();
    storeFromCalls(t, 0, 4900);
    assertThat(heap.statistics().movedElements()).isEqualTo(4900);
    assertThat(heap.statistics().allocatedBytes()).isEqualTo(bytes + 4900 * 16);
    assertThat(heap.statistics().collections()).isZero();
    storeFromCalls(t, 4900, 5100);
    assertThat(heap.statistics().collections()).isOne();
    storeFromCalls(t, 5100, 9900);
    assertThat(heap.statistics().collections()).isOne();
  }

  @Test
  @Tag("M1")
  void whatACycleFreesInLargeStepsIsTold() {
    Heap heap = open(QUIET);
    AtomicLong told = new AtomicLong();
    heap.addListener(
        new HeapListener() {
          @Override
          public void paused(CollectionEvent event) {
            told.addAndGet(event.reclaimedBytes());
          }
        });
    Mutator t = heap.mutator();
    t.enter(3);
    t.newRecord(2, 100_000);
    list(t, 100_000);
    t.store(2, 0, 0); // moves them
    t.setNull(1);
    t.store(2, 0, 1);
    t.setNull(0);
    long used = heap.statistics().usedBytes();
    for (int i = 0; i < 400_000; i++) {
      t.newRecord(1, 2);
    }
    assertThat(told.get()).isGreaterThan(used / 2);
    assertThat(heap.statistics().collections()).isZero();
  }

  /** Fills slots of the record in slot 0 with records that a call each makes. */
  private static void storeFromCalls(Mutator t, int from, int to) {
    for (int i = from; i < to; i++) {
      t.enter(2, 0, 1);
      t.newRecord(1, 1);
      t.store(0, i, 1);
      t.leave();
    }
  }

  /** Makes a list of so many records in the current frame; slot 0 holds it. */
  private static void list(Mutator t, int length) {
    t.setNull(0);
    for (int i = 0; i < length; i++) {
      t.newRecord(1, 2);
      t.store(1, 0, 0);
      t.storeInt(1, 1, i);
      t.copy(0, 1);
    }
  }

  /** Goes through the list in slot 0, which is null afterwards. */
  private static void expectList(Mutator t, int length) {
    for (int i = length - 1; i >= 0; i--) {
      assertThat(t.loadInt(0, 1)).isEqualTo(i);
      t.load(0, 0, 0);
    }
  }

  @Test
  @Tag("F3")
  void whatIsBuiltInAFrameStaysThereHoweverLargeItBecomes() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    t.newRecord(0, 1);
    t.storeInt(0, 0, -1);
    t.enter(2);
    list(t, 300_000);
    assertThat(heap.inspect().verify()).isEmpty();
    expectList(t, 300_000);
    t.leave();
    assertThat(heap.statistics().movedElements()).isZero();
    assertThat(records(heap)).isOne();
    assertThat(t.loadInt(0, 0)).isEqualTo(-1);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  /** 7.2 MB of records, less than half of the limit. */
  @Test
  @Tag("F3")
  void whatIsBuiltInAFrameStaysThereUnderATightLimit() {
    Heap heap = open(QUIET + "\nmemory.max = 16MiB");
    Mutator t = heap.mutator();
    for (int i = 0; i < 3; i++) {
      t.enter(2);
      list(t, 300_000);
      t.leave();
    }
    assertThat(heap.statistics().movedElements()).isZero();
  }

  /** Its pages are not charged, so it may not keep them. */
  @Test
  @Tag("F3")
  void theRegionLeavesItsPagesToOthersWhenMemoryRunsShort() {
    Heap heap = open(QUIET + "\nmemory.max = 16MiB");
    Mutator t = heap.mutator();
    t.enter(2);
    int buffers = (10 << 20) / (8 << 10);
    t.newRecord(0, buffers);
    t.enter(2);
    list(t, 300_000);
    t.leave();
    for (int i = 0; i < buffers; i++) {
      t.newBuffer(1, 8 << 10);
      t.store(0, i, 1);
    }
    heap.collect();
    assertThat(heap.statistics().committedBytes()).isLessThan((16 << 20) + (64 << 10));
    t.enter(2);
    list(t, 200_000);
    assertThat(heap.inspect().verify()).isEmpty();
    expectList(t, 200_000);
  }

  @Test
  @Tag("F3")
  void whatAFrameDropsMakesTheRegionLittleLarger() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    for (int i = 0; i < 1000; i++) {
      list(t, 3000);
    }
    assertThat(heap.statistics().peakBytes()).isLessThan(4 << 20);
  }

  @Test
  @Tag("F9")
  void whatACycleLeavesIsTheCallersWhenItsFrameIsLeftMeanwhile() {
    Heap heap = open(QUIET, "collectors.framestack { cycle.after = 1, region = 4KiB }");
    Mutator t = heap.mutator();
    t.enter(2);
    for (int i = 1; i <= 20; i++) {
      t.enter(2);
      list(t, 1000 * i);
      t.leave(0, 0);
      for (int n = 0; n < 300; n++) {
        t.newObject(1, OWNED);
      }
      assertThat(heap.inspect().verify()).isEmpty();
      t.wipe(0);
    }
  }

  @Test
  @Tag("D21")
  void aCollectionThatNobodyAskedForLeavesRecordsThatAreAliveWhereTheyAre() {
    Heap heap =
        open(
            "collectors.framestack.voluntary { mult = 0, add = 5000 }",
            "verify = after-collection");
    Mutator t = heap.mutator();
    t.enter(2);
    list(t, 100_000);
    assertThat(heap.statistics().collections()).isBetween(15L, 25L);
    assertThat(heap.statistics().movedElements()).isZero();
    heap.collect();
    assertThat(heap.statistics().movedElements()).isEqualTo(100_000);
    assertThat(records(heap)).isEqualTo(100_000);
  }

  @Test
  @Tag("F1")
  void aResultTakesAlongWhatItReaches() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(1);
    t.enter(2);
    t.newRecord(0, 1);
    t.newRecord(1, 1);
    t.storeInt(1, 0, 7);
    t.store(0, 0, 1);
    t.leave(0, 0);
    assertThat(heap.inspect().verify()).isEmpty();
    t.load(0, 0, 0);
    assertThat(t.loadInt(0, 0)).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 3000})
  @Tag("F9")
  void whatIsStoredIntoAnOlderFramesRecordStays(int calls) {
    Heap heap = open(EAGER);
    Mutator t = heap.mutator();
    t.enter(2);
    t.newRecord(0, calls);
    for (int i = 0; i < calls; i++) {
      t.enter(4, 0, 1);
      t.newRecord(1, 2);
      t.newRecord(2, 1);
      t.storeInt(2, 0, i);
      t.store(1, 0, 2);
      t.newRecord(3, 8);
      t.store(0, i, 1);
      t.leave();
      t.enter(1);
      t.newRecord(0, 3);
      t.leave();
    }
    assertThat(heap.inspect().verify()).isEmpty();
    for (int i = 0; i < calls; i++) {
      t.load(1, 0, i);
      t.load(1, 1, 0);
      assertThat(t.loadInt(1, 0)).isEqualTo(i);
    }
    heap.collect();
    assertThat(records(heap)).isEqualTo(2L * calls + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"frames", "copying"})
  @Tag("F2")
  @Tag("F9")
  void whatIsStoredIntoRecordsOfAnyOlderFrameStays(String mode) {
    Heap heap = open(QUIET + "\ncollectors.framestack.mode = " + mode);
    Mutator t = heap.mutator();
    int depth = 6;
    for (int from = 0; from < depth; from++) {
      for (int into = 0; into < from; into++) {
        for (int frame = 0; frame <= from; frame++) { // slot i: the record of frame i
          t.enter(depth + 1, 0, frame);
          t.newRecord(frame, 1);
        }
        t.newRecord(depth, 1);
        t.storeInt(depth, 0, from);
        t.store(into, 0, depth);
        assertThat(heap.inspect().verify()).as("%s into %s", from, into).isEmpty();
        for (int frame = from; frame > into; frame--) {
          t.leave();
        }
        t.enter(1);
        t.newRecord(0, 1);
        t.leave();
        t.load(depth, into, 0);
        assertThat(t.loadInt(depth, 0)).isEqualTo(from);
        for (int frame = into; frame >= 0; frame--) {
          t.leave();
        }
      }
    }
  }

  /** Of the records' region a part is granted when what was in it has gone with its frame. */
  @Test
  @Tag("seeds")
  @Tag("F3")
  void aRegionThatChangesItsSizeWhileItIsEmptyGivesBackWhatIsGranted() {
    Heap heap = open(QUIET + "\ncollectors.framestack.cycle.after = 1");
    Mutator t = heap.mutator();
    t.enter(1);
    heap.collect();
    long used = heap.statistics().usedBytes();
    for (int i = 0; i < Tier.number(300_000, 3_000_000); i++) {
      t.enter(1);
      t.newRecord(0, 1);
      t.leave();
      t.enter(1);
      t.newBuffer(0, 8);
      t.leave();
    }
    heap.collect();
    assertThat(heap.statistics().usedBytes()).isEqualTo(used);
  }

  /** The older frame has made so much that the younger one owns what moves from it. */
  @Test
  @Tag("F9")
  void whatIsStoredIntoAnOlderOwnersRecordStays() {
    Heap heap = open(QUIET + "\ncollectors.framestack.cycle.after = 1");
    Mutator t = heap.mutator();
    t.enter(2);
    makeRecords(t, 64 << 10); // the region grows
    t.setUndefined(1);
    heap.collect();
    t.newRecord(0, 1);
    makeRecords(t, 5 << 10);
    t.enter(2, 0, 1);
    t.newRecord(1, 1);
    t.storeInt(1, 0, 7);
    t.store(0, 0, 1);
    assertThat(heap.inspect().verify()).isEmpty();
    t.setUndefined(1);
    for (int i = 0; i < 10_000; i++) { // cycles over what the younger one owns
      t.newBuffer(1, 8);
    }
    assertThat(heap.inspect().verify()).isEmpty();
    t.load(1, 0, 0);
    assertThat(t.loadInt(1, 0)).isEqualTo(7);
  }

  private static void makeRecords(Mutator t, int bytes) {
    for (int made = 0; made < bytes; made += 16) {
      t.newRecord(1, 1);
    }
  }

  @Test
  @Tag("F1")
  void aNewRecordHoldsNothingOfThoseThatWentBefore() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    for (int outer = 0; outer < 8; outer++) {
      for (int inner = 0; inner < 8; inner++) {
        for (int slots = 0; slots < 20; slots++) {
          t.enter(1);
          t.newRecord(0, outer);
          t.enter(1);
          t.newRecord(0, inner);
          for (int i = 0; i < inner; i++) {
            t.storeInt(0, i, i);
          }
          t.leave();
          t.leave();
          t.newRecord(0, slots);
          for (int i = 0; i < slots; i++) {
            t.load(1, 0, i);
            assertThat(t.isUndefined(1)).as("%s, %s, %s: slot %s", outer, inner, slots, i).isTrue();
          }
          t.setUndefined(0);
          heap.collect();
        }
      }
    }
  }

  @Test
  @Tag("F9")
  void aCollectedElementIsKeptByAnOlderFramesToo() {
    Heap heap = open(EAGER);
    Mutator t = heap.mutator();
    t.enter(1);
    t.newObject(0, OWNED);
    t.enter(2, 0, 1);
    t.newObject(1, OWNED);
    t.enter(2, 1, 1);
    t.newObject(1, OWNED); // a third frame's, held by the second one's
    t.store(0, 0, 1);
    t.leave();
    t.store(0, 0, 1); // which the first one's holds from now on
    t.leave();
    for (int i = 0; i < 5000; i++) {
      t.enter(1);
      t.newObject(0, OWNED);
      t.leave();
    }
    assertThat(heap.statistics().live(Kind.OBJECT)).isLessThan(1000);
    t.load(0, 0, 0);
    t.load(0, 0, 0);
    assertThat(t.kind(0)).isEqualTo(Kind.OBJECT);
    assertThat(heap.statistics().collections()).isZero();
  }

  @Test
  @Tag("F4")
  void whatMovesBetweenElementsWhileACycleMarksIsNotLost() {
    Heap heap = open(EAGER);
    Mutator t = heap.mutator();
    int n = 200;
    t.enter(4);
    t.newObject(0, n);
    for (int i = 0; i < n; i++) {
      t.newObject(1, OWNED);
      t.storeInt(1, 0, i);
      t.store(0, i, 1);
    }
    for (int step = 0;
        step < 40 * n;
        step++) { // two change places; one is in a slot alone meanwhile
      int a = step * 7 % n;
      int b = step * 13 % n;
      t.load(1, 0, a);
      t.load(2, 0, b);
      t.storeNull(0, a);
      t.enter(1);
      t.newObject(0, OWNED);
      t.leave(0, 3);
      t.store(0, b, 1);
      t.store(0, a, 2);
      t.compact(0);
    }
    boolean[] found = new boolean[n];
    for (int i = 0; i < n; i++) {
      t.load(1, 0, i);
      found[t.loadInt(1, 0)] = true;
    }
    assertThat(found).containsOnly(true);
    assertThat(heap.statistics().live(Kind.OBJECT)).isLessThan(4L * n);
    assertThat(heap.statistics().collections()).isZero();
  }

  @Test
  @Tag("F4")
  void thePeakHoldsWhatWasInUseWhenAFrameWasLeft() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    for (int i = 0; i < 1000; i++) {
      t.newRecord(1, 2);
      t.store(1, 0, 0);
      t.copy(0, 1);
    }
    t.leave();
    assertThat(heap.statistics().peakBytes()).isBetween(24_000L, 26_000L);
  }

  @Test
  @Tag("F5")
  void aLoopThatCompactsRunsInTheSameMemoryHoweverLong() {
    assertThat(peakOfF(200_000)).isLessThanOrEqualTo(peakOfF(100_000) + 4096);
  }

  /** F(i) { ni = i &lt; n ? i + 1 : n / 2; F(ni) }, with numbers as lists of digits that share. */
  private long peakOfF(int steps) {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(3);
    t.setNull(0);
    for (int i = 0; i < 1000; i++) {
      t.newRecord(1, 1);
      t.store(1, 0, 0);
      t.copy(0, 1);
    }
    t.newObject(1, OWNED);
    t.store(1, 1, 0);
    t.copy(0, 1);
    t.compact(0);
    for (int i = 0; i < steps; i++) {
      t.enter(2);
      t.newObject(0, OWNED);
      t.newObject(1, OWNED);
      t.store(1, 0, 0);
      t.leave(1, 2);
      t.newObject(1, OWNED);
      t.store(1, 0, 2);
      t.load(2, 0, 1);
      t.store(1, 1, 2);
      t.copy(0, 1);
      t.compact(0);
    }
    assertThat(heap.statistics().collections()).isZero();
    return heap.statistics().peakBytes();
  }

  @Test
  @Tag("F8")
  void nativesOfFramesAreFreedOnce() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    int[] freed = new int[20_000];
    t.enter(1);
    for (int i = 0; i < freed.length; i++) {
      int n = i;
      t.enter(1);
      t.newNative(0, "native", (value, closing) -> freed[n]++);
      t.leave();
    }
    assertThat(freed).containsOnly(0, 1);
    assertThat(freed).startsWith(1, 1, 1);
    heap.collect();
    assertThat(freed).containsOnly(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"frames", "copying"})
  @Tag("F2")
  void resultsAndTailCallsKeepWhatTheyReach(String mode) {
    Heap heap = open(QUIET, "collectors.framestack.mode = " + mode);
    Mutator t = heap.mutator();
    t.enter(3);
    t.setNull(0);
    for (int i = 0; i < 300; i++) {
      t.enter(3, 0, 1);
      t.newRecord(1, 9); // garbage
      t.newRecord(1, 2);
      t.store(1, 0, 0);
      t.newRecord(2, 1);
      t.storeInt(2, 0, i);
      t.store(1, 1, 2);
      t.newRecord(2, 9); // garbage
      t.copy(0, 1);
      t.compact(0);
      t.leave(0, 0);
    }
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(heap.statistics().collections()).isZero();
    if (mode.equals(
        "copying")) { // garbage of the frames that were left is not kept until it is in the way
      assertThat(records(heap)).isEqualTo(600);
    } else {
      assertThat(records(heap)).isGreaterThan(600);
    }
    for (int i = 299; i >= 0; i--) {
      t.load(1, 0, 1);
      assertThat(t.loadInt(1, 0)).isEqualTo(i);
      t.load(0, 0, 0);
    }
    assertThat(t.isNull(0)).isTrue();
  }

  @Test
  @Tag("F1")
  void aRaisedRecordOutlivesTheFramesThatItLeaves() {
    Heap heap = open(EAGER);
    Mutator t = heap.mutator();
    t.enter(2);
    t.pushCatcher(1, 5);
    t.enter(1);
    t.enter(1);
    t.newRecord(0, 1);
    t.storeInt(0, 0, 9);
    assertThat(t.raise(0)).isEqualTo(5);
    t.enter(1);
    t.newRecord(0, 1);
    t.leave();
    assertThat(t.loadInt(1, 0)).isEqualTo(9);
  }

  @Test
  void aCoroutineKeepsWhatItsSlotsHoldWhileOtherFramesAreLeft() {
    Heap heap = open(EAGER);
    Mutator t = heap.mutator();
    t.enter(2);
    t.newThread(0);
    t.enter(2, 0, 1);
    t.newRecord(1, 1);
    t.storeInt(1, 0, 31);
    t.push(0, 1);
    t.leave();
    for (int i = 0; i < 3000; i++) {
      t.enter(1);
      t.newRecord(0, 40);
      t.leave();
    }
    t.pop(0, 1);
    assertThat(t.loadInt(1, 0)).isEqualTo(31);
  }

  @Test
  @Tag("F9")
  void aGlobalHoldsWhatAFrameMade() {
    Heap heap = open(EAGER);
    Mutator t = heap.mutator();
    t.enter(1);
    GlobalRef global = heap.newGlobal();
    t.enter(2);
    t.newRecord(0, 1);
    t.newRecord(1, 1);
    t.storeInt(1, 0, 3);
    t.store(0, 0, 1);
    t.setGlobal(global, 0);
    t.leave();
    t.enter(1);
    t.newRecord(0, 1);
    t.leave();
    t.getGlobal(0, global);
    t.load(0, 0, 0);
    assertThat(t.loadInt(0, 0)).isEqualTo(3);
  }

  /** Each of 100 frames owns a thousand elements when all are left, one after the other. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("F5")
  void framesLeftWhileACycleWorksOnTheOldestCostNoCycleEach(boolean afterAnError) {
    Heap heap = open("collector = watched", QUIET, "verify = after-collection");
    Mutator t = heap.mutator();
    t.enter(2);
    own(t, 1000);
    t.pushCatcher(1, 5);
    long before = WatchedProvider.last().cycles();
    for (int depth = 0; depth < 100; depth++) {
      t.enter(2);
      own(t, 1000);
    }
    long deep = WatchedProvider.last().cycles();
    assertThat(deep).isGreaterThan(before);
    if (afterAnError) {
      t.setNull(0);
      assertThat(t.raise(0)).isEqualTo(5);
    } else {
      for (int depth = 0; depth < 100; depth++) {
        t.leave();
      }
    }
    assertThat(WatchedProvider.last().cycles()).isEqualTo(deep);
    own(t, 1000);
    assertThat(WatchedProvider.last().cycles()).isLessThan(deep + 5);
    heap.collect();
    assertThat(heap.statistics().live(Kind.OBJECT)).isEqualTo(1000);
  }

  /** Makes a list of objects in slot 0. */
  private static void own(Mutator t, int length) {
    t.setNull(0);
    for (int i = 0; i < length; i++) {
      t.newObject(1, OWNED);
      t.store(1, 0, 0);
      t.copy(0, 1);
    }
    t.setUndefined(1);
  }

  @Test
  @Tag("F3")
  void aRecordMovesAtMostOnce() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(3);
    for (int i = 0; i < 50; i++) { // die young
      t.enter(1);
      t.newRecord(0, 2);
      t.leave();
    }
    t.newRecord(0, 1);
    t.newRecord(1, 1);
    t.store(0, 0, 1);
    assertThat(heap.statistics().movedElements()).isZero();
    heap.collect();
    assertThat(heap.statistics().movedElements()).isEqualTo(2);
    heap.collect();
    assertThat(heap.statistics().movedElements()).isEqualTo(2);
  }

  /** Both moved when the record escaped; the element became the caller's, before it held it. */
  @ParameterizedTest
  @ValueSource(strings = {"frames", "copying"})
  @Tag("F9")
  void whatIsStoredIntoAnElementThatARecordOfTheCallerHoldsStays(String mode) {
    Heap heap = open(QUIET, "collectors.framestack { cycle.after = 1, mode = " + mode + " }");
    Mutator t = heap.mutator();
    t.enter(1);
    t.newRecord(0, 1);
    t.enter(3, 0, 1);
    t.newObject(1, OWNED);
    t.store(0, 0, 1);
    t.newRecord(2, 1);
    t.storeInt(2, 0, 17);
    t.putIndex(1, 0, 2);
    t.wipe(1);
    for (int i = 0; i < 100; i++) {
      t.newObject(1, OWNED);
      t.enter(1);
      t.newObject(0, OWNED);
      t.leave();
    }
    t.load(1, 0, 0);
    t.getIndex(2, 1, 0);
    assertThat(t.loadInt(2, 0)).isEqualTo(17);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  /** What lies beyond is on no list, and so old, and all that it holds with it. */
  @Test
  @Tag("F9")
  void copiesBeyondTheReachOfListsHoldWhatIsOld() {
    Heap heap = open("collector = watched", QUIET, "memory { max = 64GiB, backing = reserved }");
    Mutator t = heap.mutator();
    t.enter(3);
    t.newRecord(0, 2);
    heap.collect(); // there is a page of such records
    assertThat(heap.plainMemory().alloc(Segments.REACH))
        .isPositive(); // the other ones lie behind this
    t.newRecord(0, 2);
    t.copy(1, 0);
    for (int i = 0; i < 1000; i++) {
      t.newRecord(2, 2);
      t.store(2, 0, 1);
      t.copy(1, 2);
    }
    GlobalRef global = heap.newGlobal();
    t.newRecord(2, 2);
    t.setGlobal(global, 2); // all move: that in slot 0 first, and then the list, which ends there
    assertThat(WatchedProvider.last().verify()).isNull();
  }
}
