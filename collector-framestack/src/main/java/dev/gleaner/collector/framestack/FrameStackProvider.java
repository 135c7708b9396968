package dev.gleaner.collector.framestack;

import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.WriteBarrier;

/** The plug-in {@code framestack}. */
public final class FrameStackProvider implements CollectorProvider {
  @Override
  public String name() {
    return "framestack";
  }

  @Override
  public String description() {
    return "elements go with the frame that made them; what is returned is collected frame by"
        + " frame";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(
            Capability.CYCLES, Capability.MOVING, Capability.DUKTAPE_FINALIZERS, Capability.FRAMES)
        .withBarriers(WriteBarrier.FRAMES, WriteBarrier.SNAPSHOT);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    FramePolicy policy = FramePolicy.of(settings.own());
    return context -> new FrameStackCollector(context, policy);
  }
}
