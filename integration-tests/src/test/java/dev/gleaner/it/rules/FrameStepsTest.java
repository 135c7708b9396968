package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Steps on several slots at once: results, tail calls, ranges, frames of another size. */
@Tag("L9")
class FrameStepsTest extends AllCollectors {
  FrameStepsTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("voluntary.enabled = false", "threads.initial-stack-slots = 16");
  private final Mutator t = heap.mutator();

  /** A record with a number in each of some slots. */
  private void records(int... numbers) {
    for (int i = 0; i < numbers.length; i++) {
      t.newRecord(i, 1);
      t.storeInt(i, 0, numbers[i]);
    }
  }

  /** What the slots of the frame hold: the numbers of records, -1 for undefined. */
  private List<Integer> held() {
    List<Integer> held = new ArrayList<>();
    for (int i = 0; i < t.frameSize(); i++) {
      held.add(t.isUndefined(i) ? -1 : t.loadInt(i, 0));
    }
    return held;
  }

  private void assertHeld(Integer... numbers) {
    heap.collect();
    assertThat(held()).containsExactly(numbers);
    assertThat(heap.inspect().verify()).isEmpty();
    long records = Arrays.stream(numbers).filter(n -> n >= 0).count();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(records);
  }

  @Test
  void exactlySoManyResultsAsAreWantedLand() {
    t.enter(5);
    records(0, 1, 2, 3, 4);
    t.enter(4);
    records(10, 11, 12, 13);
    assertThat(t.leave(1, 2, 1, 2)).as("as many").isEqualTo(2);
    assertHeld(0, 11, 12, 3, 4);
    t.enter(4);
    records(20, 21, 22, 23);
    assertThat(t.leave(0, 4, 0, 2)).as("fewer").isEqualTo(2);
    assertHeld(20, 21, 12, 3, 4);
    t.enter(2);
    records(30, 31);
    assertThat(t.leave(1, 1, 1, 3)).as("more").isEqualTo(1);
    assertHeld(20, 31, -1, -1, 4);
    t.enter(3);
    records(40, 41, 42);
    assertThat(t.leave(3, 0, 0, 1)).as("none there").isZero();
    assertHeld(-1, 31, -1, -1, 4);
    t.enter(1);
    records(50);
    assertThat(t.leave(0, 1, 5, 0)).as("none wanted").isZero();
    assertHeld(-1, 31, -1, -1, 4);
  }

  @Test
  void withAllResultsTheCallersFrameGrows() {
    t.enter(3);
    records(0, 1, 2);
    t.enter(40);
    t.setInt(0, 7);
    for (int i = 1; i < 40; i++) {
      t.newRecord(i, 1);
      t.storeInt(i, 0, i + 100);
    }
    assertThat(t.leave(1, 39, 2, Mutator.ALL)).isEqualTo(39);
    assertThat(t.frameSize()).isEqualTo(41);
    List<Integer> expected = new ArrayList<>(List.of(0, 1));
    for (int i = 1; i < 40; i++) {
      expected.add(i + 100);
    }
    assertHeld(expected.toArray(Integer[]::new));
    t.enter(1);
    records(7);
    assertThat(t.leave(0, 1, 1, Mutator.ALL)).isEqualTo(1);
    assertThat(t.frameSize()).as("does not shrink").isEqualTo(41);
    assertThat(t.leave(41, 0, 0, Mutator.ALL)).isZero();
  }

