package dev.gleaner.lab;

import java.io.Console;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * A progress bar on the standard error over all that is to be done, where this is a terminal; else
 * nothing.
 */
final class ProgressDisplay implements AutoCloseable {
  private static final int PARTS = 1000;
  private static final int WIDTH = Math.min(100, Terminal.columns());

  /** The most characters of what is being done: the bar and its figures need the rest. */
  private static final int MESSAGE = WIDTH - 55;

  private final boolean visible;
  private @Nullable ProgressBar bar;
  private int finished;

  private ProgressDisplay(boolean visible) {
    this.visible = visible;
  }

  /** Returns one that is shown on a terminal, unless it is to be quiet. */
  @SuppressWarnings("SystemConsoleNull") // it may be, again, from JDK 25 on
  static ProgressDisplay of(boolean quiet) {
    Console console = System.console();
    return new ProgressDisplay(!quiet && console != null && console.isTerminal());
  }

  boolean isVisible() {
    return visible;
  }

  /** Says how many steps there will be, such as runs, and shows the bar. */
  void steps(int count) {
    if (visible && count > 0) {
      bar =
          new ProgressBarBuilder()
              .setInitialMax((long) count * PARTS)
              .setUpdateIntervalMillis(200)
              .setStyle(ProgressBarStyle.ASCII)
              .setMaxRenderedLength(WIDTH)
              .setUnit(" done", PARTS)
              .clearDisplayOnFinish()
              .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
              .build();
    }
  }

  /** A step starts. */
  void start(String what) {
    if (bar != null) {
      bar.setExtraMessage(shortened(what, MESSAGE));
    }
  }

  static String shortened(String what, int most) {
    return what.length() <= most ? what : what.substring(0, Math.max(most - 1, 0)) + "…";
  }

  /** The step has done this much, from 0 to 1. */
  void update(double fraction) {
    if (bar != null) {
      bar.stepTo((long) ((finished + Math.clamp(fraction, 0, 1)) * PARTS));
    }
  }

  /** The step is over. */
  void finish() {
    update(1);
    finished++;
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }
}
