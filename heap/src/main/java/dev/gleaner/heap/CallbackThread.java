package dev.gleaner.heap;

import dev.gleaner.parts.HeapParts;
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
  static final int FINALIZERS = 0;
  static final int CALLBACKS = 1;

  private final WordAccess r;
  private final HeapParts context;
  private final ThreadAccess threads;

  /** The place of the thread element in {@link Registers#called}. */
  private final int number;

  /** Whether finalizers have frames on the program's threads, and need no thread. */
  private final boolean unused;

  CallbackThread(HeapCore core, ThreadAccess threads, int number) {
    this.r = core.registers();
    this.context = core.context();
    this.threads = threads;
    this.number = number;
    this.unused = number == FINALIZERS && core.collector().finalizesInline();
  }

  /** Whether a thread element is the one of this class. */
  boolean runsOn(long t) {
    return t == r.called[number];
  }

  /** Makes the element if there is none. If a callback makes it meanwhile, that element stays. */
  void make() {
    if (r.called[number] != 0 || unused) {
      return;
    }
    long made = threads.make();
    boolean _ = context.stacks().ensureStack(made, 1 + Finalizer.FRAME_SLOTS);
    r.count(made);
    if (r.called[number] == 0) {
      r.called[number] = made;
    } else {
      r.drop(made);
      r.settle();
    }
  }

  /** Switches to the bottom frame, with as many slots as fit. Needs no memory. */
  void enter(int slots) {
    enter();
    FrameAccess.fillBottom(r, slots);
  }

  private void enter() {
    context.section().enter(); // a switch that is broken off cannot be trusted
    threads.switchTo(r.called[number]);
    context.section().leave();
  }

  /**
   * Switches to the bottom frame, with all of the slots; may collect.
   *
   * @throws HeapException if there is no room for the slots; the thread is not entered
   */
  void enterWithRoom(int slots) {
    enter();
    try {
      FrameAccess.ensureSize(r, slots);
    } catch (HeapException e) {
      threads.switchBack();
      throw e;
    }
    FrameAccess.fillBottom(r, slots);
  }

  /** Switches back to the interrupted thread. */
  void leave() {
    while (r.current != r.called[number]) {
      threads.switchBack();
    }
    while (Registers.distance(r.link(r.base)) != 0) {
      FrameAccess.leaveFrame(r);
    }
    FrameAccess.emptyBottom(r);
    threads.switchBack();
  }
}
