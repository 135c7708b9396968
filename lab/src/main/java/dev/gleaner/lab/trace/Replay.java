package dev.gleaner.lab.trace;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.StackFullException;
import dev.gleaner.trace.TraceCursor;
import dev.gleaner.trace.TraceException;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.trace.TraceTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Does again, on a heap, what a trace has recorded.
 *
 * <p>The operations of the program are done in their order. What a finalizer or callback did is
 * passed over where it stands, and done when this heap's collector calls that finalizer; then it is
 * looked up by the finalizer's number, in a cursor of its own:
 *
 * <pre>
 *   program   op op [body 17] op op op [body 9] op …
 *                              |
 *                              collects, calls finalizer 9 -> goes to body 9, and does that
 * </pre>
 *
 * A finalizer without a recorded body, because it did nothing or was never called, does nothing.
 * The replay goes the way that was recorded; what ends otherwise than it did then is counted.
 */
public final class Replay {
  /** Brackets inside of each other; more are no program's. */
  private static final int DEEPEST = 200;

  private static final int STEPS = 200;

  private final TraceFile trace;
  private final Heap heap;
  private final boolean same;
  private final long most;
  private final ReplayOperations operations;
  private final Divergences divergences = new Divergences();
  private final List<TraceCursor> cursors = new ArrayList<>();
  private final DoubleConsumer progress;
  private int depth;
  private int nesting;

  /** How the next operation ended in the recording. */
  private Outcome expected = Outcome.DONE;

  /** What is wrong with a body; the heap takes what its finalizer throws for itself. */
  private @Nullable TraceException damage;

  private long done;
  private long bodiesDone;
  private long checksum;
  private long finalizerOrder;

  /** The hash of what the program has read in this block. */
  private long reads;

  /** Told of each operation that was done. */
  @FunctionalInterface
  public interface Observer {
    /**
     * Takes note of an operation of the program, or of a finalizer or callback of its.
     *
     * @param number counts them from 1 on
     * @param name of the operation
     */
    void done(long number, String name);
  }

  private long until = Long.MAX_VALUE;
  private @Nullable Observer observer;

  /** Ends the replay, whatever brackets are open. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stopped() {
      super("as many operations as were asked for", null, false, false);
    }
  }

  /** What a body throws that threw when it was recorded. */
  private static final class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1;

