package dev.gleaner.lua.machine;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The Java thread that runs a function of the host. An interrupt wakes this thread. An interrupt
 * arrives while the function runs, never later: the sender sets SENDING in place of the thread
 * until the interrupt has arrived, and the leaving thread waits for the end of SENDING.
 *
 * <pre>
 *   none --enter--> thread --interrupt--> SENDING --> SENT
 *     '----leave------'                                '--leave, which clears the flag--> none
 * </pre>
 */
final class HostThread {
  /** The states of an interrupt. */
  private enum Interrupt {
    SENDING,
    SENT
  }

  private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

  /** Begins a function of the host. */
  void enter(Thread thread) {
    state.set(thread);
  }

  /**
   * Ends a function of the host, or leaves it for a call of the guest.
   *
   * @return whether a function of the host ran
   */
  @SuppressWarnings("ThreadPriorityCheck") // a virtual thread lets the sender run
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

  /** Wakes the thread if a function of the host runs. */
  void interrupt() {
    if (state.get() instanceof Thread thread && state.compareAndSet(thread, Interrupt.SENDING)) {
      thread.interrupt();
      state.set(Interrupt.SENT);
    }
  }
}
