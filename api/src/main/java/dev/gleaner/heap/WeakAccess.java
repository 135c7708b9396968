package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.table.PropertyTables;
import dev.gleaner.table.WeakObjects;
import org.jspecify.annotations.Nullable;

/**
 * What is different about the properties of a weak table.
 *
 * <pre>
 *   read     shaded, as a weak reference is: a snapshot at the beginning does not have it
 *   stored   escapes from its frame; known at the side; counted if it is held, and only then
 *   deleted  what was held loses a count, and nothing else
 * </pre>
 */
final class WeakAccess {
  private final Mutator mutator;
  private final HeapContext context;
  private final Driver driver;
  private final Memory mem;
  private final PropertyTables tables;
  private final WeakObjects weak;
  private final @Nullable ReferenceCounts counts;

  WeakAccess(Mutator mutator, HeapContext context, Collector collector, Driver driver) {
    this.mutator = mutator;
    this.context = context;
    this.driver = driver;
    this.mem = context.memory();
    this.tables = context.tables();
    this.weak = tables.weak();
    this.counts = collector.counts();
    weak.setCounts(counts == null ? null : counts::decrement);
  }

  void make(int d, int weakness) {
    long _ = mutator.slot(d);
    if (weakness < Weakness.KEYS || weakness > Weakness.BOTH) {
      throw new HeapUsageException(
          "no weakness: %d; there are %d (keys), %d (values), %d (both)"
              .formatted(weakness, Weakness.KEYS, Weakness.VALUES, Weakness.BOTH));
    }
    long e = driver.allocateElement(Layout.OBJECT, Layout.WEAK_WORDS);
    mem.put(e + Layout.OBJECT_PROTOTYPE, Values.NULL);
    mem.put(e + Layout.OBJECT_TABLE, Values.ofRaw(0));
    weak.add(e, weakness);
    mutator.setSlot(d, e);
  }

  boolean isWeak(long object) {
    return Layout.isWeak(mem.get(object));
  }

  /** Tells a snapshot of a value that is read, if it is in a weak table. */
  void read(long object, long value) {
    if (isWeak(object)) {
      mutator.shadeValue(value);
    }
  }

  /**
   * Stores a property, if there is room.
   *
   * @param key in its normal form, where it stays, as the value is
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
    if (heldOld && context.barrier()) {
      mutator.shadeValue(old);
    }
    weak.stored(e, key, value);
    if (counts == null) {
      mem.put(at, value);
      return true;
    }
    if (place < 0 && weak.holdsKey(weakness, key)) {
      counts.increment(key);
    }
    if (weak.holdsValue(weakness, value)) {
      counts.increment(value);
    }
    mem.put(at, value);
    if (heldOld) {
      counts.decrement(old);
      counts.settle();
    }
    return true;
  }

  /** Counts off a value that a property had. */
  void dropValue(ReferenceCounts c, long object, long value) {
    if (!isWeak(object) || weak.holdsValue(weak.weakness(object), value)) {
      c.decrement(value);
    }
  }

  /** Counts off a key that a table had. */
  void dropKey(ReferenceCounts c, long object, long key) {
    if (!isWeak(object) || weak.holdsKey(weak.weakness(object), key)) {
      c.decrement(key);
    }
  }
}
