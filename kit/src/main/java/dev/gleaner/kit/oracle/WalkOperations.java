package dev.gleaner.kit.oracle;

import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Walks over properties that go on while all else happens: by cursors, and from keys. */
record WalkOperations(Twin twin, ObjectOperations objects) {
  private static final int MOST_OPEN = 5;

  List<Operation> all() {
    return List.of(
        new Operation("walk by cursor", 6, this::byCursor).unsayable(),
        new Operation("walk from a key", 4, this::fromKey).unsayable(),
        new Operation("walk from keys and delete", 3, this::fromKeys).unsayable());
  }

  private void byCursor(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int dKey = twin.slot(dice);
    int dValue = twin.slot(dice);
    if (o < 0 || dKey == o || dValue == o) {
      return;
    }
    ShadowWalks walks = twin.element(o).walks;
    if (walks.open.isEmpty() || (walks.open.size() < MOST_OPEN && dice.chance(20))) {
      walks.open.add(new ShadowWalks.Walk());
    }
    ShadowWalks.Walk walk = dice.pick(walks.open);
    for (int steps = dice.between(1, 6); steps > 0 && walks.open.contains(walk); steps--) {
      twin.cannotSay(twin.name(dKey) + " = next of " + twin.name(o) + " " + walk.cursor);
      twin.sync(o);
      Object key = answer(twin.element(o), walk.number, dKey, dValue);
      long cursor = twin.t.nextProperty(o, walk.cursor, dKey, dValue);
      if (cursor >= 0 != (key != null)) {
        throw new AssertionError("a walk answers " + cursor + ", expected " + key);
      }
      if (key == null) {
        walks.open.remove(walk);
      } else {
        walk.cursor = cursor;
        walk.number = walks.number(key);
        check(dKey, key);
      }
    }
  }

  /** Sets the slots of the model to the property behind a number; answers its key, or null. */
  private @Nullable Object answer(ShadowElement object, long behind, int dKey, int dValue) {
    for (Map.Entry<Object, Object> property : object.inOrder()) {
      if (object.walks.number(property.getKey()) > behind) {
        object.indexes.fixed = true;
        Object value = property.getValue();
        twin.set(dKey, object.walks.answer(property.getKey()));
        twin.set(dValue, value);
        return property.getKey();
      }
    }
    return null;
  }

  private void check(int slot, Object key) {
    boolean same =
        switch (twin.get(slot)) {
          case ShadowElement e when e.kind == Kind.STRING -> twin.t.getString(slot).equals(e.text);
          case ShadowElement e when e.kind == Kind.INTEGER -> twin.t.getLong(slot) == e.integer;
          case ShadowElement e -> twin.t.kind(slot) == e.kind;
          case Integer i -> twin.t.getInt(slot) == i;
          case Double d -> Double.compare(twin.t.getDouble(slot), d) == 0;
          case Boolean b -> twin.t.getBoolean(slot) == b;
          default -> true; // it is the slot of the value, too
        };
    if (!same) {
      throw new AssertionError("a walk answers another key than " + key);
    }
  }

  private void fromKey(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int key = twin.find(dice, v -> v != Special.NULL);
    int dKey = twin.slot(dice);
    int dValue = twin.slot(dice);
    if (o >= 0 && key >= 0 && dKey != o && dValue != o) {
      boolean _ = step(o, key, dKey, dValue);
    }
  }

  /** A walk, or a part of one, that deletes some of what it sees. */
  private void fromKeys(Dice dice) {
    int o = twin.find(dice, Kind.OBJECT);
    int key = twin.slot(dice);
    int dValue = twin.slot(dice);
    if (o < 0 || key == o || dValue == o || dValue == key) {
      return;
    }
    Object standing = twin.element(o).walks.standing();
    if (standing == null || dice.chance(20)) {
      twin.undefine(key);
    } else if (!(standing instanceof ShadowElement e)) {
      objects.setPlain(key, standing);
    } else if (e.kind == Kind.STRING) {
      twin.intern(key, e.text, () -> twin.t.newString(key, e.text));
    } else if (twin.get(key) != e) {
      twin.undefine(key);
    }
    for (int steps = dice.between(1, 12); steps > 0 && step(o, key, key, dValue); steps--) {
      if (dice.chance(40)) {
        objects.delete(o, key);
      }
    }
  }

  /** Answers whether there was a next one. */
  private boolean step(int o, int key, int dKey, int dValue) {
    twin.sync(o);
    ShadowElement object = twin.element(o);
    Object from = twin.get(key);
    Object k = ShadowElement.key(from);
    Long behind =
        from == Special.UNDEFINED ? Long.valueOf(-1) : k == null ? null : object.walks.from(k);
    twin.cannotSay(twin.name(dKey) + " = next of " + twin.name(o) + " " + twin.value(key));
    if (k != null && object.walks.isDoubtful(k)) {
      return false;
    }
    if (behind == null && k != null && ShadowIndexes.isIndex(k)) {
      return false; // it may go on, if the array was ever so long
    }
    if (behind == null) {
      try {
        boolean _ = twin.t.nextPropertyAfter(o, key, dKey, dValue);
      } catch (HeapUsageException expected) {
        return false;
      }
      throw new AssertionError("a walk goes on from " + from + ", which is no key");
    }
    Object found = answer(object, behind, dKey, dValue);
    if (found != null) {
      object.walks.answered(found);
    }
    if (twin.t.nextPropertyAfter(o, key, dKey, dValue) != (found != null)) {
      throw new AssertionError("a walk from " + from + " must answer " + found);
    }
    if (found != null) {
      check(dKey, found);
    }
    return found != null;
  }
}
