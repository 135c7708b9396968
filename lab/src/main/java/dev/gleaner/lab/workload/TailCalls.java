package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Map;

/**
 * A loop of tail calls: step k makes a state that refers to the last one's constant part, and keeps
 * nothing but it.
 *
 * <p>The state has k and a record of the constant 7; the checksum is their sum over all steps.
 */
final class TailCalls extends NamedWorkload {
  private static final int CONSTANT = 0;
  private static final int NUMBER = 1;
  private static final int SEVEN = 7;

  TailCalls() {
    super(
        "tail",
        "a loop of tail calls with a small state, one compacted frame a step",
        Map.of("n", "50_000_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    Mutator t = run.openHeap().mutator();
    t.enter(3);
    t.newRecord(1, 1);
    t.storeInt(1, 0, SEVEN);
    t.newRecord(0, 2);
    t.store(0, CONSTANT, 1);
    t.storeInt(0, NUMBER, 0);
    t.compact(0);
    long sum = 0;
    for (int done = 0; done < n; ) {
      int steps = Math.min(n - done, 100_000);
      sum += steps(t, steps);
      done += steps;
      run.progress((double) done / n);
    }
    run.beforeDropping();
    t.leave();
    return sum;
  }

  private static long steps(Mutator t, int steps) {
    long sum = 0;
    for (int i = 0; i < steps; i++) {
      t.newRecord(1, 2);
      t.load(2, 0, CONSTANT);
      t.store(1, CONSTANT, 2);
      int k = t.loadInt(0, NUMBER);
      sum += k + t.loadInt(2, 0);
      t.storeInt(1, NUMBER, k + 1);
      t.copy(0, 1);
      t.compact(0);
    }
    return sum;
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      int n = run.parameters().integer("n");
      Seven seven = new Seven(SEVEN);
      State state = new State(seven, 0);
      long sum = 0;
      for (int i = 0; i < n; i++) {
        Sink.value = state;
        sum += state.number + state.seven.value;
        state = new State(state.seven, state.number + 1);
      }
      Sink.value = null;
      return sum;
    };
  }

  private record Seven(int value) {}

  private record State(Seven seven, int number) {}
}
