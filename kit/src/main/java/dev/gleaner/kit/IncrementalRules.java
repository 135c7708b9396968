package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Weakness;
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
record IncrementalRules(Config config, List<ClassLoader> loaders) {
  private static final Config SLICES =
      ConfigFactory.parseString(
          "gleaner.incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }\n"
              + "gleaner.voluntary.enabled = false");
  private static final int HOLDERS = 100;
  private static final int CHAIN = 500;

  /** Kinds of elements that are made while it marks. */
  private static final int KINDS = 5;

  // Slots of the frame.
  private static final int NULL = 0;
  private static final int KEY = 1;
  private static final int TABLE = 2;
  private static final int HOLDER = 3;
  private static final int HIDDEN = 4;
  private static final int FREE = 5;
  private static final int TAKEN = 6;

  IncrementalRules {
    config = SLICES.withFallback(config);
  }

  /** A heap, and what an element is hidden by that is no slot. */
  private static final class Stage {
    final Heap heap;
    final Mutator t;
    final List<GlobalRef> globals = new ArrayList<>();
    final List<WeakRef> weak = new ArrayList<>();

    Stage(Heap heap) {
      this.heap = heap;
      t = heap.mutator();
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
    void in(Stage stage, Mutator t);
  }

  /** Empties the holder, which is the one with this number, into a slot. */
  @FunctionalInterface
  private interface Take {
    void from(Stage stage, Mutator t, int number, int to);
  }

