package com.example.markcompact;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;

/** The plug-in {@code markcompact}. */
public final class MarkCompactProvider implements CollectorProvider {
  @Override
  public String name() {
    return "markcompact";
  }

  @Override
  public String description() {
    return "mark-compact in four passes (Lisp 2): no gaps, no copying reserve";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(Capability.CYCLES, Capability.MOVING, Capability.DUKTAPE_FINALIZERS);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    long largest = settings.own().bytes("largest-chunk", 4 << 10, 64 << 20);
    return context -> new MarkCompactCollector(context, largest);
  }
}
