package dev.gleaner.collector.refcount;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.weak.WeakObjects;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Finds loops by trial deletion (Bacon and Rajan, "Concurrent Cycle Collection in Reference Counted
 * Systems", ECOOP 2001, section 3: the synchronous algorithm).
 *
 * <p>A loop can only become garbage when a count drops and not to zero: such elements are
 * candidates. A collection subtracts from the counts what is held inside of what the candidates
 * reach; what has a count left then is held from outside. It costs what the candidates reach,
 * however large the heap is.
 *
 * <pre>
 *   gray    subtract: the counts of all that a candidate reaches lose the references from gray ones
 *   white   a gray one with no count left; with one: black again, and all it reaches, counts restored
 *   ...     what is to be finalized: black again, with all it reaches
 *   dead    those that are white still are freed by the collector; what they hold was subtracted
 * </pre>
 *
 * <p>A value in a weak table whose keys are weak is held by its table and its key together. So it
 * is subtracted with the first of the two, and restored with the second one. What is pending has a
 * colour of its own: it tells the first from the second.
 *
 * <p>The colour and whether an element is in the buffer are flags of its header. A candidate that
 * is freed stays in the buffer as a stale entry, which its place's flag tells from a true one.
 */
final class TrialDeletion implements ReferenceCounts.Observer, DuktapeFinalizers.Tracer {
  private static final long COLOUR = 3L << Layout.COLLECTOR_FLAGS_SHIFT;
  private static final long BLACK = 0;
  private static final long GRAY = 1L << Layout.COLLECTOR_FLAGS_SHIFT;
  private static final long WHITE = 2L << Layout.COLLECTOR_FLAGS_SHIFT;

  /** To become gray, or black again, when what it holds is looked at. */
  private static final long PENDING = 3L << Layout.COLLECTOR_FLAGS_SHIFT;

  private static final long BUFFERED = 4L << Layout.COLLECTOR_FLAGS_SHIFT;

  /** Entries of a stack or list that are kept from one collection to the next one. */
  private static final int LEAST_KEPT = 1024;

  private final Memory memory;
  private final ElementTest elements;
  private final DuktapeFinalizers finalizers;
  private final HeapContext context;
  private final ReferenceCounts counts;
  private final WeakObjects weak;
  private long[] candidates = new long[64];
  private int count;
  private final Stack pending = new Stack();
  private final Stack blackening = new Stack();
  private final Stack whites = new Stack();

  /** What entries of weak tables held that went: until all is judged, counts are not whole. */
  private final Stack dropped = new Stack();

  private final Scanner.Visitor subtract = this::subtract;
  private final Scanner.Visitor judge = this::judge;
  private final Scanner.Visitor restore = this::restore;

  private final LongPredicate first = this::isNotGray;
  private final LongPredicate second = this::isBlack;
  private final LongPredicate either = this::exists;

  /** Tells whether there is an element at a place where one was once. */
  @FunctionalInterface
  interface ElementTest {
    boolean isElement(long offset);
  }

  /** A stack that grows. */
  private static final class Stack {
    long[] elements = new long[64];
    int size;

    void push(long e) {
      if (size == elements.length) {
        elements = Arrays.copyOf(elements, size * 2);
      }
      elements[size++] = e;
    }

    long pop() {
      return elements[--size];
    }

    /** What it took is not kept until the next collection. */
    void shrink() {
      if (size == 0 && elements.length > LEAST_KEPT) {
        elements = new long[64];
      }
    }
  }

  TrialDeletion(HeapContext context, ReferenceCounts counts, ElementTest elements) {
    this.context = context;
    this.memory = context.memory();
    this.weak = context.weakTables();
    this.counts = counts;
    this.elements = elements;
    this.finalizers = new DuktapeFinalizers(context, counts);
  }

  @Override
  public void decremented(long element) {
    long h = memory.get(element);
    boolean leads = Layout.hasReferences(Layout.kind(h)) || (h & Layout.FLAG_NOTED) != 0;
    if ((h & BUFFERED) == 0 && leads) {
      memory.put(element, h | BUFFERED);
      if (count == candidates.length) {
        dropStale();
        if (count + (count >> 1) > candidates.length) {
          candidates = Arrays.copyOf(candidates, count + (count >> 1));
        }
      }
      candidates[count++] = element;
    }
  }

  /** Keeps an entry of each candidate that is there still. */
  private void dropStale() {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      long e = candidates[i];
      if (elements.isElement(e) && (memory.get(e) & BUFFERED) != 0) {
        memory.put(e, memory.get(e) & ~BUFFERED); // so a second entry of it is stale
        candidates[kept++] = e;
      }
    }
    count = kept;
    for (int i = 0; i < kept; i++) {
      memory.put(candidates[i], memory.get(candidates[i]) | BUFFERED);
    }
  }

  /** Finds dead loops and calls back for each of their elements, whose references are dropped. */
  void run(OffsetVisitor free) {
    finalizers.begin();
    weak.forgetIndex(); // each entry is to be met once
    dropStale();
    for (int i = 0; i < count; i++) {
      memory.put(candidates[i], memory.get(candidates[i]) & ~BUFFERED);
      makeGray(candidates[i]);
      while (pending.size > 0) {
        lookAt(pending.pop(), GRAY, subtract, first);
      }
    }
    for (int i = 0; i < count; i++) {
      judge(candidates[i], memory.get(candidates[i]));
      drain();
    }
    int judged = count;
    weak.setCounts(dropped::push);
    try {
      finalizers.find(this);
      context.sweepWeak(this::isReached);
    } finally {
      weak.setCounts(counts::decrement);
    }
    while (dropped.size > 0) {
      counts.decrement(dropped.pop());
    }
    count -= judged; // the rest came since: entries of weak tables dropped them
    System.arraycopy(candidates, judged, candidates, 0, count);
    while (whites.size > 0) {
      long e = whites.pop();
      if (!isReached(e)) {
        free.visit(e);
      }
    }
    shrink();
  }

  private void shrink() {
    pending.shrink();
    blackening.shrink();
    whites.shrink();
    dropped.shrink();
    if (candidates.length > LEAST_KEPT && count < candidates.length >> 2) {
      candidates = Arrays.copyOf(candidates, Math.max(LEAST_KEPT, count * 2));
    }
  }

  private void lookAt(long e, long colour, Scanner.Visitor visitor, LongPredicate together) {
    colour(e, memory.get(e), colour);
    forEachHeld(e, visitor, together);
  }

  /**
   * Calls back for each word that has what an element holds.
   *
   * @param together whether also of what it holds with this one
   */
  private void forEachHeld(long e, Scanner.Visitor visitor, LongPredicate together) {
    Scanner.forEachPlace(memory, e, visitor);
    long h = memory.get(e);
    if ((h & Layout.FLAG_NOTED) != 0) {
      weak.forEachHeldByKey(
          e,
          (table, place) -> {
            if (table != e && together.test(table)) {
              visitor.place(place);
            }
          });
    }
    if (Layout.isWeak(h)) {
      weak.forEachHeld(
          e,
          (key, place) -> {
            if (key == 0 || key == e || together.test(key)) {
              visitor.place(place);
            }
          });
    }
  }

  // What an element holds with another one is visited with the first, the second or each of them.

  private boolean isNotGray(long other) {
    return (memory.get(other) & COLOUR) != GRAY;
  }

  private boolean isBlack(long other) {
    return (memory.get(other) & COLOUR) == BLACK;
  }

  private boolean exists(long other) {
    return other != 0;
  }

  private void colour(long e, long h, long colour) {
    memory.put(e, (h & ~COLOUR) | colour);
  }

  /** The counted element at a place, or 0: built-ins hold from outside and are never freed. */
  private long counted(long place) {
    long v = memory.get(place);
    return Values.isReference(v) && memory.get(v) >= 0 ? v : 0;
  }

  private void subtract(long place) {
    long e = counted(place);
    if (e != 0) {
      memory.put(e, memory.get(e) - ReferenceCounts.ONE);
      makeGray(e);
    }
  }

  private void makeGray(long e) {
    long h = memory.get(e);
    if ((h & COLOUR) == BLACK) {
      colour(e, h, PENDING);
      pending.push(e);
    }
  }

  private void judge(long place) {
    long e = counted(place);
    if (e != 0) {
      judge(e, memory.get(e));
    }
  }

  private void judge(long e, long h) {
    if ((h & COLOUR) == GRAY) {
      if (h >= ReferenceCounts.ONE) {
        blacken(e);
      } else {
        colour(e, h, WHITE);
        pending.push(e);
        whites.push(e);
      }
    }
  }

  /** Restores what is alive after all, and the counts of what it holds. */
  private void blacken(long e) {
    colour(e, memory.get(e), PENDING);
    blackening.push(e);
    while (blackening.size > 0) {
      long black = blackening.pop();
      lookAt(black, BLACK, restore, second);
      long h = memory.get(black);
      if ((h & Layout.FLAG_NOTED) != 0 || Layout.isWeak(h)) {
        pending.push(black); // what it holds with one that is not black is to be judged still
      }
    }
  }

  private void restore(long place) {
    long e = counted(place);
    if (e != 0) {
      long h = memory.get(e) + ReferenceCounts.ONE;
      memory.put(e, h);
      if ((h & COLOUR) != BLACK && (h & COLOUR) != PENDING) {
        colour(e, h, PENDING);
        blackening.push(e);
      }
    }
  }

  // ---- finalizers: what is not white is reached ----

  @Override
  public boolean isReached(long element) {
    return (memory.get(element) & COLOUR) != WHITE;
  }

  @Override
  public void reach(long element) {
    if (!isReached(element)) {
      blacken(element);
    }
  }

  @Override
  public void drain() {
    while (pending.size > 0) {
      forEachHeld(pending.pop(), judge, either);
    }
  }

  @Override
  public boolean subtracts() {
    return true;
  }
}
