package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapThread;
import dev.gleaner.heap.WeakRef;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a collection in slices owes: what leaves the place that the marker has not come to yet, for
 * a slot where it was already, is not lost.
 *
 * <pre>
 *   table  ->  chain  ->  ...  ->  holder i  ->  hidden i     before
 *                                  holder i      hidden i     after, held by a slot of the frame
 * </pre>
 *
 * <p>There are many holders, each at the end of a chain, and they are emptied one by one while the
 * marker goes on: from the first to the last and the other way round, with a table that a slot of
 * the frame refers to and with one that is built in. So some are emptied before it comes, and after
 * it has been at the frame, in whichever order it goes.
 *
 * <p>And what is made while it marks stays, small or large.
 */
final class IncrementalRules {
  private static final Config SLICES =
      ConfigFactory.parseString(
          "gleaner.incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }\n"
              + "gleaner.voluntary.enabled = false");
  private static final int HOLDERS = 100;
  private static final int CHAIN = 500;

  // Slots of the frame.
  private static final int NULL = 0;
  private static final int KEY = 1;
  private static final int TABLE = 2;
  private static final int HOLDER = 3;
  private static final int HIDDEN = 4;
  private static final int FREE = 5;
  private static final int TAKEN = 6;

  private final Config config;
  private final List<ClassLoader> loaders;

  IncrementalRules(Config config, List<ClassLoader> loaders) {
    this.config = SLICES.withFallback(config);
    this.loaders = loaders;
  }

  /** A heap, and what an element is hidden by that is no slot. */
  private static final class Stage {
    final Heap heap;
    final HeapThread t;
    final List<GlobalRef> globals = new ArrayList<>();
    final List<WeakRef> weak = new ArrayList<>();

    Stage(Heap heap) {
      this.heap = heap;
      t = heap.thread();
    }

    GlobalRef newGlobal(int slot) {
      GlobalRef global = heap.newGlobal();
      t.setGlobal(global, slot);
      return global;
    }
  }

  /** Makes the holder that alone refers to what is in {@link #HIDDEN}. */
  @FunctionalInterface
  private interface Hide {
    void in(Stage stage, HeapThread t);
  }

  /** Empties the holder, which is the one with this number, into a slot. */
  @FunctionalInterface
  private interface Take {
    void from(Stage stage, HeapThread t, int number, int to);
  }

  List<Rule> all() {
    List<Rule> rules = new ArrayList<>(places());
    rules.add(PluginRules.rule("slices", "keep what is made meanwhile", this::keepsNew));
    return rules;
  }

