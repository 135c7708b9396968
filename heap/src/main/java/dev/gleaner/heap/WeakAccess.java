package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Weakness;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Collector;
import dev.gleaner.table.PropertyTables;
import dev.gleaner.weak.WeakObjects;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
  private final Mutator mutator;
  private final HeapParts context;
  private final Driver driver;
  private final Memory mem;
  private final PropertyTables tables;
  private final WeakObjects weak;
  private final @Nullable ReferenceCounts counts;
  private final WeakObjects.HeldVisitor increment = this::increment;
  private final WeakObjects.HeldVisitor decrement = this::decrement;

  WeakAccess(Mutator mutator, HeapParts context, Collector collector, Driver driver) {
    this.mutator = mutator;
    this.context = context;
    this.driver = driver;
    this.mem = context.memory();
    this.tables = context.tables();
    this.weak = tables.weak();
    this.counts = collector.counts();
    weak.setCounts(counts == null ? null : counts::decrement);
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
      makeArrayEntries(o);
      long _ = mutator.escapingSlot(o);
    }
    long e = object(o);
    int before = weak.weakness(e);
    if (context.barrier()) {
      shadeAll(e);
    }
    if (counts != null) {
      weak.forEachHeld(e, weakness, increment);
      weak.forEachHeld(e, before, decrement);
    }
    weak.setWeakness(e, weakness);
    if (weakness == Weakness.NONE) {
      rememberAll(e);
    }
    if (counts != null) {
      counts.settle();
    }
  }

  private long object(int o) {
    return mutator.element(o, Layout.OBJECT, "object");
  }

  private void makeArrayEntries(int o) {
    for (int attempt = 0; !tables.makeArrayEntries(object(o)); attempt++) {
      driver.beforeRetry(attempt, tables.refusedBytes());
    }
  }

  private void shadeAll(long e) {
    long end = weak.end(e);
    for (long at = weak.begin(e); at < end; at += Layout.WORD) {
      mutator.shadeValue(mem.get(at));
    }
  }

  private void rememberAll(long e) {
    long end = weak.end(e);
    for (long at = weak.begin(e); at < end; at += Layout.WORD) {
      mutator.remember(e, 0, mem.get(at));
    }
  }

  private void increment(long holder, long place) {
    Objects.requireNonNull(counts).increment(mem.get(place));
  }

  private void decrement(long holder, long place) {
    Objects.requireNonNull(counts).decrement(mem.get(place));
  }

  boolean isWeak(long object) {
    return Layout.isWeak(mem.get(object));
  }

  /** Reports to a snapshot a value that is read from a weak table. */
  void read(long object, long value) {
    if (isWeak(object)) {
      mutator.shadeValue(value);
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

  /** Drops the count of a value that a property had. */
  void dropValue(ReferenceCounts c, long object, long value) {
    if (!isWeak(object) || weak.holdsValue(weak.weakness(object), value)) {
      c.decrement(value);
    }
  }

  /** Drops the count of a key that a table had. */
  void dropKey(ReferenceCounts c, long object, long key) {
    if (!isWeak(object) || weak.holdsKey(weak.weakness(object), key)) {
      c.decrement(key);
    }
  }
}
