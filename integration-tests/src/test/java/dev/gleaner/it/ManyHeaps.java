package dev.gleaner.it;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens many heaps and prints how many MiB of memory the process then has; to be run in a JVM of
 * its own. Arguments: collector, settings, heaps, records of each, {@code close} or {@code keep}.
 *
 * <p>With {@code close} each heap is closed before the next is opened; with {@code keep} all are
 * open at once, are used once more, and closed at the end.
 */
final class ManyHeaps {
  /** Heaps after which the program's own code and data are there. */
  private static final int WARM = 50;

  private ManyHeaps() {}

  public static void main(String[] args) throws IOException {
    HeapFactory factory = Installed.factory(args[0], args[1]);
    int records = Integer.parseInt(args[3]);
    boolean keep = args[4].equals("keep");
    fillAndClose(factory, WARM, records);
    print("warm");
    int heaps = Integer.parseInt(args[2]);
    if (keep) {
      fillAtOnce(factory, heaps, records);
    } else {
      fillAndClose(factory, heaps, records);
    }
    print("closed");
  }

  private static void fillAndClose(HeapFactory factory, int heaps, int records) {
    for (int i = 0; i < heaps; i++) {
      try (Heap heap = factory.open()) {
        fill(heap, records, i);
      }
    }
  }

  private static void fillAtOnce(HeapFactory factory, int count, int records) throws IOException {
    long start = System.nanoTime();
    List<Heap> heaps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Heap heap = factory.open();
      heaps.add(heap);
      fill(heap, records, i);
    }
    printMillis("opened-in", start);
    print("open");
    for (int i = 0; i < count; i++) {
      Mutator t = heaps.get(i).mutator();
      for (int r = 0; r < records; r++) {
        check(t.loadInt(0, 1) == i);
        t.load(0, 0, 0);
      }
      check(t.isNull(0));
      heaps.get(i).collect();
      check(heaps.get(i).statistics().liveElements() == 1); // the thread
    }
    start = System.nanoTime();
    heaps.forEach(Heap::close);
    printMillis("closed-in", start);
  }

  private static void printMillis(String what, long start) {
    System.out.println(what + " " + (System.nanoTime() - start) / 1_000_000);
  }

  private static void fill(Heap heap, int records, int number) {
    Mutator t = heap.mutator();
    t.enter(2);
    t.setNull(0);
    for (int i = 0; i < records; i++) {
      t.newRecord(1, 2);
      t.store(1, 0, 0);
      t.storeInt(1, 1, number);
      t.copy(0, 1);
    }
    t.setUndefined(1);
    check(heap.statistics().usedBytes() >= records * 24L);
  }

  private static void check(boolean condition) {
    if (!condition) {
      throw new AssertionError();
    }
  }

  private static void print(String when) throws IOException {
    System.out.println(when + " " + (resident() >> 20));
  }

  /** Bytes of memory that the process has. */
  static long resident() throws IOException {
    String line =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(l -> l.startsWith("VmRSS:"))
            .findFirst()
            .orElseThrow();
    return Long.parseLong(line.replaceAll("\\D", "")) << 10;
  }
}
