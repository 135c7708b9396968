package dev.gleaner.lab;

import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.output.SnapshotReport;
import dev.gleaner.lab.output.Words;
import dev.gleaner.lab.workload.WorkloadFailedException;
import dev.gleaner.refusal.HeapExhaustedException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Writes what a workload's heap holds as a heap dump. */
@Command(
    name = "snapshot",
    description =
        "Run a workload, and write what its heap holds before it drops that as a heap dump (HPROF),"
            + " which VisualVM and Eclipse MAT open, and 'gleaner inspect' reads.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner snapshot binary-trees:depth=14 -o trees.hprof",
      "      what binary-trees has at its end; then: gleaner inspect trees.hprof",
      "  gleaner snapshot properties:n=10000 -o p.hprof --collector semispace --at 5000",
      "      in the midst of a workload, under another collector than the configured one",
      "  gleaner snapshot --lua life.lua -o life.hprof 100",
      "      what the global variables of a Lua script hold at its end"
    },
    sortOptions = false)
final class SnapshotCommand implements Callable<Integer> {
  @Mixin private OneRun run;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE.hprof",
      required = true,
      description = "The file to write; one that is there is replaced.")
  private Path file;

  @Option(
      names = "--at",
      paramLabel = "N",
      description =
          "When N elements were allocated, at the workload's next report of progress; default: at"
              + " its end.")
  private @Nullable Long at;

  @Mixin private HeapOptions options;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  SnapshotCommand() {}

  @Override
  public Integer call() {
    if (at != null && at < 0) {
      throw new ParameterException(spec.commandLine(), "--at " + at + ": at least 0");
    }
    WorkloadSpec request = run.workload();
    Installed installed = new Installed(options.settings(run.maxMemory()));
    PrintWriter err = spec.commandLine().getErr();
    installed.problems().forEach(err::println);
    String name = run.collector(installed);
    checkFolder();
    try (LogLines _ = LogLines.open(err)) {
      HeapFactory factory = installed.factory(name, request);
      SnapshotRun.Taken taken =
          SnapshotRun.take(
              installed.under(name, request),
              factory,
              request.parameters(),
              file,
              at == null ? -1 : at);
      PrintWriter out = spec.commandLine().getOut();
      SnapshotReport.lines(name, file, taken.fileBytes(), taken.statistics()).stream()
          .flatMap(line -> Words.wrapped(line, Terminal.columns()).stream())
          .forEach(out::println);
      return 0;
    } catch (HeapExhaustedException | WorkloadFailedException e) {
      err.println("gleaner: " + e.getMessage());
      return ExitStatus.FAILED;
    } catch (IllegalArgumentException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    } catch (UncheckedIOException e) {
      err.println("gleaner: -o %s: %s".formatted(file, e.getMessage()));
      return ExitStatus.FAILED;
    }
  }

  private void checkFolder() {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || folder == null || !Files.isDirectory(folder)) {
      throw new RequestException(
          "-o %s: %s".formatted(file, Files.isDirectory(file) ? "is a folder" : "no such folder"));
    }
  }
}
