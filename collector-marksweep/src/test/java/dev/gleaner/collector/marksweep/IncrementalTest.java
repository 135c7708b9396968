package dev.gleaner.collector.marksweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.spi.CollectFlags;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Collections in slices: every way to hide a reference from a marking that is under way, and what
 * new, dead and finalized elements see of it.
 *
 * <p>A long list that a built-in refers to keeps the marking busy for many slices. Built-ins are
 * the first roots, so the last to be scanned: the thread with its slots has been scanned when the
 * first slice ends, and what a test hides hangs at the list's end, where no first slice comes.
 */
@Tag("D32")
class IncrementalTest extends HeapTests {
  private static final int BALLAST = 40_000;
  private static final int HIDDEN = 4711;

  private final Heap heap =
      open("voluntary.enabled = false", "incremental.slice = 1us", "strings.initial = 16");
  private final Mutator t = heap.mutator();
  private final Events events = new Events(heap);

  /** A built-in is in slot 1, the container in slot 0; slots from 2 on are free. */
  @BeforeEach
  void frame() {
    t.enter(10);
    heap.makeBuiltins(() -> t.newRecord(1, 1));
  }

  /** Puts what is in slot 0, which is then undefined, at the end of the built-in's list. */
  private void bury() {
    for (int i = 0; i < BALLAST; i++) {
      t.newRecord(2, 1);
      t.store(2, 0, 0);
      t.copy(0, 2);
    }
    t.store(1, 0, 2);
    t.setUndefined(0);
    t.setUndefined(2);
  }

  /** Walks to the end of the list: what was buried is in slot 0 again. */
  private void unbury() {
    t.load(0, 1, 0);
    for (int i = 0; i < BALLAST; i++) {
      t.load(0, 0, 0);
    }
  }

  private void begin() {
    assertThat(heap.step(1)).as("a slice is not enough").isFalse();
  }

