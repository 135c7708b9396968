package dev.gleaner.kit.collector;

import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import org.apiguardian.api.API;

/** The plug-in {@code no-op}. */
@API(status = API.Status.STABLE, since = "0.1")
public final class NoOpProvider implements CollectorProvider {
  /** Is made by the service loader. */
  public NoOpProvider() {}

  @Override
  public String name() {
    return "no-op";
  }

  @Override
  public String description() {
    return "allocates until the heap is full, and never collects: the baseline for cost";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of();
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    return NoOpCollector::new;
  }
}
