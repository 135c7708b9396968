package dev.gleaner.policy;

import dev.gleaner.spi.RootVisitor;
import java.util.Arrays;

/**
 * The pinned buffers, each with the number of pins; they are roots, so that what a view shows is
 * never anything else.
 */
public final class PinTable {
  private long[] buffers = new long[0];
  private int[] pins = new int[0];
  private int count;

  /** Makes a table without pins; it takes memory with the first one. */
  public PinTable() {}

  /** Pins a buffer once more. */
  public void pin(long buffer) {
    int i = find(buffer);
    if (i < 0) {
      if (count == buffers.length) {
        buffers = Arrays.copyOf(buffers, Math.max(4, count * 2));
        pins = Arrays.copyOf(pins, buffers.length);
      }
      i = count++;
      buffers[i] = buffer;
      pins[i] = 0;
    }
    pins[i] = Math.incrementExact(pins[i]);
  }

  /** Takes one pin back; false if there is none. */
  public boolean unpin(long buffer) {
    int i = find(buffer);
    if (i < 0) {
      return false;
    }
    if (--pins[i] == 0) {
      count--;
      buffers[i] = buffers[count];
      pins[i] = pins[count];
    }
    return true;
  }

  /** Whether a buffer is pinned. */
  public boolean contains(long buffer) {
    return find(buffer) >= 0;
  }

  /** Pinned buffers. */
  public int size() {
    return count;
  }

  /** Visits each as a root: a dynamic buffer's element may move, its bytes stay. */
  public void forEachRoot(RootVisitor visitor) {
    for (int i = 0; i < count; i++) {
      buffers[i] = visitor.visit(buffers[i]);
    }
  }

  private int find(long buffer) {
    int i = count - 1;
    while (i >= 0 && buffers[i] != buffer) {
      i--;
    }
    return i;
  }
}
