package dev.gleaner.mark;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.space.StackSnapshot;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.weak.Undecided;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is alive: marks what the roots reach, then decides about finalizers and marks what
 * those need (Duktape, "Mark-and-sweep", steps 2 and 3).
 *
 * <pre>
 *   start   built-ins, threads, globals, finalize list
 *   drain   what they reach; with a deadline, until then
 *   finish  the unreachable with a finalizer that did not run yet -> finalize list, marked too;
 *           those whose finalizer ran: reachable -> rescued, else forgotten
 * </pre>
 *
 * <p>In slices {@code finish} has parts: {@link #traceWeak} closes the marking; {@link
 * #findFinalizers}, {@link #hideLost}, {@link #traceHeld}, {@link #clearLost} follow, see {@link
 * Undecided}; then {@link #sweepStrings}.
 *
 * <p>With sticky marks (Demers et al. 1990) a minor collection does {@link #resume}, {@link
 * #rescan} for what is remembered, {@code drain}, {@link #finishYoung}.
 */
public final class MarkPhase implements DuktapeFinalizers.Tracer, Undecided, AutoCloseable {
  private final HeapContext context;
  private final Memory memory;
  private final Marker marker;
  private final DuktapeFinalizers finalizers;
  private final StackSnapshot stacks;
  private @Nullable Runnable hurry;

  /** Whether weak tables are traced in slices, and marking is not closed. */
  private boolean tracesWeak;

  /** Weak keys that the closed marking did not reach, while finalizers are traced. */
  private @Nullable OffsetSet hidden;

  /** The part of the present step. */
  private int part;

  private @Nullable MarkBits bits;

  /**
   * Makes the phase for a heap.
   *
   * @param counts that the finalize list takes part in; null if the collector has none
   */
  public MarkPhase(HeapContext context, @Nullable ReferenceCounts counts) {
    this(context, counts, null);
  }

  /**
   * Makes the phase for a heap without counts.
   *
   * @param visitor told of each element that is reached: to count, to mark lines
   */
  public MarkPhase(HeapContext context, Marker.Visitor visitor) {
    this(context, null, visitor);
  }

  private MarkPhase(
      HeapContext context, @Nullable ReferenceCounts counts, Marker.@Nullable Visitor visitor) {
    this.context = context;
    this.memory = context.memory();
    this.stacks = context.stackSnapshot();
    this.marker =
        new Marker(
            memory,
            context.regionBytes(),
            context.settings().mark().recursionLimit(),
            context.blocks(),
            visitor,
            context.settings().mark().threads());
    this.finalizers = new DuktapeFinalizers(context, counts);
  }

  /** Makes the phase for a heap without counts. */
  public MarkPhase(HeapContext context) {
    this(context, null, null);
  }

  /** Returns bits for a marking, all clear. */
  public MarkBits newBits() {
    return new MarkBits(context.regionBytes(), memory.isReserved());
  }

  /**
   * Clears the bits and marks the roots.
   *
   * @throws OutOfMemoryError if there is no memory for the bits
   */
  public void start(MarkBits into) {
    if (!tryStart(into)) {
      throw new OutOfMemoryError("no memory for the mark bits");
    }
  }

  /** The same; false if there is no memory for the bits. */
  public boolean tryStart(MarkBits into) {
    bits = into;
    if (!marker.start(into, context.raw())) {
      return false;
    }
    finalizers.begin();
    context.builtins().forEach(marker::mark);
    markRoots();
    return true;
  }

  /**
   * Clears bits that no marking uses, for the next one. A marking clears the rest as it starts.
   *
   * @param deadline a time of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   * @return whether all are clear
   */
  public boolean clear(MarkBits unused, long deadline) {
    return unused.clearUntil(context.raw().pages(), deadline);
  }

  private void markRoots() {
    context
        .roots()
        .forEachRoot(v -> {
          marker.mark(v);
          return v;
        });
  }

  // ---- sticky marks: what is marked is old ----

  /**
   * Begins a minor marking: keeps the marks, and marks the roots. What is marked is not scanned,
   * but for built-ins and what {@link #rescan} is given.
   *
   * @param from the bits of the last marking, minor or not
   * @throws OutOfMemoryError if there is no memory for the bits
   */
  public void resume(MarkBits from) {
    bits = from;
    if (!marker.resume(from, context.raw().extent())) {
      throw new OutOfMemoryError("no memory for the mark bits");
    }
    context.builtins().forEach(marker::rescan);
    markRoots();
  }

  /** Scans a marked element again: a remembered one. */
  public void rescan(long element) {
    marker.rescan(element);
  }

  /**
   * Decides about finalizers of what is young, and clears what leads to the dead, strings apart:
   * those the collector tells of by {@link HeapContext#stringDied}.
   *
   * @param since the first entry of {@link HeapContext#finalizers} that may be a young element's
   */
  public void finishYoung(int since) {
    finalizers.findYoung(this, since);
    context.sweepYoungWeak(this::isReached);
    marker.shrinkStack();
  }

  /** As {@link #finishYoung}, for collectors that do not see which strings die. */
  public void finishYoungAndStrings(int since) {
    finalizers.findYoung(this, since);
    context.sweepWeak(this::isReached);
    marker.shrinkStack();
  }

  // ---- a full marking ----

  /**
   * Begins the snapshot of the running threads' stacks: slots have no barrier.
   *
   * @param threads walks the elements of a kind
   */
  public void beginStacks(HeapContext.KindWalk threads) {
    stacks.begin(marker::mark);
    threads.forEach(Layout.THREAD, stacks::add);
  }

  /** Takes more of the stacks, until the deadline; returns whether all is taken. */
  public boolean takeStacks(long deadline) {
    return stacks.takeUntil(deadline);
  }

  /** Gives up a marking in slices, which is not closed. */
  public void abandon() {
    stacks.end();
    if (tracesWeak) {
      finalizers.stop();
      tracesWeak = false;
    }
  }

  /** Marks a new element, which holds nothing yet. */
  public void setMarked(long element) {
    if (bits != null) {
      bits.set(element);
    }
  }

  /** Marks an element, if the value is one; until marking is closed. */
  public void mark(long value) {
    if (tracesWeak) {
      finalizers.shade(value);
    } else {
      marker.mark(value);
    }
  }

  /** Marks until the deadline; returns whether all that is reached is marked. */
  @Override
  public boolean drain(long deadline) {
    return marker.drain(deadline);
  }

  /** Marks what weak tables hold, too; decides nothing and clears nothing. */
  public void traceWeakTables() {
    new Ephemerons(context).traceOnly(this);
  }

  /** Decides about finalizers, and clears what leads to the dead but keeps nothing alive. */
  public void finish() {
    finalizers.find(this);
    context.sweepWeak(this::isReached);
    marker.shrinkStack();
  }

  // ---- in slices: each returns whether it is done ----

  /** Names who ends the decision at once, when a program needs that. */
  public void onHurry(Runnable decide) {
    hurry = decide;
  }

  /** Marks what weak tables hold. When that is done, marking is closed. */
  public boolean traceWeak(long deadline) {
    if (!tracesWeak) {
      finalizers.beginWeak(this);
      tracesWeak = true;
    }
    if (!finalizers.traceWeak(deadline)) {
      return false;
    }
    tracesWeak = false;
    context.setUndecided(this);
    finalizers.beginEntries();
    return true;
  }

  /** Finds what is to be finalized, and what was rescued. */
  public boolean findFinalizers(long deadline) {
    if (!finalizers.findUntil(deadline, this)) {
      return false;
    }
    hidden = new OffsetSet();
    context.weak().begin();
    context.weakTables().beginWalk();
    part = 0;
    return true;
  }

  /** Clears weak references and weak values that are not reached; notes weak keys that are not. */
  public boolean hideLost(long deadline) {
    OffsetSet h = Objects.requireNonNull(hidden);
    if (part == 0) {
      if (!context.weak().sweepUntil(deadline, this::isReached)) {
        return false;
      }
      part = 1;
    }
    if (!context.weakTables().sweepValuesUntil(deadline, this::isReached, h::add)) {
      return false;
    }
    finalizers.beginHeld();
    return true;
  }

  /** Marks what finalizers need. */
  public boolean traceHeld(long deadline) {
    if (!finalizers.traceHeld(deadline, this)) {
      return false;
    }
    finalizers.stop();
    marker.shrinkStack();
    hidden = null;
    finalizers.beginEntries();
    context.weakTables().beginWalk();
    part = 0;
    return true;
  }

  /** Clears all that leads to the dead, and lets finalizers run. */
  public boolean clearLost(long deadline) {
    while (true) {
      boolean done =
          switch (part) {
            case 0 -> finalizers.forgetUntil(deadline, this);
            case 1 -> finalizers.tidyUntil(deadline);
            case 2 -> context.weakTables().sweepUntil(deadline, this::isReached);
            default -> finalizers.letGoUntil(deadline);
          };
      if (!done) {
        return false;
      }
      if (++part > 3) {
        context.setUndecided(null);
        context.beginStringSweep(this::isReached);
        return true;
      }
    }
  }

  @Override
  public boolean hides(long element) {
    return Layout.kind(memory.get(element)) != Layout.STRING
        && (!isReached(element) || (hidden != null && hidden.contains(element)));
  }

  @Override
  public void decide() {
    if (hurry != null) {
      hurry.run();
    }
  }

  /** Sweeps interned strings until the deadline; returns whether all are swept. */
  public boolean sweepStrings(long deadline) {
    return context.sweepStrings(this::isReached, deadline);
  }

  /**
   * The program found a string, or overwrites a value, when all that it reaches is marked. A string
   * that was not marked is alive again; all else that is not marked the program cannot keep.
   */
  public void keepString(long value) {
    if (Values.isReference(value) && Layout.kind(memory.get(value)) == Layout.STRING) {
      setMarked(value);
    }
  }

  @Override
  public boolean isReached(long element) {
    MarkBits b = bits;
    return b != null && b.get(element);
  }

  @Override
  public void reach(long element) {
    marker.mark(element);
  }

  @Override
  public void drain() {
    marker.drain();
  }

  @Override
  public void close() {
    marker.close();
  }
}
