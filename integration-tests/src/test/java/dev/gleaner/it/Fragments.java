package dev.gleaner.it;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapExhaustedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Fragments a heap as badly as it can, and prints, in percent of the limit, the most that was
 * committed and resident, and the least that was in use when a request was refused; to be run in a
 * JVM of its own. Arguments: collector, settings, limit in MiB, program.
 *
 * <pre>
 *   blocks     plain blocks of one size until memory ends; one on each page stays; the next size
 *   elements   objects, likewise
 * </pre>
 */
final class Fragments {
  private static final int PAGE = 4096;
  private static final int WORD = 8;

  /** Words of an object beside its inline slots, the header included. */
  private static final int OBJECT = 3;

  private static final int LARGEST = 480;

  private final Heap heap;
  private final Mutator t;
  private final long limit;
  private final long residentBefore;
  private long committed;
  private long resident;
  private long refusedAt;

  private Fragments(Heap heap, long residentBefore) {
    this.heap = heap;
    this.t = heap.mutator();
    this.limit = heap.statistics().maxBytes();
    this.residentBefore = residentBefore;
    this.refusedAt = limit;
  }

  public static void main(String[] args) throws IOException {
    long bytes = Long.parseLong(args[2]) << 20;
    // The program runs once before, in little, so that the JVM has what it needs.
    run(args, 2 << 20, 0);
    Fragments f = run(args, bytes, ManyHeaps.resident());
    System.out.println("committed " + f.percent(f.committed));
    System.out.println("resident " + f.percent(f.resident));
    System.out.println("refused " + f.percent(f.refusedAt));
  }

  private static Fragments run(String[] args, long bytes, long residentBefore) throws IOException {
    String settings = args[1] + "\nmemory.max = " + bytes;
    try (Heap heap = Installed.factory(args[0], settings).open()) {
      Fragments f = new Fragments(heap, residentBefore);
      if (args[3].equals("blocks")) {
        f.blocks();
      } else {
        f.elements();
      }
      return f;
    }
  }

  private long percent(long bytes) {
    return bytes * 100 / limit;
  }

  private void measure() throws IOException {
    committed = Math.max(committed, heap.statistics().committedBytes());
    resident = Math.max(resident, ManyHeaps.resident() - residentBefore);
  }

  private void refused() throws IOException {
    refusedAt = Math.min(refusedAt, heap.statistics().usedBytes());
    measure();
  }

  private void blocks() throws IOException {
    for (int words = 1; words < LARGEST; words += Math.max(1, words / 16)) {
      List<Long> made = new ArrayList<>();
      long block = heap.plainMemory().alloc((long) words * WORD);
      while (block != 0) {
        made.add(block);
        block = heap.plainMemory().alloc((long) words * WORD);
      }
      refused();
      int apart = Math.max(2, PAGE / (words * WORD));
      for (int i = 0; i < made.size(); i++) {
        if (i % apart != 0) {
          heap.plainMemory().free(made.get(i));
        }
      }
    }
  }

  /** What stays is a list in slot 0, what goes one in slot 1. */
  private void elements() throws IOException {
    t.enter(3);
    for (int words = OBJECT + 1; words < LARGEST; words += Math.max(1, words / 16)) {
      int apart = Math.max(2, PAGE / (words * WORD));
      try {
        for (int i = 0; ; i++) {
          int list = i % apart == 0 ? 0 : 1;
          t.newObject(2, words - OBJECT);
          t.store(2, 0, list);
          t.copy(list, 2);
        }
      } catch (HeapExhaustedException e) {
        refused();
      }
      t.wipe(1);
      heap.collect();
    }
  }
}
