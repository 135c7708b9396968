package com.example.immix;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;

/** The plug-in {@code immix}. */
public final class ImmixProvider implements CollectorProvider {
  @Override
  public String name() {
    return "immix";
  }

  @Override
  public String description() {
    return "mark-region: fills free lines of blocks, moves elements only against gaps";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(Capability.CYCLES, Capability.MOVING, Capability.DUKTAPE_FINALIZERS);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    double mostUnused = settings.own().number("unused", 0, 1);
    return context -> new ImmixCollector(context, mostUnused, 0);
  }
}
