package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapUsageException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Operations in whose midst on-free callbacks and finalizers use the heap.
 *
 * <pre>
 *   slot   0   1        2        3   4   5
 *         42   record   array    free    what the operation drops
 * </pre>
 *
 * <p>Each operation runs with each callback, which is kept to frames, catchers and threads of its
 * own. A collection at every allocation finds garbage that has the callback; a counting collector
 * finds it where the operation overwrites slot 5. The frame of the program is the same afterwards.
 */
record CallbackRules(Config config, List<ClassLoader> loaders) {
  private static final int SLOTS = 6;
  private static final int MANY = 40;
  private static final int LARGE = 3000;

  private static final String SETTINGS =
      """
      gleaner {
        memory.max = 2MiB
        torture.gc = every-allocation
        threads.initial-stack-slots = 16
      }
      """;

  CallbackRules {
    config = ConfigFactory.parseString(SETTINGS).withFallback(config);
  }

  /** What a callback does, in a frame that it enters and leaves. */
  private enum Callback {
    ENTERS,
    ALLOCATES,
    COLLECTS,
    STAYS,
    THROWS,
    LEAVES_TWICE,
    LEAVES_TO_BOTTOM,
    RESUMES,
    SUSPENDS,
    SWITCHES,
    CATCHES,
    THROWS_TO_CATCHERS,
    WIDENS,
    CLOSES
  }

  /** Those that are to leave the frame that they entered. */
  private static final Set<Callback> BALANCED =
      EnumSet.of(Callback.ENTERS, Callback.ALLOCATES, Callback.COLLECTS, Callback.THROWS);

  private interface Operation {
    void run(Heap heap, Mutator t);
  }

  private record Named(String name, Operation operation) {}

  List<Rule> all() {
    List<Rule> rules = new ArrayList<>();
    for (Named n : operations()) {
      rules.add(rule("leave the frame as it is: " + n.name, n.operation));
    }
    rules.add(
        PluginRules.rule("callbacks", "that append while a range moves are heard", this::append));
    rules.add(new ToldRules(config, loaders).rule());
    rules.add(
        PluginRules.rule(
            "callbacks", "collect while a verified heap closes", this::collectAtClose));
    rules.add(
        PluginRules.rule("callbacks", "on other Java threads read figures", this::readFigures));
    return rules;
  }

  private Rule rule(String text, Operation operation) {
    return PluginRules.rule("callbacks", text, () -> check(operation));
  }

