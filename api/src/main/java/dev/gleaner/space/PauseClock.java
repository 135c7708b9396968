package dev.gleaner.space;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Times the stops of the program that are no collections: what a drop frees, what is moved when
 * frames are left, and large steps of a cycle that goes along with the program.
 *
 * <pre>
 *   small work    never looks at a clock
 *   large work    the collector calls begin, at the latest after {@link #SMALL} elements; then end
 *   afterwards    the heap takes the sum, and tells its listeners
 * </pre>
 */
public final class PauseClock {
  /** So many elements are freed or moved without a clock. */
  public static final int SMALL = 256;

  private final @Nullable LongSupplier clock;
  private long begun;
  private long started;
  private long nanos;
  private long elements;
  private long bytes;
  private boolean pending;

  /** Makes one that measures with the system's clock. */
  public PauseClock() {
    this.clock = null;
  }

  /**
   * Makes one.
   *
   * @param clock nanoseconds from any moment on
   */
  public PauseClock(LongSupplier clock) {
    this.clock = clock;
  }

  private long now() {
    return clock == null ? System.nanoTime() : clock.getAsLong();
  }

  /** Large work begins, or turns out to be large. */
  public void begin() {
    begun = now();
  }

  /**
   * Large work is done.
   *
   * @param all the elements that were looked at
   * @param before how many of them {@link #begin} came after: they took as long as the others
   * @param freed the elements that were freed or moved
   * @param freedBytes the bytes that came free
   */
  public void end(long all, long before, long freed, long freedBytes) {
    long now = now();
    long took = now - begun;
    if (before > 0 && all > before) {
      took += (long) ((double) took * before / (all - before));
    }
    if (!pending) {
      pending = true;
      started = now - took;
    }
    nanos += took;
    elements += freed;
    bytes += freedBytes;
  }

  /** Whether there is something to {@link #take}. */
  public boolean isPending() {
    return pending;
  }

  /** When the first that is pending began. */
  public long startNanos() {
    return started;
  }

  /** How long all took that is pending. */
  public long nanos() {
    return nanos;
  }

  /** Elements freed or moved meanwhile. */
  public long elements() {
    return elements;
  }

  /** Bytes that came free meanwhile. */
  public long bytes() {
    return bytes;
  }

  /** Begins anew. */
  public void take() {
    pending = false;
    nanos = 0;
    elements = 0;
    bytes = 0;
  }
}
