package dev.gleaner.lab.workload;

/**
 * The generator of all workloads: {@code x = (x * 69069 + 12345) & 0x7fffffff}, from 42.
 *
 * <p>Heap and baseline draw the same numbers in the same order, hence the same checksum.
 */
final class Generator {
  private int x = Workload.SEED;

  /** Returns the next number, of 31 bits. */
  int next() {
    x = (x * 69069 + 12345) & 0x7fffffff;
    return x;
  }

  /** Returns an index below {@code n} from one draw: at most 2^27 different ones. */
  int index(int n) {
    return (next() >>> 4) % n;
  }

  /** Returns an index below {@code n} from two draws, which reach every index of any {@code n}. */
  int wideIndex(int n) {
    long high = (long) next() << 27;
    return (int) ((high | (next() >>> 4)) % n);
  }
}
