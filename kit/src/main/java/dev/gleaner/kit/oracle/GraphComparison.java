package dev.gleaner.kit.oracle;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Walks the heap and its model in step, from the current frame and the globals: same values, same
 * shape, elements that are one in the model are one in the heap and no two of the model are.
 *
 * <p>Elements met are held in global references of its own, so that the walk needs no memory of the
 * heap and causes no collection. It works in the frame's four scratch slots. A suspended thread's
 * topmost slots are popped and pushed back.
 */
final class GraphComparison {
  private final Twin twin;
  private final Mutator t;
  private final List<GlobalRef> refs = new ArrayList<>();
  private final List<GlobalRef> popped = new ArrayList<>();
  private final Map<ShadowElement, Integer> numbers = new HashMap<>();
  private final Map<Integer, List<ShadowElement>> byHash = new HashMap<>();
  private final List<ShadowElement> met = new ArrayList<>();
  private int element;
  private int first;
  private int second;
  private int other;

  GraphComparison(Twin twin) {
    this.twin = twin;
    this.t = twin.t;
  }

  void run() {
    ShadowThread.Frame frame = twin.frame();
    element = frame.scratch();
    first = element + 1;
    second = element + 2;
    other = element + 3;
    for (int i = 0; i < frame.slots.size(); i++) {
      if (!frame.isScratch(i)) {
        check(i, frame.slots.get(i), "slot " + i);
      }
    }
    for (ShadowHeap.Global global : twin.shadow.globals.values()) {
      t.getGlobal(first, global.ref());
      check(first, global.value, "a global");
    }
    twin.shadow.builtinRefs.forEach((e, ref) -> {
      expect(t.getWeak(first, ref), "a weak reference", e + ", which is built in");
      check(first, e, "a weak reference");
    });
    for (int i = 0; i < met.size(); i++) {
      t.getGlobal(element, refs.get(i));
      contents(met.get(i));
    }
    finish();
  }

  private void finish() {
    for (int i = 0; i < ShadowThread.SCRATCH; i++) {
      t.setUndefined(element + i);
      twin.set(element + i, Special.UNDEFINED);
    }
    for (int i = 0; i < met.size(); i++) {
      t.setGlobal(refs.get(i), element);
    }
    numbers.clear();
    byHash.clear();
    met.clear();
  }

  private void check(int slot, Object expected, String where) {
    switch (expected) {
      case ShadowElement e -> checkElement(slot, e, where);
      case Special s -> {
        expect(s == Special.NULL ? t.isNull(slot) : t.isUndefined(slot), where, s);
        expect(t.get(slot) == (s == Special.NULL ? Values.NULL : Values.UNDEFINED), where, s);
      }
      case Boolean b -> {
        expect(t.type(slot) == ValueType.BOOLEAN && t.getBoolean(slot) == b, where, b);
        expect(t.get(slot) == Values.ofBoolean(b), where, b);
      }
      case Integer i -> {
        expect(t.type(slot) == ValueType.INT && t.getInt(slot) == i, where, i);
        expect(t.get(slot) == Values.ofInt(i), where, i);
      }
      case IdentityHash h ->
          expect(t.type(slot) == ValueType.INT && t.getInt(slot) == h.value(), where, h);
      case Double d ->
          expect(
              t.type(slot) == ValueType.DOUBLE && Double.compare(t.getDouble(slot), d) == 0,
              where,
              d);
      default -> throw new AssertionError(expected);
    }
  }

  private static void expect(boolean holds, String where, Object expected) {
    if (!holds) {
      throw new AssertionError(where + " must hold " + expected);
    }
  }

  private void checkElement(int slot, ShadowElement e, String where) {
    if (e.kind == Kind.INTEGER) {
      expect(!e.dead && t.isInteger(slot) && t.getLong(slot) == e.integer, where, e.integer);
      expect(!t.isReference(slot) && t.type(slot) == ValueType.INT, where, e.integer);
      return;
    }
    expect(!e.dead && t.isReference(slot) && t.kind(slot) == e.kind, where, e);
    Integer number = numbers.get(e);
    if (number != null) {
      t.getGlobal(other, refs.get(number));
      expect(t.same(slot, other), where, e);
      return;
    }
    int hash = t.identityHash(slot);
    expect(e.hash == null || e.hash == hash, where, "the hash of " + e + ", " + e.hash);
    if (!twin.sayable) { // there a statement asks for it
      e.hash = hash;
    }
    List<ShadowElement> alike = byHash.computeIfAbsent(hash, h -> new ArrayList<>());
    for (ShadowElement a : alike) {
      t.getGlobal(other, refs.get(numbers.getOrDefault(a, 0)));
      expect(!t.same(slot, other), where, e + ", another element than " + a);
    }
    alike.add(e);
    if (refs.size() == met.size()) {
      refs.add(twin.heap.newGlobal());
    }
    t.setGlobal(refs.get(met.size()), slot);
    numbers.put(e, met.size());
    met.add(e);
  }

