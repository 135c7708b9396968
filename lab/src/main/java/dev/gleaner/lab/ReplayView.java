package dev.gleaner.lab;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.lab.trace.Replay;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceFormat;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * Shows a heap in the midst of a replay. A watched place is asked for after each operation, so the
 * replay takes a walk over the heap for each.
 */
final class ReplayView {
  private final TraceFile trace;
  private final long until;
  private final boolean print;
  private final @Nullable Long offset;
  private final PrintWriter out;

  /** What was last at the watched place. */
  private String last = "";

  /** The last collection of the operation that is under way. */
  private String collection = "";

  ReplayView(TraceFile trace, long until, boolean print, @Nullable Long offset, PrintWriter out) {
    this.trace = trace;
    this.until = until;
    this.print = print;
    this.offset = offset;
    this.out = out;
  }

  /**
   * Does the operations on a heap of its own.
   *
   * @return whether all went as it was recorded
   */
  boolean show(HeapFactory factory) {
    Replay replay = Replay.on(trace, open -> open.apply(factory), _ -> {});
    try (Heap heap = replay.heap()) {
      replay.stopAfter(until);
      if (offset != null) {
        watch(heap, replay, offset);
      }
      replay.run();
      replay.observe(null);
      out.println(
          "%s: %d of %d operations"
              .formatted(heap.collector(), replay.done(), trace.total(TraceFormat.OPERATIONS)));
      if (print) {
        out.println(heap.statistics());
        out.print(heap.inspect().frames());
        out.print(heap.inspect().pageMap());
      }
      String first = replay.divergences().first();
      if (first != null) {
        out.println(heap.collector() + ": the first divergence: " + first);
      }
      replay.release();
      return first == null;
    } catch (HeapExhaustedException e) {
      out.println(e.getMessage());
      return false;
    }
  }

  private void watch(Heap heap, Replay replay, long at) {
    heap.addListener(
        new HeapListener() {
          @Override
          public void collectionFinished(CollectionEvent e) {
            collection = ", " + e.mode() + " collection, " + e.cause();
          }
        });
    last = heap.inspect().whatIsAt(at);
    out.println("at the start: " + last);
    replay.observe((number, name) -> {
      String now = heap.inspect().whatIsAt(at);
      if (!now.equals(last)) {
        out.println("operation " + number + ", " + name + collection + ": " + now);
        last = now;
      }
      collection = "";
    });
  }
}
