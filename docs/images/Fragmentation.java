import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapExhaustedException;
import java.util.List;

/**
 * How full a heap of 8 MiB is when it refuses: phases of records of other sizes, of each of which
 * one in a KiB stays.
 */
final class Fragmentation {
  private static final int LIMIT = 8 << 20;

  private Fragmentation() {}

  public static void main(String[] args) {
    for (String collector :
        args.length > 0
            ? List.of(args)
            : List.of("refcount", "marksweep", "hybrid", "semispace", "framestack")) {
      String settings = "gleaner { collector = " + collector + ", memory.max = " + LIMIT + " }";
      try (Heap heap = Gleaner.factory(ConfigFactory.parseString(settings)).open()) {
        System.out.println(collector + ": refuses in phase " + fill(heap) + " at " + full(heap));
      }
    }
  }

  /** Returns the phase in which a record is refused. */
  private static int fill(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(2);
    t.setNull(0);
    for (int phase = 1; ; phase++) {
      int slots = 2 + phase * 7 % 31;
      int bytes = (slots + 1) * 8;
      for (int made = 0; made < LIMIT; made += bytes) {
        try {
          t.newRecord(1, slots);
        } catch (HeapExhaustedException e) {
          t.setNull(1);
          return phase;
        }
        if (made % 1024 < bytes) {
          t.store(1, 0, 0);
          t.copy(0, 1);
        }
      }
      t.setNull(1);
    }
  }

  private static String full(Heap heap) {
    heap.collect();
    return heap.statistics().usedBytes() * 100 / LIMIT
        + " % of its limit, with "
        + heap.statistics().committedBytes() * 100 / LIMIT
        + " % committed";
  }
}
