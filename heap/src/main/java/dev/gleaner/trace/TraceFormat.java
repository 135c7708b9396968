package dev.gleaner.trace;

import dev.gleaner.layout.Values;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The frame of a trace file; docs/internal/trace-format.md has the whole format.
 *
 * <pre>
 *   file   "GLNTRACE", version (4 bytes), blocks: a header, an image or none, operations…, an end
 *   block   0  length of the payload
 *           4  CRC32C of all that follows: the rest of the head and the payload
 *           8  sort: 1 header, 2 operations, 3 end, 4 image
 *          12  bodies of finalizers and callbacks that begin in it
 *          16  hash of what the program has read in it (8 bytes)
 *          24  payload; an operation never spans two blocks
 * </pre>
 *
 * Numbers have 4 bytes where nothing else is said, the lowest first.
 */
public final class TraceFormat {
  /** Bytes of a block's head. */
  public static final int HEAD = 24;

  /** The version that is written, and the only one that is read. */
  public static final int VERSION = 1;

  /** The totals that every trace has. */
  public static final String OPERATIONS = "operations";

  /** Total: bodies of finalizers and callbacks. */
  public static final String BODIES = "bodies";

  /** Total: the hash of what the program has read. */
  public static final String CHECKSUM = "checksum";

  /** Total: a hash of the order in which finalizers ran. */
  public static final String FINALIZER_ORDER = "finalizer-order";

  /** Total: elements allocated. */
  public static final String ALLOCATED_ELEMENTS = "allocated-elements";

  /** Total: bytes of elements allocated. */
  public static final String ALLOCATED_BYTES = "allocated-bytes";

  /** Total: calls of finalizers. */
  public static final String FINALIZERS_RUN = "finalizers-run";

  /** Before the name of a kind: its elements when the heap was about to be closed. */
  public static final String LIVE = "live-";

  /** The fields of the header that every trace has. */
  public static final String COLLECTOR = "collector";

  /** Field: the settings that somebody had set, in HOCON. */
  public static final String GIVEN = "settings-given";

  /** Field: all settings, defaults included, in HOCON. */
  public static final String IN_FORCE = "settings-in-force";

  static final byte[] MAGIC = {'G', 'L', 'N', 'T', 'R', 'A', 'C', 'E'};
  static final int PREAMBLE = MAGIC.length + 4;
  static final int HEADER = 1;
  static final int OPERATIONS_BLOCK = 2;
  static final int END = 3;
  static final int IMAGE = 4;
  static final int CRC_AT = 4;
  static final int SORT_AT = 8;
  static final int BODIES_AT = 12;
  static final int READS_AT = 16;

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private TraceFormat() {}

  /** Entries of the table of expected operations. */
  public static final int CONTEXTS = 1 << 12;

  /**
   * Returns the context after an operation: a hash of the last three. The operation that followed a
   * context last is the one that is expected when it comes again.
   *
   * @param context the one before it
   * @param word the operation's bytes, the first one lowest
   * @return from 0 to {@link #CONTEXTS} - 1
   */
  public static int context(int context, int word) {
    return (context << 4 ^ (word * 0x9E3779B9) >>> 20) & CONTEXTS - 1;
  }

  /**
   * Adds a value that was read to the hash of those before.
   *
   * @param hash of what was read before
   * @param value the next one
   * @return the hash of all
   */
  public static long hash(long hash, long value) {
    long h = (hash ^ value) * 0x9E3779B97F4A7C15L;
    return h ^ h >>> 29;
  }

  /**
   * What is added to the hash for a boolean.
   *
   * @param read what the program has read
   * @return 0 or 1
   */
  public static long value(boolean read) {
    return read ? 1 : 0;
  }

  /**
   * What is added to the hash for an integer.
   *
   * @param read what the program has read
   * @return the same
   */
  public static long value(int read) {
    return read;
  }

  /**
   * What is added to the hash for a long.
   *
   * @param read what the program has read
   * @return the same
   */
  public static long value(long read) {
    return read;
  }

  /**
   * What is added to the hash for a tagged value.
   *
   * @param read what the program has read
   * @return the same, but for a reference one number
   */
  public static long tagged(long read) {
    return Values.isReference(read) ? Values.NOT_REFERENCE : read;
  }

  /**
   * What is added to the hash for a double.
   *
   * @param read what the program has read
   * @return its bits
   */
  public static long value(double read) {
    return Double.doubleToLongBits(read);
  }

  /**
   * What is added to the hash for a type or kind.
   *
   * @param read what the program has read
   * @return the hash code of its name
   */
  public static long value(Enum<?> read) {
    return read.name().hashCode();
  }

  /**
   * What is added to the hash for a text.
   *
   * @param read what the program has read
   * @return its hash code
   */
  public static long value(String read) {
    return read.hashCode();
  }

  static int checksum(byte[] block, int length) {
    CRC32C crc = new CRC32C();
    crc.update(block, SORT_AT, length - SORT_AT);
    return (int) crc.getValue();
  }
}
