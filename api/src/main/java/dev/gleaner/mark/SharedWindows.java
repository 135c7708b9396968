package dev.gleaner.mark;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The windows with grey elements that wait, where several Java threads mark: each window is scanned
 * by one thread at a time.
 *
 * <pre>
 *   IDLE ── grey ──> QUEUED ── take ──> OWNED ── done ──> IDLE
 *                      ^                  │ grey
 *                      └───── done ─── AGAIN
 * </pre>
 *
 * <p>A thread sets a mark bit, by an atomic operation, before it looks at the state of the window.
 * The owner changes the state before it looks at the bits. So one of the two sees what the other
 * did, and no grey element is lost.
 *
 * <p>The marking is over when no window waits and each thread waits for one. A thread that starts
 * after that does nothing.
 */
final class SharedWindows {
  /** What {@link #take} returns when the marking is over. */
  static final int OVER = -1;

  private static final int IDLE = 0;
  private static final int QUEUED = 1;
  private static final int OWNED = 2;
  private static final int AGAIN = 3;

  /** The threads of all heaps; they end a second after their last work. */
  private static final Executor HELPERS =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          1,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().daemon().name("gleaner-mark-", 0).factory());

  private final AtomicIntegerArray states;

  // The rest is guarded by this.
  private final int[] queue;
  private int head;
  private int size;
  private int threads;
  private int waiting;
  private boolean over;
  private @Nullable Throwable failure;

  /**
   * Makes the windows of a memory, none of them with grey elements.
   *
   * @param windows their number
   */
  SharedWindows(int windows) {
    states = new AtomicIntegerArray(windows);
    queue = new int[windows];
  }

  /** Notes that a window has a grey element. */
  void grey(int window) {
    while (true) {
      int state = states.get(window);
      if (state == QUEUED || state == AGAIN) {
        return;
      }
      if (states.compareAndSet(window, state, state == IDLE ? QUEUED : AGAIN)) {
        if (state == IDLE) {
          enqueue(window);
        }
        return;
      }
    }
  }

  private synchronized void enqueue(int window) {
    queue[(head + size++) % queue.length] = window;
    notify();
  }

  /** Returns a window, which now belongs to the caller; OVER if there is none any more. */
  synchronized int take() {
    waiting++;
    boolean interrupted = false;
    while (size == 0 && !over) {
      if (waiting == threads) {
        end();
      } else {
        interrupted |= await();
      }
    }
    restore(interrupted);
    if (over) {
      return OVER;
    }
    waiting--;
    int window = queue[head];
    head = (head + 1) % queue.length;
    size--;
    states.set(window, OWNED);
    return window;
  }

  /** Gives a window back, in which the caller has found no grey element any more. */
  void done(int window) {
    if (!states.compareAndSet(window, OWNED, IDLE)) {
      states.set(window, QUEUED);
      enqueue(window);
    }
  }

  /**
   * Marks by several threads, this one among them; returns when none of them marks any more.
   *
   * @param markers one for each thread, the caller's first
   */
  void mark(Marker[] markers) {
    boolean _ = enter();
    for (int i = 1; i < markers.length; i++) {
      Marker marker = markers[i];
      try {
        HELPERS.execute(() -> help(marker));
      } catch (OutOfMemoryError | StackOverflowError _) { // no thread: the others do its work
        break;
      }
    }
    work(markers[0]);
    finish();
  }

  private void help(Marker marker) {
    if (enter()) {
      work(marker);
    }
  }

  private synchronized boolean enter() {
    if (!over) {
      threads++;
    }
    return !over;
  }

  private void work(Marker marker) {
    try {
      marker.drainShared(this);
    } catch (Throwable e) {
      fail(e);
    } finally {
      leave();
    }
  }

  private synchronized void fail(Throwable e) {
    if (failure == null) {
      failure = e;
    }
    end();
  }

  private void end() {
    over = true;
    notifyAll();
  }

  private synchronized void leave() {
    threads--;
    notifyAll();
  }

  private synchronized void finish() {
    boolean interrupted = false;
    while (threads > 0) {
      interrupted |= await();
    }
    restore(interrupted);
    if (failure instanceof Error e) {
      throw e;
    }
    if (failure != null) {
      throw new IllegalStateException("marking failed", failure);
    }
  }

  /** Waits; returns whether the thread was interrupted, which ends no collection. */
  @SuppressWarnings("WaitNotInLoop") // the callers loop
  private boolean await() {
    try {
      wait();
      return false;
    } catch (InterruptedException _) {
      return true;
    }
  }

  private static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
