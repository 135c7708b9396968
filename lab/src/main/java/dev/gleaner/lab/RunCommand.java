package dev.gleaner.lab;

import com.typesafe.config.Config;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.lab.output.Format;
import dev.gleaner.lab.output.Paint;
import dev.gleaner.lab.output.ScenarioReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs scenarios. */
@Command(
    name = "run",
    description =
        "Run scenarios: small files of heap operations and expectations. A line a scenario says"
            + " whether it held.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner run bug.heap",
      "      a scenario under the collector of the settings",
      "  gleaner run --collector all --torture scenarios/",
      "      all scenarios of a folder under every collector, with a collection at each allocation"
    },
    exitCodeList = {
      "0:all scenarios held",
      "1:one failed",
      "2:the request was wrong, such as a scenario that cannot be read"
    },
    sortOptions = false)
final class RunCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "A scenario; a directory, which stands for its *.heap files; - for the standard input.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--collector",
      paramLabel = "NAME",
      description =
          "A collector, several parted by commas, or all; default: gleaner.collector of the"
              + " settings.")
  private List<String> collectors = new ArrayList<>();

  @Option(
      names = "--open-under",
      paramLabel = "NAME",
      description =
          "A collector for the heaps that scenarios open from images; default: the same one.")
  private @Nullable String openUnder;

  @Option(
      names = "--torture",
      description =
          "Collect before every allocation. Skips scenarios that count collections or bytes.")
  private boolean torture;

  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  RunCommand() {}

  @Override
  public Integer call() {
    Installed installed = new Installed(common.settings(null));
    PrintWriter err = spec.commandLine().getErr();
    PrintWriter out = spec.commandLine().getOut();
    installed.problems().forEach(err::println);
    List<Contender> contenders =
        installed.select(
            collectors.isEmpty() ? List.of(installed.configuredCollector()) : collectors);
    files.forEach(file -> NamedPipes.refuse("", file));
    List<Scenario> scenarios = ScenarioFiles.read(files);
    boolean text = common.format() == Format.TABLE;
    ScenarioReport report = new ScenarioReport(contenders.size() > 1);
    List<ScenarioRunner> runners = runners(installed, contenders, text ? out : err);
    try (LogLines _ = LogLines.open(err)) {
      for (Scenario scenario : scenarios) {
        for (int i = 0; i < runners.size(); i++) {
          ScenarioReport.Item item =
              new ScenarioReport.Item(contenders.get(i).name(), runners.get(i).run(scenario));
          report.add(item);
          if (text) {
            Paint paint = item.failed() ? Paint.BAD : Paint.PLAIN;
            paint.println(out, report.line(item));
          }
        }
      }
    }
    switch (common.format()) {
      case TABLE -> {
        Paint end = report.count(Status.FAILED) == 0 ? Paint.GOOD : Paint.BAD;
        end.println(out, report.summary());
      }
      case JSON -> out.println(report.json());
      case CSV -> report.csv().forEach(out::println);
    }
    return report.count(Status.FAILED) == 0 ? 0 : ExitStatus.FAILED;
  }

  private static String opened(Installed installed, String name) {
    List<Contender> contenders = installed.select(List.of(name));
    if (contenders.size() != 1) {
      throw new RequestException("--open-under takes one collector: " + name);
    }
    return contenders.getFirst().name();
  }

  private List<ScenarioRunner> runners(
      Installed installed, List<Contender> contenders, PrintWriter printed) {
    List<ScenarioRunner> runners = new ArrayList<>();
    Config opened = openUnder == null ? null : installed.config(opened(installed, openUnder));
    for (Contender contender : contenders) {
      Config config = installed.config(contender.name());
      ScenarioRunner runner =
          new ScenarioRunner(config, installed.loaders()).printingTo(printed::println);
      runner = opened == null ? runner : runner.openingUnder(opened);
      runners.add(torture ? runner.withTorture() : runner);
    }
    return runners;
  }
}
