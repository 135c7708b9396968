package dev.gleaner.lab;

import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.ComparisonCsv;
import dev.gleaner.lab.output.ComparisonJson;
import dev.gleaner.lab.output.ComparisonTable;
import dev.gleaner.lab.output.Condition;
import dev.gleaner.lab.output.Format;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.Units;
import dev.gleaner.lab.output.Words;
import dev.gleaner.lab.report.HtmlReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs workloads under several collectors, each in a JVM of its own, and shows their meters. */
@Command(
    name = "compare",
    description =
        "Run a workload under several collectors, each in a JVM of its own, and show their meters"
            + " side by side. Without options: gcbench under all collectors and on plain Java"
            + " objects.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner compare",
      "      all collectors and plain Java objects on gcbench",
      "  gleaner compare --collector marksweep,hybrid --workload churn:slots=100_000 --runs 5",
      "      two collectors on a workload, the median of five runs",
      "  gleaner compare --collector refcount --workload cycles --fail-if 'left>0'",
      "      status 1 if the collector leaks",
      "  gleaner compare --heap-dump app.hprof --max-memory 2g --format json",
      "      all collectors on the object graph of a real program",
      "  gleaner compare --lua life.lua 100",
      "      all collectors on a Lua script with its argument"
    },
    sortOptions = false)
final class CompareCommand implements Callable<Integer> {
  private static final String DEFAULT_WORKLOAD = "gcbench";
  private static final int USUAL_RUNS = 5;
  private static final Path DEFAULT_REPORT = Path.of("gleaner-report.html");

