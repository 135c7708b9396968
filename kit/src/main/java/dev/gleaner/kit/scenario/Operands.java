package dev.gleaner.kit.scenario;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.ValueType;
import dev.gleaner.refusal.HeapUsageException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values and places on the heap: which slot of the current frame holds them.
 *
 * <p>A local is its slot. Everything else goes through the frame's temporaries, which are taken one
 * after the other and wiped at the end of the statement, also when it fails: the interpreter is no
 * root between two statements.
 *
 * <p>Reading has no side effects: the key of a property is looked up; a text there is never
 * interned.
 */
final class Operands {
  private static final double LARGEST_EXACT = 1L << 53;

  private final List<String> names;
  private final @Nullable GlobalRef[] globals;
  private final @Nullable WeakRef[] weaks;
  private Heap heap;
  private Mutator t;
  private FrameLayout layout;
  private int used;

  /** The number of the frame that the interpreter is in; each one that is entered has another. */
  private long frame;

  private long frames;

  Operands(Heap heap, Scenario.Program program) {
    this.heap = heap;
    this.t = heap.mutator();
    this.names = program.globals();
    this.globals = new GlobalRef[names.size()];
    this.weaks = new WeakRef[program.weaks()];
    this.layout = program.layout();
  }

  // ---- frames and temporaries ----

  /** Where in which frame the interpreter is. */
  record Position(FrameLayout layout, int used, long frame) {}

  Position position() {
    return new Position(layout, used, frame);
  }

  long frame() {
    return frame;
  }

  /** Goes on in a frame that the heap is in already. */
  void goTo(FrameLayout entered) {
    layout = entered;
    used = 0;
    frame = ++frames;
  }

  void goBackTo(Position position) {
    layout = position.layout;
    used = position.used;
    frame = position.frame;
  }

  /** Ends a statement. */
  void release() {
    if (used > 0) {
      used = 0;
      if (!heap.isClosed()) {
        t.wipe(layout.locals());
      }
    }
  }

  /** The first of some temporaries, one after the other. */
  int temps(int n) {
    int first = layout.locals() + used;
    used += n;
    return first;
  }

  /** Takes one more temporary, which is undefined. */
  int temp() {
    return layout.locals() + used++;
  }

  // ---- images ----

  /** The global roots that are made, by their names. */
  Map<String, GlobalRef> globals() {
    Map<String, GlobalRef> made = new LinkedHashMap<>();
    for (int i = 0; i < globals.length; i++) {
      GlobalRef ref = globals[i];
      if (ref != null) {
        made.put(names.get(i), ref);
      }
    }
    return made;
  }

  /** Goes on in the same frame of another heap, which has no weak references yet. */
  void goOnIn(Heap opened, Map<String, GlobalRef> made) {
    heap = opened;
    t = opened.mutator();
    Arrays.fill(weaks, null);
    for (int i = 0; i < globals.length; i++) {
      globals[i] = made.get(names.get(i));
    }
  }

  // ---- reading ----

  /** A slot that holds the value. */
  int slot(Value value) {
    if (value instanceof Place.Local local) {
      return local.slot();
    }
    int d = temp();
    load(d, value);
    return d;
  }

  /** The first of as many temporaries, side by side, which hold the values. */
  int sideBySide(List<Value> values) {
    int[] slots = values.stream().mapToInt(this::slot).toArray();
    int first = layout.locals() + used;
    for (int s : slots) {
      t.copy(temp(), s);
    }
    return first;
  }

  /** Reads a value into a slot. */
  void load(int d, Value value) {
    switch (value) {
      case Value.Plain plain -> loadPlain(d, plain);
      case Value.Int number -> t.setLong(d, number.value());
      case Value.Real number -> t.setDouble(d, number.value());
      case Value.Text text -> t.newString(d, text.text());
      case Name.Weak weak -> loadWeak(d, weak);
      case Place.Local local -> t.copy(d, local.slot());
      case Place.Global global -> loadGlobal(d, global);
      case Place.Slot slot -> t.load(d, slot(slot.of()), slot.index());
      case Place.Property property -> loadProperty(d, property);
      case Place.Prototype prototype -> t.getPrototype(d, slot(prototype.of()));
    }
  }

