package dev.gleaner.lab;

import dev.gleaner.lab.measure.MeteredRun;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.ComparisonCsv;
import dev.gleaner.lab.output.ComparisonJson;
import dev.gleaner.lab.output.ComparisonTable;
import dev.gleaner.lab.output.Format;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.trace.Replay;
import dev.gleaner.lab.trace.TraceWorkload;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceFormat;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Does again what a trace has recorded, once under each collector, in this JVM. */
@Command(
    name = "replay",
    description =
        "Do again the heap operations that a trace has recorded, under any collector, and show its"
            + " meters, and where it went another way than the recording.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner replay my.trace",
      "      under the collector of the recording",
      "  gleaner replay my.trace --collector all -D gleaner.verify=after-collection",
      "      under each collector, verified; gleaner compare --trace my.trace compares their speed",
      "  gleaner replay my.trace --until 500 --print",
      "      the frames and pages of the heap after 500 operations",
      "  gleaner replay my.trace --until 500 --watch 4096",
      "      what is at this offset of the heap's memory, each time that changes"
    },
    sortOptions = false)
final class ReplayCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "A trace.")
  private Path file;

  @Option(
      names = "--collector",
      paramLabel = "NAME",
      description =
          "A collector, several parted by commas, or all; default: the one of the recording.")
  private List<String> collectors = new ArrayList<>();

  @Option(
      names = "--max-memory",
      paramLabel = "SIZE",
      description = "The limit of the heap in bytes, such as 512m; default: that of the recording.")
  private @Nullable String maxMemory;

  @Option(
      names = "--until",
      paramLabel = "N",
      description =
          "Stop when N operations are done, those of finalizers included; default: at the end.")
  private @Nullable Long until;

  @Option(
      names = "--print",
      description =
          "Show the heap where the replay stops, instead of meters: figures, the frames of all"
              + " threads with their slots, the pages.")
  private boolean print;

  @Option(
      names = "--watch",
      paramLabel = "OFFSET",
      description =
          "Show what is at an offset of the heap's memory each time that changes, and the number of"
              + " the operation, instead of meters: who makes, writes, marks, moves or frees it."
              + " Walks over the heap after each operation; default: none.")
  private @Nullable String watch;

  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  ReplayCommand() {}

  @Override
  public Integer call() {
    WorkloadSpec trace = WorkloadFiles.trace(file);
    TraceWorkload workload = (TraceWorkload) trace.workload();
    Settings settings = common.settings(maxMemory);
    Installed installed = new Installed(settings);
    PrintWriter err = spec.commandLine().getErr();
    installed.problems().forEach(err::println);
    String recorded = workload.open(trace.parameters()).header("collector");
    if (until != null || print || watch != null) {
      return look(workload.open(trace.parameters()), installed, trace, recorded);
    }
    List<Row> rows = new ArrayList<>();
    List<String> remarks = new ArrayList<>();
    boolean good = true;
    try (LogLines _ = LogLines.open(err)) {
      for (Contender contender :
          installed.select(collectors.isEmpty() ? List.of(recorded) : collectors)) {
        RunResult result =
            MeteredRun.execute(
                workload,
                installed.factory(contender.name(), trace),
                trace.parameters(),
                fraction -> {});
        Map<String, Object> inForce =
            Map.of("gleaner", installed.settingsOf(contender.name(), trace));
        rows.add(new Row(contender.name(), contender.version(), inForce, List.of(result)));
        Replay replay = workload.last();
        String first = replay == null ? null : replay.divergences().first();
        if (first != null) {
          remarks.add(contender.name() + ": the first divergence: " + first);
        }
        good &= first == null && result.ok();
      }
    }
    print(new Comparison("trace", trace.parameters().values(), Machine.current(), rows), remarks);
    return good ? 0 : ExitStatus.FAILED;
  }

  /** Does a part of the trace, and shows the heap. */
  private int look(TraceFile file, Installed installed, WorkloadSpec trace, String recorded) {
    long all = file.total(TraceFormat.OPERATIONS);
    if (until != null && (until < 0 || until > all)) {
      throw new ParameterException(
          spec.commandLine(),
          "--until " + until + ": from 0 to " + all + ", the trace's operations");
    }
    if (common.format() != Format.TABLE) {
      throw new ParameterException(
          spec.commandLine(), "--until, --print and --watch show text: without --format");
    }
    ReplayView view =
        new ReplayView(
            file, until == null ? all : until, print, offset(), spec.commandLine().getOut());
    boolean good = true;
    try (LogLines _ = LogLines.open(spec.commandLine().getErr())) {
      for (Contender contender :
          installed.select(collectors.isEmpty() ? List.of(recorded) : collectors)) {
        good &= view.show(installed.factory(contender.name(), trace));
      }
    }
    return good ? 0 : ExitStatus.FAILED;
  }

  private @Nullable Long offset() {
    if (watch == null) {
      return null;
    }
    try {
      long offset = Long.decode(watch);
      if (offset >= 0) {
        return offset;
      }
    } catch (NumberFormatException _) {
      // said below
    }
    throw new ParameterException(
        spec.commandLine(), "--watch " + watch + ": an offset is needed, such as 4096 or 0x1000");
  }

  private void print(Comparison comparison, List<String> remarks) {
    PrintWriter out = spec.commandLine().getOut();
    switch (common.format()) {
      case JSON -> out.println(ComparisonJson.text(List.of(comparison)));
      case CSV -> ComparisonCsv.lines(List.of(comparison)).forEach(out::println);
      case TABLE -> ComparisonTable.lines(comparison, Terminal.columns()).forEach(out::println);
    }
    PrintWriter to = common.format() == Format.TABLE ? out : spec.commandLine().getErr();
    remarks.forEach(to::println);
  }
}
