package dev.gleaner.kit.oracle;

import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapUsageException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Objects: prototypes, properties, array parts, weak tables. Each operation does a step on the heap
 * and the same on the model ({@link Twin}), and compares what both answer.
 *
 * <p>Keys are drawn of all sorts: strings few enough to meet again, integers near and far, doubles,
 * booleans, elements. Walks go on over several operations, so that puts, deletes and collections
 * come between their steps: a key that is there throughout must be seen once. A put that is refused
 * for want of memory must leave heap and model as they were.
 */
record ObjectOperations(Twin twin) {
  private static final List<String> WEAKNESSES = List.of("none", "keys", "values", "both");

  List<Operation> all() {
    return List.of(
        new Operation("new object", 8, this::newObject).alone().amongCalls(8),
        new Operation("set weakness", 3, this::setWeakness).amongCalls(2),
        new Operation("set prototype", 4, this::setPrototype).amongCalls(4),
        new Operation("get prototype", 2, twin.on(Kind.OBJECT, this::getPrototype)).amongCalls(1),
        new Operation("put property", 14, this::put).alone().amongCalls(5),
        new Operation("put many properties", 1, twin.on(Kind.OBJECT, this::putMany)),
        new Operation("get property", 6, this::get),
        new Operation("delete property", 5, this::delete),
        new Operation("delete many properties", 1, this::deleteMany),
        new Operation("put index", 6, twin.on(Kind.OBJECT, this::putIndex)).alone().amongCalls(6),
        new Operation("set length", 1, twin.on(Kind.OBJECT, this::setLength)).alone(),
        new Operation("border", 1, twin.on(Kind.OBJECT, this::border)).unsayable(),
        new Operation("get index", 3, twin.on(Kind.OBJECT, this::getIndex))
            .unsayable()
            .amongCalls(2),
        new Operation("look up", 4, this::lookUp).unsayable().amongCalls(2),
        new Operation("update", 5, this::update).unsayable().amongCalls(2));
  }

  private void newObject(Dice dice) {
    int d = twin.slot(dice);
    int n = twin.sayable ? 0 : dice.chance(95) ? dice.below(4) : dice.below(60);
    if (twin.weakens() && dice.chance(30)) {
      newWeakObject(d, dice.between(Weakness.KEYS, Weakness.BOTH));
      return;
    }
    int p = twin.sayable || dice.chance(70) ? -1 : twin.find(dice, Kind.OBJECT);
    boolean inherits = p >= 0 && twin.shadow.finalizers.lender(twin.get(p)) != null;
    if (p >= 0 && p != d && !inherits) { // the model may empty slot d before
      Object prototype = twin.get(p);
      twin.element(p).wasPrototype = true;
      ShadowElement made =
          twin.make(
              d,
              "object " + twin.name(d) + " # with the prototype " + twin.name(p),
              () -> twin.t.newObject(d, n, p),
              () -> twin.shadow.newElement(Kind.OBJECT, n));
      made.prototype = prototype;
      return;
    }
    twin.make(
        d,
        "object " + twin.name(d) + (n == 0 ? "" : " # with inline slots: " + n),
        () -> twin.t.newObject(d, n),
        () -> twin.shadow.newElement(Kind.OBJECT, n));
  }

  private void newWeakObject(int d, int weakness) {
    ShadowElement e =
        twin.make(
            d,
            "object " + twin.name(d) + " weak " + WEAKNESSES.get(weakness),
            () -> twin.t.newWeakObject(d, weakness),
            () -> twin.shadow.newElement(Kind.OBJECT, 0));
    twin.shadow.setWeakness(e, weakness);
  }

  private void setWeakness(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int weakness = dice.below(Weakness.BOTH + 1);
    if (o < 0 || !twin.weakens()) {
      return;
    }
    ShadowElement e = twin.element(o);
    String statement = "weakness " + twin.name(o) + " " + WEAKNESSES.get(weakness);
    boolean hasArray = weakness != Weakness.NONE && !e.indexes.array.isEmpty();
    if (hasArray && (twin.sayable || twin.prompt)) {
      return; // it allocates first, and drops then
    }
    twin.sync(o);
    learnAll(o);
    if (hasArray) {
      twin.attempt(statement, () -> twin.t.setWeakness(o, weakness));
      twin.shadow.setWeakness(e, weakness);
    } else {
      twin.say(statement);
      twin.shadow.setWeakness(e, weakness);
      twin.t.setWeakness(o, weakness);
    }
  }

