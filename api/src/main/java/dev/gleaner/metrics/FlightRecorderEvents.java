package dev.gleaner.metrics;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.HeapListener;
import jdk.jfr.FlightRecorder;
import org.apiguardian.api.API;

/**
 * Writes an event {@code dev.gleaner.Collection} to the JDK's Flight Recorder for each collection,
 * and for each slice of an incremental one.
 *
 * <p>A heap that is opened while the recorder runs (as under {@code -XX:StartFlightRecording}) has
 * it by itself. To see a heap that was opened before the recording starts, add it: {@code
 * heap.addListener(FlightRecorderEvents.LISTENER)}. It costs a field read a collection until then,
 * and loads nothing of the recorder.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class FlightRecorderEvents implements HeapListener {

  /** The listener, for any number of heaps. */
  public static final FlightRecorderEvents LISTENER = new FlightRecorderEvents();

  /** A runtime image can be made without the recorder. */
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private FlightRecorderEvents() {}

  /** {@return whether the recorder was started in this JVM; does not start it} */
  public static boolean isRecorderOn() {
    return PRESENT && FlightRecorder.isInitialized();
  }

  @Override
  public void collectionFinished(CollectionEvent e) {
    if (isRecorderOn()) {
      Writer.write(e);
    }
  }

  /** Apart, so that the event class is loaded with the first event only. */
  private static final class Writer {
    static void write(CollectionEvent e) {
      CollectionJfrEvent event = new CollectionJfrEvent();
      if (!event.shouldCommit()) {
        return;
      }
      event.heap = e.heap();
      event.collector = e.collector();
      event.cause = e.cause();
      event.mode = e.mode();
      event.finished = e.collectionFinished();
      event.pause = e.pauseNanos();
      event.usedBefore = e.usedBefore();
      event.usedAfter = e.usedAfter();
      event.reclaimedBytes = e.reclaimedBytes();
      event.reclaimedElements = e.reclaimedElements();
      event.commit();
    }
  }
}
