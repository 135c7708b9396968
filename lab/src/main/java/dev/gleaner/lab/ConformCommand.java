package dev.gleaner.lab;

import dev.gleaner.heap.HeapFactory;
import dev.gleaner.kit.Conformance;
import dev.gleaner.kit.Rule;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.oracle.Soak;
import dev.gleaner.lab.output.ConformanceReport;
import dev.gleaner.lab.output.Format;
import dev.gleaner.lab.output.Paint;
import dev.gleaner.trace.WholeFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the conformance kit. */
@Command(
    name = "conform",
    description =
        "Run the conformance kit against collectors: its scenarios, random programs against a"
            + " model, and what a plug-in owes as a whole. A line for each rule that does not"
            + " hold, and at the end what is probably wrong.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner conform --collector marksweep --torture",
      "      all that a collector owes",
      "  gleaner conform --plugin-path mine.jar --collector mine --programs 1000 --seed 7",
      "      a collector of your own, with many random programs",
      "  gleaner conform --soak 2h",
      "      random programs in random settings, under every collector, for two hours"
    },
    exitCodeList = {
      "0:every rule holds, or no program of the soak failed",
      "1:one does not, or did",
      "2:the request was wrong; the message says what would be right"
    },
    sortOptions = false)
final class ConformCommand implements Callable<Integer> {
  /** Held, or its level is forgotten: the kit provokes errors that heaps log. */
  private static final Logger HEAPS = Logger.getLogger("dev.gleaner");

  @Mixin private CollectorOption collectors;

  @Option(
      names = "--torture",
      description = "Also run the scenarios with a collection before every allocation.")
  private boolean torture;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Makes the random programs; the first of a soak; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--programs",
      paramLabel = "N",
      defaultValue = "30",
      description = "Random programs for each variant of settings; default: ${DEFAULT-VALUE}.")
  private int programs;

  @Option(
      names = "--output",
      paramLabel = "DIR",
      defaultValue = "gleaner-failures",
      description =
          "The folder where the random programs that failed are written, made small, as scenarios;"
              + " default: ${DEFAULT-VALUE}.")
  private Path output = Path.of("gleaner-failures");

  @Option(
      names = "--soak",
      paramLabel = "TIME",
      description =
          "Instead of all that: random programs without end, in random settings, for a time such as"
              + " 30s, 10m or 2h; with 0s program N of --seed N alone; default: none.")
  private @Nullable String soak;

  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  ConformCommand() {}

  @Override
  public Integer call() {
    Installed installed = new Installed(common.settings(null));
    PrintWriter out = spec.commandLine().getOut();
    installed.problems().forEach(spec.commandLine().getErr()::println);
    if (soak != null) {
      return soak(installed, Settings.time("--soak", soak));
    }
    ConformanceReport report = new ConformanceReport();
    boolean failed = false;
    for (Contender contender : installed.select(collectors.names())) {
      ConformanceReport.Collector of = report.collector(contender.name());
      check(installed, of, out);
      failed |= of.count(Status.FAILED) > 0;
      if (common.format() == Format.TABLE) {
        of.groups().forEach(out::println);
        Paint end = of.count(Status.FAILED) > 0 ? Paint.BAD : Paint.GOOD;
        of.summary().forEach(line -> end.println(out, line));
      }
    }
    switch (common.format()) {
      case TABLE -> {}
      case JSON -> out.println(report.json());
      case CSV -> report.csv().forEach(out::println);
    }
    return failed ? ExitStatus.FAILED : 0;
  }

  private int soak(Installed installed, Duration time) {
    for (String option : List.of("--torture", "--programs")) {
      if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new RequestException(option + ": not with --soak");
      }
    }
    List<String> names =
        installed.select(collectors.names()).stream().map(Contender::name).toList();
    for (String name : names) {
      // The programs draw most settings themselves, so a wrong one would never be seen.
      HeapFactory _ = installed.factory(name, 0);
    }
    Soak programs =
        new Soak(names, installed.config(names.getFirst()), installed.loaders())
            .withSeed(seed)
            .lasting(time)
            .writingTo(output);
    Level before = HEAPS.getLevel();
    HEAPS.setLevel(Level.OFF);
    try (StopRequest stop = new StopRequest();
        SoakDisplay display = new SoakDisplay(spec.commandLine(), common, time, stop, programs)) {
      Soak.Report report = programs.run(display);
      display.summarize(report);
      if (!report.failed()) {
        stop.succeeded();
      }
      return report.failed() ? ExitStatus.FAILED : 0;
    } catch (UncheckedIOException e) {
      throw new RequestException("--output " + output + ": " + e.getMessage(), e);
    } finally {
      HEAPS.setLevel(before);
    }
  }

  private void write(String collector, Rule rule, String scenario) {
    String name = "gleaner-" + collector + "-" + rule.name().toLowerCase(Locale.ROOT) + ".heap";
    Path file = output.resolve(name.replace(' ', '-'));
    try {
      Files.createDirectories(output);
      WholeFile.write(file, scenario);
      spec.commandLine().getErr().println("gleaner: wrote " + file);
    } catch (IOException e) {
      throw new RequestException("--output " + output + ": cannot write " + file + ": " + e, e);
    }
  }

  private void check(Installed installed, ConformanceReport.Collector of, PrintWriter out) {
    Conformance conformance =
        new Conformance(of.name(), installed.config(of.name()), installed.loaders())
            .withSeed(seed)
            .withPrograms(programs);
    List<Rule> rules = new ArrayList<>(conformance.rules());
    if (torture) {
      rules.addAll(conformance.tortureRules());
    }
    Level before = HEAPS.getLevel();
    HEAPS.setLevel(Level.OFF);
    try (ProgressDisplay progress = ProgressDisplay.of(common.quiet())) {
      progress.steps(1);
      for (int i = 0; i < rules.size(); i++) {
        Rule rule = rules.get(i);
        progress.start(rule.name());
        ConformanceReport.Item item = of.add(rule, rule.check().get());
        if (item.verdict().status() == Status.FAILED && common.format() == Format.TABLE) {
          Paint.BAD.println(out, item.line()); // at once: a broken heap can hang later on
        }
        if (!item.verdict().scenario().isEmpty()) {
          write(of.name(), rule, item.verdict().scenario());
        }
        progress.update((i + 1.0) / rules.size());
      }
    } finally {
      HEAPS.setLevel(before);
    }
  }
}
