package dev.gleaner.it;

import dev.gleaner.heap.Kind;
import java.util.ArrayList;
import java.util.List;

/** Simple values, records, functions, natives. */
final class ElementOperations {
  private final Twin twin;
  private final List<NativeValue> natives = new ArrayList<>();

  ElementOperations(Twin twin) {
    this.twin = twin;
  }

  List<Operation> all() {
    return List.of(
        new Operation("value", 6, this::value),
        new Operation("copy", 6, this::copy),
        new Operation("new record", 12, this::newRecord),
        new Operation("store", 16, this::store),
        new Operation("store a value", 4, this::storeValue),
        new Operation("load", 10, this::load),
        new Operation("new function", 4, this::newFunction),
        new Operation("store into a function", 5, this::storeFunction),
        new Operation("load from a function", 3, this::loadFunction),
        new Operation("new native", 4, this::newNative));
  }

  /** Puts a simple value into a slot. */
  private void value(Dice dice) {
    int d = twin.slot(dice);
    int roll = dice.below(6);
    int n = dice.between(-5, 1_000_000);
    double x = roll == 5 ? Double.NaN : n * 1.5e-3;
    twin.log.add("value " + roll + " " + n + " -> " + d);
    switch (roll) {
      case 0 -> {
        twin.set(d, Special.UNDEFINED);
        twin.t.setUndefined(d);
      }
      case 1 -> {
        twin.set(d, Special.NULL);
        twin.t.setNull(d);
      }
      case 2 -> {
        twin.set(d, n % 2 == 0);
        twin.t.setBoolean(d, n % 2 == 0);
      }
      case 3 -> {
        twin.set(d, n);
        twin.t.setInt(d, n);
      }
      default -> {
        twin.set(d, x);
        twin.t.setDouble(d, x);
      }
    }
  }

  private void copy(Dice dice) {
    int d = twin.slot(dice);
    int s = twin.slot(dice);
    twin.log.add("copy " + d + " = " + s);
    twin.set(d, twin.get(s));
    twin.t.copy(d, s);
  }

  private void newRecord(Dice dice) {
    int d = twin.slot(dice);
    int n = dice.chance(90) ? dice.below(7) : dice.chance(80) ? dice.below(70) : twin.largest;
    twin.log.add("newRecord " + d + ", " + n);
    twin.make(d, () -> twin.t.newRecord(d, n), () -> twin.shadow.newElement(Kind.RECORD, n));
  }

  private int slotted(Dice dice) {
    return twin.find(
        dice,
        v ->
            v instanceof ShadowElement e
                && (e.kind == Kind.RECORD || e.kind == Kind.OBJECT)
                && e.slots.length > 0);
  }

  private void store(Dice dice) {
    int r = slotted(dice);
    if (r < 0) {
      return;
    }
    ShadowElement e = twin.element(r);
    int i = dice.below(e.slots.length);
    int s = twin.slot(dice);
    twin.log.add("store " + r + "[" + i + "] = " + s);
    e.slots[i] = twin.get(s);
    twin.t.store(r, i, s);
  }

  private void storeValue(Dice dice) {
    int r = slotted(dice);
    if (r < 0) {
      return;
    }
    ShadowElement e = twin.element(r);
    int i = dice.below(e.slots.length);
    int n = dice.below(1000);
    if (dice.chance(50)) {
      twin.log.add("storeNull " + r + "[" + i + "]");
      e.slots[i] = Special.NULL;
      twin.t.storeNull(r, i);
    } else {
      twin.log.add("storeInt " + r + "[" + i + "] = " + n);
      e.slots[i] = n;
      twin.t.storeInt(r, i, n);
    }
  }

  private void load(Dice dice) {
    int r = slotted(dice);
    if (r < 0) {
      return;
    }
    ShadowElement e = twin.element(r);
    int i = dice.below(e.slots.length);
    int d = twin.slot(dice);
    twin.log.add("load " + d + " = " + r + "[" + i + "]");
    twin.set(d, e.slots[i]);
    twin.t.load(d, r, i);
  }

  private void newFunction(Dice dice) {
    int d = twin.slot(dice);
    int constants = dice.below(4);
    int inners = dice.below(3);
    twin.log.add("newFunction " + d + ", " + constants + ", " + inners);
    ShadowElement made =
        twin.make(
            d,
            () -> twin.t.newFunction(d, constants, inners),
            () -> twin.shadow.newElement(Kind.FUNCTION, constants + inners));
    made.constants = constants;
  }

  private void storeFunction(Dice dice) {
    int f = twin.find(dice, Kind.FUNCTION);
    if (f < 0 || twin.element(f).slots.length == 0) {
      return;
    }
    ShadowElement e = twin.element(f);
    int i = dice.below(e.slots.length);
    int s =
        i < e.constants
            ? twin.slot(dice)
            : twin.find(
                dice,
                v -> v instanceof ShadowElement x ? x.kind == Kind.FUNCTION : v instanceof Special);
    if (s < 0) {
      return;
    }
    twin.log.add("store function " + f + "(" + i + ") = " + s);
    e.slots[i] = twin.get(s);
    if (i < e.constants) {
      twin.t.storeConstant(f, i, s);
    } else {
      twin.t.storeInner(f, i - e.constants, s);
    }
  }

  private void loadFunction(Dice dice) {
    int f = twin.find(dice, Kind.FUNCTION);
    if (f < 0 || twin.element(f).slots.length == 0) {
      return;
    }
    ShadowElement e = twin.element(f);
    int i = dice.below(e.slots.length);
    int d = twin.slot(dice);
    twin.log.add("load function " + d + " = " + f + "(" + i + ")");
    twin.set(d, e.slots[i]);
    if (i < e.constants) {
      twin.t.loadConstant(d, f, i);
    } else {
      twin.t.loadInner(d, f, i - e.constants);
    }
  }

  private void newNative(Dice dice) {
    int d = twin.slot(dice);
    NativeValue value = new NativeValue(natives.size(), dice.chance(70));
    twin.log.add("newNative " + d + ", " + value);
    value.element =
        twin.make(
            d,
            () -> twin.t.newNative(d, value, value.hasCallback() ? this::freed : null),
            () -> twin.shadow.newElement(Kind.NATIVE, 0));
    value.element.nativeValue = value;
    natives.add(value);
  }

  private void freed(Object object, boolean closing) {
    NativeValue value = (NativeValue) object;
    twin.log.add("  freed " + value);
    ShadowElement e = value.element;
    boolean gone = e != null && (twin.exact ? e.dead : !twin.shadow.reachable(false).contains(e));
    if (value.freed || (!closing && !gone)) {
      throw new AssertionError("freed " + (value.freed ? "twice: " : "but not lost: ") + value);
    }
    value.freed = true;
  }

  /** Checks that the callbacks of all natives ran that are gone, or of all at the end. */
  void checkFreed(boolean closed) {
    for (NativeValue value : natives) {
      ShadowElement e = value.element;
      boolean gone = closed || (e != null && e.dead);
      if (value.hasCallback() && value.freed != gone) {
        throw new AssertionError("must " + (gone ? "" : "not ") + "be freed: " + value);
      }
    }
  }
}
