package dev.gleaner.lab.output;

import dev.gleaner.lab.chart.Quantity;
import dev.gleaner.lab.chart.TextScatter;
import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Units.Unit;
import dev.gleaner.lab.tune.Finals;
import dev.gleaner.lab.tune.SweepResult;
import dev.gleaner.lab.tune.Trial;
import dev.gleaner.lab.tune.Tuning;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sweep as text: a row a trial, the time–space curve, and what is recommended with its HOCON. */
public final class SweepTable {
  /** Peaks that differ by less are the same. */
  private static final double SAME = 0.005;

  private SweepTable() {}

  /**
   * Returns the lines.
   *
   * @param width the most characters of a sentence's line
   */
  public static List<String> lines(SweepResult sweep, int width) {
    List<String> lines = new ArrayList<>();
    String title = sweep.title() + parameters(sweep) + ", " + sweep.tried() + " trials";
    lines.addAll(Words.wrapped(title, width));
    lines.add("");
    lines.addAll(table(sweep, sweep.trials()).lines());
    lines.addAll(wrapped(same(sweep), width));
    List<Trial> ok = sweep.trials().stream().filter(Trial::ok).toList();
    if (ok.size() > 1) {
      lines.add("");
      lines.addAll(curve(ok, sweep, width));
    }
    Finals finals = sweep.finals();
    if (finals != null) {
      lines.add("");
      lines.add(finalTitle(finals));
      lines.add("");
      lines.addAll(table(sweep, finals.finalists()).lines());
    }
    lines.add("");
    lines.addAll(advice(sweep, width));
    return lines;
  }

  private static List<String> wrapped(List<String> sentences, int width) {
    return sentences.stream().flatMap(one -> Words.wrapped(one, width).stream()).toList();
  }

  private static String parameters(SweepResult sweep) {
    List<String> parts = new ArrayList<>();
    sweep.parameters().forEach((key, value) -> parts.add(key + " = " + value));
    return parts.isEmpty() ? "" : " (" + String.join(", ", parts) + ")";
  }

  /** Returns which settings do the same as others, a line each. */
  public static List<String> same(SweepResult sweep) {
    return sweep.trials().stream()
        .filter(trial -> !trial.same().isEmpty())
        .map(trial ->
            "The same as with %s: %s."
                .formatted(
                    trial.tuning().text(),
                    String.join("; ", trial.same().stream().map(Tuning::text).toList())))
        .toList();
  }

  /** Returns the heading of the final. */
  public static String finalTitle(Finals finals) {
    return "The finalists again, in turns: %d runs each"
        .formatted(
            finals.finalists().stream().mapToInt(trial -> trial.runs().size()).max().orElse(0));
  }

  private static TextTable table(SweepResult sweep, List<Trial> trials) {
    Unit time = Units.time(trials.stream().mapToDouble(Trial::seconds).max().orElse(0));
    Unit pause = Units.time(trials.stream().mapToDouble(Trial::longestPause).max().orElse(0));
    Unit peak = Units.size(trials.stream().mapToDouble(Trial::peakBytes).max().orElse(0));
    TextTable table = new TextTable().column("").column("mult").column("add").column("limit");
    table.column("time\n" + time.name()).column("collec-\ntions");
    table.column("pauses\n" + pause.name()).column("longest\n" + pause.name());
    table.column("peak\n" + peak.name()).textColumn("");
    for (Trial trial : trials) {
      List<String> cells = new ArrayList<>();
      cells.add(mark(sweep, trial));
      cells.addAll(trial.tuning().cells());
      RunResult run = trial.shown();
      cells.add(Column.cell(run.figure(Figure.SECONDS), time::text));
      cells.add(Column.cell(run.figure(Figure.COLLECTIONS), Units::count));
      cells.add(Column.cell(run.figure(Figure.PAUSE_SECONDS_TOTAL), pause::text));
      cells.add(Column.cell(trial.mostPause(), pause::text));
      cells.add(Column.cell(trial.mostPeak(), peak::text));
      cells.add(trial.ok() ? "" : trial.status());
      table.row(cells);
    }
    return table;
  }

  /** An arrow at what is recommended, a star at what is on the front. */
  private static String mark(SweepResult sweep, Trial trial) {
    if (sweep.isRecommended(trial)) {
      return "->";
    }
    return sweep.tradeOff().front().contains(trial) ? "*" : "";
  }

  /**
   * Returns whether a chart of time against memory would be one line: all trials have the same
   * peak.
   */
  public static boolean isOneLine(List<Trial> trials) {
    double least = trials.stream().mapToDouble(Trial::peakBytes).min().orElse(0);
    double most = trials.stream().mapToDouble(Trial::peakBytes).max().orElse(0);
    return most - least < most * SAME;
  }

