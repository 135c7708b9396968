package dev.gleaner.table;

import dev.gleaner.layout.RootVisitor;
import dev.gleaner.util.ElementIndex;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The pinned buffers, each with its number of pins. Pinned buffers are roots, so that a view never
 * shows other memory. A table of many pins makes an index of the buffers' places, and makes it anew
 * after a collection has moved a buffer.
 */
public final class PinTable {
  /** Up to this number, pins are searched one by one. */
  private static final int SEARCHED = 16;

  private long[] buffers = new long[0];
  private int[] pins = new int[0];
  private int count;
  private @Nullable ElementIndex places;

  /** Makes an empty table. The table takes memory with its first pin. */
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
      place(i, buffer);
      pins[i] = 0;
    }
    pins[i] = Math.incrementExact(pins[i]);
  }

  /** Takes one pin back; returns false if there is none. */
  public boolean unpin(long buffer) {
    int i = find(buffer);
    if (i < 0) {
      return false;
    }
    if (--pins[i] == 0) {
      if (places != null) {
        places.remove(buffer);
      }
      if (i < --count) {
        place(i, buffers[count]);
        pins[i] = pins[count];
      }
    }
    return true;
  }

  /** Whether a buffer is pinned. */
  public boolean contains(long buffer) {
    return find(buffer) >= 0;
  }

  /** Returns the number of pinned buffers. */
  public int size() {
    return count;
  }

  /** Visits each buffer as a root: a dynamic buffer's element may move, but its bytes stay. */
  public void forEachRoot(RootVisitor visitor) {
    for (int i = 0; i < count; i++) {
      long old = buffers[i];
      buffers[i] = visitor.visit(old);
      places = buffers[i] == old ? places : null;
    }
  }

  private void place(int i, long buffer) {
    buffers[i] = buffer;
    if (places != null) {
      int _ = places.put(buffer, i);
    }
  }

  private int find(long buffer) {
    if (count > SEARCHED) {
      ElementIndex index = places;
      if (index == null) {
        index = new ElementIndex();
        places = index;
        for (int i = 0; i < count; i++) {
          place(i, buffers[i]);
        }
      }
      return index.get(buffer);
    }
    places = null;
    int i = count - 1;
    while (i >= 0 && buffers[i] != buffer) {
      i--;
    }
    return i;
  }
}
