package dev.gleaner.lab;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.ComparisonVerdict;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Setting;
import dev.gleaner.settings.Quantities;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs workloads under contenders, each in a worker of its own. The workers take turns, a run each,
 * so that they do not disturb each other, and so that what disturbs the machine disturbs all.
 *
 * <p>Every configuration is checked before the first worker starts. A contender whose worker fails
 * has a row like any other.
 */
final class Tournament {
  /** How often the baseline is held to the memory of a collector, at most. */
  private static final int MOST_HELD = 2;

  /** The most runs of a tournament that goes on. */
  private static final int MOST_RUNS = 60;

  private final Installed installed;
  private final Settings settings;
  private final int runs;
  private final int warmup;
  private final Machine machine;
  private final Consumer<String> errors;
  private List<String> startup = List.of();
  private long goesOnNanos;

  /**
   * Prepares it.
   *
   * @param errors told, a line at a time, what workers say beside their results
   */
  Tournament(
      Installed installed,
      Settings settings,
      int runs,
      int warmup,
      Machine machine,
      Consumer<String> errors) {
    this.installed = installed;
    this.settings = settings;
    this.runs = runs;
    this.warmup = warmup;
    this.machine = machine;
    this.errors = errors;
  }

  /**
   * Lets it go on after its runs, until the time of every collector is decided against the fastest.
   *
   * @param most how long each workload may go on
   */
  Tournament goingOn(Duration most) {
    goesOnNanos = most.toNanos();
    return this;
  }

  /** One worker to come. */
  record Match(WorkloadSpec spec, Contender contender) {
    boolean isBaseline() {
      return contender.isJvm();
    }

    String text() {
      return spec.workload().name() + " " + contender.name();
    }
  }

  /**
   * Runs every workload under every contender that it has a version for.
   *
   * @throws RequestException if the settings cannot be read
   * @throws dev.gleaner.settings.ConfigurationException if the settings cannot be used
   */
  List<Comparison> run(
      List<WorkloadSpec> specs, List<Contender> contenders, ProgressDisplay progress) {
    List<List<Match>> matches = specs.stream().map(spec -> matches(spec, contenders)).toList();
    matches.forEach(each -> each.forEach(this::check));
    startup = StartupCache.flags();
    int held = matches.stream().flatMap(List::stream).anyMatch(Match::isBaseline) ? MOST_HELD : 0;
    progress.steps(matches.stream().mapToInt(each -> each.size() + held).sum() * (warmup + runs));
    List<String> remarks = new ArrayList<>();
    List<Comparison> comparisons = new ArrayList<>();
    for (int i = 0; i < specs.size(); i++) {
      WorkloadSpec spec = specs.get(i);
      List<Row> rows = new ArrayList<>(inTurns(matches.get(i), progress, remarks));
      if (matches.get(i).stream().anyMatch(Match::isBaseline)) {
        rows.addAll(inTurns(held(spec, rows), progress, remarks));
      }
      comparisons.add(
          new Comparison(spec.workload().name(), spec.parameters().values(), machine, rows));
    }
    progress.close();
    remarks.forEach(errors);
    return comparisons;
  }

  /**
   * Runs one workload under one contender.
   *
   * @throws RequestException if the settings cannot be read
   * @throws dev.gleaner.settings.ConfigurationException if the settings cannot be used
   */
  Row run(WorkloadSpec spec, Contender contender, DoubleConsumer progress) {
    Match match = new Match(spec, contender);
    check(match);
    startup = StartupCache.flags();
    List<String> remarks = new ArrayList<>();
    try (Started started = new Started(match)) {
      int all = warmup + runs;
      for (int i = 0; i < all; i++) {
        int done = i;
        boolean goesOn = started.worker.go(fraction -> progress.accept((done + fraction) / all));
        if (!goesOn) {
          break;
        }
      }
      Row row = started.row(remarks);
      remarks.forEach(errors);
      return row;
    }
  }

  /**
   * Starts a worker, for runs that take turns with those of other settings.
   *
   * @throws RequestException if the settings cannot be read
   * @throws dev.gleaner.settings.ConfigurationException if the settings cannot be used
   */
  Started enter(WorkloadSpec spec, Contender contender) {
    Match match = new Match(spec, contender);
    check(match);
    startup = StartupCache.flags();
    return new Started(match);
  }

  private List<Row> inTurns(List<Match> matches, ProgressDisplay progress, List<String> remarks) {
    List<Started> all = new ArrayList<>();
    try {
      for (Match match : matches) {
        all.add(new Started(match));
      }
      for (int turn = 0; turn < warmup + runs; turn++) {
        for (Started started : all) {
          progress.start(started.match.text());
          boolean _ = started.worker.go(progress::update);
          progress.finish();
        }
      }
      goOn(all, progress);
      List<Row> rows = new ArrayList<>();
      for (Started started : all) {
        rows.add(started.row(remarks));
      }
      return rows;
    } finally {
      all.forEach(Started::close);
    }
  }

