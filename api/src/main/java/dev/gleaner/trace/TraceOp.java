package dev.gleaner.trace;

import java.util.Arrays;
import java.util.Locale;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a trace: a byte, and what operands follow it.
 *
 * <p>An operation has the name of the method of {@code Mutator} or {@code Heap} that it stands for,
 * and that one's parameters in their order, but for those that docs/traces.md names. The letters of
 * {@link #operands}:
 *
 * <pre>
 *   n  32 bits, as an unsigned varint (LEB128): slots, indexes, counts, flags
 *   i  32 bits, zigzag, as a varint: integers that are often negative
 *   j  64 bits, zigzag, as a varint: cursors of walks; reads what was written as i
 *   l  64 bits, as an unsigned varint: sizes, places in buffers, numbers of references
 *   d  a double: its 8 bytes, the lowest first
 *   t  a text: the number of bytes as n, and the bytes
 *   k  a list: how many as n, and each as n
 * </pre>
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TraceOp {

  // ---- Framing ----

  /** Before an operation that was refused, with a {@code HeapUsageException}. No operands. */
  public static final int FAILED_USAGE = 1;

  /** Before an operation for which there was no memory. No operands. */
  public static final int FAILED_EXHAUSTED = 2;

  /** Begins what a finalizer or an on-free callback did. Operands: as docs/traces.md says. */
  public static final int BODY = 3;

  /** Ends a body. Operands: 1 if it threw, else 0. */
  public static final int BODY_END = 4;

  /** The heap was closed; the last operation. No operands. */
  public static final int CLOSE = 5;

  /** The expected operation, so many times. Operands: as docs/traces.md says. */
  public static final int REPEAT = 6;

  // ---- Frames ----

  /** Operands: slots. */
  public static final int ENTER = 8;

  /** Operands: slots, first, arguments. */
  public static final int ENTER_ARGS = 9;

  /** No operands. */
  public static final int LEAVE = 10;

  /** Operands: s, d. */
  public static final int LEAVE_VALUE = 11;

  /** No operands. */
  public static final int COMPACT = 12;

  /** Operands: a, b. */
  public static final int COMPACT_TWO = 13;

  /** Operands: slots kept. */
  public static final int COMPACT_LIST = 14;

  /** Operands: from. */
  public static final int WIPE = 15;

  // ---- Values ----

  /** Operands: d. */
  public static final int SET_UNDEFINED = 16;

  /** Operands: d. */
  public static final int SET_NULL = 17;

  /** Operands: d. */
  public static final int SET_FALSE = 18;

  /** Operands: d. */
  public static final int SET_TRUE = 19;

  /** Operands: d, value. */
  public static final int SET_INT = 20;

  /** Operands: d, value. */
  public static final int SET_DOUBLE = 21;

  /** Operands: d, s. */
  public static final int COPY = 22;

  /** Operands: s. */
  public static final int TYPE = 23;

  /** Operands: s. */
  public static final int IS_UNDEFINED = 24;

  /** Operands: s. */
  public static final int IS_NULL = 25;

  /** Operands: s. */
  public static final int IS_REFERENCE = 26;

  /** Operands: s. */
  public static final int GET_BOOLEAN = 27;

  /** Operands: s. */
  public static final int GET_INT = 28;

  /** Operands: s. */
  public static final int GET_DOUBLE = 29;

  /** Operands: s. */
  public static final int KIND = 30;

  /** Operands: a, b. */
  public static final int SAME = 31;

  // ---- Records, and the inline slots of objects ----

  /** Operands: d, slots. */
  public static final int NEW_RECORD = 32;

  /** Operands: r, i, s. */
  public static final int STORE = 33;

  /** Operands: d, r, i. */
  public static final int LOAD = 34;

  /** Operands: r, i, value. */
  public static final int STORE_INT = 35;

  /** Operands: r, i. */
  public static final int STORE_NULL = 36;

  /** Operands: r, i. */
  public static final int LOAD_INT = 37;

  /** Operands: r. */
  public static final int SLOT_COUNT = 38;

  // ---- Objects ----

  /** Operands: d, inline slots. */
  public static final int NEW_OBJECT = 40;

  /** Operands: d, o. */
  public static final int GET_PROTOTYPE = 41;

  /** Operands: o, s. */
  public static final int SET_PROTOTYPE = 42;

  /** Operands: d, o, key. */
  public static final int GET_PROPERTY = 43;

  /** Operands: d, o, key. */
  public static final int GET_OWN_PROPERTY = 44;

  /** Operands: o, key, s. */
  public static final int PUT_PROPERTY = 45;

  /** Operands: o, key. */
  public static final int DELETE_PROPERTY = 46;

  /** Operands: o, key. */
  public static final int HAS_PROPERTY = 47;

  /** Operands: d, o, index. */
  public static final int GET_INDEX = 48;

  /** Operands: o, index, s. */
  public static final int PUT_INDEX = 49;

  /** Operands: o. */
  public static final int ARRAY_LENGTH = 50;

  /** Operands: o. */
  public static final int PROPERTY_COUNT = 51;

  /** Operands: o, cursor, dKey, dValue, the answer. */
  public static final int NEXT_PROPERTY = 52;

  /** Operands: o, key, dKey, dValue. */
  public static final int NEXT_PROPERTY_AFTER = 53;

  // ---- Strings ----

  /** Operands: d, UTF-8. */
  public static final int NEW_STRING = 56;

  /** Operands: d, 1 if it was found, UTF-8. */
  public static final int FIND_STRING = 57;

  /** Operands: s. */
  public static final int GET_STRING = 58;

  /** Operands: s. */
  public static final int STRING_LENGTH = 59;

  /** Operands: s. */
  public static final int STRING_BYTES = 60;

  /** Operands: s, index. */
  public static final int CHAR_AT = 61;

  // ---- Buffers; their contents are not recorded ----

  /** Operands: d, bytes. */
  public static final int NEW_BUFFER = 64;

  /** Operands: d, bytes. */
  public static final int NEW_DYNAMIC_BUFFER = 65;

  /** Operands: b. */
  public static final int BUFFER_SIZE = 66;

  /** Operands: b, bytes. */
  public static final int RESIZE_BUFFER = 67;

  /** Operands: b, at. */
  public static final int GET_BYTE = 68;

  /** Operands: b, at. */
  public static final int PUT_BYTE = 69;

  /** Operands: b, at. */
  public static final int GET_LONG = 70;

  /** Operands: b, at. */
  public static final int PUT_LONG = 71;

  /** Operands: b, at, length. */
  public static final int READ_BYTES = 72;

  /** Operands: b, at, length. */
  public static final int WRITE_BYTES = 73;

  /** Operands: b. */
  public static final int VIEW = 74;

  /** Operands: b. */
  public static final int PIN = 75;

  /** Operands: b. */
  public static final int UNPIN = 76;

  // ---- Natives and functions ----

  /** Operands: d, number of its callback or 0. */
  public static final int NEW_NATIVE = 80;

  /** Operands: s. */
  public static final int NATIVE_VALUE = 81;

  /** Operands: d, constants, inner functions. */
  public static final int NEW_FUNCTION = 82;

  /** Operands: f, i, s. */
  public static final int STORE_CONSTANT = 83;

  /** Operands: d, f, i. */
  public static final int LOAD_CONSTANT = 84;

  /** Operands: f, i, s. */
  public static final int STORE_INNER = 85;

  /** Operands: d, f, i. */
  public static final int LOAD_INNER = 86;

  // ---- Threads and the call stack ----

  /** Operands: d. */
  public static final int NEW_THREAD = 88;

  /** Operands: thread, s. */
  public static final int PUSH = 89;

  /** Operands: thread, d. */
  public static final int POP = 90;

  /** Operands: thread, slots. */
  public static final int RESUME = 91;

  /** No operands. */
  public static final int SUSPEND = 92;

  /** Operands: slots, f. */
  public static final int CALL = 93;

  /** Operands: d, pc. */
  public static final int PUSH_CATCHER = 94;

  /** No operands. */
  public static final int POP_CATCHER = 95;

  /** Operands: s. */
  public static final int RAISE = 96;

  // ---- Finalizers, identity, weak and global references ----

  /** Operands: s, number, label. */
  public static final int SET_FINALIZER = 100;

  /** Operands: s. */
  public static final int CLEAR_FINALIZER = 101;

  /** Operands: s. */
  public static final int HAS_FINALIZER = 102;

  /** Operands: s. */
  public static final int IDENTITY_HASH = 103;

  /** Operands: s, number. */
  public static final int NEW_WEAK = 104;

  /** Operands: d, 1 if it was there, number. */
  public static final int GET_WEAK = 105;

  /** Operands: s, number. */
  public static final int SET_GLOBAL = 106;

  /** Operands: d, number. */
  public static final int GET_GLOBAL = 107;

  // ---- The heap ----

  /** Operands: flags. */
  public static final int COLLECT = 112;

  /** Operands: slices. */
  public static final int STEP = 113;

  /** No operands: makeBuiltins begins. */
  public static final int BUILTINS = 114;

  /** No operands: and ends. */
  public static final int BUILTINS_END = 115;

  /** Operands: flags. */
  public static final int SET_BASE_FLAGS = 116;

  /** Operands: number. */
  public static final int NEW_GLOBAL = 117;

  /** Operands: number. */
  public static final int CLOSE_GLOBAL = 118;

  /** Operands: number. */
  public static final int CLOSE_WEAK = 119;

  /** Operands: number. */
  public static final int IS_CLEARED = 120;

  /** Operands: bytes. */
  public static final int RESERVE_EXTERNAL = 121;

  /** Operands: bytes. */
  public static final int RELEASE_EXTERNAL = 122;

  /** Operands: bytes, number or 0 if refused. */
  public static final int ALLOC = 123;

  /** Operands: bytes, number or 0. */
  public static final int ALLOC_RAW = 124;

  /** Operands: number, bytes, number afterwards or 0. */
  public static final int REALLOC = 125;

  /** Operands: as REALLOC. */
  public static final int REALLOC_INDIRECT = 126;

  /** Operands: as REALLOC. */
  public static final int REALLOC_RAW = 127;

  /** Operands: number. */
  public static final int FREE = 128;

  /** Operands: after, times. */
  public static final int FAIL_ALLOCATIONS = 129;

  /** No operands. */
  public static final int CLEAR_FAIL_ALLOCATIONS = 130;

  private static final @Nullable String[] OPERANDS = new @Nullable String[256];
  private static final @Nullable String[] NAMES = new @Nullable String[256];

  /** Operands of a short operation; -1 for the others. */
  private static final byte[] SHORT = new byte[256];

  static {
    Arrays.fill(SHORT, (byte) -1);
    define(FAILED_USAGE, "FAILED_USAGE", ""); // the next operation was refused with a usage error
    define(FAILED_EXHAUSTED, "FAILED_EXHAUSTED", ""); // the next operation found no memory
    define(
        BODY, "BODY",
        "nll"); // what a finalizer (0) or an on-free callback (1) did: its sort, number, run
    define(BODY_END, "BODY_END", "n"); // 1 if it threw
    define(CLOSE, "CLOSE", ""); // the heap was closed: the last operation
    define(
        REPEAT, "REPEAT",
        "n"); // so many operations of the program, each the one that is expected there
    define(ENTER, "ENTER", "n"); // slots
    define(ENTER_ARGS, "ENTER_ARGS", "nnn"); // slots, first, arguments
    define(LEAVE, "LEAVE", "");
    define(LEAVE_VALUE, "LEAVE_VALUE", "nn"); // s, d
    define(COMPACT, "COMPACT", "");
    define(COMPACT_TWO, "COMPACT_TWO", "nn"); // a, b
    define(COMPACT_LIST, "COMPACT_LIST", "k"); // slots kept
    define(WIPE, "WIPE", "n"); // from
    define(SET_UNDEFINED, "SET_UNDEFINED", "n"); // d
    define(SET_NULL, "SET_NULL", "n"); // d
    define(SET_FALSE, "SET_FALSE", "n"); // d
    define(SET_TRUE, "SET_TRUE", "n"); // d
    define(SET_INT, "SET_INT", "ni"); // d, value
    define(SET_DOUBLE, "SET_DOUBLE", "nd"); // d, value
    define(COPY, "COPY", "nn"); // d, s
    define(TYPE, "TYPE", "n"); // s
    define(IS_UNDEFINED, "IS_UNDEFINED", "n"); // s
    define(IS_NULL, "IS_NULL", "n"); // s
    define(IS_REFERENCE, "IS_REFERENCE", "n"); // s
    define(GET_BOOLEAN, "GET_BOOLEAN", "n"); // s
    define(GET_INT, "GET_INT", "n"); // s
    define(GET_DOUBLE, "GET_DOUBLE", "n"); // s
    define(KIND, "KIND", "n"); // s
    define(SAME, "SAME", "nn"); // a, b
    define(NEW_RECORD, "NEW_RECORD", "nn"); // d, slots
    define(STORE, "STORE", "nnn"); // r, i, s
    define(LOAD, "LOAD", "nnn"); // d, r, i
    define(STORE_INT, "STORE_INT", "nni"); // r, i, value
    define(STORE_NULL, "STORE_NULL", "nn"); // r, i
    define(LOAD_INT, "LOAD_INT", "nn"); // r, i
    define(SLOT_COUNT, "SLOT_COUNT", "n"); // r
    define(NEW_OBJECT, "NEW_OBJECT", "nn"); // d, inline slots
    define(GET_PROTOTYPE, "GET_PROTOTYPE", "nn"); // d, o
    define(SET_PROTOTYPE, "SET_PROTOTYPE", "nn"); // o, s
    define(GET_PROPERTY, "GET_PROPERTY", "nnn"); // d, o, key
    define(GET_OWN_PROPERTY, "GET_OWN_PROPERTY", "nnn"); // d, o, key
    define(PUT_PROPERTY, "PUT_PROPERTY", "nnn"); // o, key, s
    define(DELETE_PROPERTY, "DELETE_PROPERTY", "nn"); // o, key
    define(HAS_PROPERTY, "HAS_PROPERTY", "nn"); // o, key
    define(GET_INDEX, "GET_INDEX", "nnn"); // d, o, index
    define(PUT_INDEX, "PUT_INDEX", "nnn"); // o, index, s
    define(ARRAY_LENGTH, "ARRAY_LENGTH", "n"); // o
    define(PROPERTY_COUNT, "PROPERTY_COUNT", "n"); // o
    define(NEXT_PROPERTY, "NEXT_PROPERTY", "njnnj"); // o, cursor, dKey, dValue, the answer
    define(NEXT_PROPERTY_AFTER, "NEXT_PROPERTY_AFTER", "nnnn"); // o, key, dKey, dValue
    define(NEW_STRING, "NEW_STRING", "nt"); // d, UTF-8
    define(FIND_STRING, "FIND_STRING", "nnt"); // d, 1 if it was found, UTF-8
    define(GET_STRING, "GET_STRING", "n"); // s
    define(STRING_LENGTH, "STRING_LENGTH", "n"); // s
    define(STRING_BYTES, "STRING_BYTES", "n"); // s
    define(CHAR_AT, "CHAR_AT", "nn"); // s, index
    define(NEW_BUFFER, "NEW_BUFFER", "nl"); // d, bytes
    define(NEW_DYNAMIC_BUFFER, "NEW_DYNAMIC_BUFFER", "nl"); // d, bytes
    define(BUFFER_SIZE, "BUFFER_SIZE", "n"); // b
    define(RESIZE_BUFFER, "RESIZE_BUFFER", "nl"); // b, bytes
    define(GET_BYTE, "GET_BYTE", "nl"); // b, at
    define(PUT_BYTE, "PUT_BYTE", "nl"); // b, at
    define(GET_LONG, "GET_LONG", "nl"); // b, at
    define(PUT_LONG, "PUT_LONG", "nl"); // b, at
    define(READ_BYTES, "READ_BYTES", "nln"); // b, at, length
    define(WRITE_BYTES, "WRITE_BYTES", "nln"); // b, at, length
    define(VIEW, "VIEW", "n"); // b
    define(PIN, "PIN", "n"); // b
    define(UNPIN, "UNPIN", "n"); // b
    define(NEW_NATIVE, "NEW_NATIVE", "nl"); // d, number of its callback or 0
    define(NATIVE_VALUE, "NATIVE_VALUE", "n"); // s
    define(NEW_FUNCTION, "NEW_FUNCTION", "nnn"); // d, constants, inner functions
    define(STORE_CONSTANT, "STORE_CONSTANT", "nnn"); // f, i, s
    define(LOAD_CONSTANT, "LOAD_CONSTANT", "nnn"); // d, f, i
    define(STORE_INNER, "STORE_INNER", "nnn"); // f, i, s
    define(LOAD_INNER, "LOAD_INNER", "nnn"); // d, f, i
    define(NEW_THREAD, "NEW_THREAD", "n"); // d
    define(PUSH, "PUSH", "nn"); // thread, s
    define(POP, "POP", "nn"); // thread, d
    define(RESUME, "RESUME", "nn"); // thread, slots
    define(SUSPEND, "SUSPEND", "");
    define(CALL, "CALL", "nn"); // slots, f
    define(PUSH_CATCHER, "PUSH_CATCHER", "ni"); // d, pc
    define(POP_CATCHER, "POP_CATCHER", "");
    define(RAISE, "RAISE", "n"); // s
    define(SET_FINALIZER, "SET_FINALIZER", "nlt"); // s, number, label
    define(CLEAR_FINALIZER, "CLEAR_FINALIZER", "n"); // s
    define(HAS_FINALIZER, "HAS_FINALIZER", "n"); // s
    define(IDENTITY_HASH, "IDENTITY_HASH", "n"); // s
    define(NEW_WEAK, "NEW_WEAK", "nl"); // s, number
    define(GET_WEAK, "GET_WEAK", "nnl"); // d, 1 if it was there, number
    define(SET_GLOBAL, "SET_GLOBAL", "nl"); // s, number
    define(GET_GLOBAL, "GET_GLOBAL", "nl"); // d, number
    define(COLLECT, "COLLECT", "n"); // flags
    define(STEP, "STEP", "n"); // slices
    define(BUILTINS, "BUILTINS", ""); // makeBuiltins begins
    define(BUILTINS_END, "BUILTINS_END", ""); // and ends
    define(SET_BASE_FLAGS, "SET_BASE_FLAGS", "n"); // flags
    define(NEW_GLOBAL, "NEW_GLOBAL", "l"); // number
    define(CLOSE_GLOBAL, "CLOSE_GLOBAL", "l"); // number
    define(CLOSE_WEAK, "CLOSE_WEAK", "l"); // number
    define(IS_CLEARED, "IS_CLEARED", "l"); // number
    define(RESERVE_EXTERNAL, "RESERVE_EXTERNAL", "l"); // bytes
    define(RELEASE_EXTERNAL, "RELEASE_EXTERNAL", "l"); // bytes
    define(ALLOC, "ALLOC", "ll"); // bytes, number or 0 if refused
    define(ALLOC_RAW, "ALLOC_RAW", "ll"); // bytes, number or 0
    define(REALLOC, "REALLOC", "lll"); // number, bytes, number afterwards or 0
    define(REALLOC_INDIRECT, "REALLOC_INDIRECT", "lll"); // as REALLOC
    define(REALLOC_RAW, "REALLOC_RAW", "lll"); // as REALLOC
    define(FREE, "FREE", "l"); // number
    define(FAIL_ALLOCATIONS, "FAIL_ALLOCATIONS", "ll"); // after, times
    define(CLEAR_FAIL_ALLOCATIONS, "CLEAR_FAIL_ALLOCATIONS", "");
  }

  private TraceOp() {}

  private static void define(int code, String name, String operands) {
    NAMES[code] = name.toLowerCase(Locale.ROOT).replace('_', '-');
    OPERANDS[code] = operands;
    if (operands.matches("[ni]{0,3}")) {
      SHORT[code] = (byte) operands.length();
    }
  }

  /**
   * Returns how many operands an operation has, if those are up to three of the sorts n and i; -1
   * for others. When each takes one byte, it is one that can be expected.
   */
  static int shortOperands(int code) {
    return SHORT[code];
  }

  /**
   * {@return the letters of an operation's operands; null if there is no such operation}
   *
   * @param code an operation's code
   */
  public static @Nullable String operands(int code) {
    return code < 0 || code >= OPERANDS.length ? null : OPERANDS[code];
  }

  /**
   * {@return an operation's name, for messages}
   *
   * @param code an operation's code
   */
  public static String name(int code) {
    String name = code < 0 || code >= NAMES.length ? null : NAMES[code];
    return name == null ? "operation " + code : name;
  }
}
