import com.sun.management.ThreadMXBean;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.NamedObjects;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Measures what it takes to save a heap as an image and to open it, for docs/heap-images.md, beside
 * making the same elements by operations:
 *
 * <pre>
 *   java --enable-native-access=ALL-UNNAMED -Xmx4g -cp lab/target/gleaner-lab.jar docs/images/Fork.java marksweep
 * </pre>
 *
 * <p>Of ten elements seven are records of three slots, two are strings of eight to twelve bytes and
 * one is an object with two properties. Times are the thread's CPU time, the median of five.
 */
final class Fork {
  private static final ThreadMXBean CLOCK = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int PART = 1_000;

  public static void main(String[] args) {
    HeapFactory factory =
        Gleaner.factory(
            ConfigFactory.parseString(
                    "gleaner { memory.max = 4GiB, voluntary.enabled = false, collector = "
                        + args[0]
                        + " }")
                .withFallback(ConfigFactory.load()));
    System.out.println(
        "elements      make      save      open   ns an element;  bytes, used, image");
    for (int n : new int[] {10_000, 1_000, 10_000, 100_000, 1_000_000, 10_000_000}) {
      row(factory, n);
    }
  }

  private static void row(HeapFactory factory, int n) {
    NamedObjects bound = new NamedObjects();
    HeapImage[] image = new HeapImage[1];
    long[] used = new long[1];
    int runs = n > 1_000_000 ? 3 : n > 10_000 ? 9 : 2_000_000 / n;
    double make =
        median(
            runs,
            () -> {
              long start = CLOCK.getCurrentThreadCpuTime();
              try (Heap heap = factory.open()) {
                build(heap.mutator(), n);
                return CLOCK.getCurrentThreadCpuTime() - start;
              }
            });
    double save;
    try (Heap heap = factory.open()) {
      build(heap.mutator(), n);
      save =
          median(
              runs,
              () -> {
                long start = CLOCK.getCurrentThreadCpuTime();
                image[0] = heap.image(bound);
                return CLOCK.getCurrentThreadCpuTime() - start;
              });
      used[0] = heap.statistics().usedBytes();
    }
    double open =
        median(
            runs,
            () -> {
              long start = CLOCK.getCurrentThreadCpuTime();
              try (Heap heap = factory.open(image[0], bound)) {
                long end = CLOCK.getCurrentThreadCpuTime();
                if (heap.statistics().usedBytes() == 0) {
                  throw new AssertionError("empty");
                }
                return end - start;
              }
            });
    int elements = image[0].elements();
    System.out.printf(
        Locale.ROOT,
        "%,10d %8.1f %9.1f %9.1f   %28.1f %5.1f%n",
        n,
        make / elements,
        save / elements,
        open / elements,
        used[0] / (double) elements,
        image[0].size() / (double) elements);
  }

  private static double median(int runs, LongSupplier run) {
    long[] times = new long[runs];
    for (int i = 0; i < runs; i++) {
      times[i] = run.getAsLong();
    }
    Arrays.sort(times);
    return times[runs / 2];
  }

  private static void build(Mutator t, int n) {
    t.enter(6);
    t.newRecord(0, n / PART);
    t.newString(4, "left");
    t.newString(5, "right");
    for (int part = 0; part < n / PART; part++) {
      t.newRecord(1, PART / 10);
      for (int i = 0; i < PART / 10; i++) {
        t.newObject(2);
        t.setNull(3);
        for (int r = 0; r < 7; r++) {
          t.enter(2, 3, 1);
          t.newRecord(1, 3);
          t.store(1, 0, 0);
          t.leave(1, 3);
        }
        t.putProperty(2, 4, 3);
        t.enter(2, 3, 1);
        t.newString(1, "name " + (part * PART + i));
        t.store(0, 1, 1);
        t.newString(1, "text " + (part * PART + i));
        t.store(0, 2, 1);
        t.leave();
        t.putProperty(2, 5, 3);
        t.store(1, i, 2);
      }
      t.store(0, part, 1);
    }
  }

  private Fork() {}
}
