package dev.gleaner.lab.workload;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Loops of two. Step k makes two records with a reference and an integer, k and k + 1, that refer
 * to each other, stores the first in a global slot, reads the other's integer through it, and drops
 * both.
 *
 * <p>Without the capability {@code cycles} a collector leaves all of them in the heap. The checksum
 * is the sum of what was read.
 */
final class Cycles extends NamedWorkload {
  private static final int REFERENCE = 0;
  private static final int VALUE = 1;

  Cycles() {
    super(
        "cycles",
        "pairs of records that refer to each other, held by one global slot for a moment",
        Map.of("n", "10_000_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    Heap heap = run.openHeap();
    try (GlobalRef global = heap.newGlobal()) {
      long sum = inBatches(run, n, (from, count) -> steps(heap.mutator(), global, from, count));
      run.beforeDropping();
      return sum;
    }
  }

  private static long steps(Mutator t, GlobalRef global, int from, int steps) {
    long sum = 0;
    t.enter(2);
    for (int k = from; k < from + steps; k++) {
      t.newRecord(0, 2);
      t.newRecord(1, 2);
      t.storeInt(0, VALUE, k);
      t.storeInt(1, VALUE, k + 1);
      t.store(0, REFERENCE, 1);
      t.store(1, REFERENCE, 0);
      t.setGlobal(global, 0);
      t.getGlobal(1, global);
      t.load(1, 1, REFERENCE);
      sum += t.loadInt(1, VALUE);
    }
    t.leave();
    return sum;
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      int n = run.parameters().integer("n");
      long sum = inBatches(run, n, Cycles::steps);
      Sink.value = null;
      return sum;
    };
  }

  private static final class Node {
    @Nullable Node reference;
    int value;
  }

  private static long steps(int from, int steps) {
    long sum = 0;
    for (int k = from; k < from + steps; k++) {
      Node a = new Node();
      Node b = new Node();
      a.value = k;
      b.value = k + 1;
      a.reference = b;
      b.reference = a;
      Sink.value = a;
      Node held = (Node) Objects.requireNonNull(Sink.value);
      sum += Objects.requireNonNull(held.reference).value;
    }
    return sum;
  }
}
