package dev.gleaner.heap;

/** A finalizer runs before its element is freed, or when the heap closes. */
@FunctionalInterface
public interface Finalizer {
  /** The number of slots of the frame in which a finalizer runs. */
  int FRAME_SLOTS = 8;

  /**
   * Runs the finalizer. The element is in slot 0 of a frame of {@link #FRAME_SLOTS} slots on the
   * heap's finalizer thread. The finalizer cannot leave that frame. Storing the element at a
   * reachable place rescues the element.
   *
   * <p>If a finalizer throws, the heap logs and counts the exception or error. The element still
   * counts as finalized. A finalizer that this method sets runs in a later operation of the
   * program.
   *
   * @param mutator the access to the heap, for this call only
   * @param closing whether the heap is closing, when a rescue has no effect
   */
  void run(Mutator mutator, boolean closing);

  /**
   * Returns whether the finalizer refuses all further calls, for example because the program has
   * used up its time. A closing heap asks before each call. After a refusal the heap skips the
   * elements of this finalizer: it enters no frame and counts no call.
   *
   * <p>This method must not use the heap. If this method throws, the heap logs the exception or
   * error, and calls the finalizer.
   *
   * @return false, unless a class overrides this method
   */
  default boolean refuses() {
    return false;
  }
}
