package dev.gleaner.collector.semispace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ordering a million finalizers is linear, in whatever order they were registered: an element goes
 * from state 0 to 1 and from 2 to 3 once each at most, and is copied in between.
 */
@Tag("P3")
@Tag("exhaustive")
class OrderingCostTest extends HeapTests {
  private static final int N = 1_000_000;

  /** The element before each one, which refers to it; the ring's last one refers to the first. */
  enum Shape {
    CHAIN,
    RING,
    TREE,
    SHUFFLED_CHAIN,
    ALONE;

    int before(int i) {
      return switch (this) {
        case CHAIN, RING, SHUFFLED_CHAIN -> i - 1;
        case TREE -> (i - 1) / 2;
        case ALONE -> -1;
      };
    }
  }

  private int calls;

  @ParameterizedTest
  @EnumSource(Shape.class)
  void registeredFromTheHead(Shape shape) {
    check(shape, false);
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void registeredFromTheEnd(Shape shape) {
    check(shape, true);
  }

  private void check(Shape shape, boolean fromTheEnd) {
    Heap heap = open("collector = watched");
    SemiSpaceCollector collector = WatchedProvider.last();
    Mutator t = heap.mutator();
    t.enter(5);
    t.newRecord(0, N); // all of them, while they are made
    for (int i = 0; i < N; i++) {
      t.newRecord(1, 2);
      t.store(0, i, 1);
    }
    for (int i = 0; i < N; i++) {
      int before = shape.before(i);
      if (before >= 0) {
        link(t, before, i, shape == Shape.TREE && i % 2 == 0 ? 1 : 0);
      }
    }
    if (shape == Shape.RING) {
      link(t, N - 1, 0, 0);
    }
    Finalizer finalizer = (thread, closing) -> calls += closing ? 0 : 1;
    for (int i : order(shape, fromTheEnd)) {
      t.load(1, 0, i);
      t.setFinalizer(1, "f", finalizer);
    }
    t.wipe(0);
    heap.collect();
    assertThat(calls).isEqualTo(shape == Shape.ALONE ? N : 1);
    assertThat(collector.orderingVisits()).isBetween((long) N, 2L * N);
    heap.collect();
    assertThat(collector.orderingVisits()).isLessThanOrEqualTo(2L * N);
  }

  private static void link(Mutator t, int from, int to, int slot) {
    t.load(1, 0, from);
    t.load(2, 0, to);
    t.store(1, slot, 2);
  }

  private static int[] order(Shape shape, boolean fromTheEnd) {
    int[] order = new int[N];
    for (int i = 0; i < N; i++) {
      order[i] = fromTheEnd ? N - 1 - i : i;
    }
    if (shape == Shape.SHUFFLED_CHAIN) {
      Random random = new Random(Long.getLong("gleaner.seed", 42));
      for (int i = N - 1; i > 0; i--) {
        int j = random.nextInt(i + 1);
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
      }
    }
    return order;
  }
}
