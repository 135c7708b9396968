package dev.gleaner.collector.hybrid;

import dev.gleaner.collector.marksweep.MarkPhase;
import dev.gleaner.collector.refcount.CountingCollector;
import dev.gleaner.policy.MarkBits;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.spi.Memory;
import dev.gleaner.spi.Scanner;
import dev.gleaner.spi.Values;

/**
 * Reference counting with mark-and-sweep for what counting cannot see (Duktape, "Interactions
 * between reference counting and mark-and-sweep").
 *
 * <pre>
 *   always         counts, refzero: collector-refcount
 *   a collection   1 mark    collector-marksweep
 *                  2 adjust  what the dead hold loses a reference, and nothing else happens
 *                  3 free    the dead; the free lists are made anew; the counts are exact again
 * </pre>
 *
 * <p>Two scans, because in one the second element of a dead loop could be gone when the first drops
 * it ("Basic algorithm", steps 3 and 4).
 */
final class HybridCollector extends CountingCollector {
  private final Memory memory;
  private final MarkPhase phase;
  private final MarkBits bits;

  HybridCollector(HeapContext context) {
    super(context);
    this.memory = context.memory();
    this.phase = new MarkPhase(context, counts);
    this.bits = phase.newBits();
  }

  @Override
  public void collect(int flags) {
    phase.start(bits);
    phase.drain();
    phase.finish();
    forEachCounted(this::adjust);
    large.sweep(bits, context::release);
    cells.sweep(bits, context::release);
    context.tidy(flags, this::forEachOfKind);
  }

  /** Drops what a dead element holds, if that stays; no count triggers anything. */
  private void adjust(long element) {
    if (!bits.get(element)) {
      Scanner.forEachPlace(
          memory,
          element,
          place -> {
            long v = memory.get(place);
            if (Values.isReference(v) && bits.get(v)) {
              boolean _ = counts.drop(v);
            }
          });
    }
  }

  @Override
  public void close() {
    super.close();
    phase.close();
    bits.close();
  }
}
