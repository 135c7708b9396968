package dev.gleaner.heap;

import org.apiguardian.api.API;

/** What a thread element (a coroutine) is doing. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum ThreadState {
  /** It stands in its bottom frame: it has not begun, or has finished, or left all its frames. */
  IDLE,

  /** It stands in a frame of its own, and can go on there. */
  SUSPENDED,

  /** It is the current thread. */
  RUNNING,

  /** It has resumed another thread, and waits for it. */
  WAITING
}