  /** Asks for the hashes of all that an object has, so that they are known once it is weak. */
  private void learnAll(int o) {
    if (twin.exact) {
      return;
    }
    int key = twin.frame().scratch() + 1;
    int value = key + 1;
    long cursor = 0;
    ShadowElement e = twin.element(o);
    for (Map.Entry<Object, Object> p : e.inOrder()) {
      cursor = twin.t.nextProperty(o, cursor, key, value);
      e.indexes.fixed = true;
      twin.set(key, e.walks.answer(p.getKey()));
      twin.set(value, p.getValue());
      twin.learn(key);
      twin.learn(value);
      twin.set(key, Special.UNDEFINED);
      twin.set(value, Special.UNDEFINED);
    }
    twin.t.setUndefined(key);
    twin.t.setUndefined(value);
  }

  private void setPrototype(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int s =
        twin.find(
            dice, v -> v instanceof ShadowElement e ? e.kind == Kind.OBJECT : v == Special.NULL);
    if (o < 0 || s < 0) {
      return;
    }
    String statement = "set " + twin.name(o) + ".proto " + twin.name(s);
    ShadowElement e = twin.element(o);
    for (Object p = twin.get(s); p instanceof ShadowElement x; p = x.prototype) {
      if (p == e) {
        twin.script.note(statement);
        try {
          twin.t.setPrototype(o, s);
        } catch (HeapUsageException expected) {
          return;
        }
        throw new AssertionError("a loop of prototypes was accepted");
      }
    }
    if (twin.shadow.finalizers.lender(twin.get(s)) != null) {
      twin.knowAgain(o);
    }
    if (!twin.shadow.finalizers.reparent(e, twin.get(s))) {
      return;
    }
    twin.say(statement);
    if (twin.get(s) instanceof ShadowElement prototype) {
      prototype.wasPrototype = true;
    }
    twin.t.setPrototype(o, s);
  }

  private void getPrototype(Dice dice, int o) {
    int d = twin.slot(dice);
    twin.say("set " + twin.name(d) + " " + twin.name(o) + ".proto");
    twin.set(d, twin.element(o).prototype);
    twin.t.getPrototype(d, o);
  }

  /** A slot that holds a key, or what is none: any value, but often a string. */
  private int key(Dice dice) {
    int string = dice.chance(40) ? twin.find(dice, Kind.STRING) : -1;
    return string >= 0
        ? string
        : twin.find(dice, v -> !(twin.sayable && v instanceof IdentityHash));
  }

  private void put(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int key = key(dice);
    if (o >= 0 && key >= 0) {
      put(o, key, twin.slot(dice));
    }
  }

  private void put(int o, int key, int s) {
    ShadowElement e = twin.element(o);
    Object k = ShadowElement.key(twin.get(key));
    if (e.weakness != Weakness.NONE) {
      twin.sync(o);
      twin.learn(key);
      twin.learn(s);
    }
    String statement = "set " + property(o, key) + " " + twin.value(s);
    if (k == null) {
      refuse(statement, () -> twin.t.putProperty(o, key, s));
    } else if (e.properties.containsKey(k)) {
      twin.say(statement);
      e.putProperty(k, twin.get(s));
      twin.t.putProperty(o, key, s);
    } else {
      twin.attempt(statement, () -> twin.t.putProperty(o, key, s));
      if (k instanceof Long integer) {
        ShadowElement box =
            twin.get(key) instanceof ShadowElement held ? held : twin.shadow.newInteger(integer);
        e.walks.box(k, box);
        twin.orphans = true; // where a collection takes the room that was there, one more is made
      }
      e.putProperty(k, twin.get(s));
    }
  }

