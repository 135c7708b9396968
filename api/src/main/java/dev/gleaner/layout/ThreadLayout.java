package dev.gleaner.layout;

import dev.gleaner.memory.Memory;
import org.apiguardian.api.API;

/**
 * A thread element (a coroutine) and its two auxiliary blocks.
 *
 * <pre>
 *   payload:  raw stack block | raw capacity | raw base | raw size | raw top
 *             | raw calls block | raw calls capacity | raw calls used | resumer | raw state
 *             | raw depth | raw Java object
 *
 *   value stack, words, from the bottom:
 *     … caller's slots | link | slot 0 | slot 1 | …           top
 *                               ^ base
 *   link = raw: distance from the caller's base to this base (24 bits) | the caller's size (24 bits)
 *
 *   call stack, three words an entry:  kind | reference | raw base
 *     kind  47    46      32 31               0
 *           | 0 |         0                   |    an activation: the reference is its function
 *           | 1 | slot     | program counter  |    a catcher
 * </pre>
 *
 * Base and top count words from the stack's start, so that the block may move. Every word of both
 * blocks is a tagged value; those of the stack at or above {@code top} are dead. While a thread
 * runs, its registers live in the heap's access object and are written back before a collection.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class ThreadLayout {
  /** Offset of the value stack: a raw word with the offset of its block. */
  public static final int STACK = 8;

  /** Offset of the number of words that the value stack has room for, raw. */
  public static final int CAPACITY = 16;

  /** Offset of where the current frame begins: raw, in words from the start of the stack. */
  public static final int BASE = 24;

  /** Offset of the number of slots of the current frame, raw. */
  public static final int SIZE = 32;

  /** Offset of the number of words of the value stack that are in use, raw. */
  public static final int TOP = 40;

  /** Offset of the call stack: a raw word with the offset of its block, 0 if there is none yet. */
  public static final int CALLS = 48;

  /** Offset of the number of entries that the call stack has room for, raw. */
  public static final int CALLS_CAPACITY = 56;

  /** Offset of the number of entries of the call stack that are in use, raw. */
  public static final int CALLS_USED = 64;

  /** Offset of the thread that resumed this one, a reference. */
  public static final int RESUMER = 72;

  /** Offset of the state, raw. */
  public static final int STATE = 80;

  /** Offset of the number of frames above the bottom one, raw. */
  public static final int DEPTH = 88;

  /** Offset of the number of the attached Java object and one; raw, 0 if there is none. */
  public static final int OBJECT = 96;

  /** Words of a thread after its header. */
  public static final int PAYLOAD_WORDS = 12;

  /** Bits of a distance and of a size in the link word of a frame. */
  public static final int LINK_BITS = 24;

  /** Mask of such a field, once it is shifted down. */
  public static final int LINK_MASK = (1 << LINK_BITS) - 1;

  /** Words of an entry of the call stack. */
  public static final int CALL_WORDS = 3;

  /** Bytes of an entry of the call stack. */
  public static final int CALL_BYTES = CALL_WORDS * Layout.WORD;

  /** From an entry to its kind: an activation, or a catcher with its slot and program counter. */
  public static final int CALL_KIND = 0;

  /** From an entry to its reference: the function of an activation. */
  public static final int CALL_REFERENCE = 8;

  /** From an entry to the base of its frame: raw, in words from the start of the stack. */
  public static final int CALL_BASE = 16;

  /** The kind of activations. */
  public static final long ACTIVATION = Values.RAW_TAG;

  /** Slots that a catcher can name. */
  public static final int CATCHER_SLOTS = 1 << 15;

  private static final long CATCHER = 1L << 47;
  private static final int CATCHER_SLOT_SHIFT = 32;

  private ThreadLayout() {}

  /**
   * {@return the kind of a catcher's entry}
   *
   * @param slot that gets the value, below {@link #CATCHER_SLOTS}
   * @param pc where the program goes on
   */
  public static long catcher(int slot, int pc) {
    return Values.ofRaw(CATCHER | (long) slot << CATCHER_SLOT_SHIFT | (pc & 0xFFFF_FFFFL));
  }

  /**
   * {@return whether this is the kind of a catcher's entry}
   *
   * @param kind of an entry
   */
  public static boolean isCatcher(long kind) {
    return (kind & CATCHER) != 0;
  }

  /**
   * {@return the slot of a catcher}
   *
   * @param kind of its entry
   */
  public static int catcherSlot(long kind) {
    return (int) (kind >>> CATCHER_SLOT_SHIFT) & (CATCHER_SLOTS - 1);
  }

  /**
   * {@return the program counter of a catcher}
   *
   * @param kind of its entry
   */
  public static int catcherPc(long kind) {
    return (int) kind;
  }

  /**
   * {@return where the value stack begins}
   *
   * @param memory the heap's memory
   * @param thread the offset of the thread
   */
  public static long stackStart(Memory memory, long thread) {
    return Values.raw(memory.get(thread + STACK));
  }

  /**
   * {@return where the words of the value stack end that are in use}
   *
   * @param memory the heap's memory
   * @param thread the offset of the thread
   */
  public static long stackEnd(Memory memory, long thread) {
    return stackStart(memory, thread) + (Values.raw(memory.get(thread + TOP)) << 3);
  }

  /**
   * {@return where the call stack begins}
   *
   * @param memory the heap's memory
   * @param thread the offset of the thread
   */
  public static long callsStart(Memory memory, long thread) {
    return Values.raw(memory.get(thread + CALLS));
  }

  /**
   * {@return where the entries of the call stack end that are in use}
   *
   * @param memory the heap's memory
   * @param thread the offset of the thread
   */
  public static long callsEnd(Memory memory, long thread) {
    return callsStart(memory, thread) + Values.raw(memory.get(thread + CALLS_USED)) * CALL_BYTES;
  }
}
