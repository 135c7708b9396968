package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.table.Keys;
import dev.gleaner.table.PropertyTables;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Objects;

/**
 * Larger steps on objects: one call does the commonest table accesses of a guest language.
 *
 * <pre>
 *   lookUp   an object?   does the object or a prototype have the key?   load it,  or return ABSENT
 *   update   an object?   does the object have the key, or end there?    store it, or return false
 * </pre>
 *
 * <p>A step refuses only a slot that does not exist. If a step has done nothing, the guest's own
 * rules decide. The compiler inlines the case of an array index late ({@link Inlining}). A search
 * for a string is a call.
 */
final class PropertySteps {
  private static final MethodHandle LOOK_UP =
      handle("doLookUp", long.class, int.class, int.class, int.class);
  private static final MethodHandle UPDATE =
      handle("doUpdate", boolean.class, int.class, int.class, int.class);
  private static final MethodHandle UPDATE_GUARDED =
      handle("doUpdate", boolean.class, int.class, int.class, int.class, int.class);
  private static final MethodHandle LOOK_UP_NAME =
      handle("doLookUp", long.class, int.class, int.class, GlobalRef.class);
  private static final MethodHandle LOOK_UP_LINKED =
      handle(
          "doLookUp",
          long.class,
          int.class,
          int.class,
          GlobalRef.class,
          int.class,
          GlobalRef.class);
  private static final MethodHandle UPDATE_NAME =
      handle("doUpdate", boolean.class, int.class, GlobalRef.class, int.class);

  /**
   * Not final, so that the compiler {@linkplain Inlining never} inlines a search, which is deep.
   */
  @SuppressWarnings("NonFinalStaticField")
  private static MethodHandle search = handle("doPlaceOf", long.class, long.class, long.class);

  @SuppressWarnings("NonFinalStaticField")
  private static MethodHandle ownSearch =
      handle("doOwnPlaceOf", long.class, long.class, long.class);

  @SuppressWarnings("NonFinalStaticField")
  private static MethodHandle nameSearch =
      handle("doSearchByName", long.class, long.class, long.class, GlobalRef.class);

  @SuppressWarnings("NonFinalStaticField")
  private static MethodHandle linkSearch =
      handle(
          "doFollowLinks",
          long.class,
          long.class,
          long.class,
          GlobalRef.class,
          int.class,
          GlobalRef.class);

  private static final int NO_GUARD = -1;

  /**
   * The most links that a look-up follows. For longer chains the caller bounds and charges them.
   */
  private static final int LONGEST_CHAIN = 10;

  private final WordAccess r;
  private final HeapParts context;
  private final Globals globals;
  private final ObjectAccess objects;
  private final StringMaker strings;
  private final PropertyTables tables;

  PropertySteps(HeapCore core, ObjectAccess objects, StringMaker strings) {
    this.r = core.registers();
    this.context = core.context();
    this.globals = core.globals();
    this.objects = objects;
    this.strings = strings;
    this.tables = core.context().tables();
  }

  private static MethodHandle handle(String name, Class<?> result, Class<?>... parameters) {
    return Inlining.handle(MethodHandles.lookup(), PropertySteps.class, name, result, parameters);
  }

  private boolean isObject(long value) {
    return isKind(value, Layout.OBJECT);
  }

  private boolean isKind(long value, int kind) {
    return Layout.kind(r.header(value)) == kind;
  }

