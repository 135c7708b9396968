package dev.gleaner.it;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.spi.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A call that can be made on a heap many times over, so that blocks, tables and stacks of the heap
 * grow in the course of it.
 *
 * @param fits whether a heap is one for it
 */
record RepeatedCall(String name, Predicate<MisuseHeap> fits, Call call) {
  private static final int RECORD = MisuseHeap.RECORD;
  private static final int OBJECT = MisuseHeap.OBJECT;
  private static final int DYNAMIC = MisuseHeap.DYNAMIC;
  private static final int THREAD = MisuseHeap.THREAD;
  private static final int SLOTS = MisuseHeap.SLOTS;
  private static final Finalizer FINALIZER = (t, closing) -> t.newRecord(1, 1);
  private static final FreeCallback CALLBACK = (value, closing) -> {};

  /** What is called. */
  @FunctionalInterface
  interface Call {
    /**
     * Calls; answers what was thrown, or anything else.
     *
     * @param time from 0 on
     */
    Object of(MisuseHeap heap, int time);
  }

  /** Something that is done to a heap. */
  @FunctionalInterface
  private interface Steps {
    void take(MisuseHeap heap, Mutator t, int time);
  }

  /** Every public operation once, and steps that grow something. */
  static List<RepeatedCall> all() {
    List<RepeatedCall> all = new ArrayList<>();
    for (PublicCall call : PublicCalls.all()) {
      if (!call.name().equals("close")) {
        all.add(
            new RepeatedCall(
                call.toString(), h -> true, (heap, time) -> call.thrownBy(heap, call.right())));
      }
    }
    all.addAll(frames());
    all.addAll(properties());
    all.addAll(tables());
    all.addAll(elements());
    return all;
  }

  /** What the heap needs for it. */
  void prepare(MisuseHeap heap) {
    for (PublicCall c : PublicCalls.all()) {
      if (c.toString().equals(name)) {
        c.before().accept(heap);
        return;
      }
    }
  }

  private static RepeatedCall steps(String name, Steps steps) {
    return steps(name, h -> true, steps);
  }

  private static RepeatedCall steps(String name, Predicate<MisuseHeap> fits, Steps steps) {
    return new RepeatedCall(
        name,
        fits,
        (heap, time) -> {
          try {
            steps.take(heap, heap.thread, time);
            return heap;
          } catch (RuntimeException | Error e) {
            return e;
          }
        });
  }

  private static List<RepeatedCall> frames() {
    return List.of(
        steps("many frames", (h, t, time) -> t.enter(11)),
        steps("many calls", (h, t, time) -> t.call(11, MisuseHeap.FUNCTION)),
        steps("many catchers", (h, t, time) -> t.pushCatcher(0, 1)),
        steps("many pushes", (h, t, time) -> t.push(THREAD, RECORD)),
        steps(
            "many results",
            (h, t, time) -> {
              t.enter(SLOTS, 0, SLOTS);
              t.newRecord(0, 2);
              t.store(0, 0, RECORD);
              t.leave(0, 0);
            }),
        steps(
            "many raised",
            (h, t, time) -> {
              t.pushCatcher(0, 1);
              t.enter(SLOTS, 0, SLOTS);
              t.enter(SLOTS, 0, SLOTS);
              int _ = t.raise(RECORD);
            }),
        steps(
            "many switches",
            (h, t, time) -> {
              t.resume(THREAD, 3);
              t.newRecord(0, 2);
              t.newThread(1);
              t.suspend();
            }),
        steps(
            "many resumers",
            (h, t, time) -> {
              t.resume(THREAD, SLOTS);
              t.newThread(THREAD);
            }));
  }

