package dev.gleaner.lab.measure;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.spi.Capability;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A run under a collector: opens the heap, lets the workload work, and reads the meters.
 *
 * <p>All figures are taken when the workload returns, while the heap is open; what remains to be
 * collected then is not in them. Only the elements left at the end are counted later: collections
 * go on, with no root left, until none finds anything more, since an ordered finalizer may need one
 * for each element of a chain. What a collector without {@link Capability#CYCLES} still holds then,
 * it has leaked.
 */
public final class MeteredRun implements Run {
  /** Collections after which those that still find something are taken to go on for ever. */
  private static final int MOST_LAST_COLLECTIONS = 100;

  private final HeapFactory factory;
  private final Parameters parameters;
  private final DoubleConsumer progress;
  private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
  private final Map<String, Double> extras = new LinkedHashMap<>();
  private final Pauses pauses = new Pauses();
  private final Stopwatch watch = new Stopwatch();
  private @Nullable Heap heap;
  private @Nullable Meters meters;
  private @Nullable MemorySampler sampler;
  private ChartData recording = ChartData.NONE;
  private double elementsAtOpen;
  private double elementsLeftOut;
  private double bytesLeftOut;
  private double threadsAtOpen;
  private boolean hadNatives;

  private MeteredRun(HeapFactory factory, Parameters parameters, DoubleConsumer progress) {
    this.factory = factory;
    this.parameters = parameters;
    this.progress = progress;
  }

  /** Runs the workload once. What it throws is in the result, and printed on the standard error. */
  public static RunResult execute(
      Workload workload, HeapFactory factory, Parameters parameters, DoubleConsumer progress) {
    MeteredRun run = new MeteredRun(factory, parameters, progress);
    String status = RunResult.OK;
    Long checksum = null;
    run.watch.start();
    try {
      checksum = workload.run(run);
    } catch (HeapExhaustedException e) {
      status = RunResult.OUT_OF_MEMORY;
    } catch (RuntimeException | Error e) {
      status = Failures.describe(e);
    }
    run.watch.stop();
    if (run.sampler != null) {
      run.sampler.stop();
    }
    run.watch.putInto(run.figures);
    try {
      run.readMeters();
      if (status.equals(RunResult.OK)) {
        status = run.lookForLeaks();
      }
      run.close();
    } catch (RuntimeException | Error e) {
      status = status.equals(RunResult.OK) ? Failures.describe(e) : status;
    }
    return new RunResult(status, checksum, run.figures, run.extras, run.recording);
  }

  private void readMeters() {
    if (meters == null || sampler == null) {
      return;
    }
    meters.putInto(figures);
    figures.putIfAbsent(Figure.COLLECTIONS, 0.0);
    figures.putIfAbsent(Figure.PAUSE_SECONDS_TOTAL, 0.0);
    pauses.putInto(figures);
    double peak = figures.getOrDefault(Figure.PEAK_USED_BYTES, Double.MAX_VALUE);
    recording = new ChartData(sampler.timeline().atMost((long) peak), pauses.recorded());
    beforeDropping(); // what did not say so
  }

  private String lookForLeaks() {
    if (heap == null || meters == null) {
      return RunResult.OK;
    }
    double left = meters.elements();
    for (int i = 0; i < MOST_LAST_COLLECTIONS; i++) {
      double before = left;
      heap.collect();
      left = meters.elements();
      if (left == before && i > 0) {
        break;
      }
    }
    left -= elementsAtOpen;
    // The heap has a thread of its own once a finalizer has run, and one once a native was there.
    int own = (ranFinalizers() ? 1 : 0) + (hadNatives ? 1 : 0);
    left -= Math.min(own, meters.threads() - threadsAtOpen);
    figures.put(Figure.LIVE_ELEMENTS_AT_END, left);
    boolean leaked = left > 0 && !factory.traits().has(Capability.CYCLES);
    return leaked ? RunResult.LEAKED : RunResult.OK;
  }

  private boolean ranFinalizers() {
    return figures.getOrDefault(Figure.FINALIZERS_RUN, 0.0) > 0;
  }

  private void close() {
    if (heap != null && meters != null) {
      heap.close();
      meters.close();
    }
  }

  @Override
  public Parameters parameters() {
    return parameters;
  }

  @Override
  public Heap openHeap(Function<HeapFactory, Heap> opening) {
    if (heap == null) {
      watch.stop();
      Heap opened = opening.apply(factory);
      heap = opened;
      heap.addListener(pauses);
      meters = new Meters(heap);
      elementsAtOpen = meters.elements();
      leaveOut();
      threadsAtOpen = meters.threads();
      sampler = new MemorySampler(() -> opened.snapshot().usedBytes());
      heap.addListener(sampler);
      watch.start();
    }
    return heap;
  }

  @Override
  public HeapFactory factory() {
    return factory;
  }

  @Override
  public void extra(String name, double value) {
    extras.put(name, value);
  }

  @Override
  public void progress(double fraction) {
    progress.accept(fraction);
  }

  @Override
  public void leaveOut() {
    if (meters != null) {
      elementsLeftOut = meters.elements();
      bytesLeftOut = meters.usedBytes();
    }
  }

  @Override
  public void beforeDropping() {
    hadNatives |= meters != null && meters.natives() > 0;
    if (!figures.containsKey(Figure.BYTES_PER_ELEMENT)) {
      measure();
    }
  }

  @Override
  public void measure() {
    if (meters != null && meters.elements() > elementsLeftOut) {
      double bytes = meters.usedBytes() - bytesLeftOut;
      figures.put(Figure.BYTES_PER_ELEMENT, bytes / (meters.elements() - elementsLeftOut));
    }
  }
}