  private void refuse(String statement, Runnable operation) {
    twin.script.note(statement);
    try {
      operation.run();
    } catch (HeapUsageException expected) {
      return;
    }
    throw new AssertionError("what is no key was taken: " + statement);
  }

  private String property(int o, int key) {
    String text =
        switch (twin.get(key)) {
          case ShadowElement e when e.kind == Kind.STRING -> Script.quoted(e.text);
          case Integer i -> i.toString();
          case Double d -> d.toString();
          case ShadowElement e when e.kind == Kind.INTEGER -> Long.toString(e.integer);
          default -> twin.value(key);
        };
    return twin.name(o) + "[" + text + "]";
  }

  private void putMany(Dice dice, int o) {
    int key = twin.slot(dice);
    int n = dice.between(5, twin.largest / 30);
    for (int i = 0; i < n && key != o; i++) {
      setKey(key, dice);
      put(o, key, twin.slot(dice));
    }
  }

  private void setKey(int key, Dice dice) {
    int n = dice.below(200);
    if (dice.chance(70)) {
      String text = "key " + n;
      twin.intern(key, text, () -> twin.t.newString(key, text));
    } else if (dice.chance(20)) {
      setPlain(key, n * 1000 - 9000);
    } else if (dice.chance(60)) {
      setPlain(key, 200 - n);
    } else if (dice.chance(20)) {
      setPlain(key, n * 3_000_000_000L);
    } else if (!twin.sayable && dice.chance(20)) {
      setPlain(key, n * 3e9);
    } else {
      setPlain(key, n * 0.25);
    }
  }

  /** Sets a slot to a key that is no element. */
  void setPlain(int slot, Object key) {
    if (key instanceof Long v && v != v.intValue()) {
      ShadowElement _ =
          twin.make(
              slot,
              "set " + twin.name(slot) + " " + v,
              () -> twin.t.setLong(slot, v),
              () -> twin.shadow.newInteger(v));
      return;
    }
    twin.say("set " + twin.name(slot) + " " + key);
    twin.set(slot, key);
    switch (key) {
      case Integer i -> twin.t.setInt(slot, i);
      case Long v -> {
        twin.set(slot, v.intValue());
        twin.t.setLong(slot, v);
      }
      case Double d -> twin.t.setDouble(slot, d);
      case Boolean b -> twin.t.setBoolean(slot, b);
      default -> throw new AssertionError(key);
    }
  }

  private void get(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int key = key(dice);
    if (o < 0 || key < 0) {
      return;
    }
    int d = twin.slot(dice);
    Object k = ShadowElement.key(twin.get(key));
    if (k == null) {
      refuse("set " + twin.name(d) + " " + property(o, key), () -> twin.t.getProperty(d, o, key));
      return;
    }
    ShadowElement own = twin.element(o);
    twin.sync(o);
    if (!twin.isKnown(own, k)) {
      return;
    }
    if (twin.t.hasProperty(o, key) != own.properties.containsKey(k)) {
      throw new AssertionError("hasProperty " + own + " " + k);
    }
    Object found = lookUp(own, k);
    String statement = "set " + twin.name(d) + " " + property(o, key);
    if (dice.chance(30) && (!twin.sayable || own.properties.containsKey(k))) {
      twin.say(statement);
      boolean has = own.properties.containsKey(k);
      twin.set(d, own.properties.getOrDefault(k, Special.UNDEFINED));
      if (twin.t.getOwnProperty(d, o, key) != has) {
        throw new AssertionError("getOwnProperty " + own + " " + k);
      }
      return;
    }
    twin.say(statement);
    twin.set(d, found);
    twin.t.getProperty(d, o, key);
  }

  private static Object lookUp(ShadowElement own, Object key) {
    for (Object e = own; e instanceof ShadowElement x; e = x.prototype) {
      if (x.properties.containsKey(key)) {
        return x.properties.get(key);
      }
    }
    return Special.UNDEFINED;
  }

  private void delete(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int key = key(dice);
    if (o >= 0 && key >= 0 && ShadowElement.key(twin.get(key)) != null) {
      delete(o, key);
    }
  }

