package dev.gleaner.trace;

import java.util.Map;
import org.apiguardian.api.API;

/** Where the recorder of a heap puts what it has encoded. */
@API(status = API.Status.INTERNAL)
public interface TraceSink {
  /**
   * Takes what the heap holds before the first operation; nothing comes before it.
   *
   * @param image the bytes of a heap image
   */
  void image(byte[] image);

  /**
   * Takes a block of operations, no longer than until it returns.
   *
   * @param block the operations, after {@link TraceFormat#HEAD} bytes for the head of the block
   * @param length of both
   * @param bodies how many {@link TraceOp#BODY} are in it
   * @param reads the hash of what the program has read, in these operations
   */
  void block(byte[] block, int length, int bodies, long reads);

  /**
   * Takes the totals; nothing comes after them.
   *
   * @param totals by the names in {@link TraceFormat}
   */
  void end(Map<String, Long> totals);

  /** Forgets the trace: its heap could not be opened. */
  void discard();
}
