package dev.gleaner.kit.oracle;

import dev.gleaner.kit.LikelyCause;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out as many steps of a failing program as it can: first halves, then quarters, down to
 * single steps (after Zeller and Hildebrandt's delta debugging). What is left fails by a like
 * cause.
 */
final class Shrinker {
  private static final int MOST_RUNS = 3000;
  private static final long MOST_STEPS = 20_000_000;

  private final Heaps heaps;
  private final Plan plan;
  private final LikelyCause cause;
  private final BooleanSupplier enough;
  private int runs;
  private long steps;

  /**
   * @param cause what the failure is about
   * @param enough whether it is to take what it has
   */
  Shrinker(Heaps heaps, Plan plan, LikelyCause cause, BooleanSupplier enough) {
    this.heaps = heaps;
    this.plan = plan;
    this.cause = cause;
    this.enough = enough;
  }

  /** The steps that are left of these, in order. */
  List<Long> shrink(List<Long> taken) {
    List<Long> best = taken;
    for (int part = best.size() / 2; part > 1; part /= 2) {
      best = pass(best, part);
    }
    int before;
    do {
      before = best.size();
      best = pass(best, 1);
    } while (best.size() < before);
    return best;
  }

  /** Leaves out so many neighbours at a time, from the end on. */
  private List<Long> pass(List<Long> from, int part) {
    List<Long> best = from;
    for (int end = best.size(); end > 0; end = Math.min(best.size(), end - part)) {
      List<Long> rest = new ArrayList<>(best.subList(0, Math.max(0, end - part)));
      rest.addAll(best.subList(end, best.size()));
      List<Long> failed = failing(rest);
      best = failed == null ? best : failed;
    }
    return best;
  }

  /** Those of the steps that it takes to fail, or null if they do not fail. */
  private @Nullable List<Long> failing(List<Long> some) {
    if (runs++ > MOST_RUNS || steps > MOST_STEPS || enough.getAsBoolean()) {
      return null;
    }
    steps += some.size();
    RandomProgram.Outcome outcome =
        RandomProgram.run(heaps, plan, Steps.only(new HashSet<>(some)), false);
    return outcome.failure() != null && Reproduction.cause(outcome).resembles(cause)
        ? outcome.steps().taken()
        : null;
  }
}