  void delete(int o, int key) {
    ShadowElement e = twin.element(o);
    twin.sync(o);
    Object k = Objects.requireNonNull(ShadowElement.key(twin.get(key)));
    twin.say("delete " + property(o, key));
    boolean had = e.deleteProperty(k);
    if (twin.t.deleteProperty(o, key) != had) {
      throw new AssertionError("deleteProperty " + e + " must answer " + had);
    }
  }

  private void deleteMany(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int key = twin.slot(dice);
    if (o < 0 || key == o) {
      return;
    }
    twin.sync(o);
    for (Object k : List.copyOf(twin.element(o).properties.keySet())) {
      if (dice.chance(80) && twin.element(o).properties.containsKey(k) && fetch(k, key)) {
        delete(o, key);
      }
    }
  }

  /** Sets a slot to a key that some object has; false if that is an element by identity. */
  private boolean fetch(Object key, int slot) {
    if (!(key instanceof ShadowElement e)) {
      setPlain(slot, key);
      return true;
    }
    if (e.kind != Kind.STRING) {
      return false;
    }
    twin.say("set " + twin.name(slot) + " " + Script.quoted(e.text));
    twin.set(slot, e);
    if (!twin.t.findString(slot, e.text)) {
      throw new AssertionError("not found: " + e);
    }
    return true;
  }

  private void putIndex(Dice dice, int o) {
    ShadowElement e = twin.element(o);
    int s = twin.slot(dice);
    if (e.weakness != Weakness.NONE) {
      twin.sync(o);
      twin.learn(s);
    }
    int index = index(dice, e);
    String statement = "set " + twin.name(o) + "[" + index + "] " + twin.value(s);
    if (e.properties.containsKey(index)) {
      twin.say(statement);
      e.putProperty(index, twin.get(s));
      twin.t.putIndex(o, index, s);
    } else {
      twin.attempt(statement, () -> twin.t.putIndex(o, index, s));
      e.putProperty(index, twin.get(s));
    }
  }

  /** The end of an array, or near it, or what fills it from above, or far away. */
  private static int index(Dice dice, ShadowElement e) {
    int length = Math.min(e.indexes.length, 1000);
    int roll = dice.below(20);
    return roll < 9
        ? length
        : roll < 14
            ? dice.below(length + 4)
            : roll < 18
                ? Math.max(0, 60 - e.properties.size())
                : roll < 19 ? dice.below(300) : dice.below(1 << 30);
  }

  private void getIndex(Dice dice, int o) {
    twin.sync(o);
    ShadowElement e = twin.element(o);
    int d = twin.slot(dice);
    int index = index(dice, e);
    if (!twin.isKnown(e, index)) {
      return;
    }
    twin.cannotSay(twin.name(d) + " = own " + twin.name(o) + "[" + index + "]");
    twin.set(d, e.properties.getOrDefault(index, Special.UNDEFINED));
    twin.t.getIndex(d, o, index);
  }

  private void setLength(Dice dice, int o) {
    twin.sync(o);
    ShadowElement e = twin.element(o);
    int length = e.indexes.length;
    int n = dice.chance(30) ? dice.below(1 << 20) : dice.below(Math.min(length, 1000) + 2);
    String statement = "length " + twin.name(o) + " " + n;
    if (n <= length) {
      twin.say(statement);
      e.setLength(n);
      twin.t.setArrayLength(o, n);
    } else {
      twin.attempt(statement, () -> twin.t.setArrayLength(o, n));
      e.setLength(n);
    }
  }

  private void border(Dice dice, int o) {
    twin.sync(o);
    ShadowElement e = twin.element(o);
    int expected = e.indexes.border(e.properties);
    twin.cannotSay("border of " + twin.name(o));
    if (twin.t.border(o) != expected || twin.t.arrayLength(o) != e.indexes.length) {
      throw new AssertionError("border of " + e + " must be " + expected);
    }
  }

