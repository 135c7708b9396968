package com.example.markcompact;

import dev.gleaner.settings.HeapSettings;
import dev.gleaner.settings.Section;

/**
 * How large the pieces are in which the space grows.
 *
 * @param largest the most bytes of a chunk
 */
record ChunkPolicy(long largest) {
  /** Reads it, and keeps a chunk within a quarter of the heap's limit. */
  static ChunkPolicy of(HeapSettings general, Section own) {
    long largest = own.bytes("largest-chunk", 4 << 10, 64 << 20);
    return new ChunkPolicy(Math.clamp(general.memory().max() / 4, 4 << 10, largest));
  }
}
