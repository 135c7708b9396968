package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The kinds of elements, what they own, and that each is in one place and goes from it. */
class ElementsTest extends AllCollectors {
  ElementsTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("voluntary.enabled = false");
  private final Mutator t = heap.mutator();

  /** One element of every kind in slots 0 to 8, small or with a block of its own. */
  private void oneOfEach(boolean large) {
    int n = large ? 3000 : 2;
    t.newString(0, "s".repeat(large ? 20_000 : 10));
    t.newRecord(1, n);
    t.newObject(2, n);
    t.newString(3, "key");
    t.putProperty(2, 3, 2);
    t.newBuffer(3, large ? 20_000 : 10);
    t.newDynamicBuffer(4, large ? 20_000 : 10);
    t.newThread(5);
    t.newFunction(6, n, n);
    t.newNative(7, "object", (value, closing) -> finalized.add("freed " + value));
    t.setLong(8, Long.MIN_VALUE);
  }

  @Test
  void stringsAndObjectsAreToldFromAllElseInASlot() {
    t.enter(14);
    oneOfEach(false);
    t.setInt(9, 1);
    t.setDouble(10, 0.5);
    t.setBoolean(11, true);
    t.setNull(12);
    for (int s = 0; s < 14; s++) {
      assertThat(t.isString(s)).as("slot %s", s).isEqualTo(s == 0);
      assertThat(t.isObject(s)).as("slot %s", s).isEqualTo(s == 2);
    }
    assertThatThrownBy(() -> t.isString(14)).hasMessage("no slot 14 in a frame of 14");
    assertThatThrownBy(() -> t.isObject(-1)).hasMessage("no slot -1 in a frame of 14");
  }

  private Map<Kind, Long> enumerated() {
    Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    heap.inspect().forEachElement((kind, bytes) -> counts.merge(kind, 1L, Long::sum));
    return counts;
  }

  /** The heap makes it, once, with the first native that has a callback. */
  private void makeCallbackThread() {
    t.enter(1);
    t.newNative(0, "has a callback", (_, _) -> {});
    t.leave();
    heap.collect();
  }

  @Test
  @Tag("D6")
  @Tag("D9")
  @Needs("!prompt")
  void everyKindIsEnumeratedOnceAndReclaimedOnce() {
    makeCallbackThread();
    Map<Kind, Long> before = enumerated();
    long used = used(heap);
    for (boolean large : new boolean[] {false, true, false}) {
      t.enter(9);
      oneOfEach(large);
      Map<Kind, Long> counts = enumerated();
      for (Kind kind : Kind.values()) {
        long expected = before.getOrDefault(kind, 0L) + (kind == Kind.STRING ? 2 : 1);
        assertThat(counts.get(kind)).as("%s", kind).isEqualTo(expected);
        assertThat(count(heap, kind)).as("%s", kind).isEqualTo(expected);
      }
      heap.collect();
      assertThat(enumerated()).as("all are still reachable").isEqualTo(counts);
      t.leave();
      assertThat(enumerated()).as("garbage is enumerated until it is found").isEqualTo(counts);
      heap.collect();
      assertThat(enumerated()).isEqualTo(before);
      assertThat(used(heap)).isBetween(used, used + 256 * 8); // the string table stays
      used = Math.max(used, used(heap));
    }
    assertThat(finalized).containsExactly("freed object", "freed object", "freed object");
  }

  @Test
  @Tag("D6")
  @Needs("cycles")
  void closingFreesEverythingReachableOrNot() {
    t.enter(9);
    oneOfEach(true);
    oneOfEach(false);
    t.store(1, 0, 1); // a loop
    heap.plainMemory().alloc(5000); // a plain block that is never freed
    heap.reserveExternal(1000);
    heap.close();
    assertThat(finalized).containsExactly("freed object", "freed object");
    assertThat(heap.statistics().usedBytes()).isZero();
    assertThat(heap.statistics().committedBytes()).isZero();
    assertThat(heap.statistics().strings()).isZero();
    assertThat(heap.statistics().reclaimedElements())
        .isEqualTo(heap.statistics().allocatedElements());
  }

  @Test
  @Tag("D8")
  void elementsStayWhereTheyAreWhileWhatTheyOwnMoves() {
    t.enter(9);
    oneOfEach(false);
    int[] hashes = new int[8];
    for (int i = 0; i < 8; i++) {
      hashes[i] = t.identityHash(i);
    }
    for (int i = 0; i < 500; i++) {
      t.enter(8, 0, 7);
      t.newString(7, "grows " + i);
      t.putProperty(2, 7, 1);
      t.resizeBuffer(4, 100 + i * 100L);
      t.push(5, 1);
      t.leave();
    }
    heap.collect();
    for (int i = 0; i < 8; i++) {
      assertThat(t.identityHash(i)).isEqualTo(hashes[i]);
    }
    assertThat(t.propertyCount(2)).isEqualTo(501);
    assertThat(t.bufferSize(4)).isEqualTo(50_000);
  }

  @Test
  @Tag("D8")
  @Needs("cycles")
  void auxiliaryMemoryGoesWithItsOwner() {
    t.enter(9);
    t.newString(0, "so that there is a table");
    t.setUndefined(0);
    makeCallbackThread();
    heap.collect();
    long used = used(heap);
    oneOfEach(false);
    for (int i = 0; i < 100; i++) {
      t.push(5, 1);
      t.newString(0, "p" + i);
      t.putProperty(2, 0, 1);
    }
    t.resizeBuffer(4, 100_000);
    assertThat(used(heap)).isGreaterThan(used + 100_000);
    t.wipe(0);
    heap.collect();
    assertThat(used(heap)).isEqualTo(used);
  }

