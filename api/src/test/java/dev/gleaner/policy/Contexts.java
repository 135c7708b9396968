package dev.gleaner.policy;

import dev.gleaner.config.HeapSettings;
import dev.gleaner.config.IncrementalSettings;
import dev.gleaner.config.MarkSettings;
import dev.gleaner.config.MemorySettings;
import dev.gleaner.config.StringSettings;
import dev.gleaner.config.ThreadSettings;
import dev.gleaner.config.TortureSettings;
import dev.gleaner.config.VoluntarySettings;
import dev.gleaner.spi.HeapContext;
import java.util.List;
import java.util.OptionalLong;

/** What a heap gives its collector, over a region and without the heap. */
final class Contexts {
  private Contexts() {}

  /**
   * Makes a context.
   *
   * @param roots the heap's roots, to be changed at will
   * @param finalizers whether finalizers are to run
   */
  static HeapContext of(Region r, List<Long> roots, boolean finalizers) {
    HeapSettings settings =
        new HeapSettings(
            "listed",
            new MemorySettings(1 << 20, 0, MemorySettings.Backing.AUTO),
            new StringSettings(16, 4, OptionalLong.of(1)),
            new VoluntarySettings(false, 1, 0),
            0,
            finalizers,
            new TortureSettings(0, false, 0),
            false,
            new MarkSettings(64),
            new IncrementalSettings(false, 1, 1),
            new ThreadSettings(16, 1000));
    AllocationGate gate = new AllocationGate(new VoluntaryTrigger(false, 1, 0), false);
    return new HeapContext(
        "h",
        settings,
        r.raw,
        1 << 20,
        r.budget,
        gate,
        r.allocator,
        r.allocator,
        false,
        visitor -> roots.replaceAll(visitor::visit));
  }
}
