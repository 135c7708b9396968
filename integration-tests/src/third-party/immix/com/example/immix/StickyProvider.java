package com.example.immix;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.WriteBarrier;

/** The plug-in {@code sticky}. */
public final class StickyProvider implements CollectorProvider {
  @Override
  public String name() {
    return "sticky";
  }

  @Override
  public String description() {
    return "mark-region with sticky mark bits: minor collections that move nothing";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(
            Capability.CYCLES, Capability.MOVING, Capability.DUKTAPE_FINALIZERS, Capability.MINOR)
        .withBarriers(WriteBarrier.REMEMBERING);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    double mostUnused = settings.own().number("unused", 0, 1);
    long nursery = settings.own().bytes("nursery", 8 << 10, 64 << 20);
    return context -> new ImmixCollector(context, mostUnused, nursery);
  }
}
