package dev.gleaner.collector.semispace;

import dev.gleaner.space.SizeClasses;

/**
 * The allocation buffers of one kind, from which the heap allocates small elements by itself.
 *
 * <pre>
 *   span of class    c   | elements … | buffer: charged, zero | zero                  |
 *                          buffers[2c] ^   buffers[2c + 1] ^           spanEnd[c] ^
 * </pre>
 *
 * <p>A span is taken from the kind's space; buffers are granted from it one after the other. What
 * is left of a span when buffers are retired is a gap that the next buffer begins at, so retiring
 * wastes nothing.
 */
final class KindBuffers {
  final long[] buffers = new long[2 * (SizeClasses.EXACT + 1)];
  final long[] spanEnd = new long[SizeClasses.EXACT + 1];

  /** Log2 of the bytes of the next span over the smallest one's. */
  final byte[] growth = new byte[SizeClasses.EXACT + 1];
}
