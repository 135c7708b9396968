package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Weakness;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.table.PropertyTables;
import dev.gleaner.weak.Undecided;
import dev.gleaner.weak.WeakObjects;

/**
 * The special treatment of the properties of a weak table.
 *
 * <pre>
 *   read     the value is shaded, as with weak references: a snapshot does not have the value
 *   stored   the value escapes from its frame, is noted at the side, is counted only if held
 *   deleted  only a held key or value loses a count
 * </pre>
 */
final class WeakAccess {
  private static final int STACK_LEVELS = 24;

  private final WordAccess r;
  private final HeapParts context;
  private final Driver driver;
  private final Memory mem;
  private final PropertyTables tables;
  private final WeakObjects weak;
  private final WeakObjects.HeldVisitor count = this::count;
  private final WeakObjects.HeldVisitor drop = this::drop;

  WeakAccess(HeapCore core) {
    this.r = core.registers();
    this.context = core.context();
    this.driver = core.driver();
    this.mem = core.context().memory();
    this.tables = core.context().tables();
    this.weak = tables.weak();
    weak.setCounts(core.registers().dropper());
  }

  static void check(int weakness) {
    if (weakness < Weakness.NONE || weakness > Weakness.BOTH) {
      throw new HeapUsageException(
          "no weakness: %d; there are %d (none), %d (keys), %d (values), %d (both)"
              .formatted(weakness, Weakness.NONE, Weakness.KEYS, Weakness.VALUES, Weakness.BOTH));
    }
  }

  /**
   * Changes the weakness of an object.
   *
   * <pre>
   *   array part   becomes entries, as a weak table has no array
   *   frames       the table and its contents become old
   *   barriers     the contents count as read; a table that becomes strong may hold young elements
   *   counts       first counts newly held keys and values, then drops those no longer held
   * </pre>
   */
  void set(int o, int weakness) {
    check(weakness);
    if (weak.weakness(object(o)) == weakness) {
      return;
    }
    if (weakness != Weakness.NONE) {
      makeEntries(o);
      long _ = r.escapingSlot(o);
    }
    decide(); // before what is hidden is held
    long e = object(o);
    int before = weak.weakness(e);
    if (context.barrier()) {
      shadeAll(e);
    }
    change(e, before, weakness);
    r.settle();
  }

  /** Changes the weakness of an object without an array, for which there is room. */
  void change(long e, int before, int weakness) {
    int _ = CriticalSection.probeStack(STACK_LEVELS);
    context.section().enter();
    if (r.areCounted()) {
      weak.forEachHeld(e, weakness, count);
      weak.forEachHeld(e, before, drop);
    }
    weak.setWeakness(e, weakness);
    if (weakness == Weakness.NONE) {
      rememberAll(e);
    }
    context.section().leave();
  }

  private long object(int o) {
    return r.element(o, Layout.OBJECT, "object");
  }

  /** Ends the decision of a collection in slices about weak places, if one is under way. */
  void decide() {
    Undecided by = context.undecided();
    if (by != null) {
      context.section().enter();
      by.decide();
      context.section().leave();
    }
  }

  /** Makes room for one more weak table. */
  void makeRoom() {
    for (int attempt = 0; !weak.hasRoom(); attempt++) {
      driver.beforeRetry(attempt, weak.refusedBytes());
    }
  }

  /**
   * Makes room for one more weak table, and entries of the array part. The entries come last, as a
   * collection may run the program's code.
   */
  private void makeEntries(int o) {
    for (int attempt = 0; !weak.hasRoom() || !tables.makeArrayEntries(object(o)); attempt++) {
      driver.beforeRetry(attempt, weak.hasRoom() ? tables.refusedBytes() : weak.refusedBytes());
    }
  }

  private void shadeAll(long e) {
    long end = weak.end(e);
    for (long at = weak.begin(e); at < end; at += Layout.WORD) {
      r.shade(mem.get(at));
    }
  }

  private void rememberAll(long e) {
    long end = weak.end(e);
    for (long at = weak.begin(e); at < end; at += Layout.WORD) {
      r.remember(e, 0, mem.get(at));
    }
  }

  private void count(long holder, long place) {
    r.count(mem.get(place));
  }

  private void drop(long holder, long place) {
    r.drop(mem.get(place));
  }

  boolean isWeak(long object) {
    return Layout.isWeak(mem.get(object));
  }

  /** Reports to a snapshot a value that is read from a weak table. */
  void read(long object, long value) {
    if (isWeak(object)) {
      r.shade(value);
    }
  }

  /**
   * Stores a property, if there is room.
   *
   * @param key in its normal form; key and value have escaped from their frames
   */
  boolean putIfRoom(long e, long key, long value) {
    long place = tables.placeForPutOfAny(e, key);
    if (place == 0) {
      return false;
    }
    int weakness = weak.weakness(e);
    long at = Math.abs(place);
    long old = mem.get(at);
    boolean heldOld = weak.holdsValue(weakness, old);
    if (heldOld) {
      r.shadeForSnapshot(old);
    }
    weak.stored(e, key, value);
    if (place < 0 && weak.holdsKey(weakness, key)) {
      r.count(key);
    }
    if (weak.holdsValue(weakness, value)) {
      r.count(value);
    }
    mem.put(at, value);
    if (heldOld) {
      r.drop(old);
      r.settle();
    }
    return true;
  }

  /** Drops the count of a value that a property had. */
  void dropValue(long object, long value) {
    if (!isWeak(object) || weak.holdsValue(weak.weakness(object), value)) {
      r.drop(value);
    }
  }

  /** Drops the count of a key that a table had. */
  void dropKey(long object, long key) {
    if (!isWeak(object) || weak.holdsKey(weak.weakness(object), key)) {
      r.drop(key);
    }
  }
}
