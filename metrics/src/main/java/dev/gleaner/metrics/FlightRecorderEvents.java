package dev.gleaner.metrics;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.LeakReport;
import dev.gleaner.refusal.HeapExhaustedException;
import jdk.jfr.FlightRecorder;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Writes what happens in one heap to the JDK's Flight Recorder:
 *
 * <pre>
 *   dev.gleaner.Collection       a collection, a slice of one, or another stop, with its duration
 *   dev.gleaner.HeapExhausted    a request for memory that was refused for good
 *   dev.gleaner.FinalizerFailed  a finalizer that threw
 *   dev.gleaner.Leak             what a heap had leaked when it was closed
 * </pre>
 *
 * <p>A heap that is opened while the recorder runs (as under {@code -XX:StartFlightRecording}) has
 * one by itself. To see a heap that was opened before the recording starts, add one: {@code
 * heap.addListener(new FlightRecorderEvents())}. It costs a field read a collection until then, and
 * loads nothing of the recorder.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class FlightRecorderEvents implements HeapListener {

  /** A runtime image can be made without the recorder. */
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  /** The collection that is under way, an event of the recorder; they do not nest. */
  private @Nullable Object collection;

  /** Makes a listener, for one heap. */
  public FlightRecorderEvents() {}

  /** {@return whether the recorder was started in this JVM; does not start it} */
  public static boolean isRecorderOn() {
    return PRESENT && FlightRecorder.isInitialized();
  }

  @Override
  public void collectionStarting() {
    collection = isRecorderOn() ? Writer.begin() : null;
  }

  @Override
  public void collectionFinished(CollectionEvent e) {
    if (collection != null) {
      Writer.end(collection, e);
      collection = null;
    }
  }

  @Override
  public void paused(CollectionEvent e) {
    if (isRecorderOn()) {
      Writer.end(Writer.begin(), e);
    }
  }

  @Override
  public void exhausted(Heap heap, HeapExhaustedException refusal) {
    if (isRecorderOn()) {
      Writer.write(heap, refusal);
    }
  }

  @Override
  public void finalizerFailed(Heap heap, String label, Throwable error) {
    if (isRecorderOn()) {
      Writer.write(heap, label, error);
    }
  }

  @Override
  public void leaked(Heap heap, LeakReport report) {
    if (isRecorderOn()) {
      Writer.write(heap, report);
    }
  }

  /** Apart, so that the event classes are loaded with the first event only. */
  private static final class Writer {
    static Object begin() {
      CollectionJfrEvent event = new CollectionJfrEvent();
      event.begin();
      return event;
    }

    static void end(Object begun, CollectionEvent e) {
      CollectionJfrEvent event = (CollectionJfrEvent) begun;
      event.end();
      if (!event.shouldCommit()) {
        return;
      }
      event.heap = e.heap();
      event.collector = e.collector();
      event.cause = e.cause().text();
      event.action = e.mode().text();
      event.phase = e.phase();
      event.finished = e.collectionFinished();
      event.pause = e.pauseNanos();
      event.usedBefore = e.usedBefore();
      event.usedAfter = e.usedAfter();
      event.reclaimedBytes = e.reclaimedBytes();
      event.reclaimedElements = e.reclaimedElements();
      event.commit();
    }

    static void write(Heap heap, HeapExhaustedException refusal) {
      ExhaustionJfrEvent event = new ExhaustionJfrEvent();
      event.heap = heap.name();
      event.collector = heap.collector();
      event.requested = refusal.requested();
      event.used = refusal.used();
      event.limit = refusal.limit();
      event.commit();
    }

    static void write(Heap heap, String label, Throwable error) {
      FinalizerJfrEvent event = new FinalizerJfrEvent();
      event.heap = heap.name();
      event.collector = heap.collector();
      event.label = label;
      event.error = error.toString();
      event.commit();
    }

    static void write(Heap heap, LeakReport report) {
      LeakJfrEvent event = new LeakJfrEvent();
      event.heap = heap.name();
      event.collector = heap.collector();
      event.elements = report.elements();
      event.bytes = report.bytes();
      event.sample = String.join("\n", report.sample());
      event.commit();
    }
  }
}
