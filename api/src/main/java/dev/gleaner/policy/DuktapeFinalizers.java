package dev.gleaner.policy;

import dev.gleaner.spi.HeapContext;

/**
 * Duktape's rule for finalizers, for collectors that trace ("Finalizer behavior").
 *
 * <pre>
 *   begin   before the roots are traced
 *   find    when all that they reach is known:
 *             unreachable, its finalizer did not run yet -> finalize list, traced too
 *             its finalizer ran: reachable -> rescued; else the entry goes, and the element
 *             weak references to what is on the finalize list are cleared
 * </pre>
 *
 * <p>A rescue is not decided while finalizers wait or run, since what they reach is reachable for
 * that alone.
 */
public final class DuktapeFinalizers {
  private final HeapContext context;
  private final FinalizerTable table;
  private final boolean run;
  private boolean rescuesPostponed;

  /** What a collector traces with; elements are named by where they were at the beginning. */
  public interface Tracer {
    boolean isReached(long element);

    /** Reaches an element, and what it refers to before {@link #drain} has ended. */
    void reach(long element);

    void drain();
  }

  public DuktapeFinalizers(HeapContext context) {
    this.context = context;
    this.table = context.finalizers();
    this.run = context.settings().finalizers();
  }

  /** Takes note of what the finalize list makes unknowable. */
  public void begin() {
    rescuesPostponed = table.postponesRescues();
  }

  /** Finds what is to be finalized, was rescued, or is done with. */
  public void find(Tracer tracer) {
    if (table.size() == 0) {
      return;
    }
    int bound = table.bound();
    boolean rescueNow = !rescuesPostponed && !table.postponesRescues();
    int queuedFrom = table.queued();
    for (int entry = 0; entry < bound; entry++) {
      long e = table.element(entry);
      if (e == 0) {
        continue;
      }
      byte state = table.state(entry);
      if (tracer.isReached(e)) {
        if (state == FinalizerTable.FINALIZED && rescueNow) {
          table.setState(entry, FinalizerTable.IDLE);
          context.countRescued();
        }
      } else if (state == FinalizerTable.IDLE && run) {
        table.enqueue(entry);
      }
    }
    for (int i = queuedFrom; i < table.queued(); i++) {
      tracer.reach(table.queuedElement(i));
    }
    tracer.drain();
    for (int entry = 0; entry < bound; entry++) {
      long e = table.element(entry);
      if (e != 0 && !tracer.isReached(e)) {
        table.removeEntry(entry);
      }
    }
    context.weak().clearQueued(table);
  }
}
