package dev.gleaner.collector.hybrid;

/** When finalizers run: the setting {@code finalization}. */
enum Finalization {
  /** When all that is to be freed is gone, and a collection is over (Duktape 2.x). */
  DEFERRED,
  /** When counting or sweeping comes to their element (Duktape 1.x). */
  INLINE
}
