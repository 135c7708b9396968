package dev.gleaner.collector.semispace;

import dev.gleaner.space.SizeClasses;

/**
 * The runs of one kind, from which the heap allocates small elements by itself.
 *
 * <pre>
 *   stretch of class c   | elements … | run: charged, zero   | zero                  |
 *                          runs[2c] ^   runs[2c + 1] ^           stretchEnd[c] ^
 * </pre>
 *
 * <p>A stretch is taken from the kind's space; runs are granted from it one after the other. What
 * is left of a stretch when runs are retired is a gap that the next run begins at, so retiring
 * wastes nothing.
 */
final class KindRuns {
  final long[] runs = new long[2 * (SizeClasses.EXACT + 1)];
  final long[] stretchEnd = new long[SizeClasses.EXACT + 1];

  /** Log2 of the bytes of the next stretch over the smallest one's. */
  final byte[] growth = new byte[SizeClasses.EXACT + 1];
}
