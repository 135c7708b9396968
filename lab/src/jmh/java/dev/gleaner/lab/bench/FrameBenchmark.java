package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.Mutator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.OperationsPerInvocation;

/** Frames: slot 0 has a record. */
public class FrameBenchmark extends Measured {

  private static final int NUMBER = 20;

  /** Calls that the function makes for {@link #NUMBER}, the first one included. */
  private static final int CALLS = 21_891;

  /** The heap with its record. */
  public static class Frames extends HeapState {
    @Override
    protected void make() {
      t.newRecord(0, 2);
    }
  }

  /** Enters a frame of four slots and leaves it. */
  @Benchmark
  public void enterLeave(Frames state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.enter(4);
      t.leave();
    }
  }

  /** Enters a frame with an argument and leaves it with the result. */
  @Benchmark
  public void callWithResult(Frames state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.enter(4, 0, 1);
      t.leave(0, 1);
    }
  }

  /** A call of the recursive Fibonacci function: a frame, up to six integers, a result. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int fibonacci(Frames state) {
    Mutator t = state.t;
    t.setInt(1, NUMBER);
    t.enter(3, 1, 1);
    fibonacci(t);
    t.leave(0, 1);
    return t.getInt(1);
  }

  private static void fibonacci(Mutator t) {
    int n = t.getInt(0);
    if (n < 2) {
      return;
    }
    t.setInt(1, n - 1);
    t.enter(3, 1, 1);
    fibonacci(t);
    t.leave(0, 1);
    t.setInt(2, n - 2);
    t.enter(3, 2, 1);
    fibonacci(t);
    t.leave(0, 2);
    t.setInt(0, t.getInt(1) + t.getInt(2));
  }

  /** The same function with its argument in a record, which goes with the frame that made it. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int fibonacciWithRecords(Frames state) {
    return withRecords(state.t, NUMBER);
  }

  private static int withRecords(Mutator t, int n) {
    t.enter(1);
    t.newRecord(0, 1);
    t.storeInt(0, 0, n);
    int result = n;
    if (n >= 2) {
      result = withRecords(t, n - 1);
      result += withRecords(t, t.loadInt(0, 0) - 2);
    }
    t.leave();
    return result;
  }

  /** Calls a method of the JVM that is not inlined, with an argument and a result. */
  @Benchmark
  public Object plainCall() {
    Object result = this;
    for (int i = 0; i < N; i++) {
      result = called(result);
    }
    return result;
  }

  @CompilerControl(CompilerControl.Mode.DONT_INLINE)
  private static Object called(Object argument) {
    return argument;
  }
}
