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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Does again what a trace has recorded, once under each collector, in this JVM. */
@Command(
    name = "replay",
    description =
        "Do again the heap operations that a trace has recorded, under any collector, and show its"
            + " meters, and where it went another way than the recording.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    footer = {
      "  gleaner replay my.trace",
      "      under the collector of the recording",
      "  gleaner replay my.trace --collector all -D gleaner.verify=after-collection",
      "      under each collector, verified; gleaner compare --trace my.trace compares their speed"
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
    return good ? 0 : Main.FAILED;
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
