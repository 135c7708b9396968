package dev.gleaner.layout;

import org.apiguardian.api.API;

/**
 * A thread element (a coroutine) and its two auxiliary blocks.
 *
 * <pre>
 *   payload:  raw stack block | raw capacity | raw base | raw size | raw top
 *             | raw calls block | raw calls capacity | raw calls used | resumer | raw state
 *
 *   value stack, words, from the bottom:
 *     … caller's slots | link | slot 0 | slot 1 | …           top
 *                               ^ base
 *   link = raw: distance from the caller's base to this base (24 bits) | the caller's size (24 bits)
 *
 *   call stack, three words an entry:
 *     raw kind (activation, or catcher: destination slot and program counter) | reference | raw base
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

  /** Offset of the number of words that the call stack has room for, raw. */
  public static final int CALLS_CAPACITY = 56;

  /** Offset of the number of words of the call stack that are in use, raw. */
  public static final int CALLS_USED = 64;

  /** Offset of the thread that resumed this one, a reference. */
  public static final int RESUMER = 72;

  /** Offset of the state, raw. */
  public static final int STATE = 80;

  /** Words of a thread after its header. */
  public static final int PAYLOAD_WORDS = 10;

  /** Bits of a distance and of a size in the link word of a frame. */
  public static final int LINK_BITS = 24;

  /** Mask of such a field, once it is shifted down. */
  public static final int LINK_MASK = (1 << LINK_BITS) - 1;

  /** Words of an entry of the call stack. */
  public static final int CALL_WORDS = 3;

  private ThreadLayout() {}
}