    Thrown() {
      super("as recorded", null, false, false);
    }
  }

  /**
   * Prepares a replay.
   *
   * @param opener opens the heap by the function that it is given; the heap stays open
   * @param progress told how much is done, from 0 to 1
   * @throws TraceException if the image is damaged with which the trace begins
   */
  public static Replay on(
      TraceFile trace,
      Function<Function<HeapFactory, Heap>, Heap> opener,
      DoubleConsumer progress) {
    Beginning beginning = new Beginning(trace);
    Replay replay = new Replay(trace, opener.apply(beginning::open), progress);
    beginning.checkOpened();
    beginning.of(replay);
    replay.operations.references.open(beginning.numbered());
    return replay;
  }

  private Replay(TraceFile trace, Heap heap, DoubleConsumer progress) {
    this.trace = trace;
    this.heap = heap;
    this.progress = progress;
    this.same = trace.header(TraceFormat.COLLECTOR).equals(heap.collector());
    this.most = trace.total(TraceFormat.OPERATIONS);
    this.operations = ReplayOperations.of(this, heap, same);
  }

  /**
   * Ends {@link #run} before the next operation of the program once so many operations are done.
   *
   * @param operations at least 0
   */
  public void stopAfter(long operations) {
    until = operations;
  }

  /** Names who is told of each operation; null for nobody. */
  public void observe(@Nullable Observer told) {
    observer = told;
  }

  /**
   * Does all up to where the heap was closed. Until it is, finalizers go on to need the file.
   *
   * @throws dev.gleaner.trace.TraceException if the file is damaged
   */
  public void run() {
    try {
      runAll(trace.operations());
    } catch (Stopped _) {
      // as asked for
    }
  }

  private void runAll(TraceCursor in) {
    long step = trace.size() / STEPS + 1;
    long next = step;
    do {
      boolean closed = runBlock(in);
      compareReads(in);
      if (closed) {
        return;
      }
      if (in.block() >= next) {
        next = in.block() + step;
        progress.accept((double) in.block() / trace.size());
      }
    } while (in.nextBlock());
    throw in.wrong("the operations end without the heap being closed");
  }

  /** At the end of a block of the program's. */
  private void compareReads(TraceCursor in) {
    if (reads != in.reads()) {
      divergences.add(in.block(), "the program read other values in this block");
    }
    checksum = TraceFormat.hash(checksum, reads);
    reads = 0;
  }

  /** Does the rest of a block; true once the heap was closed. */
  private boolean runBlock(TraceCursor in) {
    while (in.hasMore()) {
      stopIfDone();
      int op = in.op();
      switch (op) {
        case TraceOp.BODY -> skipBody(in);
        case TraceOp.CLOSE -> {
          done++;
          return true;
        }
        default -> run(in, op);
      }
    }
    return false;
  }

  private void stopIfDone() {
    if (done >= until && depth == 0) {
      throw new Stopped();
    }
  }

  /** Does one operation of the program or of a body. */
  private void run(TraceCursor in, int op) {
    switch (op) {
      case TraceOp.FAILED_USAGE -> expected = Outcome.REFUSED;
      case TraceOp.FAILED_EXHAUSTED -> expected = Outcome.EXHAUSTED;
      case TraceOp.BODY_END, TraceOp.BUILTINS_END -> throw in.wrong("an end without a beginning");
      case TraceOp.BUILTINS -> makeBuiltins(in);
      default -> {
        Outcome due = expected;
        expected = Outcome.DONE;
        if (due == Outcome.REFUSED && !same) {
          // It changed nothing then; here it might, as what a collector cannot do is refused.
          in.skip(op);
        } else {
          runExpecting(in, op, due);
        }
        if (damage != null) {
          throw damage;
        }
      }
    }
  }

  private void runExpecting(TraceCursor in, int op, Outcome due) {
    long offset = in.offset();
    long number = ++done;
    if (number > most) {
      throw in.wrong("more operations than the total at the end of the file says");
    }
    Outcome outcome = Outcome.DONE;
    String message = "";
    try {
      operations.run(in, op);
    } catch (HeapExhaustedException e) {
      outcome = Outcome.EXHAUSTED;
      message = String.valueOf(e.getMessage());
    } catch (HeapUsageException | StackFullException | IndexOutOfBoundsException e) {
      outcome = Outcome.REFUSED;
      message = String.valueOf(e.getMessage());
    }
    if (outcome != due) {
      diverged(offset, op, due, message);
      if (outcome == Outcome.DONE) {
        operations.undo(op);
      }
    }
    if (observer != null) {
      observer.done(number, TraceTable.of(Heap.class).name(op));
    }
  }

  private void diverged(long offset, int op, Outcome due, String message) {
    divergences.add(
        offset,
        TraceTable.of(Heap.class).name(op)
            + switch (due) {
              case DONE -> " was done in the recording, not here: " + message;
              case REFUSED -> " was refused in the recording, not so here";
              case EXHAUSTED -> " found no memory in the recording, not so here";
            });
  }

  /** Counts what ends otherwise than recorded. */
  void diverged(TraceCursor in, String op, String what) {
    divergences.add(in.offset(), op + ": " + what);
  }

  /** A value that the program reads. */
  void read(long value) {
    if (depth == 0) {
      reads = TraceFormat.hash(reads, value);
    }
  }

  private void makeBuiltins(TraceCursor in) {
    if (++nesting > DEEPEST) {
      throw in.wrong("more than " + DEEPEST + " brackets inside of each other");
    }
    try {
      heap.makeBuiltins(() -> runUntil(in, TraceOp.BUILTINS_END));
    } catch (HeapException e) { // by a finalizer's frame, for which there is no memory
      divergences.add(in.offset(), "built-ins were made in the recording, not here: " + e);
    } finally {
      nesting--;
    }
  }

  /** Does operations up to the one that ends the bracket, over blocks. */
  private void runUntil(TraceCursor in, int last) {
    while (true) {
      if (!in.hasMore()) {
        endOfBlock(in);
        continue;
      }
      stopIfDone();
      int op = in.op();
      if (op == last) {
        return;
      }
      if (op == TraceOp.BODY) {
        skipBody(in);
      } else if (op == TraceOp.CLOSE) {
        throw in.wrong("the heap is closed inside of a bracket");
      } else {
        run(in, op);
      }
    }
  }

  private void skipBody(TraceCursor in) {
    in.skip(TraceOp.BODY);
    for (int open = 1; open > 0; ) {
      if (!in.hasMore()) {
        endOfBlock(in);
        continue;
      }
      int op = in.op();
      in.skip(op);
      open += op == TraceOp.BODY ? 1 : op == TraceOp.BODY_END ? -1 : 0;
    }
  }

  /** The program's block ends inside of a bracket. */
  private void endOfBlock(TraceCursor in) {
    if (depth == 0) {
      compareReads(in);
    }
    if (!in.nextBlock()) {
      throw in.wrong("the operations end inside of a bracket");
    }
  }

  // ---- finalizers and callbacks ----

  /** Does what a finalizer did that was registered with this number. */
  final class Body implements Finalizer {
    private final long number;
    private int next;
    private long runs;

    Body(long number) {
      this.number = number;
      this.next = trace.bodies().first(0, number);
    }

    @Override
    public void run(Mutator mutator, boolean closing) {
      finalizerOrder = TraceFormat.hash(finalizerOrder, number);
      int body = next;
      long run = runs++;
      if (isOf(body, run)) {
        next = trace.bodies().next(body);
        runBody(body);
      }
    }
  }

  /** Does what a callback did. */
  void runCallback(long number) {
    int body = trace.bodies().first(1, number);
    if (isOf(body, 0)) {
      runBody(body);
    }
  }

  /** Whether a body is of this run, and not of a later one. */
  private boolean isOf(int body, long run) {
    return body >= 0 && trace.bodies().run(body) == run;
  }

  private void runBody(int body) {
    TraceCursor in = cursor();
    depth++;
    try {
      trace.bodies().goTo(body, in);
      in.skip(in.op());
      bodiesDone++;
      runUntil(in, TraceOp.BODY_END);
      if (in.n() != 0) {
        throw new Thrown();
      }
    } catch (TraceException e) {
      damage = e;
      throw e;
    } finally {
      depth--;
    }
  }

  private TraceCursor cursor() {
    if (depth >= DEEPEST) {
      throw new HeapException("more than " + DEEPEST + " finalizers inside of each other");
    }
    while (cursors.size() <= depth) {
      cursors.add(trace.cursor());
    }
    return cursors.get(depth);
  }

  // ---- what came of it ----

  /** Gives back what the program had not: frames, references. For measuring what is left then. */
  public void release() {
    operations.leaveAll();
    operations.references.closeAll();
  }

  /** Returns the heap on which it is done. */
  public Heap heap() {
    return heap;
  }

  /** Returns where the replay went another way than the recording. */
  public Divergences divergences() {
    return divergences;
  }

  /** Returns the operations that were done, those in finalizers and the closing included. */
  public long done() {
    return done;
  }

  /** Returns how many bodies of finalizers and callbacks were done. */
  public long bodiesDone() {
    return bodiesDone;
  }

  /** Returns the hash of all values that the program has read. */
  public long checksum() {
    return checksum;
  }

  /** Returns the hash of the order in which finalizers ran. */
  public long finalizerOrder() {
    return finalizerOrder;
  }

  /** Returns how many weak reads, and searches for strings, ended otherwise than recorded. */
  public long weakDifferences() {
    return operations.weakDifferences();
  }

  /** Returns the operations that were left out, as this collector does not have them. */
  public long leftOut() {
    return operations.leftOut();
  }
}
