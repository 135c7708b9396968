package dev.gleaner.it;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.kit.oracle.Dice;
import dev.gleaner.memory.SimulatedPages;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.testing.Tier;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a heap that gives memory back to the system owes, whatever the system's pages are: what
 * lives beside that memory stays as it is, and the memory reads as zero when it is used again.
 *
 * <p>Slots of a frame hold dynamic buffers of odd sizes, which some operations drop, and lists of
 * records. Every word that was written is told from any other by where it was written and when.
 */
public final class GivenBackPages {
  private static final int BUFFERS = 40;
  private static final int LIST = BUFFERS;
  private static final int GARBAGE = BUFFERS + 1;
  private static final int TEMPORARY = BUFFERS + 2;
  private static final int RECORDS = 20_000;
  private static final int SOME = Tier.number(4, 12);

  /** So many rounds find what is wrong with pages, whatever the tier. */
  public static final int ENOUGH = 12;

  private static final String SETTINGS =
      "memory { max = 64MiB, backing = reserved }, voluntary.enabled = false";

  private final Heap heap;
  private final Mutator t;
  private final Dice dice = new Dice(Dice.seed());
  private final long[] sizes = new long[BUFFERS];
  private final byte[] bytes = new byte[400 << 10];

  private GivenBackPages(Heap heap) {
    this.heap = heap;
    this.t = heap.mutator();
  }

  /** Runs a program under simulated pages; returns what went wrong. */
  public static @Nullable String check(String collector, int pageSize) {
    return check(collector, pageSize, SOME);
  }

  /** Does {@link #check(String, int)} with a number of rounds. */
  public static @Nullable String check(String collector, int pageSize, int rounds) {
    try (SimulatedPages _ = new SimulatedPages(pageSize);
        Heap heap =
            Gleaner.factory(
                    ConfigFactory.parseString(
                        "gleaner { collector = " + collector + "\n" + SETTINGS + "\n}"))
                .open()) {
      return new GivenBackPages(heap).run(rounds);
    }
  }

  private @Nullable String run(int rounds) {
    t.enter(BUFFERS + 3);
    makeList(LIST, RECORDS);
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < 25; i++) {
        String wrong = change(dice.below(BUFFERS));
        if (wrong != null) {
          return "round " + round + ": " + wrong;
        }
      }
      makeList(GARBAGE, 15 * RECORDS); // so much that half a copying heap goes back
      t.setUndefined(GARBAGE);
      heap.collect();
      heap.collect(CollectFlags.EMERGENCY);
      String wrong = wrong();
      if (wrong != null) {
        return "round " + round + ": " + wrong;
      }
    }
    return null;
  }

  private void makeList(int d, int records) {
    t.setNull(d);
    for (int i = 0; i < records; i++) {
      t.newRecord(TEMPORARY, 2);
      t.store(TEMPORARY, 0, d);
      t.storeInt(TEMPORARY, 1, i);
      t.copy(d, TEMPORARY);
    }
  }

  /** Drops a buffer, or makes one, which must be empty. */
  private @Nullable String change(int b) {
    if (dice.chance(40)) {
      t.setUndefined(b);
      sizes[b] = 0;
      return null;
    }
    int n = 1 + dice.below(dice.chance(50) ? bytes.length : 9000);
    if (dice.chance(50)) {
      t.newBuffer(b, n);
    } else {
      t.newDynamicBuffer(b, n);
    }
    t.readBytes(b, 0, bytes, 0, n);
    for (int i = 0; i < n; i++) {
      if (bytes[i] != 0) {
        return "byte " + i + " of a new buffer of " + n + " is " + bytes[i];
      }
    }
    for (int i = 0; i < n; i++) {
      bytes[i] = filler(b, n, i);
    }
    t.writeBytes(b, 0, bytes, 0, n);
    sizes[b] = n;
    return null;
  }

  /** Never 0, as what was given back is. */
  private static byte filler(int b, long size, int i) {
    return (byte) (b * 31L + size + i | 1);
  }

  private @Nullable String wrong() {
    for (int b = 0; b < BUFFERS; b++) {
      int n = (int) sizes[b];
      if (n > 0) {
        t.readBytes(b, 0, bytes, 0, n);
      }
      for (int i = 0; i < n; i++) {
        if (bytes[i] != filler(b, n, i)) {
          return "byte " + i + " of the buffer of " + n + " in slot " + b + " is " + bytes[i];
        }
      }
    }
    t.copy(TEMPORARY, LIST);
    for (int i = RECORDS - 1; i >= 0; i--) {
      if (!t.isReference(TEMPORARY) || t.loadInt(TEMPORARY, 1) != i) {
        return "record " + i + " of the list is lost";
      }
      t.load(TEMPORARY, TEMPORARY, 0);
    }
    List<String> violations = heap.inspect().verify();
    return violations.isEmpty() ? null : violations.toString();
  }
}
