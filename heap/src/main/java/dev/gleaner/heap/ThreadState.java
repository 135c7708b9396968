package dev.gleaner.heap;

import org.apiguardian.api.API;

/** The state of a thread element (a coroutine). */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum ThreadState {
  /** The thread stands in its bottom frame: before its begin, or after its last frame. */
  IDLE,

  /** The thread stands in another frame, and can continue there. */
  SUSPENDED,

  /** The thread is the current thread. */
  RUNNING,

  /** The thread has resumed another thread, and waits for that thread. */
  WAITING
}
