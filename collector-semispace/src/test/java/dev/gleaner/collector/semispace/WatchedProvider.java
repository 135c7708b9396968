package dev.gleaner.collector.semispace;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The same collector under the name {@code watched}: a test can look into the one made last. */
public final class WatchedProvider implements CollectorProvider {
  private static @Nullable SemiSpaceCollector last;

  /** Is made by the service loader. */
  public WatchedProvider() {}

  static SemiSpaceCollector last() {
    return Objects.requireNonNull(last);
  }

  @Override
  public String name() {
    return "watched";
  }

  @Override
  public String description() {
    return "semispace, to be looked into";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(Capability.CYCLES, Capability.MOVING, Capability.ORDERED_FINALIZERS);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    return context -> {
      last = new SemiSpaceCollector(context, 1L << 30);
      return last;
    };
  }
}
