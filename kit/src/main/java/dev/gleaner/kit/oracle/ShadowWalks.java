package dev.gleaner.kit.oracle;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The walks over an object's properties in the model: each property has a number, and a walk goes
 * on behind the number where it stands. An index in the array is its own number, all other numbers
 * are above these.
 */
final class ShadowWalks {
  private static final long ENTRIES = 1L << 32;

  /** A walk by cursor. */
  static final class Walk {
    long cursor;
    long number = -1;
  }

  /** A property that was answered or deleted last. */
  private static final class Mark {
    Object key;
    final @Nullable Object held;
    final long number;
    boolean deleted;

    /** Whether the collector alone knows if the key is kept still. */
    boolean doubtful;

    Mark(Object key, @Nullable Object held, long number) {
      this.key = key;
      this.held = held;
      this.number = number;
    }
  }

  /** In place of a key that is gone. */
  private static final Object GONE = new Object();

  final List<Walk> open = new ArrayList<>();
  private final Map<Object, Long> numbers = new HashMap<>();

  /** The elements that are keys by value. */
  private final Map<Object, ShadowElement> boxes = new HashMap<>();

  private long next = ENTRIES;
  private @Nullable Mark stand;
  private @Nullable Mark last;

  void added(Object key) {
    numbers.put(key, next++);
  }

  void addedToArray(int index) {
    numbers.put(index, (long) index);
  }

  /** Takes note of an index of the array that went with many: to walks none was deleted. */
  void vanished(int index) {
    numbers.remove(index);
  }

  /** Takes note of the element that is a key by value. */
  void box(Object key, ShadowElement box) {
    boxes.put(key, box);
  }

  /** What a walk answers of a key: the key, or the element that has its value. */
  Object answer(Object key) {
    ShadowElement box = boxes.get(key);
    return box == null ? key : box;
  }

  void deleted(Object key) {
    long number = number(key);
    if (stand != null) {
      last = stand.number == number ? stand : new Mark(key, answer(key), number);
      last.deleted = true;
    }
    numbers.remove(key);
    boxes.remove(key);
  }

  /**
   * A collector has cleared a property: only a walk that stands on it takes notice. An index of the
   * array that was deleted last keeps no key, so the cleared one counts as that.
   */
  void cleared(Object key) {
    long number = number(key);
    numbers.remove(key);
    if (stand != null && stand.number == number) {
      stand.deleted = true;
      last = last == null || last.number < ENTRIES ? stand : last;
    }
  }

  /** Nobody can go on any more from these keys, where they are kept and not held. */
  void forgetKept(Predicate<Object> gone) {
    if (stand != null && stand.deleted && gone.test(stand.key)) {
      stand.key = GONE;
    }
    if (last != null && gone.test(last.key)) {
      last.key = GONE;
    }
  }

  /** Takes note of kept keys that a collector may have forgotten; answers whether of any more. */
  boolean doubt(Predicate<Object> gone) {
    boolean any = false;
    for (Mark mark : kept()) {
      if (!mark.doubtful && gone.test(mark.held)) {
        mark.doubtful = true;
        any = true;
      }
    }
    return any;
  }

  /** Whether the walk from keys stands on a property. */
  boolean standsOn(Object key) {
    return stand != null && stand.number == number(key);
  }

  /** Whether the collector alone knows if a walk can go on from a key. */
  boolean isDoubtful(Object key) {
    return kept().stream().anyMatch(mark -> mark.doubtful && mark.key.equals(key));
  }

  long number(Object key) {
    Long number = numbers.get(key);
    if (number == null) {
      throw new AssertionError("no property: " + key);
    }
    return number;
  }

  /** The number behind which a walk goes on from a key; null if it cannot. */
  @Nullable Long from(Object key) {
    boolean isThere = numbers.containsKey(key);
    if (stand != null && stand.key.equals(key) && (stand.number >= ENTRIES || !isThere)) {
      return stand.number;
    }
    if (isThere) {
      return numbers.get(key);
    }
    return last != null && last.key.equals(key) ? last.number : null;
  }

  /** The key that a walk from keys would go on from; null if there is none under way. */
  @Nullable Object standing() {
    return stand == null || GONE.equals(stand.key) ? null : stand.key;
  }

  /** A walk from keys has answered this one. */
  void answered(Object key) {
    stand = new Mark(key, answer(key), number(key));
  }

  /**
   * Calls back for the keys of deleted properties that the object keeps.
   *
   * @param surely leaves out those that a collector may have forgotten
   */
  void forEachKept(boolean surely, Consumer<Object> visitor) {
    for (Mark mark : kept()) {
      if (!surely || !mark.doubtful) {
        visitor.accept(mark.held);
      }
    }
  }

  private List<Mark> kept() {
    List<Mark> kept = new ArrayList<>(2);
    if (stand != null && stand.deleted && !GONE.equals(stand.key)) {
      kept.add(stand);
    }
    if (last != null && last != stand && !GONE.equals(last.key)) {
      kept.add(last);
    }
    return kept;
  }
}
