package dev.gleaner.kit;

import com.typesafe.config.Config;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.spi.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Every way to drop a reference: what nothing holds any more goes. Under a collector that frees at
 * the last drop it goes in the operation that drops it; under others in the next collection.
 *
 * <p>What is dropped is a native, whose callback tells when it goes. One place holds it.
 */
record DropRules(Config config, List<ClassLoader> loaders) {
  // Slots of the frame.
  private static final int HOLDER = 0;
  private static final int VALUE = 1;
  private static final int KEY = 2;
  private static final int OTHER = 3;
  private static final int SLOTS = 6;

  /** A program, and what is held by no slot of it. */
  private static final class Stage {
    final Mutator t;
    final GlobalRef global;
    @Nullable WeakRef weak;
    int gone;

    Stage(Heap heap) {
      t = heap.mutator();
      global = heap.newGlobal();
      t.enter(SLOTS);
      t.newString(KEY, "key");
    }

    /** Makes what is to be dropped. */
    void make(int d) {
      t.newNative(d, "dropped", (_, _) -> gone++);
    }
  }

  @FunctionalInterface
  private interface Step {
    void in(Stage s, Mutator t);
  }

  List<Rule> all() {
    List<Rule> rules = new ArrayList<>();
    slots(rules);
    frames(rules);
    coroutines(rules);
    slotsOfElements(rules);
    properties(rules);
    indexes(rules);
    weakTables(rules);
    return rules;
  }

  private void add(List<Rule> rules, String text, Step hold, Step drop) {
    rules.add(PluginRules.rule("drops", text, () -> check(hold, drop)));
  }

  private @Nullable String check(Step hold, Step drop) {
    try (Heap heap = Gleaner.factory(config, loaders).open()) {
      if (!PluginRules.reclaims(heap)) {
        return null;
      }
      Stage s = new Stage(heap);
      hold.in(s, s.t);
      if (s.gone != 0) {
        return "expected it there, found it gone";
      }
      drop.in(s, s.t);
      if (!heap.traits().has(Capability.PROMPT)) {
        PluginRules.collectThrice(heap);
      }
      return s.gone == 1 ? PluginRules.damage(heap) : "expected it to be gone, found it there";
    }
  }

  /** A value of a slot that another operation writes to. */
  private void slot(List<Rule> rules, String text, Step drop) {
    add(rules, "what a slot had, by " + text, (s, _) -> s.make(VALUE), drop);
  }

  private void slots(List<Rule> rules) {
    slot(rules, "a number", (_, t) -> t.setInt(VALUE, 1));
    slot(rules, "a large integer", (_, t) -> t.setLong(VALUE, 1L << 40));
    slot(rules, "a tagged value", (_, t) -> t.set(VALUE, Values.TRUE));
    slot(rules, "undefined", (_, t) -> t.setUndefined(VALUE));
    slot(rules, "a copy", (_, t) -> t.copy(VALUE, KEY));
    slot(rules, "a range of slots", (_, t) -> t.move(VALUE, KEY, 1));
    slot(rules, "a wipe", (_, t) -> t.wipe(VALUE));
    slot(rules, "a new string", (_, t) -> t.newString(VALUE, "new"));
    slot(rules, "a new record", (_, t) -> t.newRecord(VALUE, 1));
    slot(rules, "a new object", (_, t) -> t.newObject(VALUE, 1));
    slot(rules, "a new buffer", (_, t) -> t.newBuffer(VALUE, 8));
    slot(rules, "a new thread", (_, t) -> t.newThread(VALUE));
    slot(rules, "a new function", (_, t) -> t.newFunction(VALUE, 1, 0));
    slot(rules, "strings that are joined", (_, t) -> t.concat(VALUE, KEY, 1));
    slot(rules, "the running thread", (_, t) -> t.currentThread(VALUE));
    slot(rules, "a global", (s, t) -> t.getGlobal(VALUE, s.global));
    loads(rules);
    add(
        rules,
        "what a slot had, by a weak reference",
        (s, t) -> {
          s.make(VALUE);
          s.weak = t.newWeak(KEY);
        },
        (s, t) -> {
          boolean _ = s.weak != null && t.getWeak(VALUE, s.weak);
        });
    add(rules, "what a global had, by a number", DropRules::makeGlobal, DropRules::setGlobal);
    add(
        rules,
        "what a global had, as it closes",
        DropRules::makeGlobal,
        (s, _) -> s.global.close());
  }

