package dev.gleaner.it;

import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.it.errors.ErrorPoint;
import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.refusal.HeapUsageException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/**
 * Has an error come at the points of every operation of a heap, and looks at the heap then. Runs
 * among instrumented classes; answers what was wrong, and at last how many heaps were whole.
 */
public final class ErrorSweep implements Function<String, List<String>> {
  /** Points of a call that are tried; all of them with {@code -Dgleaner.test.sweep=all}. */
  private static final long TRIED =
      "all".equals(System.getProperty("gleaner.test.sweep")) ? 1 << 30 : 6;

  /** Calls on one heap until nothing grows any more that grows with each of them. */
  private static final int REPEATED = 70;

  /** Of these calls so many are looked at: those that pass more points than all before. */
  private static final int CHOSEN = 4;

  /** Its finalizers have frames on the program's threads. */
  static final String OLD_HYBRID = "hybrid of Duktape 1.x";

  private final List<String> wrong = new ArrayList<>();
  private final Random random = new Random(Long.getLong("gleaner.seed", 42));
  private HeapFactory factory = Installed.factory("marksweep", "");
  private int whole;
  private int broken;

  @Override
  public List<String> apply(String collector) {
    boolean old = collector.equals(OLD_HYBRID);
    factory =
        Installed.factory(
            old ? "hybrid" : collector,
            "voluntary.enabled = false\nmemory.max = 16MiB"
                + (old ? "\ncollectors.hybrid.compatibility = duktape-1" : ""));
    for (RepeatedCall call : RepeatedCall.all()) {
      for (Map.Entry<Integer, Long> chosen : choose(call).entrySet()) {
        sweep(call, chosen.getKey(), chosen.getValue(), false);
        sweep(call, chosen.getKey(), chosen.getValue(), true);
      }
    }
    wrong.add(whole + " whole, " + broken + " broken");
    return wrong;
  }

  private MisuseHeap open() {
    return new MisuseHeap(factory.open(), factory.open());
  }

  /** The times of a call that are looked at, with their points; all classes are loaded then. */
  private Map<Integer, Long> choose(RepeatedCall call) {
    Map<Integer, Long> chosen = new HashMap<>();
    for (int run = 0; run < 2; run++) {
      try (MisuseHeap heap = open()) {
        long most = -1;
        call.prepare(heap);
        for (int time = 0; call.fits().test(heap) && time < REPEATED; time++) {
          int now = time;
          long points = ErrorPoint.count(() -> call.call().of(heap, now));
          if (run == 1 && points > most && chosen.size() < CHOSEN) {
            chosen.put(time, points);
          }
          most = Math.max(most, points);
        }
      }
    }
    return chosen;
  }

  private void sweep(RepeatedCall call, int time, long points, boolean all) {
    long step = Math.max(1, points / TRIED);
    for (long n = random.nextLong(step); n < points; n += step) {
      String what = "%s, time %d, point %d%s".formatted(call.name(), time, n, all ? " ff." : "");
      try (MisuseHeap heap = open()) {
        call.prepare(heap);
        for (int before = 0; before < time; before++) {
          Object _ = call.call().of(heap, before);
        }
        if (ErrorPoint.with(n, all, () -> call.call().of(heap, time)) instanceof Throwable) {
          judge(what, heap);
        }
      } catch (RuntimeException | Error e) {
        wrong.add(what + ": when it was closed: " + e);
      }
    }
  }

  private void judge(String what, MisuseHeap heap) {
    try {
      List<String> violations = new ArrayList<>(heap.heap.inspect().verify());
      if (violations.isEmpty()) {
        use(heap);
        violations.addAll(heap.heap.inspect().verify());
      }
      violations.forEach(violation -> wrong.add(what + ": " + violation));
      whole++;
    } catch (HeapBrokenException _) {
      broken++;
      checkBroken(what, heap);
    } catch (RuntimeException | Error e) {
      wrong.add(what + ": " + e + " at " + List.of(e.getStackTrace()).subList(0, 3));
    }
  }

  private void checkBroken(String what, MisuseHeap heap) {
    try {
      heap.heap.collect();
      wrong.add(what + ": was broken, but collects");
    } catch (HeapBrokenException _) {
      // as it should
    }
  }

  private static void use(MisuseHeap heap) {
    Mutator t = heap.thread;
    use(t, false);
    heap.heap.collect();
    do {
      while (t.frameDepth() > 0) {
        t.leave();
      }
    } while (suspended(t));
    heap.heap.collect();
    use(t, false);
  }

  /** Goes back to the thread that resumed this one; false if none did. */
  private static boolean suspended(Mutator t) {
    t.enter(0);
    try {
      t.suspend();
      return true;
    } catch (HeapUsageException e) {
      t.leave();
      return false;
    }
  }

  /** A little of all that a heap does; what a finalizer may do, too. */
  static void use(Mutator t, boolean closing) {
    t.enter(4);
    t.newRecord(0, 2);
    t.newString(1, "goes on");
    t.store(0, 0, 1);
    t.newObject(2);
    t.putProperty(2, 1, 0);
    t.putIndex(2, 3, 0);
    t.newThread(3);
    t.push(3, 0);
    t.resume(3, 2);
    t.newRecord(1, 1);
    t.suspend();
    t.push(3, 0);
    t.pop(3, 0);
    t.newDynamicBuffer(3, 100);
    t.newBuffer(0, 100);
    t.newNative(0, "object", null);
    t.leave();
  }
}