  private void loadPlain(int d, Value.Plain plain) {
    switch (plain) {
      case NULL -> t.setNull(d);
      case UNDEFINED -> t.setUndefined(d);
      case TRUE -> t.setBoolean(d, true);
      case FALSE -> t.setBoolean(d, false);
    }
  }

  private void loadGlobal(int d, Place.Global global) {
    GlobalRef ref = globals[global.index()];
    if (ref == null) {
      t.setUndefined(d);
    } else {
      t.getGlobal(d, ref);
    }
  }

  private void loadWeak(int d, Name.Weak weak) {
    WeakRef ref = weaks[weak.index()];
    if (ref == null) {
      t.setUndefined(d);
    } else {
      boolean _ = t.getWeak(d, ref);
    }
  }

  private void loadProperty(int d, Place.Property property) {
    int object = slot(property.of());
    int key = keyToFind(property.key());
    if (key < 0) {
      int _ = t.propertyCount(object); // it must be an object
      t.setUndefined(d);
    } else {
      t.getProperty(d, object, key);
    }
  }

  /** A slot that holds a key; -1 if it is a string that is not interned, so that nobody has it. */
  private int keyToFind(Value key) {
    if (key instanceof Value.Text text) {
      int s = temp();
      return t.findString(s, text.text()) ? s : -1;
    }
    return slot(key);
  }

  // ---- storing ----

  /** The slot where to make what goes to a place; {@link #put} takes it there. */
  int target(Place place) {
    return place instanceof Place.Local local ? local.slot() : temp();
  }

  void put(Place place, int s) {
    if (!(place instanceof Place.Local)) {
      store(place, s);
    }
  }

  /** Stores a slot's value in a place. */
  void store(Place place, int s) {
    switch (place) {
      case Place.Local local -> t.copy(local.slot(), s);
      case Place.Global global -> t.setGlobal(made(global), s);
      case Place.Slot slot -> t.store(slot(slot.of()), slot.index(), s);
      case Place.Property property -> {
        int object = slot(property.of());
        t.putProperty(object, slot(property.key()), s);
      }
      case Place.Prototype prototype -> t.setPrototype(slot(prototype.of()), s);
    }
  }

  private GlobalRef made(Place.Global global) {
    GlobalRef ref = globals[global.index()];
    if (ref == null) {
      ref = heap.newGlobal();
      globals[global.index()] = ref;
    }
    return ref;
  }

  /** Removes a property. */
  void delete(Place object, Value key) {
    int o = slot(object);
    int k = keyToFind(key);
    if (k < 0) {
      int _ = t.propertyCount(o);
    } else {
      boolean _ = t.deleteProperty(o, k);
    }
  }

  /**
   * Forgets a name. The name is free before the element is released, so that what a prompt
   * finalizer stores under it stays.
   */
  void drop(Name name) {
    switch (name) {
      case Place.Local local -> t.setUndefined(local.slot());
      case Place.Global global -> {
        GlobalRef ref = globals[global.index()];
        if (ref != null) {
          t.setGlobal(ref, temp());
        }
      }
      case Name.Weak weak -> setWeak(weak, null);
    }
  }

  void makeWeak(Name.Weak weak, Value value) {
    setWeak(weak, t.newWeak(slot(value)));
  }

  private void setWeak(Name.Weak weak, @Nullable WeakRef ref) {
    WeakRef old = weaks[weak.index()];
    weaks[weak.index()] = ref;
    if (old != null) {
      old.close();
    }
  }

  boolean isCleared(Name.Weak weak) {
    WeakRef ref = weaks[weak.index()];
    if (ref == null) {
      throw new HeapUsageException("no weak reference " + weak);
    }
    return ref.isCleared();
  }

  // ---- numbers and comparisons ----

