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
 * on behind the number where it stands.
 */
final class ShadowWalks {
  /** A walk by cursor. */
  static final class Walk {
    long cursor;
    long number = -1;
  }

  /** A property that was answered or deleted last. */
  private static final class Mark {
    Object key;
    final long number;
    boolean deleted;

    Mark(Object key, long number) {
      this.key = key;
      this.number = number;
    }
  }

  /** In place of a key that is gone. */
  private static final Object GONE = new Object();

  final List<Walk> open = new ArrayList<>();
  private final Map<Object, Long> numbers = new HashMap<>();
  private long next;
  private @Nullable Mark stand;
  private @Nullable Mark last;

  void added(Object key) {
    numbers.put(key, next++);
  }

  void deleted(Object key) {
    long number = number(key);
    numbers.remove(key);
    if (stand != null) {
      last = stand.number == number ? stand : new Mark(key, number);
      last.deleted = true;
    }
  }

  /** A collector has cleared a property: only a walk that stands on it takes notice. */
  void cleared(Object key) {
    long number = number(key);
    numbers.remove(key);
    if (stand != null && stand.number == number) {
      stand.deleted = true;
      last = last == null ? stand : last;
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

  long number(Object key) {
    Long number = numbers.get(key);
    if (number == null) {
      throw new AssertionError("no property: " + key);
    }
    return number;
  }

  /** The number behind which a walk goes on from a key; null if it cannot. */
  @Nullable Long from(Object key) {
    if (stand != null && stand.key.equals(key)) {
      return stand.number;
    }
    if (numbers.containsKey(key)) {
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
    stand = new Mark(key, number(key));
  }

  /** Calls back for the keys of deleted properties that the object keeps. */
  void forEachKept(Consumer<Object> visitor) {
    if (stand != null && stand.deleted && !GONE.equals(stand.key)) {
      visitor.accept(stand.key);
    }
    if (last != null && last != stand && !GONE.equals(last.key)) {
      visitor.accept(last.key);
    }
  }
}
