package dev.gleaner.heap;

/** The heap, as its references know it. Its text names the heap in messages. */
interface ReferenceOwner {
  void closeGlobal(GlobalRef ref);

  void closeWeak(WeakRef ref);

  boolean isWeakCleared(WeakRef ref);
}
