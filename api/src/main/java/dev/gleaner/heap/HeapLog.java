package dev.gleaner.heap;

import dev.gleaner.refusal.HeapExhaustedException;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells what happens in a heap: listeners of collections, the log of what failed.
 *
 * <p>Nothing that is told can fail: what a listener throws, whatever it is, goes to the log, and
 * all others are told. A log that throws is left alone; the figures have what failed all the same.
 */
final class HeapLog {
  private static final System.Logger LOGGER = System.getLogger("dev.gleaner.heap");

  private final Heap heap;

  /** Replaced when it changes: a listener may add and remove others, and itself. */
  private HeapListener[] listeners = {};

  /** On-free callbacks and listeners that threw. */
  long callbacksFailed;

  HeapLog(Heap heap) {
    this.heap = heap;
  }

  void add(HeapListener listener) {
    listeners = Arrays.copyOf(listeners, listeners.length + 1);
    listeners[listeners.length - 1] = listener;
  }

  void remove(HeapListener listener) {
    int at = Arrays.asList(listeners).indexOf(listener);
    if (at >= 0) {
      HeapListener[] left = Arrays.copyOf(listeners, listeners.length - 1);
      System.arraycopy(listeners, at + 1, left, at, left.length - at);
      listeners = left;
    }
  }

  boolean hasListeners() {
    return listeners.length > 0;
  }

  void starting() {
    tell(HeapListener::collectionStarting);
  }

  void collected(CollectionEvent event) {
    tell(l -> l.collectionFinished(event));
  }

  void searched(long bytes) {
    tell(l -> l.searched(bytes));
  }

  void exhausted(HeapExhaustedException refusal) {
    tell(l -> l.exhausted(heap, refusal));
  }

  void finalizerFailed(String label, Throwable e) {
    failed("finalizer " + label, e);
    tell(l -> l.finalizerFailed(heap, label, e));
  }

  void closed() {
    tell(l -> l.heapClosed(heap));
  }

  private void tell(Consumer<HeapListener> event) {
    for (HeapListener l : listeners) {
      try {
        heap.mutator().observers.tell(() -> event.accept(l));
      } catch (Throwable e) { // a checked one can be thrown, too
        callbackFailed("listener " + name(l), e);
      }
    }
  }

  void callbackFailed(String what, Throwable e) {
    callbacksFailed++;
    failed(what, e);
  }

  /** Logs what was thrown. */
  void failed(String what, Throwable e) {
    warn(what + " failed", e);
  }

  /** Logs and tells what has leaked, if anything has. */
  void warnOf(LeakReport report) {
    if (report.elements() > 0) {
      warn(report.toString(), null);
      tell(l -> l.leaked(heap, report));
    }
  }

  private void warn(String text, @Nullable Throwable e) {
    try {
      String line = "heap " + heap.name() + ": " + text;
      heap.mutator().observers.tell(() -> LOGGER.log(System.Logger.Level.WARNING, line, e));
    } catch (Throwable _) {
      // A handler's own fault, or the memory or stack that it was to tell of.
    }
  }

  static String name(Object o) {
    return o.getClass().getName();
  }
}
