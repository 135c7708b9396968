package dev.gleaner.heap;

import dev.gleaner.refusal.HeapException;

/**
 * A thread element on which the heap calls code of the host. The heap has one for finalizers and
 * one for on-free callbacks, as a callback may run inside of a finalizer.
 *
 * <pre>
 *   program's thread    ... | frame |    &lt;- waits; the callback cannot reach its frames,
 *                                           registers and catchers
 *   callback thread     | bottom | frames of the callback ...
 *   coroutines that the callback resumed &lt;- suspended when the callback ends
 * </pre>
 *
 * <p>The callback cannot leave the bottom frame. The thread has no resumer, so the callback cannot
 * suspend the thread. {@link #leave} leaves all frames, coroutines and catchers of the callback.
 * Then the thread is like a new thread, and the program's thread is as before. Operations that call
 * no code take no extra time.
 *
 * <p>{@link Observers} calls code that must not use the heap. {@link UserFunctions} calls
 * allocation functions.
 */
final class CallbackThread {
  private final Mutator m;
  private final Coroutines coroutines;

  /** The thread element, a root; 0 until the first finalizer or callback is set. */
  long thread;

  CallbackThread(Mutator mutator, Coroutines coroutines) {
    this.m = mutator;
    this.coroutines = coroutines;
  }

  /** Makes the element if there is none. If a callback makes it meanwhile, that element stays. */
  void make() {
    if (thread != 0) {
      return;
    }
    long made = m.makeThread();
    boolean _ = m.context.stacks().ensureStack(made, 1 + Finalizer.FRAME_SLOTS);
    m.count(made);
    if (thread == 0) {
      thread = made;
    } else if (m.counts != null) {
      m.counts.decrement(made);
      m.counts.settle();
    }
  }

  boolean isCurrent() {
    return m.current == thread;
  }

  /** Switches to the bottom frame, with as many slots as fit. Needs no memory. */
  void enter(int slots) {
    enter();
    m.fillBottom(slots);
  }

  private void enter() {
    m.section.enter(); // a switch that is broken off cannot be trusted
    coroutines.switchTo(thread);
    m.section.leave();
  }

  /**
   * Switches to the bottom frame, with all of the slots; may collect.
   *
   * @throws HeapException if there is no room for the slots; the thread is not entered
   */
  void enterWithRoom(int slots) {
    enter();
    try {
      m.ensureSize(slots);
    } catch (HeapException e) {
      coroutines.switchBack();
      throw e;
    }
    m.fillBottom(slots);
  }

  /** Switches back to the interrupted thread. */
  void leave() {
    while (m.current != thread) {
      coroutines.switchBack();
    }
    while (Operations.distance(m.link(m.base)) != 0) {
      m.leaveFrame();
    }
    m.emptyBottom();
    coroutines.switchBack();
  }
}
