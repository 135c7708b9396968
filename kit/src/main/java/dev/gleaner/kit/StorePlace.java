package dev.gleaner.kit;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;

/**
 * A place of an element that holds a value.
 *
 * @param name what follows "in"
 * @param holder makes such an element in a slot
 * @param contents what it can hold
 * @param put stores slot {@code s} into the element in slot {@code h}
 * @param take loads it into slot {@code d}, and empties the place
 */
record StorePlace(
    String name, ObjIntConsumer<Mutator> holder, Contents contents, Put put, Take take) {
  /** Slots of an object that a collector may treat otherwise than small ones. */
  static final int LARGE = 31;

  interface Put {
    void put(Mutator t, int h, int s);
  }

  interface Take {
    void take(Mutator t, int d, int h);
  }

  /** Values that say which they are. */
  enum Contents {
    RECORD,
    OBJECT,
    FUNCTION,
    STRING
  }

  static List<StorePlace> all() {
    List<StorePlace> all = new ArrayList<>(withoutObjects());
    all.addAll(ofObjects("", 0));
    all.addAll(ofObjects(" of a large object", LARGE));
    return all;
  }

  private static List<StorePlace> withoutObjects() {
    return List.of(
        slots("a record", (t, d) -> t.newRecord(d, 1)),
        slots("a large record", (t, d) -> t.newRecord(d, 100)),
        slots("an object", (t, d) -> t.newObject(d, 1)),
        new StorePlace(
            "a weak table, under a string",
            (t, d) -> t.newWeakObject(d, Weakness.KEYS),
            Contents.RECORD,
            StorePlace::putProperty,
            StorePlace::takeProperty),
        new StorePlace(
            "a weak table, under itself",
            (t, d) -> t.newWeakObject(d, Weakness.KEYS),
            Contents.RECORD,
            (t, h, s) -> t.putProperty(h, h, s),
            StorePlace::takeOwn),
        new StorePlace(
            "a table of weak values, as a key",
            (t, d) -> t.newWeakObject(d, Weakness.VALUES),
            Contents.RECORD,
            StorePlace::putKey,
            StorePlace::takeKey),
        new StorePlace(
            "a weak table that becomes an object",
            (t, d) -> t.newWeakObject(d, Weakness.VALUES),
            Contents.RECORD,
            StorePlace::putThenStrengthen,
            StorePlace::takeStrong),
        new StorePlace(
            "an index that is there",
            StorePlace::makeIndexed,
            Contents.RECORD,
            (t, h, s) -> t.putIndex(h, 0, s),
            StorePlace::takeIndex),
        new StorePlace(
            "a range of slots",
            (t, d) -> t.newRecord(d, 3),
            Contents.RECORD,
            (t, h, s) -> t.storeRange(h, 1, s, 1),
            StorePlace::takeRange),
        new StorePlace(
            "an array, copied from another",
            (t, d) -> t.newObject(d, 0, 0, 3),
            Contents.RECORD,
            StorePlace::copyIndex,
            StorePlace::takeMoved),
        new StorePlace(
            "a constant",
            (t, d) -> t.newFunction(d, 1, 0),
            Contents.RECORD,
            (t, h, s) -> t.storeConstant(h, 0, s),
            StorePlace::takeConstant),
        new StorePlace(
            "an inner function",
            (t, d) -> t.newFunction(d, 0, 1),
            Contents.FUNCTION,
            (t, h, s) -> t.storeInner(h, 0, s),
            StorePlace::takeInner),
        new StorePlace(
            "a thread", Mutator::newThread, Contents.RECORD, Mutator::push, StorePlace::pop));
  }

  /** The places of objects of a size, which a collector may treat otherwise than another. */
  private static List<StorePlace> ofObjects(String of, int slots) {
    ObjIntConsumer<Mutator> holder = (t, d) -> t.newObject(d, slots);
    return List.of(
        new StorePlace(
            "a property" + of,
            holder,
            Contents.RECORD,
            StorePlace::putProperty,
            StorePlace::takeProperty),
        new StorePlace(
            "a key" + of, holder, Contents.STRING, StorePlace::putKey, StorePlace::takeKey),
        new StorePlace(
            "a key by identity" + of,
            holder,
            Contents.RECORD,
            StorePlace::putKey,
            StorePlace::takeKey),
        new StorePlace(
            "an object that becomes weak" + of,
            holder,
            Contents.RECORD,
            StorePlace::putThenWeaken,
            StorePlace::takeProperty),
        new StorePlace(
            "an array part that becomes weak" + of,
            holder,
            Contents.RECORD,
            StorePlace::putIndexThenWeaken,
            StorePlace::takeNumbered),
        new StorePlace(
            "an array part" + of,
            holder,
            Contents.RECORD,
            (t, h, s) -> t.putIndex(h, 0, s),
            StorePlace::takeIndex),
        new StorePlace(
            "a property that is there" + of,
            holder,
            Contents.RECORD,
            StorePlace::updateProperty,
            StorePlace::takeProperty),
        new StorePlace(
            "the end of an array part" + of,
            holder,
            Contents.RECORD,
            StorePlace::updateIndex,
            StorePlace::takeUpdated),
        new StorePlace(
            "an array, inserted" + of,
            holder,
            Contents.RECORD,
            (t, h, s) -> t.insertAt(h, 0, s),
            StorePlace::takeFirst),
        new StorePlace(
            "an index among the entries" + of,
            holder,
            Contents.RECORD,
            (t, h, s) -> t.putIndex(h, 1_000_000, s),
            StorePlace::takeFar),
        new StorePlace(
            "a prototype" + of,
            holder,
            Contents.OBJECT,
            Mutator::setPrototype,
            StorePlace::takePrototype));
  }

  private static StorePlace slots(String name, ObjIntConsumer<Mutator> holder) {
    return new StorePlace(
        name, holder, Contents.RECORD, (t, h, s) -> t.store(h, 0, s), StorePlace::takeSlot);
  }

  void makeHolder(Mutator t, int d) {
    holder.accept(t, d);
  }

  void put(Mutator t, int h, int s) {
    put.put(t, h, s);
  }

  void take(Mutator t, int d, int h) {
    take.take(t, d, h);
  }

  /** Makes a value with a number, of one element; the slot after {@code d} is used. */
  void makeValue(Mutator t, int d, int number) {
    switch (contents) {
      case RECORD -> t.newRecord(d, 1);
      case OBJECT -> t.newObject(d, 1);
      case FUNCTION -> {
        t.newFunction(d, 1, 0);
        t.setInt(d + 1, number);
        t.storeConstant(d, 0, d + 1);
        return;
      }
      case STRING -> {
        t.newString(d, "number " + number);
        return;
      }
    }
    t.storeInt(d, 0, number);
  }

  /** The number of the value in slot {@code d}; the one after the next is used. */
  int number(Mutator t, int d) {
    return switch (contents) {
      case RECORD, OBJECT -> t.loadInt(d, 0);
      case FUNCTION -> {
        t.loadConstant(d + 2, d, 0);
        yield t.getInt(d + 2);
      }
      case STRING -> Integer.parseInt(t.getString(d).substring("number ".length()));
    };
  }

  private static void takeSlot(Mutator t, int d, int h) {
    t.load(d, h, 0);
    t.storeNull(h, 0);
  }

  private static void takeRange(Mutator t, int d, int h) {
    t.loadRange(d, h, 1, 1);
    t.setNull(4);
    t.storeRange(h, 1, 4, 1);
  }

  private static void putProperty(Mutator t, int h, int s) {
    t.newString(4, "property");
    t.putProperty(h, 4, s);
  }

  private static void putThenWeaken(Mutator t, int h, int s) {
    t.setWeakness(h, Weakness.NONE);
    putProperty(t, h, s);
    t.setWeakness(h, Weakness.KEYS);
  }

  private static void putThenStrengthen(Mutator t, int h, int s) {
    putProperty(t, h, s);
    t.setWeakness(h, Weakness.NONE);
  }

  private static void takeStrong(Mutator t, int d, int h) {
    takeProperty(t, d, h);
    t.setWeakness(h, Weakness.VALUES);
  }

  private static void putIndexThenWeaken(Mutator t, int h, int s) {
    t.setWeakness(h, Weakness.NONE);
    t.putIndex(h, 0, s);
    t.setWeakness(h, Weakness.KEYS);
  }

  private static void takeNumbered(Mutator t, int d, int h) {
    t.setInt(4, 0);
    t.getProperty(d, h, 4);
    t.deleteProperty(h, 4);
  }

  private static void updateProperty(Mutator t, int h, int s) {
    t.newString(4, "property");
    if (!t.update(h, 4, s)) {
      t.putProperty(h, 4, s);
    }
  }

  private static void updateIndex(Mutator t, int h, int s) {
    t.set(4, Values.ofInt(0));
    boolean _ = t.update(h, 4, s);
  }

  private static void takeProperty(Mutator t, int d, int h) {
    t.newString(4, "property");
    t.getProperty(d, h, 4);
    t.deleteProperty(h, 4);
  }

  private static void takeOwn(Mutator t, int d, int h) {
    t.getProperty(d, h, h);
    t.deleteProperty(h, h);
  }

  private static void putKey(Mutator t, int h, int s) {
    t.setNull(4);
    t.putProperty(h, s, 4);
  }

  private static void takeKey(Mutator t, int d, int h) {
    t.nextProperty(h, 0, d, 4);
    t.deleteProperty(h, d);
  }

  private static void makeIndexed(Mutator t, int d) {
    t.newObject(d, 0);
    t.setAt(d, 0, Values.NULL);
  }

  private static void takeIndex(Mutator t, int d, int h) {
    t.getIndex(d, h, 0);
    t.setNull(4);
    t.putIndex(h, 0, 4);
  }

  /** Leaves a number there. */
  private static void takeUpdated(Mutator t, int d, int h) {
    t.set(4, Values.ofInt(0));
    long _ = t.lookUp(d, h, 4);
    boolean _ = t.update(h, 4, 4);
  }

  private static void takeFirst(Mutator t, int d, int h) {
    t.getIndex(d, h, 0);
    t.removeAt(h, 0);
  }

  private static void copyIndex(Mutator t, int h, int s) {
    t.newObject(4);
    t.putIndex(4, 0, s);
    t.moveRange(h, 1, 4, 0, 1);
    t.setNull(4);
  }

  /** Copies it within the array first; the range behind it has nothing. */
  private static void takeMoved(Mutator t, int d, int h) {
    t.moveRange(h, 0, h, 1, 2);
    t.getIndex(d, h, 0);
    t.setArrayLength(h, 0);
  }

  private static void takeFar(Mutator t, int d, int h) {
    t.getIndex(d, h, 1_000_000);
    t.setInt(4, 1_000_000);
    t.deleteProperty(h, 4);
  }

  private static void takePrototype(Mutator t, int d, int h) {
    t.getPrototype(d, h);
    t.setNull(4);
    t.setPrototype(h, 4);
  }

  private static void takeConstant(Mutator t, int d, int h) {
    t.loadConstant(d, h, 0);
    t.setNull(4);
    t.storeConstant(h, 0, 4);
  }

  private static void takeInner(Mutator t, int d, int h) {
    t.loadInner(d, h, 0);
    t.setNull(4);
    t.storeInner(h, 0, 4);
  }

  private static void pop(Mutator t, int d, int h) {
    t.pop(h, d);
  }
}
