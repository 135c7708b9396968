package dev.gleaner.snapshot;

import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import java.io.IOException;

/** Writes the entries of a dump: roots, classes, instances and arrays. */
record Entries(HprofOutput out, SnapshotClasses classes, Memory memory, long mostBytes) {
  static final int UNKNOWN_ROOT = 0xff;
  static final int GLOBAL_ROOT = 0x01;
  static final int FRAME_ROOT = 0x03;
  static final int CLASS_ROOT = 0x05;
  static final int THREAD_ROOT = 0x08;

  /** The stack trace of whatever has none. */
  static final int NO_TRACE = 1;

  private static final int CLASS = 0x20;
  private static final int INSTANCE = 0x21;
  private static final int OBJECT_ARRAY = 0x22;
  private static final int PRIMITIVE_ARRAY = 0x23;

  /** Longer arrays are parted; a record cannot have 4 GiB, nor can an array in Java. */
  static final long MOST_ARRAY_BYTES = 1L << 30;

  /** Writes a root of a kind that says nothing beside. */
  void root(int tag, long id) throws IOException {
    out.entry(tag, 8);
    out.id(id);
  }

  void globalRoot(long id, int number) throws IOException {
    out.entry(GLOBAL_ROOT, 16);
    out.id(id);
    out.id(number);
  }

  /** Writes a thread, or what a frame of one holds. */
  void threadRoot(int tag, long id, int thread, int traceOrFrame) throws IOException {
    out.entry(tag, 16);
    out.id(id);
    out.u4(thread);
    out.u4(traceOrFrame);
  }

  void classDump(SnapshotClass c, SnapshotClasses names) throws IOException {
    long bytes = 8 + 4 + 6 * 8 + 4 + 2 + 2 + 2 + 9L * (c.fields().size() + c.statics().size());
    for (SnapshotClass.Field f : c.statics()) {
      bytes += f.bytes();
    }
    out.entry(CLASS, bytes);
    out.id(c.id());
    out.u4(NO_TRACE);
    out.id(c.parentId());
    for (int i = 0; i < 5; i++) {
      out.id(Ids.NOTHING); // loader, signers, protection domain, reserved twice
    }
    out.u4(c.instanceBytes());
    out.u2(0); // constants
    out.u2(c.statics().size());
    for (SnapshotClass.Field f : c.statics()) {
      out.id(names.nameId(f.name()));
      out.u1(f.type());
      if (f.bytes() == 8) {
        out.id(f.value());
      } else {
        out.u4((int) f.value());
      }
    }
    out.u2(c.fields().size());
    for (SnapshotClass.Field f : c.fields()) {
      out.id(names.nameId(f.name()));
      out.u1(f.type());
    }
  }

  /** Begins an instance; the values of its fields follow. */
  void instance(long id, SnapshotClass c) throws IOException {
    out.entry(INSTANCE, 8 + 4 + 8 + 4 + (long) c.instanceBytes());
    out.id(id);
    out.u4(NO_TRACE);
    out.id(c.id());
    out.u4(c.instanceBytes());
  }

  void field(long id) throws IOException {
    out.id(id);
  }

  void longField(long value) throws IOException {
    out.id(value);
  }

  void intField(int value) throws IOException {
    out.u4(value);
  }

  void byteField(int value) throws IOException {
    out.u1(value);
  }

  /** Writes a field of the type that fits what is at a place. */
  void typedField(long place) throws IOException {
    long v = memory.get(place);
    switch (Slots.type(v)) {
      case Slots.INT -> out.u4((int) v);
      case Slots.DOUBLE -> out.id(Double.doubleToRawLongBits(Values.toDouble(v)));
      default -> out.id(Slots.id(v, place));
    }
  }

  /** Begins an array of references; so many follow. */
  void objectArray(long id, SnapshotClass arrayClass, long length) throws IOException {
    out.entry(OBJECT_ARRAY, 8 + 4 + 4 + 8 + length * 8);
    out.id(id);
    out.u4(NO_TRACE);
    out.u4((int) length);
    out.id(arrayClass.id());
  }

  /** Begins an array of bytes; so many follow. */
  void byteArray(long id, long length) throws IOException {
    out.entry(PRIMITIVE_ARRAY, 8 + 4 + 4 + 1 + length);
    out.id(id);
    out.u4(NO_TRACE);
    out.u4((int) length);
    out.u1(SnapshotClass.BYTE);
  }

  /** Writes an array of what words of memory hold, and the boxes of its numbers. */
  void values(long id, SnapshotClass arrayClass, long from, long count) throws IOException {
    long most = mostBytes >> 3;
    if (count > most) {
      pieces(id, arrayClass, from, count, most, 8);
      for (long at = 0; at < count; at += most) {
        long place = from + (at << 3);
        values(Ids.of(Ids.PIECE, place), classes.objectArray, place, Math.min(most, count - at));
      }
      return;
    }
    objectArray(id, arrayClass, count);
    long end = from + (count << 3);
    for (long place = from; place < end; place += 8) {
      out.id(Slots.id(memory.get(place), place));
    }
    for (long place = from; place < end; place += 8) {
      box(place);
    }
  }

  /** Writes the box of a number, if the word at a place is one. */
  void box(long place) throws IOException {
    int type = Slots.type(memory.get(place));
    if (type != Slots.REFERENCE) {
      instance(Ids.of(Ids.BOX, place), type == Slots.INT ? classes.integer : classes.number);
      typedField(place);
    }
  }

  /** Writes bytes of memory. */
  void bytes(long id, long from, long count) throws IOException {
    if (count > mostBytes) {
      pieces(id, classes.objectArray, from, count, mostBytes, 1);
      for (long at = 0; at < count; at += mostBytes) {
        bytes(Ids.of(Ids.PIECE, from + at), from + at, Math.min(mostBytes, count - at));
      }
      return;
    }
    byteArray(id, count);
    out.bytes(memory, from, count);
  }

  private void pieces(
      long id, SnapshotClass arrayClass, long from, long count, long most, int itemBytes)
      throws IOException {
    objectArray(id, arrayClass, (count + most - 1) / most);
    for (long at = 0; at < count; at += most) {
      out.id(Ids.of(Ids.PIECE, from + at * itemBytes));
    }
  }
}
