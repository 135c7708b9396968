package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.table.Keys;
import dev.gleaner.table.PropertyTables;
import dev.gleaner.weak.FinalizerTable;
import dev.gleaner.weak.WeakObjects;
import java.util.Objects;

/**
 * Objects by slots: properties, array part, prototype. {@link PropertyTables} finds the place of a
 * key in a table. This class does the other duties of a store.
 *
 * <pre>
 *   key(s)         a key to search    in its normal form; 0 if no table can have it
 *   keyToHold(s)   a key to store     a string is interned; a young element becomes old
 *   putIfRoom      finds the place, counts or remembers a new key, stores the value by the
 *                  write barrier; false if the table is full
 *   makeRoom       makes a larger table; collects if memory is short
 * </pre>
 *
 * <p>A put is a loop of {@code putIfRoom} and {@code makeRoom}: a collection that makes room runs
 * finalizers, and these may use the room or put the key. After each call that may collect or let a
 * value escape, this class reads places and headers again, as elements may have moved.
 *
 * <p>{@link WeakAccess} treats weak tables, {@link ArrayAccess} ranges of indexes, {@link
 * PropertySteps} the commonest steps of a guest language.
 */
final class ObjectAccess {
  /** Stands in place of a key for an array of a length; the lower half has the length. */
  private static final long ARRAY_ROOM = Values.ofRaw(1L << 32);

  private final WordAccess r;
  private final HeapParts context;
  private final Driver driver;
  private final Memory mem;
  private final PropertyTables tables;
  private final StringMaker strings;
  private final Globals globals;
  private final long[] buffers;
  private final IntegerAccess integers;
  private final WeakAccess weak;
  private final FinalizerTable finalizers;
  private final Heirs heirs;

  ObjectAccess(HeapCore core, StringMaker strings, IntegerAccess integers, Heirs heirs) {
    this.r = core.registers();
    this.integers = integers;
    this.context = core.context();
    this.driver = core.driver();
    this.mem = core.context().memory();
    this.tables = core.context().tables();
    this.strings = strings;
    this.globals = core.globals();
    this.buffers = core.collector().allocationBuffers(Layout.OBJECT);
    this.weak = new WeakAccess(core);
    this.finalizers = core.context().finalizers();
    this.heirs = heirs;
  }

