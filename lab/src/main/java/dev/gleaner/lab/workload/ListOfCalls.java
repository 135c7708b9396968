package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A linked list built by a recursion that returns it through one frame a record: the worst case of
 * whoever looks at a result when it is returned. With {@code through=one}, the same list built in
 * one frame.
 *
 * <p>Record k of n has the number k and refers to record k + 1; the list is summed, and dropped.
 * The checksum is the sum.
 */
final class ListOfCalls extends NamedWorkload {
  private static final int REST = 0;
  private static final int NUMBER = 1;

  ListOfCalls() {
    super(
        "list",
        "a list returned through one frame a record, then summed and dropped",
        Parameters.defaults("n", "10_000_000", "through", "frames"));
  }

  @Override
  public Map<String, List<String>> choices() {
    return Map.of("through", List.of("frames", "one"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    Mutator t = run.openHeap().mutator();
    t.enter(2);
    long start = System.nanoTime();
    if (run.parameters().text("through").equals("one")) {
      buildInOne(t, n);
    } else {
      build(t, n);
    }
    run.extra("build_ms", (System.nanoTime() - start) / 1e6);
    run.progress(0.8);
    run.measure();
    long sum = 0;
    t.copy(1, 0);
    while (t.isReference(1)) {
      sum += t.loadInt(1, NUMBER);
      t.load(1, 1, REST);
    }
    run.beforeDropping();
    t.leave();
    return sum;
  }

  private static void build(Mutator t, int n) {
    for (int k = 0; k < n; k++) {
      t.enter(2);
    }
    for (int k = n - 1; k >= 0; k--) {
      t.newRecord(1, 2);
      t.store(1, REST, 0);
      t.storeInt(1, NUMBER, k);
      t.leave(1, 0);
    }
  }

  private static void buildInOne(Mutator t, int n) {
    for (int k = n - 1; k >= 0; k--) {
      t.newRecord(1, 2);
      t.store(1, REST, 0);
      t.storeInt(1, NUMBER, k);
      t.copy(0, 1);
    }
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      Node list = null;
      for (int k = run.parameters().integer("n") - 1; k >= 0; k--) {
        list = new Node(list, k);
      }
      long sum = 0;
      for (Node at = list; at != null; at = at.rest) {
        sum += at.number;
      }
      return sum;
    };
  }

  private record Node(@Nullable Node rest, int number) {}
}
