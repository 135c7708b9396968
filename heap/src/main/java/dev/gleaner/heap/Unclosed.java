package dev.gleaner.heap;

import dev.gleaner.memory.Cleaning;
import dev.gleaner.text.BoundedLog;
import java.lang.ref.Cleaner;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Warns of a heap that nobody closed and nothing refers to. This class does not refer to the heap.
 * {@code dev.gleaner.memory.Memory} gives the heap's memory back. The program's finalizers,
 * callbacks and listeners are not called: they belong to a Java thread that may be doing anything
 * now.
 *
 * <p>The logger is {@code dev.gleaner.unclosed}, as the fault is the program's and not the heap's.
 */
final class Unclosed implements Runnable {
  private static final int SITES = 64;
  private static final BoundedLog LOG = new BoundedLog("dev.gleaner.unclosed", "not closed", SITES);

  /** The place where a heap was opened. */
  @SuppressWarnings("serial") // nobody serializes it
  private static final class Opening extends Throwable {
    Opening() {
      super("the heap was opened here");
    }
  }

  private final String heap;
  private final String collector;
  private final @Nullable Opening opening;
  private boolean closed;

  private Cleaner.@Nullable Cleanable cleanable;

  private Unclosed(Object heap, String collector, @Nullable Opening opening) {
    this.heap = heap.toString();
    this.collector = collector;
    this.opening = opening;
  }

  /** Watches a heap. The caller closes the result when the heap is closed. */
  static Unclosed watch(Object heap, String collector, boolean stack) {
    Unclosed unclosed = new Unclosed(heap, collector, stack ? new Opening() : null);
    unclosed.cleanable = Cleaning.CLEANER.register(heap, unclosed);
    return unclosed;
  }

  /** Notes that the heap is closed. */
  void close() {
    closed = true;
    if (cleanable != null) {
      cleanable.clean();
    }
  }

  @Override
  public void run() {
    if (!closed) {
      String site = opening == null ? "" : ", which " + site(opening) + " opened";
      String advice =
          opening == null
              ? "; with gleaner.leak-stacks = on this warning tells who opened the heap"
              : "";
      LOG.warn(
          "a heap of " + collector + site,
          heap
              + site
              + ": its memory is given back, its finalizers and listeners are not called"
              + advice,
          opening);
    }
  }

  private static final List<String> LIBRARY =
      List.of(
          "dev.gleaner.heap.",
          "dev.gleaner.parts.",
          "dev.gleaner.config.",
          "dev.gleaner.metrics.",
          "dev.gleaner.lua.");

  /** Returns the first caller outside of this library. */
  private static String site(Opening opening) {
    for (StackTraceElement frame : opening.getStackTrace()) {
      if (!isOurs(frame.getClassName())) {
        return frame.toString();
      }
    }
    return opening.getStackTrace()[0].toString();
  }

  private static boolean isOurs(String type) {
    for (String each : LIBRARY) {
      if (type.startsWith(each)) {
        return true;
      }
    }
    return false;
  }
}
