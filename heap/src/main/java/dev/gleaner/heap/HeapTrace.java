package dev.gleaner.heap;

import dev.gleaner.trace.TraceTable;
import org.apiguardian.api.API;

/**
 * The operations of heaps as traces have them: what the methods of a heap and its parts declare.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class HeapTrace {
  /** All of them; read once. */
  public static final TraceTable TABLE =
      new TraceTable(Mutator.class, Heap.class, PlainMemory.class, HeapFaults.class);

  private HeapTrace() {}

  static int code(String name) {
    return TABLE.code(name);
  }
}
