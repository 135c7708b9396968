package com.example.generational;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.WriteBarrier;

/** The plug-in {@code generational}. */
public final class GenerationalProvider implements CollectorProvider {
  @Override
  public String name() {
    return "generational";
  }

  @Override
  public String description() {
    return "copies a nursery, marks and sweeps what has become old";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(
            Capability.CYCLES, Capability.MOVING, Capability.DUKTAPE_FINALIZERS, Capability.MINOR)
        .withBarriers(WriteBarrier.REMEMBERING);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    long nursery = settings.own().bytes("nursery", 8 << 10, 64 << 20);
    return context -> new GenerationalCollector(context, nursery);
  }
}
