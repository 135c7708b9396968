package dev.gleaner.mark;

import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.weak.FinalizerTable;
import org.jspecify.annotations.Nullable;

/**
 * Duktape's rule for finalizers ("Finalizer behavior").
 *
 * <pre>
 *   begin   before the roots are traced
 *   find    when all that they reach is known:
 *             what weak tables hold is traced, too; weak values go (Ephemerons)
 *             unreachable, its finalizer did not run yet -> finalize list, traced too
 *             its finalizer ran: reachable -> rescued; else the entry goes, and the element
 *             weak references to what is on the finalize list are cleared
 *             entries of weak tables go whose keys or values do
 * </pre>
 *
 * <p>Under counting an element comes to the list when its count drops to zero, by {@link #dies}.
 *
 * <p>A rescue is not decided while finalizers wait or run, since what they reach is reachable for
 * that alone.
 */
public final class DuktapeFinalizers {
  private final HeapContext context;
  private final FinalizerTable table;
  private final boolean run;
  private final boolean reverse;
  private final @Nullable ReferenceCounts counts;
  private final Ephemerons ephemerons;
  private boolean rescuesPostponed;

  // In slices: the entries from one serial number to another, forwards or backwards.

  private long serial;
  private long lastSerial;
  private int reached;

  private static final int AT_ONCE = 256;

  /** What a collector traces with; elements are named by where they were at the beginning. */
  public interface Tracer {
    boolean isReached(long element);

    /** Reaches an element, and what it refers to before {@link #drain} has ended. */
    void reach(long element);

    void drain();

    /** Does {@link #drain} until a deadline, in nanoseconds; returns whether it is done. */
    default boolean drain(long deadline) {
      drain();
      return true;
    }

    /**
     * Whether tracing itself subtracts from the counts what an element holds, so that nothing is to
     * be subtracted when it goes unreached.
     */
    default boolean subtracts() {
      return false;
    }
  }

  public DuktapeFinalizers(HeapContext context) {
    this(context, null);
  }

  /**
   * Makes the rule for a heap.
   *
   * @param counts of references, the finalize list's among them; null if the collector has none
   */
  public DuktapeFinalizers(HeapContext context, @Nullable ReferenceCounts counts) {
    this.context = context;
    this.counts = counts;
    this.table = context.finalizers();
    this.run = context.settings().finalizers();
    this.reverse = context.settings().finalizersInReverse();
    this.ephemerons = new Ephemerons(context);
  }

  /** Takes note of what the finalize list makes unknowable. */
  public void begin() {
    rescuesPostponed = table.postponesRescues();
  }

  /** Finds what is to be finalized, was rescued, or is done with. */
  public void find(Tracer tracer) {
    ephemerons.begin(tracer);
    if (table.size() > 0) {
      findUnreached(tracer);
    }
    ephemerons.end(tracer);
  }

  private void findUnreached(Tracer tracer) {
    int bound = table.bound();
    boolean rescueNow = !rescuesPostponed && !table.postponesRescues();
    int queuedFrom = table.queued();
    for (int i = 0; i < bound; i++) {
      int entry = reverse ? bound - 1 - i : i;
      long e = table.element(entry);
      if (e == 0) {
        continue;
      }
      byte state = table.state(entry);
      if (tracer.isReached(e)) {
        if (state == FinalizerTable.FINALIZED && rescueNow) {
          table.rescue(entry);
          context.countRescued();
        }
      } else if (state == FinalizerTable.IDLE && run) {
        enqueue(entry);
      }
    }
    decide(tracer, 0, queuedFrom);
  }

  /**
   * Finds what is to be finalized, or is done with, among what is young: in a minor collection. No
   * rescue is decided.
   *
   * @param tracer takes what is not young for reached
   * @param since the first entry that may be a young element's: older ones are not looked at
   */
  public void findYoung(Tracer tracer, int since) {
    ephemerons.beginYoung(tracer);
    int queuedFrom = table.queued();
    int last = table.bound() - 1;
    for (int i = since; i <= last; i++) {
      int entry = reverse ? since + last - i : i;
      long e = table.element(entry);
      boolean dead = e != 0 && !tracer.isReached(e);
      if (dead && run && table.state(entry) == FinalizerTable.IDLE) {
        enqueue(entry);
      }
    }
    decide(tracer, since, queuedFrom);
    ephemerons.end(tracer);
  }

  /** Traces what came to the finalize list, and forgets entries whose elements go even so. */
  private void decide(Tracer tracer, int since, int queuedFrom) {
    int bound = table.bound();
    for (int i = queuedFrom; i < table.queued(); i++) {
      tracer.reach(table.queuedElement(i));
    }
    table.arrange(queuedFrom);
    tracer.drain();
    ephemerons.trace(tracer);
    for (int entry = since; entry < bound; entry++) {
      long e = table.element(entry);
      if (e != 0 && !tracer.isReached(e)) {
        table.removeEntry(entry);
      }
    }
    context.weak().clearQueued(table);
  }

