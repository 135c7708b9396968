package dev.gleaner.heap;

import dev.gleaner.space.SizeClasses;
import dev.gleaner.spi.Collector;

/** Cells that the collector gave in advance, see {@link Collector#runs}. */
final class Runs {
  private Runs() {}

  /**
   * Takes a cell.
   *
   * @param words header included, at least one
   * @return the cell, all of it zero, or 0 if the collector is to be asked
   */
  static long take(long[] runs, long words) {
    if (words > SizeClasses.EXACT) {
      return 0;
    }
    int c = (int) words << 1;
    long e = runs[c];
    long next = e + (words << 3);
    if (next > runs[c + 1]) {
      return 0;
    }
    runs[c] = next;
    return e;
  }
}
