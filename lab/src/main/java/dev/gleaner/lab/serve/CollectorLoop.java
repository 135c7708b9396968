package dev.gleaner.lab.serve;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.metrics.HeapMetrics;
import dev.gleaner.refusal.HeapExhaustedException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs a workload over and over on one heap, until it is told to stop. A run that fails, such as
 * for want of memory under a collector that leaks, is counted, and the next one gets a new heap;
 * the counters of the heap begin at 0 then.
 */
final class CollectorLoop implements Runnable {
  /** The meter of the runs; all others are those of {@link HeapMetrics}. */
  static final String RUNS = "gleaner.workload.run";

  private static final String HEAP = "serve";
  private static final String DONE = "done";
  private static final String OUT_OF_MEMORY = "out-of-memory";
  private static final String FAILED = "failed";

  /** So that a workload that cannot run at all does not use a core for that. */
  private static final long SECONDS_AFTER_A_FAILURE = 1;

  private final HeapFactory factory;
  private final Workload workload;
  private final Parameters parameters;
  private final MeterRegistry registry;
  private final Consumer<String> errors;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private String lastError = "";

  /**
   * Prepares it.
   *
   * @param errors told, in a line, why a run failed, unless the one before it failed so, too
   */
  CollectorLoop(
      HeapFactory factory,
      Workload workload,
      Parameters parameters,
      MeterRegistry registry,
      Consumer<String> errors) {
    this.factory = factory;
    this.workload = workload;
    this.parameters = parameters;
    this.registry = registry;
    this.errors = errors;
    for (String outcome : new String[] {DONE, OUT_OF_MEMORY, FAILED}) {
      Timer _ = timer(outcome); // there from the start, so that a rate can be taken
    }
  }

  String collector() {
    return factory.collector();
  }

  /** Asks the loop to end; from any thread. It does so at the next report of progress. */
  void stop() {
    stopped.countDown();
  }

  private boolean isStopping() {
    return stopped.getCount() == 0;
  }

  @Override
  public void run() {
    while (!isStopping()) {
      try (Heap heap = factory.open(HEAP);
          HeapMetrics metrics = new HeapMetrics(heap)) {
        metrics.bindTo(registry);
        LoopRun run = new LoopRun(heap, factory, parameters, this::isStopping);
        while (!isStopping()) {
          runOnce(run);
        }
      } catch (LoopRun.Stopped e) {
        return;
      } catch (HeapExhaustedException e) {
        // counted; on with a new heap
      } catch (RuntimeException | Error e) {
        report(e);
        waitAMoment();
      }
    }
  }

  private void runOnce(LoopRun run) {
    long start = System.nanoTime();
    String outcome = FAILED;
    try {
      long _ = workload.run(run);
      outcome = DONE;
    } catch (HeapExhaustedException e) {
      outcome = OUT_OF_MEMORY;
      throw e;
    } finally {
      if (!isStopping() || outcome.equals(DONE)) {
        timer(outcome).record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
      }
    }
  }

  private Timer timer(String outcome) {
    return Timer.builder(RUNS)
        .description("Runs of the workload, by what came of them")
        .tag("collector", collector())
        .tag("workload", workload.name())
        .tag("outcome", outcome)
        .register(registry);
  }

  private void report(Throwable e) {
    String error = e.toString();
    if (!error.equals(lastError)) {
      lastError = error;
      errors.accept("gleaner: " + collector() + ": " + workload.name() + " failed: " + error);
    }
  }

  private void waitAMoment() {
    try {
      boolean _ = stopped.await(SECONDS_AFTER_A_FAILURE, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      stop();
    }
  }
}
