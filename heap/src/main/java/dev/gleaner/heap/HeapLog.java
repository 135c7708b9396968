package dev.gleaner.heap;

import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.text.BoundedLog;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells what happens in a heap: listeners of collections, the log of what failed.
 *
 * <p>Nothing that is told can fail: what a listener throws, whatever it is, goes to the log, and
 * all others are told. The log is {@linkplain BoundedLog bounded}; the figures have all that
 * failed.
 */
final class HeapLog {
  private final Heap heap;
  private final BoundedLog log;

  /** Replaced when it changes: a listener may add and remove others, and itself. */
  private HeapListener[] listeners = {};

  /** On-free callbacks and listeners that threw. */
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

  boolean hasListeners() {
    return listeners.length > 0;
  }

  void starting() {
    tell(HeapListener::collectionStarting);
  }

  void collected(CollectionEvent event) {
    tell(l -> l.collectionFinished(event));
  }

  /** Whether no listener objects that a refused request collects once more. */
  boolean mayCollectAgain() {
    boolean[] may = {true};
    tell(l -> may[0] &= l.mayCollectAgain());
    return may[0];
  }

  void searched(long bytes) {
    tell(l -> l.searched(bytes));
  }

  void exhausted(HeapExhaustedException refusal) {
    tell(l -> l.exhausted(heap, refusal));
  }

  void finalizerFailed(String label, Throwable e) {
    warn("finalizer failed", "finalizer " + label + " failed", e);
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
        callbackFailed("listener", name(l), e);
      }
    }
  }

  /** Logs what code of the program has thrown. */
  void callbackFailed(String what, String name, Throwable e) {
    callbacksFailed++;
    warn(what + " failed", what + " " + name + " failed", e);
  }

  /** Logs that a finalizer has no frame to run in. */
  void noFrame(Throwable e) {
    warn("entering a finalizer's frame failed", "entering a finalizer's frame failed", e);
  }

  /** Logs and tells what has leaked, if anything has. */
  void warnOf(LeakReport report) {
    if (report.elements() > 0) {
      warn("leak", report.toString(), null);
      tell(l -> l.leaked(heap, report));
    }
  }

  private void warn(String what, String text, @Nullable Throwable e) {
    try {
      heap.mutator().observers.tell(() -> log.warn(what, text, e));
    } catch (Throwable _) {
      // The memory or stack that it was to tell of.
    }
  }

  /** The heap is closed: nothing more is logged. */
  void end() {
    log.end();
  }

  static String name(Object o) {
    return o.getClass().getName();
  }
}
