package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.PairedTest;
import dev.gleaner.lab.measure.RunResult;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison's figures carry, and what is within the noise.
 *
 * <p>Workers take turns, so run i of one collector stands beside run i of another. Two collectors
 * differ if a {@link PairedTest} says so. Of four runs or more the first does not count: the JVM
 * compiles in it.
 *
 * <p>The baseline on plain Java objects is no collector: it has a ratio, and is in no sentence.
 */
public final class ComparisonVerdict {
  private static final int RUNS_WITH_A_FIRST = 4;
  private static final double SAME_SIZE = 1.02;

  private final List<Row> rows;

  private ComparisonVerdict(List<Row> rows) {
    this.rows = rows;
  }

  /** Judges a comparison. */
  public static ComparisonVerdict of(Comparison comparison) {
    return new ComparisonVerdict(comparison.rows());
  }

  /** Returns the peaks of the leanest collector and of the median one, in bytes; none of none. */
  public static List<Long> leanAndMedianPeaks(List<Row> rows) {
    List<Row> sorted = new ComparisonVerdict(rows).collectors(Figure.PEAK_USED_BYTES);
    return sorted.isEmpty()
        ? List.of()
        : List.of(
            Math.round(of(sorted.getFirst(), Figure.PEAK_USED_BYTES)),
            Math.round(of(sorted.get(sorted.size() / 2), Figure.PEAK_USED_BYTES)));
  }

  private List<Row> collectors(Figure figure) {
    return rows.stream()
        .filter(row -> !row.isBaseline() && value(row, figure) != null)
        .sorted(Comparator.comparingDouble(row -> of(row, figure)))
        .toList();
  }

  private static @Nullable Double value(Row row, Figure figure) {
    RunResult shown = row.shown();
    return shown.ok() ? shown.figure(figure) : null;
  }

  private static double of(Row row, Figure figure) {
    Double value = value(row, figure);
    return value == null ? Double.NaN : value;
  }

  /** Returns a row's time over that of the fastest collector; null if one of them has none. */
  public @Nullable Double timesFastest(Row row) {
    List<Row> sorted = collectors(Figure.SECONDS);
    Double time = value(row, Figure.SECONDS);
    return time == null || sorted.isEmpty() ? null : time / of(sorted.getFirst(), Figure.SECONDS);
  }

  /** Returns half the range of a row's times over the shown one; null of fewer than two runs. */
  public static @Nullable Double spread(Row row) {
    List<Double> times =
        counted(row).stream()
            .filter(RunResult::ok)
            .map(run -> run.figure(Figure.SECONDS))
            .filter(Objects::nonNull)
            .sorted()
            .toList();
    return times.size() < 2
        ? null
        : (times.getLast() - times.getFirst()) / 2 / times.get(times.size() / 2);
  }

  /** The runs that count: without the first where there are enough. */
  static List<RunResult> counted(Row row) {
    int first = row.runs().size() >= RUNS_WITH_A_FIRST ? 1 : 0;
    return row.runs().subList(first, row.runs().size());
  }

  /** Returns whether two rows differ in a figure by more than the noise. */
  public static boolean differ(Row a, Row b, Figure figure) {
    List<RunResult> runsOfA = counted(a);
    List<RunResult> runsOfB = counted(b);
    PairedTest test = new PairedTest();
    for (int i = 0; i < Math.min(runsOfA.size(), runsOfB.size()); i++) {
      Double x = runsOfA.get(i).figure(figure);
      Double y = runsOfB.get(i).figure(figure);
      if (x != null && y != null && runsOfA.get(i).ok() && runsOfB.get(i).ok()) {
        test.add(x, y);
      }
    }
    return test.differs();
  }

  /** Returns two sentences; empty if there is nothing to compare. */
  public String text() {
    List<Row> byTime = collectors(Figure.SECONDS);
    if (byTime.size() < 2) {
      return "";
    }
    if (byTime.stream().mapToInt(row -> counted(row).size()).min().orElse(0) < 3) {
      return "Too few runs to tell differences from noise: --runs 5 or more.";
    }
    return times(byTime) + " " + memoryAndPauses();
  }

  private String times(List<Row> byTime) {
    List<Row> level = level(byTime, Figure.SECONDS);
    List<Row> slower = byTime.stream().filter(row -> !level.contains(row)).toList();
    String first =
        level.size() == 1
            ? names(level) + " is the fastest"
            : "Between " + names(level) + " no difference in time is beyond the noise";
    if (slower.isEmpty()) {
      return first + ".";
    }
    double least = times(slower.getFirst());
    double most = times(slower.getLast());
    String factor =
        factor(least).equals(factor(most)) ? factor(least) : factor(least) + " to " + factor(most);
    return "%s; %s %s %s times as long."
        .formatted(first, names(slower), slower.size() == 1 ? "takes" : "take", factor);
  }

  private double times(Row row) {
    Double times = timesFastest(row);
    return times == null ? Double.NaN : times;
  }

  private static String factor(double factor) {
    return String.format(Locale.ROOT, factor < 9.95 ? "%.1f" : "%.0f", factor);
  }

  private String memoryAndPauses() {
    List<Row> bySize = collectors(Figure.PEAK_USED_BYTES);
    List<Row> byPause =
        collectors(Figure.PAUSE_SECONDS_MAX).stream()
            .filter(row -> of(row, Figure.PAUSE_SECONDS_MAX) > 0)
            .toList();
    String memory = "";
    if (!bySize.isEmpty()) {
      double least = of(bySize.getFirst(), Figure.PEAK_USED_BYTES);
      List<Row> lean =
          bySize.stream()
              .filter(row -> of(row, Figure.PEAK_USED_BYTES) <= least * SAME_SIZE)
              .toList();
      memory =
          "%s %s the least memory, %s"
              .formatted(names(lean), lean.size() == 1 ? "needs" : "need", Units.bytes(least));
    }
    if (byPause.size() < 2) {
      return memory + ".";
    }
    List<Row> level = level(byPause, Figure.PAUSE_SECONDS_MAX);
    if (level.size() == byPause.size()) {
      return memory + "; the longest pauses differ by no more than the noise.";
    }
    return memory
        + (level.size() == 1
            ? "; %s has the shortest of the longest pauses, %s."
                .formatted(
                    names(level), Units.seconds(of(byPause.getFirst(), Figure.PAUSE_SECONDS_MAX)))
            : "; the longest pauses of %s differ by no more than the noise, others are longer."
                .formatted(names(level)));
  }

  /** The first, and those that differ from it by no more than the noise. */
  private static List<Row> level(List<Row> sorted, Figure figure) {
    Row first = sorted.getFirst();
    return sorted.stream().filter(row -> !differ(first, row, figure)).toList();
  }

  private static String names(List<Row> rows) {
    return Words.and(rows.stream().map(Row::collector).toList());
  }
}
