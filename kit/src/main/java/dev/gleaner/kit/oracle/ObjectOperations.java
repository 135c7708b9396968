package dev.gleaner.kit.oracle;

import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapUsageException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Objects: prototypes, properties, array parts. */
final class ObjectOperations {
  private final Twin twin;

  ObjectOperations(Twin twin) {
    this.twin = twin;
  }

  List<Operation> all() {
    return List.of(
        new Operation("new object", 8, this::newObject).alone().amongCalls(8),
        new Operation("set prototype", 4, this::setPrototype).amongCalls(4),
        new Operation("get prototype", 2, this::getPrototype).amongCalls(1),
        new Operation("put property", 14, this::put).alone().amongCalls(5),
        new Operation("put many properties", 1, this::putMany),
        new Operation("get property", 6, this::get),
        new Operation("delete property", 5, this::delete),
        new Operation("delete many properties", 1, this::deleteMany),
        new Operation("put index", 6, this::putIndex).unsayable().amongCalls(6),
        new Operation("get index", 3, this::getIndex).unsayable().amongCalls(2),
        new Operation("look up", 4, this::lookUp).unsayable().amongCalls(2),
        new Operation("update", 5, this::update).unsayable().amongCalls(2));
  }

  private void newObject(Dice dice) {
    int d = twin.slot(dice);
    int n = twin.sayable ? 0 : dice.chance(95) ? dice.below(4) : dice.below(60);
    twin.make(
        d,
        "object " + twin.name(d) + (n == 0 ? "" : " # with inline slots: " + n),
        () -> twin.t.newObject(d, n),
        () -> twin.shadow.newElement(Kind.OBJECT, n));
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
    twin.say(statement);
    e.prototype = twin.get(s);
    twin.t.setPrototype(o, s);
  }

  private void getPrototype(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    if (o < 0) {
      return;
    }
    int d = twin.slot(dice);
    twin.say("set " + twin.name(d) + " " + twin.name(o) + ".proto");
    twin.set(d, twin.element(o).prototype);
    twin.t.getPrototype(d, o);
  }

  private void put(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int key = twin.find(dice, Kind.STRING);
    if (o < 0 || key < 0) {
      return;
    }
    put(o, key, twin.slot(dice));
  }

  private void put(int o, int key, int s) {
    ShadowElement e = twin.element(o);
    ShadowElement k = twin.element(key);
    String statement = "set " + property(o, k) + " " + twin.value(s);
    if (e.properties.containsKey(k)) {
      twin.say(statement);
      e.putProperty(k, twin.get(s));
      twin.t.putProperty(o, key, s);
    } else {
      twin.attempt(statement, () -> twin.t.putProperty(o, key, s));
      e.putProperty(k, twin.get(s));
    }
  }

  private String property(int o, ShadowElement key) {
    return twin.name(o) + "[" + Script.quoted(key.text) + "]";
  }

  private void putMany(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    if (o < 0) {
      return;
    }
    int key = twin.slot(dice);
    int n = dice.between(5, twin.largest / 30);
    for (int i = 0; i < n && key != o; i++) {
      String text = "key " + dice.below(200);
      twin.intern(key, text, () -> twin.t.newString(key, text));
      put(o, key, twin.slot(dice));
    }
  }

  private void get(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int key = twin.find(dice, Kind.STRING);
    if (o < 0 || key < 0) {
      return;
    }
    int d = twin.slot(dice);
    ShadowElement k = twin.element(key);
    ShadowElement own = twin.element(o);
    if (twin.t.hasProperty(o, key) != own.properties.containsKey(k)) {
      throw new AssertionError("hasProperty " + own + " " + k);
    }
    Object found = lookUp(own, k);
    if (dice.chance(30) && (!twin.sayable || own.properties.containsKey(k))) {
      twin.say("set " + twin.name(d) + " " + property(o, k));
      twin.set(d, own.properties.getOrDefault(k, Special.UNDEFINED));
      if (twin.t.getOwnProperty(d, o, key) != own.properties.containsKey(k)) {
        throw new AssertionError("getOwnProperty " + own + " " + k);
      }
      return;
    }
    twin.say("set " + twin.name(d) + " " + property(o, k));
    twin.set(d, found);
    twin.t.getProperty(d, o, key);
  }

  private static Object lookUp(ShadowElement own, ShadowElement key) {
    for (Object e = own; e instanceof ShadowElement x; e = x.prototype) {
      if (x.properties.containsKey(key)) {
        return x.properties.get(key);
      }
    }
    return Special.UNDEFINED;
  }

  private void delete(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int key = twin.find(dice, Kind.STRING);
    if (o >= 0 && key >= 0) {
      delete(o, key);
    }
  }