  void newObject(int d, int inlineSlots) {
    r.check();
    try {
      make(d, inlineSlots);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Makes an object with a prototype. */
  void newObject(int d, int inlineSlots, int prototype) {
    r.check();
    try {
      long _ = prototype(prototype);
      boolean charged = finalizers.lends() && chargeHeir(d, inlineSlots, prototype);
      long e = charged ? allocateCharged(d, inlineSlots) : allocate(d, inlineSlots);
      if (charged || finalizers.lends()) {
        makeHeir(d, e, prototype(prototype), charged);
      } else {
        makeWith(d, e, prototype(prototype)); // it may have moved
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private void makeWith(int d, long e, long prototype) {
    if (r.young == null) {
      r.store(e, e + Layout.OBJECT_PROTOTYPE, prototype);
      r.setSlot(d, e);
    } else { // the store may move the object, so a slot has it first
      r.setSlot(d, e);
      r.store(e, e + Layout.OBJECT_PROTOTYPE, prototype);
    }
  }

  private boolean chargeHeir(int d, int inlineSlots, int prototype) {
    check(d, inlineSlots);
    return heirs.chargeMade(prototype(prototype));
  }

  /** Makes an object that no slot has yet, and takes back its charge if it is refused. */
  private long allocateCharged(int d, int inlineSlots) {
    boolean refused = true;
    try {
      long e = allocate(d, inlineSlots);
      refused = false;
      return e;
    } finally {
      if (refused) {
        heirs.refundMade();
      }
    }
  }

  /** Makes the object when it may inherit a finalizer: none runs before it does. */
  private void makeHeir(int d, long e, long prototype, boolean charged) {
    driver.runner.held++;
    try {
      makeWith(d, e, prototype);
      heirs.addMade(d, charged);
    } finally {
      driver.runner.held--; // before the next call, which an Error may break off
      driver.runner.resume();
    }
  }

  private void make(int d, int inlineSlots) {
    r.setSlot(d, allocate(d, inlineSlots));
  }

  private void check(int d, int inlineSlots) {
    long _ = r.slot(d);
    if (inlineSlots < 0) {
      throw new HeapUsageException("negative number of slots: " + inlineSlots);
    }
  }

  /** Makes an object that no slot has yet. */
  private long allocate(int d, int inlineSlots) {
    check(d, inlineSlots);
    long payload = (long) inlineSlots + Layout.OBJECT_SLOTS;
    long e = AllocationBuffers.take(buffers, payload + 1);
    if (e != 0) {
      mem.put(e, Layout.header(Layout.OBJECT, payload));
    } else {
      e = driver.allocateElement(Layout.OBJECT, payload);
    }
    finalizers.noteMade(e);
    mem.put(e + Layout.OBJECT_PROTOTYPE, Values.NULL);
    mem.put(e + Layout.OBJECT_TABLE, Values.ofRaw(0));
    return e;
  }

  /** Makes an object with a table that has room. All collections come before the first use. */
  void newObject(int d, int inlineSlots, int properties, int elements) {
    r.check();
    try {
      if (properties < 0 || elements < 0) {
        throw new HeapUsageException(
            "negative number of properties: " + Math.min(properties, elements));
      }
      if (properties == 0 && elements == 0) {
        make(d, inlineSlots);
        return;
      }
      long _ = r.slot(d);
      if (inlineSlots < 0) {
        throw new HeapUsageException("negative number of slots: " + inlineSlots);
      }
      driver.beforeAllocation();
      long table = tables.prepare(properties, elements);
      for (int attempt = 0; table == 0; attempt++) {
        driver.beforeRetry(attempt, tables.refusedBytes());
        table = tables.prepare(properties, elements);
      }
      boolean made = false;
      try {
        make(d, inlineSlots);
        made = true;
      } finally {
        if (!made) {
          context.functions().free(table);
        }
      }
      tables.adopt(object(d), table);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void newWeakObject(int d, int weakness) {
    r.check();
    try {
      WeakAccess.check(weakness);
      if (weakness != Weakness.NONE) {
        long _ = r.slot(d);
        weak.makeRoom(); // before the slot loses its value
      }
      tables.weak().keepRoom(true);
      try {
        make(d, 0);
      } finally {
        tables.weak().keepRoom(false);
      }
      weak.set(d, weakness);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void setWeakness(int o, int weakness) {
    r.check();
    try {
      weak.set(o, weakness);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  long object(int o) {
    return r.element(o, Layout.OBJECT, "object");
  }

  /**
   * Returns the key in a slot in its normal form. Returns 0 for a string that is not interned, as
   * no table can have it.
   */
  private long key(int s) {
    long v = r.value(s);
    return isInterned(v) ? v : rareKey(s, v);
  }

  /** Whether a value is an interned string, the commonest key by far, which needs no change. */
  private boolean isInterned(long value) {
    return Values.isReference(value)
        && (mem.get(value) & (Layout.KIND_MASK | Layout.FLAG_UNINTERNED)) == Layout.STRING;
  }

  private long rareKey(int s, long v) {
    if (!Values.isReference(v)) {
      return plainKey(s, v);
    }
    return isString(v) ? strings.known(v) : tables.keys().toFind(v);
  }

  private boolean isString(long value) {
    return Values.isReference(value) && Layout.kind(mem.get(value)) == Layout.STRING;
  }

  /** Returns the place of an own property's value, or 0. */
  private long place(long e, long key) {
    return key == 0 ? 0 : tables.seenPlace(e, key);
  }

  private long plainKey(int s, long v) {
    long key = tables.keys().toFind(v);
    if (key == Values.UNDEFINED) {
      throw new HeapUsageException(
          "no key: slot %d holds %s; any value but undefined, null and NaN is one"
              .formatted(s, Values.isDouble(v) ? "NaN" : r.describe(v)));
    }
    return key;
  }

  /**
   * Returns the key in a slot in a form that a table can hold: a string is interned, and an element
   * of a frame escapes first.
   */
  private long keyToHold(int s) {
    long v = r.value(s);
    if (isString(v)) {
      return strings.interned(s);
    }
    long k = Values.isReference(v) ? v : Keys.normal(v);
    return r.escapingKey(k);
  }

  void getPrototype(int d, int o) {
    r.checkStep();
    try {
      r.setSlot(d, mem.get(object(o) + Layout.OBJECT_PROTOTYPE));
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void setPrototype(int o, int s) {
    r.check();
    try {
      long e = object(o);
      if (Values.isReference(r.value(s))) {
        checkEnds(e, object(s));
      }
      long p = prototype(s);
      if (finalizers.lends()) {
        heirs.reparent(o, s);
      } else {
        r.store(e, e + Layout.OBJECT_PROTOTYPE, p);
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Returns the object in a slot, which becomes a prototype; null if the slot has none. */
  private long prototype(int s) {
    long v = r.value(s);
    if (Values.isReference(v)) {
      long e = object(s);
      mem.put(e, mem.get(e) | Layout.FLAG_PROTOTYPE);
      return e;
    }
    if (v != Values.NULL && v != Values.UNDEFINED) {
      throw r.wrongKind(s, "object");
    }
    return Values.NULL;
  }

  /**
   * Checks that the chain of prototypes from {@code v} on does not lead to an object. Only an
   * object that was a prototype before can be on such a chain. So a program that builds a chain
   * from either end causes no walk.
   */
  private void checkEnds(long e, long v) {
    boolean wasPrototype = (mem.get(e) & Layout.FLAG_PROTOTYPE) != 0;
    long p = v;
    while (wasPrototype && p != e && Values.isReference(p)) {
      p = mem.get(p + Layout.OBJECT_PROTOTYPE);
    }
    if (p == e) {
      throw new HeapUsageException("a prototype chain must not return to the object");
    }
  }

  void getProperty(int d, int o, int key) {
    r.check();
    try {
      long k = key(key);
      long v = Values.UNDEFINED;
      for (long e = object(o); Values.isReference(e); e = mem.get(e + Layout.OBJECT_PROTOTYPE)) {
        long place = place(e, k);
        if (place != 0) {
          v = read(e, place);
          break;
        }
      }
      r.setSlot(d, v);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  boolean getOwnProperty(int d, int o, int key) {
    r.check();
    try {
      long e = object(o);
      long place = place(e, key(key));
      r.setSlot(d, place == 0 ? Values.UNDEFINED : read(e, place));
      return place != 0;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private long read(long e, long place) {
    long v = mem.get(place);
    if (context.barrier()) {
      weak.read(e, v);
    }
    return v;
  }

  boolean hasProperty(int o, int key) {
    r.check();
    return place(object(o), key(key)) != 0;
  }

  void putProperty(int o, int key, int s) {
    r.check();
    try {
      long _ = r.slot(s);
      // A finalizer that runs in makeRoom may put the same key, or use the room.
      while (!putIfRoom(o, key, s)) {
        makeRoom(o, keyOfRoom(key));
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Puts a property by its name. The entry is noted in the name, as a look-up does. */
  void putProperty(int o, GlobalRef name, int s) {
    r.check();
    try {
      long _ = r.slot(s);
      while (!putIfRoom(o, name, s)) {
        makeRoom(o, globals.get(name));
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private boolean putIfRoom(int o, GlobalRef name, int s) {
    long k = globals.get(Objects.requireNonNull(name, "name"));
    long e = object(o);
    if (!isInterned(k)) {
      throw new HeapUsageException("no name: " + name + " holds no interned string");
    }
    if (weak.isWeak(e)) {
      long _ = r.escaping(r.value(s));
      return weak.putIfRoom(object(o), k, r.value(s));
    }
    long place = PropertyTables.placeAt(mem, e, name.entry, k);
    if (place == 0) {
      place = tables.placeForPutOfString(e, k);
      name.entry = place == 0 ? name.entry : tables.entryOf(e, Math.abs(place));
    }
    return store(e, k, place, s);
  }

  /** Returns the normal form of an int key, to make room for it: an index may go to the array. */
  private long keyOfRoom(int key) {
    return Keys.normal(r.value(key));
  }

  private boolean putIfRoom(int o, int key, int s) {
    long e = object(o);
    long k = r.value(key);
    boolean isWeak = weak.isWeak(e);
    if (isWeak || !isInterned(k)) {
      long _ = key(key); // refuses a bad key before anything changes
      if (isWeak) {
        return putWeakIfRoom(o, key, s);
      }
      if (Keys.isWide(k)) {
        return putWideIfRoom(o, k, s);
      }
      k = keyToHold(key);
      e = object(o); // the object may have moved
      if (weak.isWeak(e)) {
        return putWeakIfRoom(o, key, s); // a finalizer has made the object weak
      }
      return store(e, k, tables.placeForPutOfAny(e, k), s);
    }
    return store(e, k, tables.placeForPutOfString(e, k), s);
  }

  /** Puts a key that a table can hold. */
  private boolean putIfRoom(long e, long k, int s) {
    return store(e, k, tables.placeForPutOfAny(e, k), s);
  }

  /**
   * Stores into the place of a key. The place is negative if the key is new, and 0 if there is no
   * room.
   */
  private boolean store(long e, long k, long placeForPut, int s) {
    long place = placeForPut;
    if (place == 0) {
      return false;
    }
    if (place < 0) {
      place = -place;
      r.count(k);
      if (Values.isReference(k)) {
        r.remember(e, place - TableLayout.VALUE, k);
      }
    }
    r.store(e, place, r.value(s));
    return true;
  }

  /**
   * Puts a double whose key is an integer of more than 32 bits. The key becomes an element only if
   * the table needs it and has room. Making the element may collect, and finalizers may use the
   * room.
   */
  private boolean putWideIfRoom(int o, long key, int s) {
    long e = object(o);
    long place = place(e, tables.keys().toFind(key));
    if (place != 0) {
      if (weak.isWeak(e)) {
        updateWeak(e, tables.keyAt(e, place), r.value(s));
      } else {
        r.store(e, place, r.value(s));
      }
      return true;
    }
    if (!tables.hasRoom(e)) {
      return false;
    }
    long k = r.escaping(boxedKey(e, key));
    r.count(k); // a finalizer may have used the room or put the key
    boolean done =
        weak.isWeak(object(o))
            ? weak.putIfRoom(object(o), k, r.value(s))
            : putIfRoom(object(o), k, s);
    r.drop(k);
    r.settle();
    return done;
  }

  /** Stores into an existing property of a weak table. */
  void updateWeak(long e, long key, long value) {
    boolean _ = weak.putIfRoom(e, key, r.escaping(value));
  }

  private boolean putWeakIfRoom(int o, int key, int s) {
    long _ = r.escaping(r.value(key));
    long _ = r.escaping(r.value(s));
    long v = r.value(key);
    if (Keys.isWide(v)) {
      return putWideIfRoom(o, v, s);
    }
    long k = isString(v) ? strings.interned(key) : Values.isReference(v) ? v : Keys.normal(v);
    return weak.putIfRoom(object(o), k, r.value(s));
  }

  boolean deleteProperty(int o, int key) {
    r.check();
    try {
      long e = object(o);
      long k = key(key);
      long place = place(e, k);
      if (place == 0) {
        return false;
      }
      delete(e, place);
      r.settle();
      return true;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Deletes a property; the caller settles the operation. */
  private void delete(long e, long place) {
    long k = tables.keyAt(e, place);
    long v = mem.get(place);
    r.shadeForSnapshot(v);
    r.shadeForSnapshot(k);
    long dropped = tables.delete(e, place);
    if (dropped != k && Values.isReference(k)) {
      r.remember(e, 0, k); // the table keeps the key for a walk
    }
    if (dropped != k) {
      r.shadeForSnapshot(dropped);
    }
    weak.dropValue(e, v);
    weak.dropKey(e, dropped);
  }

  void getIndex(int d, int o, int index) {
    r.check();
    try {
      long e = object(o);
      checkIndex(index);
      long v =
          index < tables.arrayCapacity(e) ? mem.get(tables.arrayPlace(e, index)) : Values.ABSENT;
      r.setSlot(d, v == Values.ABSENT ? rareElement(e, index) : v);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Returns the value of an index that is not in the array. */
  private long rareElement(long e, int index) {
    long place = tables.seenPlace(e, Values.ofInt(index));
    return place == 0 ? Values.UNDEFINED : read(e, place);
  }

  void putIndex(int o, int index, int s) {
    r.check();
    try {
      put(o, index, s);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private void put(int o, int index, int s) {
    long _ = r.slot(s);
    checkIndex(index);
    long e = object(o);
    long place = placeInArray(e, index);
    if (place == 0) {
      place = tables.placeToAppend(e, index);
    }
    if (place != 0) {
      r.store(e, place, r.value(s));
      return;
    }
    while (!putIndexIfRoom(o, index, s)) {
      makeRoom(o, Values.ofInt(index));
    }
  }

  /** Returns the place of an index in the array, or 0. */
  private long placeInArray(long e, int index) {
    if (index >= tables.arrayCapacity(e)) {
      return 0;
    }
    long place = tables.arrayPlace(e, index);
    return mem.get(place) == TableLayout.HOLE ? 0 : place;
  }

  private boolean putIndexIfRoom(int o, int index, int s) {
    long e = object(o);
    if (weak.isWeak(e)) {
      long _ = r.escaping(r.value(s));
      return weak.putIfRoom(object(o), Values.ofInt(index), r.value(s));
    }
    return putIfRoom(e, Values.ofInt(index), s);
  }

  void setAt(int o, int index, long value) {
    r.check();
    try {
      checkIndex(index);
      ValueAccess.checkPlain(value);
      long e = object(o);
      long key = Values.ofInt(index);
      if (weak.isWeak(e)) {
        while (!weak.putIfRoom(object(o), key, value)) {
          makeRoom(o, key);
        }
        return;
      }
      long place = placeInArray(e, index);
      while (place == 0) {
        place = Math.abs(tables.placeForPut(object(o), key));
        if (place == 0) {
          makeRoom(o, key);
        }
      }
      r.store(object(o), place, value);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private static void checkIndex(int index) {
    if (index < 0 || index == Integer.MAX_VALUE) {
      throw new HeapUsageException("no array index: " + index);
    }
  }

  int arrayLength(int o) {
    r.checkThread();
    return tables.arrayLength(object(o));
  }

  void setArrayLength(int o, int length) {
    r.check();
    try {
      setLength(o, length);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void setLength(int o, int length) {
    long _ = object(o);
    if (length < 0) {
      throw new HeapUsageException("negative length: " + length);
    }
    // A finalizer that runs in makeRoom may append.
    while (!setArrayLengthIfRoom(object(o), length)) {
      makeRoom(o, Values.ofInt(length - 1));
    }
    tables.shrinkArray(object(o));
    r.settle();
  }

  private boolean setArrayLengthIfRoom(long e, int length) {
    if (length < tables.arrayLength(e)) {
      cut(e, length);
    }
    return tables.setArrayLength(e, length);
  }

  /** Deletes all indexes from an index on. */
  private void cut(long e, int from) {
    for (int i = from; i < tables.arrayCapacity(e); i++) {
      long place = placeInArray(e, i);
      if (place != 0) {
        delete(e, place);
      }
    }
    for (long at = tables.nextSparse(e, 0, from); at != 0; at = tables.nextSparse(e, at, from)) {
      delete(e, at);
    }
  }

  /** Makes room for a number of new entries, and for an array of a length. */
  void reserve(int o, int entries, int array) {
    makeRoom(o, ARRAY_ROOM | array, entries);
  }

  /** Puts an index into reserved room. */
  void putReserved(int o, int index, int s) {
    while (!putIndexIfRoom(o, index, s)) {
      useReserved(o, Values.ofInt(index));
    }
  }

  /** Uses reserved room, where a count of indexes may be due; collects nothing. */
  private void useReserved(int o, long key) {
    if (!tables.makeRoom(object(o), key)) {
      throw new IllegalStateException("no room was reserved for " + Values.toInt(key));
    }
  }

  /** Copies an index into reserved room of another object; the caller settles the operation. */
  void copyIndex(int o, int to, int source, int from) {
    long key = Values.ofInt(to);
    long place = tables.seenPlace(object(source), Values.ofInt(from));
    if (place == 0) {
      long e = object(o);
      long old = tables.seenPlace(e, key);
      if (old != 0) {
        delete(e, old);
      }
      return;
    }
    while (!copyIndexIfRoom(o, key, source, Values.ofInt(from))) {
      useReserved(o, key);
    }
  }

  private boolean copyIndexIfRoom(int o, long key, int source, long from) {
    long src = object(source);
    long value = read(src, tables.seenPlace(src, from));
    if (weak.isWeak(object(o))) {
      return weak.putIfRoom(object(o), key, r.escaping(value));
    }
    long e = object(o);
    long place = Math.abs(tables.placeForPut(e, key));
    if (place != 0) {
      src = object(source);
      r.store(e, place, mem.get(tables.seenPlace(src, from)));
    }
    return place != 0;
  }

  int border(int o) {
    r.check();
    return tables.border(object(o));
  }

  int propertyCount(int o) {
    r.checkThread();
    if (weak.isWeak(object(o))) {
      weak.decide();
    }
    return tables.count(object(o));
  }

  long nextProperty(int o, long cursor, int dKey, int dValue) {
    r.check();
    try {
      long next = walk(o, cursor, dKey, dValue);
      tellPassed();
      return next;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private long walk(int o, long cursor, int dKey, int dValue) {
    long e = object(o);
    long _ = r.slot(dKey) + r.slot(dValue);
    if (cursor < 0) {
      throw new HeapUsageException("no cursor of a walk: " + cursor);
    }
    int position = tables.next(e, cursor);
    while (position >= 0 && isHidden(e, position)) {
      boolean again = decides(e, position);
      position = tables.next(e, again ? cursor : tables.cursorBehind(e, position));
    }
    if (position < 0) {
      return -1;
    }
    long next = tables.cursorBehind(e, position);
    answer(e, position, dKey, dValue);
    return next;
  }

  /** Tells of the holes that a step has passed, once the step is done. */
  private void tellPassed() {
    long bytes = tables.takePassed();
    if (bytes > 0) {
      driver.tellSearched(bytes);
    }
  }

  /** Whether a collection in slices has found an entry dead, and not removed. */
  private boolean isHidden(long e, int position) {
    WeakObjects w = tables.weak();
    return w.hides(e, tables.key(e, position)) || w.hides(e, tables.value(e, position));
  }

  /** Decides about a hidden entry, unless its value goes in any case; returns whether it did. */
  private boolean decides(long e, int position) {
    boolean open = tables.weak().hides(e, tables.key(e, position));
    if (open) {
      weak.decide();
    }
    return open;
  }

  private void answer(long e, int position, int dKey, int dValue) {
    long k = tables.key(e, position);
    long v = tables.value(e, position);
    if (context.barrier()) {
      weak.read(e, k);
      weak.read(e, v);
    }
    r.setSlots(dKey, k, dValue, v);
  }

  boolean nextPropertyAfter(int o, int key, int dKey, int dValue) {
    r.check();
    try {
      boolean more = walkAfter(o, key, dKey, dValue);
      tellPassed();
      return more;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private boolean walkAfter(int o, int key, int dKey, int dValue) {
    long e = object(o);
    boolean isFirst = r.value(key) == Values.UNDEFINED;
    long k = isFirst ? 0 : key(key);
    long _ = r.slot(dKey) + r.slot(dValue);
    int position = k == 0 && !isFirst ? -2 : tables.nextAfter(e, k);
    while (position >= 0 && isHidden(e, position)) {
      position = tables.nextAfter(e, decides(e, position) ? k : tables.key(e, position));
    }
    if (position < -1) {
      throw new HeapUsageException(
          "no key to go on from: it is no property's, and not the one answered or deleted last");
    }
    if (position < 0) {
      return false;
    }
    long dropped = tables.standOn(e, position);
    r.shadeForSnapshot(dropped);
    weak.dropKey(e, dropped); // settled with the slots
    answer(e, position, dKey, dValue);
    return true;
  }

  /** Makes a key an element. A collection meanwhile must not compact the object's table. */
  private long boxedKey(long object, long key) {
    long outer = tables.resizing;
    tables.resizing = object;
    try {
      return integers.box((long) Values.toDouble(key));
    } finally {
      tables.resizing = outer;
    }
  }

  private boolean makeRoomOnce(long e, long key, int entries) {
    return key >>> 32 == ARRAY_ROOM >>> 32
        ? tables.reserve(e, entries, (int) key)
        : tables.makeRoom(e, key);
  }

  /**
   * Makes room in a property table. A collection meanwhile must not compact this table, but
   * compacts others (Duktape, "Mark-and-sweep flags").
   */
  private void makeRoom(int o, long key) {
    makeRoom(o, key, 0);
  }

  private void makeRoom(int o, long key, int entries) {
    driver.beforeAllocation();
    long outer = tables.resizing;
    int outerFlags = driver.addedFlags;
    driver.addedFlags |= driver.criticalFlags;
    try {
      for (int attempt = 0; ; attempt++) {
        tables.resizing = object(o);
        if (makeRoomOnce(object(o), key, entries)) {
          return;
        }
        driver.beforeRetry(attempt, tables.refusedBytes());
      }
    } finally {
      tables.resizing = outer;
      driver.addedFlags = outerFlags;
    }
  }
}
