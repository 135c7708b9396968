package dev.gleaner.it;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.testing.Tier;
import java.util.List;

/** The collectors under test: every one that is installed. */
public final class Installed {
  private Installed() {}

  /** The names, in order. */
  public static List<String> collectors() {
    CollectorRegistry registry = CollectorRegistry.discover(List.of());
    if (!registry.problems().isEmpty()) {
      throw new AssertionError(registry.problems());
    }
    return List.copyOf(registry.names());
  }

  /**
   * For a rule that hardly differs from one collector to the next: two of the names in the short
   * tier, the others in the exhaustive one.
   *
   * @param first the place of the first of the two; tests differ in it
   */
  public static List<String> share(int first) {
    List<String> all = collectors();
    List<String> share = List.of(all.get(first), all.get((first + 2) % all.size()));
    return Tier.exhaustive() ? all.stream().filter(c -> !share.contains(c)).toList() : share;
  }

  /** A factory under settings given in HOCON, with paths relative to {@code gleaner}. */
  public static HeapFactory factory(String collector, String settings) {
    return Gleaner.factory(
        ConfigFactory.parseString("gleaner { collector = " + collector + "\n" + settings + "\n}"));
  }

  public static Heap open(String collector, String settings) {
    return factory(collector, settings).open();
  }
}