  private void loads(List<Rule> rules) {
    slot(rules, "a slot of a caller", (_, t) -> t.peek(VALUE, 0, KEY));
    load(rules, "a record's slot", t -> t.newRecord(HOLDER, 1), t -> t.load(VALUE, HOLDER, 0));
    load(rules, "a record's slots", t -> t.newRecord(HOLDER, 1), DropRules::loadRange);
    load(rules, "a property", t -> t.newObject(HOLDER), t -> t.getProperty(VALUE, HOLDER, KEY));
    load(
        rules,
        "a property of its own",
        t -> t.newObject(HOLDER),
        t -> t.getOwnProperty(VALUE, HOLDER, KEY));
    load(rules, "what is looked up", DropRules::makeProperty, t -> t.lookUp(VALUE, HOLDER, KEY));
    load(
        rules,
        "a key of a walk",
        DropRules::makeProperty,
        t -> t.nextProperty(HOLDER, 0, VALUE, OTHER));
    load(
        rules,
        "a value of a walk",
        DropRules::makeProperty,
        t -> t.nextPropertyAfter(HOLDER, OTHER, OTHER, VALUE));
    load(rules, "an index", t -> t.newObject(HOLDER), t -> t.getIndex(VALUE, HOLDER, 0));
    load(rules, "a prototype", t -> t.newObject(HOLDER), t -> t.getPrototype(VALUE, HOLDER));
    load(
        rules,
        "a constant",
        t -> t.newFunction(HOLDER, 1, 0),
        t -> t.loadConstant(VALUE, HOLDER, 0));
    load(
        rules,
        "an inner function",
        t -> t.newFunction(HOLDER, 0, 1),
        t -> t.loadInner(VALUE, HOLDER, 0));
  }

  private static void loadRange(Mutator t) {
    t.loadRange(VALUE, HOLDER, 0, 1);
  }

  private static void makeProperty(Mutator t) {
    t.newObject(HOLDER);
    t.putProperty(HOLDER, KEY, KEY);
  }

  private void load(
      List<Rule> rules, String text, Consumer<Mutator> holder, Consumer<Mutator> load) {
    add(
        rules,
        "what a slot had, by " + text,
        (s, t) -> {
          holder.accept(t);
          s.make(VALUE);
        },
        (_, t) -> load.accept(t));
  }

  private static void makeGlobal(Stage s, Mutator t) {
    s.make(VALUE);
    t.setGlobal(s.global, VALUE);
    t.setUndefined(VALUE);
  }

  private static void setGlobal(Stage s, Mutator t) {
    t.setInt(OTHER, 1);
    t.setGlobal(s.global, OTHER);
  }

  /** A value of a frame of two slots, of which the other one holds a number. */
  private void frame(List<Rule> rules, String text, Step drop) {
    add(
        rules,
        "what a frame had, by " + text,
        (s, t) -> {
          t.pushCatcher(OTHER, 7);
          t.enter(2);
          s.make(1);
          t.setInt(0, 1);
        },
        drop);
  }

  /** The same, but in its first slot. */
  private void first(List<Rule> rules, String text, Step drop) {
    add(
        rules,
        "what a frame had first, by " + text,
        (s, t) -> {
          t.enter(2);
          s.make(0);
          t.setInt(1, 1);
        },
        drop);
  }

  private static void makeInCall(Stage s, Mutator t) {
    t.newFunction(HOLDER, 0, 0);
    t.call(2, HOLDER);
    s.make(1);
  }