  long lookUp(int d, int o, int key) {
    MethodHandle late = LOOK_UP;
    while (true) {
      try {
        return (long) late.invokeExact(this, d, o, key);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  long doLookUp(int d, int o, int key) {
    r.checkStep();
    long at = r.slot(d);
    long k = r.value(key);
    long e = r.value(o);
    if (!isObject(e)) {
      return Values.ABSENT;
    }
    long v = Values.isInt(k) ? elementAt(e, Values.toInt(k)) : property(e, k);
    if (v != Values.ABSENT) {
      r.writeSlot(at, v);
    }
    return v;
  }

  /** Looks up a property, and returns the kind of an element in place of its reference. */
  long lookUpKind(int d, int o, int key) {
    return kindOf(d, lookUp(d, o, key));
  }

  long lookUpKind(int d, int o, GlobalRef name) {
    return kindOf(d, lookUp(d, o, name));
  }

  private long kindOf(int d, long found) {
    return Values.isReference(found)
        ? Values.ofKind(Layout.kindOf(Layout.kind(r.header(r.value(d)))))
        : found;
  }

  private long elementAt(long e, int index) {
    long place = PropertyTables.arrayPlace(r.mem, e, index);
    long v = place == 0 ? Values.ABSENT : r.mem.get(place);
    return v == Values.ABSENT ? searched(e, Values.ofInt(index)) : v; // a hole is ABSENT, too
  }

  private long property(long object, long key) {
    long k = Values.isDouble(key) ? Keys.normal(key) : key;
    return Values.isInt(k) ? elementAt(object, Values.toInt(k)) : searched(object, k);
  }

  private long searched(long object, long key) {
    long place = placeOf(object, key);
    long v = place == 0 ? Values.ABSENT : r.mem.get(place);
    if (place != 0 && context.barrier() && tables.weak().size() > 0) {
      r.shade(v); // the value may come from a weak table, which no snapshot has
    }
    return v;
  }

  /** Returns the normal form of a key; 0 if no table can have the key. */
  private long known(long key) {
    if (Values.isReference(key)) {
      return isKind(key, Layout.STRING) ? strings.known(key) : tables.keys().toFind(key);
    }
    return tables.keys().toFind(key);
  }

  private long placeOf(long object, long key) {
    try {
      return (long) search.invokeExact(this, object, key);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  /** Returns the place of the value of a property of an object or of its prototypes, or 0. */
  long doPlaceOf(long object, long key) {
    long k = known(key);
    if (k != 0) {
      for (long e = object; Values.isReference(e); e = r.mem.get(e + Layout.OBJECT_PROTOTYPE)) {
        long place = tables.seenPlace(e, k);
        if (place != 0) {
          return place;
        }
      }
    }
    return 0;
  }

  long lookUp(int d, int o, GlobalRef name) {
    MethodHandle late = LOOK_UP_NAME;
    while (true) {
      try {
        return (long) late.invokeExact(this, d, o, name);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  long doLookUp(int d, int o, GlobalRef name) {
    r.checkStep();
    long at = r.slot(d);
    long k = globals.get(Objects.requireNonNull(name, "name"));
    long e = r.value(o);
    long v = isObject(e) ? named(e, k, name) : Values.ABSENT;
    if (v != Values.ABSENT) {
      r.writeSlot(at, v);
    }
    return v;
  }

  /**
   * Returns the place of the property of a name. Similar objects have the property in the same
   * entry, so the search first tries the entry where it was found last.
   */
  private long named(long object, long key, GlobalRef name) {
    if (!context.barrier()) {
      long place = PropertyTables.placeAt(r.mem, object, name.entry, key);
      if (place != 0) {
        return r.mem.get(place);
      }
    }
    return searchedByName(object, key, name);
  }

  private long searchedByName(long object, long key, GlobalRef name) {
    try {
      return (long) nameSearch.invokeExact(this, object, key, name);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  /** Does {@link #property}, and notes the entry in the name. */
  long doSearchByName(long object, long key, GlobalRef name) {
    if (!Values.isReference(key)) {
      return property(object, key);
    }
    long k = known(key);
    for (long e = object; k != 0 && Values.isReference(e); ) {
      long place = tables.seenPlace(e, k);
      if (place != 0) {
        name.entry = tables.entryOf(e, place);
        long v = r.mem.get(place);
        if (context.barrier() && tables.weak().size() > 0) {
          r.shade(v); // may come from a weak table, too
        }
        return v;
      }
      e = r.mem.get(e + Layout.OBJECT_PROTOTYPE);
    }
    return Values.ABSENT;
  }

  /**
   * Looks up a name in an object that delegates. Without such a property the look-up continues with
   * the object that the property {@code link} holds in the object of inline slot {@code i}.
   */
  long lookUp(int d, int o, GlobalRef name, int i, GlobalRef link) {
    MethodHandle late = LOOK_UP_LINKED;
    while (true) {
      try {
        return (long) late.invokeExact(this, d, o, name, i, link);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  long doLookUp(int d, int o, GlobalRef name, int i, GlobalRef link) {
    r.checkStep();
    long at = r.slot(d);
    long k = globals.get(Objects.requireNonNull(name, "name"));
    long _ = globals.get(Objects.requireNonNull(link, "link"));
    long e = r.value(o);
    if (i < 0) {
      throw new HeapUsageException("negative index of a slot: " + i);
    }
    long v = isObject(e) ? named(e, k, name) : Values.ABSENT;
    if (v == Values.ABSENT && isObject(e)) {
      v = followLinks(e, k, name, i, link);
    }
    if (v != Values.ABSENT) {
      r.writeSlot(at, v);
    }
    return v;
  }

  private long followLinks(long object, long key, GlobalRef name, int i, GlobalRef link) {
    try {
      return (long) linkSearch.invokeExact(this, object, key, name, i, link);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  long doFollowLinks(long object, long key, GlobalRef name, int i, GlobalRef link) {
    long linkKey = globals.get(link);
    long e = object;
    for (int n = 0; n < LONGEST_CHAIN; n++) {
      long holder = inline(e, i);
      if (holder == Values.UNDEFINED) {
        return Values.UNDEFINED;
      }
      if (!isObject(holder)) {
        return Values.ABSENT;
      }
      long next = named(holder, linkKey, link);
      if (next == Values.ABSENT) {
        return Values.UNDEFINED;
      }
      if (!isObject(next)) {
        return Values.ABSENT;
      }
      e = next;
      long v = named(e, key, name);
      if (v != Values.ABSENT) {
        return v;
      }
    }
    return Values.ABSENT;
  }

  /** Returns the value of an inline slot; undefined if there is no such slot. */
  private long inline(long object, int i) {
    return i < inlineSlots(object) ? inlineAt(object, i) : Values.UNDEFINED;
  }

  private long inlineSlots(long object) {
    return Layout.payloadWords(r.mem, object, r.mem.get(object)) - Layout.OBJECT_SLOTS;
  }

  private long inlineAt(long object, int i) {
    return r.mem.get(object + 8 + ((long) (Layout.OBJECT_SLOTS + i) << 3));
  }

  boolean update(int o, GlobalRef name, int s) {
    MethodHandle late = UPDATE_NAME;
    while (true) {
      try {
        return (boolean) late.invokeExact(this, o, name, s);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  boolean doUpdate(int o, GlobalRef name, int s) {
    r.checkStep();
    long v = r.value(s);
    long k = globals.get(Objects.requireNonNull(name, "name"));
    long e = r.value(o);
    if (!isObject(e)) {
      return false;
    }
    long place = PropertyTables.placeAt(r.mem, e, name.entry, k);
    if (place == 0) {
      return updateProperty(e, k, v);
    }
    r.storeValue(e, place, v);
    return true;
  }

  boolean update(int o, int key, int s) {
    MethodHandle late = UPDATE;
    while (true) {
      try {
        return (boolean) late.invokeExact(this, o, key, s);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  boolean doUpdate(int o, int key, int s) {
    return doUpdate(o, key, s, NO_GUARD);
  }

  boolean update(int o, int key, int s, int guard) {
    if (guard < 0) {
      r.check();
      throw new HeapUsageException("no inline slot " + guard);
    }
    MethodHandle late = UPDATE_GUARDED;
    while (true) {
      try {
        return (boolean) late.invokeExact(this, o, key, s, guard);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  boolean doUpdate(int o, int key, int s, int guard) {
    r.checkStep();
    long v = r.value(s);
    long given = r.value(key);
    long k = Values.isDouble(given) ? Keys.normal(given) : given;
    long e = r.value(o);
    if (!isObject(e)) {
      return false;
    }
    boolean grows = guard == NO_GUARD || isFree(o, e, guard);
    if (!Values.isInt(k)) {
      return updateProperty(e, k, v);
    }
    int index = Values.toInt(k);
    long place = PropertyTables.arrayPlace(r.mem, e, index);
    if (place != 0 && r.mem.get(place) != TableLayout.HOLE) {
      r.storeValue(e, place, v);
      return true;
    }
    return (grows && index == tables.arrayLength(e))
        ? append(o, index, s)
        : updateProperty(e, k, v);
  }

  boolean updateValue(int o, int key, long value) {
    r.check();
    try {
      ValueAccess.checkPlain(value);
      long given = r.value(key);
      long k = Values.isDouble(given) ? Keys.normal(given) : given;
      long e = r.value(o);
      if (!isObject(e)) {
        return false;
      }
      boolean updated = updateProperty(e, k, value);
      if (!updated && Values.isInt(k) && Values.toInt(k) == tables.arrayLength(e)) {
        objects.setAt(o, Values.toInt(k), value);
        return true;
      }
      return updated;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private boolean isFree(int o, long object, int guard) {
    long v =
        guard < inlineSlots(object) ? inlineAt(object, guard) : RecordAccess.doGet(r, o, guard);
    return v == Values.UNDEFINED;
  }

  private boolean updateProperty(long e, long key, long value) {
    long place = ownPlaceOf(e, key);
    if (place != 0 && Layout.isWeak(r.mem.get(e))) {
      r.check();
      objects.updateWeak(e, tables.keyAt(e, place), value); // the key in its normal form
    } else if (place != 0) {
      r.storeValue(e, place, value);
    }
    return place != 0;
  }

  private long ownPlaceOf(long object, long key) {
    try {
      return (long) ownSearch.invokeExact(this, object, key);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  long doOwnPlaceOf(long object, long key) {
    long k = known(key);
    return k == 0 ? 0 : tables.seenPlace(object, k);
  }

  private boolean append(int o, int index, int s) {
    objects.putIndex(o, index, s);
    return true;
  }

  /** Returns the value of an own index; {@link Values#ABSENT} if there is none. */
  long getAt(int o, int index) {
    r.check();
    long e = objects.object(o);
    long inArray = PropertyTables.arrayPlace(r.mem, e, index);
    long v = inArray == 0 ? Values.ABSENT : r.mem.get(inArray);
    if (v == Values.ABSENT) {
      long place = ownPlaceOf(e, Values.ofInt(index));
      v = place == 0 ? v : r.mem.get(place);
      if (place != 0 && context.barrier() && tables.weak().size() > 0) {
        r.shade(v);
      }
    }
    return v;
  }
}
