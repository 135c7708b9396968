package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.HeapThread;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.CompilerControl;

/** Frames: slot 0 has a record. */
public class FrameBenchmark extends Measured {

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
    HeapThread t = state.t;
    for (int i = 0; i < N; i++) {
      t.enter(4);
      t.leave();
    }
  }

  /** Enters a frame with an argument and leaves it with the result. */
  @Benchmark
  public void callWithResult(Frames state) {
    HeapThread t = state.t;
    for (int i = 0; i < N; i++) {
      t.enter(4, 0, 1);
      t.leave(0, 1);
    }
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
