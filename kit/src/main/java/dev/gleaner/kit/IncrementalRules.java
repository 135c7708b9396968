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
 */
final class IncrementalRules {
  private static final Config SLICES =
      ConfigFactory.parseString(
          "gleaner.incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }\n"
              + "gleaner.voluntary.enabled = false");
  private static final int HOLDERS = 100;
  private static final int CHAIN = 500;

  // Slots of the frame.
  private static final int TABLE = 0;
  private static final int HOLDER = 1;
  private static final int HIDDEN = 2;
  private static final int KEY = 3;
  private static final int NULL = 4;
  private static final int FREE = 5;
  private static final int TAKEN = 6;

  private final Config config;
  private final List<ClassLoader> loaders;

  IncrementalRules(Config config, List<ClassLoader> loaders) {
    this.config = SLICES.withFallback(config);
    this.loaders = loaders;
  }

  /** Where an element is hidden. */
  private abstract static class Place {
    final HeapThread t;

    Place(Heap heap) {
      t = heap.thread();
    }

    /** Makes what is hidden, with a number in it. */
    void make(int number) {
      t.newObject(HIDDEN, 1);
      t.storeInt(HIDDEN, 0, number);
    }

    /** Makes a holder that alone refers to what is hidden. */
    abstract void hide();

    /** Empties the holder, which is the one with this number, into a slot. */
    abstract void take(int number, int to);

    /** What was taken has its number still. */
    boolean has(int slot, int number) {
      return t.isReference(slot) && t.loadInt(slot, 0) == number;
    }
  }

  /** Makes a place on a heap whose frame was entered. */
  @FunctionalInterface
  private interface Maker {
    Place on(Heap heap);
  }

  List<Rule> all() {
    return List.of(
        rule("a record", InSlot::new),
        rule("an object's inline slot", InInlineSlot::new),
        rule("a property", InProperty::new),
        rule("an array part", InArrayPart::new),
        rule("a prototype", InPrototype::new),
        rule("a function's constants", InConstant::new),
        rule("a function's inner functions", InInner::new),
        rule("the stack of a thread", OnStack::new),
        rule("the frame of a thread", InFrame::new),
        rule("a global reference", InGlobal::new),
        rule("a record, and is read by a weak reference", ByWeak::new));
  }

  private Rule rule(String place, Maker maker) {
    return PluginRules.rule(
        "slices",
        "keep what leaves " + place,
        () -> {
          String wrong = null;
          for (int way = 0; way < 4 && wrong == null; way++) {
            wrong = check(maker, way % 2 == 0, way < 2);
          }
          return wrong;
        });
  }

  private @Nullable String check(Maker maker, boolean ascending, boolean builtin) {
    try (Heap heap = Gleaner.factory(config, loaders).open()) {
      HeapThread t = heap.thread();
      t.enter(TAKEN + HOLDERS);
      t.setNull(NULL);
      t.newString(KEY, "key");
      if (builtin) {
        heap.makeBuiltins(() -> t.newRecord(TABLE, HOLDERS));
      } else {
        t.newRecord(TABLE, HOLDERS);
      }
      Place place = maker.on(heap);
      for (int i = 0; i < HOLDERS; i++) {
        place.make(i);
        place.hide();
        t.setUndefined(HIDDEN);
        for (int c = 0; c < CHAIN; c++) {
          t.newRecord(FREE, 1);
          t.store(FREE, 0, HOLDER);
          t.copy(HOLDER, FREE);
        }
        t.store(TABLE, i, HOLDER);
      }
      t.setUndefined(FREE);
      WeakRef table = t.newWeak(TABLE);
      if (builtin) {
        t.setUndefined(TABLE);
      }
      boolean _ = heap.step(1);
      boolean _ = t.getWeak(TABLE, table);
      for (int n = 0; n < HOLDERS; n++) {
        int i = ascending ? n : HOLDERS - 1 - n;
        t.load(HOLDER, TABLE, i);
        for (int c = 0; c < CHAIN; c++) {
          t.load(HOLDER, HOLDER, 0);
        }
        place.take(i, TAKEN + i);
        t.setUndefined(HOLDER);
        if (n % 5 == 0) {
          boolean _ = heap.step(1);
        }
      }
      boolean complete = false;
      for (int i = 0; i < 100_000 && !complete; i++) {
        complete = heap.step(1);
      }
      for (int i = 0; i < 2000; i++) { // where what was lost would have been
        t.newObject(FREE, 1);
        t.storeInt(FREE, 0, -1);
      }
      for (int i = 0; i < HOLDERS; i++) {
        if (!place.has(TAKEN + i, i)) {
          return "expected " + i + " in what was taken out, found something else";
        }
      }
      return PluginRules.damage(heap);
    }
  }

  private static final class InSlot extends Place {
    InSlot(Heap heap) {
      super(heap);
    }

    @Override
    void hide() {
      t.newRecord(HOLDER, 1);
      t.store(HOLDER, 0, HIDDEN);
    }

    @Override
    void take(int number, int to) {
      t.load(to, HOLDER, 0);
      t.storeNull(HOLDER, 0);
    }
  }

