package dev.gleaner.testing;

import dev.gleaner.parts.HeapParts;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.settings.HeapSettings.FinalizerOrder;
import dev.gleaner.settings.IncrementalSettings;
import dev.gleaner.settings.MarkSettings;
import dev.gleaner.settings.MemorySettings;
import dev.gleaner.settings.StringSettings;
import dev.gleaner.settings.ThreadSettings;
import dev.gleaner.settings.TortureSettings;
import dev.gleaner.settings.VoluntarySettings;
import dev.gleaner.space.AllocationGate;
import java.util.List;
import java.util.OptionalLong;

/** What a heap gives its collector, over a region and without the heap. */
public final class Contexts {
  private Contexts() {}

  /**
   * Makes a context.
   *
   * @param roots the heap's roots, to be changed at will
   * @param finalizers whether finalizers are to run
   */
  public static HeapParts of(Region r, List<Long> roots, boolean finalizers) {
    HeapSettings settings =
        new HeapSettings(
            "listed",
            new MemorySettings(1 << 20, 0, MemorySettings.Backing.AUTO, 64),
            new StringSettings(16, 4, Integer.MAX_VALUE, OptionalLong.of(1)),
            new VoluntarySettings(false, 1, 0, 0),
            0,
            finalizers,
            FinalizerOrder.REGISTRATION,
            new TortureSettings(0, false, 0),
            false,
            new MarkSettings(64, 1),
            new IncrementalSettings(false, 1, 1),
            new ThreadSettings(16, 1000),
            false,
            false);
    AllocationGate gate = new AllocationGate(Triggers.of(false, 1, 0), false);
    return new HeapParts(
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
