package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;

/**
 * Deep calls that are left at once: each round enters {@code frames} frames, of which each makes an
 * object, larger than a collector may keep with its frame, and a record that holds the caller's;
 * then it leaves all of them, every second one with its record as the result. Meanwhile the oldest
 * frame is full of what the rounds before left behind.
 *
 * <p>The checksum counts the records that the results reach.
 */
final class NestedCalls extends NamedWorkload {
  NestedCalls() {
    super(
        "nest",
        "deep calls whose frames are left at once, with results and without",
        Parameters.defaults("n", "100_000", "frames", "100"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    int frames = run.parameters().positive("frames");
    Mutator t = run.openHeap().mutator();
    t.enter(2);
    long sum = 0;
    for (int i = 0; i < n; i++) {
      t.setNull(0);
      round(t, frames, i % 2 == 0);
      while (t.isReference(0)) {
        sum++;
        t.load(0, 0, 0);
      }
      if (i % 100 == 0) {
        run.progress((double) i / n);
      }
    }
    run.beforeDropping();
    t.leave();
    return sum;
  }

  private static void round(Mutator t, int frames, boolean result) {
    for (int d = 0; d < frames; d++) {
      t.enter(3, 0, 1);
      t.newObject(1, 2);
      t.newRecord(2, 2);
      t.store(2, 0, 0);
      t.store(2, 1, 1);
      t.copy(0, 2);
    }
    for (int d = 0; d < frames; d++) {
      if (result) {
        t.leave(0, 0);
      } else {
        t.leave();
      }
    }
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      int n = run.parameters().integer("n");
      int frames = run.parameters().positive("frames");
      long sum = 0;
      for (int i = 0; i < n; i++) {
        Sink.value = null;
        sum += i % 2 == 0 ? frames : 0;
        for (int d = 0; d < frames; d++) {
          Sink.value = new Object[] {Sink.value, new Object[2]};
        }
      }
      Sink.value = null;
      return sum;
    };
  }
}
