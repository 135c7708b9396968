package dev.gleaner.it;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
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

  /** A factory under settings given in HOCON, with paths relative to {@code gleaner}. */
  public static HeapFactory factory(String collector, String settings) {
    return Gleaner.factory(
        ConfigFactory.parseString("gleaner { collector = " + collector + "\n" + settings + "\n}"));
  }

  public static Heap open(String collector, String settings) {
    return factory(collector, settings).open();
  }
}
