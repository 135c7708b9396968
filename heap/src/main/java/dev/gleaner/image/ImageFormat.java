package dev.gleaner.image;

import dev.gleaner.layout.Layout;
import dev.gleaner.refusal.ImageException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The format of images, version 1. Numbers are in little-endian order; <i>n</i> stands for a number
 * of 7 bits a byte, the lowest first, with a bit that says whether another byte follows.
 *
 * <pre>
 *   file      "GLEANIMG" | version, 32 bits | CRC-32C of all that follows, 32 bits | bytes of the body, 64 bits | body
 *   body      counts | names | sorts | elements | contents | tables at the side
 *   counts    n elements | n built-ins, which come first | n main thread | n running thread | n external bytes
 *   names     n | role, 8 bits; n bytes; bytes             what is Java's, each once
 *   sorts     n | n bytes; bytes; kinds, 16 bits           the name of a sort, and the kinds that have it
 *   elements  in the order of a walk from the roots, breadth first: see {@link #BUILTIN}
 *   contents  of those that hold values, in the same order
 *   side      globals: n | for each: n bytes; bytes; value
 *             finalizers: n | for each: n element | mode, 8 bits | state, 8 bits | n name | n bytes; label   (an heir has no name)
 *             ages: n, 0 if they are not known | for each: n entry, the oldest first
 *             the finalize list: n | for each: n element
 *
 *   STRING          n bytes | bytes
 *   LONG            64 bits
 *   BUFFER          n bytes | n bytes up to the last that is not 0 | these
 *   DYNAMIC_BUFFER  the same
 *   NATIVE          n name | n name of its callback and 1, or 0
 *   RECORD          n slots                                contents: values
 *   OBJECT          n slots | weakness, 8 bits if weak     contents: prototype | values | table
 *   FUNCTION        n constants | n inner | n name of its code and 1, or 0     contents: values
 *   THREAD          n name of its object and 1, or 0       contents: runs, 8 bits | resumer | frames | calls
 *     frames        n | for each, from the bottom: n slots | values
 *     calls         n | for each: n frame | 0 | function,  or n frame | 1 | n slot | 32 bits program counter
 * </pre>
 *
 * {@code dev.gleaner.table.TableImage} has the table of an object.
 */
public final class ImageFormat {
  /** A word in an array of bytes. */
  static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Half a word in an array of bytes. */
  static final VarHandle HALF =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** The first bytes of an image. */
  static final long MAGIC = 0x474D_494E_4145_4C47L;

  /** The version that this class writes, and the only one that can be opened. */
  public static final int VERSION = 1;

  /** Bytes before the body. */
  public static final int HEADER_BYTES = 24;

  /** The kind of an element, in the first byte that tells of it. */
  public static final int KIND_MASK = Layout.KIND_MASK;

  /** The element is a built-in. */
  public static final int BUILTIN = 1 << 4;

  /** The element has a sort of its own, which follows in a byte. */
  public static final int SORTED = 1 << 5;

  /** A string that is interned, or an object that is a weak table. */
  public static final int SPECIAL = 1 << 6;

  /** The program asked for the element's identity hash, which follows in 32 bits. */
  public static final int HASHED = 1 << 7;

  // The first byte of a value.
  static final int UNDEFINED = 0;
  static final int NULL = 1;
  static final int FALSE = 2;
  static final int TRUE = 3;

  /** A double, in 64 bits. */
  static final int DOUBLE = 4;

  /** An integer: a number of alternating sign. */
  static final int INT = 5;

  /** The largest number that stands for an integer of 32 bits. */
  static final long MOST_FOLDED_INT = (1L << 32) - 1;

  /** A reference: the distance from the holder's number, of alternating sign. */
  static final int REFERENCE = 6;

  /** An index of an array that has no value. */
  static final int HOLE = 7;

  /** The first of the bytes that stand for the integers from 0 on. */
  static final int SMALL = 8;

  /** The first of the bytes that stand for references to elements behind the holder. */
  static final int NEAR = 136;

  // How an element has its finalizer.
  /** Those that have it as a prototype have the finalizer, too. */
  public static final int LENT = 1;

  /** It has none of its own. */
  public static final int HEIR = 2;

  private ImageFormat() {}

  /** Writes the sum over an image, which is complete. */
  static void seal(byte[] image) {
    HALF.set(image, HEADER_BYTES - 12, checksum(image));
  }

  /**
   * Checks the header of an image.
   *
   * @throws ImageException if the bytes are no image, or were changed
   */
  public static void check(byte[] image) {
    long length = bodyBytes(image);
    int sum = (int) HALF.get(image, HEADER_BYTES - 12);
    if (length != image.length - HEADER_BYTES) {
      throw new ImageException(
          "a heap image with a body of %d bytes, of which %d are there"
              .formatted(length, image.length - HEADER_BYTES));
    }
    if (sum != checksum(image)) {
      throw new ImageException("a heap image that was changed: its checksum is wrong");
    }
  }

  /**
   * Returns the number of bytes behind the header.
   *
   * @param image the header, with or without the rest
   * @throws ImageException if the header is none of an image, or of another version
   */
  public static long bodyBytes(byte[] image) {
    ImageInput in = new ImageInput(image, 0);
    if (image.length < HEADER_BYTES || in.word() != MAGIC) {
      throw new ImageException("no heap image: it does not begin as one");
    }
    int version = in.half();
    if (version != VERSION) {
      throw new ImageException(
          "a heap image of version " + version + "; this release opens version " + VERSION);
    }
    int _ = in.half();
    return in.word();
  }

  /** Returns the body of an image whose header was checked, or that was just written. */
  public static ImageInput body(byte[] image) {
    return new ImageInput(image, HEADER_BYTES);
  }

  /** Returns the sum over all that follows it. */
  static int checksum(byte[] image) {
    CRC32C crc = new CRC32C();
    crc.update(image, HEADER_BYTES - Long.BYTES, image.length - HEADER_BYTES + Long.BYTES);
    return (int) crc.getValue();
  }

  /** Returns an integer without its sign, small if the integer is near 0. */
  static long folded(long value) {
    return value << 1 ^ value >> 63;
  }

  /** Returns the integer of {@link #folded}. */
  static long unfolded(long folded) {
    return folded >>> 1 ^ -(folded & 1);
  }
}
