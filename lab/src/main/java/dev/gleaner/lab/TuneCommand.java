package dev.gleaner.lab;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigRenderOptions;
import dev.gleaner.lab.hprof.HeapDump;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.SweepJson;
import dev.gleaner.lab.output.SweepTable;
import dev.gleaner.lab.report.SweepReport;
import dev.gleaner.lab.tune.Journal;
import dev.gleaner.lab.tune.Sweep;
import dev.gleaner.lab.tune.SweepResult;
import dev.gleaner.lab.tune.TradeOff;
import dev.gleaner.lab.tune.Trial;
import dev.gleaner.lab.tune.Tuning;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Tries settings of one collector on one workload, and recommends some. */
@Command(
    name = "tune",
    description =
        "Try a collector's MULT and ADD, and limits of memory, on a workload or on the trace of"
            + " your own program; show time against memory, and print the settings to paste. What"
            + " is done is kept in a file, so that a sweep that was broken off goes on where it"
            + " was.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    footer = {
      "  gleaner tune --collector hybrid --trace my.trace",
      "      MULT and ADD of hybrid on your own program, which recorded my.trace",
      "  gleaner tune --collector marksweep --workload churn --mult 0.5,1,2 --max-memory 128m,256m",
      "      three MULTs under two limits",
      "  gleaner tune --collector marksweep --pause-below 5ms",
      "      recommends the fastest settings whose pauses are no longer than that"
    },
    exitCodeList = {
      "0:done",
      "1:no trial is within the limits, or none came to its end",
      "2:the request was wrong; the message says what would be right"
    },
    sortOptions = false)
final class TuneCommand implements Callable<Integer> {
  private static final String DEFAULT_WORKLOAD = "gcbench";
  private static final Path DEFAULT_REPORT = Path.of("gleaner-tune.html");
  private static final Path DEFAULT_JOURNAL = Path.of("gleaner-tune.jsonl");

  @Option(
      names = "--collector",
      paramLabel = "NAME",
      description = "The collector; default: the one that the settings name.")
  private @Nullable String collector;

