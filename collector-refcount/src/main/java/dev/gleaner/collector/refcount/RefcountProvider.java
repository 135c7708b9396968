package dev.gleaner.collector.refcount;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.Compatibility;
import dev.gleaner.spi.WriteBarrier;

/** The plug-in {@code refcount}. */
public final class RefcountProvider implements CollectorProvider {
  @Override
  public String name() {
    return "refcount";
  }

  @Override
  public String description() {
    return "reference counting: elements go at once, loops of them stay until the heap is closed";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    CollectorTraits traits =
        CollectorTraits.of(Capability.PROMPT, Capability.DUKTAPE_FINALIZERS)
            .withBarriers(WriteBarrier.COUNTING);
    return cycles(settings) == CycleMode.TRIAL_DELETION ? traits.with(Capability.CYCLES) : traits;
  }

  private static CycleMode cycles(CollectorSettings settings) {
    return settings.own().word("cycles", CycleMode.class);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    CycleMode cycles = cycles(settings);
    boolean checkBorrowed = settings.own().onOff("check-borrowed");
    boolean inline =
        settings.own().word("compatibility", Compatibility.class) == Compatibility.DUKTAPE_1;
    return context -> new RefcountCollector(context, cycles, inline, checkBorrowed);
  }
}
