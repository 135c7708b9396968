package dev.gleaner.collector.marksweep;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.Compatibility;
import dev.gleaner.spi.WriteBarrier;

/** The plug-in {@code marksweep}. */
public final class MarkSweepProvider implements CollectorProvider {
  @Override
  public String name() {
    return "marksweep";
  }

  @Override
  public String description() {
    return "mark-and-sweep, stop-the-world or in slices; no cost between collections";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    if (settings.own().onOff("generational")) {
      return CollectorTraits.of(Capability.CYCLES, Capability.DUKTAPE_FINALIZERS, Capability.MINOR)
          .withBarriers(WriteBarrier.REMEMBERING);
    }
    return CollectorTraits.of(
            Capability.CYCLES, Capability.DUKTAPE_FINALIZERS, Capability.INCREMENTAL)
        .withBarriers(WriteBarrier.SNAPSHOT);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    boolean inline =
        settings.own().word("compatibility", Compatibility.class) == Compatibility.DUKTAPE_1;
    boolean generational = settings.own().onOff("generational");
    long nursery = settings.own().bytes("nursery", 512 << 10, 1L << 40);
    if (generational && inline) {
      settings.own().reject("generational", "must be off under the rules of duktape-1");
    }
    if (generational) {
      return context -> new StickyMarksCollector(context, nursery);
    }
    return context -> new MarkSweepCollector(context, inline);
  }
}
