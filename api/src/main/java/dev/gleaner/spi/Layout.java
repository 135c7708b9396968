package dev.gleaner.spi;

import dev.gleaner.heap.Kind;
import org.apiguardian.api.API;

/**
 * Element header, 8 bytes, and the payload of each kind.
 *
 * <pre>
 *   63            32 31           12 11      4 3    0
 *   | collector's  | payload words | flags    | kind |
 * </pre>
 *
 * The upper half belongs to the collector (a count, forwarding state), the lower half is fixed.
 * Kind 0 is free memory. A payload of {@link #LARGE} words or more has the field at {@code LARGE}
 * and its true size in an extra word just before the header.
 *
 * <pre>
 *   RECORD          n slots
 *   OBJECT          prototype | raw: property table (0: none) | inline slots
 *   STRING          hash and length in bytes, 32 bits each | UTF-8, zero padded | characters (only if not ASCII)
 *   BUFFER          bytes | data
 *   DYNAMIC_BUFFER  raw: block (0: none) | bytes
 *   THREAD          see {@link ThreadLayout}
 *   FUNCTION        raw: number of constants | constants | inner functions
 *   NATIVE          index in the table of Java objects
 * </pre>
 *
 * Strings, buffers and natives hold no references (kinds up to {@link #LAST_OPAQUE}); in all other
 * kinds every payload word is a tagged value, so that one loop scans them.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Layout {
  public static final int WORD = 8;
  public static final int KIND_BITS = 4;
  public static final int KIND_MASK = (1 << KIND_BITS) - 1;
  public static final int FLAGS_SHIFT = KIND_BITS;

  /** A string of ASCII only: characters are bytes. */
  public static final int FLAG_ASCII = 1 << FLAGS_SHIFT;

  /** Lives in the block of built-ins: never reclaimed before the heap closes. */
  public static final int FLAG_IMMORTAL = 1 << (FLAGS_SHIFT + 1);

  /** Had a finalizer or a weak reference to it at some time: a table at the side may know it. */
  public static final int FLAG_NOTED = 1 << (FLAGS_SHIFT + 2);

  /** An object that was the prototype of another one at some time. */
  public static final int FLAG_PROTOTYPE = 1 << (FLAGS_SHIFT + 3);

  /** The first of four flags that are the collector's, as the upper half is. */
  public static final int COLLECTOR_FLAGS_SHIFT = FLAGS_SHIFT + 4;

  public static final int SIZE_SHIFT = 12;
  public static final int LARGE = (1 << 20) - 1;
  public static final long LOW_MASK = 0xFFFF_FFFFL;

  public static final int FREE = 0;
  public static final int STRING = 1;
  public static final int BUFFER = 2;
  public static final int DYNAMIC_BUFFER = 3;
  public static final int NATIVE = 4;
  public static final int LAST_OPAQUE = NATIVE;
  public static final int RECORD = 5;
  public static final int OBJECT = 6;
  public static final int FUNCTION = 7;
  public static final int THREAD = 8;
  public static final int KINDS = 9;

  public static final int OBJECT_PROTOTYPE = 8;
  public static final int OBJECT_TABLE = 16;
  public static final int OBJECT_SLOTS = 2;
  public static final int STRING_WORD = 8;
  public static final int STRING_BYTES = 16;
  public static final int BUFFER_SIZE = 8;
  public static final int BUFFER_DATA = 16;
  public static final int DYNAMIC_BLOCK = 8;
  public static final int DYNAMIC_SIZE = 16;
  public static final int FUNCTION_COUNTS = 8;
  public static final int FUNCTION_SLOTS = 1;
  public static final int NATIVE_INDEX = 8;

  private static final Kind[] KIND_OF = {
    Kind.STRING, // unused: 0 is free memory
    Kind.STRING,
    Kind.BUFFER,
    Kind.DYNAMIC_BUFFER,
    Kind.NATIVE,
    Kind.RECORD,
    Kind.OBJECT,
    Kind.FUNCTION,
    Kind.THREAD
  };

  private Layout() {}

  /** The header of an element whose collector's half is 0. */
  public static long header(int kind, long payloadWords) {
    return Math.min(payloadWords, LARGE) << SIZE_SHIFT | kind;
  }

  public static int kind(long header) {
    return (int) header & KIND_MASK;
  }

  public static Kind kindOf(int kind) {
    return KIND_OF[kind];
  }

  /** The payload's words of the element at {@code element}, whose header is {@code header}. */
  public static long payloadWords(Memory memory, long element, long header) {
    long words = (header & LOW_MASK) >>> SIZE_SHIFT;
    return words == LARGE ? memory.get(element - WORD) : words;
  }

  public static boolean hasReferences(int kind) {
    return kind > LAST_OPAQUE;
  }

  /** Kinds that own memory or callbacks besides their cell, to be released when they are freed. */
  public static boolean ownsResources(int kind) {
    return kind == OBJECT || kind == DYNAMIC_BUFFER || kind == THREAD || kind == NATIVE;
  }
}
