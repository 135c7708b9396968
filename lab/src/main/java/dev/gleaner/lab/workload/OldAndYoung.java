package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Arrays;

/**
 * A frame that lives long and has an array, into which the frames that it calls store what they
 * make: each call makes a few records, stores one of them at random, and reads another place.
 *
 * <p>The checksum is the sum of what was read.
 */
final class OldAndYoung extends NamedWorkload {
  private static final int EMPTY = -1;

  OldAndYoung() {
    super(
        "mutate",
        "calls that store what they make into an array of a frame that stays",
        Parameters.defaults("n", "10_000_000", "slots", "10_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    int slots = run.parameters().positive("slots");
    Mutator t = run.openHeap().mutator();
    Generator random = new Generator();
    t.enter(1);
    t.newRecord(0, slots);
    long sum = 0;
    for (int i = 0; i < n; i++) {
      t.enter(4, 0, 1);
      t.newRecord(1, 1);
      t.newRecord(2, 2);
      t.newRecord(3, 1);
      t.storeInt(3, 0, i);
      t.store(2, 0, 3);
      t.storeInt(1, 0, i);
      t.store(0, random.index(slots), 2);
      t.load(1, 0, random.index(slots));
      if (t.isReference(1)) {
        t.load(1, 1, 0);
        sum += t.loadInt(1, 0);
      }
      t.leave();
      if (i % 10_000 == 0) {
        run.progress((double) i / n);
      }
    }
    run.beforeDropping();
    t.leave();
    return sum;
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      int n = run.parameters().integer("n");
      int[][] array = new int[run.parameters().positive("slots")][];
      Arrays.setAll(array, i -> new int[] {EMPTY});
      Generator random = new Generator();
      long sum = 0;
      for (int i = 0; i < n; i++) {
        array[random.index(array.length)] = new int[] {i};
        int read = array[random.index(array.length)][0];
        sum += read == EMPTY ? 0 : read;
      }
      return sum;
    };
  }
}
