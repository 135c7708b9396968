package dev.gleaner.collector.framestack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Objects with their tables, and functions, go with the frame that made them. */
@Tag("L15")
class YoungObjectsTest extends HeapTests {
  private static final int KEYS = 20;

  private final Heap heap =
      open("voluntary.enabled = false", "collectors.framestack.pretenure.batch = 0");
  private final Mutator t = heap.mutator();

  /** Enters a frame whose first slot has a record of keys. */
  private void enterWithKeys(int slots) {
    t.enter(slots);
    t.newRecord(0, KEYS);
    for (int i = 0; i < KEYS; i++) {
      t.newString(1, "key" + i);
      t.store(0, i, 1);
    }
    t.wipe(1);
    heap.collect(); // the record of keys is old
  }

  /** Makes an object in a slot, by a call, with records as properties and elements. */
  private void newObject(int slot, int from) {
    t.enter(4, 0, 1);
    t.newObject(1);
    for (int i = 0; i < KEYS; i++) {
      t.newRecord(2, 1);
      t.storeInt(2, 0, from + i);
      t.putIndex(1, i, 2);
      t.load(3, 0, i);
      t.putProperty(1, 3, 2);
    }
    t.leave(1, slot);
  }

  private void check(int slot, int from) {
    t.enter(4, slot, 1);
    t.copy(1, 0);
    t.leave();
    for (int i = 0; i < KEYS; i++) {
      t.enter(4, slot, 1);
      t.getIndex(1, 0, i);
      assertThat(t.loadInt(1, 0)).isEqualTo(from + i);
      t.leave();
    }
  }

  private void checkProperties(int keys, int slot, int from, int scratch) {
    for (int i = 0; i < KEYS; i++) {
      t.load(scratch, keys, i);
      t.getProperty(scratch, slot, scratch);
      assertThat(t.loadInt(scratch, 0)).isEqualTo(from + i);
    }
  }

  @Test
  void theyAndTheirTablesGoWhenTheFrameIsLeft() {
    enterWithKeys(3);
    long used = heap.statistics().usedBytes();
    long reclaimed = heap.statistics().reclaimedBytes();
    t.enter(2, 0, 1);
    newObject(1, 0);
    t.enter(1);
    t.newFunction(0, 3, 2);
    t.leave();
    assertThat(heap.statistics().live(Kind.OBJECT)).isOne();
    long more = heap.statistics().usedBytes() - used;
    assertThat(more).isGreaterThan(KEYS * 40);
    t.leave();
    assertThat(heap.statistics().live(Kind.OBJECT)).isZero();
    assertThat(heap.statistics().live(Kind.FUNCTION)).isZero();
    assertThat(heap.statistics().usedBytes()).isEqualTo(used);
    assertThat(heap.statistics().reclaimedBytes() - reclaimed).isGreaterThan(more);
    assertThat(heap.statistics().movedElements()).isOne(); // the record of keys
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void theyAreReturnedWhereTheyAre() {
    enterWithKeys(3);
    long moved = heap.statistics().movedElements();
    t.enter(2, 0, 1);
    t.enter(2, 0, 1);
    newObject(1, 7);
    t.leave(1, 1);
    t.leave(1, 1);
    checkProperties(0, 1, 7, 2);
    check(1, 7);
    assertThat(heap.statistics().movedElements()).isEqualTo(moved);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void theirTablesStayWhenTheyMove() {
    enterWithKeys(4);
    newObject(1, 7);
    newObject(2, 100);
    t.wipe(2);
    t.newObject(2);
    t.putIndex(2, 0, 1);
    heap.collect();
    assertThat(heap.statistics().live(Kind.OBJECT)).isEqualTo(2);
    checkProperties(0, 1, 7, 3);
    t.getIndex(1, 2, 0);
    check(1, 7);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  /** So many that the region becomes larger, where it is not. */
  @Test
  void theyMoveWithTheRegion() {
    enterWithKeys(4);
    t.setNull(1);
    for (int i = 0; i < 5000; i++) {
      t.newObject(2, 1);
      t.store(2, 0, 1);
      t.newRecord(3, 1);
      t.storeInt(3, 0, i);
      t.putIndex(2, 0, 3);
      t.copy(1, 2);
    }
    assertThat(heap.statistics().movedElements()).isOne();
    assertThat(heap.inspect().verify()).isEmpty();
    for (int i = 4999; i >= 0; i--) {
      t.getIndex(3, 1, 0);
      assertThat(t.loadInt(3, 0)).isEqualTo(i);
      t.load(1, 1, 0);
    }
  }

  @Test
  void whatTheyHoldEscapesFromYoungerFrames() {
    enterWithKeys(3);
    t.newObject(1);
    t.enter(4, 0, 2);
    for (int i = 0; i < KEYS; i++) {
      t.newObject(2);
      t.newRecord(3, 1);
      t.storeInt(3, 0, i);
      t.putIndex(2, 0, 3);
      t.load(3, 0, i);
      t.putProperty(1, 3, 2);
      t.putIndex(1, i, 2);
    }
    t.leave();
    newObject(2, 0); // over what they were
    t.wipe(2);
    for (int i = 0; i < KEYS; i++) {
      t.getIndex(2, 1, i);
      t.getIndex(2, 2, 0);
      assertThat(t.loadInt(2, 0)).isEqualTo(i);
    }
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void aFunctionThatRunsMayMove() {
    t.enter(3);
    t.newBuffer(2, 8);
    t.newRecord(0, 1);
    t.newFunction(1, 1, 1);
    t.setInt(2, 17);
    t.storeConstant(1, 0, 2);
    t.setFunctionCode(1, 5);
    t.call(2, 1);
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
    for (int i = 0; i < 10_000; i++) {
      t.newFunction(0, 1, 0);
      t.storeConstant(0, 0, 1);
      t.copy(1, 0);
    }
    assertThat(heap.inspect().verify()).isEmpty();
    t.leave();
    t.loadConstant(2, 1, 0);
    assertThat(t.getInt(2)).isEqualTo(17);
    assertThat(t.functionCode(1)).isEqualTo(5);
  }

  @Test
  void aWeakTableIsOldAndWhatIsInIt() {
    enterWithKeys(4);
    t.newObject(1);
    t.newRecord(2, 1);
    t.putProperty(1, 2, 2);
    t.setWeakness(1, Weakness.KEYS);
    t.newWeakObject(3, Weakness.VALUES);
    t.putIndex(3, 0, 2);
    assertThat(heap.inspect().verify()).isEmpty();
    t.wipe(2);
    heap.collect();
    assertThat(t.propertyCount(1)).isZero(); // a value holds no key of its own
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void aCoroutinesGoWithItsFramesToo() {
    enterWithKeys(3);
    t.newThread(2);
    t.resume(2, 3, 0, 1);
    long used = heap.statistics().usedBytes();
    t.enter(2, 0, 1);
    newObject(1, 3);
    t.leave();
    assertThat(heap.statistics().usedBytes()).isEqualTo(used);
    newObject(1, 9);
    int _ = t.finish(1, 1, 1, 1);
    check(1, 9);
    assertThat(heap.inspect().verify()).isEmpty();
  }
}
