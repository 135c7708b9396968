package dev.gleaner.count;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.AllocationGate;
import dev.gleaner.space.Budget;
import dev.gleaner.space.CellSpace;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.PauseClock;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.weak.FinalizerTable;
import org.jspecify.annotations.Nullable;

/**
 * Frees what has no reference left, and what that alone held (Duktape, "The REFZERO algorithm").
 *
 * <p>Strings, buffers and natives are freed at once, and so is an element of which nothing else
 * falls but by its last value. Any other goes to the refzero list until what fell from it is gone.
 * The list needs no memory, so that it cannot run out of it: it goes through a word of each dead
 * element whose value was dropped; where to go on in a record is where its count was.
 *
 * <pre>
 *   on the list:  record   where to go on, size … kind | next on the list | 0 … 0 | not yet dropped …
 *                 others   header | values, next on the list in place of a dropped one
 * </pre>
 *
 * <p>Two loops and no recursion: the native stack is the same for a list of ten million as for one.
 * What has a finalizer goes to the finalize list and stays, with all that it holds. Nothing else
 * happens in here; finalizers and callbacks are run by the heap afterwards. Where they have
 * Duktape's order and there are some, {@link OrderedFall} decides what falls next.
 */
final class RefZero implements ReferenceCounts.Freer {
  private final HeapContext context;
  private final Memory memory;
  private final ReferenceCounts counts;
  private final Budget budget;
  private final CriticalSection section;
  private final FreeListSpace cells;
  private final LargeSpace large;
  private final DuktapeFinalizers finalizers;
  private final boolean onlyLarge;
  private final FinalizerTable table;
  private final Scanner.Visitor decrement;
  private final @Nullable OrderedFall ordered;
  private long list;
  private long freedElements;
  private long freedBytes;
  private long freedBefore;
  private long bytesBefore;

  /** By the rules of Duktape 1.x: elements that may hold others. */
  private long freedObjects;

  /** Elements whose count was zero. */
  private long fallen;

  private long fallenBefore;

  /** When so many have fallen, what an operation dropped is no small work. */
  private long clockAt = PauseClock.SMALL;

  private final PauseClock pauses;
  private final AllocationGate gate;

  static {
    CriticalSection.uses(CellSpace.class, Scanner.class);
  }

  RefZero(HeapContext context, ReferenceCounts counts, FreeListSpace cells, LargeSpace large) {
    this.context = context;
    this.memory = context.memory();
    this.budget = context.budget();
    this.section = context.section();
    this.pauses = context.pauses();
    this.gate = context.gate();
    this.counts = counts;
    this.cells = cells;
    this.large = large;
    this.finalizers = new DuktapeFinalizers(context, counts);
    this.onlyLarge = context.hasUserFunctions();
    this.table = context.finalizers();
    this.ordered = table.tracksAges() ? new OrderedFall(memory, counts, this) : null;
    this.decrement = place -> counts.decrement(memory.get(place));
  }

  /** Frees all that {@link ReferenceCounts#nextZero} gives. */
  void run() {
    for (long e = counts.nextZero(); e != 0; e = counts.nextZero()) {
      fallWhole(e);
    }
    count();
  }

  private void fallWhole(long e) {
    if (ordered != null && table.size() > 0) {
      ordered.fall(e);
      return;
    }
    fall(e);
    while (list != 0) {
      goOn();
    }
  }

  @Override
  public boolean free(long element) {
    section.enter();
    fallWhole(element);
    count();
    section.leave();
    return counts.hasZeros() // of what weak tables held
        || context.callbacksDue()
        || pauses.isPending()
        || gate.isDue();
  }

  private void count() {
    count(freedElements - freedBefore);
  }

  /** What an operation dropped is freed, at the cost of so many operations. */
  private void count(long operations) {
    cells.count(operations);
    long all = fallen - fallenBefore;
    if (all >= PauseClock.SMALL) {
      long freed = freedElements - freedBefore;
      pauses.end(all, PauseClock.SMALL, freed, freedBytes - bytesBefore);
    }
    freedBefore = freedElements;
    bytesBefore = freedBytes;
    fallenBefore = fallen;
    clockAt = fallen + PauseClock.SMALL;
  }

  /** An element's count is zero: after many of them a clock runs. */
  void noteFall() {
    if (++fallen == clockAt) {
      pauses.begin();
    }
  }

  /**
   * As {@link #run}, until an element went to the finalize list: its finalizer is to run before the
   * others go (Duktape 1.x). Those wait, untouched, on the list that they are taken from.
   */
  void runInline() {
    int queued = context.finalizers().queued();
    for (long e = counts.nextZero(); e != 0; e = counts.nextZero()) {
      drop(e);
      if (context.finalizers().queued() != queued) {
        break;
      }
    }
    count(freedObjects); // strings and buffers are no part of that algorithm
    freedObjects = 0;
  }

  private void drop(long e) {
    noteFall();
    if (survives(e)) {
      return;
    }
    if (Layout.kind(memory.get(e)) > Layout.LAST_OPAQUE) {
      Scanner.forEachPlace(memory, e, decrement);
    }
    freeEmptied(e);
  }

  /** Whether an element whose count is zero goes to the finalize list. */
  boolean survives(long e) {
    return (memory.get(e) & Layout.FLAG_NOTED) != 0 && !finalizers.dies(e);
  }

  /** Whether an element whose count is zero is there no longer than its own finalizer ran. */
  boolean wasFinalized(long e) {
    return (memory.get(e) & Layout.FLAG_NOTED) != 0 && finalizers.wasFinalized(e);
  }

