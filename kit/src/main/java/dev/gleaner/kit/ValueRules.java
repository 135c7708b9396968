package dev.gleaner.kit;

import com.typesafe.config.Config;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapUsageException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Tagged values in Java, and the larger steps on objects and functions. */
final class ValueRules {
  private static final int OBJECT = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int D = 3;
  private static final int PROTOTYPE = 4;
  private static final int SLOTS = 5;

  private final Config config;
  private final List<ClassLoader> loaders;

  ValueRules(Config config, List<ClassLoader> loaders) {
    this.config = config;
    this.loaders = loaders;
  }

  List<Rule> all() {
    return List.of(
        rule("come back as they were stored", ValueRules::comeBack),
        rule("are no references", ValueRules::areNoReferences),
        rule("drop what they replace", ValueRules::drop),
        rule("are looked up where they are", ValueRules::lookUp),
        rule("are looked up where objects delegate", ValueRules::lookUpLinked),
        rule("are updated where they are", ValueRules::update),
        rule("of functions lead to their code", ValueRules::code));
  }

  private Rule rule(String text, Function<Heap, @Nullable String> check) {
    return PluginRules.onHeap(
        "values",
        text,
        config,
        loaders,
        heap -> {
          heap.mutator().enter(SLOTS);
          heap.mutator().newObject(OBJECT, 1);
          return check.apply(heap);
        });
  }

  private static @Nullable String wrong(String what, Object expected, Object found) {
    return expected.equals(found) ? null : what + ": expected " + expected + ", found " + found;
  }

  private static @Nullable String comeBack(Heap heap) {
    Mutator t = heap.mutator();
    long[] values = {
      Values.UNDEFINED,
      Values.NULL,
      Values.FALSE,
      Values.TRUE,
      Values.ofInt(Integer.MIN_VALUE),
      Values.ofInt(-1),
      Values.ofInt(Integer.MAX_VALUE),
      Values.ofDouble(-0.0),
      Values.ofDouble(Double.NaN),
      Values.ofDouble(Double.NEGATIVE_INFINITY),
      Values.ofDouble(Double.MAX_VALUE)
    };
    for (int i = 0; i < values.length; i++) {
      t.set(VALUE, values[i]);
      t.set(OBJECT, 0, values[i]);
      t.setAt(OBJECT, i, values[i]);
      heap.collect();
      long[] found = {t.get(VALUE), t.get(OBJECT, 0), t.getAt(OBJECT, i)};
      for (long v : found) {
        if (v != values[i]) {
          return wrong("value " + i, Long.toHexString(values[i]), Long.toHexString(v));
        }
      }
    }
    t.putIndex(OBJECT, values.length + 1, VALUE);
    String hole = wrong("a hole", Values.ABSENT, t.getAt(OBJECT, values.length));
    return hole != null ? hole : wrong("beyond", Values.ABSENT, t.getAt(OBJECT, -1));
  }

  private static @Nullable String areNoReferences(Heap heap) {
    Mutator t = heap.mutator();
    t.setInt(VALUE, 7);
    long[] refused = {t.get(OBJECT), 8, 4, Values.ABSENT, Values.ofRaw(3), Values.INT_TAG - 1};
    for (long v : refused) {
      List<Runnable> stores =
          List.of(() -> t.set(VALUE, v), () -> t.set(OBJECT, 0, v), () -> t.setAt(OBJECT, 0, v));
      for (Runnable store : stores) {
        try {
          store.run();
          return "expected a refusal of 0x" + Long.toHexString(v);
        } catch (HeapUsageException _) {
          String changed = wrong("the slot", Values.ofInt(7), t.get(VALUE));
          changed = changed != null ? changed : wrong("the array", 0, t.arrayLength(OBJECT));
          if (changed != null) {
            return changed;
          }
        }
      }
    }
    return Values.isReference(t.get(OBJECT)) ? null : "expected a reference in a slot";
  }

  /** A number takes the place of a record, which is then gone. */
  private static @Nullable String drop(Heap heap) {
    Mutator t = heap.mutator();
    t.newString(KEY, "key");
    for (int place = 0; place < 5; place++) {
      t.newRecord(VALUE, 1);
      t.store(OBJECT, 0, VALUE);
      t.putIndex(OBJECT, 0, VALUE);
      t.putProperty(OBJECT, KEY, VALUE);
      WeakRef weak = t.newWeak(VALUE);
      t.set(VALUE, Values.ofInt(place));
      t.set(OBJECT, 0, Values.ofDouble(0.5));
      t.setAt(OBJECT, 0, Values.NULL);
      boolean updated = t.update(OBJECT, KEY, VALUE);
      heap.collect();
      if (!updated || !weak.isCleared()) {
        return "expected a record to be gone that numbers have replaced";
      }
      weak.close();
    }
    return null;
  }