  private void contents(ShadowElement e) {
    switch (e.kind) {
      case STRING -> {
        String text = t.getString(element);
        expect(text.equals(e.text), "string", e);
        expect(t.stringLength(element) == text.codePointCount(0, text.length()), "length", e);
      }
      case RECORD -> slots(e);
      case OBJECT -> {
        slots(e);
        properties(e);
      }
      case BUFFER, DYNAMIC_BUFFER -> bytes(e);
      case FUNCTION -> function(e);
      case NATIVE ->
          expect(Objects.equals(t.nativeValue(element), e.nativeValue), "native value", e);
      case THREAD -> thread(e);
      case INTEGER -> throw new AssertionError("an integer is a value");
    }
  }

  private void slots(ShadowElement e) {
    expect(t.slotCount(element) == e.slots.length, "number of slots", e);
    for (int i = 0; i < e.slots.length; i++) {
      boolean isElement = e.slots[i] instanceof ShadowElement;
      expect(Values.isReference(t.get(element, i)) == isElement, e + "[" + i + "]", e.slots[i]);
      t.load(first, element, i);
      check(first, e.slots[i], e + "[" + i + "]");
    }
  }

  private void properties(ShadowElement e) {
    t.getPrototype(first, element);
    check(first, e.prototype, e + ".prototype");
    expect(t.propertyCount(element) == e.properties.size(), "number of properties", e);
    long cursor = 0;
    for (Map.Entry<Object, Object> property : e.inOrder()) {
      e.indexes.fixed = true;
      cursor = t.nextProperty(element, cursor, first, second);
      expect(cursor > 0, "next property", property.getKey());
      check(first, e.walks.answer(property.getKey()), "key of " + e);
      check(second, property.getValue(), e + "." + property.getKey());
    }
    expect(t.nextProperty(element, cursor, first, second) == -1, "end of properties", e);
    expect(t.arrayLength(element) == e.indexes.length, "length", e);
    expect(t.border(element) == e.indexes.border(e.properties), "border", e);
    for (Map.Entry<Object, Object> property : e.properties.entrySet()) {
      if (ShadowIndexes.isIndex(property.getKey())) {
        t.getIndex(first, element, (Integer) property.getKey());
        check(first, property.getValue(), e + "[" + property.getKey() + "]");
      }
    }
  }

  private void bytes(ShadowElement e) {
    expect(t.bufferSize(element) == e.bytes.length, "size", e);
    byte[] found = new byte[e.bytes.length];
    t.readBytes(element, 0, found, 0, found.length);
    expect(Arrays.equals(found, e.bytes), "bytes", e);
  }

  private void function(ShadowElement e) {
    expect(t.functionCode(element) == e.code, "the number of the code", e.code);
    for (int i = 0; i < e.slots.length; i++) {
      if (i < e.constants) {
        t.loadConstant(first, element, i);
      } else {
        t.loadInner(first, element, i - e.constants);
      }
      check(first, e.slots[i], e + "(" + i + ")");
    }
  }

  private void thread(ShadowElement e) {
    ShadowThread.Frame frame = e.asThread().top();
    if (e.asThread().running) {
      return;
    }
    int n = frame.slots.size() - frame.entered;
    for (int i = 0; i < n; i++) {
      t.pop(element, first);
      check(first, frame.slots.get(frame.slots.size() - 1 - i), e + " slot " + i + " from the top");
      pushLater(i);
    }
    for (int i = n - 1; i >= 0; i--) {
      t.getGlobal(first, popped.get(i));
      t.push(element, first);
      t.setUndefined(first);
      t.setGlobal(popped.get(i), first);
    }
  }

  private void pushLater(int i) {
    if (popped.size() == i) {
      popped.add(twin.heap.newGlobal());
    }
    t.setGlobal(popped.get(i), first);
  }

  /** Gives the references back. */
  void close() {
    refs.forEach(GlobalRef::close);
    popped.forEach(GlobalRef::close);
  }
}