  /** Adds to the whole number in a slot; an integer wraps around at 64 bits. */
  void add(int d, long summand) {
    if (t.type(d) != ValueType.DOUBLE) {
      t.setLong(d, t.getLong(d) + summand);
      return;
    }
    double value = t.getDouble(d);
    double sum = value + summand;
    if (value != Math.rint(value) || Math.abs(sum) > LARGEST_EXACT) {
      throw new HeapUsageException("not an integer: " + Texts.number(sum));
    }
    if (sum == (int) sum) {
      t.setInt(d, (int) sum);
    } else {
      t.setDouble(d, sum);
    }
  }

  boolean isInterned(String text) {
    int s = temp();
    boolean found = t.findString(s, text);
    release();
    return found;
  }

  /** Whether two values are the same element, or equal. Interns nothing. */
  boolean same(Value a, Value b) {
    if (a instanceof Value.Text text) {
      return isText(b, text.text());
    }
    if (b instanceof Value.Text text) {
      return isText(a, text.text());
    }
    int left = slot(a);
    int right = slot(b);
    if (isNumber(left) && isNumber(right) && !(t.isInteger(left) && t.isInteger(right))) {
      if (t.isInteger(left) != t.isInteger(right)) {
        return t.isInteger(left) ? sameNumber(left, right) : sameNumber(right, left);
      }
      double x = number(left);
      double y = number(right);
      return x == y || (Double.isNaN(x) && Double.isNaN(y));
    }
    return t.same(left, right) || isCopy(left, right);
  }

  /** Whether an integer and a double are the same number, exactly. */
  private boolean sameNumber(int integer, int real) {
    double x = t.getDouble(real);
    return x == Math.rint(x) && x >= -0x1p63 && x < 0x1p63 && (long) x == t.getLong(integer);
  }

  /** Whether these are strings with the same bytes, of which one is not interned. */
  private boolean isCopy(int a, int b) {
    return isString(a)
        && isString(b)
        && !(t.isInterned(a) && t.isInterned(b))
        && t.equalStrings(a, b);
  }

  private boolean isText(Value value, String text) {
    if (value instanceof Value.Text other) {
      return other.text().equals(text);
    }
    int s = slot(value);
    return isString(s) && t.isText(s) && t.getString(s).equals(text);
  }

  private boolean isString(int s) {
    return t.isReference(s) && t.kind(s) == Kind.STRING;
  }

  boolean isNumber(int s) {
    ValueType type = t.type(s);
    return type == ValueType.INT || type == ValueType.DOUBLE;
  }

  double number(int s) {
    return t.isInteger(s) ? t.getLong(s) : t.getDouble(s);
  }

  /** The value as text, a string in quotes. */
  String describe(Value value) {
    if (value instanceof Value.Text text) {
      return text.toString();
    }
    int s = slot(value);
    if (isString(s) && t.isText(s)) {
      return Texts.quoted(t.getString(s));
    }
    return isString(s) ? '"' + Texts.escaped(bytes(s)) + '"' : plain(s);
  }

  /** The value as text, a string as it is. */
  String print(Value value) {
    if (value instanceof Value.Text text) {
      return text.text();
    }
    int s = slot(value);
    if (!isString(s)) {
      return plain(s);
    }
    return t.isText(s) ? t.getString(s) : Texts.escaped(bytes(s));
  }

  private byte[] bytes(int s) {
    byte[] bytes = new byte[t.stringBytes(s)];
    t.readString(s, 0, bytes, 0, bytes.length);
    return bytes;
  }

  private String plain(int s) {
    return switch (t.type(s)) {
      case UNDEFINED -> "undefined";
      case NULL -> "null";
      case BOOLEAN -> Boolean.toString(t.getBoolean(s));
      case INT -> Long.toString(t.getLong(s));
      case DOUBLE -> Texts.number(t.getDouble(s));
      case REFERENCE -> {
        String kind = t.kind(s).text();
        yield (kind.startsWith("o") ? "an " : "a ") + kind;
      }
    };
  }
}
