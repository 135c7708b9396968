package dev.gleaner.space;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;

/**
 * Forwarding in the collector's half of a header: where an element moves to, over 8; 0 while it
 * stays.
 *
 * <p>The lower half stays readable, so that elements that moved can still be walked. 32 bits reach
 * over 32 GiB: {@link #REACH}.
 */
public final class Forwarding {
  private static final int SHIFT = 32;

  /** Elements that may move lie below. */
  public static final long REACH = 1L << (SHIFT + 3);

  private Forwarding() {}

  /** Says where an element moves to. */
  public static void set(Memory m, long element, long to) {
    m.put(element, (m.get(element) & Layout.LOW_MASK) | to << (SHIFT - 3));
  }

  /** Where an element moves to, or 0. */
  public static long get(Memory m, long element) {
    return m.get(element) >>> SHIFT << 3;
  }

  /** Forgets it. */
  public static void clear(Memory m, long element) {
    m.put(element, m.get(element) & Layout.LOW_MASK);
  }
}