  private void lookUp(Dice dice) {
    int d = twin.slot(dice);
    int key = twin.slot(dice);
    int o = dice.chance(80) ? twin.find(dice, Kind.OBJECT) : twin.slot(dice);
    if (o < 0) {
      return;
    }
    if (twin.get(o) instanceof ShadowElement own && own.kind == Kind.OBJECT) {
      Object k = ShadowElement.key(twin.get(key));
      twin.sync(o);
      if (k != null && !twin.isKnown(own, k)) {
        return;
      }
    }
    Object found = property(twin.get(o), twin.get(key));
    twin.cannotSay(twin.name(d) + " = look up " + twin.name(o) + "[" + twin.name(key) + "]");
    if (found != null) {
      twin.set(d, found); // before: what the slot held may be finalized in the look-up
    }
    boolean tellsKind = dice.chance(30);
    long v = tellsKind ? twin.t.lookUpKind(d, o, key) : twin.t.lookUp(d, o, key);
    boolean element = found instanceof ShadowElement;
    boolean wrong = tellsKind && Values.isKind(v) != element;
    if ((v == Values.ABSENT) != (found == null) || wrong) {
      throw new AssertionError("look up: expected " + found + ", found " + Long.toHexString(v));
    }
  }

  /** What is under a key, or null. */
  private static @Nullable Object property(Object object, Object key) {
    Object k = ShadowElement.key(key);
    for (Object p = object;
        k != null && p instanceof ShadowElement x && x.kind == Kind.OBJECT;
        p = x.prototype) {
      if (x.properties.containsKey(k)) {
        return x.properties.get(k);
      }
    }
    return null;
  }

  private void update(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int s = twin.slot(dice);
    int key = twin.slot(dice);
    if (o < 0) {
      return;
    }
    ShadowElement e = twin.element(o);
    if (dice.chance(30) && key != o && key != s) {
      int n = index(dice, e);
      twin.undefine(key);
      twin.set(key, n);
      twin.t.setInt(key, n);
    }
    String statement = "update " + twin.name(o) + "[" + twin.name(key) + "] to " + twin.value(s);
    if (e.weakness != Weakness.NONE) {
      twin.sync(o);
      twin.learn(s);
    }
    if (e.slots.length > 0 && dice.chance(30)) {
      updateGuarded(dice.below(e.slots.length), o, key, s);
      return;
    }
    Object k = ShadowElement.key(twin.get(key));
    Object value = twin.get(s);
    boolean plain = Values.isPlain(twin.t.get(s)) && dice.chance(50);
    if (k != null && k.equals(e.indexes.length) && !e.properties.containsKey(k)) {
      twin.cannotSay(statement);
      expectUpdate(update(o, key, s, plain), true, e);
      e.putProperty(k, value);
    } else {
      twin.cannotSay(statement);
      boolean has = k != null && e.properties.containsKey(k);
      if (has) {
        e.putProperty(Objects.requireNonNull(k), value);
      }
      expectUpdate(update(o, key, s, plain), has, e);
    }
  }

  private boolean update(int o, int key, int s, boolean plain) {
    return plain ? twin.t.updateValue(o, key, twin.t.get(s)) : twin.t.update(o, key, s);
  }

  /** Where the guard holds a value the array does not grow. */
  private void updateGuarded(int guard, int o, int key, int s) {
    ShadowElement e = twin.element(o);
    Object k = ShadowElement.key(twin.get(key));
    Object value = twin.get(s);
    boolean has = k != null && e.properties.containsKey(k);
    boolean free = e.slots[guard] == Special.UNDEFINED;
    boolean grows = !has && k != null && k.equals(e.indexes.length) && free;
    twin.cannotSay("update " + twin.name(o) + " if slot " + guard + " is undefined");
    if (has) {
      e.putProperty(Objects.requireNonNull(k), value);
    }
    expectUpdate(twin.t.update(o, key, s, guard), has || grows, e);
    if (grows) { // there may have been no memory for it
      e.putProperty(Objects.requireNonNull(k), value);
    }
  }

  private static void expectUpdate(boolean found, boolean expected, ShadowElement e) {
    if (found != expected) {
      throw new AssertionError("update of " + e + " must answer " + expected);
    }
  }
}
