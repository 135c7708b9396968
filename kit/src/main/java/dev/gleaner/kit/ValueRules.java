package dev.gleaner.kit;

import com.typesafe.config.Config;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapUsageException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Tagged values in Java, and the larger steps on objects and functions. */
record ValueRules(Config config, List<ClassLoader> loaders) {
  private static final int OBJECT = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int D = 3;
  private static final int PROTOTYPE = 4;
  private static final int SLOTS = 5;

  List<Rule> all() {
    return List.of(
        rule("come back as they were stored", ValueRules::comeBack),
        rule("are no references", ValueRules::areNoReferences),
        rule("drop what they replace", ValueRules::drop),
        rule("are looked up where they are", ValueRules::lookUp),
        rule("are looked up where objects delegate", ValueRules::lookUpLinked),
        rule("are looked up with the kind of an element", ValueRules::lookUpKind),
        rule("are updated where they are", ValueRules::update),
        rule("that are no references update what is there", ValueRules::updateValue),
        rule("are put by a name", ValueRules::putByName),
        rule("are found in a prototype from the start", ValueRules::prototype),
        rule("are counted, or not at all", ValueRules::count),
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

  private static @Nullable String lookUpKind(Heap heap) {
    Mutator t = heap.mutator();
    t.newString(KEY, "key");
    GlobalRef name = heap.newGlobal();
    t.setGlobal(name, KEY);
    List<IntConsumer> makers =
        List.of(
            d -> t.copy(d, KEY),
            d -> t.newRecord(d, 1),
            t::newObject,
            d -> t.newBuffer(d, 8),
            d -> t.newDynamicBuffer(d, 8),
            t::newThread,
            d -> t.newFunction(d, 0, 0),
            d -> t.newNative(d, "native", null),
            d -> t.setLong(d, 1L << 40),
            d -> t.setInt(d, 7),
            t::setNull,
            t::setUndefined);
    List<Kind> kinds = List.of(Kind.values());
    for (int i = 0; i < makers.size(); i++) {
      makers.get(i).accept(VALUE);
      t.putProperty(OBJECT, KEY, VALUE);
      boolean element = i < kinds.size();
      long expected = element ? Values.ofKind(kinds.get(i)) : t.get(VALUE);
      t.newObject(D);
      long found = t.lookUpKind(D, OBJECT, KEY);
      boolean same = t.same(D, VALUE);
      t.newObject(D);
      long named = t.lookUpKind(D, OBJECT, name);
      if (found != expected || named != expected || !same || !t.same(D, VALUE)) {
        return wrong("kind " + i, Long.toHexString(expected), Long.toHexString(found | named));
      }
      if (element && (!Values.isKind(found) || Values.toKind(found) != kinds.get(i))) {
        return "expected the kind to be told: " + kinds.get(i);
      }
    }
    t.setNull(D);
    boolean absent =
        t.lookUpKind(D, OBJECT, D) == Values.ABSENT && t.lookUpKind(D, KEY, name) == Values.ABSENT;
    return absent && t.isNull(D) && !Values.isKind(Values.ABSENT) ? null : "expected no property";
  }

  private static @Nullable String updateValue(Heap heap) {
    Mutator t = heap.mutator();
    t.newString(KEY, "key");
    if (t.updateValue(OBJECT, KEY, Values.TRUE) || t.updateValue(KEY, KEY, Values.TRUE)) {
      return "expected no update of a property that is not there";
    }
    t.newRecord(VALUE, 1);
    t.putProperty(OBJECT, KEY, VALUE);
    WeakRef weak = t.newWeak(VALUE);
    t.setNull(VALUE);
    boolean updated = t.updateValue(OBJECT, KEY, Values.ofDouble(0.5));
    heap.collect();
    if (!updated || !weak.isCleared() || t.lookUp(D, OBJECT, KEY) != Values.ofDouble(0.5)) {
      return "expected a number in place of a record that is gone";
    }
    weak.close();
    for (int i = 0; i < 100; i++) {
      t.setInt(KEY, i + 1);
      boolean far = t.updateValue(OBJECT, KEY, Values.ofInt(i));
      t.setDouble(KEY, i);
      if (far || !t.updateValue(OBJECT, KEY, Values.ofInt(i))) {
        return "expected the array part to grow by one at " + i;
      }
      if (t.getAt(OBJECT, i) != Values.ofInt(i) || t.arrayLength(OBJECT) != i + 1) {
        return "expected index " + i + " to have its value";
      }
    }
    t.newWeakObject(PROTOTYPE, Weakness.BOTH);
    t.putProperty(PROTOTYPE, OBJECT, OBJECT);
    updated = t.updateValue(PROTOTYPE, OBJECT, Values.NULL);
    long found = t.lookUp(D, PROTOTYPE, OBJECT);
    return updated && found == Values.NULL ? null : "expected an update of a weak table";
  }

  private static @Nullable String putByName(Heap heap) {
    Mutator t = heap.mutator();
    GlobalRef[] names = new GlobalRef[40];
    for (int i = 0; i < names.length; i++) {
      t.newString(KEY, "name " + i);
      names[i] = heap.newGlobal();
      t.setGlobal(names[i], KEY);
    }
    t.newWeakObject(PROTOTYPE, Weakness.VALUES);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < names.length; i++) {
        t.newRecord(VALUE, 1);
        t.storeInt(VALUE, 0, round * 100 + i);
        t.putProperty(OBJECT, names[i], VALUE);
        t.putProperty(PROTOTYPE, names[i], VALUE);
        if (i % 7 == round) {
          heap.collect();
        }
      }
      for (int i = 0; i < names.length; i++) {
        t.newString(KEY, "name " + i);
        t.getProperty(VALUE, OBJECT, KEY);
        t.getProperty(D, PROTOTYPE, KEY);
        if (t.loadInt(VALUE, 0) != round * 100 + i || !t.same(D, VALUE)) {
          return "expected name " + i + " to have its value in round " + round;
        }
      }
      String count = wrong("the properties", names.length, t.propertyCount(OBJECT));
      if (count != null) {
        return count;
      }
    }
    t.setGlobal(names[0], VALUE);
    try {
      t.putProperty(OBJECT, names[0], VALUE);
      return "expected a refusal of what is no name";
    } catch (HeapUsageException _) {
      return wrong("the properties", names.length, t.propertyCount(OBJECT));
    }
  }

