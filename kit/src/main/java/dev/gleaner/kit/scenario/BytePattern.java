package dev.gleaner.kit.scenario;

import dev.gleaner.heap.Mutator;

/** The bytes of {@code fill}: each depends on the pattern's number and its own index alone. */
final class BytePattern {
  private static final int CHUNK = 4096;

  private final Mutator t;
  private final byte[] wanted = new byte[CHUNK];
  private final byte[] found = new byte[CHUNK];

  BytePattern(Mutator t) {
    this.t = t;
  }

  void fill(int buffer, long seed) {
    long size = t.bufferSize(buffer);
    for (long at = 0; at < size; at += CHUNK) {
      t.writeBytes(buffer, at, wanted, 0, make(seed, at, size));
    }
  }

  /** Returns the first index where the pattern is not, or -1. */
  long mismatch(int buffer, long seed) {
    long size = t.bufferSize(buffer);
    for (long at = 0; at < size; at += CHUNK) {
      int n = make(seed, at, size);
      t.readBytes(buffer, at, found, 0, n);
      for (int i = 0; i < n; i++) {
        if (found[i] != wanted[i]) {
          return at + i;
        }
      }
    }
    return -1;
  }

  private int make(long seed, long at, long size) {
    int n = (int) Math.min(CHUNK, size - at);
    for (int i = 0; i < n; i++) {
      wanted[i] = at(seed, at + i);
    }
    return n;
  }

  static byte at(long seed, long index) {
    long x = (seed + 1) * 0x9E3779B97F4A7C15L + index * 0xD1342543DE82EF95L;
    x = (x ^ x >>> 32) * 0xBF58476D1CE4E5B9L;
    return (byte) (x >>> 56);
  }
}