  private static @Nullable String lookUp(Heap heap) {
    Mutator t = heap.mutator();
    t.newString(KEY, "key");
    t.newObject(PROTOTYPE);
    t.setInt(VALUE, 7);
    t.putProperty(PROTOTYPE, KEY, VALUE);
    t.setPrototype(OBJECT, PROTOTYPE);
    t.setNull(D);
    GlobalRef name = heap.newGlobal();
    t.setGlobal(name, KEY);
    if (t.lookUp(D, OBJECT, KEY) != Values.ofInt(7) || t.getInt(D) != 7) {
      return "expected the property of the prototype";
    }
    t.setNull(D);
    if (t.lookUp(D, OBJECT, name) != Values.ofInt(7) || t.getInt(D) != 7) {
      return "expected the property of the prototype by its name";
    }
    t.setNull(D);
    t.newRecord(VALUE, 1);
    t.putIndex(OBJECT, 1, VALUE);
    for (int index = -1; index < 3; index++) {
      t.setInt(KEY, index);
      boolean there = t.lookUp(D, OBJECT, KEY) != Values.ABSENT;
      if (there != (index == 1) || (there ? !t.same(D, VALUE) : !t.isNull(D))) {
        return "expected index 1 alone, looked up " + index;
      }
      t.setNull(D);
    }
    for (int key = 0; key < SLOTS; key++) {
      if (t.lookUp(D, VALUE, key) != Values.ABSENT || t.lookUp(D, D, name) != Values.ABSENT) {
        return "expected nothing in what is no object";
      }
    }
    return wrong("what was not found", Values.NULL, t.get(D));
  }

  private static @Nullable String lookUpLinked(Heap heap) {
    Mutator t = heap.mutator();
    GlobalRef name = heap.newGlobal();
    GlobalRef link = heap.newGlobal();
    t.newString(KEY, "key");
    t.setGlobal(name, KEY);
    t.newString(KEY, "link");
    t.setGlobal(link, KEY);
    // OBJECT, its class by its slot 1, which links to PROTOTYPE; that to nothing.
    t.newObject(OBJECT, 2);
    t.newObject(PROTOTYPE, 2);
    t.newObject(VALUE, 0);
    t.store(OBJECT, 1, VALUE);
    t.putProperty(VALUE, KEY, PROTOTYPE);
    t.getGlobal(KEY, name);
    t.setNull(D);
    if (t.lookUp(D, OBJECT, name, 1, link) != Values.UNDEFINED || !t.isUndefined(D)) {
      return "expected undefined where nothing has the name";
    }
    t.setInt(VALUE, 7);
    t.putProperty(PROTOTYPE, KEY, VALUE);
    t.setNull(D);
    if (t.lookUp(D, OBJECT, name, 1, link) != Values.ofInt(7) || t.getInt(D) != 7) {
      return "expected the property of what the class links to";
    }
    if (t.lookUp(D, OBJECT, name, 0, link) != Values.UNDEFINED
        || t.lookUp(D, OBJECT, name, 9, link) != Values.UNDEFINED) {
      return "expected undefined without a class";
    }
    t.setInt(VALUE, 8);
    t.putProperty(OBJECT, KEY, VALUE);
    if (t.lookUp(D, OBJECT, name, 1, link) != Values.ofInt(8)) {
      return "expected its own property first";
    }
    t.deleteProperty(OBJECT, KEY);
    t.deleteProperty(PROTOTYPE, KEY);
    t.load(VALUE, OBJECT, 1);
    t.store(PROTOTYPE, 1, VALUE); // it is its own class now
    t.setNull(D);
    if (t.lookUp(D, OBJECT, name, 1, link) != Values.ABSENT) {
      return "expected an end of a cycle of links";
    }
    t.getGlobal(KEY, link);
    t.putProperty(VALUE, KEY, KEY);
    if (t.lookUp(D, OBJECT, name, 1, link) != Values.ABSENT
        || t.lookUp(D, KEY, name, 1, link) != Values.ABSENT) {
      return "expected nothing of what is no object";
    }
    return wrong("what was not found", Values.NULL, t.get(D));
  }

  private static @Nullable String update(Heap heap) {
    Mutator t = heap.mutator();
    t.newString(KEY, "key");
    t.newRecord(VALUE, 1);
    GlobalRef name = heap.newGlobal();
    t.setGlobal(name, KEY);
    if (t.update(OBJECT, KEY, VALUE) || t.update(OBJECT, name, VALUE)) {
      return "expected no update of a property that is not there";
    }
    t.putProperty(OBJECT, KEY, OBJECT);
    if (!t.update(OBJECT, name, VALUE) || t.lookUp(D, OBJECT, KEY) == Values.ABSENT) {
      return "expected an update of a property that is there";
    }
    if (!t.same(D, VALUE) || t.update(VALUE, KEY, VALUE)) {
      return "expected an update of an object, and of nothing else";
    }
    for (int index = 0; index < 100; index++) {
      t.setInt(KEY, index + 1);
      boolean far = t.update(OBJECT, KEY, VALUE);
      t.setInt(KEY, index);
      if (far || !t.update(OBJECT, KEY, VALUE) || t.arrayLength(OBJECT) != index + 1) {
        return "expected the array part to grow by one at " + index;
      }
    }
    t.putIndex(OBJECT, 101, VALUE);
    t.setInt(KEY, 100);
    return t.update(OBJECT, KEY, VALUE) ? "expected no update of a hole" : null;
  }

  private static @Nullable String code(Heap heap) {
    Mutator t = heap.mutator();
    t.newFunction(VALUE, 2, 1);
    String before = wrong("a new function", -1, t.functionCode(VALUE));
    t.setFunctionCode(VALUE, 12_345);
    t.storeConstant(VALUE, 1, OBJECT);
    heap.collect();
    t.loadConstant(D, VALUE, 1);
    String after = wrong("a function", 12_345, t.functionCode(VALUE));
    String other = wrong("an object", -1, t.functionCode(OBJECT));
    String constant = t.same(D, OBJECT) ? null : "expected its constant to stay";
    return before != null ? before : after != null ? after : other != null ? other : constant;
  }
}
