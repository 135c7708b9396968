package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.PairedRatio;
import dev.gleaner.lab.measure.PairedRatio.Estimate;
import dev.gleaner.lab.measure.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison's figures carry, and what is undecided.
 *
 * <p>Workers take turns, so run i of one collector stands beside run i of another, and a {@link
 * PairedRatio} says whether one is faster, both are equal, or neither is known: the noise of so few
 * runs hides it. Of four runs or more the first does not count: the JVM compiles in it.
 *
 * <p>The baseline on plain Java objects is no collector: it has a ratio, and is in no sentence.
 */
public final class ComparisonVerdict {
  private static final double SAME_SIZE = 1.02;

  /** A run on a quiet machine takes hardly longer than its CPU time, if it is no moment. */
  private static final double BUSY = 1.25;

  private static final double LEAST_SECONDS = 0.1;

  private final List<Row> rows;
  private final IdentityHashMap<Row, RunResult> shown = new IdentityHashMap<>();

  private ComparisonVerdict(List<Row> rows) {
    this.rows = rows;
    rows.forEach(row -> shown.put(row, row.shown()));
  }

  /** Judges a comparison. */
  public static ComparisonVerdict of(Comparison comparison) {
    return new ComparisonVerdict(comparison.rows());
  }

  /** Returns the peaks of the leanest collector and of the median one, in bytes; none of none. */
  public static List<Long> leanAndMedianPeaks(List<Row> rows) {
    ComparisonVerdict all = new ComparisonVerdict(rows);
    List<Row> sorted = all.collectors(Figure.PEAK_USED_BYTES);
    return sorted.isEmpty()
        ? List.of()
        : List.of(
            Math.round(all.of(sorted.getFirst(), Figure.PEAK_USED_BYTES)),
            Math.round(all.of(sorted.get(sorted.size() / 2), Figure.PEAK_USED_BYTES)));
  }

  private List<Row> collectors(Figure figure) {
    return rows.stream()
        .filter(row -> !row.isBaseline() && value(row, figure) != null)
        .sorted(Comparator.comparingDouble(row -> of(row, figure)))
        .toList();
  }

  private @Nullable Double value(Row row, Figure figure) {
    RunResult told = shown.get(row);
    return told != null && told.ok() ? told.figure(figure) : null;
  }

  private double of(Row row, Figure figure) {
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
        row.counted().stream()
            .filter(RunResult::ok)
            .map(run -> run.figure(Figure.SECONDS))
            .filter(Objects::nonNull)
            .sorted()
            .toList();
    return times.size() < 2
        ? null
        : (times.getLast() - times.getFirst()) / 2 / times.get((times.size() - 1) / 2);
  }

  /** Returns how much more of a figure one row has than another. */
  public static Estimate estimate(Row a, Row b, Figure figure) {
    List<RunResult> runsOfA = a.counted();
    List<RunResult> runsOfB = b.counted();
    PairedRatio ratio = new PairedRatio();
    for (int i = 0; i < Math.min(runsOfA.size(), runsOfB.size()); i++) {
      Double x = runsOfA.get(i).figure(figure);
      Double y = runsOfB.get(i).figure(figure);
      if (x != null && y != null && runsOfA.get(i).ok() && runsOfB.get(i).ok()) {
        ratio.add(x, y);
      }
    }
    return ratio.estimate();
  }

  /** Returns whether the time of every collector is decided against that of the fastest. */
  public static boolean isDecided(List<Row> rows) {
    List<Row> byTime = new ComparisonVerdict(rows).collectors(Figure.SECONDS);
    return byTime.size() < 2 || new Standing(byTime, Figure.SECONDS).undecided.isEmpty();
  }

  /** Returns the fastest collectors, which are equally fast; none as long as that is undecided. */
  public List<Row> best() {
    List<Row> byTime = collectors(Figure.SECONDS);
    if (byTime.size() < 2) {
      return List.of();
    }
    Standing standing = new Standing(byTime, Figure.SECONDS);
    List<Row> best = new ArrayList<>(standing.equal);
    best.addFirst(standing.first);
    return standing.undecided.isEmpty() ? best : List.of();
  }

  /** Returns how long others took beside the fastest, each with its interval; empty of too few. */
  public String ratios() {
    List<Row> byTime = collectors(Figure.SECONDS);
    List<String> ratios = new ArrayList<>();
    for (Row row : byTime.isEmpty() ? byTime : byTime.subList(1, byTime.size())) {
      Estimate estimate = estimate(row, byTime.getFirst(), Figure.SECONDS);
      if (estimate.pairs() >= PairedRatio.FEWEST) {
        ratios.add(
            String.format(
                Locale.ROOT,
                "%s %.2f (%.2f to %.2f)",
                row.collector(),
                estimate.ratio(),
                estimate.low(),
                estimate.high()));
      }
    }
    return ratios.isEmpty()
        ? ""
        : "Times over those of %s, with their intervals: %s."
            .formatted(byTime.getFirst().collector(), String.join(", ", ratios));
  }

