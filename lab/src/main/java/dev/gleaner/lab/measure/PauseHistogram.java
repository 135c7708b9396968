package dev.gleaner.lab.measure;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of a run, or of several: how many took how long, to three significant digits. Does not
 * change.
 */
public final class PauseHistogram {
  /** No pause. */
  public static final PauseHistogram NONE = new PauseHistogram(Pauses.histogram(), 0);

  private final Histogram nanos;
  private final long longest;

  PauseHistogram(Histogram nanos, long longestNanos) {
    this.nanos = nanos.copy();
    this.longest = longestNanos;
  }

  /** Returns how many there were. */
  public long count() {
    return nanos.getTotalCount();
  }

  /** Returns the time that so many of 100 pauses did not exceed; 0 if there was none. */
  public double percentileSeconds(double percent) {
    return Math.min(nanos.getValueAtPercentile(percent), longest) / 1e9;
  }

  /** Returns the shortest; 0 if there was none. */
  public double shortestSeconds() {
    return count() == 0 ? 0 : Math.min(nanos.getMinValue(), longest) / 1e9;
  }

  /** Returns the longest, exactly; 0 if there was none. */
  public double longestSeconds() {
    return longest / 1e9;
  }

  /** Returns how many fall between each bound and the next, for bounds that grow, in seconds. */
  public long[] counts(double... bounds) {
    long[] counts = new long[bounds.length - 1];
    nanos
        .recordedValues()
        .forEach(value -> {
          int at = Arrays.binarySearch(bounds, value.getValueIteratedTo() / 1e9);
          int bin = at >= 0 ? at : -at - 2;
          if (bin >= 0 && bin < counts.length) {
            counts[bin] += value.getCountAtValueIteratedTo();
          }
        });
    return counts;
  }

  /** Returns the pauses of both. */
  public PauseHistogram plus(PauseHistogram other) {
    PauseHistogram both = new PauseHistogram(nanos, Math.max(longest, other.longest));
    both.nanos.add(other.nanos);
    return both;
  }

  /** Returns the longest pause in nanoseconds, and the histogram in its own format as Base64. */
  String toText() {
    ByteBuffer buffer = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
    int length = nanos.encodeIntoByteBuffer(buffer);
    byte[] bytes = Arrays.copyOf(buffer.array(), length);
    return longest + ":" + Base64.getEncoder().encodeToString(bytes);
  }

  /**
   * Reads what {@link #toText} wrote.
   *
   * @throws IllegalArgumentException if it is none
   */
  static PauseHistogram ofText(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("no pauses: " + text);
    }
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text.substring(colon + 1)));
    try {
      return new PauseHistogram(
          Histogram.decodeFromByteBuffer(bytes, Pauses.LONGEST_NANOS),
          Long.parseLong(text.substring(0, colon)));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("no pauses: " + text, e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PauseHistogram that
        && longest == that.longest
        && nanos.equals(that.nanos);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(longest) * 31 + Long.hashCode(count());
  }

  @Override
  public String toString() {
    return count() + " pauses, the longest " + longest + " ns";
  }
}
