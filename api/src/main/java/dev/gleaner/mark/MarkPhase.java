package dev.gleaner.mark;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.space.StackSnapshot;
import dev.gleaner.spi.HeapContext;
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
 */
public final class MarkPhase implements DuktapeFinalizers.Tracer, AutoCloseable {
  private final HeapContext context;
  private final Memory memory;
  private final Marker marker;
  private final DuktapeFinalizers finalizers;
  private final StackSnapshot stacks;
  private @Nullable MarkBits bits;

  /**
   * Makes the phase for a heap.
   *
   * @param counts that the finalize list takes part in; null if the collector has none
   */
  public MarkPhase(HeapContext context, @Nullable ReferenceCounts counts) {
    this.context = context;
    this.memory = context.memory();
    this.stacks = context.stackSnapshot();
    this.marker =
        new Marker(
            memory,
            context.regionBytes(),
            context.settings().mark().recursionLimit(),
            context.blocks());
    this.finalizers = new DuktapeFinalizers(context, counts);
  }

  /** Makes the phase for a heap without counts. */
  public MarkPhase(HeapContext context) {
    this(context, null);
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
    context
        .roots()
        .forEachRoot(v -> {
          marker.mark(v);
          return v;
        });
    return true;
  }

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

  /** Gives up a marking in slices. */
  public void abandon() {
    stacks.end();
  }

  /** Marks a new element, which holds nothing yet. */
  public void setMarked(long element) {
    if (bits != null) {
      bits.set(element);
    }
  }

  /** Marks an element, if the value is one. */
  public void mark(long value) {
    marker.mark(value);
  }

  /** Marks until the deadline; returns whether all that is reached is marked. */
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

  /** Does {@link #finish}, and leaves the strings to {@link #sweepStrings}. */
  public void finishButStrings() {
    finalizers.find(this);
    context.sweepYoungWeak(this::isReached);
    marker.shrinkStack();
    context.beginStringSweep();
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
