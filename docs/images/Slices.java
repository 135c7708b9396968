import com.sun.management.ThreadMXBean;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Weakness;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Measures the slices of incremental collections, for docs/choosing.md:
 *
 * <pre>
 *   java --enable-native-access=ALL-UNNAMED -Xmx3g -cp lab/target/gleaner-lab.jar docs/images/Slices.java marksweep
 * </pre>
 *
 * <p>The heap: ten million records in loops of two, of which a tenth has a finalizer; a million
 * strings; two weak tables of half a million entries; a hundred thousand weak references; a stack
 * of 900,000 slots. Before each of three collections a tenth of the records and strings is dropped.
 * The program goes on between two slices. Times are the thread's CPU time, without finalizers.
 */
final class Slices {
  private static final int PARTS = 1_000;
  private static final int PER_PART = 5_000;
  private static final int WEAK = 500_000;
  private static final int FRAMES = 100_000;
  private static final String LAST = "last slice";

  private static final ThreadMXBean CLOCK = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final Map<String, List<Long>> byPhase = new LinkedHashMap<>();
  private static long began;
  private static long ended;

  public static void main(String[] args) {
    String settings =
        "gleaner { memory.max = 4GiB, voluntary.enabled = false, collector = "
            + args[0]
            + ", threads.max-stack-slots = 20000000"
            + ", incremental { enabled = true, slice = 500us, allocations-per-slice = 1000000 } }";
    try (Heap heap =
        Gleaner.factory(ConfigFactory.parseString(settings).withFallback(ConfigFactory.load()))
            .open("slices")) {
      build(heap.mutator());
      heap.addListener(new Clock());
      long inSlices = 0;
      for (int c = 0; c < 4; c++) {
        if (c == 1) {
          byPhase.clear(); // the first one warms up
          inSlices = 0;
        }
        inSlices += collect(heap, c);
      }
      byPhase.forEach(Slices::print);
      long before = CLOCK.getCurrentThreadCpuTime();
      heap.collect();
      System.out.printf(
          Locale.ROOT,
          "a collection in slices %.0f ms, a full one %.0f ms%n",
          inSlices / 1e6 / byPhase.get(LAST).size(),
          (CLOCK.getCurrentThreadCpuTime() - before) / 1e6);
    }
  }

  /** The frame: 0 the records' parts, 4 the strings' parts, 7 the weak tables. */
  private static void build(Mutator t) {
    Finalizer finalizer = (m, closing) -> stop();
    t.enter(8);
    t.newRecord(0, PARTS);
    t.newRecord(4, PARTS);
    for (int p = 0; p < PARTS; p++) {
      t.newRecord(1, PER_PART);
      t.newRecord(5, PARTS);
      for (int i = 0; i < PER_PART; i++) {
        t.newRecord(2, 2);
        t.newRecord(3, 2);
        t.store(2, 0, 3);
        t.store(3, 0, 2);
        t.store(1, i, 2);
        if (i / 10 % 5 == 0) {
          t.setFinalizer(2, "f", finalizer);
        }
      }
      for (int i = 0; i < PARTS; i++) {
        t.newString(6, "string " + p + "/" + i);
        t.store(5, i, 6);
      }
      t.store(0, p, 1);
      t.store(4, p, 5);
    }
    t.newWeakObject(7, Weakness.KEYS);
    t.newWeakObject(3, Weakness.VALUES);
    for (int i = 0; i < WEAK; i++) {
      t.load(5, 0, i % PARTS);
      t.load(6, 5, i / PARTS);
      t.newRecord(2, 1);
      t.putProperty(7, 6, 2);
      t.putIndex(3, i, 6);
      if (i % 5 == 0) {
        var _ = t.newWeak(6);
      }
    }
    t.newRecord(5, 2);
    t.store(5, 0, 7);
    t.store(5, 1, 3);
    t.copy(7, 5);
    wipe(t);
    for (int i = 0; i < FRAMES; i++) {
      t.enter(9, 0, 8);
    }
  }

  private static void wipe(Mutator t) {
    for (int s : new int[] {1, 2, 3, 5, 6}) {
      t.setUndefined(s);
    }
  }

  /** Drops a tenth, and collects in slices; returns the time of the slices. */
  private static long collect(Heap heap, int cycle) {
    Mutator t = heap.mutator();
    for (int p = 0; p < PARTS; p++) {
      t.load(1, 0, p);
      for (int i = cycle; i < PER_PART; i += 10) {
        t.storeNull(1, i);
      }
      t.load(1, 4, p);
      for (int i = cycle; i < PARTS; i += 10) {
        t.storeNull(1, i);
      }
    }
    wipe(t);
    long before = sum();
    Random random = new Random(cycle);
    for (int slice = 0; !heap.step(1); slice++) {
      for (int i = 0; i < 50; i++) {
        t.load(1, 0, random.nextInt(PARTS));
        t.newRecord(2, 2);
        t.store(1, random.nextInt(PER_PART), 2);
      }
      if (slice % 10 == 0) {
        t.leave();
        t.enter(9, 0, 8);
      }
      wipe(t);
    }
    return sum() - before;
  }

  private static long sum() {
    return byPhase.values().stream().flatMap(List::stream).mapToLong(n -> n).sum();
  }

  private static void print(String phase, List<Long> nanos) {
    List<Long> sorted = nanos.stream().sorted().toList();
    System.out.printf(
        Locale.ROOT,
        "| %s | %d | %.2f | %.2f | %.2f |%n",
        phase,
        sorted.size(),
        at(sorted, 0.5),
        at(sorted, 0.999),
        at(sorted, 1));
  }

  private static double at(List<Long> sorted, double share) {
    return sorted.get((int) Math.ceil(share * sorted.size()) - 1) / 1e6;
  }

  /** The first finalizer runs: what follows is no slice. */
  private static void stop() {
    if (ended == 0) {
      ended = CLOCK.getCurrentThreadCpuTime();
    }
  }

  private static final class Clock implements HeapListener {
    @Override
    public void collectionStarting() {
      ended = 0;
      began = CLOCK.getCurrentThreadCpuTime();
    }

    @Override
    public void collectionFinished(CollectionEvent event) {
      stop();
      String phase = event.collectionFinished() ? LAST : event.phase();
      byPhase.computeIfAbsent(phase, _ -> new ArrayList<>()).add(ended - began);
    }
  }
}
