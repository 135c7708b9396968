package dev.gleaner.collector.framestack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The most memory that a guest of 100 KiB takes, however it makes garbage. */
@Tag("F14")
class SmallGuestTest extends HeapTests {
  /** Records of 32 bytes: 100 KiB. */
  private static final int RECORDS = 3200;

  private static final int SPARE = 16 << 10;

  enum Shape {
    CALLS {
      @Override
      void run(Mutator t) {
        list(t);
        for (int i = 0; i < 2000; i++) {
          t.enter(1);
          garbage(t, 50);
          t.leave();
        }
      }
    },
    ONE_FRAME {
      @Override
      void run(Mutator t) {
        list(t);
        garbage(t, 100_000);
      }
    },
    AFTER_A_TREE {
      @Override
      void run(Mutator t) {
        tree(t, 11);
        t.copy(2, 0);
        garbage(t, 100_000);
      }
    },
    TREES_THAT_ARE_RETURNED {
      @Override
      void run(Mutator t) {
        tree(t, 11);
        t.copy(2, 0);
        for (int i = 0; i < 1000; i++) {
          tree(t, 5);
          t.setNull(0);
        }
      }
    },
    REPLACED_AT_RANDOM {
      @Override
      void run(Mutator t) {
        Random random = new Random(1);
        t.newRecord(0, RECORDS);
        for (int i = 0; i < 100_000; i++) {
          t.newRecord(1, 2);
          t.store(0, random.nextInt(RECORDS), 1);
          t.setNull(1);
        }
      }
    },
    APPENDED_BY_CALLS {
      @Override
      void run(Mutator t) {
        for (int i = 0; i < RECORDS; i++) {
          t.enter(2, 0, 1);
          garbage(t, 10);
          t.newRecord(1, 3);
          t.store(1, 0, 0);
          t.leave(1, 0);
        }
      }
    },
    TAIL_CALLS {
      @Override
      void run(Mutator t) {
        list(t);
        t.enter(3, 0, 1);
        for (int i = 0; i < 100_000; i++) {
          t.newRecord(2, 3);
          t.store(2, 0, 0);
          t.copy(1, 2);
          t.compact(0, 1);
        }
        t.leave();
      }
    };

    abstract void run(Mutator t);

    private static void list(Mutator t) {
      for (int i = 0; i < RECORDS; i++) {
        t.newRecord(1, 3);
        t.store(1, 0, 0);
        t.copy(0, 1);
      }
      t.setNull(1);
    }

    private static void garbage(Mutator t, int records) {
      for (int i = 0; i < records; i++) {
        t.newRecord(1 % t.frameSize(), 3);
      }
    }

    private static void tree(Mutator t, int depth) {
      t.enter(2);
      t.newRecord(1, 3);
      for (int i = 0; i < 2 && depth > 0; i++) {
        tree(t, depth - 1);
        t.store(1, i, 0);
      }
      t.leave(1, 0);
    }
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void takesHalfAsMuchMore(Shape shape) {
    Heap heap = open("voluntary.enabled = false");
    Mutator t = heap.mutator();
    t.enter(3);
    t.setNull(0);
    shape.run(t);
    long peak = heap.statistics().peakBytes();
    t.setNull(1);
    heap.collect();
    long live = heap.statistics().usedBytes();
    assertThat(live).isBetween(90L << 10, 140L << 10);
    assertThat(peak).isLessThanOrEqualTo(live * 3 / 2 + SPARE);
  }
}
