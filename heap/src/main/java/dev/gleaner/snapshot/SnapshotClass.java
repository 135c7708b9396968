package dev.gleaner.snapshot;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A class that a snapshot has for what there is in a heap. */
final class SnapshotClass {
  static final char REFERENCE = 2;
  static final char BOOLEAN = 4;
  static final char DOUBLE = 7;
  static final char BYTE = 8;
  static final char INT = 10;
  static final char LONG = 11;

  /** A field; a static one has a value. */
  record Field(String name, char type, long value) {
    int bytes() {
      return SnapshotClass.bytes(type);
    }
  }

  private final int number;
  private final String name;
  private final @Nullable SnapshotClass parent;
  private final List<Field> fields = new ArrayList<>();
  private final List<Field> statics = new ArrayList<>();
  private int instanceBytes;

  SnapshotClass(int number, String name, @Nullable SnapshotClass parent) {
    this.number = number;
    this.name = name;
    this.parent = parent;
    this.instanceBytes = parent == null ? 0 : parent.instanceBytes;
  }

  SnapshotClass field(String fieldName, char type) {
    fields.add(new Field(fieldName, type, 0));
    instanceBytes += bytes(type);
    return this;
  }

  SnapshotClass references(String... fieldNames) {
    for (String fieldName : fieldNames) {
      SnapshotClass _ = field(fieldName, REFERENCE);
    }
    return this;
  }

  SnapshotClass constant(String fieldName, char type, long value) {
    statics.add(new Field(fieldName, type, value));
    return this;
  }

  /** Its number, from 1 on. */
  int number() {
    return number;
  }

  /** Its identifier as an object. */
  long id() {
    return Ids.of(Ids.CLASS, number);
  }

  String name() {
    return name;
  }

  long parentId() {
    return parent == null ? Ids.NOTHING : parent.id();
  }

  /** Fields that it adds to those of its parent; an instance's bytes begin with them. */
  List<Field> fields() {
    return fields;
  }

  List<Field> statics() {
    return statics;
  }

  /** Bytes of an instance's fields. */
  int instanceBytes() {
    return instanceBytes;
  }

  static int bytes(char type) {
    return switch (type) {
      case BOOLEAN, BYTE -> 1;
      case INT -> 4;
      default -> 8;
    };
  }
}