  private static List<RepeatedCall> properties() {
    return List.of(
        steps(
            "many properties",
            (h, t, time) -> {
              t.setInt(0, time);
              t.putProperty(OBJECT, 0, MisuseHeap.INT);
            }),
        steps(
            "many names",
            (h, t, time) -> {
              t.newString(0, "name " + time);
              t.putProperty(OBJECT, 0, MisuseHeap.INT);
            }),
        steps(
            "many identities as keys",
            (h, t, time) -> {
              t.newRecord(0, 1);
              t.putProperty(OBJECT, 0, MisuseHeap.INT);
            }),
        steps(
            "many weak entries",
            (h, t, time) -> {
              if (time == 0) {
                t.newWeakObject(OBJECT, 1);
              }
              t.newRecord(0, 1);
              t.newRecord(1, 1);
              t.putProperty(OBJECT, 0, 1);
              t.copy(2 + time % 5, 0);
            }),
        steps("many weak tables", (h, t, time) -> t.newWeakObject(0, 1 + time % 3)),
        steps("a long array part", (h, t, time) -> t.putIndex(OBJECT, time, RECORD)),
        steps(
            "a long array part in steps",
            (h, t, time) -> {
              t.setInt(0, time);
              boolean _ = t.update(OBJECT, 0, RECORD);
            }),
        steps(
            "walks that delete",
            (h, t, time) -> {
              t.setInt(0, time);
              t.putProperty(OBJECT, 0, MisuseHeap.INT);
              t.setUndefined(0);
              boolean _ = t.nextPropertyAfter(OBJECT, 0, 0, 1);
              boolean _ = t.deleteProperty(OBJECT, 0);
              boolean _ = t.nextPropertyAfter(OBJECT, 0, 0, 1);
            }));
  }

  private static List<RepeatedCall> tables() {
    return List.of(
        steps(
            "many weak references",
            (h, t, time) -> {
              t.newRecord(0, 1);
              WeakRef weak = t.newWeak(0);
              if (time % 3 == 1) {
                weak.close();
              }
            }),
        steps(
            "many globals",
            (h, t, time) -> {
              GlobalRef global = h.heap.newGlobal();
              t.setGlobal(global, RECORD);
              if (time % 3 == 1) {
                global.close();
              }
            }),
        steps(
            "many finalizers",
            (h, t, time) -> {
              t.newRecord(0, 1);
              t.setFinalizer(0, "finalizer", FINALIZER);
              t.newRecord(0, 1);
            }),
        steps(
            "many finalizers that run",
            (h, t, time) -> {
              t.newRecord(0, 1);
              t.setFinalizer(0, "finalizer", ErrorSweep::use);
              t.newRecord(0, 1);
              h.heap.collect();
            }),
        steps(
            "many natives",
            (h, t, time) -> {
              t.newNative(0, "object " + time, CALLBACK);
              t.newNative(0, "object " + time, null);
            }),
        steps(
            "many hashes",
            (h, t, time) -> {
              t.newRecord(0, 1);
              int _ = t.identityHash(0);
            }),
        steps(
            "many pins",
            h -> h.heap.traits().pinning(),
            (h, t, time) -> {
              t.newBuffer(0, 1000);
              Object _ = t.pin(0);
              if (time % 3 == 1) {
                t.unpin(0);
              }
            }));
  }

  private static List<RepeatedCall> elements() {
    return List.of(
        steps("a buffer resized", (h, t, time) -> t.resizeBuffer(DYNAMIC, 1 + time * 700L % 9000)),
        steps("many buffers", (h, t, time) -> t.newDynamicBuffer(time % 8, time * 700L % 9000)),
        steps(
            "many built-ins",
            (h, t, time) ->
                h.heap.makeBuiltins(() -> {
                  t.newRecord(0, 100);
                  t.newString(0, "built-in " + time);
                })),
        steps(
            "many blocks",
            (h, t, time) -> {
              long block = h.heap.plainMemory().alloc(time * 100L % 5000);
              block = h.heap.plainMemory().realloc(block, time * 200L % 7000);
              if (time % 2 == 1) {
                h.heap.plainMemory().free(block);
              }
            }),
        steps(
            "many records",
            (h, t, time) -> {
              for (int n = 1; n < 20; n++) {
                t.newRecord(0, n);
                t.store(0, n / 2, RECORD);
              }
            }),
        steps(
            "large elements",
            (h, t, time) -> {
              t.newRecord(0, 1000 + 100 * time);
              t.newBuffer(1, 10_000);
            }),
        steps(
            "collections",
            (h, t, time) -> {
              t.newRecord(0, 1);
              h.heap.collect();
            }),
        steps(
            "slices",
            h -> h.heap.traits().has(Capability.INCREMENTAL),
            (h, t, time) -> {
              t.newRecord(0, 1);
              boolean _ = h.heap.step(1);
              t.newString(0, "text " + time);
              t.store(RECORD, 0, 0);
              t.copy(RECORD, 0);
              t.newRecord(RECORD, 2);
            }));
  }
}
