package dev.gleaner.kit.oracle;

import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An element of the model. Values are {@link Special}, Boolean, Integer, Double, {@link
 * IdentityHash} and other elements; only the fields of the element's kind are in use.
 */
final class ShadowElement {
  final int number;
  final Kind kind;

  /** Slots of a record, inline slots of an object, constants and then inners of a function. */
  final Object[] slots;

  /** How many of a function's slots are constants. */
  int constants;

  /** The number of a function's code, -1 for none. */
  int code = -1;

  Object prototype = Special.NULL;

  /** Whether it was the prototype of another object at some time. */
  boolean wasPrototype;

  /** By the normal form of their keys: a Boolean, Integer, Long, Double or element. */
  final Map<Object, Object> properties = new LinkedHashMap<>();

  /** The number of its sort, 0 for none. */
  int sort;

  /** What an object does not hold of its properties. */
  int weakness;

  /**
   * Keys whose weak values were out of reach at some time: whether the property is there still, the
   * collector alone knows.
   */
  final Set<Object> doubtful = new HashSet<>();

  final ShadowWalks walks = new ShadowWalks();
  final ShadowIndexes indexes = new ShadowIndexes();

  /** What an integer is, whose value no slot holds. */
  long integer;

  byte[] bytes = {};

  /** The number whose pattern fills the bytes, or -1. */
  int pattern = -1;

  String text = "";
  @Nullable ShadowThread thread;
  @Nullable NativeValue nativeValue;

  /** The identity hash, once it was asked for. */
  @Nullable Integer hash;

  /** Of an object: how many objects were made and finalizers called before. */
  long age;

  /** Known to be freed. */
  boolean dead;

  ShadowElement(int number, Kind kind, int slots) {
    this.number = number;
    this.kind = kind;
    this.slots = new Object[slots];
    java.util.Arrays.fill(this.slots, Special.UNDEFINED);
  }

  /** The normal form of a value as a key, or null. */
  static @Nullable Object key(Object value) {
    return switch (value) {
      case Special _ -> null;
      case Double d when Double.isNaN(d) -> null;
      case Double d when d == d.intValue() -> d.intValue();
      case Double d when d == Math.rint(d) && d >= -0x1p63 && d < 0x1p63 -> d.longValue();
      case ShadowElement e when e.kind == Kind.INTEGER -> e.integer;
      case IdentityHash h -> h.value();
      default -> value;
    };
  }

  /** Whether a weak place does not hold a value: an element, but no string and no integer. */
  static boolean isMortal(Object value) {
    return value instanceof ShadowElement e && e.kind != Kind.STRING && e.kind != Kind.INTEGER;
  }

  boolean holdsKey(Object key) {
    return (weakness & Weakness.KEYS) == 0 || !isMortal(key);
  }

  /** Whether the object, or the key, holds a value. */
  boolean holdsValue(Object value) {
    return (weakness & Weakness.VALUES) == 0 || !isMortal(value);
  }

  /** The collector has cleared a property. */
  void clearProperty(Object key) {
    walks.cleared(key);
    forget(key);
  }

  private void forget(Object key) {
    properties.remove(key);
    doubtful.remove(key);
    if (ShadowIndexes.isIndex(key)) {
      indexes.remove((Integer) key, properties);
    }
  }

  boolean isWeak() {
    return weakness != Weakness.NONE;
  }

  /** Makes entries of what is in the array, in order. */
  void leaveArray() {
    indexes.array.forEach(walks::added);
    indexes.leaveArray();
  }

  void putProperty(Object key, Object value) {
    doubtful.remove(key);
    if (properties.containsKey(key)) {
      properties.put(key, value);
      return;
    }
    if (ShadowIndexes.isIndex(key)
        && indexes.put((Integer) key, properties, isWeak(), walks::addedToArray)) {
      walks.addedToArray((Integer) key);
    } else {
      walks.added(key);
    }
    properties.put(key, value);
  }

