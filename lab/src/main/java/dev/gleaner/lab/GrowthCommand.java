package dev.gleaner.lab;

import dev.gleaner.lab.growth.GrowthClass;
import dev.gleaner.lab.growth.GrowthCurve;
import dev.gleaner.lab.output.Format;
import dev.gleaner.lab.output.GrowthTable;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.report.GrowthReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures how the peak of a program's memory grows with its size. */
@Command(
    name = "growth",
    description =
        "Run a program at several sizes n, and say how the peak of its memory grows: constant,"
            + " logarithmic, linear, or more.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner growth tail --n 10000,20000",
      "      a workload with a parameter n, under all collectors",
      "  gleaner growth loop.heap --collector framestack --fail-if logarithmic",
      "      a scenario with a line 'parameter n 1000'; status 1 unless its memory is constant",
      "  gleaner growth queue.lua --n 1000,2000,4000,8000",
      "      a Lua script, whose first argument is n"
    },
    exitCodeList = {
      "0:done",
      "1:a run failed, or --fail-if holds",
      "2:the request was wrong, such as a program without n"
    },
    sortOptions = false)
final class GrowthCommand implements Callable<Integer> {
  private static final Path DEFAULT_REPORT = Path.of("gleaner-growth.html");

  @Parameters(
      paramLabel = "FILE.heap|FILE.lua|WORKLOAD[:key=value,...]",
      description =
          "A scenario with a parameter n, a Lua script whose first argument is n, or a workload"
              + " with a parameter n.")
  private String program;

  @Option(
      names = "--n",
      paramLabel = "N,N...",
      defaultValue = "10000,20000",
      description =
          "Two sizes at least, the largest twice another one or more; default:"
              + " ${DEFAULT-VALUE}.")
  private String sizes;

  @Mixin private CollectorOption collectors;

  @Mixin private MemoryLimit limit;

  @Option(
      names = "--fail-if",
      paramLabel = "VERDICT",
      description =
          "Status 1 if memory grows so under a collector, or faster: logarithmic, linear or more;"
              + " default: none.")
  private @Nullable String failIf;

  @Option(
      names = "--peaks-alone",
      description =
          "Judge by the peaks alone: garbage that is kept while there is room counts as growth.")
  private boolean peaksAlone;

  @Option(
      names = "--report",
      paramLabel = "FILE.html",
      description =
          "Where to write the report with its chart; default: gleaner-growth.html with a table,"
              + " none with other formats.")
  private @Nullable Path report;

  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  GrowthCommand() {}

  @Override
  public Integer call() {
    List<Long> asked = sizes();
    GrowthClass worst = failIf == null ? null : verdict(failIf);
    boolean table = common.format() == Format.TABLE;
    ReportFile file = report != null || table ? ReportFile.of(report, DEFAULT_REPORT) : null;
    Installed installed = new Installed(common.settings(limit.size()));
    PrintWriter err = spec.commandLine().getErr();
    PrintWriter out = spec.commandLine().getOut();
    installed.problems().forEach(err::println);
    List<Contender> contenders = installed.select(collectors.names());
    GrowthPrograms measured = GrowthPrograms.of(program, installed);
    List<GrowthCurve.Program> programs = new ArrayList<>();
    for (Contender contender : contenders) { // all are checked before the first one runs
      programs.add(measured.under(contender.name(), asked.getLast()));
    }
    List<GrowthCurve> curves = new ArrayList<>();
    try (LogLines _ = LogLines.open(err);
        ProgressDisplay progress = ProgressDisplay.of(common.quiet())) {
      progress.steps(contenders.size());
      for (int i = 0; i < contenders.size(); i++) {
        Contender contender = contenders.get(i);
        progress.start(contender.name());
        curves.add(
            GrowthCurve.of(
                contender.name(), contender.version(), asked, !peaksAlone, programs.get(i)));
        progress.finish();
      }
    } catch (IllegalArgumentException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    }
    Machine machine = Machine.current();
    GrowthTable result = new GrowthTable(measured.title(), asked, curves);
    switch (common.format()) {
      case TABLE -> result.lines(Terminal.columns()).forEach(out::println);
      case JSON -> out.println(result.json(machine));
      case CSV -> result.csv().forEach(out::println);
    }
    if (file != null) {
      String written =
          file.write(() -> GrowthReport.of(result, machine, ZonedDateTime.now(ZoneOffset.UTC)));
      if (table) {
        out.println("\n" + written);
      }
    }
    return status(curves, worst, err);
  }

  private static int status(
      List<GrowthCurve> curves, @Nullable GrowthClass worst, PrintWriter err) {
    int status = 0;
    for (GrowthCurve curve : curves) {
      GrowthClass verdict = curve.verdict();
      if (verdict == null) {
        status = ExitStatus.FAILED;
      } else if (worst != null && verdict.compareTo(worst) >= 0) {
        err.println("gleaner: --fail-if %s: %s is %s".formatted(worst, curve.collector(), verdict));
        status = ExitStatus.FAILED;
      }
    }
    return status;
  }

  private List<Long> sizes() {
    TreeSet<Long> sorted = new TreeSet<>();
    for (String text : sizes.split(",", -1)) {
      String digits = text.strip().replace("_", "");
      if (!digits.matches("[0-9]{1,18}") || Long.parseLong(digits) == 0) {
        throw wrong("--n %s: \"%s\" is no whole number from 1 on".formatted(sizes, text));
      }
      sorted.add(Long.valueOf(digits));
    }
    if (sorted.first() > sorted.last() / 2) {
      throw wrong("--n " + sizes + ": the largest is at least twice the smallest: --n 10000,20000");
    }
    return List.copyOf(sorted);
  }

  private GrowthClass verdict(String text) {
    for (GrowthClass each : GrowthClass.values()) {
      if (each.text().equals(text) && each != GrowthClass.CONSTANT) {
        return each;
      }
    }
    List<GrowthClass> known =
        Arrays.stream(GrowthClass.values()).filter(each -> each != GrowthClass.CONSTANT).toList();
    throw wrong("--fail-if %s: one of %s".formatted(text, known));
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
