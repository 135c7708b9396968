package dev.gleaner.lua.machine;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The Java thread that runs a function of the host, so that an interrupt wakes it. An interrupt is
 * sent while the function runs, never after that: whoever sends one holds the place of the thread
 * until the interrupt has arrived, and the thread waits for that before the thread goes on.
 *
 * <pre>
 *   none --enter--> thread --interrupt--> SENDING --> SENT
 *     '----leave------'                                '--leave, which clears the flag--> none
 * </pre>
 */
final class HostThread {
  /** How an interrupt goes. */
  private enum Interrupt {
    SENDING,
    SENT
  }

  private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

  /** A function of the host begins. */
  void enter(Thread thread) {
    state.set(thread);
  }

  /**
   * No function of the host runs here any more, or it calls the guest.
   *
   * @return whether one did
   */
  @SuppressWarnings("ThreadPriorityCheck") // a virtual thread lets the one that sends go on
  boolean leave(Thread thread) {
    if (state.compareAndSet(thread, null)) {
      return true;
    }
    while (Interrupt.SENDING.equals(state.get())) {
      Thread.yield();
    }
    if (state.compareAndSet(Interrupt.SENT, null)) {
      boolean _ = Thread.interrupted();
      return true;
    }
    return false;
  }

  /** Wakes the thread, if it runs a function of the host. */
  void interrupt() {
    if (state.get() instanceof Thread thread && state.compareAndSet(thread, Interrupt.SENDING)) {
      thread.interrupt();
      state.set(Interrupt.SENT);
    }
  }
}
