package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest.Cause;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.table.NativeTable;
import dev.gleaner.weak.FinalizerTable;
import org.jspecify.annotations.Nullable;

/**
 * Runs finalizers and on-free callbacks, and bounds the work that they may cause (Duktape,
 * "Finalizer behavior").
 *
 * <p>Finalizers run one after the other on the heap's finalizer thread. No finalizer runs inside of
 * a finalizer, and no callback inside of a callback. None of them runs while the heap interns a
 * string. By the rules of Duktape 1.x finalizers run on the running thread ({@link Floors}), and
 * those of a collection inside of one that counting runs. What they drop is left to the next
 * collection then, if the collector marks.
 *
 * <p><b>Exceptions and errors</b> of a finalizer or callback are logged and counted. All others
 * still run.
 *
 * <p><b>Bounds.</b> An operation of the program runs the finalizers and callbacks that were set
 * before the operation, each once. Code that runs inside of the operation has these bounds:
 *
 * <pre>
 *   a finalizer or callback set or called there   waits for the next operation
 *   a request refused there                       collects, 10 times in all; then it fails at once
 * </pre>
 *
 * A collection that frees an eighth of the limit resets the 10, as the program allocated as much
 * before it. An operation begins when the program calls the heap: {@link Registers#check} begins a
 * new operation if the last operation has set, called or put off a finalizer or callback. Closing
 * has an operation for each of its collections and rounds. A round runs the finalizers that were
 * set before it, and rounds shrink.
 */
final class FinalizerRunner implements Ownership.Entrance {
  private final Driver driver;
  private final HeapParts context;
  private final Collector collector;
  private final HeapEvents log;
  private final FinalizerTable table;
  private final NativeTable natives;
  private final @Nullable ReferenceCounts counts;
  private final WordAccess registers;
  private final boolean on;
  private final boolean torture;

  /**
   * Whether a call removes the finalizer (PyPy), or the finalizer stays until a rescue (Duktape).
   */
  private final boolean detaches;

  private final boolean reverse;

  /** Whether finalizers run while counting frees elements. */
  private final boolean inline;

  /** No finalizers and callbacks run while this number is not 0. */
  int held;

  /** Whether finalizers became due while {@link #held} was not 0. */
  private boolean missed;

  private boolean inCallback;
  private boolean closing;

  /** The number of the program's present operation. */
  private long operation = 1;

  /** The number of nested calls of finalizers, callbacks and listeners. */
  private int depth;

  /** Whether the next call of the program must begin a new operation. */
  private boolean stirred;

  private int retries = Driver.RETRIES;

  /** A finalizer that refuses in this round; many elements may share it. */
  private @Nullable Object refusing;

  @SuppressWarnings("NullAway.Init") // the heap sets it before any code runs
  private ProgramCode program;

  long run;
  long failed;

  FinalizerRunner(
      Driver driver,
      WordAccess registers,
      HeapParts context,
      CollectorTraits traits,
      Collector collector,
      HeapEvents log) {
    this.driver = driver;
    this.registers = registers;
    this.context = context;
    this.collector = collector;
    this.log = log;
    this.table = context.finalizers();
    this.natives = context.natives();
    this.counts = collector.counts();
    this.on = context.settings().finalizers();
    this.torture = context.settings().torture().finalizers();
    this.reverse =
        context.settings().finalizersInReverse() && !traits.has(Capability.ORDERED_FINALIZERS);
    this.detaches = traits.has(Capability.ORDERED_FINALIZERS);
    this.inline = collector.finalizesInline();
  }

  /** Names the code that this class calls. */
  void setProgram(ProgramCode code) {
    program = code;
  }

  // ---- operations of the program ----

  /** Whether a finalizer, callback or listener calls. */
  boolean isInside() {
    return depth > 0;
  }

  /** Whether nothing of the host's code runs or is held back, and the heap does not close. */
  boolean isIdle() {
    return depth == 0 && held == 0 && !closing;
  }