  private static List<Named> operations() {
    return List.of(
        new Named("enter", (_, t) -> inFrame(t, () -> t.enter(LARGE))),
        new Named("enter with arguments", (_, t) -> inFrame(t, () -> t.enter(LARGE, 0, 2))),
        new Named(
            "call",
            (_, t) -> {
              t.newFunction(5, 1, 1);
              inFrame(t, () -> t.call(LARGE, 5));
            }),
        new Named(
            "tailCall",
            (_, t) -> {
              t.enter(2, 0, 2);
              inFrame(t, () -> t.tailCall(LARGE, 0, 1));
            }),
        new Named(
            "resizeFrame",
            (_, t) -> {
              t.enter(2, 0, 2);
              inFrame(t, () -> t.resizeFrame(LARGE));
            }),
        new Named(
            "pushCatcher",
            (_, t) -> {
              for (int i = 0; i < MANY; i++) {
                t.pushCatcher(3, i);
              }
              for (int i = 0; i < MANY; i++) {
                t.popCatcher();
              }
            }),
        new Named("newRecord", (_, t) -> t.newRecord(5, 4)),
        new Named("newObject", (_, t) -> t.newObject(5, 4)),
        new Named("newObject with room", (_, t) -> t.newObject(5, 4, 20, 20)),
        new Named("newWeakObject", (_, t) -> t.newWeakObject(5, Weakness.KEYS)),
        new Named("newBuffer", (_, t) -> t.newBuffer(5, 100)),
        new Named(
            "resizeBuffer",
            (_, t) -> {
              t.newDynamicBuffer(5, 100);
              t.resizeBuffer(5, 1000);
            }),
        new Named("newString", (_, t) -> t.newString(5, "a string of its own")),
        new Named(
            "concat",
            (_, t) -> {
              t.newString(3, "one piece ");
              t.newString(4, "x".repeat(MANY));
              t.concat(5, 3, 2);
            }),
        new Named("setLong", (_, t) -> t.setLong(5, 1L << MANY)),
        new Named("newNative", (_, t) -> t.newNative(5, "native", null)),
        new Named("newFunction", (_, t) -> t.newFunction(5, 2, 2)),
        new Named(
            "push",
            (_, t) -> {
              t.newThread(5);
              for (int i = 0; i < MANY; i++) {
                t.push(5, 0);
              }
            }),
        new Named(
            "resume",
            (_, t) -> {
              t.newThread(5);
              t.resume(5, LARGE, 0, 2);
              t.suspend();
            }),
        new Named(
            "finish",
            (_, t) -> {
              t.newThread(5);
              t.resume(5, LARGE, 0, 2);
              t.finish(0, LARGE, SLOTS, Mutator.ALL);
              t.resizeFrame(SLOTS);
            }),
        new Named(
            "putProperty",
            (_, t) -> {
              t.newObject(5);
              for (int i = 0; i < MANY; i++) {
                t.newString(4, "key " + i);
                t.putProperty(5, 4, 1);
              }
            }),
        new Named(
            "putProperty of a wide key",
            (_, t) -> {
              t.newObject(5);
              for (int i = 0; i < MANY; i++) {
                t.setDouble(4, (double) ((1L << MANY) + i));
                t.putProperty(5, 4, 1);
              }
            }),
        new Named(
            "putIndex",
            (_, t) -> {
              t.newObject(5);
              for (int i = 0; i < MANY; i++) {
                t.putIndex(5, i, 1);
              }
            }),
        new Named(
            "insertAt, removeAt",
            (_, t) -> {
              for (int i = 0; i < MANY; i++) {
                t.insertAt(2, 1, 1);
              }
              for (int i = 0; i < MANY; i++) {
                t.removeAt(2, 1);
              }
            }),
        new Named(
            "moveRange",
            (_, t) -> {
              t.newObject(5);
              t.moveRange(5, MANY, 2, 0, 3);
            }),
        new Named(
            "setFinalizer",
            (_, t) -> {
              t.newRecord(5, 1);
              t.setFinalizer(5, "last", (_, _) -> {});
            }),
        new Named("collect", (h, _) -> h.collect()),
        new Named(
            "reserveExternal",
            (h, _) -> {
              h.reserveExternal(100);
              h.releaseExternal(100);
            }));
  }

  /** Enters a frame by an operation, and leaves it. */
  private static void inFrame(Mutator t, Runnable entering) {
    entering.run();
    t.leave();
  }

  private @Nullable String check(Operation operation) {
    for (Callback callback : Callback.values()) {
      for (boolean finalizer : new boolean[] {false, true}) {
        String wrong = new Program(callback, finalizer).check(operation);
        if (wrong != null) {
          return wrong + ", where a callback " + callback;
        }
      }
    }
    return null;
  }

  private final class Program {
    private final Heap heap = Gleaner.factory(config, loaders).open();
    private final Mutator t = heap.mutator();
    private final Callback callback;
    private final boolean finalizer;
    private int calls;
    private @Nullable String wrong;

    Program(Callback callback, boolean finalizer) {
      this.callback = callback;
      this.finalizer = finalizer;
    }

