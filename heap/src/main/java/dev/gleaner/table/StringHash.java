package dev.gleaner.table;

import dev.gleaner.memory.Memory;
import dev.gleaner.text.ByteWords;
import java.util.SplittableRandom;

/**
 * The keyed hash of strings. Without the seed nobody can tell which strings collide.
 *
 * <p>A string of up to 64 bytes is hashed by Multilinear-HM (Lemire and Kaser, "Strongly universal
 * string hashing is fast", 2014) over the two 32-bit halves l, h of each word, the last one padded
 * with zeros:
 *
 * <pre>
 *   (k0 + length * k1 + Σ (k(2i+2) + l(i)) * (k(2i+3) + h(i))) mod 2^64, its upper 32 bits, spread
 * </pre>
 *
 * <p>The guarantee: the hashes of any two strings, chosen without knowledge of the keys, are
 * independent and uniform. So two hashes collide with a probability of 2^-32, and any b bits of
 * them with 2^-b. The products do not depend on each other, so the hash takes less time than a
 * chain of multiplications without a guarantee.
 *
 * <p>In a longer string each block of 64 bytes before the last block becomes 32 bits in the same
 * way. These are the coefficients of a polynomial, which is computed at a random point modulo 2^61
 * - 1. The value is one more word of the last block. Two such strings of n blocks collide with at
 * most 2^-31 + n * 2^-61.
 *
 * <p>The guarantee fails for known hashes, but no operation shows a hash.
 */
public final class StringHash {
  private static final int BLOCK = 64;
  private static final long MERSENNE = (1L << 61) - 1;
  private static final long HALF = 0xFFFF_FFFFL;

  /**
   * A key for all, a key for the length, and two for each word: a block, one more, the polynomial.
   */
  private final long[] keys = new long[2 + 2 * (BLOCK / 8 + 2)];

  private final long point;

  /** A copy of bytes of the heap's memory. */
  private final byte[] block = new byte[BLOCK];

  /** Copies of the first keys, for strings of up to 16 bytes: no checks of array bounds. */
  private final long key0;

  private final long key1;
  private final long key2;
  private final long key3;
  private final long key4;
  private final long key5;

  public StringHash(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < keys.length; i++) {
      keys[i] = random.nextLong();
    }
    key0 = keys[0];
    key1 = keys[1];
    key2 = keys[2];
    key3 = keys[3];
    key4 = keys[4];
    key5 = keys[5];
    point = random.nextLong(MERSENNE);
  }

  /** Returns the hash of a string's bytes. */
  public int of(byte[] bytes, int offset, int length) {
    if (length > 16) {
      return ofLong(bytes, offset, length);
    }
    long sum = key0 + length * key1;
    long word;
    if (length < 8) {
      word = ByteWords.tail(bytes, offset, length);
    } else {
      word = (long) ByteWords.LONG.get(bytes, offset);
      long last = ByteWords.tail(bytes, offset + 8, length - 8);
      sum += (key4 + (last & HALF)) * (key5 + (last >>> 32));
    }
    return spread(sum + (key2 + (word & HALF)) * (key3 + (word >>> 32)));
  }

  /** Returns the hash of the bytes of a string in a heap's memory. */
  public int of(Memory memory, long at, int length) {
    long sum = key0 + length * key1;
    int head = length == 0 ? 0 : (length - 1) / BLOCK * BLOCK;
    byte[] b = block;
    if (head > 0) {
      long value = 0;
      for (int i = 0; i < head; i += BLOCK) {
        memory.read(at + i, b, 0, BLOCK);
        value = next(value, b, 0);
      }
      sum += product(keys, keys.length - 2, value);
    }
    memory.read(at + head, b, 0, length - head);
    return finish(sum, b, 0, length - head);
  }

  private int ofLong(byte[] bytes, int offset, int length) {
    long sum = key0 + length * key1;
    int head = (length - 1) / BLOCK * BLOCK;
    if (head > 0) {
      sum += product(keys, keys.length - 2, polynomial(bytes, offset, head));
    }
    return finish(sum, bytes, offset + head, length - head);
  }

  private int finish(long start, byte[] bytes, int offset, int length) {
    long[] k = keys;
    long sum = start;
    int i = 0;
    int j = 2;
    for (; i + 8 <= length; i += 8, j += 2) {
      sum += product(k, j, (long) ByteWords.LONG.get(bytes, offset + i));
    }
    sum += product(k, j, ByteWords.tail(bytes, offset + i, length - i));
    return spread(sum);
  }

  /** Spreads the upper half one to one: the guarantee stays, and similar texts spread. */
  private static int spread(long sum) {
    int h = (int) (sum >>> 32);
    return h ^ (h >>> 15);
  }

  private static long product(long[] k, int j, long word) {
    return (k[j] + (word & HALF)) * (k[j + 1] + (word >>> 32));
  }

  private long polynomial(byte[] bytes, int offset, int length) {
    long value = 0;
    for (int at = 0; at < length; at += BLOCK) {
      value = next(value, bytes, offset + at);
    }
    return value;
  }

  private long next(long value, byte[] bytes, int offset) {
    long sum = keys[0];
    for (int i = 0; i < BLOCK; i += 8) {
      sum += product(keys, 2 + i / 4, (long) ByteWords.LONG.get(bytes, offset + i));
    }
    return timesPoint(value + (sum >>> 32));
  }

  /** Returns the product with the point, modulo 2^61 - 1, as a number below 2^61 + 8. */
  private long timesPoint(long value) {
    long low = value * point;
    long high = Math.multiplyHigh(value, point);
    long sum = (low & MERSENNE) + (high << 3 | low >>> 61);
    return (sum & MERSENNE) + (sum >>> 61);
  }
}