  private static final class InInlineSlot extends Place {
    InInlineSlot(Heap heap) {
      super(heap);
    }

    @Override
    void hide() {
      t.newObject(HOLDER, 1);
      t.store(HOLDER, 0, HIDDEN);
    }

    @Override
    void take(int number, int to) {
      t.load(to, HOLDER, 0);
      t.store(HOLDER, 0, NULL);
    }
  }

  private static final class InProperty extends Place {
    InProperty(Heap heap) {
      super(heap);
    }

    @Override
    void hide() {
      t.newObject(HOLDER);
      t.putProperty(HOLDER, KEY, HIDDEN);
    }

    @Override
    void take(int number, int to) {
      t.getProperty(to, HOLDER, KEY);
      if (number % 2 == 0) {
        t.putProperty(HOLDER, KEY, NULL);
      } else {
        boolean _ = t.deleteProperty(HOLDER, KEY);
      }
    }
  }

  private static final class InArrayPart extends Place {
    InArrayPart(Heap heap) {
      super(heap);
    }

    @Override
    void hide() {
      t.newObject(HOLDER);
      t.putIndex(HOLDER, 3, HIDDEN);
    }

    @Override
    void take(int number, int to) {
      t.getIndex(to, HOLDER, 3);
      t.putIndex(HOLDER, 3, NULL);
    }
  }

  private static final class InPrototype extends Place {
    InPrototype(Heap heap) {
      super(heap);
    }

    @Override
    void hide() {
      t.newObject(HOLDER);
      t.setPrototype(HOLDER, HIDDEN);
    }

    @Override
    void take(int number, int to) {
      t.getPrototype(to, HOLDER);
      t.setPrototype(HOLDER, NULL);
    }
  }

  private static final class InConstant extends Place {
    InConstant(Heap heap) {
      super(heap);
    }

    @Override
    void hide() {
      t.newFunction(HOLDER, 1, 0);
      t.storeConstant(HOLDER, 0, HIDDEN);
    }

    @Override
    void take(int number, int to) {
      t.loadConstant(to, HOLDER, 0);
      t.storeConstant(HOLDER, 0, NULL);
    }
  }

  private static final class InInner extends Place {
    InInner(Heap heap) {
      super(heap);
    }

    @Override
    void make(int number) {
      t.setInt(FREE, number);
      t.newFunction(HIDDEN, 1, 0);
      t.storeConstant(HIDDEN, 0, FREE);
    }

    @Override
    void hide() {
      t.newFunction(HOLDER, 0, 1);
      t.storeInner(HOLDER, 0, HIDDEN);
    }

    @Override
    void take(int number, int to) {
      t.loadInner(to, HOLDER, 0);
      t.storeInner(HOLDER, 0, NULL);
    }

    @Override
    boolean has(int slot, int number) {
      t.loadConstant(FREE, slot, 0);
      return t.getInt(FREE) == number;
    }
  }

  private static final class OnStack extends Place {
    OnStack(Heap heap) {
      super(heap);
    }

    @Override
    void hide() {
      t.newThread(HOLDER);
      t.push(HOLDER, HIDDEN);
    }

    @Override
    void take(int number, int to) {
      t.pop(HOLDER, to);
    }
  }

  private static final class InFrame extends Place {
    private final Heap heap;
    private final GlobalRef passed;

    InFrame(Heap heap) {
      super(heap);
      this.heap = heap;
      passed = heap.newGlobal();
    }

    @Override
    void hide() {
      t.newThread(HOLDER);
      t.setGlobal(passed, HIDDEN);
      t.resume(HOLDER, 1);
      t.getGlobal(0, passed);
      t.enter(1);
      t.suspend();
      t.setGlobal(passed, NULL);
    }

    @Override
    void take(int number, int to) {
      GlobalRef out = heap.newGlobal(); // for this one alone: what it drops would be told
      t.resume(HOLDER, 1);
      t.leave();
      t.setGlobal(out, 0);
      t.suspend();
      t.getGlobal(to, out);
    }
  }

  private static final class InGlobal extends Place {
    private final Heap heap;
    private final List<GlobalRef> globals = new ArrayList<>();

    InGlobal(Heap heap) {
      super(heap);
      this.heap = heap;
    }

    @Override
    void hide() {
      t.newRecord(HOLDER, 0);
      GlobalRef global = heap.newGlobal();
      t.setGlobal(global, HIDDEN);
      globals.add(global);
    }

    @Override
    void take(int number, int to) {
      t.getGlobal(to, globals.get(number));
      if (number % 2 == 0) {
        t.setGlobal(globals.get(number), NULL);
      } else {
        globals.get(number).close();
      }
    }
  }

  private static final class ByWeak extends Place {
    private final List<WeakRef> weak = new ArrayList<>();

    ByWeak(Heap heap) {
      super(heap);
    }

    @Override
    void hide() {
      t.newRecord(HOLDER, 1);
      t.store(HOLDER, 0, HIDDEN);
      weak.add(t.newWeak(HIDDEN));
    }

    @Override
    void take(int number, int to) {
      boolean _ = t.getWeak(to, weak.get(number));
      t.storeNull(HOLDER, 0);
    }
  }
}