    @Nullable String check(Operation operation) {
      try (Heap h = heap) {
        t.enter(SLOTS);
        t.setInt(0, 42);
        t.newRecord(1, 1);
        t.storeInt(1, 0, 43);
        t.newObject(2);
        for (int i = 0; i < 3; i++) {
          t.putIndex(2, i, 1);
        }
        int depth = t.frameDepth();
        t.pushCatcher(3, 7);
        watch(5);
        watch(4);
        t.setUndefined(4);
        operation.run(h, t);
        h.collect();
        t.popCatcher(); // refused if it is gone
        if (wrong == null && t.frameDepth() != depth) {
          wrong = "expected depth " + depth + ", found " + t.frameDepth();
        }
        if (wrong == null && t.frameSize() != SLOTS) {
          wrong = "expected a frame of " + SLOTS + ", found " + t.frameSize();
        }
        if (wrong == null && (t.getInt(0) != 42 || t.loadInt(1, 0) != 43 || !isArray())) {
          wrong = "expected the slots as they were";
        }
        if (wrong == null && calls == 0) {
          wrong = "expected a call";
        }
        return wrong == null ? PluginRules.damage(h) : wrong;
      }
    }

    private boolean isArray() {
      t.getIndex(3, 2, 2);
      return t.arrayLength(2) == 3 && t.loadInt(3, 0) == 43;
    }

    private void watch(int d) {
      if (finalizer) {
        t.newRecord(d, 1);
        t.setFinalizer(d, "callback", (_, closing) -> call(closing));
      } else {
        t.newNative(d, this, (_, closing) -> call(closing));
      }
    }

    private void call(boolean closing) {
      if (closing) {
        return;
      }
      calls++;
      try {
        int depth = t.frameDepth();
        if (wrong == null) {
          wrong = ownFrame(depth);
        }
        t.enter(SLOTS);
        switch (callback) {
          case ENTERS, STAYS -> t.setInt(0, 1);
          case ALLOCATES, THROWS -> {
            for (int i = 0; i < MANY; i++) {
              t.newRecord(0, 3);
              t.newObject(1, 2);
              t.store(0, 0, 1);
            }
          }
          case COLLECTS -> heap.collect();
          case LEAVES_TWICE -> {
            t.leave();
            leaveOwn();
          }
          case LEAVES_TO_BOTTOM -> {
            t.leaveTo(0);
            wrong = wrong == null ? ownFrame(depth) : wrong;
          }
          case RESUMES -> resume();
          case SUSPENDS -> {
            refuse("suspend", t::suspend);
            refuse("suspend with a value", () -> t.suspend(0, 1, 0, 1));
            refuse("finish", () -> t.finish(0, 1, 0, 1));
          }
          case SWITCHES -> {
            t.newThread(0);
            t.resume(0, SLOTS);
            t.suspend();
            resume();
            resume();
          }
          case CATCHES -> {
            t.pushCatcher(1, 1);
            t.leave();
            leaveOwn();
            t.resizeFrame(SLOTS);
            t.pushCatcher(1, 1);
          }
          case THROWS_TO_CATCHERS -> {
            if (t.raise(0) >= 0) {
              wrong = "expected no catcher that a callback can reach";
            }
          }
          case WIDENS -> {
            t.leave();
            t.resizeFrame(LARGE);
            t.setInt(LARGE - 1, 1);
            t.newRecord(0, 1);
          }
          case CLOSES -> refuse("close", heap::close);
        }
        if (BALANCED.contains(callback)) {
          t.leave();
          if (t.frameDepth() != depth) {
            wrong = "expected depth " + depth + " in a callback, found " + t.frameDepth();
          }
        }
      } catch (RuntimeException e) {
        wrong = "expected no error in a callback, found " + e;
      }
      if (callback == Callback.THROWS) {
        throw new IllegalStateException("thrown on purpose");
      }
    }

    /** The frame that the heap opened for the call has the slots, and the element. */
    private @Nullable String ownFrame(int depth) {
      if (t.frameDepth() != depth || t.frameSize() != Finalizer.FRAME_SLOTS) {
        return "expected a frame of %d slots at depth %d, found %d at %d"
            .formatted(Finalizer.FRAME_SLOTS, depth, t.frameSize(), t.frameDepth());
      }
      return finalizer == t.isReference(0) ? null : "expected a finalizer's element in its slot";
    }

