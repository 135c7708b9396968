package dev.gleaner.heap;

import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.spi.CollectorTraits;
import org.jspecify.annotations.Nullable;

/** Opens heaps under one checked configuration. Safe for use by several Java threads. */
public interface HeapFactory {
  /**
   * Opens a heap with a name of its own.
   *
   * @return the heap, which belongs to the calling Java thread
   */
  Heap open();

  /**
   * Opens a heap; the name tags its meters and messages.
   *
   * @param name tags its meters and messages; no other open heap of the same collector should have
   *     it
   * @return the heap, which belongs to the calling Java thread
   */
  Heap open(String name);

  /**
   * Opens a heap with allocation functions of the user's own.
   *
   * @param name tags its meters and messages; no other open heap of the same collector should have
   *     it
   * @param functions makes the functions; null for the default ones
   * @return the heap, which belongs to the calling Java thread
   */
  Heap open(String name, @Nullable AllocationFunctionsFactory functions);

  /** {@return the name of the collector that the configuration chose} */
  String collector();

  /** {@return what the collector can do under these settings} */
  CollectorTraits traits();
}
