package dev.gleaner.metrics;

import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.HeapListenerProvider;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/** Gives heaps that are opened while the Flight Recorder runs their events. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class FlightRecorderProvider implements HeapListenerProvider {
  /** For the service loader. */
  public FlightRecorderProvider() {}

  @Override
  public @Nullable HeapListener listener() {
    return FlightRecorderEvents.isRecorderOn() ? new FlightRecorderEvents() : null;
  }
}
