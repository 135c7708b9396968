package dev.gleaner.lab;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs workloads under contenders, one worker after the other so that they do not disturb each
 * other.
 *
 * <p>Every configuration is checked before the first worker starts. A contender whose worker fails
 * has a row like any other.
 */
final class Tournament {
  private final Installed installed;
  private final Settings settings;
  private final int runs;
  private final int warmup;
  private final Machine machine;
  private final Consumer<String> errors;
  private List<String> startup = List.of();

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

  /** One worker to come. */
  private record Match(WorkloadSpec spec, Contender contender) {}

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
    progress.workers(matches.stream().mapToInt(List::size).sum());
    List<String> remarks = new ArrayList<>();
    List<Comparison> comparisons = new ArrayList<>();
    for (int i = 0; i < specs.size(); i++) {
      WorkloadSpec spec = specs.get(i);
      List<Row> rows = new ArrayList<>();
      for (Match match : matches.get(i)) {
        progress.start(spec.workload().name() + " " + match.contender().name());
        rows.add(row(match, progress::update, remarks));
        progress.finish();
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
    Row row = row(match, progress, remarks);
    remarks.forEach(errors);
    return row;
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

  private Row row(Match match, DoubleConsumer progress, List<String> remarks) {
    Path gcLog = match.contender().isJvm() ? temporary() : null;
    try {
      List<String> flags = flags(match);
      Map<String, Object> settings = new LinkedHashMap<>();
      if (!match.contender().isJvm()) {
        settings.put("gleaner", installed.settingsOf(match.contender().name(), match.spec()));
      }
      settings.put("jvm", List.copyOf(flags));
      if (gcLog != null) {
        flags.add(JvmFlags.gcLog(gcLog));
      }
      WorkerProcess.Outcome outcome = new WorkerProcess(request(match, gcLog), flags).run(progress);
      outcome
          .errors()
          .lines()
          .map(line -> match.contender().name() + ": " + line)
          .forEach(remarks::add);
      return new Row(
          match.contender().name(),
          match.contender().version(),
          settings,
          inForce(match),
          outcome.runs());
    } finally {
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
        ? JvmFlags.forBaseline(baselineLimit(), startup)
        : JvmFlags.forCollector(
            match.spec().workload().jvmMemory(match.spec().parameters()), startup);
  }

  private WorkerRequest request(Match match, @Nullable Path gcLog) {
    return new WorkerRequest(
        match.contender().name(),
        match.spec().workload().name(),
        match.spec().given(),
        runs,
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
    return config.getMemorySize("gleaner.memory.max").toBytes();
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
