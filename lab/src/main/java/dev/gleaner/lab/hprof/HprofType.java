package dev.gleaner.lab.hprof;

import org.jspecify.annotations.Nullable;

/** The types of values in a heap dump, with their tags and sizes. */
public enum HprofType {
  OBJECT(2, 0),
  BOOLEAN(4, 1),
  CHAR(5, 2),
  FLOAT(6, 4),
  DOUBLE(7, 8),
  BYTE(8, 1),
  SHORT(9, 2),
  INT(10, 4),
  LONG(11, 8);

  private static final HprofType[] BY_TAG = new HprofType[12];

  static {
    for (HprofType type : values()) {
      BY_TAG[type.tag] = type;
    }
  }

  private final int tag;
  private final int bytes;

  HprofType(int tag, int bytes) {
    this.tag = tag;
    this.bytes = bytes;
  }

  /** Returns the type with this tag, or null if there is none. */
  static @Nullable HprofType ofTag(int tag) {
    return tag < BY_TAG.length ? BY_TAG[tag] : null;
  }

  /** Returns the bytes of a value in a file whose identifiers have this size. */
  int bytes(int idSize) {
    return this == OBJECT ? idSize : bytes;
  }
}
