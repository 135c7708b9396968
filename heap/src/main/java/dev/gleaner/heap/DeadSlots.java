package dev.gleaner.heap;

import org.apiguardian.api.API;

/**
 * Drops what a runtime will not read again. Slots of frames are roots, also those in which an
 * instruction before left a temporary value. A runtime that knows which slots its code still reads
 * drops the others when a collection begins. With such a runtime a collection begins only in an
 * operation that allocates, or that asks for a collection.
 *
 * <p>The heap does not ask while a finalizer or callback runs, which has interrupted the runtime in
 * the midst of an operation.
 */
@FunctionalInterface
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface DeadSlots {
  /**
   * Drops slots of a frame. Must not use the heap in another way, and must not throw.
   *
   * @param frame a frame of the running thread, or of a thread that waits for it; valid during the
   *     call. Where the running thread is suspended, the values that it passes are in the running
   *     frame
   */
  void drop(Frame frame);

  /** A frame, in the midst of whichever operation needs the collection. */
  interface Frame {
    /** {@return the number of frames below this one on the stack of its thread} */
    int depth();

    /** {@return whether the frame is that of the running function} */
    boolean isRunning();

    /** {@return the number of slots} */
    int slots();

    /** {@return the code number of the function in slot 0; -1 if there is no such function} */
    int functionCode();

    /**
     * {@return the word of a slot}
     *
     * @param slot from 0, less than {@link #slots}
     */
    long get(int slot);

    /**
     * Makes a slot undefined.
     *
     * @param slot from 0, less than {@link #slots}
     */
    void drop(int slot);
  }
}
