package dev.gleaner.it;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.refusal.HeapException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs in a JVM of its own: fills its memory but for a little, more and more of it, and uses heaps
 * then. Prints how many were whole afterwards, how many said that they were broken, and how many
 * errors there were. Arguments: the collector, and how often.
 */
final class LittleMemory {
  private LittleMemory() {}

  public static void main(String[] arguments) {
    for (int way = 0; way < 6; way++) { // a class that cannot be linked for lack of memory never is
      try (Heap heap = Installed.open(arguments[0], "memory.max = 1MiB")) {
        heap.mutator().enter(4);
        use(heap, way, new ArrayList<>());
      } catch (HeapException _) {
        // exhausted: that is linked now, too
      }
    }
    int rounds = Integer.parseInt(arguments[1]);
    int whole = 0;
    int broken = 0;
    int errors = 0;
    for (int round = 0; round < rounds; round++) {
      Heap heap = Installed.open(arguments[0], "memory.max = 8MiB");
      heap.mutator().enter(4);
      List<Object> kept = new ArrayList<>();
      ArrayDeque<byte[]> ballast = fill();
      for (int i = 0; i < round * 24 / rounds % 20 && !ballast.isEmpty(); i++) {
        byte[] _ = ballast.pop();
      }
      boolean failed = false;
      try {
        use(heap, round, kept);
      } catch (Error e) {
        failed = true;
      } catch (HeapException e) {
        failed = e instanceof HeapBrokenException;
      }
      ballast.clear();
      errors += failed ? 1 : 0;
      try {
        if (!heap.inspect().verify().isEmpty()) {
          throw new AssertionError(heap.inspect().verify());
        }
        whole++;
      } catch (HeapBrokenException e) {
        broken++;
      }
      kept.clear();
      heap.close();
      if (!heap.isClosed() || heap.statistics().committedBytes() != 0) {
        throw new AssertionError("not given back: " + heap.statistics());
      }
    }
    System.out.println(whole + " whole, " + broken + " broken, " + errors + " errors");
  }

  /** Takes all memory, in pieces of 4 KiB. */
  private static ArrayDeque<byte[]> fill() {
    ArrayDeque<byte[]> ballast = new ArrayDeque<>(20_000);
    try {
      while (true) {
        ballast.push(new byte[4096]);
      }
    } catch (OutOfMemoryError e) {
      return ballast;
    }
  }

  /** What makes the heap's tables in the JVM's memory grow. */
  private static void use(Heap heap, int round, List<Object> kept) {
    Mutator t = heap.mutator();
    for (int i = 0; i < 20_000; i++) {
      switch (round % 6) {
        case 0 -> {
          t.newRecord(0, i % 30);
          kept.add(t.newWeak(0));
        }
        case 1 -> kept.add(heap.newGlobal());
        case 2 -> {
          t.newRecord(0, 1);
          t.store(0, 0, 1);
          t.copy(1, 0);
          t.setFinalizer(0, "finalizer", (thread, closing) -> {});
        }
        case 3 -> {
          t.newNative(0, "native", (value, closing) -> {});
          t.newRecord(2, 2);
          t.store(2, 0, 0);
          t.store(2, 1, 1);
          t.copy(1, 2);
        }
        case 4 -> {
          t.newBuffer(0, i % 5000);
          t.newString(1, "text " + i);
          if (i % 1000 == 0) {
            heap.collect();
          }
        }
        default -> {
          t.newRecord(0, i % 200 + 1);
          t.storeNull(0, 0);
          long _ = heap.plainMemory().allocRaw(i % 300 + 1);
        }
      }
    }
  }
}
