package dev.gleaner.heap;

import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.text.BoundedLog;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the listeners at a heap's events, and logs failures.
 *
 * <p>A listener cannot harm the heap: its exceptions and errors go to the log, and all other
 * listeners are called. The log is {@linkplain BoundedLog bounded}, but the figures count every
 * failure.
 */
final class HeapLog implements HeapEvents {
  private final Heap heap;
  private final BoundedLog log;

  /** The listeners. A change replaces the array, as a listener may add and remove listeners. */
  private HeapListener[] listeners = {};

  /** The number of calls of on-free callbacks and listeners that threw. */
  long callbacksFailed;

  HeapLog(Heap heap) {
    this.heap = heap;
    this.log = new BoundedLog("dev.gleaner.heap", "heap " + heap.name());
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

  @Override
  public boolean hasListeners() {
    return listeners.length > 0;
  }

  @Override
  public void starting() {
    tell(HeapListener::collectionStarting);
  }

  @Override
  public void collected(CollectionEvent event) {
    tell(l -> l.collectionFinished(event));
  }

  @Override
  public void paused(CollectionEvent event) {
    tell(l -> l.paused(event));
  }

  /** Whether all listeners allow a refused request to collect once more. */
  @Override
  public boolean mayCollectAgain() {
    boolean[] may = {true};
    tell(l -> may[0] &= l.mayCollectAgain());
    return may[0];
  }

  @Override
  public void searched(long bytes) {
    tell(l -> l.searched(bytes));
  }

  @Override
  public void exhausted(HeapExhaustedException refusal) {
    tell(l -> l.exhausted(heap, refusal));
  }

  @Override
  public void finalizerFailed(String label, Throwable e) {
    warn("finalizer failed", "finalizer " + label + " failed", e);
    tell(l -> l.finalizerFailed(heap, label, e));
  }

  @Override
  public void closed() {
    tell(l -> l.heapClosed(heap));
  }

  private void tell(Consumer<HeapListener> event) {
    for (HeapListener l : listeners) {
      try {
        heap.observers().tell(() -> event.accept(l));
      } catch (Throwable e) { // also checked exceptions, which other languages throw
        callbackFailed("listener", name(l), e);
      }
    }
  }

  /** Logs an exception or error of the program's code. */
  @Override
  public void callbackFailed(String what, String name, Throwable e) {
    callbacksFailed++;
    warn(what + " failed", what + " " + name + " failed", e);
  }

  /** Logs that a finalizer has no frame to run in. */
  @Override
  public void noFrame(Throwable e) {
    warn("entering a finalizer's frame failed", "entering a finalizer's frame failed", e);
  }

  /** Logs a leak, and calls the listeners, if anything has leaked. */
  void warnOf(LeakReport report) {
    if (report.elements() > 0) {
      warn("leak", report.toString(), null);
      tell(l -> l.leaked(heap, report));
    }
  }

  private void warn(String what, String text, @Nullable Throwable e) {
    try {
      heap.observers().tell(() -> log.warn(what, text, e));
    } catch (Throwable _) {
      // The JVM's memory or stack ended in the log, too.
    }
  }

  /** Ends the log, as the heap is closed. */
  void end() {
    log.end();
  }

  private static String name(Object o) {
    return o.getClass().getName();
  }
}
