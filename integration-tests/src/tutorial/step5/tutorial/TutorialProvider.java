package tutorial;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.WriteBarrier;

/** Tells what the collector is, and makes it. */
public final class TutorialProvider implements CollectorProvider {
  @Override
  public String name() {
    return "tutorial";
  }

  @Override
  public String description() {
    return "a semispace with a nursery";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(
            Capability.CYCLES, Capability.MOVING, Capability.DUKTAPE_FINALIZERS, Capability.MINOR)
        .withBarriers(WriteBarrier.REMEMBERING);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    return TutorialCollector::new;
  }
}