  private void finish() {
    int before = events.all.size();
    while (!heap.step(1)) {}
    assertThat(events.all.size() - before).as("slices").isGreaterThan(3);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  private void newHidden(int slot) {
    t.newRecord(slot, 1);
    t.storeInt(slot, 0, HIDDEN);
  }

  private void assertHidden(int slot) {
    assertThat(t.kind(slot)).isEqualTo(Kind.RECORD);
    assertThat(t.loadInt(slot, 0)).isEqualTo(HIDDEN);
  }

  /** Takes the places of what a faulty collection would have freed. */
  private void garbage() {
    t.enter(1);
    for (int i = 0; i < 500; i++) {
      t.newRecord(0, 1);
      t.storeInt(0, 0, -1);
    }
    t.leave();
  }

  private void finishAndCheck(int slot) {
    finish();
    garbage();
    assertHidden(slot);
    heap.collect();
    assertHidden(slot);
  }

  // ---- hidden references ----

  @Test
  void aRecordsSlotIsLoadedAndOverwritten() {
    t.newRecord(0, 1);
    newHidden(3);
    t.store(0, 0, 3);
    t.setUndefined(3);
    bury();
    begin();
    unbury();
    t.load(5, 0, 0);
    t.storeNull(0, 0);
    finishAndCheck(5);
  }

  @Test
  void aReferenceMovesToANewElement() {
    t.newRecord(0, 1);
    newHidden(3);
    t.store(0, 0, 3);
    t.setUndefined(3);
    bury();
    begin();
    unbury();
    t.newRecord(4, 1); // born marked, and never scanned
    t.load(5, 0, 0);
    t.store(4, 0, 5);
    t.setUndefined(5);
    t.storeInt(0, 0, 1);
    finish();
    garbage();
    t.load(5, 4, 0);
    assertHidden(5);
  }

  @Test
  void aReferenceMovesBetweenOldElements() {
    t.newRecord(0, 2);
    newHidden(3);
    t.store(0, 1, 3);
    t.setUndefined(3);
    t.newRecord(4, 1); // near the roots: scanned at once
    bury();
    begin();
    unbury();
    t.load(5, 0, 1);
    t.store(4, 0, 5);
    t.storeNull(0, 1);
    t.setUndefined(5);
    finish();
    garbage();
    t.load(5, 4, 0);
    assertHidden(5);
  }

  @Test
  void anInlineSlotOfAnObject() {
    t.newObject(0, 3);
    newHidden(3);
    t.store(0, 2, 3);
    t.setUndefined(3);
    bury();
    begin();
    unbury();
    t.load(5, 0, 2);
    t.storeNull(0, 2);
    finishAndCheck(5);
  }

  @Test
  void aPropertyIsOverwritten() {
    t.newObject(0);
    newHidden(3);
    t.newString(4, "key");
    t.putProperty(0, 4, 3);
    t.setUndefined(3);
    bury();
    begin();
    unbury();
    t.getProperty(5, 0, 4);
    t.setNull(6);
    t.putProperty(0, 4, 6);
    finishAndCheck(5);
  }

  @Test
  void aPropertyIsDeletedWithItsKey() {
    t.newObject(0);
    newHidden(3);
    t.newString(4, "a key that is nowhere else");
    t.putProperty(0, 4, 3);
    t.wipe(3);
    bury();
    begin();
    unbury();
    assertThat(t.nextProperty(0, 0, 4, 5)).isPositive();
    assertThat(t.deleteProperty(0, 4)).isTrue();
    finishAndCheck(5);
    assertThat(t.getString(4)).isEqualTo("a key that is nowhere else");
    t.newString(6, "a key that is nowhere else");
    assertThat(t.same(4, 6)).as("one copy").isTrue();
  }

  @Test
  void theArrayPart() {
    t.newObject(0);
    newHidden(3);
    t.putIndex(0, 7, 3);
    t.setUndefined(3);
    bury();
    begin();
    unbury();
    t.getIndex(5, 0, 7);
    t.setInt(6, 1);
    t.putIndex(0, 7, 6);
    finishAndCheck(5);
  }

  @Test
  void aTableThatIsRebuiltMeanwhile() {
    t.newObject(0);
    newHidden(3);
    t.newString(4, "key");
    t.putProperty(0, 4, 3);
    t.setUndefined(3);
    bury();
    begin();
    unbury();
    for (int i = 0; i < 100; i++) {
      t.newString(6, "more " + i);
      t.putProperty(0, 6, 6);
    }
    t.getProperty(5, 0, 4);
    assertThat(t.deleteProperty(0, 4)).isTrue();
    finishAndCheck(5);
    assertThat(t.propertyCount(0)).isEqualTo(100);
  }

  @Test
  void aPrototype() {
    t.newObject(0);
    t.newObject(3, 1);
    newHidden(4);
    t.store(3, 0, 4);
    t.setPrototype(0, 3);
    t.wipe(3);
    bury();
    begin();
    unbury();
    t.getPrototype(5, 0);
    t.setNull(6);
    t.setPrototype(0, 6);
    finish();
    garbage();
    t.load(5, 5, 0);
    assertHidden(5);
  }

  @Test
  void aConstantAndAnInnerFunction() {
    t.newFunction(0, 1, 1);
    newHidden(3);
    t.storeConstant(0, 0, 3);
    t.newFunction(4, 1, 0);
    t.storeConstant(4, 0, 3);
    t.storeInner(0, 0, 4);
    t.wipe(3);
    bury();
    begin();
    unbury();
    t.loadInner(6, 0, 0);
    t.setNull(7);
    t.storeInner(0, 0, 7);
    t.storeConstant(0, 0, 7);
    finish();
    garbage();
    t.loadConstant(5, 6, 0);
    assertHidden(5);
  }

  @Test
  void aGlobalReference() {
    newHidden(0);
    GlobalRef global = heap.newGlobal();
    GlobalRef other = heap.newGlobal();
    t.setGlobal(global, 0);
    t.setGlobal(other, 0);
    t.setNull(0);
    bury();
    begin();
    t.getGlobal(5, global);
    t.setGlobal(global, 6);
    other.close();
    finishAndCheck(5);
  }

  @Test
  void aGlobalReferenceThatIsMadeMeanwhile() {
    t.newRecord(0, 1);
    newHidden(3);
    t.store(0, 0, 3);
    t.setUndefined(3);
    bury();
    begin();
    unbury();
    GlobalRef global = heap.newGlobal();
    t.load(5, 0, 0);
    t.setGlobal(global, 5);
    t.storeNull(0, 0);
    t.setUndefined(5);
    finish();
    garbage();
    t.getGlobal(5, global);
    assertHidden(5);
  }

  @Test
  void aWeakReferenceThatIsReadToAnElementThatNothingElseHolds() {
    newHidden(3);
    WeakRef weak = t.newWeak(3);
    t.setUndefined(3);
    t.setNull(0);
    bury();
    begin(); // it is garbage in the snapshot
    assertThat(t.getWeak(5, weak)).isTrue();
    finishAndCheck(5);
    assertThat(weak.isCleared()).isFalse();
  }

  @Test
  void aWeakReferenceThatIsReadJustBeforeTheEnd() {
    newHidden(3);
    t.newRecord(4, 1);
    t.store(4, 0, 3);
    WeakRef weak = t.newWeak(4);
    t.wipe(3);
    t.setNull(0);
    bury();
    int slices = 0;
    while (!heap.step(1)) {
      slices++;
    }
    t.newRecord(3, 1); // the same again, with as many slices but one
    newHidden(4);
    t.store(3, 0, 4);
    WeakRef again = t.newWeak(3);
    t.wipe(3);
    for (int i = 0; i < slices - 2; i++) {
      if (heap.step(1)) {
        return; // it took fewer this time
      }
    }
    assertThat(weak.isCleared()).isTrue();
    assertThat(t.getWeak(5, again)).isTrue();
    while (!heap.step(1)) {}
    garbage();
    t.load(5, 5, 0);
    assertHidden(5);
  }

  @Test
  void aStringThatOnlyADyingRecordHoldsIsInternedAgain() {
    t.newString(3, "a text");
    WeakRef weak = t.newWeak(3);
    t.newRecord(4, 1);
    t.store(4, 0, 3);
    t.wipe(3);
    t.setNull(0);
    bury();
    begin();
    t.newString(5, "a text");
    finish();
    garbage();
    assertThat(weak.isCleared()).as("the same string").isFalse();
    assertThat(t.getString(5)).isEqualTo("a text");
    t.newString(6, "a text");
    assertThat(t.same(5, 6)).isTrue();
  }

  @Test
  void aStringThatOnlyADyingRecordHoldsIsFound() {
    t.newString(3, "a text");
    t.newRecord(4, 1);
    t.store(4, 0, 3);
    t.wipe(3);
    t.setNull(0);
    bury();
    begin();
    assertThat(t.findString(5, "a text")).isTrue();
    finish();
    garbage();
    assertThat(t.getString(5)).isEqualTo("a text");
  }

  @Test
  void aSuspendedThreadsStack() {
    t.newThread(0);
    newHidden(3);
    t.push(0, 3);
    t.setUndefined(3);
    bury();
    begin();
    unbury();
    t.pop(0, 5);
    finishAndCheck(5);
  }

  @Test
  void aSuspendedThreadsFrames() {
    t.newThread(0);
    t.resume(0, 1);
    t.enter(2);
    newHidden(1);
    t.enter(0);
    t.suspend();
    GlobalRef global = heap.newGlobal();
    bury();
    begin();
    unbury();
    t.resume(0, 0); // in a frame above; leave to the one below
    t.leave();
    t.setGlobal(global, 1);
    t.leave();
    t.enter(0);
    t.suspend();
    t.getGlobal(5, global);
    finishAndCheck(5);
  }

  @Test
  void theFrameItself() {
    newHidden(3);
    t.setNull(0);
    bury();
    begin();
    t.newRecord(4, 1);
    t.store(4, 0, 3);
    t.setUndefined(3);
    t.enter(1, 4, 1);
    t.leave(0, 6);
    t.setUndefined(4);
    finish();
    garbage();
    t.load(5, 6, 0);
    assertHidden(5);
  }

  /** A global's list is scanned before the running thread, whose slots the beginning took. */
  @Test
  void aSlotThatIsWipedBeforeItsThreadIsScanned() {
    GlobalRef global = heap.newGlobal();
    list(t, 0, 2, BALLAST);
    t.setGlobal(global, 0);
    t.setUndefined(0);
    newHidden(3);
    begin();
    t.newRecord(4, 1);
    t.store(4, 0, 3);
    t.setUndefined(3);
    finish();
    garbage();
    t.load(5, 4, 0);
    assertHidden(5);
  }

  @Test
  void theResumerOfTheRunningThread() {
    t.setNull(0);
    bury();
    t.newThread(3);
    t.newThread(4);
    t.push(3, 4);
    t.setUndefined(4);
    t.resume(3, 2);
    newHidden(0);
    t.enter(1); // a frame of the first thread
    t.newThread(0);
    t.resume(0, 1);
    begin();
    t.suspend(); // now the first one runs, which was a resumer at the beginning
    finish();
    garbage();
    t.leave();
    assertHidden(0);
    t.suspend();
  }

  @Test
  void whatAFinalizerHoldsWhileTheCollectionGoesOn() {
    t.newRecord(0, 1);
    newHidden(3);
    t.store(0, 0, 3);
    t.setUndefined(3);
    GlobalRef buried = heap.newGlobal();
    t.setGlobal(buried, 0);
    bury();
    t.newRecord(3, 0);
    t.setFinalizer(
        3,
        "f",
        noting(
            "f",
            (thread, closing) -> {
              if (!closing) {
                begin();
                thread.getGlobal(1, buried);
                thread.load(2, 1, 0);
                thread.storeNull(1, 0);
                finish();
                garbage();
                assertHidden(2);
              }
            }));
    t.setUndefined(3);
    heap.collect();
    assertThat(finalized).containsExactly("f");
  }

  // ---- the same results ----

  @Test
  void whatIsGarbageAtTheBeginningIsReclaimedAtTheEnd() {
    t.setNull(0);
    bury();
    for (int i = 0; i < 1000; i++) {
      t.newObject(3, 1);
      t.newString(4, "garbage " + i);
      t.putProperty(3, 4, 3);
    }
    t.newNative(3, "object", (value, closing) -> finalized.add("freed"));
    t.newRecord(3, 0);
    WeakRef weak = t.newWeak(3);
    lose(t, 3, "f");
    t.wipe(3);
    begin();
    assertThat(count(heap, Kind.OBJECT)).isEqualTo(1000);
    finish();
    assertThat(count(heap, Kind.OBJECT)).isZero();
    assertThat(count(heap, Kind.STRING)).isZero();
    assertThat(weak.isCleared()).isTrue();
    assertThat(finalized).containsExactly("freed", "f");
    assertThat(collections(heap)).isEqualTo(1);
  }

  @Test
  void whatBecomesGarbageMeanwhileIsReclaimedByTheNext() {
    newHidden(3);
    WeakRef weak = t.newWeak(3);
    t.setNull(0);
    bury();
    begin();
    t.setUndefined(3);
    newHidden(4);
    WeakRef born = t.newWeak(4);
    t.newRecord(4, 5000);
    t.setUndefined(4);
    finish();
    assertThat(weak.isCleared()).as("it floats").isFalse();
    assertThat(born.isCleared()).isFalse();
    begin();
    finish();
    assertThat(weak.isCleared()).isTrue();
    assertThat(born.isCleared()).isTrue();
  }

  @Test
  void aFullCollectionGivesUpTheCycleAndIsExact() {
    newHidden(3);
    WeakRef weak = t.newWeak(3);
    t.setNull(0);
    bury();
    begin();
    t.setUndefined(3);
    heap.collect();
    assertThat(weak.isCleared()).isTrue();
    assertThat(collections(heap)).isEqualTo(1);
    assertThat(count(heap, Kind.RECORD)).isEqualTo(BALLAST + 1);
    begin();
    finish();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(BALLAST + 1);
    assertThat(collections(heap)).isEqualTo(2);
  }

  @Test
  void newElementsOfEverySizeAndKindSurviveTheCycleTheyAreBornIn() {
    t.setNull(0);
    bury();
    for (int round = 0; round < 3; round++) {
      begin();
      t.newRecord(3, 500);
      for (int i = 0; i < 500; i++) {
        t.newRecord(4, i % 50);
        if (i % 5 == 0) {
          t.newRecord(4, i * 10); // some with a block of their own
        }
        t.store(3, i, 4);
        if (i % 100 == 0) {
          boolean _ = heap.step(1); // true where allocations have done all slices but one
        }
      }
      t.newString(5, "x".repeat(20_000));
      t.newObject(6);
      t.putProperty(6, 5, 3);
      t.newDynamicBuffer(7, 100);
      t.setUndefined(4);
      finish();
      garbage();
      for (int i = 0; i < 500; i++) {
        t.load(4, 3, i);
        assertThat(t.slotCount(4)).isEqualTo(i % 5 == 0 ? i * 10 : i % 50);
      }
      assertThat(t.getString(5)).hasSize(20_000);
      t.getProperty(8, 6, 5);
      assertThat(t.same(8, 3)).isTrue();
    }
  }

  @Test
  void finalizersRunAtTheEndOnceAndRescuesAreFoundByTheNext() {
    GlobalRef saved = heap.newGlobal();
    t.setNull(0);
    bury();
    lose(t, 3, "lost");
    lose(t, 3, "saved", (thread, closing) -> thread.setGlobal(saved, 0));
    begin();
    assertThat(finalized).isEmpty();
    finish();
    assertThat(finalized).containsExactly("lost", "saved");
    begin();
    finish();
    assertThat(heap.statistics().finalizersRescued()).isEqualTo(1);
    t.setGlobal(saved, 0);
    begin();
    finish();
    assertThat(finalized).containsExactly("lost", "saved", "saved");
  }

  @Test
  void aCycleThatBeginsInAFinalizerDecidesNoRescue() {
    t.setNull(0);
    bury();
    lose(
        t,
        3,
        "f",
        (thread, closing) -> {
          if (!closing) {
            begin();
          }
        });
    heap.collect();
    assertThat(finalized).containsExactly("f");
    finish();
    assertThat(heap.statistics().finalizersRescued()).isZero();
    heap.collect();
    heap.collect();
    assertThat(finalized).containsExactly("f");
    assertThat(count(heap, Kind.RECORD)).isEqualTo(BALLAST + 1);
  }

  @Test
  void slicesAreReportedOneByOneAndKeepTheirBudget() {
    t.setNull(0);
    bury();
    begin();
    finish();
    assertThat(events.all).allSatisfy(e -> assertThat(e.mode()).isEqualTo(Mode.SLICE));
    assertThat(events.all.stream().filter(e -> e.collectionFinished())).hasSize(1);
    assertThat(events.all.getLast().collectionFinished()).isTrue();
    assertThat(heap.statistics().steps()).isEqualTo(events.all.size());
    // A slice of 1 us scans some 500 elements before it looks at the clock.
    assertThat(events.all.size()).isGreaterThan(BALLAST / 5000);
  }

  @Test
  void collectionsThatStartByThemselvesGoBySlicesBetweenAllocations() {
    Heap h =
        open(
            "voluntary { mult = 0.5, add = 100 }",
            "incremental { enabled = true, slice = 1us, allocations-per-slice = 10 }");
    Events slices = new Events(h);
    Mutator s = h.mutator();
    s.enter(3);
    list(s, 0, 1, 20_000);
    int before = slices.all.size();
    for (int i = 0; i < 50_000; i++) {
      s.newRecord(1, 2);
    }
    assertThat(slices.all.size() - before).isGreaterThan(50);
    assertThat(slices.causes()).containsOnly("voluntary");
    assertThat(slices.all).allSatisfy(e -> assertThat(e.mode()).isEqualTo(Mode.SLICE));
    assertThat(collections(h)).isGreaterThan(2);
    assertThat(count(h, Kind.RECORD)).isBetween(20_000L, 45_000L);
    h.collect(CollectFlags.EMERGENCY);
    assertThat(count(h, Kind.RECORD)).isEqualTo(20_001);
  }

  @Test
  void allocationsFinishACycleThatWasBegunByACall() {
    Heap h =
        open(
            "voluntary.enabled = false",
            "incremental { enabled = true, slice = 1us, allocations-per-slice = 10 }");
    Events slices = new Events(h);
    Mutator s = h.mutator();
    s.enter(3);
    list(s, 0, 1, 20_000);
    assertThat(h.step(1)).isFalse();
    for (int i = 0; i < 20_000; i++) {
      s.newRecord(1, 2);
    }
    assertThat(collections(h)).isEqualTo(1);
    int finished = slices.all.size();
    for (int i = 0; i < 1000; i++) {
      s.newRecord(1, 2);
    }
    assertThat(slices.all).as("and begin no other").hasSize(finished);
  }

  @Test
  void memoryThatRunsOutMidwayIsFoundByAFullCollection() {
    Heap h =
        open(
            "memory.max = 1MiB",
            "voluntary { mult = 0, add = 0 }",
            "incremental { enabled = true, slice = 1us, allocations-per-slice = 1000000 }");
    Mutator s = h.mutator();
    s.enter(3);
    list(s, 0, 1, 20_000);
    for (int i = 0; i < 100_000; i++) {
      s.newRecord(1, 10);
    }
    assertThat(count(h, Kind.RECORD)).isGreaterThanOrEqualTo(20_000);
  }

  @Test
  @Tag("D32")
  void aThreadThatOnlyItsOwnStackHoldsIsReclaimed() {
    long threads = count(heap, Kind.THREAD);
    t.newThread(3);
    t.push(3, 3);
    t.setUndefined(3);
    assertThat(count(heap, Kind.THREAD)).isEqualTo(threads + 1);
    boolean _ = heap.step(Integer.MAX_VALUE);
    assertThat(count(heap, Kind.THREAD)).isEqualTo(threads);
  }

  @Test
  @Tag("D32")
  void whatASuspendedThreadHoldsIsKeptWhenItIsTakenOutDuringTheCycle() {
    bury();
    t.newThread(3);
    t.newRecord(4, 1);
    t.setInt(5, HIDDEN);
    t.store(4, 0, 5);
    t.push(3, 4);
    t.newThread(6);
    t.push(6, 4);
    t.setUndefined(4);
    assertThat(heap.step(1)).isFalse();
    t.pop(3, 4);
    t.resume(6, 1);
    t.suspend(0, 1, 7, 1);
    boolean _ = heap.step(Integer.MAX_VALUE);
    assertThat(t.loadInt(4, 0)).isEqualTo(HIDDEN);
    assertThat(t.same(4, 7)).isTrue();
    assertThat(heap.inspect().verify()).isEmpty();
  }
}
