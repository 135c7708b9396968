package dev.gleaner.lua.lib;

/** The generator xoshiro256** (Blackman and Vigna, 2018), seeded as Lua's. */
final class Xoshiro {
  private static final int DISCARDED = 16;

  private long s0;
  private long s1;
  private long s2;
  private long s3;

  /** Seeds it with two numbers. */
  void seed(long first, long second) {
    s0 = first;
    s1 = 0xFF;
    s2 = second;
    s3 = 0;
    for (int i = 0; i < DISCARDED; i++) {
      next();
    }
  }

  /** The state, for {@link #setState}. */
  long[] state() {
    return new long[] {s0, s1, s2, s3};
  }

  /** Goes on as another generator of such a state would; of fewer numbers as one that is seeded. */
  void setState(long[] state) {
    if (state.length == 4) {
      s0 = state[0];
      s1 = state[1];
      s2 = state[2];
      s3 = state[3];
    }
  }

  /** The next 64 bits. */
  long next() {
    long result = Long.rotateLeft(s1 * 5, 7) * 9;
    long shifted = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = Long.rotateLeft(s3, 45);
    return result;
  }

  /** 64 bits as a float, from 0 to less than 1. */
  static double real(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }

  /** 64 bits, and more if need be, as a number from 0 to a limit, both included and unsigned. */
  long upTo(long bits, long limit) {
    if ((limit & (limit + 1)) == 0) {
      return bits & limit;
    }
    long mask = -1L >>> Long.numberOfLeadingZeros(limit);
    long random = bits & mask;
    while (Long.compareUnsigned(random, limit) > 0) {
      random = next() & mask;
    }
    return random;
  }
}
