package dev.gleaner.heap;

import dev.gleaner.spi.CollectorTraits;
import org.jspecify.annotations.Nullable;

/** Opens heaps under one checked configuration. Safe for use by several Java threads. */
public interface HeapFactory {
  /** Opens a heap with a name of its own. */
  Heap open();

  /** Opens a heap; the name tags its meters and messages. */
  Heap open(String name);

  /** Opens a heap with allocation functions of the user's own. */
  Heap open(String name, @Nullable AllocationFunctionsFactory functions);

  /** The name of the collector that the configuration chose. */
  String collector();

  CollectorTraits traits();
}
