package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Units.Unit;
import dev.gleaner.lab.tune.SweepResult;
import dev.gleaner.lab.tune.Trial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A sweep as text: a row a trial, the time–space curve, and what is recommended with its HOCON. */
public final class SweepTable {
  private static final int WIDTH = 64;
  private static final int HEIGHT = 14;

  /** Peaks that differ by less are the same. */
  private static final double SAME = 0.005;

  private SweepTable() {}

  /** Returns the lines. */
  public static List<String> lines(SweepResult sweep) {
    List<String> lines = new ArrayList<>();
    lines.add(sweep.title() + parameters(sweep) + ", " + sweep.trials().size() + " trials");
    lines.add("");
    lines.addAll(table(sweep).lines());
    List<Trial> ok = sweep.trials().stream().filter(Trial::ok).toList();
    if (ok.size() > 1) {
      lines.add("");
      lines.addAll(curve(ok, sweep));
    }
    lines.add("");
    lines.addAll(advice(sweep));
    return lines;
  }

  private static String parameters(SweepResult sweep) {
    List<String> parts = new ArrayList<>();
    sweep.parameters().forEach((key, value) -> parts.add(key + " = " + value));
    return parts.isEmpty() ? "" : " (" + String.join(", ", parts) + ")";
  }

  private static TextTable table(SweepResult sweep) {
    Unit time = Units.time(sweep.trials().stream().mapToDouble(Trial::seconds).max().orElse(0));
    Unit pause =
        Units.time(sweep.trials().stream().mapToDouble(Trial::longestPause).max().orElse(0));
    Unit peak = Units.size(sweep.trials().stream().mapToDouble(Trial::peakBytes).max().orElse(0));
    TextTable table = new TextTable().column("").column("mult").column("add").column("limit");
    table.column("time\n" + time.name()).column("collec-\ntions");
    table.column("pauses\n" + pause.name()).column("longest\n" + pause.name());
    table.column("peak\n" + peak.name()).textColumn("");
    for (Trial trial : sweep.trials()) {
      List<String> cells = new ArrayList<>();
      cells.add(mark(sweep, trial));
      cells.addAll(trial.tuning().cells());
      RunResult run = trial.shown();
      cells.add(Column.cell(run.figure(Figure.SECONDS), time::text));
      cells.add(Column.cell(run.figure(Figure.COLLECTIONS), Units::count));
      cells.add(Column.cell(run.figure(Figure.PAUSE_SECONDS_TOTAL), pause::text));
      cells.add(Column.cell(run.figure(Figure.PAUSE_SECONDS_MAX), pause::text));
      cells.add(Column.cell(run.figure(Figure.PEAK_USED_BYTES), peak::text));
      cells.add(trial.ok() ? "" : trial.status());
      table.row(cells);
    }
    return table;
  }

  /** An arrow at what is recommended, a star at what is on the front. */
  private static String mark(SweepResult sweep, Trial trial) {
    if (trial.equals(sweep.tradeOff().recommended())) {
      return "->";
    }
    return sweep.tradeOff().front().contains(trial) ? "*" : "";
  }

  private static List<String> curve(List<Trial> trials, SweepResult sweep) {
    double lowX = trials.stream().mapToDouble(Trial::peakBytes).min().orElse(0);
    double highX = trials.stream().mapToDouble(Trial::peakBytes).max().orElse(0);
    Unit peak = Units.size(highX);
    if (highX - lowX < highX * SAME) {
      return List.of(
          "All trials used at most %s: these settings change nothing about the memory here."
              .formatted(text(peak, highX)));
    }
    double lowY = trials.stream().mapToDouble(Trial::seconds).min().orElse(0);
    double highY = trials.stream().mapToDouble(Trial::seconds).max().orElse(0);
    char[][] cells = new char[HEIGHT][WIDTH];
    for (char[] row : cells) {
      Arrays.fill(row, ' ');
    }
    for (Trial trial : trials) {
      int x = place(trial.peakBytes(), lowX, highX, WIDTH);
      int y = HEIGHT - 1 - place(trial.seconds(), lowY, highY, HEIGHT);
      boolean front = sweep.tradeOff().front().contains(trial);
      if (trial.equals(sweep.tradeOff().recommended())) {
        cells[y][x] = 'O';
      } else if (cells[y][x] != 'O' && (front || cells[y][x] == ' ')) {
        cells[y][x] = front ? '*' : '.';
      }
    }
    List<String> lines = new ArrayList<>();
    Unit time = Units.time(highY);
    int margin = Math.max(time.text(highY).length(), time.text(lowY).length());
    for (int y = 0; y < HEIGHT; y++) {
      String label = y == 0 ? time.text(highY) : y == HEIGHT - 1 ? time.text(lowY) : "";
      lines.add(
          (" ".repeat(margin - label.length()) + label + " |" + new String(cells[y]))
              .stripTrailing());
    }
    String left = peak.text(lowX);
    String right = peak.text(highX);
    lines.add(" ".repeat(margin + 1) + "+" + "-".repeat(WIDTH));
    lines.add(
        " ".repeat(margin + 2)
            + left
            + " ".repeat(Math.max(1, WIDTH - left.length() - right.length()))
            + right);
    lines.add(
        "Time (%s) against peak memory (%s): * on the front, O recommended, . beaten in both."
            .formatted(time.name(), peak.name()));
    return lines;
  }

  private static int place(double value, double low, double high, int cells) {
    return high == low ? 0 : (int) Math.round((value - low) / (high - low) * (cells - 1));
  }

  private static List<String> advice(SweepResult sweep) {
    List<String> lines = new ArrayList<>(reasons(sweep));
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
    Trial now = sweep.trials().getFirst();
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %s: %s, at most %s in use, longest pause of all runs %s."
            .formatted(
                why(sweep),
                trial.tuning().text(),
                text(Units.time(trial.seconds()), trial.seconds()),
                text(Units.size(trial.peakBytes()), trial.peakBytes()),
                text(Units.time(trial.longestPause()), trial.longestPause())));
    if (!trial.equals(now) && now.ok()) {
      lines.add(
          "With the settings as they are: %s, %s, %s."
              .formatted(
                  text(Units.time(now.seconds()), now.seconds()),
                  text(Units.size(now.peakBytes()), now.peakBytes()),
                  text(Units.time(now.longestPause()), now.longestPause())));
    }
    return lines;
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
