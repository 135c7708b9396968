package dev.gleaner.heap;

/** Runs when its element is about to be freed, or when the heap closes. */
@FunctionalInterface
public interface Finalizer {
  /** Slots of the frame a finalizer runs in. */
  int FRAME_SLOTS = 8;

  /**
   * Runs. The element is in slot 0 of a frame of {@link #FRAME_SLOTS} slots on the heap's finalizer
   * thread, which nothing leaves. Storing it where it can be reached rescues it. What is thrown,
   * errors included, is logged and counted; the element counts as finalized all the same.
   * Finalizers that it sets run in a later operation of the program.
   *
   * @param mutator access to the heap, for this call
   * @param closing whether the heap is closing, when a rescue has no effect
   */
  void run(Mutator mutator, boolean closing);

  /**
   * Whether it refuses all further calls, as where a program has used up its time. A heap that
   * closes asks before each call until then, and passes by the elements of a finalizer that
   * refuses: it enters no frame, and counts no call. The heap refuses all use meanwhile; what is
   * thrown is logged, and the finalizer is called.
   *
   * @return false, unless a class says otherwise
   */
  default boolean refuses() {
    return false;
  }
}
