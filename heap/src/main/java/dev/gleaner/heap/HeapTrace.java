package dev.gleaner.heap;

import dev.gleaner.trace.TraceTable;

/** The operations of heaps in traces, as the methods of a heap and its parts declare them. */
final class HeapTrace {
  /** All operations; read once. */
  static final TraceTable TABLE = TraceTable.of(Heap.class);

  private HeapTrace() {}

  static int code(String name) {
    return TABLE.code(name);
  }
}