  @Test
  void resultsGoThroughManyFrames() {
    t.enter(2);
    for (int i = 0; i < 300; i++) {
      t.enter(4);
    }
    records(1, 2, 3);
    for (int i = 0; i < 299; i++) {
      t.newRecord(3, 3);
      int s = i % 2;
      assertThat(t.leave(s, 3, 1 - s, 3)).isEqualTo(3);
    }
    t.newRecord(0, 0);
    assertThat(t.leave(1, 2, 0, 2)).isEqualTo(2);
    assertThat(held()).hasSize(2).isSubsetOf(1, 2, 3, -1);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void aRefusedLeaveChangesNothing() {
    t.enter(3);
    records(0, 1, 2);
    t.enter(2);
    records(10, 11);
    for (int[] wrong :
        new int[][] {
          {-1, 1, 0, 1}, {0, -1, 0, 1}, {1, 2, 0, 2}, {3, 0, 0, 0}, {0, Integer.MAX_VALUE, 0, 1},
          {0, 1, -1, 1}, {0, 1, 3, 1}, {0, 1, 4, -1}, {0, 1, 0, 4}, {0, 1, 0, -2},
          {0, 1, 1, Integer.MAX_VALUE}, {0, 1, Integer.MAX_VALUE, -1}
        }) {
      assertThatThrownBy(() -> t.leave(wrong[0], wrong[1], wrong[2], wrong[3]))
          .as(Arrays.toString(wrong))
          .isInstanceOf(HeapUsageException.class);
    }
    assertThat(held()).containsExactly(10, 11);
    t.leave();
    assertHeld(0, 1, 2);
    t.leave();
    assertThatThrownBy(() -> t.leave(0, 0, 0, 0)).hasMessageContaining("no frame to leave");
  }

  @Test
  void aTailCallReplacesTheFrame() {
    t.enter(1);
    records(9);
    t.enter(4);
    records(0, 1, 2, 3);
    t.tailCall(3, 1, 2);
    assertHeld2(1, 2, -1);
    t.tailCall(2, 0, 2);
    assertHeld2(1, 2);
    t.tailCall(30, 1, 1);
    assertThat(t.frameSize()).isEqualTo(30);
    assertThat(t.loadInt(0, 0)).isEqualTo(2);
    t.tailCall(0, 0, 0);
    assertThat(t.frameSize()).isZero();
    assertThat(t.frameDepth()).isEqualTo(2);
    for (int[] wrong : new int[][] {{1, 0, 1}, {-1, 0, 0}, {2, 1, 0}, {2, -1, 1}, {2, 0, -1}}) {
      assertThatThrownBy(() -> t.tailCall(wrong[0], wrong[1], wrong[2]))
          .as(Arrays.toString(wrong))
          .isInstanceOf(HeapUsageException.class);
    }
    t.leave();
    assertHeld(9);
  }

  /** Beside the one record of the caller. */
  private void assertHeld2(Integer... numbers) {
    heap.collect();
    assertThat(held()).containsExactly(numbers);
    long records = Arrays.stream(numbers).filter(n -> n >= 0).count();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(records + 1);
  }

  @Test
  void tailCallsRunInConstantSpace() {
    Heap small = open("memory.max = 128KiB", "threads.max-stack-slots = 64");
    Mutator s = small.mutator();
    s.enter(1);
    s.enter(3);
    for (int i = 0; i < 20_000; i++) {
      s.newRecord(1, 2);
      s.store(1, 0, 0);
      s.newRecord(2, 1);
      s.storeInt(2, 0, i);
      s.tailCall(3 + i % 3, 2, 1);
    }
    assertThat(s.loadInt(0, 0)).isEqualTo(19_999);
    assertThatThrownBy(() -> s.tailCall(62, 0, 1)).isInstanceOf(ValueStackFullException.class);
    assertThat(s.loadInt(0, 0)).isEqualTo(19_999);
  }

  @Test
  void aTailCallEndsTheActivationAndCatchersOfTheFrame() {
    t.enter(2);
    t.newFunction(0, 1, 0);
    t.pushCatcher(1, 5);
    t.call(2, 0);
    t.pushCatcher(0, 6);
    t.setInt(1, 42);
    t.tailCall(2, 1, 1);
    t.newFunction(1, 0, 0);
    assertThat(t.raise(0)).isEqualTo(5);
    assertThat(t.getInt(1)).isEqualTo(42);
    t.setUndefined(0);
    heap.collect();
    assertThat(count(heap, Kind.FUNCTION)).isZero();
  }

  @Test
  void aFrameChangesItsSize() {
    t.enter(3);
    records(0, 1, 2);
    t.resizeFrame(50);
    for (int i = 3; i < 50; i++) {
      assertThat(t.isUndefined(i)).isTrue();
    }
    t.newRecord(49, 0);
    t.resizeFrame(2);
    assertHeld(0, 1);
    t.resizeFrame(3);
    assertHeld(0, 1, -1);
    t.enter(1);
    t.leave();
    assertHeld(0, 1, -1);
    assertThatThrownBy(() -> t.resizeFrame(-1)).hasMessageContaining("negative frame size: -1");
    assertThatThrownBy(() -> t.resizeFrame(1 << 24)).isInstanceOf(ValueStackFullException.class);
  }

  @Test
  void framesAreLeftDownToADepth() {
    t.enter(1);
    records(0);
    WeakRef[] inner = new WeakRef[20];
    for (int i = 0; i < 20; i++) {
      assertThat(t.frameDepth()).isEqualTo(i + 1);
      t.enter(2);
      t.newRecord(0, 0);
      inner[i] = t.newWeak(0);
      t.pushCatcher(0, i);
    }
    t.leaveTo(21);
    assertThat(t.frameDepth()).isEqualTo(21);
    assertThatThrownBy(() -> t.leaveTo(22)).hasMessageContaining("no frame at depth 22 of 21");
    assertThatThrownBy(() -> t.leaveTo(-1)).isInstanceOf(HeapUsageException.class);
    t.leaveTo(1);
    assertThat(t.frameDepth()).isEqualTo(1);
    assertThat(t.raise(0)).as("no catcher is left").isEqualTo(-1);
    assertHeld(0);
    assertThat(inner).allMatch(WeakRef::isCleared);
  }

  @Test
  void rangesOfSlotsMayOverlap() {
    t.enter(6);
    records(0, 1, 2, 3, 4, 5);
    t.move(1, 0, 4);
    assertThat(held()).containsExactly(0, 0, 1, 2, 3, 5);
    t.move(0, 2, 4);
    assertThat(held()).containsExactly(1, 2, 3, 5, 3, 5);
    t.move(5, 5, 1);
    t.move(6, 0, 0);
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(4);
    assertThat(heap.inspect().verify()).isEmpty();
    for (int[] wrong : new int[][] {{-1, 0, 1}, {0, 6, 1}, {5, 0, 2}, {0, 0, -1}, {7, 0, 0}}) {
      assertThatThrownBy(() -> t.move(wrong[0], wrong[1], wrong[2]))
          .isInstanceOf(HeapUsageException.class);
    }
    t.enter(200);
    t.newRecord(0, 1);
    for (int i = 0; i < 200; i++) {
      t.setInt(i, i);
    }
    t.move(10, 0, 150);
    t.move(0, 60, 100);
    for (int i = 0; i < 100; i++) {
      assertThat(t.getInt(i)).isEqualTo(i + 50);
    }
    assertThat(t.getInt(160)).isEqualTo(160);
  }

  @Test
  void rangesGoBetweenSlotsAndRecords() {
    t.enter(8);
    records(0, 1, 2, 3, 4, 5);
    t.newRecord(6, 5);
    t.newObject(7, 3);
    t.storeRange(6, 1, 0, 4);
    t.storeRange(7, 0, 3, 3);
    for (int i = 0; i < 6; i++) {
      t.setUndefined(i);
    }
    heap.collect();
    t.loadRange(0, 6, 1, 4);
    t.loadRange(4, 7, 1, 2);
    for (int i = 0; i < 6; i++) {
      assertThat(t.loadInt(i, 0)).isEqualTo(i);
    }
    t.storeRange(6, 0, 2, 2); // over what it holds
    t.storeRange(6, 4, 6, 1); // itself
    heap.collect();
    t.loadRange(0, 6, 0, 5);
    assertThat(t.loadInt(0, 0)).isEqualTo(2);
    assertThat(t.loadInt(1, 0)).isEqualTo(3);
    assertThat(t.same(4, 6)).isTrue();
    t.loadRange(5, 6, 3, 2); // over the record's own slot
    assertThat(t.loadInt(5, 0)).isEqualTo(2);
    assertThat(t.kind(6)).isEqualTo(Kind.RECORD);
    assertThat(heap.inspect().verify()).isEmpty();
    for (int[] wrong : new int[][] {{0, 6, 4, 2}, {0, 6, -1, 1}, {7, 6, 0, 2}, {0, 6, 0, -1}}) {
      assertThatThrownBy(() -> t.loadRange(wrong[0], wrong[1], wrong[2], wrong[3]))
          .isInstanceOf(HeapUsageException.class);
      assertThatThrownBy(() -> t.storeRange(wrong[1], wrong[2], wrong[0], wrong[3]))
          .isInstanceOf(HeapUsageException.class);
    }
    t.setNull(0);
    assertThatThrownBy(() -> t.loadRange(1, 0, 0, 1)).hasMessageContaining("not an element");
  }

  /** Random steps beside a model, whose slots hold the numbers of records; -1 is undefined. */
  @Test
  void randomStepsAreThoseOfAModel() {
    long seed = Long.getLong("gleaner.seed", System.nanoTime());
    for (String settings :
        List.of(
            "",
            "torture.gc = every-allocation, memory.max = 1MiB",
            "memory.max = 256KiB",
            "collectors.framestack.mode = copying")) {
      run(open(settings, "threads.initial-stack-slots = 16"), new Random(seed), "seed " + seed);
    }
  }

  private static void run(Heap h, Random random, String seed) {
    Mutator m = h.mutator();
    List<List<Integer>> frames = new ArrayList<>();
    m.enter(4);
    frames.add(undefined(4));
    int made = 0;
    for (int step = 0; step < 3000; step++) {
      List<Integer> top = frames.getLast();
      int size = top.size();
      int first = random.nextInt(size + 1);
      int count = random.nextInt(size - first + 1);
      switch (random.nextInt(9)) {
        case 0 -> {
          int args = Math.min(count, 8);
          List<Integer> frame = undefined(args + random.nextInt(6));
          for (int i = 0; i < args; i++) {
            frame.set(i, top.get(first + i));
          }
          if (frames.size() < 12) {
            m.enter(frame.size(), first, args);
            frames.add(frame);
          }
        }
        case 1, 2 -> {
          if (frames.size() > 1) {
            List<Integer> results = new ArrayList<>(top.subList(first, first + count));
            frames.removeLast();
            List<Integer> caller = frames.getLast();
            int d = random.nextInt(caller.size() + 1);
            int wanted = random.nextInt(caller.size() - d + 2) - 1;
            if (caller.size() > 60) {
              wanted = Math.max(wanted, 0);
            }
            int landed = m.leave(first, count, d, wanted);
            int written = wanted < 0 ? count : wanted;
            assertThat(landed).isEqualTo(Math.min(count, written));
            for (int i = 0; i < written; i++) {
              int v = i < count ? results.get(i) : -1;
              if (d + i < caller.size()) {
                caller.set(d + i, v);
              } else {
                caller.add(v);
              }
            }
          }
        }
        case 3 -> {
          List<Integer> frame = undefined(count + random.nextInt(4));
          for (int i = 0; i < count; i++) {
            frame.set(i, top.get(first + i));
          }
          m.tailCall(frame.size(), first, count);
          frames.set(frames.size() - 1, frame);
        }
        case 4 -> {
          int d = random.nextInt(size - count + 1);
          m.move(d, first, count);
          List<Integer> moved = new ArrayList<>(top.subList(first, first + count));
          for (int i = 0; i < count; i++) {
            top.set(d + i, moved.get(i));
          }
        }
        case 5 -> {
          int slots = random.nextInt(20);
          m.resizeFrame(slots);
          while (top.size() > slots) {
            top.removeLast();
          }
          top.addAll(undefined(slots - top.size()));
        }
        case 6 -> { // through a record of the caller's, if it may be
          m.resizeFrame(size + 1);
          m.newRecord(size, count + 2);
          if (random.nextBoolean()) {
            m.enter(size + 1, 0, size + 1);
            m.storeRange(size, 1, first, count);
            m.leave();
          } else {
            m.storeRange(size, 2, first, count);
            m.storeRange(size, 1, first, count);
          }
          int d = random.nextInt(size - count + 1);
          List<Integer> moved = new ArrayList<>(top.subList(first, first + count));
          m.loadRange(d, size, 1, count);
          for (int i = 0; i < count; i++) {
            top.set(d + i, moved.get(i));
          }
          m.resizeFrame(size);
        }
        case 7 -> {
          if (random.nextInt(10) == 0) {
            int depth = 1 + random.nextInt(frames.size());
            m.leaveTo(depth);
            while (frames.size() > depth) {
              frames.removeLast();
            }
          }
        }
        default -> {
          for (int i = 0; i < size; i++) {
            m.newRecord(i, 1);
            m.storeInt(i, 0, ++made);
            top.set(i, made);
          }
        }
      }
      assertThat(m.frameDepth()).isEqualTo(frames.size());
      assertThat(m.frameSize()).isEqualTo(frames.getLast().size());
      for (int i = 0; i < m.frameSize(); i++) {
        int v = frames.getLast().get(i);
        assertThat(m.isUndefined(i)).as(seed + " step %d slot %d", step, i).isEqualTo(v < 0);
        assertThat(v < 0 ? v : m.loadInt(i, 0)).as(seed + " step %d slot %d", step, i).isEqualTo(v);
      }
      if (step % 100 == 0) {
        assertThat(h.inspect().verify()).as(seed).isEmpty();
      }
    }
  }

  private static List<Integer> undefined(int n) {
    List<Integer> slots = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      slots.add(-1);
    }
    return slots;
  }
}
