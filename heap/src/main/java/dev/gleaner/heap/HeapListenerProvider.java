package dev.gleaner.heap;

import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Gives each new heap a listener. {@link java.util.ServiceLoader} finds the providers, with the
 * class loader of this interface. If a provider cannot be made, or throws, the log says so, and the
 * heap opens without that provider's listener.
 */
@API(status = API.Status.STABLE, since = "0.1")
public interface HeapListenerProvider {
  /** {@return a listener for a heap that is being opened; null for no listener} */
  @Nullable HeapListener listener();
}