  private static @Nullable String prototype(Heap heap) {
    Mutator t = heap.mutator();
    t.newString(KEY, "key");
    t.newObject(PROTOTYPE);
    t.setInt(VALUE, 0);
    t.putProperty(PROTOTYPE, KEY, VALUE);
    for (int i = 1; i < 200; i++) { // a chain, of which the last object alone has a slot
      t.newObject(PROTOTYPE, i % 3, PROTOTYPE);
      t.setInt(VALUE, i);
      t.putIndex(PROTOTYPE, i, VALUE);
      if (i % 40 == 0) {
        heap.collect();
      }
    }
    for (int i = 1; i < 200; i++) {
      t.setInt(VALUE, i);
      if (t.lookUp(D, PROTOTYPE, VALUE) != Values.ofInt(i)) {
        return "expected index " + i + " along the chain";
      }
    }
    t.getProperty(D, PROTOTYPE, KEY);
    t.setNull(VALUE);
    t.newObject(KEY, 0, VALUE);
    t.getPrototype(KEY, KEY);
    try {
      t.newObject(D, 0, D);
      return "expected a refusal of a prototype that is no object";
    } catch (HeapUsageException _) {
      return t.getInt(D) == 0 && t.isNull(KEY) ? null : "expected what the prototype has";
    }
  }

  private static @Nullable String count(Heap heap) {
    Mutator t = heap.mutator();
    t.newRecord(VALUE, 2);
    boolean counted = t.referenceCount(VALUE) >= 0;
    int[] found = new int[4];
    found[0] = t.referenceCount(VALUE);
    t.copy(D, VALUE);
    t.store(OBJECT, 0, VALUE);
    t.store(VALUE, 1, VALUE);
    found[1] = t.referenceCount(D);
    t.setNull(D);
    t.store(OBJECT, 0, OBJECT);
    found[2] = t.referenceCount(VALUE);
    t.storeNull(VALUE, 1);
    found[3] = t.referenceCount(VALUE);
    int[] expected = counted ? new int[] {1, 4, 2, 1} : new int[] {-1, -1, -1, -1};
    return wrong("the counts", Arrays.toString(expected), Arrays.toString(found));
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
