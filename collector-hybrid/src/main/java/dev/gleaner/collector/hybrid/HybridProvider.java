package dev.gleaner.collector.hybrid;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.Compatibility;
import dev.gleaner.spi.WriteBarrier;

/** The plug-in {@code hybrid}. */
public final class HybridProvider implements CollectorProvider {
  @Override
  public String name() {
    return "hybrid";
  }

  @Override
  public String description() {
    return "reference counting, and mark-and-sweep for loops: prompt and complete";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(
            Capability.CYCLES,
            Capability.PROMPT,
            Capability.DUKTAPE_FINALIZERS,
            Capability.INCREMENTAL)
        .withBarriers(WriteBarrier.COUNTING, WriteBarrier.SNAPSHOT);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    Finalization finalization = settings.own().word("finalization", Finalization.class);
    boolean checkBorrowed = settings.own().onOff("check-borrowed");
    Compatibility compatibility = settings.own().word("compatibility", Compatibility.class);
    boolean inline =
        finalization == Finalization.INLINE || compatibility == Compatibility.DUKTAPE_1;
    return context -> new HybridCollector(context, inline, checkBorrowed);
  }
}