  private void frames(List<Rule> rules) {
    frame(rules, "leaving", (_, t) -> t.leave());
    frame(rules, "leaving with a result", (_, t) -> t.leave(0, OTHER));
    frame(rules, "leaving with several results", (_, t) -> t.leave(0, 1, OTHER, 2));
    frame(rules, "leaving with too many results", (_, t) -> t.leave(0, 2, OTHER, 1));
    frame(rules, "leaving several", (_, t) -> t.leaveTo(t.frameDepth() - 1));
    frame(rules, "raising", (_, t) -> t.raise(0));
    frame(rules, "a tail call", (_, t) -> t.tailCall(3, 0, 1));
    frame(rules, "a tail call that names", (_, t) -> t.compact(0));
    frame(rules, "a tail call that names slots", (_, t) -> t.compact(new int[] {0}));
    frame(rules, "another size", (_, t) -> t.resizeFrame(1));
    first(rules, "leaving with the results behind", (_, t) -> t.leave(1, 1, OTHER, 1));
    first(rules, "a tail call with what is behind", (_, t) -> t.tailCall(3, 1, 1));
    add(rules, "what a called frame had, by leaving", DropRules::makeInCall, (_, t) -> t.leave());
    add(
        rules,
        "what a called frame had, by leaving with a result",
        DropRules::makeInCall,
        (_, t) -> t.leave(0, OTHER));
    add(
        rules,
        "an argument that moved, inside of the call",
        (s, t) -> {
          s.make(VALUE);
          t.enterMoving(3, VALUE, 1);
        },
        (_, t) -> t.setNull(0));
    add(
        rules,
        "an argument that moved on, inside of the second call",
        (s, t) -> {
          s.make(OTHER);
          t.enterMoving(2, KEY, 2);
          t.enterMoving(1, 1, 1);
        },
        (_, t) -> t.wipe(0));
    add(
        rules,
        "what a slot had, by a result",
        (s, t) -> {
          s.make(OTHER);
          t.enter(1);
        },
        (_, t) -> t.leave(0, OTHER));
    add(
        rules,
        "what a slot had, by one of several results",
        (s, t) -> {
          s.make(OTHER);
          t.enter(2);
        },
        (_, t) -> t.leave(0, 2, OTHER - 1, 2));
    add(
        rules,
        "what a slot had, by what is raised",
        (s, t) -> {
          s.make(OTHER);
          t.pushCatcher(OTHER, 7);
          t.enter(1);
        },
        (_, t) -> t.raise(0));
  }

  /** A value of a coroutine that stands in a frame of one slot. */
  private static void makeCoroutine(Stage s, Mutator t) {
    t.newThread(HOLDER);
    t.resume(HOLDER, 1);
    s.make(0);
  }

  private static void makeSuspended(Stage s, Mutator t) {
    makeCoroutine(s, t);
    int _ = t.suspend(0, 0, 0, 0);
  }

  /** A value of a function that a coroutine calls, which is in a slot of it besides. */
  private static void makeCalled(Stage s, Mutator t) {
    t.newThread(HOLDER);
    t.resume(HOLDER, 2);
    t.newFunction(0, 1, 0);
    s.make(1);
    t.storeConstant(0, 0, 1);
    t.setUndefined(1);
    t.call(1, 0);
  }

