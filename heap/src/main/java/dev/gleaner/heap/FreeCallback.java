package dev.gleaner.heap;

/**
 * Told that a native element was freed. Runs after the collection; must not use the element.
 *
 * <p>It may use the heap: in a frame of {@link Finalizer#FRAME_SLOTS} slots on a thread of its own.
 * The program's frames and catchers cannot be reached from there, nothing leaves that frame, and
 * nothing suspends that thread. Frames and coroutines that the callback entered are left after it.
 */
@FunctionalInterface
public interface FreeCallback {
  /**
   * Runs. What is thrown, errors included, is logged and counted.
   *
   * @param value the Java object that the element held
   * @param closing whether the heap is closing
   */
  void freed(Object value, boolean closing);
}
