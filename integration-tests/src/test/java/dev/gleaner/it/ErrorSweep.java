package dev.gleaner.it;

import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.it.errors.Injection;
import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.refusal.HeapUsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Has an error come at one point of an operation after the other, and looks at the heap then. Runs
 * among instrumented classes.
 */
public final class ErrorSweep implements Function<String, List<String>> {
  /** Points of an operation that are tried; of one that has more, as many evenly spread. */
  private static final int MOST = 120;

  private final List<String> wrong = new ArrayList<>();
  private HeapFactory factory;
  private HeapFactory others;
  private int whole;
  private int broken;

  @Override
  public List<String> apply(String collector) {
    factory = Installed.factory(collector, "voluntary.enabled = false\nmemory.max = 16MiB");
    others = Installed.factory(collector, "");
    for (PublicCall call : PublicCalls.all()) {
      if (!call.name().equals("close")) {
        sweep(
            call.toString(),
            (heap, i) -> {
              if (i == 0) {
                call.before().accept(heap);
              }
              return () -> call.thrownBy(heap, call.right());
            });
      }
    }
    growing();
    wrong.add(whole + " whole, " + broken + " broken");
    return wrong;
  }

  interface Scenario {
    /** Prepares for the call of a number, and answers it. */
    java.util.function.Supplier<Object> prepare(MisuseHeap heap, int i);
  }

  interface Op {
    void run(MisuseHeap heap, int i);
  }

  private void grow(String name, Op op) {
    sweep(
        name,
        (heap, i) ->
            () -> {
              try {
                op.run(heap, i);
                return "";
              } catch (RuntimeException | Error e) {
                return e;
              }
            });
  }

  private void growing() {
    grow(
        "grow.putProperty",
        (h, i) -> {
          h.thread.setInt(0, i);
          h.thread.putProperty(7, 0, 3);
        });
    grow(
        "grow.putString",
        (h, i) -> {
          h.thread.newString(0, "key " + i);
          h.thread.putProperty(7, 0, 3);
        });
    grow(
        "grow.putRecordKey",
        (h, i) -> {
          h.thread.newRecord(0, 1);
          h.thread.putProperty(7, 0, 3);
        });
    grow(
        "grow.weakObject",
        (h, i) -> {
          h.thread.newWeakObject(0, 1 + i % 3);
        });
    grow(
        "grow.weakPut",
        (h, i) -> {
          if (i == 0) {
            h.thread.newWeakObject(7, 1);
          }
          h.thread.newRecord(0, 1);
          h.thread.newRecord(1, 1);
          h.thread.putProperty(7, 0, 1);
          h.thread.copy(2 + i % 5, 0);
        });
    grow("grow.putIndex", (h, i) -> h.thread.putIndex(7, i, 6));
    grow(
        "grow.update",
        (h, i) -> {
          h.thread.setInt(0, i);
          boolean _ = h.thread.update(7, 0, 6);
        });
    grow("grow.push", (h, i) -> h.thread.push(12, 6));
    grow("grow.pushCatcher", (h, i) -> h.thread.pushCatcher(0, 1));
    grow("grow.call", (h, i) -> h.thread.call(11, 10));
    grow("grow.enter", (h, i) -> h.thread.enter(11));
    grow(
        "grow.raise",
        (h, i) -> {
          h.thread.pushCatcher(0, 1);
          h.thread.enter(13, 0, 13);
          h.thread.enter(13, 0, 13);
          int _ = h.thread.raise(6);
        });
    grow(
        "grow.leaveValue",
        (h, i) -> {
          h.thread.enter(13, 0, 13);
          h.thread.newRecord(0, 2);
          h.thread.store(0, 0, 6);
          h.thread.leave(0, 0);
        });
    grow(
        "grow.resume",
        (h, i) -> {
          h.thread.resume(12, 3);
          h.thread.newRecord(0, 2);
          h.thread.newThread(1);
          h.thread.suspend();
        });
    grow(
        "grow.nested",
        (h, i) -> {
          h.thread.resume(12, 13);
          h.thread.newThread(12);
        });
    grow("grow.resizeBuffer", (h, i) -> h.thread.resizeBuffer(9, 1 + i * 700L % 9000));
    grow("grow.newDynamic", (h, i) -> h.thread.newDynamicBuffer(i % 8, i * 700L % 9000));
    grow(
        "grow.newWeak",
        (h, i) -> {
          h.thread.newRecord(0, 1);
          var w = h.thread.newWeak(0);
          if (i % 3 == 1) {
            w.close();
          }
        });
    grow(
        "grow.newGlobal",
        (h, i) -> {
          var g = h.heap.newGlobal();
          h.thread.setGlobal(g, 6);
          if (i % 3 == 1) {
            g.close();
          }
        });
    grow(
        "grow.finalizer",
        (h, i) -> {
          h.thread.newRecord(0, 1);
          h.thread.setFinalizer(0, "f", (t, closing) -> t.newRecord(1, 1));
          h.thread.newRecord(0, 1);
        });
    grow(
        "grow.native",
        (h, i) -> {
          h.thread.newNative(0, "object " + i, (v, closing) -> {});
          h.thread.newNative(0, "object " + i, null);
        });
    grow(
        "grow.pin",
        (h, i) -> {
          h.thread.newBuffer(0, 1000);
          if (h.heap.traits().pinning()) {
            var _ = h.thread.pin(0);
            if (i % 3 == 1) {
              h.thread.unpin(0);
            }
          }
        });
    grow(
        "grow.builtins",
        (h, i) ->
            h.heap.makeBuiltins(() -> {
              h.thread.newRecord(0, 100);
              h.thread.newString(0, "builtin " + i);
            }));
    grow(
        "grow.alloc",
        (h, i) -> {
          long b = h.heap.plainMemory().alloc(i * 100L % 5000);
          if (i % 2 == 1) {
            h.heap.plainMemory().free(b);
          } else {
            b = h.heap.plainMemory().realloc(b, i * 200L % 7000);
          }
        });
    grow(
        "grow.records",
        (h, i) -> {
          for (int n = 0; n < 20; n++) {
            h.thread.newRecord(0, n);
            h.thread.store(0, Math.min(0, n - 1) + n / 2, 6);
          }
        });
    grow(
        "grow.identity",
        (h, i) -> {
          h.thread.newRecord(0, 1);
          int _ = h.thread.identityHash(0);
        });
    grow(
        "grow.large",
        (h, i) -> {
          h.thread.newRecord(0, 1000 + 100 * i);
          h.thread.newBuffer(1, 10000);
        });
    grow(
        "grow.walk",
        (h, i) -> {
          h.thread.setInt(0, i);
          h.thread.putProperty(7, 0, 3);
          h.thread.setUndefined(0);
          boolean _ = h.thread.nextPropertyAfter(7, 0, 0, 1);
          boolean _ = h.thread.deleteProperty(7, 0);
          boolean _ = h.thread.nextPropertyAfter(7, 0, 0, 1);
        });
    grow(
        "grow.collect",
        (h, i) -> {
          h.thread.newRecord(0, 1);
          h.heap.collect();
        });
    grow(
        "grow.step",
        (h, i) -> {
          h.thread.newRecord(0, 1);
          boolean _ = h.heap.step(1);
          h.thread.newString(0, "text " + i);
          h.thread.store(6, 0, 0);
          h.thread.copy(6, 0);
          h.thread.newRecord(6, 2);
        });
  }