  /** Returns what is said in place of such a chart. */
  public static String oneLine(List<Trial> trials) {
    double most = trials.stream().mapToDouble(Trial::peakBytes).max().orElse(0);
    return "All trials used at most %s: these settings change nothing about the memory here."
        .formatted(text(Units.size(most), most));
  }

  private static List<String> curve(List<Trial> trials, SweepResult sweep, int width) {
    if (isOneLine(trials)) {
      return Words.wrapped(oneLine(trials), width);
    }
    List<Double> peaks = trials.stream().map(Trial::peakBytes).toList();
    List<Double> times = trials.stream().map(Trial::seconds).toList();
    TextScatter chart =
        new TextScatter("Peak memory in use", Quantity.BYTES, peaks, "Time", Quantity.TIME, times);
    for (Trial trial : trials) {
      if (sweep.isRecommended(trial)) {
        chart.put(trial.peakBytes(), trial.seconds(), 'O', "");
      } else if (sweep.tradeOff().front().contains(trial)) {
        chart.put(trial.peakBytes(), trial.seconds(), '*', "O");
      } else {
        chart.put(trial.peakBytes(), trial.seconds(), '.', "O*");
      }
    }
    List<String> lines = new ArrayList<>(chart.lines());
    lines.add(
        "* on the front, O recommended, . no better in either than another, and worse in one.");
    return lines;
  }

  private static List<String> advice(SweepResult sweep, int width) {
    List<String> lines = new ArrayList<>(wrapped(reasons(sweep), width));
    Trial trial = sweep.tradeOff().recommended();
    if (trial != null) {
      lines.add("");
      lines.addAll(trial.tuning().hocon(sweep.collector()).lines().toList());
    }
    return lines;
  }

  /** Returns the recommendation as sentences. */
  public static List<String> reasons(SweepResult sweep) {
    Trial trial = sweep.tradeOff().recommended();
    if (trial == null) {
      return List.of(nothing(sweep));
    }
    Finals finals = sweep.finals();
    Trial now = now(finals == null ? sweep.trials() : finals.finalists());
    List<String> lines = new ArrayList<>();
    if (finals != null && finals.level().size() > 1) {
      lines.add(
          "Equal, or undecided by so few runs: %s; %s."
              .formatted(
                  Words.and(finals.level().stream().map(t -> t.tuning().text()).toList()),
                  finals.nothingBeyondTheNoise()
                      ? "keep the settings as they are"
                      : "the leanest of them is recommended"));
    }
    lines.add(
        "%s: %s: %s, at most %s in use, longest pause of all runs %s."
            .formatted(
                finals != null && finals.level().size() > 1 ? "Recommended" : why(sweep),
                trial.tuning().text(),
                text(Units.time(trial.seconds()), trial.seconds()),
                text(Units.size(trial.peakBytes()), trial.peakBytes()),
                text(Units.time(trial.longestPause()), trial.longestPause())));
    if (now != null && !trial.tuning().equals(now.tuning()) && now.ok()) {
      lines.add(
          "With the settings as they are: %s, %s, %s."
              .formatted(
                  text(Units.time(now.seconds()), now.seconds()),
                  text(Units.size(now.peakBytes()), now.peakBytes()),
                  text(Units.time(now.longestPause()), now.longestPause())));
    }
    return lines;
  }

  private static @Nullable Trial now(List<Trial> trials) {
    return trials.stream().filter(Trial::isUnchanged).findFirst().orElse(null);
  }

  private static String why(SweepResult sweep) {
    Long peak = sweep.limits().peakBytes();
    Double pause = sweep.limits().pauseSeconds();
    if (peak == null && pause == null) {
      return "Recommended, for the least time × memory";
    }
    List<String> limits = new ArrayList<>();
    if (peak != null) {
      limits.add("at most " + text(Units.size(peak), peak));
    }
    if (pause != null) {
      limits.add("pauses of at most " + text(Units.time(pause), pause));
    }
    return "Recommended, the fastest with " + String.join(" and ", limits);
  }

  private static String nothing(SweepResult sweep) {
    List<Trial> ok = sweep.trials().stream().filter(Trial::ok).toList();
    if (ok.isEmpty()) {
      return "No trial came to its end.";
    }
    double peak = ok.stream().mapToDouble(Trial::peakBytes).min().orElse(0);
    double pause = ok.stream().mapToDouble(Trial::longestPause).min().orElse(0);
    return "No trial is within the limits: the least peak was %s, the shortest longest pause %s."
        .formatted(text(Units.size(peak), peak), text(Units.time(pause), pause));
  }

  private static String text(Unit unit, double value) {
    return unit.text(value) + " " + unit.name();
  }
}
