package dev.gleaner.lab.hprof;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes small heap dumps by hand. */
final class HprofFile {
  /** Writes a part of a file. */
  @FunctionalInterface
  interface Part {
    void write(HprofFile to) throws IOException;
  }

  private final int idSize;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final DataOutputStream out = new DataOutputStream(bytes);

  HprofFile(int idSize) {
    this.idSize = idSize;
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }

  Path save(Path folder) throws IOException {
    return Files.write(Files.createTempFile(folder, "dump", ".hprof"), bytes());
  }

  HprofFile header(String version) {
    return part(to -> {
      to.out.write(("JAVA PROFILE " + version + "\0").getBytes(StandardCharsets.US_ASCII));
      to.out.writeInt(idSize);
      to.out.writeLong(0);
    });
  }

  HprofFile record(int tag, Part body) {
    HprofFile inner = new HprofFile(idSize).part(body);
    return part(to -> {
      to.out.writeByte(tag);
      to.out.writeInt(0);
      to.out.writeInt(inner.bytes().length);
      to.out.write(inner.bytes());
    });
  }

  HprofFile u1(int value) {
    return part(to -> to.out.writeByte(value));
  }

  HprofFile u2(int value) {
    return part(to -> to.out.writeShort(value));
  }

  HprofFile u4(long value) {
    return part(to -> to.out.writeInt((int) value));
  }

  HprofFile id(long value) {
    return part(to -> {
      if (idSize == 8) {
        to.out.writeLong(value);
      } else {
        to.out.writeInt((int) value);
      }
    });
  }

  HprofFile ids(long... values) {
    for (long value : values) {
      id(value);
    }
    return this;
  }

  /** A root with bytes after its identifier. */
  HprofFile root(int kind, long id, int rest) {
    return u1(kind).id(id).part(to -> to.out.write(new byte[rest]));
  }

  /** The start of a class dump, up to its constants. */
  HprofFile classStart(long id, long superId, long loader, int instanceSize) {
    return u1(0x20).id(id).u4(0).ids(superId, loader, 0, 0, 0, 0).u4(instanceSize);
  }

  /** The start of an instance, up to its fields. */
  HprofFile instance(long id, long classId, int fieldBytes) {
    return u1(0x21).id(id).u4(0).id(classId).u4(fieldBytes);
  }

  HprofFile objectArray(long id, long classId, long... elements) {
    return u1(0x22).id(id).u4(0).u4(elements.length).id(classId).ids(elements);
  }

  HprofFile byteArray(long id, byte... elements) {
    return u1(0x23).id(id).u4(0).u4(elements.length).u1(8).part(to -> to.out.write(elements));
  }

  HprofFile part(Part part) {
    try {
      part.write(this);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static final long OBJECT_CLASS = 0x10;
  static final long NODE_CLASS = 0x20;
  static final long LEAF_CLASS = 0x30;
  static final long FIRST = 0x100;
  static final long SECOND = 0xf000_0000L;
  static final long ARRAY = 0x300;
  static final long BYTES = 0x400;
  static final long NOWHERE = 0x999;

  /** The objects of {@link #example}. */
  static final int EXAMPLE_OBJECTS = 7;

  /**
   * A dump with every kind of entry, in two segments:
   *
   * <pre>
   *   class Object; class Node extends Object { Object next; int n; static Object s = ARRAY; }
   *   class Leaf extends Node { long l; Object more; }
   *   FIRST: Node(next SECOND)   SECOND: Leaf(next FIRST, more NOWHERE)
   *   ARRAY: {FIRST, null, BYTES, NOWHERE}   BYTES: {1, 2, 3}
   * </pre>
   */
  static HprofFile example(int idSize) {
    return new HprofFile(idSize)
        .header("1.0.2")
        .record(0x01, to -> to.id(1).u4(0x6e6f6465))
        .record(0x02, to -> to.u4(1).id(NODE_CLASS).u4(0).id(1))
        .record(0x1c, HprofFile::exampleClasses)
        .record(0x1c, HprofFile::exampleObjects)
        .record(0x2c, to -> {});
  }

  private static void exampleClasses(HprofFile to) {
    to.root(0x05, OBJECT_CLASS, 0);
    to.classStart(OBJECT_CLASS, 0, 0, 0).u2(0).u2(0).u2(0);
    to.classStart(NODE_CLASS, OBJECT_CLASS, NOWHERE, 0);
    to.u2(1).u2(7).u1(10).u4(0); // a constant
    to.u2(2).id(1).u1(2).id(ARRAY).id(1).u1(4).u1(1); // static fields
    to.u2(2).id(1).u1(2).id(1).u1(10);
    to.classStart(LEAF_CLASS, NODE_CLASS, 0, 0).u2(0).u2(0);
    to.u2(2).id(1).u1(11).id(1).u1(2);
  }

  private static void exampleObjects(HprofFile to) {
    int idSize = to.idSize;
    to.instance(FIRST, NODE_CLASS, idSize + 4).id(SECOND).u4(7);
    to.instance(SECOND, LEAF_CLASS, 8 + 2 * idSize + 4);
    to.u4(0).u4(9).id(NOWHERE).id(FIRST).u4(8);
    to.objectArray(ARRAY, OBJECT_CLASS, FIRST, 0, BYTES, NOWHERE);
    to.byteArray(BYTES, (byte) 1, (byte) 2, (byte) 3);
    to.root(0xff, FIRST, 0).root(0x01, FIRST, idSize).root(0x02, SECOND, 8).root(0x03, ARRAY, 8);
    to.root(0x04, BYTES, 4).root(0x06, FIRST, 4).root(0x07, NOWHERE, 0).root(0x08, FIRST, 8);
  }
}
