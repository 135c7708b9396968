package dev.gleaner.kit.collector;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.WriteBarrier;
import org.apiguardian.api.API;

/** The plug-in {@code poison}. */
@API(status = API.Status.STABLE, since = "0.1")
public final class PoisonProvider implements CollectorProvider {
  /** Is made by the service loader. */
  public PoisonProvider() {}

  @Override
  public String name() {
    return "poison";
  }

  @Override
  public String description() {
    return "moves everything in every collection and poisons what it leaves: finds stale places";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(Capability.CYCLES, Capability.MOVING, Capability.DUKTAPE_FINALIZERS)
        .withBarriers(WriteBarrier.SNAPSHOT);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    return PoisonCollector::new;
  }
}
