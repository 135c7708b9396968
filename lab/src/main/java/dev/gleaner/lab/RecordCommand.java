package dev.gleaner.lab;

import com.typesafe.config.ConfigUtil;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.output.ComparisonJson;
import dev.gleaner.lab.output.Format;
import dev.gleaner.lab.workload.UnmeasuredRun;
import dev.gleaner.lab.workload.WorkloadFailedException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writes the heap operations of a workload. */
@Command(
    name = "record",
    description =
        "Run a workload once and write its heap operations to a file. Your own program writes them"
            + " when gleaner.trace.file is set in its configuration.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner record churn:n=100_000 -o churn.trace",
      "      writes what the workload does; then: gleaner compare --trace churn.trace",
      "  gleaner record --lua life.lua -o life.trace",
      "      what a Lua script does",
      "  gleaner record closures:n=10_000 --collector hybrid -o closures.trace",
      "      under another collector than the configured one"
    },
    sortOptions = false)
final class RecordCommand implements Callable<Integer> {
  @Mixin private OneRun run;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      required = true,
      description = "The trace; a second heap's goes to FILE-2, with the extension kept.")
  private Path file;

  @Mixin private CommonOptions common;
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  RecordCommand() {}

  @Spec
  void describe(CommandSpec command) {
    spec = command;
  }

  @Override
  public Integer call() {
    WorkloadSpec wanted = run.workload();
    Settings given = common.settings(run.maxMemory());
    List<String> overrides = new ArrayList<>(given.overrides());
    overrides.add("gleaner.trace.file = " + ConfigUtil.quoteString(file.toString()));
    Settings settings = new Settings(given.file(), overrides, run.maxMemory(), given.plugins());
    Installed installed = new Installed(settings);
    PrintWriter err = spec.commandLine().getErr();
    installed.problems().forEach(err::println);
    String name = run.collector(installed);
    HeapFactory factory = factory(installed, name, wanted);
    Object before = identity();
    boolean failed = false;
    try (LogLines _ = LogLines.open(err);
        UnmeasuredRun unmeasured = new UnmeasuredRun(factory, wanted.parameters())) {
      long _ = installed.under(name, wanted).run(unmeasured);
    } catch (HeapExhaustedException e) {
      err.println("gleaner: the recording ends where memory did: " + e.getMessage());
    } catch (WorkloadFailedException e) {
      err.println("gleaner: the recording ends where the script did: " + e.getMessage());
      failed = true;
    }
    Object after = identity();
    if (after == null || after.equals(before)) {
      err.println("gleaner: -o " + file + ": no trace was written");
      return ExitStatus.FAILED;
    }
    print(name, wanted);
    return failed ? ExitStatus.FAILED : 0;
  }

  /**
   * Returns what tells the file from one that takes its name; null if there is none.
   *
   * @throws RequestException if it is none that a trace can take the place of
   */
  private @Nullable Object identity() {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      if (!attributes.isRegularFile()) {
        throw new RequestException("-o " + file + ": that is no regular file");
      }
      return attributes.fileKey();
    } catch (IOException e) {
      return null;
    }
  }

  private static HeapFactory factory(Installed installed, String name, WorkloadSpec wanted) {
    try {
      return installed.factory(name, wanted);
    } catch (IllegalArgumentException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    }
  }

  private void print(String name, WorkloadSpec wanted) {
    PrintWriter out = spec.commandLine().getOut();
    try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
      long operations = trace.total(TraceFormat.OPERATIONS);
      if (common.format() == Format.TABLE) {
        out.printf(
            Locale.ROOT,
            "%s: %,d operations of %s under %s%n%,d bytes, %.2f bytes an operation%n",
            file,
            operations,
            wanted.title(),
            name,
            trace.size(),
            (double) trace.size() / operations);
      } else {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("file", file.toString());
        facts.put("collector", name);
        facts.put("bytes", trace.size());
        facts.putAll(trace.totals());
        if (common.format() == Format.JSON) {
          out.println(ComparisonJson.write(facts));
        } else {
          out.println(String.join(",", facts.keySet()));
          out.println(String.join(",", facts.values().stream().map(String::valueOf).toList()));
        }
      }
    }
  }
}
