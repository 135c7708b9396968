package dev.gleaner.lua.machine;

import dev.gleaner.lua.memory.Account;
import java.util.Arrays;

/** The source of a chunk, from its pieces. Growth of the buffer is charged beforehand. */
final class SourceBuffer {
  private static final int FIRST = 256;

  private final Arguments a;
  private final Account.Loan loan;
  private byte[] bytes;
  private int size;

  SourceBuffer(Arguments a, Account.Loan loan) {
    this.a = a;
    this.loan = loan;
    loan.add(FIRST);
    this.bytes = new byte[FIRST];
  }

  /** Makes room for more bytes. Returns their start in {@link #array}. */
  int grow(int more) {
    int from = size;
    long needed = (long) size + more;
    if (needed > Chunks.MOST) {
      throw a.error("chunk too large");
    }
    if (needed > bytes.length) {
      int capacity = (int) Math.min(Chunks.MOST, Math.max(needed, 2L * bytes.length));
      resize(capacity);
    }
    size = (int) needed;
    return from;
  }

  private void resize(int capacity) {
    loan.add(capacity);
    a.work(size >>> 4);
    int before = bytes.length;
    bytes = Arrays.copyOf(bytes, capacity);
    loan.drop(before);
  }

  byte[] array() {
    return bytes;
  }

  void append(byte[] piece, int offset, int length) {
    a.work(length >>> 4);
    int to = grow(length);
    System.arraycopy(piece, offset, bytes, to, length);
  }

  /** Removes the end of a first line if a byte is next. */
  void dropLineBefore(byte next) {
    if (size > 1 && bytes[0] == '\n' && bytes[1] == next) {
      size--;
      System.arraycopy(bytes, 1, bytes, 0, size);
    }
  }

  /** {@return all bytes, in an array of their length} The array stays charged. */
  byte[] whole() {
    if (size != bytes.length) {
      resize(size);
    }
    return bytes;
  }
}
