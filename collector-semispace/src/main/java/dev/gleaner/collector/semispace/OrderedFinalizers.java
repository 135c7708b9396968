package dev.gleaner.collector.semispace;

import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.weak.FinalizerTable;
import java.util.Arrays;

/**
 * Finds the finalizers that are due, in order (PyPy, "Ordering finalizers in the SemiSpace GC").
 *
 * <p>Of each strongly connected component with finalizers that no finalizer outside reaches, one is
 * called; the rest is kept, and looked at again by the next collection. The states, with {@link
 * Evacuator#ORDERING} as the bit:
 *
 * <pre>
 *   state                          reached?  bit set?  bit set where it is now?
 *     0  unreachable                 no        no        -
 *     1  being visited               no        yes       -
 *     2  reachable from a finalizer  yes       yes       yes
 *     3  alive                       yes       -         no
 *
 *   for x in those with a finalizer, in the order of registration:
 *     if x is in state 0:
 *       marked += x
 *       from x on, recursively:  0 -> 1,  2 -> 3
 *       copy x and what it reaches:  1 -> 2
 *   for x in marked:
 *     if x is in state 2: its finalizer is due;  from x on, recursively:  2 -> 3
 * </pre>
 *
 * <p>A finalizer that was called and has an entry still is lent to heirs: it is not called again,
 * and goes with its element.
 *
 * <p>If x refers to y, y's state is not lower than x's. State 3 says that a finalizer in another
 * component reaches the element. Each element is visited once for each of its states, so all of it
 * is linear in what is unreachable.
 */
final class OrderedFinalizers {
  private final FinalizerTable table;
  private final boolean run;
  private final Memory memory;
  private final Evacuator evacuator;
  private final Copies copies;
  private final Scanner.Visitor raisePlace = this::raisePlace;
  private long[] pending = new long[16];
  private int pendingCount;
  private int[] marked = new int[16];
  private long visits;

  /** Tells copies from elements that nothing reached: neither are forwarded. */
  interface Copies {
    boolean contains(long element);
  }

  OrderedFinalizers(HeapContext context, Evacuator evacuator, Copies copies) {
    this.table = context.finalizers();
    this.run = context.settings().finalizers();
    this.memory = context.memory();
    this.evacuator = evacuator;
    this.copies = copies;
  }

  /** Puts on the finalize list what is due, and reaches all that waits. */
  void find() {
    int bound = table.bound();
    int marks = 0;
    boolean called = false;
    visits = 0;
    for (int entry = 0; entry < bound; entry++) {
      long x = table.element(entry);
      if (x == 0 || evacuator.isReached(x)) {
        continue;
      }
      if (table.state(entry) == FinalizerTable.FINALIZED) {
        called = true;
        continue;
      }
      if (!run) {
        table.removeEntry(entry);
        continue;
      }
      if (marks == marked.length) {
        marked = Arrays.copyOf(marked, marks * 2);
      }
      marked[marks++] = entry;
      visit(x);
      long _ = evacuator.forward(x);
      evacuator.drain();
    }
    for (int i = 0; i < marks; i++) {
      long x = evacuator.moved(table.element(marked[i]));
      if (hasBit(x)) {
        table.enqueue(marked[i]);
        visit(x);
      }
    }
    for (int entry = 0; called && entry < bound; entry++) {
      long x = table.element(entry);
      if (x != 0 && !evacuator.isReached(x)) {
        table.removeEntry(entry);
      }
    }
  }

  /** Changes of state in the last collection, those by copying apart. */
  long visits() {
    return visits;
  }

  private boolean hasBit(long element) {
    return (memory.get(element) & Evacuator.ORDERING) != 0;
  }

  /** Takes what is reached from an element from state 0 to 1, and from 2 to 3. */
  private void visit(long element) {
    raise(element);
    while (pendingCount > 0) {
      Scanner.forEachPlace(memory, pending[--pendingCount], raisePlace);
    }
  }

  private void raisePlace(long place) {
    long v = memory.get(place);
    if (Values.isReference(v)) {
      raise(v);
    }
  }

  private void raise(long element) {
    long e = element;
    long header = memory.get(e);
    long there = header >>> 32 << 3;
    if (there != 0) {
      e = there;
      header = memory.get(e);
    }
    boolean reached = there != 0 || copies.contains(e);
    boolean bit = (header & Evacuator.ORDERING) != 0;
    if (reached == bit) { // state 0 or 2
      memory.put(e, header ^ Evacuator.ORDERING);
      visits++;
      if (pendingCount == pending.length) {
        pending = Arrays.copyOf(pending, pendingCount * 2);
      }
      pending[pendingCount++] = e;
    }
  }
}