  List<Rule> all() {
    List<Rule> rules = new ArrayList<>(places());
    rules.addAll(ranges());
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
            "a key",
            (_, t) -> {
              t.newObject(HOLDER);
              t.putProperty(HOLDER, HIDDEN, NULL);
            },
            (_, t, _, to) -> {
              long _ = t.nextProperty(HOLDER, 0, to, FREE);
              boolean _ = t.deleteProperty(HOLDER, to);
            }),
        rule(
            "a property that is updated",
            (_, t) -> {
              t.newObject(HOLDER);
              t.putProperty(HOLDER, KEY, HIDDEN);
            },
            (_, t, _, to) -> {
              long _ = t.lookUp(to, HOLDER, KEY);
              boolean _ = t.update(HOLDER, KEY, NULL);
            }),
        rule(
            "an array part",
            (_, t) -> {
              t.newObject(HOLDER);
              t.putIndex(HOLDER, 0, HIDDEN);
            },
            (_, t, _, to) -> {
              t.getIndex(to, HOLDER, 0);
              t.putIndex(HOLDER, 0, NULL);
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
            "a weak table",
            (_, t) -> {
              t.newWeakObject(HOLDER, Weakness.KEYS);
              t.putProperty(HOLDER, HOLDER, HIDDEN);
            },
            (_, t, _, to) -> {
              t.getProperty(to, HOLDER, HOLDER);
              t.deleteProperty(HOLDER, HOLDER);
            }),
        rule(
            "a weak table that alone leads to it",
            (_, t) -> {
              t.putProperty(HIDDEN, KEY, HIDDEN); // counts do not free it
              t.newWeakObject(HOLDER, Weakness.VALUES);
              t.putProperty(HOLDER, KEY, HIDDEN);
              t.putIndex(HOLDER, 0, HIDDEN);
            },
            IncrementalRules::readWeak),
        rule(
            "a weak table that alone has it as a key",
            (_, t) -> {
              t.putProperty(HIDDEN, KEY, HIDDEN);
              t.newWeakObject(HOLDER, Weakness.KEYS);
              t.putProperty(HOLDER, HIDDEN, NULL);
            },
            (_, t, number, to) -> {
              t.setUndefined(FREE);
              if (number % 2 == 0) {
                long _ = t.nextProperty(HOLDER, 0, to, FREE);
              } else {
                boolean _ = t.nextPropertyAfter(HOLDER, FREE, to, FREE);
              }
            }),
        rule(
            "an object that becomes weak",
            (_, t) -> {
              t.newObject(HOLDER, 0);
              t.putProperty(HOLDER, KEY, HIDDEN);
            },
            (_, t, _, to) -> {
              t.getProperty(to, HOLDER, KEY);
              t.setWeakness(HOLDER, Weakness.VALUES);
            }),
        rule(
            "a weak table that becomes an object",
            (_, t) -> {
              t.putProperty(HIDDEN, KEY, HIDDEN); // counts do not free it
              t.newWeakObject(HOLDER, Weakness.VALUES);
              t.putProperty(HOLDER, KEY, HIDDEN);
            },
            (_, t, _, to) -> {
              t.setWeakness(HOLDER, Weakness.NONE);
              t.getProperty(to, HOLDER, KEY);
            }),
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

  /** Many places at once, and indexes that are in no array. */
  private List<Rule> ranges() {
    return List.of(
        rule(
            "an index among the entries",
            (_, t) -> {
              t.newObject(HOLDER);
              t.putIndex(HOLDER, 1000, HIDDEN);
            },
            (_, t, _, to) -> {
              t.getIndex(to, HOLDER, 1000);
              t.putIndex(HOLDER, 1000, NULL);
            }),
        rule(
            "a range of slots",
            (_, t) -> {
              t.newRecord(HOLDER, 2);
              t.store(HOLDER, 1, HIDDEN);
            },
            (_, t, _, to) -> {
              t.loadRange(to, HOLDER, 1, 1);
              t.storeRange(HOLDER, 1, NULL, 1);
            }),
        rule(
            "a range of indexes",
            (_, t) -> {
              t.newObject(HOLDER);
              t.putIndex(HOLDER, 0, HIDDEN);
              t.putIndex(HOLDER, 1, NULL);
            },
            (_, t, _, to) -> {
              t.getIndex(to, HOLDER, 0);
              t.moveRange(HOLDER, 0, HOLDER, 1, 1);
            }),
        rule(
            "an array that is cut",
            (_, t) -> {
              t.newObject(HOLDER);
              t.putIndex(HOLDER, 0, HIDDEN);
            },
            (_, t, _, to) -> {
              t.getIndex(to, HOLDER, 0);
              t.setArrayLength(HOLDER, 0);
            }));
  }

  /**
   * Elements of all kinds, small and large, are made while a collection goes on, and left where
   * they were made: no store and no count tells of them.
   */
  private @Nullable String keepsNew() {
    try (Heap heap = Gleaner.factory(config, loaders).open()) {
      Mutator t = heap.mutator();
      t.enter(TAKEN + HOLDERS);
      t.newString(KEY, "key");
      t.newRecord(HOLDER, 0);
      for (int i = 0; i < HOLDERS; i++) {
        bury(t); // so that there is enough to mark
      }
      boolean complete = heap.step(1);
      int n = 0;
      for (; n < HOLDERS && !complete; n++) {
        t.setInt(HIDDEN, n);
        makeNew(t, TAKEN + n, n % KINDS, n % 2 == 0 ? n % 7 + 1 : 2000 + n);
        complete = n % 10 == 9 && heap.step(1);
      }
      endCollection(heap);
      for (int i = 0; i < 2000; i++) { // where what was lost would have been
        t.newObject(FREE, i % 100 == 0 ? 2000 + i / 100 : 1);
        t.storeInt(FREE, 0, -1);
      }
      for (int i = 0; i < n; i++) {
        if (!t.isReference(TAKEN + i) || contents(t, TAKEN + i, i % KINDS) != i) {
          return "expected " + i + " in what was made meanwhile, found something else";
        }
      }
      return PluginRules.damage(heap);
    }
  }

  /** Makes an element of such a kind, with the number that is in {@link #HIDDEN}. */
  private static void makeNew(Mutator t, int slot, int kind, int words) {
    switch (kind) {
      case 0 -> {
        t.newRecord(slot, words);
        t.store(slot, 0, HIDDEN);
      }
      case 1 -> {
        t.newObject(slot, words);
        t.putProperty(slot, KEY, HIDDEN);
      }
      case 2 -> {
        t.newFunction(slot, words, 1);
        t.storeConstant(slot, 0, HIDDEN);
      }
      case 3 -> {
        t.newThread(slot);
        t.push(slot, HIDDEN);
      }
      default -> {
        t.newBuffer(slot, words * 8L);
        t.putByte(slot, 0, (byte) t.getInt(HIDDEN));
      }
    }
  }

  private static int contents(Mutator t, int slot, int kind) {
    switch (kind) {
      case 0 -> t.load(FREE, slot, 0);
      case 1 -> t.getProperty(FREE, slot, KEY);
      case 2 -> t.loadConstant(FREE, slot, 0);
      case 3 -> t.pop(slot, FREE);
      default -> t.setInt(FREE, t.getByte(slot, 0));
    }
    return t.getInt(FREE);
  }

  /** Whatever reads it makes it strong. */
  private static void readWeak(Stage stage, Mutator t, int number, int to) {
    t.setUndefined(FREE);
    switch (number % 6) {
      case 0 -> t.getProperty(to, HOLDER, KEY);
      case 1 -> {
        long _ = t.lookUp(to, HOLDER, KEY);
      }
      case 2 -> t.getIndex(to, HOLDER, 0);
      case 3 -> {
        long _ = t.nextProperty(HOLDER, 0, FREE, to);
      }
      case 4 -> {
        boolean _ = t.nextPropertyAfter(HOLDER, FREE, FREE, to);
      }
      default -> {
        t.newObject(FREE);
        t.moveRange(FREE, 0, HOLDER, 0, 1);
        t.getIndex(to, FREE, 0);
      }
    }
  }

  private static void hideInInner(Stage stage, Mutator t) {
    t.newFunction(FREE, 1, 0);
    t.storeConstant(FREE, 0, HIDDEN);
    t.newFunction(HOLDER, 0, 1);
    t.storeInner(HOLDER, 0, FREE);
  }

  /** Hides it in the first frame of a thread that yields from its second one. */
  private static void hideInFrame(Stage stage, Mutator t) {
    t.newThread(HOLDER);
    try (GlobalRef passed = stage.newGlobal(HIDDEN)) {
      t.resume(HOLDER, 1);
      t.getGlobal(0, passed);
      t.enter(1);
      t.suspend();
    }
  }

  private static void takeFromFrame(Stage stage, Mutator t, int number, int to) {
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
      Mutator t = heap.mutator();
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
  private static void bury(Mutator t) {
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
    Mutator t = heap.mutator();
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
