package dev.gleaner.heap;

import dev.gleaner.refusal.HeapExhaustedException;

/** A heap's events, as the parts of the heap report them. {@link HeapLog} calls the listeners. */
interface HeapEvents {
  boolean hasListeners();

  void starting();

  void collected(CollectionEvent event);

  void paused(CollectionEvent event);

  /** Whether all listeners allow a refused request to collect once more. */
  boolean mayCollectAgain();

  void searched(long bytes);

  void exhausted(HeapExhaustedException refusal);

  void finalizerFailed(String label, Throwable e);

  void callbackFailed(String what, String name, Throwable e);

  /** Logs that a finalizer has no frame to run in. */
  void noFrame(Throwable e);

  void closed();
}
