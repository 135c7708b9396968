package dev.gleaner.collector.semispace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The order of finalizers in random graphs, collection by collection, against {@link RandomGraph}'s
 * answer from the definition. {@code -Dgleaner.seed=…} makes other graphs.
 */
@Tag("P2")
@Tag("P5")
@Tag("P6")
@Tag("P7")
class OrderingProofTest extends HeapTests {
  private static final int GRAPHS = Tier.number(2000, 10_000);
  private static final int SCRATCH = RandomGraph.MOST;

  /** Slots of a record that is large, and so stays where it is. */
  private static final int LARGE = 2000;

  private final List<Integer> called = new ArrayList<>();

  @Test
  @Tag("seeds")
  void thousandsOfRandomGraphs() {
    long seed = Long.getLong("gleaner.seed", 42);
    Heap heap = open();
    Mutator t = heap.mutator();
    t.enter(RandomGraph.MOST + 2);
    long calls = 0;
    for (int i = 0; i < GRAPHS; i++) {
      RandomGraph graph = new RandomGraph(new Random(seed * 1_000_003 + i));
      calls += check(heap, graph, new Random(i), "seed " + seed + ", graph " + i + ": " + graph);
    }
    assertThat(calls).isGreaterThan(GRAPHS);
    assertThat(heap.statistics().finalizersFailed()).isZero();
  }

  /** Builds a graph, loses it, and follows it until nothing of it is left; answers the calls. */
  private long check(Heap heap, RandomGraph graph, Random random, String what) {
    Mutator t = heap.mutator();
    List<WeakRef> weak = build(t, graph, random);
    List<GlobalRef> roots = new ArrayList<>();
    for (int i = 0; i < graph.n; i++) {
      if ((graph.held >>> i & 1) != 0) {
        roots.add(heap.newGlobal());
        t.setGlobal(roots.getLast(), i);
      }
    }
    t.wipe(0);
    List<Integer> registered = new ArrayList<>(graph.finalizers);
    long total = 0;
    List<Integer> due;
    do {
      due = graph.due(registered);
      long with = 0;
      for (int x : registered) {
        with |= 1L << x;
      }
      long expected = graph.reach(graph.held) | graph.reach(with);
      called.clear();
      heap.collect();
      assertThat(called).as(what).isEqualTo(due);
      long kept = 0;
      for (int i = 0; i < graph.n; i++) {
        kept |= weak.get(i).isCleared() ? 0 : 1L << i;
      }
      assertThat(kept).as(what).isEqualTo(expected);
      assertThat(heap.inspect().verify()).as(what).isEmpty();
      registered.removeAll(due);
      total += due.size();
    } while (!due.isEmpty());
    weak.forEach(WeakRef::close);
    roots.forEach(GlobalRef::close);
    dropTheRest(heap, registered.size());
    return total;
  }

  /** What the roots held is lost now: each has its turn, one of a chain in every collection. */
  private void dropTheRest(Heap heap, int finalizers) {
    called.clear();
    for (int i = 0; i <= finalizers; i++) {
      heap.collect();
    }
    assertThat(called).hasSize(finalizers).doesNotHaveDuplicates();
    heap.collect();
    assertThat(heap.statistics().liveElements()).isLessThan(4); // the heap's own threads
  }

  private List<WeakRef> build(Mutator t, RandomGraph graph, Random random) {
    List<WeakRef> weak = new ArrayList<>();
    for (int i = 0; i < graph.n; i++) {
      int references = graph.references.get(i).size();
      switch (random.nextInt(12)) {
        case 0 -> t.newObject(i, references);
        case 1 -> t.newObject(i);
        case 2 -> t.newFunction(i, references, 0);
        case 3 -> t.newThread(i);
        case 4 -> t.newRecord(i, LARGE);
        default -> t.newRecord(i, references);
      }
      weak.add(t.newWeak(i));
    }
    for (int i = 0; i < graph.n; i++) {
      List<Integer> references = graph.references.get(i);
      for (int r = 0; r < references.size(); r++) {
        refer(t, i, r, references.get(r));
      }
    }
    for (int x : graph.finalizers) {
      t.setFinalizer(x, "f" + x, (thread, closing) -> called(thread, graph, x));
    }
    return weak;
  }

  private static void refer(Mutator t, int from, int index, int to) {
    switch (t.kind(from)) {
      case OBJECT -> {
        if (t.slotCount(from) > index) {
          t.store(from, index, to);
        } else {
          t.newString(SCRATCH, "key " + index);
          t.putProperty(from, SCRATCH, to);
        }
      }
      case FUNCTION -> t.storeConstant(from, index, to);
      case THREAD -> t.push(from, to);
      default -> t.store(from, index, to);
    }
  }

  /** What the element reaches in one step is there, and of the kind that it was. */
  private void called(Mutator t, RandomGraph graph, int x) {
    called.add(x);
    int references = graph.references.get(x).size();
    if (t.kind(0) == dev.gleaner.layout.Kind.RECORD) {
      for (int r = 0; r < references; r++) {
        t.load(1, 0, r);
        assertThat(t.isReference(1)).isTrue();
        assertThat(t.kind(1)).isNotNull();
      }
    }
  }
}
