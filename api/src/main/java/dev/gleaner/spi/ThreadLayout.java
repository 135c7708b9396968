package dev.gleaner.spi;

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
  public static final int STACK = 8;
  public static final int CAPACITY = 16;
  public static final int BASE = 24;
  public static final int SIZE = 32;
  public static final int TOP = 40;
  public static final int CALLS = 48;
  public static final int CALLS_CAPACITY = 56;
  public static final int CALLS_USED = 64;
  public static final int RESUMER = 72;
  public static final int STATE = 80;
  public static final int PAYLOAD_WORDS = 10;

  public static final int LINK_BITS = 24;
  public static final int LINK_MASK = (1 << LINK_BITS) - 1;
  public static final int CALL_WORDS = 3;

  private ThreadLayout() {}
}