  // No method changes depth and held: at the end of the Java stack no method can be called.

  /** From now on a finalizer, callback or listener calls the heap. */
  private void admit() {
    if (depth == 1 && stirred) {
      registers.announced = false;
    }
  }

  /** From now on the program may call the heap. */
  private void announceNext() {
    if (depth == 0 && stirred) {
      registers.announced = true;
    }
  }

  /** Calls a listener's code. */
  void inside(Runnable code) {
    depth++;
    try {
      admit();
      code.run();
    } finally {
      depth--;
      announceNext();
    }
  }

  /** Ends work that an Error left unfinished, unless a finalizer, callback or listener calls. */
  @Override
  public void recover() {
    driver.openBuiltins();
    if (depth == 0 && !closing) {
      table.setRunning(false);
      program.leaveAll();
    }
  }

  /** Begins an operation of the program; a call by a finalizer or callback begins none. */
  @Override
  public void begin() {
    if (!isInside()) {
      beginOperation();
    }
  }

  /** Begins an operation: finalizers and callbacks that were put off may run again. */
  void beginOperation() {
    operation++;
    stirred = false;
    registers.announced = false;
    retries = Driver.RETRIES;
    table.resumePostponed();
    natives.resumePostponed();
  }

  /** Returns the present operation if a finalizer or callback runs; 0 if the program runs. */
  long settingOperation() {
    stirred |= depth > 0;
    return depth > 0 ? operation : 0;
  }

  /** Whether a refused request may collect. */
  boolean mayCollect() {
    return depth == 0 || retries > 0;
  }

  /** Notes that a refused request collects. */
  void noteRetry() {
    if (depth > 0) {
      stirred = true;
      retries--;
    }
  }

  /** Notes the bytes that a collection has freed. */
  void noteFreed(long bytes) {
    if (bytes >= context.budget().max() >> 3) {
      retries = Driver.RETRIES;
    }
  }

  // ---- on-free callbacks ----

  /** Runs the on-free callbacks that are due; returns their number. */
  int runCallbacks() {
    if (held > 0 || inCallback || !natives.hasFreed()) {
      return 0;
    }
    int calls = 0;
    depth++;
    inCallback = true;
    try {
      admit();
      for (NativeTable.Freed f = natives.nextFreed(operation);
          f != null;
          f = natives.nextFreed(operation)) {
        calls++;
        stirred = true;
        program.enterCallback();
        try {
          ((FreeCallback) f.callback()).freed(f.value(), closing);
        } catch (Throwable e) { // also checked exceptions, which other languages throw
          log.callbackFailed("on-free callback", "of a " + f.value().getClass().getName(), e);
        } finally {
          program.leaveCallback();
        }
      }
    } finally {
      inCallback = false;
      depth--;
      announceNext();
    }
    return calls;
  }

  // ---- finalizers ----

  /** Runs the finalizers that {@link #held} kept from running, if it is 0 now. */
  void resume() {
    if (held == 0) {
      int _ = runCallbacks();
      if (missed) {
        missed = false;
        runFinalizers();
      }
    }
  }

  /** Runs all finalizers that are due, unless a call of this method is under way. */
  void runFinalizers() {
    if (held > 0) {
      missed |= table.due() > 0;
      return;
    }
    if (!table.isRunning()) {
      runDue();
    }
  }

  /**
   * Runs all finalizers that are due, before the collection that found them is over (Duktape 1.x).
   * No third one begins where two are active, as nothing collects meanwhile.
   *
   * @param nests whether they run inside of a finalizer: one that is under way then is counting's
   */
  void runInCollection(boolean nests) {
    if (nests && held == 0 && !closing) {
      runDue();
    } else {
      runFinalizers();
    }
  }

