package dev.gleaner.heap;

import dev.gleaner.refusal.HeapException;

/**
 * A thread element on which the heap calls code of the host: one for finalizers, one for on-free
 * callbacks, which may come in the midst of a finalizer.
 *
 * <pre>
 *   program's thread    ... | frame |            &lt;- waits; its frames, registers and catchers
 *   callback thread     | bottom | frames of the callback ...           cannot be reached
 *   coroutines that the callback resumes         &lt;- suspended where they stand, when it is over
 * </pre>
 *
 * <p>The floor is the bottom frame, which nothing leaves; nothing resumed the thread, so nothing
 * suspends it. {@link #leave} takes back whatever the callback left entered, resumed or guarded by
 * a catcher: the thread is as new, and the program's is as it was. Operations that call no code pay
 * nothing.
 *
 * <p>Code that is only told something, and must not use the heap, is called by {@link Observers};
 * allocation functions by {@link UserFunctions}.
 */
final class CallbackThread {
  private final Mutator m;
  private final Coroutines coroutines;

  /** The element, a root; 0 until the first finalizer is set, or callback. */
  long thread;

  CallbackThread(Mutator mutator, Coroutines coroutines) {
    this.m = mutator;
    this.coroutines = coroutines;
  }

  /** Makes the element if there is none. Callbacks may do so meanwhile: then theirs stays. */
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

  /** Goes to the bottom frame, with slots as far as there is room. Needs no memory. */
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
   * Goes to the bottom frame, with all of the slots; may collect.
   *
   * @throws HeapException if there is no room for them; the thread is not entered
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

  /** Goes back to the thread that was interrupted. */
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
