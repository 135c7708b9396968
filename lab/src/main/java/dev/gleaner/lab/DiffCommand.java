package dev.gleaner.lab;

import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.ComparisonDiff;
import dev.gleaner.lab.output.ComparisonReader;
import dev.gleaner.lab.output.Words;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares two results of {@code compare}. */
@Command(
    name = "diff",
    description =
        "Compare two results of compare --format json: for each collector the time, the peak and"
            + " the longest pause afterwards over those before, and which differences are beyond"
            + " the noise inside each result. What changed on the machine between them is not"
            + " known.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner diff before.json after.json",
      "      what has changed between two runs of gleaner compare --format json",
      "  gleaner diff before.json after.json --fail-if-worse",
      "      status 1 if a collector got worse"
    },
    exitCodeList = {
      "0:done",
      "1:with --fail-if-worse: a collector got worse beyond the noise, or runs fail that did not",
      "2:the request was wrong, or a file is no result; the message says which"
    },
    sortOptions = false)
final class DiffCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "BEFORE.json", description = "The earlier result.")
  private Path before;

  @Parameters(index = "1", paramLabel = "AFTER.json", description = "The later result.")
  private Path after;

  @Option(
      names = "--fail-if-worse",
      description =
          "Status 1 if a collector takes longer, needs more memory or pauses longer, beyond the"
              + " noise; more memory by over 2 percent.")
  private boolean failIfWorse;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  DiffCommand() {}

  @Override
  public Integer call() {
    List<Comparison> earlier = read(before);
    List<Comparison> later = read(after);
    Collection<ComparisonDiff> diffs = ComparisonDiff.of(earlier, later).values();
    if (diffs.isEmpty()) {
      throw new RequestException(
          "no workload is in both: %s has %s, %s has %s"
              .formatted(before, titles(earlier), after, titles(later)));
    }
    PrintWriter out = spec.commandLine().getOut();
    int width = Math.min(100, Terminal.columns());
    String gap = "";
    for (ComparisonDiff diff : diffs) {
      out.print(gap);
      diff.lines(width).forEach(out::println);
      gap = System.lineSeparator();
    }
    return failIfWorse && diffs.stream().anyMatch(ComparisonDiff::isWorse) ? ExitStatus.FAILED : 0;
  }

  private static String titles(List<Comparison> comparisons) {
    return Words.and(comparisons.stream().map(Comparison::title).toList());
  }

  private static List<Comparison> read(Path file) {
    try {
      return ComparisonReader.read(file);
    } catch (IllegalArgumentException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    }
  }
}
