package dev.gleaner.collector.framestack;

import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.mark.Marker;
import dev.gleaner.space.MarkBits;
import dev.gleaner.spi.HeapContext;

/**
 * Finds what is alive: marks what the roots reach, and decides about finalizers (Duktape,
 * "Mark-and-sweep", steps 2 and 3). That is exact when no frame has records any more; if some have,
 * all of them count as alive.
 */
final class FullMark implements DuktapeFinalizers.Tracer, AutoCloseable {
  private final HeapContext context;
  private final MarkBits bits;
  private final Marker marker;
  private final DuktapeFinalizers finalizers;

  FullMark(HeapContext context) {
    this.context = context;
    this.bits = new MarkBits(context.regionBytes(), context.memory().isReserved());
    this.marker =
        new Marker(
            context.memory(), context.regionBytes(), context.settings().mark().recursionLimit());
    this.finalizers = new DuktapeFinalizers(context);
  }

  MarkBits run(YoungFrames young) {
    if (!marker.start(bits, context.raw())) {
      throw new OutOfMemoryError("no memory for the mark bits");
    }
    finalizers.begin();
    context.builtins().forEach(marker::mark);
    young.forEach(marker::mark);
    context
        .roots()
        .forEachRoot(v -> {
          marker.mark(v);
          return v;
        });
    marker.drain();
    finalizers.find(this);
    context.sweepWeak(bits::get);
    return bits;
  }

  @Override
  public boolean isReached(long element) {
    return bits.get(element);
  }

  @Override
  public void reach(long element) {
    marker.mark(element);
  }

  @Override
  public void drain() {
    marker.drain();
  }

  @Override
  public void close() {
    marker.close();
    bits.close();
  }
}
