package dev.gleaner.lab.growth;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The peaks of one program under one collector.
 *
 * @param peaks in the order of n, with those that were measured beside
 * @param verdict how the peak grows, or null if a run failed
 * @param note what has to be said beside the figures: why there is no verdict, or why peaks that
 *     grow are constant memory; may be empty
 */
public record GrowthCurve(
    String collector,
    String version,
    List<Peak> peaks,
    @Nullable GrowthClass verdict,
    String note) {
  /** The least limit that a heap may have. */
  private static final long LEAST_LIMIT = 64 << 10;

  /** How often the largest n is doubled where peaks are below that. */
  private static final int MOST_DOUBLED = 3;

  /** So many points tell one shape from another. */
  private static final int ENOUGH = 4;

  /** Runs a program at one size. */
  @FunctionalInterface
  public interface Program {
    /**
     * Returns the peak.
     *
     * @param limit of the heap in bytes, or 0 for the usual one
     * @throws GrowthException if the run failed
     */
    Peak run(long n, long limit);
  }

  /** A run that has no peak, with the reason. */
  public static final class GrowthException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public GrowthException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** Copies. */
  public GrowthCurve {
    peaks = List.copyOf(peaks);
  }

  /**
   * Measures. Where the peak grows, that may be garbage which a collector keeps while there is
   * room: memory is constant if the largest n runs within the peak of half of it. Otherwise halves
   * of the smallest n come beside, so that there are points enough to tell how it grows.
   *
   * @param sizes in their order, two at least
   * @param limits whether the largest n may run under a limit to tell
   */
  public static GrowthCurve of(
      String collector, String version, List<Long> sizes, boolean limits, Program program) {
    List<Peak> peaks = new ArrayList<>();
    try {
      for (long n : sizes) {
        peaks.add(program.run(n, 0));
      }
      goOn(peaks, program);
      if (GrowthClass.isConstant(peaks)) {
        return new GrowthCurve(collector, version, peaks, GrowthClass.CONSTANT, "");
      }
      Peak last = peaks.getLast();
      long room = (long) (GrowthClass.half(peaks).bytes() * (1 + GrowthClass.SAME));
      if (limits && room >= LEAST_LIMIT && fits(program, last, room)) {
        String note =
            String.format(
                Locale.ROOT,
                "it keeps garbage while there is room; with a limit of %,d bytes it runs n = %,d,"
                    + " too",
                room,
                last.n());
        return new GrowthCurve(collector, version, peaks, GrowthClass.CONSTANT, note);
      }
      for (long n = sizes.getFirst() / 2; n > 0 && peaks.size() < ENOUGH; n /= 2) {
        peaks.addFirst(program.run(n, 0));
      }
      return new GrowthCurve(collector, version, peaks, GrowthClass.of(peaks), "");
    } catch (GrowthException e) {
      return new GrowthCurve(collector, version, peaks, null, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Peaks that are small grow until the collector has what it keeps anyway, and no limit is as low
   * as they are. So larger n come beside, until a limit can tell, or the peak grows no more.
   */
  private static void goOn(List<Peak> peaks, Program program) {
    for (int i = 0; i < MOST_DOUBLED && !GrowthClass.isConstant(peaks); i++) {
      if (GrowthClass.half(peaks).bytes() * (1 + GrowthClass.SAME) >= LEAST_LIMIT) {
        return;
      }
      try {
        peaks.add(program.run(peaks.getLast().n() * 2, 0));
      } catch (GrowthException | IllegalArgumentException e) {
        return; // it has no such size
      }
    }
  }

  private static boolean fits(Program program, Peak whole, long room) {
    try {
      Peak limited = program.run(whole.n(), room);
      return limited.bytes() <= room && limited.checksum() == whole.checksum();
    } catch (GrowthException e) {
      return false;
    }
  }

  /** Returns the peak at a size, or null if there is none. */
  public @Nullable Peak at(long n) {
    return peaks.stream().filter(peak -> peak.n() == n).findFirst().orElse(null);
  }

  /** Returns the bytes that one more of n costs, from the smallest n to the largest. */
  public double bytesForEach() {
    Peak first = peaks.getFirst();
    Peak last = peaks.getLast();
    return (double) (last.bytes() - first.bytes()) / (last.n() - first.n());
  }
}
