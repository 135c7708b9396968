package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Map;

/**
 * MD5 in a language without assignment: the state is a record of four words, a round is a tail call
 * that makes the next one, and a block is a call that returns what it made of the state.
 *
 * <p>The message is n lines of {@code y}. The checksum is the first eight bytes of the digest, as a
 * number whose lowest byte is the first.
 */
final class Md5 extends NamedWorkload {
  private static final int[] SHIFTS = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
  private static final int[] SINES = new int[64];

  private static final int STATE = 0;
  private static final int ROUND = 1;
  private static final int NEXT = 2;

  static {
    for (int i = 0; i < SINES.length; i++) {
      SINES[i] = (int) (long) Math.floor(Math.abs(Math.sin(i + 1)) * (1L << 32));
    }
  }

  Md5() {
    super(
        "md5",
        "MD5 of n lines: a record for each round's state, one compacted frame a round",
        Map.of("n", "1_000_000"));
  }

  @Override
  public long run(Run run) {
    long bytes = 2L * run.parameters().integer("n");
    long blocks = (bytes + 8) / 64 + 1;
    Mutator t = run.openHeap().mutator();
    t.enter(2);
    state(t, STATE, 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
    for (long block = 0; block < blocks; block++) {
      block(t, bytes, block, block + 1 == blocks);
      t.copy(STATE, ROUND);
      t.compact(STATE);
      if (block % 1000 == 0) {
        run.progress((double) block / blocks);
      }
    }
    long sum = Integer.toUnsignedLong(t.loadInt(STATE, 0)) | ((long) t.loadInt(STATE, 1) << 32);
    run.beforeDropping();
    t.leave();
    return sum;
  }

  private static void state(Mutator t, int d, int a, int b, int c, int e) {
    t.newRecord(d, 4);
    t.storeInt(d, 0, a);
    t.storeInt(d, 1, b);
    t.storeInt(d, 2, c);
    t.storeInt(d, 3, e);
  }

  /** Calls the function of a block: from the caller's state to what lands in its second slot. */
  private static void block(Mutator t, long bytes, long block, boolean last) {
    t.enter(3, STATE, 1);
    t.copy(ROUND, STATE);
    for (int i = 0; i < 64; i++) {
      int a = t.loadInt(ROUND, 0);
      int b = t.loadInt(ROUND, 1);
      int c = t.loadInt(ROUND, 2);
      int d = t.loadInt(ROUND, 3);
      int mixed = a + mix(i / 16, b, c, d) + SINES[i] + word(bytes, block, last, index(i));
      int shift = SHIFTS[i / 16 * 4 + i % 4];
      state(t, NEXT, d, b + Integer.rotateLeft(mixed, shift), b, c);
      t.copy(ROUND, NEXT);
      t.compact(STATE, ROUND);
    }
    state(
        t,
        NEXT,
        t.loadInt(STATE, 0) + t.loadInt(ROUND, 0),
        t.loadInt(STATE, 1) + t.loadInt(ROUND, 1),
        t.loadInt(STATE, 2) + t.loadInt(ROUND, 2),
        t.loadInt(STATE, 3) + t.loadInt(ROUND, 3));
    t.leave(NEXT, ROUND);
  }

  private static int mix(int quarter, int b, int c, int d) {
    return switch (quarter) {
      case 0 -> (b & c) | (~b & d);
      case 1 -> (d & b) | (~d & c);
      case 2 -> b ^ c ^ d;
      default -> c ^ (b | ~d);
    };
  }

  private static int index(int round) {
    return switch (round / 16) {
      case 0 -> round;
      case 1 -> (5 * round + 1) % 16;
      case 2 -> (3 * round + 5) % 16;
      default -> 7 * round % 16;
    };
  }

  /** Returns a word of the padded message. */
  private static int word(long bytes, long block, boolean last, int index) {
    if (last && index >= 14) {
      return (int) ((bytes * 8) >>> ((index - 14) * 32));
    }
    int word = 0;
    for (int i = 0; i < 4; i++) {
      long at = block * 64 + index * 4L + i;
      int value = at < bytes ? (at % 2 == 0 ? 'y' : '\n') : at == bytes ? 0x80 : 0;
      word |= value << (8 * i);
    }
    return word;
  }
}
