package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Value stack hygiene: dead temporaries, stacks that shrink. */
@Tag("D30")
class StacksTest extends AllCollectors {
  StacksTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("voluntary.enabled = false", "threads.initial-stack-slots = 16");
  private final Mutator t = heap.mutator();

  @Test
  void wipedTemporariesAreNoRoots() {
    t.enter(10);
    for (int i = 0; i < 10; i++) {
      t.newRecord(i, 0);
    }
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).as("temporaries, but in slots").isEqualTo(10);
    t.wipe(4);
    for (int i = 0; i < 10; i++) {
      assertThat(t.isUndefined(i)).isEqualTo(i >= 4);
    }
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(4);
    t.wipe(10);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(4);
    assertThatThrownBy(() -> t.wipe(11)).isInstanceOf(HeapUsageException.class);
    assertThatThrownBy(() -> t.wipe(-1)).isInstanceOf(HeapUsageException.class);
    t.wipe(0);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isZero();
  }

  @Test
  void aRuntimeDropsDeadSlotsOfAllFramesWhenACollectionBegins() {
    List<Integer> depths = new ArrayList<>();
    t.enter(4);
    t.newFunction(0, 0, 0);
    t.setFunctionCode(0, 7);
    t.newRecord(1, 0);
    t.newRecord(2, 0);
    t.newThread(3);
    t.newFunction(2, 0, 0);
    t.push(3, 2);
    t.newRecord(2, 0);
    t.resume(3, 3, 0, 0);
    t.newRecord(1, 0);
    t.enter(2);
    t.newRecord(0, 0);
    t.newRecord(1, 0);
    heap.setDeadSlots(frame -> {
      depths.add(frame.isRunning() ? -frame.depth() : frame.depth());
      if (frame.functionCode() == 7) {
        assertThat(Values.isReference(frame.get(2))).isTrue();
        frame.drop(2);
      } else if (frame.isRunning()) {
        assertThat(frame.slots()).isEqualTo(2);
        frame.drop(1);
      }
    });
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(3);
    assertThat(t.isUndefined(1)).isTrue();
    assertThat(t.isUndefined(0)).isFalse();
    assertThat(depths).startsWith(-2, 1, 1);
    heap.setDeadSlots(null);
    int asked = depths.size();
    heap.collect();
    assertThat(depths).hasSize(asked);
  }

  @Test
  void aThreadThatIsSuspendedDropsDeadSlotsOfItsFrames() {
    List<Integer> depths = new ArrayList<>();
    t.enter(3);
    t.newThread(0);
    t.newFunction(1, 0, 0);
    t.push(0, 1);
    t.newRecord(1, 0);
    t.newRecord(2, 0);
    t.resume(0, 3, 0, 0);
    t.newRecord(1, 0);
    t.newRecord(2, 0);
    t.enter(2);
    t.newRecord(1, 0);
    heap.setDeadSlots(frame -> {
      depths.add(frame.isRunning() ? -frame.depth() : frame.depth());
      if (!frame.isRunning()) {
        frame.drop(2);
      }
    });
    assertThat(t.suspend(1, 1, 1, 1)).isOne();
    assertThat(depths).containsExactly(-2, 1);
    heap.setDeadSlots(null);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).as("1 and 2; 1 of the thread").isEqualTo(3);
    assertThat(t.resumeInto(0, 1, 1, 1, 1)).isOne();
    t.leave();
    assertThat(t.isUndefined(2)).isTrue();
    assertThat(t.isUndefined(1)).isFalse();
    assertThat(heap.inspect().verify()).isEmpty();
  }

  /** There the runtime was interrupted in the midst of an operation. */
  @Test
  void aCollectionInsideOfAFinalizerDropsNoSlots() {
    int[] asked = {0};
    List<Integer> inside = new ArrayList<>();
    t.enter(1);
    t.newRecord(0, 0);
    t.setFinalizer(
        0,
        "collects",
        (_, closing) -> {
          int before = asked[0];
          heap.collect();
          inside.add(asked[0] - before);
        });
    heap.setDeadSlots(_ -> asked[0]++);
    t.setUndefined(0);
    heap.collect();
    assertThat(asked[0]).isPositive();
    assertThat(inside).containsExactly(0);
  }

  @Test
  @Needs("cycles")
  void whatADeadSlotLeadsToIsJudgedByTheSameCollection() {
    t.enter(4);
    t.newWeakObject(0, Weakness.KEYS);
    t.newRecord(1, 0);
    t.putProperty(0, 1, 1); // a value that refers to its key, and goes with it
    t.newRecord(2, 1);
    t.store(2, 0, 1);
    t.setUndefined(1);
    heap.setDeadSlots(frame -> {
      if (frame.slots() == 4) {
        frame.drop(2);
      }
    });
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isZero();
    assertThat(t.nextProperty(0, 0, 1, 2)).isNegative();
  }

  @Test
  void anEndlessLoopThatWipesRunsInBoundedMemory() {
    Heap small = open("memory.max = 128KiB");
    Mutator s = small.mutator();
    s.enter(4);
    for (int i = 0; i < 5000; i++) {
      s.newRecord(1, 1000);
      s.newRecord(2, 1000);
      s.newRecord(3, 1000);
      s.wipe(1);
    }
    assertThat(count(small, Kind.RECORD)).isLessThan(20);
  }

  @Test
  void slotsOfAFrameThatWasLeftAreNoRootsAndANewFrameIsEmpty() {
    t.enter(1);
    t.enter(50);
    for (int i = 0; i < 50; i++) {
      t.newRecord(i, 0);
    }
    t.leave();
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isZero();
    t.enter(50);
    for (int i = 0; i < 50; i++) {
      assertThat(t.isUndefined(i)).isTrue();
    }
  }

  @Test
  void stacksShrinkInACollectionOnceLittleIsUsed() {
    t.enter(1);
    t.newString(0, "kept");
    heap.collect();
    long small = used(heap);
    t.enter(10_000);
    t.leave();
    assertThat(used(heap)).isGreaterThan(small + 70_000);
    heap.collect();
    assertThat(used(heap)).isEqualTo(small);
    assertThat(t.getString(0)).isEqualTo("kept");
    // Half of it in use: it stays.
    t.enter(6000);
    t.enter(6000);
    t.leave();
    long large = used(heap);
    heap.collect();
    assertThat(used(heap)).isEqualTo(large);
    t.leave();
    heap.collect();
    assertThat(used(heap)).isEqualTo(small);
  }

  @Test
  void stacksShrinkAlsoWhenTheirThreadsAreBlocksOfTheUsersFunctions() {
    Heap own = open(defaults -> defaults, "voluntary.enabled = false");
    Mutator s = own.mutator();
    own.collect();
    long small = used(own);
    s.enter(10_000);
    s.leave();
    assertThat(used(own)).isGreaterThan(small + 50_000);
    own.collect();
    assertThat(used(own)).isEqualTo(small);
  }

  @Test
  void suspendedThreadsShrinkAsWell() {
    t.enter(3);
    List<Integer> order = new ArrayList<>();
    t.newThread(0);
    t.setInt(1, 5);
    t.push(0, 1);
    heap.collect();
    long small = used(heap);
    int _ = t.resumeInto(0, 0, 0, 0, 0);
    t.enter(5000);
    t.leave();
    int _ = t.suspend(0, 0, 0, 0);
    for (int i = 0; i < 5000; i++) {
      t.push(0, 1);
    }
    for (int i = 0; i < 5000; i++) {
      t.pop(0, 2);
    }
    assertThat(used(heap)).isGreaterThan(small + 30_000);
    heap.collect();
    assertThat(used(heap)).isEqualTo(small);
    t.pop(0, 2);
    order.add(t.getInt(2));
    assertThat(order).containsExactly(5);
  }

  @Test
  void aStackThatShrankWhileFramesAreEnteredGrowsAgain() {
    for (int round = 0; round < 5; round++) {
      for (int depth = 0; depth < 300; depth++) {
        t.enter(10);
        t.setInt(9, depth);
        if (depth % 50 == 0) {
          heap.collect();
        }
      }
      for (int depth = 299; depth >= 0; depth--) {
        assertThat(t.getInt(9)).isEqualTo(depth);
        t.leave();
        if (depth % 50 == 0) {
          heap.collect();
        }
      }
    }
  }

  @Test
  void endlessRecursionIsStoppedAndTheHeapStaysUsable() {
    Heap bounded = open("threads.max-stack-slots = 1000", "threads.initial-stack-slots = 16");
    Mutator s = bounded.mutator();
    assertThatThrownBy(() -> recurse(s))
        .isInstanceOf(ValueStackFullException.class)
        .hasMessageContaining("threads.max-stack-slots = 1000");
    int depth = s.frameDepth();
    assertThat(depth).isGreaterThan(90);
    while (s.frameDepth() > 0) {
      s.leave();
    }
    s.enter(1);
    s.newThread(0);
    assertThatThrownBy(() -> pushForever(s)).hasMessageContaining("max-stack-slots");

    Heap small = open("memory.max = 64KiB");
    assertThatThrownBy(() -> recurse(small.mutator())).isInstanceOf(HeapExhaustedException.class);
    small.mutator().newRecord(0, 1);
  }

  private static void recurse(Mutator s) {
    while (true) {
      s.enter(9);
    }
  }

  private static void pushForever(Mutator s) {
    while (true) {
      s.push(0, 0);
    }
  }
}
