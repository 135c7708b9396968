package dev.gleaner.collector.framestack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mode copying: what a result reaches is copied to the caller's part, whatever its kind. */
@Tag("F2b")
class CopiedFramesTest extends HeapTests {
  private static final String QUIET = "voluntary.enabled = false";
  private static final String COPYING = "collectors.framestack.mode = copying";

  /** An object, its prototype, two functions and a record. */
  private static final int MADE = 5;

  private static final int SLOTS = 8;

  private final Heap heap = open(QUIET, COPYING);
  private final Mutator t = heap.mutator();

  /**
   * Makes a result in slot 2 that reaches all kinds, among them a string and a buffer of slot 0.
   */
  private void makeResult() {
    t.newRecord(5, 1);
    t.storeInt(5, 0, 7);
    t.newFunction(3, 2, 1);
    t.newFunction(4, 1, 0);
    t.storeConstant(4, 0, 5);
    t.storeInner(3, 0, 4);
    t.storeConstant(3, 0, 5);
    t.storeConstant(3, 1, 1);
    t.newObject(6);
    t.putProperty(6, 0, 5);
    t.newObject(2, 1, 6);
    t.putProperty(2, 0, 3);
    t.putIndex(2, 0, 1);
    t.putIndex(2, 1, 2); // itself
    t.putIndex(2, 1000, 5);
    t.wipe(3);
  }

  /** Makes elements that refer to the result, and are not reached by it. */
  private void makeGarbage() {
    t.newObject(3);
    t.putIndex(3, 0, 2);
    t.newFunction(4, 1, 0);
    t.storeConstant(4, 0, 2);
    t.newRecord(5, 1);
    t.store(5, 0, 3);
  }

  private void check(int result) {
    t.enter(SLOTS, 0, 2);
    t.peek(2, 1, result);
    t.getProperty(3, 2, 0);
    t.loadInner(4, 3, 0);
    t.loadConstant(5, 3, 0);
    t.loadConstant(6, 4, 0);
    assertThat(t.same(5, 6)).isTrue();
    assertThat(t.loadInt(5, 0)).isEqualTo(7);
    t.getIndex(6, 2, 1000);
    assertThat(t.same(5, 6)).isTrue();
    t.getPrototype(6, 2);
    t.getProperty(7, 6, 0);
    assertThat(t.same(5, 7)).isTrue();
    t.getIndex(7, 2, 0);
    assertThat(t.same(7, 1)).isTrue();
    t.loadConstant(7, 3, 1);
    assertThat(t.same(7, 1)).isTrue();
    t.getIndex(7, 2, 1);
    assertThat(t.same(7, 2)).isTrue();
    t.leave();
  }

  private void enterWithShared() {
    t.enter(SLOTS);
    t.newString(0, "key");
    t.newBuffer(1, 100);
  }

  private void expect(int objects, int functions, int records) {
    assertThat(heap.inspect().verify()).isEmpty();
    HeapStatistics s = heap.statistics();
    assertThat(s.live(Kind.OBJECT)).isEqualTo(objects);
    assertThat(s.live(Kind.FUNCTION)).isEqualTo(functions);
    assertThat(s.live(Kind.RECORD)).isEqualTo(records);
    assertThat(s.live(Kind.BUFFER)).isEqualTo(1);
    assertThat(s.collections()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void resultsAreCopiedThroughEachFrame(boolean several) {
    enterWithShared();
    t.enter(1); // so that the heap has made what it makes once
    t.leave();
    long used = heap.statistics().usedBytes();
    int calls = 5;
    for (int i = 0; i < calls; i++) {
      t.enter(SLOTS, 0, 2);
    }
    makeResult();
    for (int i = 0; i < calls; i++) {
      makeGarbage();
      long moved = heap.statistics().movedElements();
      if (several) {
        assertThat(t.leave(2, 1, 2, 1)).isEqualTo(1);
      } else {
        t.leave(2, 2);
      }
      assertThat(heap.statistics().movedElements()).isEqualTo(moved + MADE);
      expect(2, 2, 1);
      check(2);
    }
    t.wipe(2);
    t.enter(SLOTS);
    t.newRecord(0, 1); // another frame with some: that of the result goes by its own end
    t.leave();
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(heap.statistics().usedBytes()).isEqualTo(used);
  }

  @Test
  void whatAFrameKeepsIsCopiedWhenItIsCompacted() {
    enterWithShared();
    t.enter(SLOTS, 0, 2);
    makeResult();
    for (int i = 0; i < 20; i++) {
      makeGarbage();
      long moved = heap.statistics().movedElements();
      t.wipe(3);
      assertThat(heap.statistics().movedElements()).isEqualTo(moved + MADE);
      expect(2, 2, 1);
      check(2);
      makeGarbage();
      t.tailCall(SLOTS, 0, 3);
      expect(2, 2, 1);
      check(2);
    }
    t.leave();
    expect(0, 0, 0);
  }

  /** The function that a frame runs is its caller's, which made it; that of a callee is its own. */
  @Test
  void functionsThatRunAreKept() {
    enterWithShared();
    t.newRecord(3, 1);
    t.storeInt(3, 0, 5);
    t.newFunction(2, 1, 0);
    t.storeConstant(2, 0, 3);
    t.call(SLOTS, 2);
    t.newFunction(2, 0, 1);
    t.newRecord(3, 1);
    t.call(SLOTS, 2);
    t.setNull(0);
    t.newRecord(1, 1);
    t.storeInt(1, 0, 6);
    t.wipe(2);
    assertThat(heap.inspect().verify()).isEmpty();
    t.leave(1, 2); // in place of the function that ran
    t.wipe(0);
    t.newRecord(0, 1);
    t.leave(0, 4);
    assertThat(heap.inspect().verify()).isEmpty();
    t.loadConstant(5, 2, 0);
    assertThat(t.loadInt(5, 0)).isEqualTo(5);
  }

  /** Parts become full, so that all is evacuated; and bytes are exact when all is gone. */
  @Test
  void fullPartsAreEvacuated() {
    Heap small = open(QUIET, COPYING, "memory.max = 256KiB");
    Mutator m = small.mutator();
    m.enter(3);
    m.newString(2, "next");
    long used = small.statistics().usedBytes();
    for (int round = 0; round < 3; round++) {
      m.setNull(0);
      for (int i = 0; i < 200; i++) { // a list of objects, returned through a frame each
        m.enter(5, 0, 3);
        m.newFunction(3, 3, 0);
        m.newObject(4, 1);
        m.putIndex(4, 0, 3);
        m.newObject(4, 1);
        m.putProperty(4, 2, 0);
        m.setInt(3, i);
        m.putIndex(4, 0, 3);
        m.leave(4, 0);
      }
      assertThat(small.inspect().verify()).isEmpty();
      for (int i = 199; i >= 0; i--) {
        m.getIndex(1, 0, 0);
        assertThat(m.getInt(1)).isEqualTo(i);
        m.getProperty(0, 0, 2);
      }
      assertThat(m.isNull(0)).isTrue();
      m.wipe(3);
      small.collect();
      assertThat(small.statistics().live(Kind.OBJECT)).isZero();
      assertThat(small.statistics().usedBytes()).isEqualTo(used);
    }
    assertThat(small.statistics().movedElements()).isGreaterThan(0);
  }
}
