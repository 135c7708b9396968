package dev.gleaner.lab.tune;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a sweep tries: the settings as they are, then every MULT with every ADD under every limit.
 *
 * @param limits of memory, as they were written; empty if it stays as it is
 */
public record Sweep(List<BigDecimal> mults, List<Long> adds, List<String> limits) {
  /** The ADDs to try where none are named: the default, and what lets small heaps be. */
  public static final List<Long> ADDS = List.of(1024L, 32_768L, 1_048_576L);

  /** Factors on the collector's own MULT. */
  private static final List<String> FACTORS = List.of("0.2", "0.5", "1", "2", "5", "10");

  /** Copies. */
  public Sweep {
    mults = List.copyOf(mults);
    adds = List.copyOf(adds);
    limits = List.copyOf(limits);
  }

  /** Returns the MULTs to try around the one in force. */
  public static List<BigDecimal> around(BigDecimal mult) {
    BigDecimal middle = mult.signum() == 0 ? BigDecimal.ONE : mult;
    return FACTORS.stream()
        .map(factor -> new BigDecimal(factor).multiply(middle).stripTrailingZeros())
        .toList();
  }

  /** Returns all, in the order in which they are tried. */
  public List<Tuning> tunings() {
    List<Tuning> tunings = new ArrayList<>();
    tunings.add(Tuning.UNCHANGED);
    if (limits.isEmpty()) {
      cross(tunings, null);
    } else {
      limits.forEach(limit -> cross(tunings, limit));
    }
    return tunings;
  }

  private void cross(List<Tuning> tunings, @Nullable String limit) {
    for (BigDecimal mult : mults) {
      for (long add : adds) {
        tunings.add(new Tuning(mult, add, limit));
      }
    }
  }
}