  /** Every look may be wrong, so there are few: after two more runs, and then ever more. */
  private void goOn(List<Started> all, ProgressDisplay progress) {
    long start = System.nanoTime();
    int done = runs;
    while (done < MOST_RUNS && !isDecided(all)) {
      int next = Math.min(MOST_RUNS, done + Math.max(2, done / 2));
      for (; done < next; done++) {
        if (System.nanoTime() - start >= goesOnNanos) {
          return;
        }
        for (Started started : all) {
          long left = Math.max(0, goesOnNanos - (System.nanoTime() - start)) / 1_000_000_000;
          progress.start("to decide, up to " + left + " s more, " + started.match.text());
          boolean _ = started.worker.go(fraction -> {});
        }
      }
    }
  }

  /** What failed decides nothing, and more runs do not help. */
  private boolean isDecided(List<Started> all) {
    List<Row> rows = new ArrayList<>();
    for (Started started : all) {
      List<RunResult> results = started.worker.results();
      if (goesOnNanos == 0 || results.size() < runs || !results.stream().allMatch(RunResult::ok)) {
        return true;
      }
      Contender contender = started.match.contender();
      rows.add(new Row(contender.name(), contender.version(), Map.of(), results));
    }
    return ComparisonVerdict.isDecided(rows);
  }

  /**
   * The baseline once more, held to the memory of the leanest collector and of the median one: with
   * all the memory that it likes a JVM hardly collects. What they need is known only now.
   */
  private static List<Match> held(WorkloadSpec spec, List<Row> rows) {
    return ComparisonVerdict.leanAndMedianPeaks(rows).stream()
        .map(Contender::jvmHeldTo)
        .distinct()
        .map(contender -> new Match(spec, contender))
        .toList();
  }

  private List<Match> matches(WorkloadSpec spec, List<Contender> contenders) {
    List<Match> matches = new ArrayList<>();
    for (Contender contender : contenders) {
      if (contender.isJvm() && spec.workload().baseline() == null) {
        errors.accept(
            "gleaner: %s has no version on plain Java objects, so no row for the baseline"
                .formatted(spec.workload().name()));
      } else {
        matches.add(new Match(spec, contender));
      }
    }
    return matches;
  }

  private void check(Match match) {
    try {
      if (match.contender().isJvm()) {
        baselineLimit();
      } else {
        installed.factory(match.contender().name(), match.spec());
      }
    } catch (IllegalArgumentException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    } catch (ConfigException e) {
      throw new RequestException("--max-memory: " + e.getMessage(), e);
    }
  }

  /** A worker at work, and the file that it writes. */
  final class Started implements AutoCloseable {
    final Match match;
    final WorkerProcess worker;
    private final Map<String, Object> inUse = new LinkedHashMap<>();
    private final @Nullable Path gcLog;

    Started(Match match) {
      this.match = match;
      List<String> flags = flags(match);
      if (!match.contender().isJvm()) {
        inUse.put("gleaner", installed.settingsOf(match.contender().name(), match.spec()));
      }
      inUse.put("jvm", List.copyOf(flags));
      gcLog = match.contender().isJvm() ? temporary() : null;
      if (gcLog != null) {
        flags.add(JvmFlags.gcLog(gcLog));
      }
      worker = new WorkerProcess(request(match, gcLog), flags);
    }

    Row row(List<String> remarks) {
      WorkerProcess.Outcome outcome = worker.end();
      boolean starved =
          match.contender().held() != null
              && outcome.errors().contains(OutOfMemoryError.class.getSimpleName());
      (starved ? "" : outcome.errors())
          .lines()
          .map(line -> match.contender().name() + ": " + line)
          .forEach(remarks::add);
      return new Row(
          match.contender().name(),
          match.contender().version(),
          inUse,
          inForce(match),
          starved ? outcome.runs().stream().map(Started::starved).toList() : outcome.runs());
    }

    /** The worker itself had no memory left: so had the run. */
    private static RunResult starved(RunResult run) {
      return run.isLost()
          ? new RunResult(RunResult.OUT_OF_MEMORY, null, run.figures(), run.extras())
          : run;
    }

    @Override
    public void close() {
      worker.close();
      delete(gcLog);
    }
  }

  private List<Setting> inForce(Match match) {
    return match.contender().isJvm()
        ? List.of()
        : installed.inForce(match.contender().name(), match.spec());
  }

  private List<String> flags(Match match) {
    return match.contender().isJvm()
        ? JvmFlags.forBaseline(
            match.contender().held() == null ? baselineLimit() : match.contender().held(), startup)
        : JvmFlags.forCollector(
            match.spec().workload().jvmMemory(match.spec().parameters()), startup);
  }

  private WorkerRequest request(Match match, @Nullable Path gcLog) {
    return new WorkerRequest(
        match.contender().workerName(),
        match.spec().workload().name(),
        match.spec().given(),
        goesOnNanos == 0 ? runs : Math.max(runs, MOST_RUNS),
        warmup,
        settings,
        gcLog);
  }

  /** Returns the limit that was asked for, in bytes, or null. */
  private @Nullable Long baselineLimit() {
    String size = settings.maxMemory();
    if (size == null) {
      return null;
    }
    Config config = settings.config(WorkerRequest.JVM, 0);
    Long bytes = Quantities.bytes(config.getString("gleaner.memory.max"));
    if (bytes == null || bytes <= 0) {
      throw new RequestException("--max-memory " + size + ": a size such as 64m");
    }
    return bytes;
  }

  private static Path temporary() {
    try {
      Path file = Files.createTempFile("gleaner-gc", ".log");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
