package dev.gleaner.trace;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Arrays;

/** A block in memory, head and payload; the array is used again for the next one. */
final class TraceBlock {
  private static final int LEAST = 1 << 12;

  byte[] bytes = new byte[LEAST];
  int length;
  int sort;
  int bodies;
  long reads;

  /** Where in the file; -1 before the first one was read. */
  long at = -1;

  long next;

  /** Where the payload ends in {@link #bytes}. */
  int end() {
    return TraceFormat.HEAD + length;
  }

  void readHead(RandomAccessFile in) throws IOException {
    at = -1;
    in.readFully(bytes, 0, TraceFormat.HEAD);
    length = (int) TraceFormat.INT.get(bytes, 0);
    sort = (int) TraceFormat.INT.get(bytes, TraceFormat.SORT_AT);
    bodies = (int) TraceFormat.INT.get(bytes, TraceFormat.BODIES_AT);
    reads = (long) TraceFormat.LONG.get(bytes, TraceFormat.READS_AT);
  }

  /** Reads the rest; false if the checksum is wrong. The length was checked. */
  boolean readPayload(RandomAccessFile in) throws IOException {
    if (end() > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(end(), Math.min(2 * bytes.length, 1 << 17)));
    }
    in.readFully(bytes, TraceFormat.HEAD, length);
    return (int) TraceFormat.INT.get(bytes, TraceFormat.CRC_AT)
        == TraceFormat.checksum(bytes, end());
  }
}
