package dev.gleaner.heap;

import dev.gleaner.trace.TraceTable;

/**
 * The operations of heaps as traces have them: what the methods of a heap and its parts declare.
 */
final class HeapTrace {
  /** All of them; read once. */
  static final TraceTable TABLE = TraceTable.of(Heap.class);

  private HeapTrace() {}

  static int code(String name) {
    return TABLE.code(name);
  }
}