  /** How rows stand to the first one of them, by a figure of which less is better. */
  private static final class Standing {
    final Row first;
    final List<Row> equal = new ArrayList<>();
    final List<Row> undecided = new ArrayList<>();
    final List<Row> more = new ArrayList<>();

    Standing(List<Row> sorted, Figure figure) {
      first = sorted.getFirst();
      for (Row row : sorted.subList(1, sorted.size())) {
        switch (estimate(row, first, figure).state()) {
          case EQUAL -> equal.add(row);
          case MORE -> more.add(row);
          case LESS, UNDECIDED -> undecided.add(row);
        }
      }
    }

    String level() {
      List<Row> level = new ArrayList<>(equal);
      level.addFirst(first);
      return names(level);
    }
  }

  /** Returns some sentences; empty if there is nothing to compare. */
  public String text() {
    List<Row> byTime = collectors(Figure.SECONDS);
    if (byTime.size() < 2) {
      return "";
    }
    if (byTime.stream().mapToInt(row -> row.counted().size()).min().orElse(0) < 3) {
      return "Too few runs to tell differences from noise: --runs 5 or more.";
    }
    return times(byTime) + " " + memoryAndPauses() + busy(byTime);
  }

  private static String times(List<Row> byTime) {
    Standing standing = new Standing(byTime, Figure.SECONDS);
    List<String> parts = new ArrayList<>();
    if (!standing.equal.isEmpty()) {
      parts.add(standing.level() + " are equally fast, within 5 %");
    }
    if (!standing.undecided.isEmpty()) {
      parts.add(undecided(standing));
    } else if (standing.equal.isEmpty()) {
      parts.add(standing.level() + " is the fastest");
    }
    if (!standing.more.isEmpty()) {
      double least = ratio(standing.more.getFirst(), standing);
      double most = ratio(standing.more.getLast(), standing);
      String factor =
          factor(least).equals(factor(most))
              ? factor(least)
              : factor(least) + " to " + factor(most);
      parts.add(
          "%s %s %s times as long"
              .formatted(
                  names(standing.more), standing.more.size() == 1 ? "takes" : "take", factor));
    }
    return String.join("; ", parts) + ".";
  }

  private static String undecided(Standing standing) {
    List<Row> all = new ArrayList<>(standing.undecided);
    all.addFirst(standing.first);
    String which = standing.equal.isEmpty() ? "Which" : "which";
    return "%s of %s is the fastest is undecided: %s"
        .formatted(which, names(all), seen(standing, Figure.SECONDS, "took"));
  }

  /** The ratios that were seen, and how many runs would probably decide. */
  private static String seen(Standing standing, Figure figure, String verb) {
    List<String> seen = new ArrayList<>();
    for (Row row : standing.undecided) {
      Estimate estimate = estimate(row, standing.first, figure);
      int uncounted = row.runs().size() - row.counted().size();
      seen.add(
          String.format(
              Locale.ROOT,
              "%s %s %.2f times as long (%s runs would decide)",
              row.collector(),
              verb,
              estimate.ratio(),
              many(estimate.needed(), uncounted)));
    }
    return Words.and(seen);
  }

  private static String many(int needed, int uncounted) {
    return needed < PairedRatio.MOST_NEEDED ? "some " + (needed + uncounted) : "over " + needed;
  }

  private static double ratio(Row row, Standing standing) {
    return estimate(row, standing.first, Figure.SECONDS).ratio();
  }

  /** A run that waits for a processor measures the machine. */
  private String busy(List<Row> rows) {
    double most = 0;
    for (Row row : rows) {
      Double wall = value(row, Figure.SECONDS);
      Double cpu = value(row, Figure.CPU_SECONDS);
      if (wall != null && cpu != null && cpu > 0 && wall > LEAST_SECONDS) {
        most = Math.max(most, wall / cpu);
      }
    }
    return most < BUSY
        ? ""
        : " The machine was busy: times are up to %s times the CPU time.".formatted(factor(most));
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
    Standing standing = new Standing(byPause, Figure.PAUSE_SECONDS_MAX);
    if (standing.undecided.isEmpty()) {
      return standing.equal.isEmpty()
          ? memory
              + "; %s has the shortest of the longest pauses, %s."
                  .formatted(
                      standing.level(), Units.seconds(of(standing.first, Figure.PAUSE_SECONDS_MAX)))
          : memory + "; the longest pauses of " + standing.level() + " are equal, within 5 %.";
    }
    return "%s; the shortest of the longest pauses is undecided: beside %s, %s."
        .formatted(memory, standing.level(), seen(standing, Figure.PAUSE_SECONDS_MAX, "paused"));
  }

  private static String names(List<Row> rows) {
    return Words.and(rows.stream().map(Row::collector).toList());
  }
}
