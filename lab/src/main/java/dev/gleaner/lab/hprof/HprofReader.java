package dev.gleaner.lab.hprof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Reads heap dumps in the HPROF format, versions 1.0.1 and 1.0.2, as {@code jcmd PID GC.heap_dump}
 * and {@code -XX:+HeapDumpOnOutOfMemoryError} write them, from start to end in one pass.
 *
 * <pre>
 *   "JAVA PROFILE 1.0.2" 0   u4 size of identifiers, 4 or 8   u8 time
 *   record*:  u1 tag  u4 time  u4 length  byte[length]
 *     01 STRING                id  byte[]: a name
 *     02 LOAD_CLASS            u4 serial  id class  u4 trace  id name
 *     0C HEAP_DUMP, 1C HEAP_DUMP_SEGMENT: subrecord*
 *       01…08, FF  root         id and what its kind says beside
 *       20         class        see {@link HprofClass}
 *       21         instance     id  u4 trace  id class  u4 bytes  byte[bytes]
 *       22         object array id  u4 trace  u4 length  id class  id[length]
 *       23         other array  id  u4 trace  u4 length  u1 type   value[length]
 *     2C HEAP_DUMP_END: after the last segment
 *     others: skipped
 * </pre>
 *
 * <p>Memory: the window of {@link HprofInput}, and one class at a time, whatever the file's size
 * and whatever lengths a damaged file claims. Every offset is a long; lengths are unsigned. A file
 * that ends early, or contradicts itself, is an {@link HprofException} with the offset.
 */
public record HprofReader(Path file) {
  private static final String HEADER = "JAVA PROFILE 1.0.";
  private static final int STRING = 0x01;
  private static final int LOAD_CLASS = 0x02;
  private static final int HEAP_DUMP = 0x0c;
  private static final int HEAP_DUMP_SEGMENT = 0x1c;
  private static final int HEAP_DUMP_END = 0x2c;

  private static final int CLASS = 0x20;
  private static final int INSTANCE = 0x21;
  private static final int OBJECT_ARRAY = 0x22;
  private static final int PRIMITIVE_ARRAY = 0x23;

