package dev.gleaner.heap;

import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Gives each heap a listener when it is opened. Found by {@link java.util.ServiceLoader}, with the
 * class loader that has this interface. A provider that cannot be made, or throws, is told in the
 * log; the heap is opened without its listener.
 */
@API(status = API.Status.STABLE, since = "0.1")
public interface HeapListenerProvider {
  /** {@return a listener for a heap that is opened now; null if it needs none} */
  @Nullable HeapListener listener();
}
