package dev.gleaner.lab.hprof;

import java.util.Arrays;

/**
 * A class of a heap dump.
 *
 * @param id its own identifier, as an object
 * @param superId its superclass's, or 0
 * @param fields the types of its own instance fields, in the order of an instance's bytes
 * @param idSize the bytes of a field that is a reference
 * @param references all identifiers that the class object holds: superclass, loader, signers,
 *     protection domain, constants and static fields; those that are 0 are left out
 * @param staticBytes bytes of its static fields of primitive types
 */
@SuppressWarnings("ArrayRecordComponent")
public record HprofClass(
    long id, long superId, HprofType[] fields, int idSize, long[] references, long staticBytes) {

  /** Reads what follows the tag of a class dump. */
  static HprofClass read(HprofInput in) {
    long id = in.id();
    in.skip(4); // stack trace
    long superId = in.id();
    References references = new References();
    references.add(superId);
    references.add(in.id()); // loader
    references.add(in.id()); // signers
    references.add(in.id()); // protection domain
    in.skip(2L * in.idSize() + 4); // reserved, reserved, instance size
    long bytes = 0;
    for (int constants = in.u2(); constants > 0; constants--) {
      in.skip(2);
      bytes += value(in, references);
    }
    for (int statics = in.u2(); statics > 0; statics--) {
      in.skip(in.idSize());
      bytes += value(in, references);
    }
    HprofType[] fields = new HprofType[in.u2()];
    for (int i = 0; i < fields.length; i++) {
      in.skip(in.idSize());
      fields[i] = HprofReader.type(in);
    }
    return new HprofClass(id, superId, fields, in.idSize(), references.toArray(), bytes);
  }

  /** Reads a value with its type; returns its bytes if it is no reference. */
  private static int value(HprofInput in, References references) {
    HprofType type = HprofReader.type(in);
    if (type == HprofType.OBJECT) {
      references.add(in.id());
      return 0;
    }
    int bytes = type.bytes(in.idSize());
    in.skip(bytes);
    return bytes;
  }

  private static final class References {
    private long[] ids = new long[8];
    private int count;

    void add(long id) {
      if (id == 0) {
        return;
      }
      if (count == ids.length) {
        ids = Arrays.copyOf(ids, 2 * count);
      }
      ids[count++] = id;
    }

    long[] toArray() {
      return Arrays.copyOf(ids, count);
    }
  }
}
