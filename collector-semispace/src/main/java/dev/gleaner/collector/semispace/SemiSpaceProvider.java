package dev.gleaner.collector.semispace;

import dev.gleaner.memory.Memory;
import dev.gleaner.settings.MemorySettings.Backing;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;

/** The plug-in {@code semispace}. */
public final class SemiSpaceProvider implements CollectorProvider {
  private static final long LEAST = 64L << 10;
  private static final long MOST = 1L << 40;

  @Override
  public String name() {
    return "semispace";
  }

  @Override
  public String description() {
    return "copies what lives, so that garbage costs nothing; finalizers in order";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    CollectorTraits traits =
        CollectorTraits.of(Capability.CYCLES, Capability.MOVING, Capability.ORDERED_FINALIZERS);
    boolean grown = settings.general().memory().backing() == Backing.GROWN;
    return grown || !Memory.canReserve() ? traits : traits.withPinning();
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    long initial = settings.own().bytes("initial-space", LEAST, MOST);
    return context -> new SemiSpaceCollector(context, initial);
  }
}