  /** Writes a range of the array as a whole, of which what is null is not there. */
  void writeArray(int from, List<@Nullable Object> values) {
    int end = 0;
    for (int i = 0; i < values.size(); i++) {
      int index = from + i;
      Object value = values.get(i);
      if (value != null) {
        properties.put(index, value);
        end = index + 1;
        if (indexes.array.add(index)) {
          walks.addedToArray(index);
        }
      } else if (indexes.array.remove(index)) {
        properties.remove(index);
        walks.vanished(index);
      }
    }
    indexes.written(end);
  }

  /** Deletes indexes from this one on, in the order in which that is done. */
  void setLength(int length) {
    for (Map.Entry<Object, Object> e : inOrder()) {
      if (ShadowIndexes.isIndex(e.getKey()) && (Integer) e.getKey() >= length) {
        boolean _ = deleteProperty(e.getKey());
      }
    }
    indexes.setLength(length);
  }

  /** The properties in the order of a walk. */
  List<Map.Entry<Object, Object>> inOrder() {
    List<Map.Entry<Object, Object>> found = new ArrayList<>(properties.entrySet());
    found.sort(Comparator.comparingLong(e -> walks.number(e.getKey())));
    return found;
  }

  /** Answers whether there was one. */
  boolean deleteProperty(Object key) {
    boolean had = properties.containsKey(key);
    if (had) {
      walks.deleted(key);
      forget(key);
    }
    return had;
  }

  ShadowThread asThread() {
    ShadowThread t = thread;
    if (t == null) {
      throw new AssertionError(this + " is no thread");
    }
    return t;
  }

  NativeValue asNative() {
    NativeValue v = nativeValue;
    if (v == null) {
      throw new AssertionError(this + " is no native");
    }
    return v;
  }

  /** Header and payload: what it takes at least. */
  long leastBytes() {
    return Long.BYTES * (1L + slots.length + (kind == Kind.INTEGER ? 1 : 0))
        + bytes.length
        + text.getBytes(StandardCharsets.UTF_8).length;
  }

  /**
   * Calls back for every element that this one holds by itself, once for each place that holds it.
   *
   * @param surely leaves out what doubtful properties hold
   */
  void forEachReference(boolean surely, Consumer<ShadowElement> visitor) {
    forEachFixed(surely, visitor);
    properties.forEach((key, value) -> {
      if (holdsKey(key) && !(surely && doubtful.contains(key))) {
        heldByProperty(key, value, visitor);
      }
    });
  }

  /** Calls back for each weak key and the element that it holds here. */
  void forEachEphemeron(BiConsumer<ShadowElement, ShadowElement> visitor) {
    properties.forEach((key, value) -> {
      if (!holdsKey(key) && holdsValue(value) && value instanceof ShadowElement v) {
        visitor.accept((ShadowElement) key, v);
      }
    });
  }

  /** Calls back for what a property holds as long as it is there. */
  void heldByProperty(Object key, Object value, Consumer<ShadowElement> visitor) {
    if (holdsKey(key)) {
      visit(walks.answer(key), visitor);
    }
    heldByValue(value, visitor);
  }

  /** Calls back for what the value of a property holds as long as it is there. */
  void heldByValue(Object value, Consumer<ShadowElement> visitor) {
    if (holdsValue(value)) {
      visit(value, visitor);
    }
  }

  /**
   * Calls back for every element that this one holds otherwise than by a property.
   *
   * @param surely leaves out what a walk's doubtful keys hold
   */
  void forEachFixed(boolean surely, Consumer<ShadowElement> visitor) {
    for (Object value : slots) {
      visit(value, visitor);
    }
    visit(prototype, visitor);
    walks.forEachKept(
        surely,
        key -> {
          if (holdsKey(key)) {
            visit(key, visitor);
          }
        });
    if (thread != null) {
      thread.forEachReference(visitor);
    }
  }

  static void visit(Object value, Consumer<ShadowElement> visitor) {
    if (value instanceof ShadowElement e) {
      visitor.accept(e);
    }
  }

  @Override
  public String toString() {
    String is = kind + " #" + number;
    return kind == Kind.STRING && text.length() < 20 ? is + " \"" + text + "\"" : is;
  }
}
