package dev.gleaner.lab.hprof;

import java.util.Arrays;

/**
 * A class of a heap dump.
 *
 * @param id its own identifier, as an object
 * @param superId its superclass's, or 0
 * @param fields the types of its own instance fields, in the order of an instance's bytes
 * @param fieldNames the identifiers of their names
 * @param idSize the bytes of a field that is a reference
 * @param references all identifiers that the class object holds: superclass, loader, signers,
 *     protection domain, constants and static fields; those that are 0 are left out
 * @param referenceNames the identifiers of the names of those that are static fields; 0 for others
 * @param staticBytes bytes of its static fields of primitive types
 */
@SuppressWarnings("ArrayRecordComponent")
public record HprofClass(
    long id,
    long superId,
    HprofType[] fields,
    long[] fieldNames,
    int idSize,
    long[] references,
    long[] referenceNames,
    long staticBytes) {

  /** Reads what follows the tag of a class dump. */
  static HprofClass read(HprofInput in) {
    long id = in.id();
    in.skip(4); // stack trace
    long superId = in.id();
    References references = new References();
    references.add(superId, 0);
    references.add(in.id(), 0); // loader
    references.add(in.id(), 0); // signers
    references.add(in.id(), 0); // protection domain
    in.skip(2L * in.idSize() + 4); // reserved, reserved, instance size
    long bytes = 0;
    for (int constants = in.u2(); constants > 0; constants--) {
      in.skip(2);
      bytes += value(in, 0, references);
    }
    for (int statics = in.u2(); statics > 0; statics--) {
      bytes += value(in, in.id(), references);
    }
    HprofType[] fields = new HprofType[in.u2()];
    long[] names = new long[fields.length];
    for (int i = 0; i < fields.length; i++) {
      names[i] = in.id();
      fields[i] = HprofReader.type(in);
    }
    return new HprofClass(
        id, superId, fields, names, in.idSize(), references.ids(), references.names(), bytes);
  }

  /** Reads a value with its type; returns its bytes if it is no reference. */
  private static int value(HprofInput in, long name, References references) {
    HprofType type = HprofReader.type(in);
    if (type == HprofType.OBJECT) {
      references.add(in.id(), name);
      return 0;
    }
    int bytes = type.bytes(in.idSize());
    in.skip(bytes);
    return bytes;
  }

  private static final class References {
    private long[] ids = new long[8];
    private long[] names = new long[8];
    private int count;

    void add(long id, long name) {
      if (id == 0) {
        return;
      }
      if (count == ids.length) {
        ids = Arrays.copyOf(ids, 2 * count);
        names = Arrays.copyOf(names, 2 * count);
      }
      ids[count] = id;
      names[count++] = name;
    }

    long[] ids() {
      return Arrays.copyOf(ids, count);
    }

    long[] names() {
      return Arrays.copyOf(names, count);
    }
  }
}