  /** Frees an element whose references are dropped. */
  void freeEmptied(long e) {
    long h = memory.get(e);
    int kind = Layout.kind(h);
    if (kind <= Layout.LAST_OPAQUE) {
      freeOpaque(kind, e, h);
    } else {
      freedObjects++;
      freedElements++;
      freedBytes += freeDropped(e);
    }
  }

  /** Elements freed here since the heap was opened. */
  long reclaimedElements() {
    return freedElements;
  }

  /** The bytes that were charged for them, and for what they owned. */
  long reclaimedBytes() {
    return freedBytes;
  }

  /**
   * An element's count is zero: frees it and what falls by last values, or leaves it to the list.
   */
  private void fall(long element) {
    long e = element;
    while (e != 0) {
      noteFall();
      long h = memory.get(e);
      int kind = Layout.kind(h);
      if ((h & Layout.FLAG_NOTED) != 0 && !finalizers.dies(e)) {
        return;
      }
      if (kind == Layout.RECORD) {
        e = dropRecord(e, h, 0);
      } else if (kind <= Layout.LAST_OPAQUE) {
        freeOpaque(kind, e, h);
        return;
      } else {
        e = enter(kind, e);
      }
    }
  }

  /** Drops a record's values from one on; answers what falls next, or 0. */
  private long dropRecord(long e, long h, int from) {
    Memory m = memory;
    int words = (int) Layout.payloadWords(m, e, h);
    for (int i = from; i < words; ) {
      long at = e + ((long) ++i << 3);
      long v = m.get(at);
      if (v != 0) {
        m.put(at, 0);
        if ((v & NOT_REFERENCE) == 0 && counts.drop(v)) {
          if (i < words) {
            long hv = m.get(v);
            if (Layout.kind(hv) <= Layout.LAST_OPAQUE) {
              fall(v);
              continue;
            }
            m.put(e, h | (long) i << 32);
            m.put(e + Layout.WORD, list);
            list = e;
            return v;
          }
          free(Layout.RECORD, e, words);
          return v;
        }
      }
    }
    free(Layout.RECORD, e, words);
    return 0;
  }

  /** Puts an element that is no record on the list; answers what falls next, or 0. */
  private long enter(int kind, long e) {
    long at = e + link(kind);
    long first = memory.get(at);
    memory.put(at, list);
    list = e;
    return (first & NOT_REFERENCE) == 0 && first != 0 && counts.drop(first) ? first : 0;
  }

  /** The word that the list goes through: one that may hold a reference, or that is not needed. */
  private static int link(int kind) {
    return kind == Layout.THREAD ? ThreadLayout.RESUMER : Layout.WORD;
  }

  /** Goes on with the element that was put on the list last. */
  private void goOn() {
    long e = list;
    long h = memory.get(e);
    int kind = Layout.kind(h);
    long at = e + link(kind);
    list = memory.get(at);
    memory.put(at, 0);
    if (kind == Layout.RECORD) {
      fall(dropRecord(e, h & Layout.LOW_MASK, (int) (h >>> 32)));
    } else {
      dropOwned(kind, e);
      long words = Layout.payloadWords(memory, e, h);
      dropSlice(e + Layout.WORD, e + Layout.WORD + (words << 3));
      free(kind, e, words);
    }
  }

  private void dropOwned(int kind, long e) {
    for (int b = 0; b < Scanner.blocks(kind); b++) {
      dropSlice(Scanner.blockStart(memory, e, kind, b), Scanner.blockEnd(memory, e, kind, b));
    }
    release(kind, e);
  }

  /** Drops the references of a slice, whose words are zero afterwards. */
  private void dropSlice(long from, long to) {
    Memory m = memory;
    for (long at = from; at < to; at += 8) {
      long v = m.get(at);
      if (v != 0) {
        m.put(at, 0);
        if ((v & NOT_REFERENCE) == 0 && counts.drop(v)) {
          fall(v);
        }
      }
    }
  }

  private void freeOpaque(int kind, long e, long h) {
    long words = Layout.payloadWords(memory, e, h);
    if (kind == Layout.STRING) {
      context.stringDied(e);
    } else { // a string's words are all written when it is made
      release(kind, e);
      if (isCell(words)) { // a large one may have pages that were never touched
        memory.zero(e + Layout.WORD, words << 3);
      }
    }
    free(kind, e, words);
  }

  /**
   * Frees an element whose references are dropped, and that no table knows any more.
   *
   * @return the bytes that were charged for it and for what it owned
   */
  long freeDropped(long e) {
    long h = memory.get(e);
    int kind = Layout.kind(h);
    long words = Layout.payloadWords(memory, e, h);
    long before = budget.charged();
    context.release(kind, e);
    if (isCell(words)) {
      memory.zero(e + Layout.WORD, words << 3);
      cells.free(kind, e, words + 1);
      return before - budget.charged() + CellSpace.cellBytes(words + 1);
    }
    large.free(e);
    return before - budget.charged();
  }

  private void release(int kind, long e) {
    long before = budget.charged();
    context.release(kind, e);
    freedBytes += before - budget.charged();
  }

  private boolean isCell(long words) {
    return words < SizeClasses.LARGEST_WORDS && !onlyLarge;
  }

  /** A cell stays charged until the space gives it back; all else is refunded at once. */
  private void free(int kind, long e, long words) {
    freedElements++;
    if (isCell(words)) {
      freedBytes += CellSpace.cellBytes(words + 1);
      cells.free(kind, e, words + 1);
    } else {
      long before = budget.charged();
      large.free(e);
      freedBytes += before - budget.charged();
    }
  }
}
