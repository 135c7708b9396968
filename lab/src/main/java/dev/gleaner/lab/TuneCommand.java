package dev.gleaner.lab;

import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Format;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.SweepJson;
import dev.gleaner.lab.output.SweepTable;
import dev.gleaner.lab.report.SweepReport;
import dev.gleaner.lab.tune.Finals;
import dev.gleaner.lab.tune.Journal;
import dev.gleaner.lab.tune.MergedJournals;
import dev.gleaner.lab.tune.Shard;
import dev.gleaner.lab.tune.Sweep;
import dev.gleaner.lab.tune.SweepResult;
import dev.gleaner.lab.tune.TradeOff;
import dev.gleaner.lab.tune.Trial;
import dev.gleaner.lab.tune.Tuning;
import dev.gleaner.settings.Quantities;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
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
    versionProvider = Version.class,
    footer = {
      "  gleaner tune --collector hybrid --trace my.trace",
      "      MULT and ADD of hybrid on your own program, which recorded my.trace",
      "  gleaner tune --collector marksweep --workload churn --mult 0.5,1,2 --max-memory 128m,256m",
      "      three MULTs under two limits",
      "  gleaner tune --collector hybrid --shard 2/4 --journal shared",
      "  gleaner tune --collector hybrid --merge shared",
      "      a quarter of the trials on this machine; the result, when all four are done",
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
  private static final String FINAL_JOURNAL = "gleaner-tune-final.jsonl";

  @Mixin private OneCollectorOption collector;

  @Option(
      names = "--workload",
      paramLabel = "NAME[:key=value,...]",
      description = "A workload with its parameters; default: gcbench.")
  private @Nullable String workload;

  @Mixin private WorkloadFiles files;

  /** Of a MULT, before the point or behind it. */
  private static final int MOST_DIGITS = 12;

  @Option(
      names = "--mult",
      paramLabel = "N,...",
      split = ",",
      hideParamSyntax = true,
      description = "The MULTs to try; default: 0.2, 0.5, 1, 2, 5 and 10 times the one in force.")
  private List<BigDecimal> mults = new ArrayList<>();

  @Option(
      names = "--add",
      paramLabel = "N,...",
      split = ",",
      hideParamSyntax = true,
      description = "The ADDs to try; default: 1024, 32768, 1048576.")
  private List<Long> adds = new ArrayList<>();

  @Option(
      names = "--max-memory",
      paramLabel = "SIZE,...",
      split = ",",
      hideParamSyntax = true,
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
      description =
          "The file, or the folder, where trials are kept that are done; default:"
              + " gleaner-tune.jsonl.")
  private @Nullable Path journal;

  @Option(
      names = "--final-runs",
      paramLabel = "N",
      defaultValue = "6",
      description =
          "Runs of each finalist in turns, the first of which does not count; 0 for no final;"
              + " default: ${DEFAULT-VALUE}.")
  private int finalRuns;

  @Option(
      names = "--shard",
      paramLabel = "I/N",
      description =
          "Do part I of N alone, such as 2/4; auto: as Slurm (SLURM_ARRAY_TASK_ID) or Kubernetes"
              + " (JOB_COMPLETION_INDEX, JOB_COMPLETION_COUNT) say; default: all.")
  private @Nullable String shard;

  @Option(
      names = "--merge",
      paramLabel = "DIR",
      description =
          "Do no trial, take those of all shards from their journals in DIR; default: none.")
  private @Nullable Path merge;

  @Option(names = "--fresh", description = "Do all trials anew.")
  private boolean fresh;

  @Option(
      names = "--report",
      paramLabel = "FILE.html",
      description =
          "Where to write the report with the curve; default: gleaner-tune.html with a table, none"
              + " with other formats.")
  private @Nullable Path report;

  @Parameters(
      paramLabel = "ARGS",
      arity = "0..*",
      description = "With --lua: the script's arguments; -- before those that begin with -.")
  private List<String> arguments = new ArrayList<>();

  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  TuneCommand() {}

  @Override
  public Integer call() {
    if (runs < 1) {
      throw wrong("--runs " + runs + ": at least 1");
    }
    if (finalRuns != 0 && finalRuns < Finals.FEWEST_RUNS) {
      throw wrong("--final-runs %d: 0, or at least %d".formatted(finalRuns, Finals.FEWEST_RUNS));
    }
    if (merge != null && shard != null) {
      throw wrong("--shard and --merge: one after the other");
    }
    if (merge != null && !Files.isDirectory(merge)) {
      throw wrong("--merge " + merge + ": no such folder");
    }
    Settings settings = common.settings(null);
    Installed installed = new Installed(settings);
    PrintWriter err = spec.commandLine().getErr();
    installed.problems().forEach(err::println);
    Contender contender = contender(installed);
    WorkloadSpec subject = subject();
    TradeOff.Limits wanted = wanted();
    List<Tuning> tunings = sweep(installed, contender, subject).tunings();
    boolean table = common.format() == Format.TABLE;
    ReportFile file = report != null || table ? ReportFile.of(report, DEFAULT_REPORT) : null;
    for (Tuning tuning : tunings) { // all of them, before the first trial
      new Installed(settings.with(tuning.overrides(contender.name())))
          .factory(contender.name(), subject);
    }
    TuneTrials trials = new TuneTrials(settings, contender, subject, runs, err::println);
    Shard part = part();
    try {
      if (part != null && journal != null) {
        Files.createDirectories(journal);
      }
      Path kept = journal(part);
      Journal done = fresh ? Journal.empty(kept) : Journal.read(kept);
      if (done.unreadable() > 0) {
        err.println(
            "gleaner: %s: %d lines are no trials, so those are done again"
                .formatted(kept, done.unreadable()));
      }
      if (part != null) {
        return doPart(trials, tunings, part, done);
      }
      List<Trial> all =
          merge == null ? run(trials, tunings, done) : merged(trials, tunings, merge, err);
      if (all == null) {
        return ExitStatus.FAILED;
      }
      List<Trial> distinct = Trial.distinct(all);
      SweepResult result =
          SweepResult.of(
              contender.name(),
              contender.version(),
              subject.workload().name(),
              subject.parameters().values(),
              Machine.current(),
              wanted,
              distinct,
              finals(trials, distinct, wanted, done));
      print(result, file);
      return result.tradeOff().recommended() == null ? ExitStatus.FAILED : 0;
    } catch (IOException e) {
      String why = e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
      String option = merge == null ? "--journal " + journal(part) : "--merge " + merge;
      throw new RequestException(option + ": " + why, e);
    }
  }

  private List<Trial> run(TuneTrials trials, List<Tuning> tunings, Journal done) {
    try (ProgressDisplay progress = ProgressDisplay.of(common.quiet())) {
      progress.steps(tunings.size());
      return trials.run(tunings, done, progress);
    }
  }

  private Contender contender(Installed installed) {
    return collector.selected(installed, "one at a time is tuned");
  }

  private WorkloadSpec subject() {
    List<WorkloadSpec> specs = new ArrayList<>(files.specs(arguments));
    if (workload != null || specs.isEmpty()) {
      specs.add(WorkloadSpec.parse(workload == null ? DEFAULT_WORKLOAD : workload));
    }
    if (specs.size() > 1) {
      throw wrong("--workload, --trace, --heap-dump and --lua: one at a time is tuned for");
    }
    return specs.getFirst();
  }

  private Sweep sweep(Installed installed, Contender contender, WorkloadSpec subject) {
    for (BigDecimal mult : mults) {
      if (mult.signum() < 0 || mult.scale() > MOST_DIGITS || digits(mult) > MOST_DIGITS) {
        throw wrong("--mult " + mult + ": a number from 0 on, such as 0.5, of few digits");
      }
    }
    List<BigDecimal> tried =
        mults.isEmpty() ? Sweep.around(multInForce(installed, contender, subject)) : mults;
    return new Sweep(tried, adds.isEmpty() ? Sweep.ADDS : adds, limits);
  }

  /** How many digits it has before the point; written out they might be a thousand million. */
  private static long digits(BigDecimal number) {
    return (long) number.precision() - number.scale();
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
    Long peak = peakBelow == null ? null : Quantities.bytes(peakBelow);
    Long pause = pauseBelow == null ? null : Quantities.nanos(pauseBelow);
    if (peakBelow != null && (peak == null || peak < 0)) {
      throw wrong("--peak-below " + peakBelow + ": a size such as 64m");
    }
    if (pauseBelow != null && (pause == null || pause < 0)) {
      throw wrong("--pause-below " + pauseBelow + ": a time such as 5ms");
    }
    return new TradeOff.Limits(peak, pause == null ? null : pause / 1e9);
  }

  /** Returns the part of the sweep that is asked for; null for all of it. */
  private @Nullable Shard part() {
    if (shard == null) {
      return null;
    }
    try {
      return Shard.parse(shard, System.getenv());
    } catch (IllegalArgumentException e) {
      throw wrong("--shard " + shard + ": " + e.getMessage());
    }
  }

  private Path journal(@Nullable Shard part) {
    if (merge != null) {
      return journal == null ? merge.resolve(FINAL_JOURNAL) : journal;
    }
    Path given = journal == null ? Path.of("") : journal;
    Path own = part == null ? DEFAULT_JOURNAL : Path.of(part.fileName());
    return journal == null || part != null || Files.isDirectory(journal)
        ? given.resolve(own)
        : journal;
  }

  private Integer doPart(TuneTrials trials, List<Tuning> tunings, Shard part, Journal done)
      throws IOException {
    done.begin(part);
    List<Trial> own;
    try (ProgressDisplay progress = ProgressDisplay.of(common.quiet())) {
      List<Tuning> mine = part.of(tunings);
      progress.steps(mine.size());
      own = trials.run(mine, done, progress);
    }
    long lost =
        own.stream().filter(trial -> trial.runs().stream().anyMatch(RunResult::isLost)).count();
    spec.commandLine()
        .getOut()
        .println(
            "shard %s: %d of %d trials are in %s%nwhen all shards are done: --merge %s"
                .formatted(
                    part,
                    own.size() - lost,
                    tunings.size(),
                    journal(part),
                    Objects.requireNonNullElse(journal(part).getParent(), Path.of("."))));
    return lost == 0 ? 0 : ExitStatus.FAILED;
  }

  /** Returns the trials of all shards; null if there are not all, which is said. */
  private @Nullable List<Trial> merged(
      TuneTrials trials, List<Tuning> tunings, Path folder, PrintWriter err) throws IOException {
    MergedJournals journals = MergedJournals.read(folder);
    List<String> keys = trials.keys(tunings);
    List<String> missing = journals.missing(keys);
    (missing.isEmpty() ? journals.remarks(keys) : missing)
        .forEach(line -> err.println("gleaner: " + line));
    return missing.isEmpty() ? trials.merged(tunings, journals) : null;
  }

  private @Nullable Finals finals(
      TuneTrials trials, List<Trial> tried, TradeOff.Limits wanted, Journal done) {
    List<Trial> finalists = finalRuns == 0 ? List.of() : Finals.choose(tried, wanted);
    if (finalists.isEmpty()) {
      return null;
    }
    try (ProgressDisplay progress = ProgressDisplay.of(common.quiet())) {
      return Finals.of(trials.inTurns(finalists, finalRuns, done, progress), wanted);
    }
  }

  private void print(SweepResult result, @Nullable ReportFile file) {
    PrintWriter out = spec.commandLine().getOut();
    switch (common.format()) {
      case JSON -> out.println(SweepJson.text(result));
      case CSV -> SweepJson.csv(result).forEach(out::println);
      case TABLE -> {
        result.machine().lines(Terminal.columns()).forEach(out::println);
        out.println();
        SweepTable.lines(result, Terminal.columns()).forEach(out::println);
      }
    }
    if (file != null) {
      String written = file.write(() -> SweepReport.of(result, ZonedDateTime.now(ZoneOffset.UTC)));
      if (common.format() == Format.TABLE) {
        out.println("\n" + written);
      }
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
