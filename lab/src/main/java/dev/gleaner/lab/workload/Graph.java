package dev.gleaner.lab.workload;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A heap full of live records, for the cost of full collections: n records of two references A and
 * B, in an array held by a global reference.
 *
 * <ul>
 *   <li>{@code random}: A and B refer to records drawn at random
 *   <li>{@code list}: A refers to the one made before
 *   <li>{@code shuffled-list}: A refers to the next one in the array, once it is shuffled (Fisher
 *       and Yates)
 *   <li>{@code tree}: record k refers to records 2k + 1 and 2k + 2
 * </ul>
 *
 * <p>With {@code root=one} the array is dropped before the collections, and one record held
 * instead: the first in the array, but the last for {@code list}. Then follow five full
 * collections, of which each is reported. The checksum is the number of right references in the
 * first tenth of the array, read after the collections, or before the array is dropped.
 */
final class Graph extends NamedWorkload {
  static final int COLLECTIONS = 5;
  private static final int A = 0;
  private static final int B = 1;

  /** Steps a frame, so that a collector that frees by frames can. */
  private static final int BATCH = 100_000;

  enum Shape {
    RANDOM,
    LIST,
    SHUFFLED_LIST,
    TREE;

    static Shape of(Run run) {
      String text = run.parameters().text("shape");
      return valueOf(text.replace('-', '_').toUpperCase(Locale.ROOT));
    }
  }

  static boolean rootIsOne(Run run) {
    return run.parameters().text("root").equals("one");
  }

  Graph() {
    super(
        "graph",
        "a heap full of live records, and what a full collection costs there",
        Parameters.defaults("n", "10_000_000", "shape", "random", "root", "array"));
  }

  @Override
  public Map<String, List<String>> choices() {
    return Map.of(
        "shape",
        List.of("random", "list", "shuffled-list", "tree"),
        "root",
        List.of("array", "one"));
  }

  @Override
  public long run(Run run) {
    Heap heap = run.openHeap();
    try (GlobalRef root = heap.newGlobal()) {
      return run(run, heap, root);
    }
  }

  private static long run(Run run, Heap heap, GlobalRef root) {
    int n = run.parameters().positive("n");
    Shape shape = Shape.of(run);
    boolean one = rootIsOne(run);
    Mutator t = heap.mutator();
    long empty = heap.statistics().usedBytes();
    newArray(t, root, n);
    run.leaveOut();
    make(run, t, root, n);
    link(run, t, root, n, shape);
    run.measure();
    double used = heap.statistics().usedBytes() - empty;
    run.extra("bytes_per_element_with_array", used / n);
    long right = 0;
    if (one) {
      right = check(t, root, n, shape);
      keepOne(t, root, shape == Shape.LIST ? n - 1 : 0);
    }
    collect(run, heap);
    run.beforeDropping();
    return one ? right : check(t, root, n, shape);
  }

  private static void collect(Run run, Heap heap) {
    for (int i = 1; i <= COLLECTIONS; i++) {
      long start = System.nanoTime();
      heap.collect();
      run.extra("collection_" + i + "_ms", (System.nanoTime() - start) / 1e6);
      run.progress(0.5 + 0.5 * i / COLLECTIONS);
    }
  }

  private static void newArray(Mutator t, GlobalRef root, int n) {
    t.enter(1);
    t.newRecord(0, n);
    t.setGlobal(root, 0);
    t.leave();
  }

  private static void make(Run run, Mutator t, GlobalRef root, int n) {
    for (long from = 0; from < n; from += BATCH) {
      t.enter(2);
      t.getGlobal(0, root);
      int to = (int) Math.min(from + BATCH, n);
      for (int k = (int) from; k < to; k++) {
        t.newRecord(1, 2);
        t.store(0, k, 1);
      }
      t.leave();
      run.progress(0.2 * from / n);
    }
  }

  private static void link(Run run, Mutator t, GlobalRef root, int n, Shape shape) {
    t.enter(3);
    t.getGlobal(0, root);
    if (shape == Shape.SHUFFLED_LIST) {
      shuffle(t, n);
    }
    Generator generator = new Generator();
    for (long from = 0; from < n; from += BATCH) {
      int to = (int) Math.min(from + BATCH, n);
      switch (shape) {
        case LIST -> linkEach(t, A, (int) from, to, n, -1);
        case SHUFFLED_LIST -> linkEach(t, A, (int) from, to, n, 1);
        case TREE -> linkTree(t, (int) from, to, n);
        case RANDOM -> linkRandom(t, generator, (int) from, to, n);
      }
      run.progress(0.2 + 0.3 * from / n);
    }
    t.leave();
  }

  private static void linkRandom(Mutator t, Generator generator, int from, int to, int n) {
    for (int k = from; k < to; k++) {
      t.load(1, 0, k);
      t.load(2, 0, generator.index(n));
      t.store(1, A, 2);
      t.load(2, 0, generator.index(n));
      t.store(1, B, 2);
    }
  }

  private static void linkEach(Mutator t, int slot, int from, int to, int n, int distance) {
    for (int k = Math.max(from, -distance); k < to && k < n - distance; k++) {
      t.load(1, 0, k);
      t.load(2, 0, k + distance);
      t.store(1, slot, 2);
    }
  }

  private static void linkTree(Mutator t, int from, int to, int n) {
    for (int k = from; k < to && k < n / 2; k++) {
      t.load(1, 0, k);
      t.load(2, 0, 2 * k + 1);
      t.store(1, A, 2);
      if (k < (n - 1) / 2) {
        t.load(2, 0, 2 * k + 2);
        t.store(1, B, 2);
      }
    }
  }

  private static void shuffle(Mutator t, int n) {
    Generator generator = new Generator();
    for (int i = n - 1; i > 0; i--) {
      int j = generator.wideIndex(i + 1);
      t.load(1, 0, i);
      t.load(2, 0, j);
      t.store(0, i, 2);
      t.store(0, j, 1);
    }
  }

  private static void keepOne(Mutator t, GlobalRef root, int index) {
    t.enter(1);
    t.getGlobal(0, root);
    t.load(0, 0, index);
    t.setGlobal(root, 0);
    t.leave();
  }

  private static long check(Mutator t, GlobalRef root, int n, Shape shape) {
    t.enter(4);
    t.getGlobal(0, root);
    Generator generator = new Generator();
    long right = 0;
    for (int k = 0; k < n / 10; k++) {
      t.load(1, 0, k);
      switch (shape) {
        case LIST -> right += refersTo(t, A, k - 1, n);
        case SHUFFLED_LIST -> right += refersTo(t, A, k + 1, n);
        case TREE -> right += refersTo(t, A, 2 * k + 1, n) + refersTo(t, B, 2 * k + 2, n);
        case RANDOM -> {
          right += refersTo(t, A, generator.index(n), n);
          right += refersTo(t, B, generator.index(n), n);
        }
      }
    }
    t.leave();
    return right;
  }

  /** Returns 1 if the record in slot 1 refers to the one at this index, else 0. */
  private static int refersTo(Mutator t, int slot, int index, int n) {
    if (index < 0 || index >= n) {
      return 0;
    }
    t.load(2, 1, slot);
    t.load(3, 0, index);
    return t.same(2, 3) ? 1 : 0;
  }

  @Override
  public JvmBaseline baseline() {
    return new GraphBaseline();
  }
}
