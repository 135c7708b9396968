package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Map;

/**
 * A loop in a monad of output: step k is the action "put byte k, then what the function of k
 * returns", and that function returns the action of step k + 1. An action is a value: the loop that
 * runs it holds the rest of the program as one function.
 *
 * <pre>
 *   put   {byte}               leaves a result {byte}, in a frame of its own
 *   bind  {put, function}      runs the put, calls the function, goes on with what that returns
 *   function {k}               returns the bind of step k + 1
 * </pre>
 *
 * <p>The bytes are k mod 251. The checksum starts at 0; each byte makes 31 times the checksum plus
 * the byte of it, in 64 bits.
 */
final class Monad extends NamedWorkload {
  private static final int ACTION = 0;
  private static final int PUT = 1;
  private static final int FUNCTION = 2;
  private static final int RESULT = 3;
  private static final int SLOTS = 4;

  Monad() {
    super(
        "monad",
        "a monadic loop: actions and functions as values, one compacted frame a step",
        Map.of("n", "5_000_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    Mutator t = run.openHeap().mutator();
    t.enter(SLOTS);
    bind(t, 0);
    long sum = 0;
    for (int k = 0; k < n; k++) {
      t.load(PUT, ACTION, 0);
      t.load(FUNCTION, ACTION, 1);
      put(t);
      sum = 31 * sum + t.loadInt(RESULT, 0);
      call(t);
      t.compact(ACTION);
      if (k % 100_000 == 0) {
        run.progress((double) k / n);
      }
    }
    run.beforeDropping();
    t.leave();
    return sum;
  }

  /** Makes the action of step k, in a frame of its size. */
  private static void bind(Mutator t, int k) {
    t.newRecord(PUT, 1);
    t.storeInt(PUT, 0, k % 251);
    t.newRecord(FUNCTION, 1);
    t.storeInt(FUNCTION, 0, k);
    t.newRecord(ACTION, 2);
    t.store(ACTION, 0, PUT);
    t.store(ACTION, 1, FUNCTION);
  }

  /** Runs the put; its result lands in its slot. */
  private static void put(Mutator t) {
    t.enter(2, PUT, 1);
    t.newRecord(1, 1);
    t.storeInt(1, 0, t.loadInt(0, 0));
    t.leave(1, RESULT);
  }

  /** Calls the function; what it returns is the action to go on with. */
  private static void call(Mutator t) {
    t.enter(SLOTS, FUNCTION, 1);
    int k = t.loadInt(0, 0);
    bind(t, k + 1);
    t.leave(ACTION, ACTION);
  }
}
