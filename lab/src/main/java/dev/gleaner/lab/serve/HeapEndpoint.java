package dev.gleaner.lab.serve;

import dev.gleaner.heap.HeapFactory;
import dev.gleaner.metrics.MeteredHeapFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apiguardian.api.API;

/**
 * The live page and the Prometheus text of {@code gleaner serve} for the heaps of a program of
 * one's own:
 *
 * <pre>
 *   try (HeapEndpoint endpoint = HeapEndpoint.start(new InetSocketAddress("127.0.0.1", 8642))) {
 *     HeapFactory scripts = endpoint.watch("scripts", Gleaner.factory(config));
 *     // open heaps with scripts
 *   }
 * </pre>
 *
 * <p>All heaps of a factory are one row, and have one set of meters ({@link MeteredHeapFactory})
 * with the tag {@code factory}. Nobody is asked for a password: listen at a loopback address, or
 * behind something that asks.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class HeapEndpoint implements AutoCloseable {
  private static final String TAG = "factory";

  private final PrometheusMeterRegistry registry = LiveView.registry();
  private final List<LiveSubject> subjects = new CopyOnWriteArrayList<>();
  private final List<MeteredHeapFactory> watched = new CopyOnWriteArrayList<>();
  private final LiveView view;
  private final WebServer server;

  private HeapEndpoint(InetSocketAddress address) throws IOException {
    view =
        new LiveView(
            registry,
            new LiveData(registry, subjects, "heaps of this program", Map.of()),
            LivePage.load("Factories", "The heaps of this program, a row for each factory."));
    try {
      server = new WebServer(address, view.pages());
    } catch (IOException | RuntimeException e) {
      view.close();
      throw e;
    }
  }

  /**
   * Takes the port and begins to answer.
   *
   * @param address where to listen; port 0 takes any that is free
   * @throws IOException if the port cannot be had
   */
  public static HeapEndpoint start(InetSocketAddress address) throws IOException {
    return new HeapEndpoint(address);
  }

  /**
   * Shows the heaps that are opened through the factory that this returns.
   *
   * @param name what the row is called, and the value of the tag {@code factory}
   * @param heaps opens the heaps
   * @return a factory that does so, and counts
   * @throws IllegalArgumentException if there is a row of that name
   */
  public synchronized HeapFactory watch(String name, HeapFactory heaps) {
    if (subjects.stream().anyMatch(subject -> subject.name().equals(name))) {
      throw new IllegalArgumentException("there is a factory named " + name + " already");
    }
    MeteredHeapFactory metered = new MeteredHeapFactory(heaps, Tags.of(TAG, name));
    metered.bindTo(registry);
    watched.add(metered);
    subjects.add(new LiveSubject(name, TAG, name));
    return metered;
  }

  /** Returns the registry behind {@code /metrics}: the program may bind meters of its own. */
  public MeterRegistry registry() {
    return registry;
  }

  /** Returns the port. */
  public int port() {
    return server.port();
  }

  /** Gives the port back; the heaps stay open. */
  @Override
  public void close() {
    server.close();
    view.close();
    watched.forEach(MeteredHeapFactory::close);
    registry.close();
  }
}