  @Test
  @Tag("D9")
  void everySlotOfEveryKindOfContainerIsTraced() {
    for (int n : new int[] {1, 2, 3, 4, 5, 8, 31, 32, 100, 1023, 1024, 5000}) {
      t.enter(4);
      t.newRecord(0, n);
      t.newObject(1, n);
      t.newFunction(2, n, 0);
      for (int i = 0; i < n; i++) {
        t.newRecord(3, 0);
        t.store(0, i, 3);
        t.newRecord(3, 1);
        t.store(1, i, 3);
        t.newRecord(3, 2);
        t.storeConstant(2, i, 3);
      }
      t.setUndefined(3);
      heap.collect();
      assertThat(count(heap, Kind.RECORD)).as("%s slots", n).isEqualTo(3L * n + 1);
      for (int i = 0; i < n; i++) {
        t.load(3, 0, i);
        assertThat(t.slotCount(3)).isEqualTo(0);
        t.load(3, 1, i);
        assertThat(t.slotCount(3)).isEqualTo(1);
        t.loadConstant(3, 2, i);
        assertThat(t.slotCount(3)).isEqualTo(2);
      }
      t.leave();
      heap.collect();
      assertThat(count(heap, Kind.RECORD)).isZero();
    }
  }

  @Test
  @Tag("D9")
  void anInnerFunctionIsAFunctionOrNothing() {
    t.enter(3);
    t.newFunction(0, 0, 1);
    t.newFunction(1, 0, 0);
    t.storeInner(0, 0, 1);
    t.setNull(1);
    t.storeInner(0, 0, 1);
    t.setUndefined(1);
    t.storeInner(0, 0, 1);
    List<Runnable> wrong = new ArrayList<>();
    wrong.add(() -> t.setInt(1, 7));
    wrong.add(() -> t.setInt(1, -7));
    wrong.add(() -> t.setDouble(1, 1.5));
    wrong.add(() -> t.setDouble(1, -1.5));
    wrong.add(() -> t.setBoolean(1, true));
    wrong.add(() -> t.newRecord(1, 0));
    wrong.add(() -> t.newString(1, "f"));
    for (Runnable set : wrong) {
      set.run();
      assertThatThrownBy(() -> t.storeInner(0, 0, 1))
          .isInstanceOf(HeapUsageException.class)
          .hasMessageContaining("not a function");
      t.loadInner(2, 0, 0);
      assertThat(t.isUndefined(2)).isTrue();
    }
  }

  @Test
  @Tag("D9")
  void aFrameIsNeverLargerThanItsLinkCanSay() {
    Heap roomy = open("memory.max = 2GiB", "voluntary.enabled = false");
    Mutator r = roomy.mutator();
    int most = (1 << 24) - 2;
    r.enter(1);
    r.setInt(0, 1);
    assertThatThrownBy(() -> r.enter(most + 1)).isInstanceOf(ValueStackFullException.class);
    assertThatThrownBy(() -> r.enter(1 << 24)).isInstanceOf(ValueStackFullException.class);
    assertThatThrownBy(() -> r.enter(-1)).isInstanceOf(HeapUsageException.class);
    assertThat(r.frameDepth()).isEqualTo(1);
    r.enter(most);
    r.setInt(most - 1, 2);
    r.enter(1);
    assertThat(r.frameDepth()).isEqualTo(3);
    r.leave();
    assertThat(r.frameSize()).isEqualTo(most);
    assertThat(r.getInt(most - 1)).isEqualTo(2);
    r.leave();
    assertThat(r.frameSize()).isEqualTo(1);
    assertThat(r.getInt(0)).isEqualTo(1);
    assertThatThrownBy(() -> r.enter(most + 1))
        .as("also when the stack is large already")
        .isInstanceOf(ValueStackFullException.class);
  }

  @Test
  @Tag("D17")
  @Tag("D25")
  @Needs("cycles")
  void loopsGoInOneSweepThatReadsNothingFreed() {
    for (int round = 0; round < 3; round++) {
      t.enter(5);
      for (int i = 0; i < 300; i++) {
        // A loop over all kinds that hold references, owning tables and stacks.
        t.newRecord(0, 1);
        t.newObject(1, 1);
        t.newString(2, "round " + round + ", loop " + i);
        t.putProperty(1, 2, 0);
        t.newFunction(2, 1, 1);
        t.storeConstant(2, 0, 1);
        t.storeInner(2, 0, 2);
        t.newThread(3);
        t.push(3, 2);
        t.store(0, 0, 3);
        t.newNative(4, i, (value, closing) -> finalized.add("n" + value));
        t.store(1, 0, 4);
      }
      t.leave();
      heap.collect();
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(heap.statistics().liveElements()).as("two threads").isEqualTo(2);
      assertThat(heap.statistics().strings()).isZero();
      assertThat(finalized).hasSize(300).doesNotHaveDuplicates();
      finalized.clear();
    }
  }

  @Test
  @Tag("D25")
  @Needs({"!prompt", "!frames"})
  void memoryUseSwingsBetweenCollections() {
    t.enter(1);
    heap.collect();
    long floor = used(heap);
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < 1000; i++) {
        t.newRecord(0, 9);
      }
      t.setUndefined(0);
      assertThat(used(heap)).isEqualTo(floor + 80_000);
      heap.collect();
      assertThat(used(heap)).isEqualTo(floor);
    }
    assertThat(heap.statistics().peakBytes()).isEqualTo(floor + 80_000);
  }

  @Test
  @Tag("D25")
  @Needs("!prompt")
  void aRecordTakesItsSlotsAndAHeaderWithoutACount() {
    t.enter(1);
    for (int slots = 0; slots < 31; slots++) {
      long before = used(heap);
      t.newRecord(0, slots);
      assertThat(used(heap) - before).isEqualTo(8 + 8L * slots);
    }
  }
}