  private List<Rule> places() {
    return List.of(
        rule(
            "a record",
            (_, t) -> {
              t.newRecord(HOLDER, 1);
              t.store(HOLDER, 0, HIDDEN);
            },
            (_, t, _, to) -> {
              t.load(to, HOLDER, 0);
              t.storeNull(HOLDER, 0);
            }),
        rule(
            "an object's inline slot",
            (_, t) -> {
              t.newObject(HOLDER, 1);
              t.store(HOLDER, 0, HIDDEN);
            },
            (_, t, _, to) -> {
              t.load(to, HOLDER, 0);
              t.store(HOLDER, 0, NULL);
            }),
        rule(
            "a property",
            (_, t) -> {
              t.newObject(HOLDER);
              t.putProperty(HOLDER, KEY, HIDDEN);
            },
            (_, t, number, to) -> {
              t.getProperty(to, HOLDER, KEY);
              if (number % 2 == 0) {
                t.putProperty(HOLDER, KEY, NULL);
              } else {
                boolean _ = t.deleteProperty(HOLDER, KEY);
              }
            }),
        rule(
            "an array part",
            (_, t) -> {
              t.newObject(HOLDER);
              t.putIndex(HOLDER, 3, HIDDEN);
            },
            (_, t, _, to) -> {
              t.getIndex(to, HOLDER, 3);
              t.putIndex(HOLDER, 3, NULL);
            }),
        rule(
            "a prototype",
            (_, t) -> {
              t.newObject(HOLDER);
              t.setPrototype(HOLDER, HIDDEN);
            },
            (_, t, _, to) -> {
              t.getPrototype(to, HOLDER);
              t.setPrototype(HOLDER, NULL);
            }),
        rule(
            "a function's constants",
            (_, t) -> {
              t.newFunction(HOLDER, 1, 0);
              t.storeConstant(HOLDER, 0, HIDDEN);
            },
            (_, t, _, to) -> {
              t.loadConstant(to, HOLDER, 0);
              t.storeConstant(HOLDER, 0, NULL);
            }),
        rule(
            "a function's inner functions",
            IncrementalRules::hideInInner,
            (_, t, _, to) -> {
              t.loadInner(to, HOLDER, 0);
              t.storeInner(HOLDER, 0, NULL);
              t.loadConstant(to, to, 0);
            }),
        rule(
            "the stack of a thread",
            (_, t) -> {
              t.newThread(HOLDER);
              t.push(HOLDER, HIDDEN);
            },
            (_, t, _, to) -> t.pop(HOLDER, to)),
        rule(
            "the frame of a thread",
            IncrementalRules::hideInFrame,
            IncrementalRules::takeFromFrame),
        rule(
            "a global reference",
            (stage, t) -> {
              t.newRecord(HOLDER, 0);
              stage.globals.add(stage.newGlobal(HIDDEN));
            },
            (stage, t, number, to) -> {
              GlobalRef global = stage.globals.get(number);
              t.getGlobal(to, global);
              if (number % 2 == 0) {
                t.setGlobal(global, NULL);
              } else {
                global.close();
              }
            }),
        rule(
            "a record, and is read by a weak reference",
            (stage, t) -> {
              t.newRecord(HOLDER, 1);
              t.store(HOLDER, 0, HIDDEN);
              stage.weak.add(t.newWeak(HIDDEN));
            },
            (stage, t, number, to) -> {
              boolean _ = t.getWeak(to, stage.weak.get(number));
              t.storeNull(HOLDER, 0);
            }));
  }

  /**
   * A chain of elements is made while a collection goes on, each of which is held by the next one
   * alone; of all kinds, small and large.
   */
  private @Nullable String keepsNew() {
    try (Heap heap = Gleaner.factory(config, loaders).open()) {
      HeapThread t = heap.thread();
      t.enter(TAKEN);
      t.newString(KEY, "key");
      t.newRecord(HOLDER, 0);
      bury(t);
      t.copy(TABLE, HOLDER);
      t.setInt(HOLDER, -1);
      boolean complete = heap.step(1);
      int n = 0;
      for (; n < 1000 && !complete; n++) {
        makeHolder(t, n % 4, n % 10 == 9 ? 3000 : n % 7 + 1);
        t.copy(HOLDER, FREE);
        complete = n % 5 == 4 && heap.step(1);
      }
      t.wipe(FREE);
      endCollection(heap);
      for (int i = 0; i < 2000; i++) {
        t.newRecord(FREE, i % 7 + 1);
        t.storeInt(FREE, 0, i);
      }
      for (int i = n - 1; i >= 0; i--) {
        if (!t.isReference(HOLDER)) {
          return "expected " + n + " elements made meanwhile, found the last " + (n - 1 - i);
        }
        takeHeld(t, i % 4);
      }
      return t.getInt(HOLDER) == -1 ? PluginRules.damage(heap) : "expected the end of a chain";
    }
  }

  /** Makes an element of such a kind that holds what {@link #HOLDER} is. */
  private static void makeHolder(HeapThread t, int kind, int words) {
    switch (kind) {
      case 0 -> {
        t.newRecord(FREE, words);
        t.store(FREE, 0, HOLDER);
      }
      case 1 -> {
        t.newObject(FREE, words);
        t.putProperty(FREE, KEY, HOLDER);
      }
      case 2 -> {
        t.newFunction(FREE, words, 1);
        t.storeConstant(FREE, 0, HOLDER);
      }
      default -> {
        t.newThread(FREE);
        t.push(FREE, HOLDER);
      }
    }
  }

