package dev.gleaner.spi;

import dev.gleaner.layout.BlockWatch;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.RootVisitor;
import dev.gleaner.layout.Roots;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.Budget;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.space.ImmortalSpace;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.PauseClock;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.StackSnapshot;
import dev.gleaner.weak.FinalizerTable;
import dev.gleaner.weak.Undecided;
import dev.gleaner.weak.WeakObjects;
import dev.gleaner.weak.WeakTable;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a heap gives its collector to work with. Only heaps implement it.
 *
 * <pre>
 *   to allocate        memory, raw, budget, gate, elementFunctions, builtins, newLargeSpace
 *   to trace           roots, builtins, weakTables
 *   after a tracing    finalizers, weak, sweepWeak        after a minor one   sweepYoungWeak
 *   in slices          setUndecided, beginStringSweep, sweepStrings
 *   after moving       relocate                                               relocateYoung, stringMoved
 *   to free            release, stringDied
 *   at the end         tidy
 * </pre>
 */
public interface HeapContext {
  /** {@return the heap's name, for messages} */
  String heap();

  /** {@return the settings in force} */
  HeapSettings settings();

  // ---- memory ----

  /** {@return the heap's memory} */
  Memory memory();

  /** {@return the memory with its pages and default allocator, for spaces over it} */
  RawSpace raw();

  /** {@return the most bytes the memory can have; offsets are below} */
  long regionBytes();

  /** {@return what is in use, and what the limit leaves} */
  Budget budget();

  /** {@return where requests are counted, which fires the voluntary trigger} */
  AllocationGate gate();

  /** {@return the clock for what stops the program besides collections} */
  PauseClock pauses();

  /** {@return whether the user provides the functions: then every element is a request to them} */
  boolean hasUserFunctions();

  /**
   * {@return the allocation functions in force, for the elements' own memory, whose requests the
   * heap counts itself}
   */
  AllocationFunctions elementFunctions();

  /** {@return a space for elements that are too large for cells} */
  LargeSpace newLargeSpace();

  /** {@return what counts the heap's changes that are under way} */
  CriticalSection section();

  // ---- what is alive ----

  /** {@return the roots, without those that a table of this context keeps} */
  Roots roots();

  /** {@return the built-ins: where allocations go while it is open, and roots} */
  ImmortalSpace builtins();

  /** {@return the elements that have a finalizer, and those whose finalizer is due} */
  FinalizerTable finalizers();

  /** {@return the weak references} */
  WeakTable weak();

  /** {@return the weak tables} */
  WeakObjects weakTables();

  /** {@return what tells of blocks of elements that are replaced, to who scans them in parts} */
  BlockWatch blocks();

  /** {@return the snapshot of stacks that a collection in slices takes} */
  StackSnapshot stackSnapshot();

  // ---- barriers and flags ----

  /** {@return the flags that every collection has now, a slice that completes one included} */
  int baseFlags();

  /** {@return whether the collector is told of stores, by {@link Collector#beforeStore}} */
  boolean barrier();

  /**
   * Turns the snapshot barrier on or off; only the collector does, between operations.
   *
   * @param on whether it is to be told of stores
   * @throws IllegalStateException if the collector's traits do not name {@link
   *     WriteBarrier#SNAPSHOT}
   */
  void setBarrier(boolean on);

  // ---- a collection's steps ----

  /**
   * Clears every reference that keeps nothing alive and leads to an element that is to go.
   *
   * @param stays whether the element at an offset stays
   */
  void sweepWeak(LongPredicate stays);

  /**
   * As {@link #sweepWeak} in a minor collection, which tells of each young string by itself: by
   * {@link #stringMoved} or {@link #stringDied}.
   *
   * @param stays whether the element at an offset stays; old ones do
   */
  void sweepYoungWeak(LongPredicate stays);

  /**
   * Says who hides elements in weak places from the program, in the midst of a collection.
   *
   * @param by the collection; null when all that leads to the dead is cleared
   */
  void setUndecided(@Nullable Undecided by);

  /**
   * Begins to sweep the interned strings in slices, instead of by {@link #sweepWeak}. Identity
   * hashes and the cache of strings are swept at once. The collector has swept weak references and
   * weak tables before. While {@link #barrier} is on, the heap tells the collector of a string that
   * the program finds, by {@link Collector#beforeStore}. The string stays from then on.
   *
   * @param stays whether the element at an offset stays
   */
  void beginStringSweep(LongPredicate stays);

  /**
   * Sweeps interned strings until the deadline. Strings that are made meanwhile stay.
   *
   * @param stays whether the string at an offset stays
   * @param deadline a time of {@link System#nanoTime}, in nanoseconds
   * @return whether all are swept
   */
  boolean sweepStrings(LongPredicate stays, long deadline);

  /**
   * Tells every table of the heap's where the elements are now. The roots and what the elements
   * hold are the collector's to change, the former by the answers of its {@link RootVisitor}.
   *
   * @param moved returns where an element that is alive is now; asked once for each mention, by the
   *     place where it was when the collection began
   */
  void relocate(LongUnaryOperator moved);

  /**
   * As {@link #relocate} in a minor collection.
   *
   * @param since the first entry of {@link #finalizers} that may be a young element's
   * @param moved returns where an element is now; old ones stay
   */
  void relocateYoung(int since, LongUnaryOperator moved);

  /**
   * Tells where a young string is now.
   *
   * @param from where it was
   * @param to where it is
   */
  void stringMoved(long from, long to);

  /**
   * Tells that an element dies, which is noted at the side, outside of a collection that calls
   * {@link #sweepWeak}.
   *
   * @param element its offset
   */
  void died(long element);

  /**
   * Tells that a string is freed, outside of a collection that calls {@link #sweepWeak}.
   *
   * @param string its offset, with its words as they were
   */
  void stringDied(long string);

  /**
   * Shrinks what became too large: string table, value stacks; in an emergency property tables; and
   * gives memory back. The last step of a collection.
   *
   * @param flags the effective flags of the collection
   * @param elements walks the elements of a kind
   */
  void tidy(int flags, KindWalk elements);

  /**
   * As {@link #tidy(int, KindWalk)}, by one walk over all elements for each kind; for collectors
   * that do not keep the kinds apart.
   *
   * @param flags the effective flags of the collection
   * @param collector whose elements they are
   */
  default void tidy(int flags, Collector collector) {
    Memory m = memory();
    tidy(
        flags,
        (kind, visitor) ->
            collector.forEachElement(e -> {
              if (Layout.kind(m.get(e)) == kind) {
                visitor.visit(e);
              }
            }));
  }

  /** Calls back for all elements of a kind. */
  @FunctionalInterface
  interface KindWalk {
    /**
     * Calls back for every element of a kind.
     *
     * @param kind one of the kinds of {@link Layout}
     * @param visitor is told of each
     */
    void forEach(int kind, OffsetVisitor visitor);
  }

  /**
   * Frees what a dead element owns besides its own memory.
   *
   * @param kind its kind
   * @param element its offset
   */
  void release(int kind, long element);

  /** Counts an element that its finalizer rescued. */
  void countRescued();

  /** {@return whether a finalizer, or the callback of a native that was freed, is due} */
  boolean callbacksDue();
}
