package dev.gleaner.lab;

import dev.gleaner.kit.oracle.Soak;
import dev.gleaner.lab.output.Format;
import dev.gleaner.lab.output.SoakReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * Shows how far a soak is: a bar on a terminal, else a line a minute; and a line for each program
 * that failed. Ends it when this JVM is told to end.
 */
final class SoakDisplay implements Soak.Listener, AutoCloseable {
  private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

  private final PrintWriter out;
  private final PrintWriter err;
  private final Format format;
  private final boolean quiet;
  private final Duration time;
  private final StopRequest stop;
  private final Soak soak;
  private final ProgressDisplay bar;
  private Duration nextLine = BETWEEN_LINES;

  SoakDisplay(
      CommandLine command, CommonOptions options, Duration time, StopRequest stop, Soak soak) {
    this.out = command.getOut();
    this.err = command.getErr();
    this.format = options.format();
    this.quiet = options.quiet();
    this.time = time;
    this.stop = stop;
    this.soak = soak;
    bar = ProgressDisplay.of(quiet);
    bar.steps(1);
  }

  @Override
  public void progress(Soak.Report soFar) {
    if (stop.isTold()) {
      soak.stop();
    }
    bar.start(SoakReport.progress(soFar));
    bar.update((double) soFar.time().toMillis() / Math.max(1, time.toMillis()));
    if (!quiet && !bar.isVisible() && soFar.time().compareTo(nextLine) >= 0) {
      nextLine = nextLine.plus(BETWEEN_LINES);
      err.println("gleaner: " + SoakReport.progress(soFar));
    }
  }

  @Override
  public void found(Soak.Found found, @Nullable Path file) {
    if (format == Format.TABLE) {
      out.println(SoakReport.line(found));
    }
    if (file != null) {
      err.println("gleaner: wrote " + file);
    }
  }

  /** Prints what was done. */
  void summarize(Soak.Report report) {
    bar.close();
    switch (format) {
      case TABLE -> SoakReport.text(report).forEach(out::println);
      case JSON -> out.println(SoakReport.json(report));
      case CSV -> SoakReport.csv(report).forEach(out::println);
    }
    out.flush();
  }

  @Override
  public void close() {
    bar.close();
  }
}
