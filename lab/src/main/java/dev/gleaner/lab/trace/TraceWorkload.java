package dev.gleaner.lab.trace;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.layout.Kind;
import dev.gleaner.trace.TraceException;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program's own heap operations, from its trace.
 *
 * <p>The checksum is the hash of what the program has read. The time is that of the operations and
 * of decoding them; the file is checked before.
 */
public final class TraceWorkload implements Workload {
  /** The parameter that names the file. */
  public static final String FILE = "file";

  private static final long LEAST_JVM_HEAP = 512L << 20;
  private static final long BYTES_A_BODY = 128;

  /** The last one; a heap that is open may still need it, so that it is never closed. */
  private @Nullable TraceFile trace;

  private @Nullable Path path;
  private @Nullable FileTime modified;
  private @Nullable Replay last;

  @Override
  public String name() {
    return "trace";
  }

  @Override
  public String summary() {
    return "the heap operations of a program, as gleaner.trace.file or 'gleaner record' wrote them";
  }

  @Override
  public Map<String, String> defaults() {
    return Map.of(FILE, "");
  }

  /** Returns the trace, opened and checked. */
  public TraceFile open(Parameters parameters) {
    String text = parameters.text(FILE);
    if (text.isEmpty()) {
      throw new IllegalArgumentException("workload trace: file = FILE is needed");
    }
    Path wanted = Path.of(text);
    try {
      FileTime time = Files.getLastModifiedTime(wanted);
      TraceFile known = trace;
      if (known != null && wanted.equals(path) && time.equals(modified)) {
        return known;
      }
      TraceFile opened = new TraceFile(wanted, TraceTable.of(Heap.class));
      trace = opened;
      path = wanted;
      modified = time;
      return opened;
    } catch (TraceException | UncheckedIOException | IOException e) {
      throw new IllegalArgumentException("workload trace: " + e.getMessage(), e);
    }
  }

  /** The settings of the recording: all of them under its collector, what was set under others. */
  @Override
  public String settings(Parameters parameters, String collector) {
    TraceFile file = open(parameters);
    boolean same = file.header(TraceFormat.COLLECTOR).equals(collector);
    return file.header(same ? TraceFormat.IN_FORCE : TraceFormat.GIVEN);
  }

  @Override
  public long jvmMemory(Parameters parameters) {
    return LEAST_JVM_HEAP + BYTES_A_BODY * open(parameters).bodies().size();
  }

  @Override
  public long run(Run run) {
    TraceFile file = open(run.parameters());
    Replay replay = Replay.on(file, run::openHeap, run::progress);
    last = replay;
    replay.run();
    run.measure();
    report(run, file, replay, replay.heap().statistics());
    replay.release();
    return replay.checksum();
  }

  private static void report(Run run, TraceFile file, Replay replay, HeapStatistics s) {
    run.extra("operations", (double) replay.done());
    run.extra("divergences", (double) replay.divergences().count());
    run.extra("weak_differences", (double) replay.weakDifferences());
    run.extra("operations_left_out", (double) replay.leftOut());
    run.extra("finalizer_bodies", (double) file.total(TraceFormat.BODIES));
    run.extra("finalizer_bodies_done", (double) replay.bodiesDone());
    for (Kind kind : Kind.values()) {
      if (s.live(kind) > 0) {
        run.extra("left_" + kind.name().toLowerCase(Locale.ROOT), (double) s.live(kind));
      }
    }
  }

  /** Returns the last replay; null before there was one. */
  public @Nullable Replay last() {
    return last;
  }
}