  private void runDue() {
    if (!on || !isDue()) {
      return;
    }
    boolean outer = table.isRunning();
    depth++;
    try {
      admit();
      table.setRunning(true);
      boolean goesOn = true;
      while (goesOn && isDue()) {
        goesOn = runNext();
      }
    } finally {
      depth--;
      table.setRunning(outer);
      table.tidy();
      announceNext();
    }
  }

  /** Whether a finalizer is due that was neither set nor called in this operation. */
  private boolean isDue() {
    for (; table.due() > 0; table.postpone()) {
      int entry = table.find(table.head());
      boolean calls = entry >= 0 && table.state(entry) == FinalizerTable.QUEUED;
      if (!calls || table.operation(entry) != operation) {
        return true;
      }
    }
    return false;
  }

  /**
   * Runs the next finalizer; returns false if there is no memory for its frame: the element stays.
   */
  private boolean runNext() {
    holdZeros();
    if (!enterFrame()) { // entering may collect, so the element stays a root until then
      return false;
    }
    long rescuable = 0;
    try {
      if (!isDue()) { // that collection put other elements before this one
        return true;
      }
      long e = table.dequeue();
      context.memory().put(registers.base, e); // the list's count goes along
      int entry = table.find(e);
      if (entry >= 0 && table.state(entry) == FinalizerTable.QUEUED) {
        boolean decides = counts != null && !driver.isLeaving() && counts.count(e) == 1;
        rescuable = decides ? table.serial(entry) : 0;
        call(entry, false);
      }
    } finally {
      program.leaveFinalizer();
    }
    if (counts != null && rescuable != 0) {
      while (inline && counts.hasZeros()) { // freeing stops at each element that has a finalizer
        driver.freeUnreferenced(); // elements that only the finalizer holds rescue nothing
      }
      decideRescue(counts, rescuable);
    }
    return true;
  }

  void holdZeros() {
    if (counts != null) {
      counts.holdZeros();
    }
  }

  private boolean enterFrame() {
    try {
      program.enterFinalizer();
      return true;
    } catch (HeapException e) {
      log.noFrame(e);
      return false;
    }
  }

  /**
   * Decides a rescue by counting. If only the finalize list held the element before the call, and
   * the element still exists, the finalizer has made a reference to the element.
   */
  private void decideRescue(ReferenceCounts c, long serial) {
    int entry = table.next(serial);
    if (entry >= 0
        && table.serial(entry) == serial
        && table.state(entry) == FinalizerTable.FINALIZED
        && c.isReferenced(table.element(entry))) {
      table.rescue(entry);
      context.countRescued();
    }
  }

  /** Calls a finalizer in the entered frame, which has the element in slot 0. */
  private void call(int entry, boolean isClosing) {
    int source = table.source(entry, context.memory());
    Object finalizer = table.finalizer(source);
    String label = table.label(source);
    if (detaches && !table.isLent(entry)) {
      table.removeEntry(entry);
    } else { // a finalizer that is lent stays for the heirs
      table.setFinalized(entry);
      table.setOperation(entry, operation);
    }
    stirred = true;
    run++;
    try {
      if (torture) {
        driver.collect(Cause.TORTURE, 0);
      }
      program.run(finalizer, isClosing);
    } catch (Throwable e) { // also checked exceptions, which other languages throw
      failed++;
      log.finalizerFailed(label, e);
    }
  }

  // ---- closing ----

  /**
   * Runs the collections, finalizers and callbacks of a closing heap (Duktape, "Finalizer
   * behavior"; 2.7's rounds). The collections serve only finalizers and on-free callbacks. They are
   * left out if there are none, or if base flags forbid finalizers in collections: then the time to
   * close does not depend on the live elements.
   */
  void close() {
    boolean finalizers = on && table.size() > 0;
    boolean held = (driver.baseFlags() & CollectFlags.NO_FINALIZERS) != 0;
    if (!held && (finalizers || natives.size() > 0)) {
      collectToClose(0);
      collectToClose(0);
      collectToClose(CollectFlags.NO_FINALIZERS);
    }
    closing = true;
    if (on) {
      // Elements that become unreachable now have their turn in a round; no rescue counts any more.
      table.setRunning(true);
      rounds(2 * driver.keptNoValues(), false);
    }
    beginOperation();
    int _ = runCallbacks();
    rounds(2L * natives.size(), true);
    if (log.hasListeners()) {
      inside(log::closed);
    }
  }

