package dev.gleaner.spi;

import org.apiguardian.api.API;

/**
 * Makes the collector of one heap. Bound by a provider's module; called for every heap that is
 * opened, in any thread.
 */
@API(status = API.Status.STABLE, since = "0.1")
@FunctionalInterface
public interface CollectorFactory {

  /**
   * Returns a new collector for the heap behind this context. Reads no configuration: opening takes
   * microseconds.
   *
   * @param context what the collector gets of its heap
   * @return the collector
   */
  Collector create(HeapContext context);
}