  /**
   * Reads the whole file.
   *
   * @throws HprofException if it cannot be read, is no heap dump, or is truncated or damaged
   */
  public void read(HprofVisitor visitor) {
    try (HprofInput in = open()) {
      records(in, visitor);
    } catch (IOException e) {
      throw new HprofException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Reads only as much as says whether this is a heap dump.
   *
   * @throws HprofException if it is none, or cannot be read
   */
  public void check() {
    try (HprofInput in = open()) {
      if (in.remaining() == 0) {
        throw in.unusable("truncated: it ends at byte " + in.size() + ", after the header");
      }
    } catch (IOException e) {
      throw new HprofException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private HprofInput open() throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new HprofException(file + ": there is no such file");
    }
    HprofInput in = new HprofInput(file);
    try {
      header(in);
      return in;
    } catch (HprofException e) {
      in.close();
      throw e;
    }
  }

  private static void header(HprofInput in) {
    byte[] start = new byte[(int) Math.min(HEADER.length() + 2, in.size())];
    in.bytes(start, 0, start.length);
    String text = new String(start, StandardCharsets.ISO_8859_1);
    if (text.startsWith("\u001f\u008b")) {
      throw in.unusable("is compressed; unpack it with gunzip first");
    }
    String expected = text.length() < HEADER.length() ? HEADER.substring(0, text.length()) : HEADER;
    if (!text.startsWith(expected) || text.isEmpty()) {
      throw in.unusable("is no HPROF heap dump: it does not start with \"" + HEADER + "2\"");
    }
    if (text.length() < HEADER.length() + 2) {
      throw in.unusable("truncated: it ends at byte " + in.size() + ", inside the header");
    }
    if (!text.endsWith("1\0") && !text.endsWith("2\0")) {
      throw in.unusable("is of a version that is not known: 1.0.1 and 1.0.2 are");
    }
    long at = in.position();
    long idSize = in.u4();
    if (idSize != 4 && idSize != 8) {
      throw in.damaged(at, "identifiers of " + idSize + " bytes; 4 or 8 are right");
    }
    in.idSize((int) idSize);
    in.skip(8);
  }

  private static void records(HprofInput in, HprofVisitor visitor) {
    boolean dump = false;
    boolean open = false;
    while (in.remaining() > 0) {
      int tag = in.u1();
      in.skip(4);
      long length = in.u4();
      long start = in.position();
      if (length > in.remaining()) {
        throw in.unusable(
            "truncated: it ends at byte %d, but the record before byte %d says that it goes on to %d"
                .formatted(in.size(), start, start + length));
      }
      if (tag == HEAP_DUMP || tag == HEAP_DUMP_SEGMENT) {
        in.limit(start + length);
        while (in.remaining() > 0) {
          subrecord(in, visitor);
        }
        in.limit(in.size());
        dump = true;
        open = tag == HEAP_DUMP_SEGMENT;
      } else {
        open &= tag != HEAP_DUMP_END;
        in.limit(start + length);
        name(tag, in, visitor);
        in.limit(in.size());
        in.skip(start + length - in.position());
      }
    }
    if (open) {
      throw in.unusable("truncated: it ends at byte " + in.size() + " without HEAP_DUMP_END");
    }
    if (!dump) {
      throw in.unusable("truncated: it ends at byte " + in.size() + " before any heap dump");
    }
  }

  private static void name(int tag, HprofInput in, HprofVisitor visitor) {
    if (tag == STRING) {
      visitor.name(in.id(), in);
    } else if (tag == LOAD_CLASS) {
      in.skip(4);
      long classId = in.id();
      in.skip(4);
      visitor.classLoaded(classId, in.id());
    }
  }

  private static void subrecord(HprofInput in, HprofVisitor visitor) {
    long at = in.position();
    int tag = in.u1();
    switch (tag) {
      case CLASS -> visitor.classDump(HprofClass.read(in));
      case INSTANCE -> instance(in, visitor);
      case OBJECT_ARRAY -> objectArray(in, visitor);
      case PRIMITIVE_ARRAY -> primitiveArray(in, visitor);
      default -> {
        HprofRoot root = HprofRoot.ofTag(tag);
        if (root == null) {
          throw in.damaged(at, String.format(Locale.ROOT, "no such kind of entry: 0x%02x", tag));
        }
        long id = in.id();
        in.skip(root.rest(in.idSize()));
        visitor.root(root, id);
      }
    }
  }

  private static void instance(HprofInput in, HprofVisitor visitor) {
    long id = in.id();
    in.skip(4);
    long classId = in.id();
    long bytes = in.u4();
    long end = end(in, bytes);
    visitor.instance(id, classId, bytes, in);
    in.skip(end - in.position());
  }

  private static void objectArray(HprofInput in, HprofVisitor visitor) {
    long id = in.id();
    in.skip(4);
    long length = in.u4();
    long classId = in.id();
    long end = end(in, length * in.idSize());
    visitor.objectArray(id, classId, length(in, length), in);
    in.skip(end - in.position());
  }

  private static void primitiveArray(HprofInput in, HprofVisitor visitor) {
    long id = in.id();
    in.skip(4);
    long length = in.u4();
    long at = in.position();
    HprofType type = type(in);
    if (type == HprofType.OBJECT) {
      throw in.damaged(at, "an array of references as one of primitive values");
    }
    long end = end(in, length * type.bytes(in.idSize()));
    visitor.primitiveArray(id, type, length(in, length), in);
    in.skip(end - in.position());
  }

  /** Returns where contents of so many bytes end, once it is known that they are there. */
  private static long end(HprofInput in, long bytes) {
    if (bytes > in.remaining()) {
      throw in.damaged(
          in.position(),
          "an object of %d bytes, but the record has only %d more"
              .formatted(bytes, in.remaining()));
    }
    return in.position() + bytes;
  }

  private static int length(HprofInput in, long length) {
    if (length > Integer.MAX_VALUE) {
      throw in.damaged(in.position(), "an array of " + length + " elements; Java has none so long");
    }
    return (int) length;
  }

  /** Reads the tag of a type. */
  static HprofType type(HprofInput in) {
    long at = in.position();
    int tag = in.u1();
    HprofType type = HprofType.ofTag(tag);
    if (type == null) {
      throw in.damaged(at, "no such type: " + tag);
    }
    return type;
  }
}
