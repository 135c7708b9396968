package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.machine.Arguments;

/**
 * Makes a string from pieces: a short one in a small array, a longer one in a dynamic buffer of the
 * heap, whose limit so holds at once. What is copied is charged.
 */
final class TextBuilder implements AutoCloseable {
  /** The most bytes that {@link #room} may be asked for. */
  static final int SMALL = 1024;

  /** Bytes that are copied for one step. */
  private static final int PER_STEP = 16;

  private static final int FIRST = 4 * SMALL;
  private static final long MOST = Integer.MAX_VALUE - 8;

  private final byte[] small = new byte[SMALL];
  private final Mutator t;
  private final LibraryTexts owner;
  private Arguments a;
  private int slot;
  private int used;
  private long spilled;

  /** A builder of strings of a heap, which is given back when it is closed. */
  @SuppressWarnings("NullAway.Init") // open comes first
  TextBuilder(Mutator mutator, LibraryTexts texts) {
    t = mutator;
    owner = texts;
  }

  @Override
  public void close() {
    owner.close();
  }

  /** Begins a string; the slot, which is undefined, is for the buffer. */
  void open(Arguments arguments, int buffer) {
    a = arguments;
    slot = buffer;
    used = 0;
    spilled = 0;
  }

  /** How many bytes there are so far. */
  long size() {
    return spilled + used;
  }

  /** Adds a byte. */
  void add(int b) {
    if (used == SMALL) {
      spill();
    }
    small[used++] = (byte) b;
  }

  /** Adds bytes of an array. */
  void add(byte[] from, int offset, int length) {
    int done = 0;
    while (done < length) {
      if (used == SMALL) {
        spill();
      }
      int n = Math.min(length - done, SMALL - used);
      System.arraycopy(from, offset + done, small, used, n);
      used += n;
      done += n;
    }
  }

  /** Adds the same byte a number of times. */
  void add(int b, int times) {
    for (int i = 0; i < times; i++) {
      add(b);
    }
  }

  /** Adds all of a string. */
  void addString(int s) {
    int length = t.stringBytes(s);
    if (length <= SMALL - used) {
      t.readString(s, 0, small, used, length);
      used += length;
    } else {
      spill();
      grow(length);
      a.work(length / PER_STEP);
      t.stringToBuffer(slot, spilled, s);
      spilled += length;
    }
  }

  /** Adds a part of a string. */
  void addString(int s, int from, int to) {
    int at = from;
    while (at < to) {
      if (used == SMALL) {
        spill();
      }
      int n = Math.min(to - at, SMALL - used);
      t.readString(s, at, small, used, n);
      used += n;
      at += n;
    }
  }

  /** An array with room for more bytes at {@link #end}; {@link #endsAt} says how many came. */
  byte[] room(int bytes) {
    if (SMALL - used < bytes) {
      spill();
    }
    return small;
  }

  /** Where the next byte goes in the array of {@link #room}. */
  int end() {
    return used;
  }

  /** Says where the bytes written to the array of {@link #room} end. */
  void endsAt(int end) {
    used = end;
  }

  /** Ends the string. */
  void toSlot(int d) {
    if (spilled == 0) {
      t.newString(d, small, 0, used);
    } else {
      spill();
      a.work(spilled / PER_STEP);
      t.stringFromBuffer(d, slot, 0, (int) spilled);
      t.setUndefined(slot);
    }
  }

  /** Makes room for as many bytes, at once. */
  void expect(long bytes) {
    if (bytes > SMALL - used) {
      spill();
      grow(bytes);
    }
  }

  private void spill() {
    if (used > 0 || spilled > 0) {
      grow(used);
      a.work(used / PER_STEP);
      t.writeBytes(slot, spilled, small, 0, used);
      spilled += used;
      used = 0;
    }
  }

  private void grow(long bytes) {
    long needed = spilled + bytes;
    if (needed > MOST) {
      throw a.error("buffer too large");
    }
    if (t.isUndefined(slot)) {
      t.newDynamicBuffer(slot, Math.max(FIRST, needed));
    } else if (t.bufferSize(slot) < needed) {
      t.resizeBuffer(slot, Math.min(MOST, Math.max(needed, t.bufferSize(slot) * 2)));
    }
  }
}
