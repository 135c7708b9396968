package dev.gleaner.it;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lab.trace.Replay;
import dev.gleaner.lab.trace.TraceWorkload;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Records programs and does their traces again. */
final class Traces {
  private Traces() {}

  /** Where a setting sends the operations. */
  static String setting(Path file) {
    return "trace.file = \"" + file + "\"\n";
  }

  /** Records a program and closes its heap. */
  static Path record(
      String collector, String settings, Path file, BiConsumer<Heap, Mutator> program) {
    try (Heap heap = Installed.open(collector, settings + "\n" + setting(file))) {
      program.accept(heap, heap.mutator());
    }
    return file;
  }

  /**
   * What a replay left.
   *
   * @param before when the recorded heap was about to be closed
   * @param after when the heap was closed
   */
  record Result(
      Replay replay, HeapStatistics before, HeapStatistics after, List<String> violations) {}

  /** Does a trace again under the settings of its recording. */
  static Result replay(Path file, String collector) {
    TraceWorkload workload = new TraceWorkload();
    String settings =
        workload.settings(Parameters.of(workload, Map.of("file", file.toString())), collector);
    Config config =
        ConfigFactory.parseString("gleaner.collector = " + collector)
            .withFallback(ConfigFactory.parseString(settings));
    try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
      return replay(trace, Gleaner.factory(config));
    }
  }

  /** Does a trace again on a heap, and closes it. */
  static Result replay(TraceFile trace, HeapFactory factory) {
    Replay replay = Replay.on(trace, open -> open.apply(factory), fraction -> {});
    Heap heap = replay.heap();
    try (heap) {
      replay.run();
      HeapStatistics before = heap.statistics();
      List<String> violations = heap.inspect().verify();
      heap.close();
      return new Result(replay, before, heap.statistics(), violations);
    }
  }
}
