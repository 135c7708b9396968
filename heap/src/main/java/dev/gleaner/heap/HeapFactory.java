package dev.gleaner.heap;

import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.CollectorTraits;
import org.jspecify.annotations.Nullable;

/** Opens heaps under one checked configuration. Several Java threads may use a factory at once. */
public interface HeapFactory {
  /**
   * Opens a heap with a new name.
   *
   * @return the heap, which belongs to the calling Java thread
   */
  Heap open();

  /**
   * Opens a heap with a given name.
   *
   * @param name the name in the heap's meters and messages; no other open heap of the same
   *     collector should have this name
   * @return the heap, which belongs to the calling Java thread
   */
  Heap open(String name);

  /**
   * Opens a heap with allocation functions of the user's own.
   *
   * @param name the name in the heap's meters and messages; no other open heap of the same
   *     collector should have this name
   * @param functions makes the functions; null for the default functions
   * @return the heap, which belongs to the calling Java thread
   */
  Heap open(String name, @Nullable AllocationFunctionsFactory functions);

  /** {@return the name of the collector in the configuration} */
  String collector();

  /** {@return the collector's abilities under these settings} */
  CollectorTraits traits();

  /** {@return the general settings in force, with what the collector overrides} */
  HeapSettings settings();
}
