package dev.gleaner.snapshot;

import dev.gleaner.layout.Values;

/** What a tagged value is in a snapshot. */
final class Slots {
  static final int REFERENCE = 0;
  static final int INT = 1;
  static final int DOUBLE = 2;

  private Slots() {}

  /** The type of a field that can hold it; undefined, null and booleans are objects, or none. */
  static int type(long value) {
    return Values.isInt(value) ? INT : Values.isDouble(value) ? DOUBLE : REFERENCE;
  }

  /**
   * The object that stands for a value where only references can be.
   *
   * @param place where the value is, for the box of a number
   */
  static long id(long value, long place) {
    if (Values.isReference(value)) {
      return Ids.element(value);
    }
    if (type(value) != REFERENCE) {
      return Ids.of(Ids.BOX, place);
    }
    return value == Values.NULL
        ? Ids.NULL
        : value == Values.TRUE ? Ids.TRUE : value == Values.FALSE ? Ids.FALSE : Ids.NOTHING;
  }
}
