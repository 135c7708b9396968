package dev.gleaner.heap;

/**
 * An on-free callback: the heap calls it after a native element was freed, and after the
 * collection.
 *
 * <p>The callback may use the heap, in a frame of {@link Finalizer#FRAME_SLOTS} slots on a separate
 * thread. The callback cannot reach the program's frames and catchers, cannot leave that frame, and
 * cannot suspend that thread. Afterwards the heap leaves all frames and coroutines that the
 * callback entered.
 */
@FunctionalInterface
public interface FreeCallback {
  /**
   * Runs the callback. If the callback throws, the heap logs and counts the exception or error.
   *
   * @param value the Java object of the freed element
   * @param closing whether the heap is closing
   */
  void freed(Object value, boolean closing);
}
