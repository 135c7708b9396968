package dev.gleaner.kit.oracle;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.trace.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Random programs without end, over collectors and settings.
 *
 * <pre>{@code
 * Soak.Report report = new Soak(List.of("mine"), ConfigFactory.empty(), List.of())
 *     .withSeed(1).lasting(Duration.ofMinutes(10)).writingTo(folder).run();
 * assertThat(report.failed()).isFalse();
 * }</pre>
 *
 * <p>A seed is a program for each collector: settings, length and steps. Seeds are counted up, and
 * eight neighbours share their settings. The same seed is the same program in the same build of the
 * kit, but for slices, which time ends.
 *
 * <p>A program that fails is made small and written to a folder, and the soak goes on. One that
 * hangs is written down as well, and ends the soak, because its thread cannot be ended.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Soak {
  private static final long TICK_MILLIS = 100;

  /**
   * What was done under one collector.
   *
   * @param programs that are over
   * @param operations of programs, those of finalizers not counted
   * @param failed programs
   */
  public record Count(long programs, long operations, long failed) {}

  /**
   * A program that failed.
   *
   * @param collector its collector
   * @param seed repeats it, with {@link #withSeed}
   * @param message what is wrong
   * @param scenario what is written: how to repeat it, what is wrong, a smaller program; empty if
   *     others that failed alike were
   * @param reproduces whether the smaller program, run as a scenario, failed too
   * @param like the first seed that failed alike, its own if it is that
   */
  public record Found(
      String collector,
      long seed,
      String message,
      String scenario,
      boolean reproduces,
      long like) {}

  /**
   * What was done so far, or in all.
   *
   * @param seed the one under way, or the first one not begun
   * @param counts by collector
   * @param time that it took
   */
  public record Report(long seed, Map<String, Count> counts, Duration time) {
    /** Copies. */
    public Report {
      counts = Collections.unmodifiableMap(new LinkedHashMap<>(counts));
    }

    /** {@return how many programs are over} */
    public long programs() {
      return counts.values().stream().mapToLong(Count::programs).sum();
    }

    /** {@return how many operations they did} */
    public long operations() {
      return counts.values().stream().mapToLong(Count::operations).sum();
    }

    /** {@return how many programs failed} */
    public long failures() {
      return counts.values().stream().mapToLong(Count::failed).sum();
    }

    /** {@return whether any program failed} */
    public boolean failed() {
      return failures() > 0;
    }
  }

  /** Is told of what happens, in the thread that runs the soak. */
  public interface Listener {
    /**
     * Comes ten times a second.
     *
     * @param soFar what was done
     */
    default void progress(Report soFar) {}

    /**
     * A program failed.
     *
     * @param found the program, and what it did
     * @param file where it was written, null if one that failed alike was
     */
    default void found(Found found, @Nullable Path file) {}
  }

  private final List<String> collectors;
  private final Config settings;
  private final List<ClassLoader> loaders;
  private long first = 42;
  private Duration time = Duration.ofSeconds(10);
  private Duration patience = Duration.ofMinutes(1);
  private Path folder = Path.of("gleaner-failures");
  private volatile boolean stopped;

  /**
   * Prepares a soak of ten seconds.
   *
   * @param collectors their names
   * @param settings under {@code gleaner}, for what the soak does not set
   * @param loaders class loaders that lead to more collectors
   */
  public Soak(List<String> collectors, Config settings, List<ClassLoader> loaders) {
    this.collectors = List.copyOf(collectors);
    this.settings = settings;
    this.loaders = List.copyOf(loaders);
  }

  /**
   * Prepares one for a collector that is installed, under its default settings.
   *
   * @param collector its name
   * @return the soak
   */
  public static Soak of(String collector) {
    return new Soak(List.of(collector), ConfigFactory.empty(), List.of());
  }

  /**
   * Begins with another program than number 42.
   *
   * @param seed the number of the first program
   * @return this soak
   */
  public Soak withSeed(long seed) {
    first = seed;
    return this;
  }

  /**
   * Begins no seed after this time; the first is always run.
   *
   * @param duration any
   * @return this soak
   */
  public Soak lasting(Duration duration) {
    time = duration;
    return this;
  }

  /**
   * Takes a program for one that hangs if it does no operation for so long; a minute otherwise.
   *
   * @param duration more than 0
   * @return this soak
   */
  public Soak withPatience(Duration duration) {
    patience = duration;
    return this;
  }

  /**
   * Writes programs that failed to this folder; {@code gleaner-failures} otherwise.
   *
   * @param where the folder, which is made if need be
   * @return this soak
   */
  public Soak writingTo(Path where) {
    folder = where;
    return this;
  }

  /** Ends it after the program at hand; from any thread. */
  public void stop() {
    stopped = true;
  }

  /**
   * Runs it without telling anybody.
   *
   * @return what was done
   */
  public Report run() {
    return run(new Listener() {});
  }

  /**
   * Runs it.
   *
   * @param listener is told while it runs
   * @return what was done
   * @throws dev.gleaner.settings.ConfigurationException if no heap can be opened with the settings
   * @throws UncheckedIOException if a program that failed cannot be written
   */
  public Report run(Listener listener) {
    long start = System.nanoTime();
    long end = start + time.toNanos();
    SoakWorker worker =
        new SoakWorker(
            collectors,
            settings,
            loaders,
            first,
            seed -> seed == first || System.nanoTime() - end < 0);
    worker.start();
    try {
      watch(worker, listener, start);
    } finally {
      worker.end();
    }
    RuntimeException problem = worker.problem();
    if (problem != null) {
      throw problem;
    }
    return report(worker, start);
  }

  private void watch(SoakWorker worker, Listener listener, long start) {
    long beats = -1;
    long since = start;
    while (worker.isAlive()) {
      if (stopped) {
        worker.end();
      }
      try {
        worker.join(TICK_MILLIS);
      } catch (InterruptedException e) {
        stopped = true;
      }
      tell(worker.take(), listener);
      listener.progress(report(worker, start));
      long now = System.nanoTime();
      if (worker.beats() != beats) {
        beats = worker.beats();
        since = now;
      } else if (worker.isAlive() && now - since > patience.toNanos()) {
        tell(List.of(worker.hanging()), listener);
        return;
      }
    }
    tell(worker.take(), listener);
  }

  private void tell(List<Found> all, Listener listener) {
    for (Found found : all) {
      listener.found(found, found.scenario().isEmpty() ? null : write(found));
    }
  }

  private Path write(Found found) {
    Path file = folder.resolve(found.collector() + "-" + found.seed() + ".heap");
    try {
      Files.createDirectories(folder);
      WholeFile.write(file, found.scenario());
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }

  private static Report report(SoakWorker worker, long start) {
    return new Report(worker.seed(), worker.counts(), Duration.ofNanos(System.nanoTime() - start));
  }
}
