package dev.gleaner.layout;

import dev.gleaner.memory.Memory;
import dev.gleaner.spi.WriteBarrier;
import org.apiguardian.api.API;

/**
 * Element header, 8 bytes, and the payload of each kind.
 *
 * <pre>
 *   63            32 31           16 15  12 11      4 3    0
 *   | collector's  | payload words | sort | flags    | kind |
 * </pre>
 *
 * The upper half belongs to the collector (a count, forwarding state), the lower half is fixed.
 * Kind 0 is free memory. A payload of {@link #LARGE} words or more has the field at {@code LARGE}
 * and its true size in an extra word just before the header.
 *
 * <pre>
 *   RECORD          n slots
 *   OBJECT          prototype | raw: property table (0: none) | inline slots
 *     weak table    prototype | raw: number and {@link Weakness} | inline slots
 *   STRING          hash and length in bytes, 32 bits each | bytes, zero padded | characters (only if not ASCII)
 *   LONG            the integer
 *   BUFFER          bytes | data
 *   DYNAMIC_BUFFER  raw: block (0: none) | bytes
 *   THREAD          see {@link ThreadLayout}
 *   FUNCTION        raw: number of constants | constants | inner functions
 *   NATIVE          index in the table of Java objects
 * </pre>
 *
 * Strings, integers, buffers and natives hold no references (kinds up to {@link #LAST_OPAQUE}); in
 * all other kinds every payload word is a tagged value, so that one loop scans them. Strings and
 * integers are values (kinds up to {@link #LAST_VALUE}): equal ones stand for each other.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Layout {
  /** Bytes of a word. */
  public static final int WORD = 8;

  /** Bits of the kind, the lowest of a header. */
  public static final int KIND_BITS = 4;

  /** Mask of the kind. */
  public static final int KIND_MASK = (1 << KIND_BITS) - 1;

  /** Where the flags begin. */
  public static final int FLAGS_SHIFT = KIND_BITS;

  /** A string of ASCII only: characters are bytes. */
  public static final int FLAG_ASCII = 1 << FLAGS_SHIFT;

  /** An object that is a weak table; of strings the bit means something else. */
  public static final int FLAG_WEAK = FLAG_ASCII;

  /** Lives in the block of built-ins: never reclaimed before the heap closes. */
  public static final int FLAG_IMMORTAL = 1 << (FLAGS_SHIFT + 1);

  /** Had a finalizer or a weak reference to it at some time: a table at the side may know it. */
  public static final int FLAG_NOTED = 1 << (FLAGS_SHIFT + 2);

  /** An object that was the prototype of another one at some time. */
  public static final int FLAG_PROTOTYPE = 1 << (FLAGS_SHIFT + 3);

  /** A string that is not interned: others may have the same bytes. The flag of prototypes. */
  public static final int FLAG_UNINTERNED = FLAG_PROTOTYPE;

  /** The first of three flags that are the collector's, as the upper half is. */
  public static final int COLLECTOR_FLAGS_SHIFT = FLAGS_SHIFT + 4;

  /**
   * Of what is stored into the element the collector wants to hear ({@link
   * WriteBarrier#REMEMBERING}); it alone sets and clears it.
   */
  public static final int FLAG_UNLOGGED = 1 << (FLAGS_SHIFT + 7);

  /** Where the number of the element's sort begins, 0 for none: {@code dev.gleaner.table.Sorts}. */
  public static final int SORT_SHIFT = 12;

  /** The largest number of a sort. */
  public static final int MOST_SORTS = 15;

  /** The bits of the sort. */
  public static final int SORT_MASK = MOST_SORTS << SORT_SHIFT;

  /** Where the payload's size begins, in words. */
  public static final int SIZE_SHIFT = 16;

  /**
   * The size in a header that stands for all from this one on; the word before the header has the
   * true one.
   */
  public static final int LARGE = (1 << 16) - 1;

  /** Mask of the heap's half of a header; the upper half is the collector's. */
  public static final long LOW_MASK = 0xFFFF_FFFFL;

  /** The kind of a free cell. */
  public static final int FREE = 0;

  /** The kind of strings. */
  public static final int STRING = 1;

  /** The kind of integers that are too large for a tagged value; a program never sees one. */
  public static final int LONG = 2;

  /** The last of the kinds that are equal by value, so that a weak place keeps them. */
  public static final int LAST_VALUE = LONG;

  /** The kind of fixed buffers. */
  public static final int BUFFER = 3;

  /** The kind of buffers that can be resized. */
  public static final int DYNAMIC_BUFFER = 4;

  /** The kind of elements that hold a Java object. */
  public static final int NATIVE = 5;

  /** The last of the kinds whose payload holds no reference. */
  public static final int LAST_OPAQUE = NATIVE;

  /** The kind of records. */
  public static final int RECORD = 6;

  /** The kind of objects with properties. */
  public static final int OBJECT = 7;

  /** The kind of compiled functions. */
  public static final int FUNCTION = 9;

  /**
   * The kind of threads, which are coroutines. A header of this kind could be taken for a reference
   * by its lowest bits, so this is one that no scan of a space passes over.
   */
  public static final int THREAD = 8;

  /** How many kinds there are, that of free cells included. */
  public static final int KINDS = 10;

  /** Offset of an object's prototype, a reference, null or undefined. */
  public static final int OBJECT_PROTOTYPE = 8;

  /**
   * Offset of the property table: a raw word with the offset of its block, 0 if there is none. In a
   * weak table no multiple of 8: {@code dev.gleaner.weak.WeakObjects} has its block, so that no
   * scan comes by it.
   */
  public static final int OBJECT_TABLE = 16;

  /** What is set of these bits of that word in a weak table, and in no other. */
  public static final long WEAK_MASK = 7;

  /** Words of an object before its inline slots, without the header. */
  public static final int OBJECT_SLOTS = 2;

  /**
   * Offset of a string's word of figures: hash and length in bytes. The hash of a string that is
   * not interned is 0 until it is asked for.
   */
  public static final int STRING_WORD = 8;

  /** Offset of a string's bytes, any; those of text are in UTF-8. */
  public static final int STRING_BYTES = 16;

  /** In place of a string's number of characters: not counted yet. */
  public static final int UNCOUNTED = -1;

  /** In place of a string's number of characters: its bytes are no text. */
  public static final int NOT_TEXT = -2;

  /** Offset of the integer of a {@link #LONG}. */
  public static final int LONG_VALUE = 8;

  /** Offset of a fixed buffer's size in bytes. */
  public static final int BUFFER_SIZE = 8;

  /** Offset of a fixed buffer's bytes. */
  public static final int BUFFER_DATA = 16;

  /** Offset of the offset of a dynamic buffer's block, 0 if it has none. */
  public static final int DYNAMIC_BLOCK = 8;

  /** Offset of a dynamic buffer's size in bytes. */
  public static final int DYNAMIC_SIZE = 16;

  /**
   * Offset of a function's raw word: the number of its constants, which inner functions follow, in
   * the lower half; in the upper one the number of its code and 1, 0 if it has none.
   */
  public static final int FUNCTION_COUNTS = 8;

  /** Bits of each half of that word. */
  public static final int FUNCTION_BITS = 24;

  /** Mask of the number of constants, and the largest one. */
  public static final int FUNCTION_MASK = (1 << FUNCTION_BITS) - 1;

  /** Words of a function before its constants, without the header. */
  public static final int FUNCTION_SLOTS = 1;

  /** Offset of a native element's number in the {@code dev.gleaner.table.NativeTable}. */
  public static final int NATIVE_INDEX = 8;

  private static final Kind[] KIND_OF = {
    Kind.STRING, // unused: 0 is free memory
    Kind.STRING,
    Kind.INTEGER,
    Kind.BUFFER,
    Kind.DYNAMIC_BUFFER,
    Kind.NATIVE,
    Kind.RECORD,
    Kind.OBJECT,
    Kind.THREAD,
    Kind.FUNCTION
  };

  private Layout() {}

  /**
   * {@return the header of an element whose collector's half is 0}
   *
   * @param kind one of the kinds of this class
   * @param payloadWords the element's words after its header
   */
  public static long header(int kind, long payloadWords) {
    return Math.min(payloadWords, LARGE) << SIZE_SHIFT | kind;
  }

  /**
   * {@return the kind that a header tells}
   *
   * @param header of an element or a free cell
   */
  public static int kind(long header) {
    return (int) header & KIND_MASK;
  }

  /**
   * {@return the number of the sort that a header tells, 0 for none}
   *
   * @param header of an element
   */
  public static int sort(long header) {
    return (int) header >>> SORT_SHIFT & MOST_SORTS;
  }

  /**
   * {@return the public name of a kind of elements}
   *
   * @param kind one of the kinds of this class
   */
  public static Kind kindOf(int kind) {
    return KIND_OF[kind];
  }

  /**
   * {@return the payload's words of the element at {@code element}, whose header is {@code header}}
   *
   * @param memory the heap's memory
   * @param element its offset
   * @param header its header, which was read already
   */
  public static long payloadWords(Memory memory, long element, long header) {
    long words = (header & LOW_MASK) >>> SIZE_SHIFT;
    return words == LARGE ? memory.get(element - WORD) : words;
  }

  /**
   * {@return whether elements of a kind may hold references}
   *
   * @param kind one of the kinds of this class
   */
  public static boolean hasReferences(int kind) {
    return kind > LAST_OPAQUE;
  }

  /**
   * {@return whether a header is that of a weak table}
   *
   * @param header of an element or a free cell
   */
  public static boolean isWeak(long header) {
    return (header & (KIND_MASK | FLAG_WEAK)) == (OBJECT | FLAG_WEAK);
  }

  /**
   * Kinds that own memory or callbacks besides their cell, to be released when they are freed.
   *
   * @param kind one of the kinds of this class
   * @return whether elements of a kind own memory or callbacks
   */
  public static boolean ownsResources(int kind) {
    return kind == OBJECT || kind == DYNAMIC_BUFFER || kind == THREAD || kind == NATIVE;
  }
}
