package dev.gleaner.heap;

/**
 * Finalizers and on-free callbacks, as {@link FinalizerRunner} knows them: code that runs on a
 * thread element of its own. {@link Callbacks} calls the code.
 */
interface ProgramCode {
  /** Switches to the thread of callbacks. Needs no memory. */
  void enterCallback();

  void leaveCallback();

  /**
   * Switches to the thread of finalizers; may collect.
   *
   * @throws dev.gleaner.refusal.HeapException if there is no room for the frame; the thread is not
   *     entered
   */
  void enterFinalizer();

  void leaveFinalizer();

  /** Ends callbacks and finalizers that an Error has left unfinished. */
  void leaveAll();

  /** Calls a finalizer in the entered frame. */
  void run(Object finalizer, boolean closing);

  /** Whether a finalizer, which may not use the heap, refuses all further calls. */
  boolean refuses(Object finalizer);
}
