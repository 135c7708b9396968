package dev.gleaner.lab.serve;

import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Workload;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A workload in a loop under several collectors, all in this JVM: a thread, a heap and its meters
 * each.
 *
 * <p>They share the machine's cores and the code of the heap that the JIT compiler made for all of
 * them, so what they use and how long they pause can be set side by side, their speed cannot.
 */
public final class LiveCollectors implements AutoCloseable {
  /** How long a loop may take to end when it is asked to. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final PrometheusMeterRegistry registry = LiveView.registry();
  private final List<CollectorLoop> loops;
  private final List<Thread> threads = new ArrayList<>();
  private final List<LiveView> views = new ArrayList<>();
  private final Consumer<String> errors;

  /**
   * Prepares them.
   *
   * @param factories one a collector
   * @param errors told, a line at a time, why runs failed; from any thread
   */
  public LiveCollectors(
      List<HeapFactory> factories,
      Workload workload,
      Parameters parameters,
      Consumer<String> errors) {
    loops =
        factories.stream()
            .map(factory -> new CollectorLoop(factory, workload, parameters, registry, errors))
            .toList();
    this.errors = errors;
  }

  /** Starts them. */
  public void start() {
    for (CollectorLoop loop : loops) {
      threads.add(Thread.ofPlatform().daemon().name(loop.collector()).start(loop));
    }
  }

  /**
   * Returns what a web server shows of them: its paths, and what is there. Their history begins
   * with this call.
   */
  public Map<String, WebServer.Page> pages(Workload workload, Parameters parameters) {
    List<LiveSubject> subjects =
        loops.stream()
            .map(loop -> new LiveSubject(loop.collector(), "collector", loop.collector()))
            .toList();
    LiveData data = new LiveData(registry, subjects, workload.name(), parameters.values());
    LiveView view = new LiveView(registry, data, LivePage.load());
    views.add(view);
    return view.pages();
  }

  /** Returns the meters. */
  public MeterRegistry registry() {
    return registry;
  }

  /**
   * Stops the runs and closes all heaps.
   *
   * @throws IllegalStateException if one does not end in half a minute
   */
  @Override
  public void close() {
    views.forEach(LiveView::close);
    loops.forEach(CollectorLoop::stop);
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (Thread thread : threads) {
      if (!join(thread, Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
        errors.accept("gleaner: " + thread.getName() + " does not end");
        throw new IllegalStateException(thread.getName() + " does not end");
      }
    }
    registry.close();
  }

  private static boolean join(Thread thread, Duration patience) {
    boolean interrupted = Thread.interrupted();
    try {
      return thread.join(patience);
    } catch (InterruptedException e) {
      interrupted = true;
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