  private void enqueue(int entry) {
    table.enqueue(entry);
    if (counts != null) {
      counts.increment(table.element(entry));
    }
  }

  /** Whether an element's finalizer has run, and the element was not rescued. */
  public boolean wasFinalized(long element) {
    int entry = table.find(element);
    return entry >= 0 && table.state(entry) == FinalizerTable.FINALIZED;
  }

  /**
   * Decides about an element whose count dropped to zero.
   *
   * @return false if it is on the finalize list now
   */
  public boolean dies(long element) {
    int entry = table.find(element);
    boolean finalize = entry >= 0 && run && table.state(entry) == FinalizerTable.IDLE;
    if (finalize) {
      table.enqueueNext(entry);
      if (counts != null) {
        counts.keep(element);
      }
    } else if (entry >= 0) {
      table.removeEntry(entry);
    }
    context.weak().clear(element);
    context.weakTables().lost(element, !finalize);
    if (!finalize) {
      context.died(element);
    }
    return !finalize;
  }

  // ---- in slices ----

  /** What is done with each entry. */
  @FunctionalInterface
  private interface EntryVisitor {
    void entry(int entry, long element, boolean isReached);
  }

  /** Begins to trace what weak tables hold. */
  void beginWeak(Tracer tracer) {
    ephemerons.start(tracer);
  }

  /** Traces what weak tables hold until the deadline; returns whether all is traced. */
  boolean traceWeak(long deadline) {
    return ephemerons.traceUntil(deadline);
  }

  /** The program may reach an element, while that is traced. */
  void shade(long value) {
    ephemerons.shade(value);
  }

  /** Gives the tracing up. */
  void stop() {
    ephemerons.stop();
  }

  /**
   * Begins to go through all entries. Those that are made meanwhile are of elements that are
   * reached.
   */
  void beginEntries() {
    lastSerial = table.lastSerial();
    serial = reverse ? lastSerial : 1;
  }

  /**
   * Goes through entries, once all that the roots reach is reached: holds elements back that are to
   * be finalized, and rescues others.
   *
   * @return whether all are looked at
   */
  boolean findUntil(long deadline, Tracer tracer) {
    boolean rescueNow = !rescuesPostponed && !table.postponesRescues();
    return forEachEntry(
        deadline,
        tracer,
        (entry, e, isReached) -> {
          byte state = table.state(entry);
          if (isReached) {
            if (state == FinalizerTable.FINALIZED && rescueNow) {
              table.rescue(entry);
              context.countRescued();
            }
          } else if (state == FinalizerTable.IDLE && run) {
            table.hold(entry);
            if (counts != null) {
              counts.increment(e);
            }
          }
        });
  }

  /** Begins to trace what is held back. */
  void beginHeld() {
    reached = 0;
    ephemerons.goOn();
  }

  /** Traces what is held back, and what that leads to; returns whether all is traced. */
  boolean traceHeld(long deadline, Tracer tracer) {
    while (reached < table.held()) {
      int end = Math.min(table.held(), reached + AT_ONCE);
      for (; reached < end; reached++) {
        tracer.reach(table.heldElement(reached));
      }
      if (!tracer.drain(deadline)) {
        return false;
      }
    }
    return ephemerons.traceUntil(deadline);
  }

  /** Forgets entries whose elements go; returns whether all are looked at. */
  boolean forgetUntil(long deadline, Tracer tracer) {
    return forEachEntry(
        deadline,
        tracer,
        (entry, _, isReached) -> {
          if (!isReached) {
            table.removeEntry(entry);
          }
        });
  }

  /** Shrinks the table, as entries went; returns whether that is done. */
  boolean tidyUntil(long deadline) {
    return table.tidyUntil(deadline);
  }

  /** Puts what was held back on the finalize list; returns whether all is there. */
  boolean letGoUntil(long deadline) {
    if (table.tracksAges()) { // all at once, as they are put into order
      int queuedFrom = table.queued();
      table.letGo(Integer.MAX_VALUE);
      table.arrange(queuedFrom);
      return true;
    }
    while (true) {
      table.letGo(AT_ONCE);
      if (table.held() == 0) {
        return true;
      }
      if (deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
        return false;
      }
    }
  }

  private boolean forEachEntry(long deadline, Tracer tracer, EntryVisitor visitor) {
    int left = AT_ONCE;
    int entry = reverse ? table.firstSince(serial + 1) - 1 : table.firstSince(serial);
    while (reverse ? entry >= 0 : entry < table.bound() && table.serial(entry) <= lastSerial) {
      if (--left == 0) {
        if (deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
          serial = table.serial(entry);
          return false;
        }
        left = AT_ONCE;
      }
      long e = table.element(entry);
      if (e != 0) {
        visitor.entry(entry, e, tracer.isReached(e));
      }
      entry += reverse ? -1 : 1;
    }
    return true;
  }
}
