package dev.gleaner.lab.measure;

import com.sun.management.ThreadMXBean;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.workload.JvmBaseline;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleConsumer;
import java.util.function.Function;

/**
 * A run on plain Java objects. Time is taken as for a collector, the bytes allocated from the
 * thread's counter, collections and pauses from the JVM's own log; its peak is the most in use at
 * the start of a collection or at the end. What a JVM does not count is absent.
 */
public final class BaselineRun implements Run {
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final Parameters parameters;
  private final DoubleConsumer progress;
  private final Map<String, Double> extras = new LinkedHashMap<>();

  private BaselineRun(Parameters parameters, DoubleConsumer progress) {
    this.parameters = parameters;
    this.progress = progress;
  }

  /** Runs the baseline once. What it throws is in the result. */
  public static RunResult execute(
      JvmBaseline baseline, GcLog log, Parameters parameters, DoubleConsumer progress) {
    BaselineRun run = new BaselineRun(parameters, progress);
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    String status = RunResult.OK;
    Long checksum = null;
    // What an earlier run left is not this one's garbage.
    System.gc();
    log.skip(System.nanoTime());
    long allocated = THREADS.getCurrentThreadAllocatedBytes();
    MemorySampler sampler = new MemorySampler(BaselineRun::usedBytes);
    Stopwatch watch = new Stopwatch();
    watch.start();
    try {
      checksum = baseline.run(run);
    } catch (OutOfMemoryError e) {
      status = RunResult.OUT_OF_MEMORY;
    } catch (RuntimeException | Error e) {
      status = Failures.describe(e);
    }
    watch.stop();
    long end = System.nanoTime();
    sampler.stop();
    watch.putInto(figures);
    allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
    figures.put(Figure.ALLOCATED_BYTES, (double) allocated);
    long used = usedBytes();
    log.read(end);
    log.changes().forEach(change -> sampler.add(change.systemNanos(), change.usedBytes()));
    figures.put(Figure.COLLECTIONS, (double) log.collections());
    figures.put(Figure.PAUSE_SECONDS_TOTAL, log.totalSeconds());
    log.pauses().putInto(figures);
    figures.put(Figure.PEAK_USED_BYTES, (double) Math.max(used, log.mostUsedBytes()));
    ChartData recording = new ChartData(sampler.timeline(), log.pauses().recorded());
    return new RunResult(status, checksum, figures, run.extras, recording);
  }

  private static long usedBytes() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Override
  public Parameters parameters() {
    return parameters;
  }

  @Override
  public Heap openHeap(Function<HeapFactory, Heap> opening) {
    throw new UnsupportedOperationException("the JVM baseline has no heap of Gleaner's");
  }

  @Override
  public HeapFactory factory() {
    throw new UnsupportedOperationException("the JVM baseline has no heap of Gleaner's");
  }

  @Override
  public void extra(String name, double value) {
    extras.put(name, value);
  }

  @Override
  public void progress(double fraction) {
    progress.accept(fraction);
  }
}