  private void coroutines(List<Rule> rules) {
    add(
        rules,
        "what a coroutine called, by its end",
        DropRules::makeCalled,
        (_, t) -> t.finish(0, 0, 0, 0));
    add(
        rules,
        "what a coroutine called, by a result",
        DropRules::makeCalled,
        (_, t) -> t.leave(0, 0));
    add(
        rules,
        "what a coroutine called, by one of several results",
        DropRules::makeCalled,
        (_, t) -> t.leave(0, 1, 0, 1));
    add(
        rules,
        "what a coroutine had, by its end",
        DropRules::makeCoroutine,
        (_, t) -> t.finish(0, 0, 0, 0));
    add(
        rules,
        "what a coroutine had, by going back",
        DropRules::makeCoroutine,
        (_, t) -> t.suspend());
    add(
        rules,
        "what a coroutine had, with it",
        DropRules::makeSuspended,
        (_, t) -> t.setUndefined(HOLDER));
    add(
        rules,
        "what a coroutine had, by values that it goes on with",
        DropRules::makeSuspended,
        (_, t) -> t.resumeInto(HOLDER, KEY, 1, 0, 1));
    add(
        rules,
        "what a slot had, by values of a coroutine",
        (s, t) -> {
          t.newThread(HOLDER);
          s.make(OTHER);
          t.resume(HOLDER, 1);
        },
        (_, t) -> t.suspend(0, 1, OTHER, 1));
    add(
        rules,
        "what was pushed, with its thread",
        (s, t) -> {
          t.newThread(HOLDER);
          s.make(VALUE);
          t.push(HOLDER, VALUE);
          t.setUndefined(VALUE);
        },
        (_, t) -> t.setUndefined(HOLDER));
    add(
        rules,
        "what a slot had, by what is popped",
        (s, t) -> {
          t.newThread(HOLDER);
          t.push(HOLDER, KEY);
          s.make(VALUE);
        },
        (_, t) -> t.pop(HOLDER, VALUE));
  }

  /** A value that an element has, which is in a slot. */
  private void place(List<Rule> rules, String text, Step holder, Step put, Step drop) {
    add(
        rules,
        text,
        (s, t) -> {
          holder.in(s, t);
          s.make(VALUE);
          put.in(s, t);
          t.setUndefined(VALUE);
          t.setUndefined(OTHER);
        },
        drop);
  }

  private void record(List<Rule> rules, String text, Step drop) {
    place(
        rules,
        "what a record had, by " + text,
        (_, t) -> t.newRecord(HOLDER, 2),
        (_, t) -> t.store(HOLDER, 1, VALUE),
        drop);
  }

  private void slotsOfElements(List<Rule> rules) {
    record(rules, "a store", (_, t) -> t.store(HOLDER, 1, KEY));
    record(rules, "a number", (_, t) -> t.storeInt(HOLDER, 1, 1));
    record(rules, "null", (_, t) -> t.storeNull(HOLDER, 1));
    record(rules, "a tagged value", (_, t) -> t.set(HOLDER, 1, Values.TRUE));
    record(rules, "a range of slots", (_, t) -> t.storeRange(HOLDER, 0, KEY, 2));
    record(rules, "its end", (_, t) -> t.setUndefined(HOLDER));
    place(
        rules,
        "what a constant was, by another",
        (_, t) -> t.newFunction(HOLDER, 1, 0),
        (_, t) -> t.storeConstant(HOLDER, 0, VALUE),
        (_, t) -> t.storeConstant(HOLDER, 0, KEY));
    place(
        rules,
        "what an inner function has, by another",
        (_, t) -> t.newFunction(HOLDER, 0, 1),
        (_, t) -> {
          t.newFunction(OTHER, 1, 0);
          t.storeConstant(OTHER, 0, VALUE);
          t.storeInner(HOLDER, 0, OTHER);
        },
        (_, t) -> t.storeInner(HOLDER, 0, OTHER));
    place(
        rules,
        "what a prototype has, by another",
        (_, t) -> t.newObject(HOLDER),
        (_, t) -> {
          t.newObject(OTHER, 1);
          t.store(OTHER, 0, VALUE);
          t.setPrototype(HOLDER, OTHER);
        },
        (_, t) -> t.setPrototype(HOLDER, OTHER));
  }

  private void property(List<Rule> rules, String text, Step drop) {
    place(
        rules,
        "what a property had, by " + text,
        (_, t) -> t.newObject(HOLDER),
        (_, t) -> t.putProperty(HOLDER, KEY, VALUE),
        drop);
  }

