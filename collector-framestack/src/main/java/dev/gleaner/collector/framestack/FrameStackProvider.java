package dev.gleaner.collector.framestack;

import dev.gleaner.settings.Section;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.WriteBarrier;

/** The plug-in {@code framestack}. */
public final class FrameStackProvider implements CollectorProvider {
  /** What becomes of a result when its frame is left. */
  enum Mode {
    /** What the frame made becomes its caller's. */
    FRAMES,
    /** It is copied to its caller's records. */
    COPYING
  }

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
    long region = settings.own().bytes("region", 4 << 10, 1 << 30);
    int cycle = settings.own().integer("cycle", 1, 1 << 30);
    boolean copying = settings.own().word("mode", Mode.class) == Mode.COPYING;
    Section pretenure = settings.own().section("pretenure");
    int enough = pretenure.integer("after", 0, 1000);
    int batch = pretenure.integer("batch", 0, 1 << 20);
    return context -> {
      Pretenuring pretenuring = new Pretenuring(enough, copying ? 0 : batch);
      return new FrameStackCollector(context, region, cycle, pretenuring, copying);
    };
  }
}
