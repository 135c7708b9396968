package dev.gleaner.mark;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.DuktapeFinalizers.Tracer;
import dev.gleaner.memory.Memory;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.util.EntryIndex;
import dev.gleaner.weak.WeakObjects;
import java.util.Arrays;

/**
 * Traces what weak tables hold, in time linear in the entries (Hayes 1997, "Ephemerons: A New
 * Finalization Mechanism"; the order of steps is that of Lua 5.4 § 2.5.4).
 *
 * <pre>
 *   begin    what the roots reach was traced: trace
 *            entries of weak values go whose values nobody reaches: before finalizers
 *   trace    again, whenever more was traced: what finalizers keep
 *   end      entries go whose keys or values are not reached; dead tables are forgotten
 * </pre>
 *
 * <p><b>To trace.</b> No tracer comes by the entries of a {@linkplain WeakObjects weak table}. So
 * each table that is reached is scanned here, once. What it holds by itself is reached. A value
 * that its key holds is reached if the key is; otherwise it waits under its key:
 *
 * <pre>
 *        tables that are reached          waiting: key -> values
 *                 | scan                     ^            |
 *                 | what is held             | key is     | the walk comes by the key
 *                 v                          | not reached v
 *              stack ---- walk: e -- a weak table: scan --+-- its values
 *                ^                |
 *                +- what e holds -+-> tracer.reach(e)
 * </pre>
 *
 * <p>The walk goes itself through all that it reaches, and looks at each element before the tracer
 * takes it. So it meets every key that is waited for, and every weak table, without a word from the
 * tracer: an element of a weak table is marked in its header ({@link Layout#FLAG_NOTED}), and only
 * such ones are looked up. A tracer need not know of weak tables. What is held by entries alone is
 * scanned twice, once here and once by the tracer.
 *
 * <p><b>Memory.</b> The stack has a bound: as many elements as entries wait and tables exist, and
 * {@link #LEAST_STACK}. What comes beyond it is given to the tracer, which has a bound of its own,
 * and then everything that waits is asked again whether it was reached. One such round is linear in
 * what waits, and the stack was that large: so all rounds together are linear in what is walked.
 * The last round finds nothing new. It finds something if the tracer traces at once in {@link
 * Tracer#reach}: then rounds go on until nothing changes.
 *
 * <p>Elements are named by where they were when the collection began, in the tables too. They are
 * told where elements are now by {@link WeakObjects#relocate}.
 */
public final class Ephemerons {
  private static final int LEAST_STACK = 1024;

  private final Memory memory;
  private final WeakObjects weak;
  private EntryIndex waiting = new EntryIndex();
  private final Scanner.Visitor pushPlace = this::pushPlace;
  private final WeakObjects.HeldVisitor held = this::held;
  private final Tracer none = new NoTracer();
  private Tracer tracer = none;
  private long[] stack = new long[16];
  private int top;
  private int bound = Integer.MAX_VALUE;

  private long walked;

  private static final class NoTracer implements Tracer {
    @Override
    public boolean isReached(long element) {
      return true;
    }

    @Override
    public void reach(long element) {}

    @Override
    public void drain() {}
  }

  public Ephemerons(HeapContext context) {
    this.memory = context.memory();
    this.weak = context.weakTables();
  }

  /**
   * Traces what weak tables hold that the roots reach, and clears weak values: when the tracer has
   * drained, before finalizers are found.
   */
  public void begin(Tracer with) {
    begin(with, false);
  }

  /**
   * The same in a minor collection.
   *
   * @param with takes what is not young for reached
   */
  public void beginYoung(Tracer with) {
    begin(with, true);
  }

  private void begin(Tracer with, boolean isMinor) {
    if (weak.size() == 0) {
      return;
    }
    weak.begin(isMinor);
    waiting.clear();
    walked = 0;
    trace(with);
    weak.sweepValues(with::isReached);
  }

  /** Traces what weak tables hold that was reached since. */
  public void trace(Tracer with) {
    if (weak.size() == 0) {
      return;
    }
    tracer = with;
    try {
      while (scanReached() || wakeReached()) {
        walk();
        bound = Integer.MAX_VALUE;
        with.drain();
      }
    } finally {
      tracer = none;
      top = 0;
    }
  }

  /** Traces as a collection that clears nothing: finds what is reached. */
  public void traceOnly(Tracer with) {
    if (weak.size() > 0) {
      weak.begin(false);
      waiting.clear();
      trace(with);
    }
  }

  /**
   * Traces what finalizers keep, and removes all entries that lead to what is to go: when all else
   * is decided.
   */
  public void end(Tracer with) {
    if (weak.size() > 0) {
      trace(with);
      weak.sweep(with::isReached, with.subtracts());
    }
    // What this collection needed is not kept until the next one.
    if (waiting.size() > 0) {
      waiting = new EntryIndex();
    }
    if (stack.length > LEAST_STACK) {
      stack = new long[16];
    }
  }

  /** Elements that were looked at here since the last collection began. */
  long walked() {
    return walked;
  }

  /** Scans the tables that are reached; answers whether they hold anything that was not. */
  private boolean scanReached() {
    for (int n = weak.next(0); n < weak.bound(); n = weak.next(n + 1)) {
      if (!weak.isScanned(n) && tracer.isReached(weak.object(n))) {
        scan(n);
      }
    }
    return top > 0;
  }

  private void scan(int n) {
    if (weak.takeToScan(n)) {
      weak.forEachHeld(weak.object(n), held);
    }
  }

  private void held(long holder, long place) {
    long v = memory.get(place);
    if (holder == 0 || tracer.isReached(holder)) {
      push(v);
    } else if (!tracer.isReached(v)) {
      waiting.add(holder, v, 0);
    }
  }

  /** Pushes what waits for keys that are reached; answers whether there is any. */
  private boolean wakeReached() {
    for (int i = 0; i < waiting.size(); i++) {
      long key = waiting.element(i);
      if (tracer.isReached(key) && !tracer.isReached(waiting.word(i))) {
        wake(key);
      }
    }
    return top > 0;
  }

  private void wake(long key) {
    for (int i = waiting.take(key); i >= 0; i = waiting.next(i)) {
      push(waiting.word(i));
    }
  }

  /** Walks what is on the stack; one that is pushed beyond the bound is left to the tracer. */
  private void walk() {
    bound = Math.max(LEAST_STACK, waiting.size() + weak.size());
    while (top > 0) {
      long e = stack[--top];
      if (!tracer.isReached(e)) {
        visit(e);
      }
    }
  }

  /** Looks at an element, before the tracer does. */
  private void visit(long e) {
    walked++;
    long header = memory.get(e);
    if (Layout.isWeak(header)) {
      scan(weak.number(e));
    }
    if ((header & Layout.FLAG_NOTED) != 0) {
      wake(e); // after the scan: a table may be a key of its own
    }
    Scanner.forEachPlace(memory, e, pushPlace);
    tracer.reach(e);
  }

  private void pushPlace(long place) {
    long v = memory.get(place);
    if (Values.isReference(v)) {
      push(v);
    }
  }

  private void push(long element) {
    if (tracer.isReached(element)) {
      return;
    }
    if (top >= bound) {
      tracer.reach(element); // what it leads to is found by the next round
      return;
    }
    if (top == stack.length) {
      stack = Arrays.copyOf(stack, top * 2);
    }
    stack[top++] = element;
  }
}