  /** Replaces what is in {@link #HOLDER} by what it holds. */
  private static void takeHeld(HeapThread t, int kind) {
    t.copy(FREE, HOLDER);
    switch (kind) {
      case 0 -> t.load(HOLDER, FREE, 0);
      case 1 -> t.getProperty(HOLDER, FREE, KEY);
      case 2 -> t.loadConstant(HOLDER, FREE, 0);
      default -> t.pop(FREE, HOLDER);
    }
  }

  private static void hideInInner(Stage stage, HeapThread t) {
    t.newFunction(FREE, 1, 0);
    t.storeConstant(FREE, 0, HIDDEN);
    t.newFunction(HOLDER, 0, 1);
    t.storeInner(HOLDER, 0, FREE);
  }

  /** Hides it in the first frame of a thread that yields from its second one. */
  private static void hideInFrame(Stage stage, HeapThread t) {
    t.newThread(HOLDER);
    try (GlobalRef passed = stage.newGlobal(HIDDEN)) {
      t.resume(HOLDER, 1);
      t.getGlobal(0, passed);
      t.enter(1);
      t.suspend();
    }
  }

  private static void takeFromFrame(Stage stage, HeapThread t, int number, int to) {
    t.resume(HOLDER, 1);
    t.leave();
    GlobalRef passed =
        stage.newGlobal(0); // stays as it is: the marker may be told of what it drops
    t.suspend();
    t.getGlobal(to, passed);
  }

  private Rule rule(String place, Hide hide, Take take) {
    return PluginRules.rule(
        "slices",
        "keep what leaves " + place,
        () -> {
          String wrong = null;
          for (int way = 0; way < 4 && wrong == null; way++) {
            wrong = check(hide, take, way % 2 == 0, way < 2);
          }
          return wrong;
        });
  }

  private @Nullable String check(Hide hide, Take take, boolean ascending, boolean builtin) {
    try (Heap heap = Gleaner.factory(config, loaders).open()) {
      HeapThread t = heap.thread();
      Stage stage = new Stage(heap);
      t.enter(TAKEN + HOLDERS);
      t.setNull(NULL);
      t.newString(KEY, "key");
      if (builtin) {
        heap.makeBuiltins(() -> t.newRecord(TABLE, HOLDERS));
      } else {
        t.newRecord(TABLE, HOLDERS);
      }
      for (int i = 0; i < HOLDERS; i++) {
        t.newObject(HIDDEN, 1);
        t.storeInt(HIDDEN, 0, i);
        hide.in(stage, t);
        bury(t);
        t.store(TABLE, i, HOLDER);
      }
      WeakRef table = t.newWeak(TABLE);
      t.wipe(builtin ? TABLE : HOLDER);
      boolean _ = heap.step(1);
      boolean _ = t.getWeak(TABLE, table);
      for (int n = 0; n < HOLDERS; n++) {
        int i = ascending ? n : HOLDERS - 1 - n;
        t.load(HOLDER, TABLE, i);
        for (int c = 0; c < CHAIN; c++) {
          t.load(HOLDER, HOLDER, 0);
        }
        take.from(stage, t, i, TAKEN + i);
        t.setUndefined(HOLDER);
        if (n % 5 == 0) {
          boolean _ = heap.step(1);
        }
      }
      return finish(heap);
    }
  }

  /** Puts the holder at the end of a chain. */
  private static void bury(HeapThread t) {
    for (int c = 0; c < CHAIN; c++) {
      t.newRecord(FREE, 1);
      t.store(FREE, 0, HOLDER);
      t.copy(HOLDER, FREE);
    }
  }

  private static void endCollection(Heap heap) {
    boolean complete = false;
    for (int i = 0; i < 100_000 && !complete; i++) {
      complete = heap.step(1);
    }
  }

  /** Ends the collection, and looks at what was taken. */
  private static @Nullable String finish(Heap heap) {
    HeapThread t = heap.thread();
    endCollection(heap);
    for (int i = 0; i < 2000; i++) { // where what was lost would have been
      t.newObject(FREE, 1);
      t.storeInt(FREE, 0, -1);
    }
    for (int i = 0; i < HOLDERS; i++) {
      if (!t.isReference(TAKEN + i) || t.loadInt(TAKEN + i, 0) != i) {
        return "expected " + i + " in what was taken out, found something else";
      }
    }
    return PluginRules.damage(heap);
  }
}