  private static final int REPEATED = 70;
  private static final int CHOSEN = 4;

  private void sweep(String name, Scenario scenario) {
    long t0 = System.nanoTime();
    java.util.TreeMap<Integer, Long> chosen = new java.util.TreeMap<>();
    java.util.Set<Long> seen = new java.util.HashSet<>();
    for (int warm = 0; warm < 2; warm++) {
      try (MisuseHeap heap = new MisuseHeap(factory.open(), others.open())) {
        long most = 0;
        for (int i = 0; i < REPEATED; i++) {
          var call = scenario.prepare(heap, i);
          long points = Injection.count(call);
          if (warm == 1 && (i == 0 || (points > most && chosen.size() < CHOSEN))) {
            chosen.put(i, points);
          }
          most = Math.max(most, points);
        }
      } catch (RuntimeException | Error e) {
        wrong.add(name + " counted: " + e);
      }
    }
    for (var e : chosen.entrySet()) {
      sweep(name, scenario, e.getKey(), e.getValue());
    }
    System.out.println(name + " " + (System.nanoTime() - t0) / 1_000_000 + " ms " + chosen);
  }

  private void sweep(String name, Scenario scenario, int number, long points) {
    for (boolean goesOn : new boolean[] {false, true}) {
      long step = Math.max(1, points / MOST);
      for (long n = 0; n < points; n += step) {
        long at = n;
        String what =
            name + " #" + number + " at " + at + " of " + points + (goesOn ? ", all" : "");
        try (MisuseHeap heap = new MisuseHeap(factory.open(), others.open())) {
          for (int i = 0; i < number; i++) {
            Object _ = scenario.prepare(heap, i).get();
          }
          var call = scenario.prepare(heap, number);
          Object thrown = Injection.at(at, goesOn, call);
          if (thrown instanceof Throwable) {
            judge(what, heap, thrown);
          }
        } catch (RuntimeException | Error e) {
          wrong.add(what + ": closing: " + e);
        }
      }
    }
  }

  private void judge(String what, MisuseHeap heap, Object thrown) {
    try {
      List<String> violations = heap.heap.inspect().verify();
      if (!violations.isEmpty()) {
        wrong.add(what + ": " + violations);
        return;
      }
      use(heap);
      violations = heap.heap.inspect().verify();
      if (!violations.isEmpty()) {
        wrong.add(what + ": used: " + violations);
        return;
      }
      whole++;
    } catch (HeapBrokenException e) {
      broken++;
      try {
        heap.heap.collect();
        wrong.add(what + ": broken, but collects");
      } catch (HeapBrokenException _) {
      }
    } catch (RuntimeException | Error e) {
      java.io.StringWriter w = new java.io.StringWriter();
      e.printStackTrace(new java.io.PrintWriter(w));
      wrong.add(what + ": " + w.toString().lines().limit(8).toList());
    }
  }

  private static void use(MisuseHeap heap) {
    Mutator t = heap.thread;
    t.enter(4);
    use(t);
    heap.heap.collect();
    use(t);
    t.leave();
    // all frames, of all threads
    while (true) {
      while (t.frameDepth() > 0) {
        t.leave();
      }
      t.enter(0);
      try {
        t.suspend();
      } catch (HeapUsageException e) {
        break;
      }
    }
    t.leave();
    heap.heap.collect();
    t.enter(4);
    use(t);
    t.leave();
  }

  private static void use(Mutator t) {
    t.newRecord(0, 2);
    t.newString(1, "goes on");
    t.store(0, 0, 1);
    t.newObject(2);
    t.putProperty(2, 1, 0);
    t.putIndex(2, 3, 0);
    t.newThread(3);
    t.push(3, 0);
    t.resume(3, 2);
    t.newRecord(0, 1);
    t.suspend();
    t.pop(3, 0);
    t.newDynamicBuffer(3, 100);
    t.newBuffer(0, 100);
    t.newNative(0, "n", null);
  }
}
