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
 * <p><b>In slices</b> the same is done until a deadline, and goes on where it ended: tables by
 * parts of their entries, what waits, the stack. The program may reach an element meanwhile that
 * was not reached: {@link #shade} puts it on the stack. The tracer drains only while the stack is
 * empty. So each element that is reached now is still looked at here before, and no round begins
 * anew for it.
 *
 * <p>Elements are named by where they were when the collection began, in the tables too. They are
 * told where elements are now by {@link WeakObjects#relocate}.
 */
public final class Ephemerons {
  private static final int LEAST_STACK = 1024;

  /** With a deadline the stack does not grow beyond: to copy it must not take long. */
  private static final int TIMED_STACK = 1 << 16;

  /** Elements, or what waits for one, between two looks at the clock. */
  private static final int AT_ONCE = 256;

  /** A larger element is left to the tracer in slices, which scans it in parts. */
  private static final int LARGE_WORDS = 2048;

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

  /** The table that is being scanned, or -1, and those that are to be scanned next. */
  private int scanning = -1;

  private int[] found = new int[8];
  private int foundCount;

  /** Where the present round is: in the tables, then in what waits. */
  private int tableAt;

  private int waitingAt;

  /** Whether another round is needed. */
  private boolean again;

  private long deadline;
  private int fuel;

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
    start(isMinor);
    trace(with);
    weak.sweepValues(with::isReached);
  }

  private void start(boolean isMinor) {
    weak.begin(isMinor);
    waiting.clear();
    walked = 0;
    top = 0;
    foundCount = 0;
    scanning = -1;
    again = true;
    tableAt = Integer.MAX_VALUE;
    waitingAt = Integer.MAX_VALUE;
  }

  /** Begins a tracing in slices: {@link #traceUntil}. */
  void start(Tracer with) {
    start(false);
    tracer = with;
  }

  /** Traces what weak tables hold that was reached since. */
  public void trace(Tracer with) {
    if (weak.size() == 0) {
      return;
    }
    tracer = with;
    try {
      again = true;
      boolean done = traceUntil(Long.MAX_VALUE);
      assert done;
    } finally {
      tracer = none;
      top = 0;
    }
  }

  /** What was traced last may lead to more: a new round begins with the next slice. */
  void goOn() {
    again = true;
  }

  /**
   * Traces until the deadline what weak tables hold that is reached.
   *
   * @return whether all is traced
   */
  boolean traceUntil(long until) {
    deadline = until;
    fuel = AT_ONCE;
    while (true) {
      if (top > 0) {
        walk();
        if (top > 0) {
          return false;
        }
      }
      if (!tracer.drain(until)) {
        return false;
      }
      if (scanning >= 0) {
        if (!weak.scanUntil(scanning, until, held)) {
          return false;
        }
        scanning = -1;
        continue;
      }
      if (scanReached() || wakeReached()) {
        continue;
      }
      if (tableAt < weak.bound() || waitingAt < waiting.size()) {
        return false; // the deadline is over
      }
      if (again) {
        again = false;
        tableAt = weak.next(0);
        waitingAt = 0;
      } else {
        return true;
      }
    }
  }

  /** Whether the deadline is over; looks at the clock. */
  private boolean isLate() {
    return deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0;
  }

  /** Burns some fuel; whether it is used up, and the deadline over. */
  private boolean burn() {
    if (--fuel > 0 || deadline == Long.MAX_VALUE) {
      return false;
    }
    fuel = AT_ONCE;
    return isLate();
  }

  /** The program may reach an element that was not reached. */
  void shade(long value) {
    if (Values.isReference(value)) {
      push(value);
    }
  }

  /** Gives a tracing in slices up, or ends it. */
  void stop() {
    tracer = none;
    top = 0;
    foundCount = 0;
    scanning = -1;
    shrink();
  }

  /** Traces as a collection that clears nothing: finds what is reached. */
  public void traceOnly(Tracer with) {
    if (weak.size() > 0) {
      start(false);
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
    shrink();
  }

  /** What this collection needed is not kept until the next one. */
  private void shrink() {
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

  /** Begins to scan a table that is reached; answers whether there is one. */
  private boolean scanReached() {
    while (foundCount > 0) {
      int n = found[--foundCount];
      if (n < weak.bound() && weak.object(n) != 0 && scan(n)) {
        return true;
      }
    }
    while (tableAt < weak.bound()) {
      int n = tableAt;
      tableAt = weak.next(n + 1);
      if (!weak.isScanned(n) && tracer.isReached(weak.object(n)) && scan(n)) {
        return true;
      }
      if (burn()) {
        return false;
      }
    }
    return false;
  }

  private boolean scan(int n) {
    if (!weak.takeToScan(n)) {
      return false;
    }
    scanning = n;
    again = true;
    weak.beginWalk();
    return true;
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
    while (waitingAt < waiting.size()) {
      int i = waitingAt++;
      long key = waiting.element(i);
      if (tracer.isReached(key) && !tracer.isReached(waiting.word(i))) {
        wake(key);
        if (top > 0) { // else all of it was taken before: counting freed a value meanwhile
          again = true;
          return true;
        }
      }
      if (burn()) {
        return false;
      }
    }
    return false;
  }

  private void wake(long key) {
    for (int i = waiting.take(key); i >= 0; i = waiting.next(i)) {
      push(waiting.word(i));
    }
  }

  /** Walks what is on the stack; one that is pushed beyond the bound is left to the tracer. */
  private void walk() {
    boolean timed = deadline != Long.MAX_VALUE;
    int most = Math.max(LEAST_STACK, waiting.size() + weak.size());
    bound = timed ? Math.min(most, TIMED_STACK) : most;
    while (top > 0) {
      long e = stack[--top];
      if (!tracer.isReached(e)) {
        visit(e, timed);
      }
      if (burn()) {
        break;
      }
    }
    bound = timed ? TIMED_STACK : Integer.MAX_VALUE;
  }

  /** Looks at an element, before the tracer does. */
  private void visit(long e, boolean timed) {
    walked++;
    long header = memory.get(e);
    if (Layout.kind(header) == Layout.FREE) {
      return; // counting freed it between two slices
    }
    if (Layout.isWeak(header)) {
      find(weak.number(e));
    }
    if ((header & Layout.FLAG_NOTED) != 0) {
      wake(e);
    }
    if (timed && isLarge(e, header)) {
      again = true;
    } else {
      Scanner.forEachPlace(memory, e, pushPlace);
    }
    tracer.reach(e);
  }

  /**
   * Notes a table that is reached. What it holds by itself as a key is found when it is scanned.
   */
  private void find(int n) {
    if (foundCount == found.length) {
      found = Arrays.copyOf(found, foundCount * 2);
    }
    found[foundCount++] = n;
  }

  private boolean isLarge(long e, long header) {
    int kind = Layout.kind(header);
    long bytes = Layout.payloadWords(memory, e, header) << 3;
    for (int b = 0; b < Scanner.blocks(kind); b++) {
      bytes += Scanner.blockEnd(memory, e, kind, b) - Scanner.blockStart(memory, e, kind, b);
    }
    return Layout.hasReferences(kind) && bytes > LARGE_WORDS << 3;
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
      again = true;
      tracer.reach(element); // what it leads to is found by the next round
      return;
    }
    if (top == stack.length) {
      stack = Arrays.copyOf(stack, top * 2);
    }
    stack[top++] = element;
  }
}