  private void properties(List<Rule> rules) {
    property(rules, "another value", (_, t) -> t.putProperty(HOLDER, KEY, KEY));
    property(rules, "an update", (_, t) -> t.update(HOLDER, KEY, OTHER));
    property(rules, "its end", (_, t) -> t.deleteProperty(HOLDER, KEY));
    property(rules, "weakness", (_, t) -> t.setWeakness(HOLDER, Weakness.VALUES));
    property(rules, "the end of its object", (_, t) -> t.setUndefined(HOLDER));
    place(
        rules,
        "what was a key, by its end",
        (_, t) -> t.newObject(HOLDER),
        (_, t) -> t.putProperty(HOLDER, VALUE, KEY),
        (_, t) -> {
          long _ = t.nextProperty(HOLDER, 0, VALUE, OTHER);
          boolean _ = t.deleteProperty(HOLDER, VALUE);
          t.setUndefined(VALUE);
        });
  }

  private void index(List<Rule> rules, String text, Step drop) {
    place(
        rules,
        "what an index had, by " + text,
        (_, t) -> {
          t.newObject(HOLDER);
          t.putIndex(HOLDER, 0, KEY);
        },
        (_, t) -> t.putIndex(HOLDER, 1, VALUE),
        drop);
  }

  private void indexes(List<Rule> rules) {
    index(rules, "another value", (_, t) -> t.putIndex(HOLDER, 1, KEY));
    index(rules, "a tagged value", (_, t) -> t.setAt(HOLDER, 1, Values.TRUE));
    index(rules, "a shorter length", (_, t) -> t.setArrayLength(HOLDER, 1));
    index(rules, "removal", (_, t) -> t.removeAt(HOLDER, 1));
    index(rules, "a range of indexes", (_, t) -> t.moveRange(HOLDER, 1, HOLDER, 0, 1));
    index(rules, "a range of none", (_, t) -> t.moveRange(HOLDER, 0, HOLDER, 5, 2));
    index(rules, "weakness", (_, t) -> t.setWeakness(HOLDER, Weakness.VALUES));
    place(
        rules,
        "what an index among the entries had, by a range of none",
        (_, t) -> t.newObject(HOLDER),
        (_, t) -> t.putIndex(HOLDER, 1000, VALUE),
        (_, t) -> t.moveRange(HOLDER, 1000, HOLDER, 5, 1));
    place(
        rules,
        "what an index among the entries had, by a shorter length",
        (_, t) -> t.newObject(HOLDER),
        (_, t) -> t.putIndex(HOLDER, 1000, VALUE),
        (_, t) -> t.setArrayLength(HOLDER, 1));
  }

  private void weak(List<Rule> rules, String text, Step drop) {
    place(
        rules,
        "what a weak table had, by " + text,
        (_, t) -> t.newWeakObject(HOLDER, Weakness.KEYS),
        (_, t) -> t.putProperty(HOLDER, KEY, VALUE),
        drop);
  }

  private void weakTables(List<Rule> rules) {
    weak(rules, "another value", (_, t) -> t.putProperty(HOLDER, KEY, KEY));
    weak(rules, "an update", (_, t) -> t.update(HOLDER, KEY, OTHER));
    weak(rules, "its end", (_, t) -> t.deleteProperty(HOLDER, KEY));
    weak(rules, "weakness", (_, t) -> t.setWeakness(HOLDER, Weakness.BOTH));
    weak(rules, "the end of the table", (_, t) -> t.setUndefined(HOLDER));
    place(
        rules,
        "what a weak key had, with the key",
        (_, t) -> {
          t.newWeakObject(HOLDER, Weakness.KEYS);
          t.newRecord(KEY, 1);
        },
        (_, t) -> t.putProperty(HOLDER, KEY, VALUE),
        (_, t) -> t.setUndefined(KEY));
  }
}
