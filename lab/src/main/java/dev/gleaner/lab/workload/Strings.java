package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Interns {@code "k" + next % distinct}, the last 1000 held in a ring: most are found dead or never
 * seen, some are found alive.
 *
 * <p>The checksum is the sum of the lengths of all strings and of the numbers in the ring at the
 * end. The baseline interns with {@link String#intern}.
 */
final class Strings extends NamedWorkload {
  private static final int RING = 1000;

  Strings() {
    super(
        "strings",
        "interned strings, the last 1000 held",
        Parameters.defaults("n", "5_000_000", "distinct", "200_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    int distinct = run.parameters().positive("distinct");
    Mutator t = run.openHeap().mutator();
    t.enter(1);
    t.newRecord(0, RING);
    Generator generator = new Generator();
    long sum = inBatches(run, n, (_, count) -> steps(t, generator, distinct, count));
    sum += ringSum(t);
    run.beforeDropping();
    t.leave();
    return sum;
  }

  /** Makes this many strings; a batch fills the ring a whole number of times. */
  private static long steps(Mutator t, Generator generator, int distinct, int steps) {
    byte[] text = new byte[16];
    long sum = 0;
    t.enter(2, 0, 1);
    int slot = 0;
    for (int step = 0; step < steps; step++) {
      int start = write(text, generator.next() % distinct);
      t.newString(1, text, start, text.length - start);
      sum += t.stringLength(1);
      t.store(0, slot, 1);
      if (++slot == RING) {
        slot = 0;
      }
    }
    t.leave();
    return sum;
  }

  /** Writes k and the number so that they end with the array; returns where they start. */
  private static int write(byte[] text, int number) {
    int at = text.length;
    int rest = number;
    do {
      text[--at] = (byte) ('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    text[--at] = 'k';
    return at;
  }

  private static long ringSum(Mutator t) {
    long sum = 0;
    t.enter(2, 0, 1);
    for (int slot = 0; slot < RING; slot++) {
      t.load(1, 0, slot);
      if (t.isReference(1)) {
        sum += Long.parseLong(t.getString(1).substring(1));
      }
    }
    t.leave();
    return sum;
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      int n = run.parameters().integer("n");
      int distinct = run.parameters().positive("distinct");
      @Nullable String[] ring = new String[RING];
      Generator generator = new Generator();
      long sum = inBatches(run, n, (_, count) -> steps(ring, generator, distinct, count));
      for (String string : ring) {
        if (string != null) {
          sum += Long.parseLong(string.substring(1));
        }
      }
      return sum;
    };
  }

  private static long steps(@Nullable String[] ring, Generator generator, int distinct, int steps) {
    byte[] text = new byte[16];
    long sum = 0;
    int slot = 0;
    for (int step = 0; step < steps; step++) {
      int start = write(text, generator.next() % distinct);
      String string =
          new String(text, start, text.length - start, StandardCharsets.ISO_8859_1).intern();
      sum += string.length();
      ring[slot] = string;
      if (++slot == RING) {
        slot = 0;
      }
    }
    return sum;
  }
}