  private void collectToClose(int flags) {
    beginOperation();
    driver.collect(Cause.CLOSING, flags);
  }

  /**
   * Does rounds until a round calls nothing, or calls as many as the shrinking limit.
   *
   * @param free whether a round frees natives; else it runs finalizers
   */
  private void rounds(long first, boolean free) {
    for (long limit = first; ; limit = limit * 3 / 4) {
      beginOperation();
      int calls = free ? freeNatives() : closingRound();
      if (calls == 0 || calls >= limit) {
        return;
      }
    }
  }

  /** Runs the finalizers that were set before the round began, each once. */
  private int closingRound() {
    depth++;
    try {
      admit();
      refusing = null;
      int calls = 0;
      if (table.tracksAges() && !detaches) {
        long[] serials = table.serialsByAge();
        for (int i = serials.length - 1; i >= 0; i--) {
          int entry = table.next(serials[i]);
          calls += entry >= 0 && table.serial(entry) == serials[i] ? closeOne(entry) : 0;
        }
        return calls;
      }
      long last = table.lastSerial();
      long serial = reverse ? last : 1;
      while (serial >= 1 && serial <= last) {
        int entry = reverse ? table.previous(serial) : table.next(serial);
        if (entry < 0 || table.serial(entry) > last) {
          break;
        }
        serial = table.serial(entry) + (reverse ? -1 : 1);
        calls += closeOne(entry);
      }
      return calls;
    } finally {
      depth--;
      announceNext();
    }
  }

  /** Calls an entry's finalizer, unless it ran or refuses; returns the number of calls. */
  @SuppressWarnings("ReferenceEquality") // equals is the program's code
  private int closeOne(int entry) {
    Object finalizer = table.finalizer(table.source(entry, context.memory()));
    if (finalizer == refusing || table.state(entry) == FinalizerTable.FINALIZED) {
      return 0;
    }
    if (refuses(entry)) {
      refusing = finalizer;
      return 0;
    }
    return callToClose(table.serial(entry));
  }

  /** Asks a finalizer, which may not use the heap, whether it refuses; a throw means no. */
  private boolean refuses(int entry) {
    int source = table.source(entry, context.memory());
    Object finalizer = table.finalizer(source);
    String label = table.label(source);
    try {
      return program.refuses(finalizer);
    } catch (Throwable e) { // also checked exceptions, which other languages throw
      log.finalizerFailed(label, e);
      return false;
    }
  }

  private int callToClose(long serial) {
    boolean entered = enterFrame(); // entering may collect, and so move entries and elements
    try {
      int entry = table.next(serial);
      if (entry < 0 || table.serial(entry) != serial) {
        return 0;
      }
      if (entered) {
        long e = table.element(entry);
        registers.count(e);
        context.memory().put(registers.base, e);
        call(entry, true);
      } else {
        failed++;
        table.setState(entry, FinalizerTable.FINALIZED);
      }
      return 1;
    } finally {
      if (entered) {
        program.leaveFinalizer();
      }
    }
  }

  /** Frees all natives, and runs their callbacks; natives that these make get another round. */
  private int freeNatives() {
    if (natives.size() > 0) {
      registers.flush();
      collector.forEachElement(e -> {
        if (Layout.kind(context.memory().get(e)) == Layout.NATIVE) {
          context.release(Layout.NATIVE, e);
          context.memory().put(e + Layout.NATIVE_INDEX, NativeTable.NONE);
        }
      });
    }
    return runCallbacks();
  }
}