    /** That frame cannot be left, in any way, and stays as it is. */
    private void leaveOwn() {
      refuse("leave its frame", t::leave);
      refuse("leave its frame with a value", () -> t.leave(0, 0));
      refuse("leave its frame with results", () -> t.leave(0, 1, 0, 1));
      refuse("leave frames below its own", () -> t.leaveTo(-1));
      if (wrong == null) {
        wrong = ownFrame(t.frameDepth());
      }
    }

    private void refuse(String what, Runnable call) {
      try {
        call.run();
        wrong = "expected that a callback cannot " + what;
      } catch (HeapUsageException e) {
        // as it is to be
      }
    }

    private void resume() {
      t.newThread(0);
      t.resume(0, SLOTS);
      t.newRecord(0, 1);
    }
  }

  private @Nullable String collectAtClose() {
    Config verified =
        ConfigFactory.parseString("gleaner.verify = after-collection").withFallback(config);
    Heap heap = Gleaner.factory(verified, loaders).open();
    Mutator t = heap.mutator();
    t.enter(SLOTS);
    String[] wrong = new String[1];
    int[] calls = new int[1];
    for (int i = 0; i < 2; i++) {
      t.newNative(
          i,
          "native",
          (_, closing) -> {
            calls[0]++;
            try {
              heap.collect();
            } catch (RuntimeException e) {
              wrong[0] = "expected no error, found " + e + (closing ? " at close" : "");
            }
          });
    }
    heap.close();
    return calls[0] == 2 ? wrong[0] : "expected 2 calls, found " + calls[0];
  }

  private @Nullable String readFigures() {
    Config grown =
        ConfigFactory.parseString("gleaner.memory { backing = grown, initial = 0 }")
            .withFallback(config);
    try (Heap heap = Gleaner.factory(grown, loaders).open()) {
      Mutator t = heap.mutator();
      t.enter(SLOTS);
      t.newObject(0, 1);
      t.newFunction(1, 1, 1);
      HeapStatistics own = heap.snapshot();
      CompletableFuture<HeapStatistics> read = CompletableFuture.supplyAsync(heap::snapshot);
      try {
        long found = read.get(1, TimeUnit.MINUTES).liveElements();
        return found == own.liveElements()
            ? null
            : "expected " + own.liveElements() + " elements, found " + found;
      } catch (InterruptedException | ExecutionException | TimeoutException e) {
        return "expected figures, found " + e;
      }
    }
  }

  private @Nullable String append() {
    for (int length = 1; length < MANY; length++) {
      try (Heap heap = Gleaner.factory(config, loaders).open()) {
        String wrong = appendTo(heap, length);
        if (wrong != null) {
          return wrong + ", of length " + length;
        }
      }
    }
    return null;
  }

  private static @Nullable String appendTo(Heap heap, int length) {
    Mutator t = heap.mutator();
    t.enter(SLOTS);
    var array = heap.newGlobal();
    t.newObject(2);
    t.setGlobal(array, 2);
    t.setInt(0, 42);
    for (int i = 0; i < length; i++) {
      t.putIndex(2, i, 0);
    }
    int[] appended = new int[1];
    t.newRecord(4, 1);
    t.setFinalizer(
        4,
        "appends",
        (m, closing) -> {
          if (!closing) {
            appended[0]++;
            m.getGlobal(1, array);
            m.setInt(2, 7);
            m.putIndex(1, m.arrayLength(1), 2);
          }
        });
    t.setUndefined(4);
    t.insertAt(2, 1, 0);
    heap.collect();
    int found = t.arrayLength(2);
    if (found != length + 1 + appended[0]) {
      return "expected a length of " + (length + 1 + appended[0]) + ", found " + found;
    }
    int sevens = 0;
    for (int i = 0; i < found; i++) {
      t.getIndex(3, 2, i);
      sevens += t.getInt(3) == 7 ? 1 : 0;
    }
    return sevens == appended[0] ? null : "expected " + appended[0] + " 7s, found " + sevens;
  }
}
