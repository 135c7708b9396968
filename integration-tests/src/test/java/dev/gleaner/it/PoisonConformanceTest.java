package dev.gleaner.it;

import dev.gleaner.kit.CollectorConformance;
import dev.gleaner.kit.collector.KitCollectors;
import java.util.List;
import org.junit.jupiter.api.Tag;

/**
 * Under the poison collector the kit proves something about the heap: that its own code keeps no
 * place for too long, and misses no barrier. Written as a third party's test of a collector is.
 */
@Tag("exhaustive")
class PoisonConformanceTest extends CollectorConformance {
  @Override
  protected String collector() {
    return "poison";
  }

  @Override
  protected List<ClassLoader> loaders() {
    return List.of(KitCollectors.loader());
  }
}