  void delete(int o, int key) {
    ShadowElement e = twin.element(o);
    twin.say("delete " + property(o, twin.element(key)));
    boolean had = e.deleteProperty(twin.element(key));
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
    for (ShadowElement k : List.copyOf(twin.element(o).properties.keySet())) {
      if (dice.chance(80) && twin.element(o).properties.containsKey(k)) {
        twin.say("set " + twin.name(key) + " " + Script.quoted(k.text));
        twin.set(key, k);
        if (!twin.t.findString(key, k.text)) {
          throw new AssertionError("not found: " + k);
        }
        delete(o, key);
      }
    }
  }

  private void putIndex(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    if (o < 0) {
      return;
    }
    ShadowElement e = twin.element(o);
    int s = twin.slot(dice);
    int length = e.array.size();
    int index = dice.chance(60) ? length : dice.below(length + (dice.chance(10) ? 200 : 4));
    twin.cannotSay(twin.name(o) + "[" + index + "] = " + twin.value(s));
    if (index < length) {
      e.array.set(index, twin.get(s));
      twin.t.putIndex(o, index, s);
    } else {
      twin.t.putIndex(o, index, s);
      while (e.array.size() <= index) {
        e.array.add(Special.UNDEFINED);
      }
      e.array.set(index, twin.get(s));
    }
  }

  private void getIndex(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    if (o < 0) {
      return;
    }
    ShadowElement e = twin.element(o);
    int d = twin.slot(dice);
    int index = dice.below(e.array.size() + 2);
    twin.cannotSay(twin.name(d) + " = " + twin.name(o) + "[" + index + "]");
    twin.set(d, index < e.array.size() ? e.array.get(index) : Special.UNDEFINED);
    twin.t.getIndex(d, o, index);
  }

  /** Looks any key up in anything. A hole of the array part may be absent, or undefined. */
  private void lookUp(Dice dice) {
    int d = twin.slot(dice);
    int key = twin.slot(dice);
    int o = dice.chance(80) ? twin.find(dice, Kind.OBJECT) : twin.slot(dice);
    if (o < 0) {
      return;
    }
    Object found = property(twin.get(o), twin.get(key));
    twin.cannotSay(twin.name(d) + " = look up " + twin.name(o) + "[" + twin.name(key) + "]");
    if (found != null && found != Special.UNDEFINED) {
      twin.set(d, found);
    }
    long v = twin.t.lookUp(d, o, key);
    boolean absent = v == Values.ABSENT;
    if (found != Special.UNDEFINED && absent != (found == null)) {
      throw new AssertionError("look up: expected " + found + ", absent: " + absent);
    }
    if (found == Special.UNDEFINED && !absent) {
      twin.set(d, Special.UNDEFINED);
    }
  }

  /** What is under a key, or null; undefined may be a hole. */
  private static @Nullable Object property(Object object, Object key) {
    if (!(object instanceof ShadowElement e) || e.kind != Kind.OBJECT) {
      return null;
    }
    int index = index(key);
    if (index >= 0) {
      return index < e.array.size() ? e.array.get(index) : null;
    }
    for (Object p = e; p instanceof ShadowElement x; p = x.prototype) {
      if (key instanceof ShadowElement k && x.properties.containsKey(k)) {
        return x.properties.get(k);
      }
    }
    return null;
  }

  private static int index(Object key) {
    return switch (key) {
      case Integer i -> i;
      case IdentityHash h -> h.value();
      default -> -1;
    };
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
      int n = dice.below(e.array.size() + 2);
      twin.undefine(key);
      twin.set(key, n);
      twin.t.setInt(key, n);
    }
    twin.cannotSay("update " + twin.name(o) + "[" + twin.name(key) + "] to " + twin.value(s));
    int index = index(twin.get(key));
    Object value = twin.get(s);
    if (index >= 0 && index == e.array.size()) {
      expectUpdate(twin.t.update(o, key, s), true, e);
      e.array.add(value);
    } else if (index >= 0 && index < e.array.size()) {
      Object old = e.array.set(index, value);
      boolean done = twin.t.update(o, key, s);
      if (!done) {
        expectUpdate(false, old != Special.UNDEFINED, e);
        e.array.set(index, old);
      }
    } else {
      boolean has = twin.get(key) instanceof ShadowElement k && e.properties.containsKey(k);
      if (has) {
        e.putProperty(twin.element(key), value);
      }
      expectUpdate(twin.t.update(o, key, s), has, e);
    }
  }

  private static void expectUpdate(boolean found, boolean expected, ShadowElement e) {
    if (found != expected) {
      throw new AssertionError("update of " + e + " must answer " + expected);
    }
  }
}