  @Option(
      names = "--workload",
      paramLabel = "NAME[:key=value,...]",
      description = "A workload with its parameters; default: gcbench.")
  private @Nullable String workload;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "The heap operations of your own program in place of a workload; default: none.")
  private @Nullable Path trace;

  @Option(
      names = "--heap-dump",
      paramLabel = "FILE.hprof",
      description = "The object graph of a JVM's heap dump in place of a workload; default: none.")
  private @Nullable Path heapDump;

  @Option(
      names = "--mult",
      paramLabel = "N,...",
      split = ",",
      description = "The MULTs to try; default: 0.2, 0.5, 1, 2, 5 and 10 times the one in force.")
  private List<BigDecimal> mults = new ArrayList<>();

  @Option(
      names = "--add",
      paramLabel = "N,...",
      split = ",",
      description = "The ADDs to try; default: 1024, 32768, 1048576.")
  private List<Long> adds = new ArrayList<>();

  @Option(
      names = "--max-memory",
      paramLabel = "SIZE,...",
      split = ",",
      description =
          "The limits of the heap to try, in bytes, such as 64m,256m; default: the one in force.")
  private List<String> limits = new ArrayList<>();

  @Option(
      names = "--peak-below",
      paramLabel = "SIZE",
      description =
          "Recommend the fastest that never has more bytes in use, such as 64m; default: any.")
  private @Nullable String peakBelow;

  @Option(
      names = "--pause-below",
      paramLabel = "TIME",
      description = "Recommend the fastest whose pauses are no longer, such as 5ms; default: any.")
  private @Nullable String pauseBelow;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "3",
      description = "Runs of each trial, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = "--journal",
      paramLabel = "FILE",
      description = "Where trials are kept that are done; default: gleaner-tune.jsonl.")
  private Path journal = DEFAULT_JOURNAL;

  @Option(names = "--fresh", description = "Do all trials anew.")
  private boolean fresh;

  @Option(
      names = "--report",
      paramLabel = "FILE.html",
      description = "Where to write the report with the curve; default: gleaner-tune.html.")
  private @Nullable Path report;

  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  TuneCommand() {}

  @Override
  public Integer call() {
    if (runs < 1) {
      throw wrong("--runs " + runs + ": at least 1");
    }
    Settings settings = common.settings(null);
    Installed installed = new Installed(settings);
    PrintWriter err = spec.commandLine().getErr();
    installed.problems().forEach(err::println);
    Contender contender = contender(installed);
    WorkloadSpec subject = subject();
    TradeOff.Limits wanted = wanted();
    List<Tuning> tunings = sweep(installed, contender, subject).tunings();
    ReportFile file = ReportFile.of(report, DEFAULT_REPORT);
    for (Tuning tuning : tunings) { // all of them, before the first trial
      new Installed(settings.with(tuning.overrides(contender.name())))
          .factory(contender.name(), subject);
    }
    List<Trial> trials = trials(settings, contender, subject, tunings, err);
    SweepResult result =
        SweepResult.of(
            contender.name(),
            contender.version(),
            subject.workload().name(),
            subject.parameters().values(),
            Machine.current(),
            wanted,
            trials);
    print(result, file);
    return result.tradeOff().recommended() == null ? Main.FAILED : 0;
  }

  private Contender contender(Installed installed) {
    String name = collector == null ? installed.configuredCollector() : collector;
    List<Contender> selected = installed.select(List.of(name));
    if (selected.size() != 1) {
      throw wrong("--collector " + name + ": one at a time is tuned");
    }
    return selected.getFirst();
  }

  private WorkloadSpec subject() {
    if (Stream.of(workload, trace, heapDump).filter(Objects::nonNull).count() > 1) {
      throw wrong("--workload, --trace and --heap-dump: one at a time is tuned for");
    }
    if (trace != null) {
      return TraceFiles.spec(trace);
    }
    return heapDump == null
        ? WorkloadSpec.parse(workload == null ? DEFAULT_WORKLOAD : workload)
        : WorkloadSpec.of(new HeapDump(), Map.of(HeapDump.FILE, heapDump.toString()));
  }

  private Sweep sweep(Installed installed, Contender contender, WorkloadSpec subject) {
    List<BigDecimal> tried =
        mults.isEmpty() ? Sweep.around(multInForce(installed, contender, subject)) : mults;
    return new Sweep(tried, adds.isEmpty() ? Sweep.ADDS : adds, limits);
  }

  private static BigDecimal multInForce(
      Installed installed, Contender contender, WorkloadSpec subject) {
    return installed.inForce(contender.name(), subject).stream()
        .filter(setting -> setting.path().equals("gleaner.voluntary.mult"))
        .map(setting -> new BigDecimal(setting.value()))
        .findFirst()
        .orElseThrow();
  }

  private TradeOff.Limits wanted() {
    Long peak = null;
    Double pause = null;
    try {
      if (peakBelow != null) {
        peak = ConfigFactory.parseMap(Map.of("size", peakBelow)).getMemorySize("size").toBytes();
      }
      if (pauseBelow != null) {
        Duration time = ConfigFactory.parseMap(Map.of("time", pauseBelow)).getDuration("time");
        pause = time.toNanos() / 1e9;
      }
    } catch (ConfigException e) {
      throw wrong(
          "--peak-below is a size such as 64m, --pause-below a time such as 5ms: "
              + e.getMessage());
    }
    return new TradeOff.Limits(peak, pause);
  }

  private List<Trial> trials(
      Settings settings,
      Contender contender,
      WorkloadSpec subject,
      List<Tuning> tunings,
      PrintWriter err) {
    try (ProgressDisplay progress = ProgressDisplay.of(common.quiet())) {
      Journal done = fresh ? Journal.empty(journal) : Journal.read(journal);
      if (done.unreadable() > 0) {
        err.println(
            "gleaner: %s: %d lines are no trials, so those are done again"
                .formatted(journal, done.unreadable()));
      }
      progress.steps(tunings.size());
      List<Trial> trials = new ArrayList<>();
      for (Tuning tuning : tunings) {
        Settings tuned = settings.with(tuning.overrides(contender.name()));
        String key = key(tuned, contender, subject);
        List<RunResult> known = done.runs(key);
        progress.start(tuning.text());
        if (known == null) {
          known =
              new Tournament(new Installed(tuned), tuned, runs, 0, Machine.current(), err::println)
                  .run(subject, contender, progress::update)
                  .runs();
          keep(done, key, known);
        }
        progress.finish();
        trials.add(new Trial(tuning, known));
      }
      return trials;
    } catch (IOException e) {
      String why = e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
      throw new RequestException("--journal " + journal + ": " + why, e);
    }
  }

  /** Keeps what another try would not find otherwise. */
  private void keep(Journal done, String key, List<RunResult> runs) {
    if (runs.stream().noneMatch(RunResult::isLost)) {
      try {
        done.add(key, runs);
      } catch (IOException e) {
        throw new UncheckedIOException("--journal " + journal + ": " + e.getMessage(), e);
      }
    }
  }

  /** Returns all that the runs depend on: files count with their size and time. */
  private String key(Settings settings, Contender contender, WorkloadSpec subject) {
    StringBuilder key = new StringBuilder();
    key.append(contender.name()).append(' ').append(contender.version()).append(", ");
    key.append(subject.workload().name());
    subject
        .parameters()
        .values()
        .forEach((name, value) -> {
          key.append(' ').append(name).append('=').append(value).append(stamp(value));
        });
    key.append(", ").append(runs).append(" runs, ");
    key.append(Machine.current().text()).append(", ");
    return key.append(
            new Installed(settings)
                .config(contender.name(), subject)
                .root()
                .render(ConfigRenderOptions.concise()))
        .toString();
  }

  private static String stamp(String value) {
    try {
      Path file = Path.of(value);
      return Files.isRegularFile(file)
          ? "(" + Files.size(file) + " bytes of " + Files.getLastModifiedTime(file) + ")"
          : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InvalidPathException e) {
      return "";
    }
  }

  private void print(SweepResult result, ReportFile file) {
    PrintWriter out = spec.commandLine().getOut();
    String written = file.write(() -> SweepReport.of(result, ZonedDateTime.now(ZoneOffset.UTC)));
    switch (common.format()) {
      case JSON -> out.println(SweepJson.text(result));
      case CSV -> SweepJson.csv(result).forEach(out::println);
      case TABLE -> {
        out.println(result.machine().text());
        out.println();
        SweepTable.lines(result).forEach(out::println);
        out.println("\n" + written);
      }
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
