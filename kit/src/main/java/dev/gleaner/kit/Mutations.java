package dev.gleaner.kit;

import dev.gleaner.kit.oracle.Dice;
import java.util.Arrays;
import java.util.List;
import org.apiguardian.api.API;

/**
 * Damaged copies of valid inputs, for the test of a reader: each must be read, or refused with the
 * reader's own exception.
 *
 * <pre>{@code
 * Mutations mutations = new Mutations(Dice.seed(), List.of(valid, another));
 * for (long n = 0; n < Mutations.count(); n++) {
 *   byte[] damaged = mutations.get(n);
 *   …
 * }
 * }</pre>
 *
 * <p>A copy has one to four changes: bits and bytes, numbers at the ends of their ranges in either
 * byte order, parts left out, doubled, moved, or taken from another input, lines put elsewhere, the
 * end cut off. The same seed and number give the same copy.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Mutations {
  private static final long[] EXTREMES = {
    0,
    1,
    -1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xffff_ffffL,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };
  private static final int MOST_CHANGES = 4;
  private static final int[] WIDTHS = {1, 2, 4, 8};

  private final long seed;
  private final List<byte[]> inputs;

  /**
   * Prepares damaged copies of these inputs, at least one.
   *
   * @param seed decides the damage
   * @param inputs what is damaged, each left as it is
   */
  public Mutations(long seed, List<byte[]> inputs) {
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("no inputs");
    }
    this.seed = seed;
    this.inputs = List.copyOf(inputs);
  }

  /**
   * {@return how many a test is to try: the system property {@code gleaner.test.mutations}, 3000 if
   * there is none}
   */
  public static long count() {
    return Long.getLong("gleaner.test.mutations", 3000);
  }

  /**
   * {@return the damaged copy of this number}
   *
   * @param number from 0
   */
  public byte[] get(long number) {
    Dice dice = new Dice(new Dice(seed).next() ^ new Dice(number).next());
    byte[] bytes = dice.pick(inputs).clone();
    for (int changes = dice.between(1, MOST_CHANGES); changes > 0; changes--) {
      bytes = change(bytes, dice);
    }
    return bytes;
  }

  private byte[] change(byte[] bytes, Dice dice) {
    int at = dice.below(bytes.length + 1);
    int length = Math.min(bytes.length - at, dice.below(1 + dice.below(64)));
    byte[] part = Arrays.copyOfRange(bytes, at, at + length);
    return switch (dice.below(10)) {
      case 0 -> set(bytes, at, 1, dice.next());
      case 1 -> at == bytes.length ? bytes : set(bytes, at, 1, bytes[at] ^ (1 << dice.below(8)));
      case 2, 3 -> extreme(bytes, at, dice);
      case 4 -> replace(bytes, at, length, new byte[0]);
      case 5 -> replace(bytes, at, 0, part);
      case 6 -> replace(bytes, dice.below(bytes.length + 1), 0, part);
      case 7 -> replace(bytes, at, dice.chance(50) ? length : 0, foreign(dice));
      case 8 -> line(bytes, dice);
      default -> dice.chance(20) ? Arrays.copyOf(bytes, at) : set(bytes, at, 1, 0);
    };
  }

  private static byte[] extreme(byte[] bytes, int at, Dice dice) {
    long value = EXTREMES[dice.below(EXTREMES.length)] + dice.between(-1, 1);
    int width = WIDTHS[dice.below(WIDTHS.length)];
    return set(
        bytes, at, width, dice.chance(50) ? value : Long.reverseBytes(value << (-8 * width)));
  }

  /** Writes the lowest bytes of a number, the highest of them first, as far as there is room. */
  private static byte[] set(byte[] bytes, int at, int width, long value) {
    for (int i = 0; i < width && at + i < bytes.length; i++) {
      bytes[at + i] = (byte) (value >> (8 * (width - 1 - i)));
    }
    return bytes;
  }

  private byte[] foreign(Dice dice) {
    byte[] other = dice.pick(inputs);
    int from = dice.below(other.length + 1);
    return Arrays.copyOfRange(other, from, Math.min(other.length, from + dice.below(100)));
  }

  /** Puts a line of an input where another one begins. */
  private byte[] line(byte[] bytes, Dice dice) {
    byte[] other = dice.pick(inputs);
    int from = lineStart(other, dice.below(other.length + 1));
    int end = from;
    while (end < other.length && other[end++] != '\n') {
      // goes on
    }
    int at = lineStart(bytes, dice.below(bytes.length + 1));
    return replace(bytes, at, 0, Arrays.copyOfRange(other, from, end));
  }

  private static int lineStart(byte[] bytes, int at) {
    int start = at;
    while (start > 0 && bytes[start - 1] != '\n') {
      start--;
    }
    return start;
  }

  private static byte[] replace(byte[] bytes, int at, int length, byte[] by) {
    byte[] result = new byte[bytes.length - length + by.length];
    System.arraycopy(bytes, 0, result, 0, at);
    System.arraycopy(by, 0, result, at, by.length);
    System.arraycopy(bytes, at + length, result, at + by.length, bytes.length - at - length);
    return result;
  }
}
