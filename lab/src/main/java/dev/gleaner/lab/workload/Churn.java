package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A large array of records {reference next, integer payload} whose elements are replaced at random,
 * so that elements of all ages die in no order. Step t draws i, then j: the record in slot j has
 * its next cleared; a new record (next = that one, payload t) goes to slot i.
 *
 * <p>The checksum is the sum, over the array, of the payload and the next one's payload.
 */
final class Churn extends NamedWorkload {
  private static final int NEXT = 0;
  private static final int PAYLOAD = 1;

  /** Steps a frame, so that a collector that frees by frames can. */
  private static final int BATCH = 50_000;

  Churn() {
    super(
        "churn",
        "a large array of records, replaced at random",
        Parameters.defaults("slots", "1_000_000", "n", "20_000_000"));
  }

  @Override
  public long run(Run run) {
    int slots = run.parameters().positive("slots");
    int n = run.parameters().integer("n");
    Mutator t = run.openHeap().mutator();
    t.enter(1);
    t.newRecord(0, slots);
    fill(t, slots);
    Generator generator = new Generator();
    for (long step = 0; step < n; step += BATCH) {
      steps(t, generator, slots, (int) step, (int) Math.min(BATCH, n - step));
      run.progress((double) step / n);
    }
    long sum = sum(t, slots);
    run.beforeDropping();
    t.leave();
    return sum;
  }

  private static void fill(Mutator t, int slots) {
    t.enter(2, 0, 1);
    for (int k = 0; k < slots; k++) {
      t.newRecord(1, 2);
      t.storeNull(1, NEXT);
      t.storeInt(1, PAYLOAD, k);
      t.store(0, k, 1);
    }
    t.leave();
  }

  private static void steps(Mutator t, Generator generator, int slots, int from, int steps) {
    t.enter(3, 0, 1);
    for (int step = from; step < from + steps; step++) {
      int i = generator.index(slots);
      int j = generator.index(slots);
      t.load(1, 0, j);
      t.storeNull(1, NEXT);
      t.newRecord(2, 2);
      t.store(2, NEXT, 1);
      t.storeInt(2, PAYLOAD, step);
      t.store(0, i, 2);
    }
    t.leave();
  }

  private static long sum(Mutator t, int slots) {
    long sum = 0;
    t.enter(2, 0, 1);
    for (int k = 0; k < slots; k++) {
      t.load(1, 0, k);
      sum += t.loadInt(1, PAYLOAD);
      t.load(1, 1, NEXT);
      if (t.isReference(1)) {
        sum += t.loadInt(1, PAYLOAD);
      }
    }
    t.leave();
    return sum;
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      int slots = run.parameters().positive("slots");
      int n = run.parameters().integer("n");
      @Nullable Node[] array = new Node[slots];
      for (int k = 0; k < slots; k++) {
        array[k] = new Node(null, k);
      }
      Generator generator = new Generator();
      for (long step = 0; step < n; step += BATCH) {
        steps(array, generator, (int) step, (int) Math.min(BATCH, n - step));
        run.progress((double) step / n);
      }
      long sum = 0;
      for (Node node : array) {
        Node next = Objects.requireNonNull(node).next;
        sum += node.payload + (next == null ? 0L : next.payload);
      }
      return sum;
    };
  }

  private static final class Node {
    @Nullable Node next;
    final int payload;

    Node(@Nullable Node next, int payload) {
      this.next = next;
      this.payload = payload;
    }
  }

  private static void steps(@Nullable Node[] array, Generator generator, int from, int steps) {
    int slots = array.length;
    for (int step = from; step < from + steps; step++) {
      int i = generator.index(slots);
      int j = generator.index(slots);
      Node node = Objects.requireNonNull(array[j]);
      node.next = null;
      array[i] = new Node(node, step);
    }
  }
}
