package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;

/**
 * The bytes of a string of the heap, read through a small array that slides over it.
 *
 * <p>Valid until anything else uses the window; the string may move meanwhile, but must stay in its
 * slot. The first bytes are copied when they are asked for, few at first, then more at a time: most
 * patterns fail early.
 */
final class Window {
  private static final int LEAST = 128;

  private final int most;
  private Mutator t;
  private byte[] bytes = new byte[LEAST];
  private int slot;
  private int length;
  private int base;
  private int filled;
  private int step;

  /** A window of so many bytes at most, over strings of a heap. */
  Window(Mutator mutator, int most) {
    this.t = mutator;
    this.most = most;
  }

  /** Sets the window on a string. */
  void open(int s) {
    slot = s;
    length = t.stringBytes(s);
    base = 0;
    filled = 0;
    step = LEAST;
  }

  /** How many bytes the string has. */
  int length() {
    return length;
  }

  /** The slot of the string. */
  int slot() {
    return slot;
  }

  /** A byte, from 0 to 255; 0 behind the end. */
  int at(int i) {
    int k = i - base;
    if (k >= 0 && k < filled) {
      return bytes[k] & 0xFF;
    }
    return i < length ? load(i) : 0;
  }

  private int load(int i) {
    int size = Math.min(step, most);
    if (bytes.length < size) {
      bytes = new byte[size];
    }
    step = size * 2;
    // Whoever walks backwards finds what is before, whoever walks on what is behind.
    base = i < base ? Math.max(0, i - size + 1) : Math.max(0, i - 1);
    filled = Math.min(size, length - base);
    t.readString(slot, base, bytes, 0, filled);
    return bytes[i - base] & 0xFF;
  }
}
