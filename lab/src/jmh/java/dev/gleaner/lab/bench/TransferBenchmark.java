package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.Mutator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** Values go from frame to frame and from thread to thread. */
public class TransferBenchmark extends Measured {
  private static final int THREAD = 4;

  /** A record in slot 0, and a thread element. */
  public static class Frames extends HeapState {
    /** Slots of a frame that is entered. */
    @Param({"8", "32"})
    public int slots;

    @Override
    protected void make() {
      t.newRecord(0, 2);
      t.newThread(THREAD);
    }
  }

  /** Enters a frame and leaves it. */
  @Benchmark
  public void enterLeave(Frames state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.enter(state.slots);
      t.leave();
    }
  }

  /** Enters a frame with an argument and leaves it with three results. */
  @Benchmark
  public void threeResults(Frames state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.enter(state.slots, 0, 1);
      int _ = t.leave(0, 3, 1, 3);
    }
  }

  /** Puts a new frame with an argument in place of the one that runs. */
  @Benchmark
  public void tailCall(Frames state) {
    Mutator t = state.t;
    t.enter(state.slots, 0, 1);
    for (int i = 0; i < N; i++) {
      t.tailCall(state.slots, 0, 1);
    }
    t.leave();
  }

  /** Resumes a thread with a value in a new frame, which ends with a result. */
  @Benchmark
  public void resumeFinish(Frames state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.resume(THREAD, state.slots, 0, 1);
      int _ = t.finish(0, 1, 1, 1);
    }
  }

  /** Resumes a thread that stands in a frame with a value, and suspends it with one. */
  @Benchmark
  public void resumeSuspend(Frames state) {
    Mutator t = state.t;
    t.resume(THREAD, state.slots, 0, 1);
    for (int i = 0; i < N; i++) {
      int _ = t.suspend(0, 1, 1, 1);
      int _ = t.resumeInto(THREAD, 0, 1, 0, 1);
    }
    int _ = t.finish(0, 1, 1, 1);
  }
}
