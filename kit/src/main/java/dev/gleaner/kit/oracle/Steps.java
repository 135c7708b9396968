package dev.gleaner.kit.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which steps of a program are done, and which were.
 *
 * <p>A step is known by a number that it has in every run of the program, whatever else is left
 * out; its dice are seeded by that number.
 */
final class Steps {
  private final @Nullable Set<Long> kept;
  private final @Nullable List<Long> taken;

  private Steps(@Nullable Set<Long> kept, @Nullable List<Long> taken) {
    this.kept = kept;
    this.taken = taken;
  }

  /** All, without taking note of them. */
  static Steps all() {
    return new Steps(null, null);
  }

  /** All, noted. */
  static Steps noted() {
    return new Steps(null, new ArrayList<>());
  }

  /** These only. */
  static Steps only(Set<Long> kept) {
    return new Steps(kept, new ArrayList<>());
  }

  /** Whether a step is to be done. */
  boolean take(long step) {
    if (kept != null && !kept.contains(step)) {
      return false;
    }
    if (taken != null) {
      taken.add(step);
    }
    return true;
  }

  /** Those that were done, in order. */
  List<Long> taken() {
    return taken == null ? List.of() : taken;
  }
}
