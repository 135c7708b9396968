package dev.gleaner.lab;

import dev.gleaner.lab.hprof.HeapDump;
import dev.gleaner.lab.script.LuaWorkload;
import dev.gleaner.lab.trace.TraceWorkload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that every command has which runs a workload: one that a file is. */
final class WorkloadFiles {
  @Option(
      names = "--heap-dump",
      paramLabel = "FILE.hprof",
      description =
          "The object graph of a JVM's heap dump, as jcmd PID GC.heap_dump writes it;"
              + " default: none.")
  private @Nullable Path heapDump;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "The heap operations of your own program, as gleaner.trace.file or 'gleaner record' wrote"
              + " them, under the settings of the recording; default: none.")
  private @Nullable Path trace;

  @Option(
      names = "--lua",
      paramLabel = "FILE.lua",
      description =
          "A Lua script, whose arguments follow the options; its output is hashed to the checksum;"
              + " default: none.")
  private @Nullable Path script;

  /** Returns whether there is none. */
  boolean isEmpty() {
    return heapDump == null && trace == null && script == null;
  }

  /**
   * Returns the workloads of all files that were named, which are checked.
   *
   * @param arguments of the script
   * @throws RequestException if there is no such file, or it is none of its kind; or if there are
   *     arguments and no script
   */
  List<WorkloadSpec> specs(List<String> arguments) {
    List<WorkloadSpec> specs = new ArrayList<>();
    if (heapDump != null) {
      specs.add(WorkloadSpec.of(new HeapDump(), Map.of(HeapDump.FILE, heapDump.toString())));
    }
    if (trace != null) {
      specs.add(trace(trace));
    }
    if (script != null) {
      checkFile(script);
      specs.add(
          WorkloadSpec.of(Catalog.find("lua"), LuaWorkload.given(script, List.copyOf(arguments))));
    } else if (!arguments.isEmpty()) {
      throw new RequestException(
          "%s: arguments are for the script of --lua FILE.lua".formatted(arguments.getFirst()));
    }
    return specs;
  }

  /**
   * Returns the one workload that was named.
   *
   * @param words the workload with its parameters; or the arguments of the script
   * @throws RequestException if there is none or more than one, or if it is wrong
   */
  WorkloadSpec only(List<String> words) {
    boolean named = isEmpty() && !words.isEmpty();
    List<WorkloadSpec> specs =
        named ? words.stream().map(WorkloadSpec::parse).toList() : specs(words);
    if (specs.size() != 1) {
      throw new RequestException(
          "one workload is needed: WORKLOAD[:key=value,...], --heap-dump, --trace or --lua");
    }
    return specs.getFirst();
  }

  /**
   * Returns the workload of a trace, which is checked.
   *
   * @throws RequestException if there is no such file, or it is no trace, damaged or cut off
   */
  static WorkloadSpec trace(Path file) {
    checkFile(file);
    TraceWorkload workload = (TraceWorkload) Catalog.find("trace");
    WorkloadSpec spec = WorkloadSpec.of(workload, Map.of(TraceWorkload.FILE, file.toString()));
    try {
      var _ = workload.open(spec.parameters());
    } catch (IllegalArgumentException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    }
    return spec;
  }

  private static void checkFile(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new RequestException("%s: there is no such file to read".formatted(file));
    }
  }
}
