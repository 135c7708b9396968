package dev.gleaner.mark;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.MarkBits;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import org.jspecify.annotations.Nullable;

/**
 * Counts the elements that no root leads to, for collectors that cannot reclaim cycles.
 *
 * <p>Marks what the roots reach. The bits for the marks are made when they are first needed.
 */
public final class Unreached implements AutoCloseable {
  private final MarkPhase phase;
  private final Memory memory;
  private @Nullable MarkBits bits;
  private long elements;
  private long bytes;
  private long first;

  public Unreached(HeapContext context) {
    this.phase = new MarkPhase(context);
    this.memory = context.memory();
  }

  /** Finds them; without memory for the marks nothing counts as unreached. */
  public void find(Collector collector) {
    elements = 0;
    bytes = 0;
    first = 0;
    MarkBits b = bits == null ? phase.newBits() : bits;
    bits = b;
    if (phase.tryStart(b)) {
      phase.drain();
      phase.traceWeakTables();
      collector.forEachElement(this::add);
    }
  }

  private void add(long e) {
    if (!phase.isReached(e)) {
      elements++;
      bytes += (Layout.payloadWords(memory, e, memory.get(e)) + 1) << 3;
      first = first == 0 ? e : first;
    }
  }

  /** Returns whether an element was reached when they were found last. */
  public boolean isReached(long element) {
    return phase.isReached(element);
  }

  /** Returns how many there are. */
  public long elements() {
    return elements;
  }

  /** Returns their bytes. */
  public long bytes() {
    return bytes;
  }

  /** Returns the first of them, or 0. */
  public long first() {
    return first;
  }

  @Override
  public void close() {
    phase.close();
    if (bits != null) {
      bits.close();
      bits = null;
    }
  }
}