  /** What shells can complete after {@code --baseline}. */
  static final class Baselines extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Baselines() {
      super(List.of(WorkerRequest.JVM));
    }
  }

  @Mixin private CollectorOption collectors;

  @Option(
      names = "--workload",
      paramLabel = "NAME[:key=value,...]",
      description = "A workload with its parameters; may be repeated; default: gcbench.")
  private List<String> workloads = new ArrayList<>();

  @Mixin private WorkloadFiles files;

  @Mixin private MemoryLimit limit;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Runs of each, in turns; default: 5, and more until --up-to.")
  private @Nullable Integer givenRuns;

  @Option(
      names = "--up-to",
      paramLabel = "TIME",
      description =
          "How long a workload may go on with more runs, until it is decided who is the fastest,"
              + " such as 5m; default: 1m, with --runs 0s.")
  private @Nullable String upTo;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "0",
      description = "Runs before those; default: ${DEFAULT-VALUE}.")
  private int warmup;

  @Option(
      names = "--baseline",
      paramLabel = "jvm",
      completionCandidates = Baselines.class,
      description =
          "Also the same workload on plain Java objects, with all the memory that they like, and"
              + " held to what the leanest and the median collector needed; default: only if"
              + " neither collectors nor workloads are named.")
  private @Nullable String baseline;

  @Option(
      names = "--report",
      paramLabel = "FILE.html",
      description =
          "Where to write the report with charts; default: gleaner-report.html with a table, none"
              + " with other formats.")
  private @Nullable Path report;

  @Option(
      names = "--fail-if",
      paramLabel = "CONDITION",
      description =
          "Status 1 if this holds for the figures of a collector, such as"
              + " 'semispace.pause.p99 > 5ms' or 'left > 0'; may be repeated; default: none.")
  private List<String> failIf = new ArrayList<>();

  @Parameters(
      paramLabel = "ARGS",
      arity = "0..*",
      description = "With --lua: the script's arguments; -- before those that begin with -.")
  private List<String> arguments = new ArrayList<>();

  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  CompareCommand() {}

  @Override
  public Integer call() {
    check();
    String usual = givenRuns == null ? "1m" : "0s";
    Duration goesOn = Settings.time("--up-to", upTo == null ? usual : upTo);
    boolean table = common.format() == Format.TABLE;
    ReportFile file = report != null || table ? ReportFile.of(report, DEFAULT_REPORT) : null;
    Settings settings = common.settings(limit.size());
    Installed installed = new Installed(settings);
    PrintWriter err = spec.commandLine().getErr();
    installed.problems().forEach(err::println);
    List<Contender> contenders = new ArrayList<>(installed.select(collectors.names()));
    List<WorkloadSpec> specs = specs();
    if (baseline != null || nothingSelected()) {
      contenders.add(Contender.jvm());
    }
    List<Condition> conditions = failIf.stream().map(text -> condition(text, contenders)).toList();
    Tournament tournament =
        new Tournament(installed, settings, runs(), warmup, Machine.current(), err::println)
            .goingOn(goesOn);
    List<Comparison> comparisons;
    try (ProgressDisplay progress = ProgressDisplay.of(common.quiet())) {
      if (progress.isVisible()) {
        err.println(plan(specs, contenders, goesOn));
      }
      comparisons = tournament.run(specs, contenders, progress);
    }
    print(comparisons);
    if (file != null) {
      String written =
          file.write(() -> HtmlReport.of(comparisons, ZonedDateTime.now(ZoneOffset.UTC)));
      if (table) {
        spec.commandLine().getOut().println("\n" + written);
      }
    }
    List<String> met =
        conditions.stream().flatMap(condition -> condition.met(comparisons).stream()).toList();
    met.forEach(line -> err.println("gleaner: --fail-if " + line));
    return met.isEmpty() && comparisons.stream().allMatch(Comparison::ok) ? 0 : ExitStatus.FAILED;
  }

  /** Says what is to come: how long a run takes is known only when the first are over. */
  private String plan(List<WorkloadSpec> specs, List<Contender> contenders, Duration goesOn) {
    String each =
        "%s of %s under %s, in turns"
            .formatted(
                Words.count(warmup + runs(), "run"),
                Words.and(specs.stream().map(spec -> spec.workload().name()).toList()),
                Words.and(contenders.stream().map(Contender::name).toList()));
    return goesOn.isZero()
        ? each + "."
        : each
            + "; then more, for up to %s a workload, until it is decided who is the fastest."
                .formatted(Units.seconds((double) goesOn.toSeconds()));
  }

  private Condition condition(String text, List<Contender> contenders) {
    Condition condition;
    try {
      condition = Condition.parse(text);
    } catch (IllegalArgumentException e) {
      throw new RequestException("--fail-if \"%s\": %s".formatted(text, e.getMessage()), e);
    }
    String name = condition.collector();
    if (name != null && contenders.stream().noneMatch(c -> c.name().equals(name))) {
      throw wrong(
          "--fail-if \"%s\": %s is not compared; there are %s"
              .formatted(
                  text,
                  name,
                  String.join(", ", contenders.stream().map(Contender::name).toList())));
    }
    return condition;
  }

  private boolean nothingSelected() {
    return collectors.names().isEmpty() && workloads.isEmpty() && files.isEmpty();
  }

  private List<WorkloadSpec> specs() {
    List<WorkloadSpec> specs =
        new ArrayList<>(workloads.stream().map(WorkloadSpec::parse).toList());
    specs.addAll(files.specs(arguments));
    if (specs.isEmpty()) {
      specs.add(WorkloadSpec.parse(DEFAULT_WORKLOAD));
    }
    return specs;
  }

  private int runs() {
    return givenRuns == null ? USUAL_RUNS : givenRuns;
  }

  private void check() {
    if (runs() < 1) {
      throw wrong("--runs " + runs() + ": at least 1");
    }
    if (warmup < 0) {
      throw wrong("--warmup " + warmup + ": at least 0");
    }
    if (baseline != null && !baseline.equals(WorkerRequest.JVM)) {
      throw wrong("--baseline " + baseline + ": there is only " + WorkerRequest.JVM);
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private void print(List<Comparison> comparisons) {
    PrintWriter out = spec.commandLine().getOut();
    switch (common.format()) {
      case JSON -> out.println(ComparisonJson.text(comparisons));
      case CSV -> ComparisonCsv.lines(comparisons).forEach(out::println);
      case TABLE -> {
        comparisons.getFirst().machine().lines(Terminal.columns()).forEach(out::println);
        for (Comparison comparison : comparisons) {
          out.println();
          ComparisonTable.print(out, comparison, Terminal.columns());
        }
      }
    }
  }
}
