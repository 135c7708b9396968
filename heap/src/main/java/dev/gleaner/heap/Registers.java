package dev.gleaner.heap;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.inspect.Describer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.RootVisitor;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.snapshot.SnapshotRoots;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.space.StackSnapshot;
import dev.gleaner.spi.Collector;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The registers of the running thread element, and the Java thread that may use them. All
 * operations begin here: with a check of the Java thread, and with the slots that they name.
 *
 * <p>One thread element (coroutine) runs at a time. Java fields hold the registers of that thread:
 * {@link #base}, {@link #size} and {@link #top} of the frame, as offsets in the heap's memory.
 * {@link #flush} writes the registers back before a collection. {@link #reload} fetches them
 * afterwards, because a value stack may have moved. After a call that can collect, no operation
 * uses an offset that was read before.
 *
 * <p>Methods of this class read. {@link WordAccess} writes words that hold values.
 */
abstract class Registers {
  final Collector collector;
  final Memory mem;
  final CriticalSection section;

  /** The records of the running frames; null unless the collector has a barrier of frames. */
  final @Nullable FrameBuffer young;

  /** Whether a step may run finalizers, as the collector counts. */
  private final boolean stepsFree;

  final Ownership ownership;

  /**
   * The Java thread that passes all checks at once: the heap's thread. Null after an error until
   * the heap is checked, and while the heap calls observers or allocation functions.
   */
  @Nullable Thread owner;

  /** Whether the next call begins a new operation of the program. */
  boolean announced;

  long base;
  int size;
  long top;
  long stackStart;
  long stackEnd;

  /** The number of frames of the running thread, without its bottom frame. */
  int depth;

  /** The frame base of the call stack's last entry, or 0. */
  long callBase;

  /** The snapshot of a collection has not taken the slots below; 0 if it has taken all. */
  long limit;

  private final StackSnapshot snapshot;
  long current;
  long main;

  /** The thread elements on which the heap calls finalizers and callbacks; 0 until there is one. */
  final long[] called = new long[2];

  /** The frames of finalizers that run on the program's threads. */
  final Floors floors = new Floors();

  Registers(HeapParts context, Collector collector) {
    this.collector = collector;
    this.mem = context.memory();
    this.section = context.section();
    this.young = collector.frames();
    this.snapshot = context.stackSnapshot();
    this.stepsFree = collector.counts() != null;
    this.ownership = new Ownership(this, context.heap(), new Soundness(this, context, collector));
  }

  // ---- checks ----

  /** Refuses a call that is not allowed, and notes that an operation begins. */
  void check() {
    checkThread();
    if (announced) {
      ownership.begin();
    }
  }

  /** Does {@link #check} for an operation that runs no finalizer unless the collector counts. */
  void checkStep() {
    checkThread();
    if (stepsFree && announced) {
      ownership.begin();
    }
  }

  /**
   * Does {@link #check} for an operation that runs no finalizer.
   *
   * <p>The method calls another method only if the check fails. So the compiler leaves that call
   * out, and keeps its knowledge of the heap across the check.
   */
  @SuppressWarnings("ReferenceEquality") // threads have identity only
  void checkThread() {
    if (Thread.currentThread() != owner) {
      ownership.comeIn();
    }
  }

  // ---- the thread element ----

  /** Writes the registers to the current thread element. */
  void flush() {
    long t = current;
    if (t != 0) {
      mem.put(t + ThreadLayout.BASE, Values.ofRaw((base - stackStart) >> 3));
      mem.put(t + ThreadLayout.SIZE, Values.ofRaw(size));
      mem.put(t + ThreadLayout.TOP, Values.ofRaw((top - stackStart) >> 3));
      mem.put(t + ThreadLayout.DEPTH, Values.ofRaw(depth));
    }
    if (young != null) {
      young.flush(base, top);
    }
    if (t != 0 && (mem.get(t) & Layout.FLAG_UNLOGGED) != 0) {
      section.enter();
      collector.afterStore(t, 0, 0); // the slots have changed without a barrier
      section.leave();
    }
  }

  /** Reads the registers from the current thread element. */
  void reload() {
    long t = current;
    if (t != 0) {
      stackStart = Values.raw(mem.get(t + ThreadLayout.STACK));
      stackEnd = stackStart + (Values.raw(mem.get(t + ThreadLayout.CAPACITY)) << 3);
      base = stackStart + (Values.raw(mem.get(t + ThreadLayout.BASE)) << 3);
      size = (int) Values.raw(mem.get(t + ThreadLayout.SIZE));
      top = stackStart + (Values.raw(mem.get(t + ThreadLayout.TOP)) << 3);
      depth = (int) Values.raw(mem.get(t + ThreadLayout.DEPTH));
      reloadCalls();
      reloadLimit();
      if (young != null) {
        young.reload(t, t == main, stackStart);
      }
    }
  }

  /** Reads how much of the stack a snapshot has not taken yet. */
  void reloadLimit() {
    limit = snapshot.isDone() ? 0 : stackStart + (snapshot.limit(current) << 3);
  }

  /** Lets the snapshot take a frame, to which the program returns, and those above. */
  void takeFrame(long from) {
    section.enter();
    snapshot.take(current, (from - stackStart) >> 3);
    section.leave();
    reloadLimit();
  }

  void reloadCalls() {
    long used = callsUsed();
    callBase = used == 0 ? 0 : frameOf(callEntry(used - 1));
  }

  /** Returns the number of entries of the call stack. */
  long callsUsed() {
    return Values.raw(mem.get(current + ThreadLayout.CALLS_USED));
  }

  void setCallsUsed(long entries) {
    mem.put(current + ThreadLayout.CALLS_USED, Values.ofRaw(entries));
  }

  /** Returns the base of the frame of an entry of the call stack. */
  long frameOf(long entry) {
    return stackStart + (Values.raw(mem.get(entry + ThreadLayout.CALL_BASE)) << 3);
  }

  long callEntry(long n) {
    return ThreadLayout.callsStart(mem, current) + n * ThreadLayout.CALL_BYTES;
  }

  /** Returns the word below a frame's slots. */
  long link(long frameBase) {
    return mem.getUnchecked(frameBase - 8);
  }

  /** Returns the words from the caller's frame to the frame of a link; 0 for the first frame. */
  static long distance(long link) {
    return link >>> ThreadLayout.LINK_BITS & ThreadLayout.LINK_MASK;
  }

  /** Whether the heap calls the program's code on the running thread, in a frame of its own. */
  boolean isCalled() {
    return current == called[0] || current == called[1] || floors.on(current) >= 0;
  }

  /** The names of the roots, in the order in which {@link #visitRoots} visits them. */
  static final List<String> ROOTS =
      List.of("main thread", "current thread", "finalizer thread", "callback thread");

  void visitRoots(RootVisitor visitor) {
    main = visitor.visit(main);
    current = visitor.visit(current);
    called[0] = visitor.visit(called[0]);
    called[1] = visitor.visit(called[1]);
  }

  SnapshotRoots snapshotRoots(long[] globals) {
    return new SnapshotRoots(main, current, called[0], called[1], globals);
  }

  Describer.Running running() {
    return new Describer.Running(main, current, called[0], called[1], stackStart, base, size);
  }

  /**
   * Returns the frame depth for statistics; 0 on a thread that is not the owner, or if in doubt.
   */
  @SuppressWarnings("ReferenceEquality")
  long depthOrZero() {
    return owner != null && ownership.home == Thread.currentThread() ? depth : 0;
  }

  // ---- slots ----

  long slot(int i) {
    if (Integer.compareUnsigned(i, size) >= 0) {
      throw noSlot(i);
    }
    return base + ((long) i << 3);
  }

  HeapUsageException noSlot(int i) {
    return new HeapUsageException("no slot " + i + " in a frame of " + size);
  }

  /** Returns the place of the first slot of a range of the frame. */
  long slots(int first, int count) {
    if ((first | count) < 0 || first > size - count) {
      throw noSlots(first, count, "a frame", size);
    }
    return base + ((long) first << 3);
  }

  static HeapUsageException noSlots(int first, int count, String where, long size) {
    return new HeapUsageException(
        "no " + count + " slots from " + first + " on in " + where + " of " + size);
  }

  long value(int s) {
    return mem.getUnchecked(slot(s));
  }

  // ---- elements in slots ----

  /** Returns the element in a slot. */
  long reference(int s) {
    long v = mem.getUnchecked(slot(s));
    if ((v & NOT_REFERENCE) != 0 || v == 0 || isBox(v)) {
      throw notElement(s);
    }
    return v;
  }

  /** Whether the element of a reference is an integer, which a program sees as a value. */
  boolean isBox(long reference) {
    return Layout.kind(mem.get(reference)) == Layout.LONG;
  }

  /** Returns the element in a slot, which must be of a given kind. */
  long element(int s, int kind, String name) {
    long e = reference(s);
    if (Layout.kind(mem.get(e)) != kind) {
      throw wrongKind(s, name);
    }
    return e;
  }

  /** Returns the header of the element of a value; 0 if the value has no element in memory. */
  long header(long value) {
    return mem.contains(value) ? mem.get(value) : 0;
  }

  /** Returns the code number of a function; -1 for another element, or if it has no number. */
  int codeOf(long e) {
    return Layout.kind(header(e)) == Layout.FUNCTION
        ? (int) (Values.raw(mem.get(e + Layout.FUNCTION_COUNTS)) >>> Layout.FUNCTION_BITS) - 1
        : -1;
  }

  /** Returns the element in a slot, for an entry in a side table. */
  long noted(int s) {
    long e = reference(s);
    mem.put(e, mem.get(e) | Layout.FLAG_NOTED);
    return e;
  }

  // ---- messages ----

  private HeapUsageException notElement(int s) {
    return new HeapUsageException("not an element: slot " + s + " holds " + describe(value(s)));
  }

  HeapUsageException wrongKind(int s, String name) {
    return new HeapUsageException(
        "not " + article(name) + ": slot " + s + " holds " + describe(value(s)));
  }

  String describe(long v) {
    if (Values.isReference(v) && !isBox(v)) {
      return article(Layout.kindOf(Layout.kind(mem.get(v))).text());
    }
    return typeOf(v).name().toLowerCase(Locale.ROOT);
  }

  ValueType typeOf(long v) {
    if (v == Values.UNDEFINED) {
      return ValueType.UNDEFINED;
    }
    if ((v & NOT_REFERENCE) == 0) {
      return isBox(v) ? ValueType.INT : ValueType.REFERENCE;
    }
    if (Values.isInt(v)) {
      return ValueType.INT;
    }
    if (Values.isBoolean(v)) {
      return ValueType.BOOLEAN;
    }
    return v == Values.NULL ? ValueType.NULL : ValueType.DOUBLE;
  }

  private static String article(String name) {
    return ("aeiou".indexOf(name.charAt(0)) < 0 ? "a " : "an ") + name;
  }

  /** Returns the refusal of a slot that holds no {@code int}. */
  HeapUsageException notInt(int i, long v) {
    return new HeapUsageException(
        Values.isReference(v) && isBox(v)
            ? "not of 32 bits: slot " + i + " holds " + mem.get(v + Layout.LONG_VALUE)
            : "not an integer: slot " + i + " holds " + describe(v));
  }

  /** Returns a text for debuggers, behind the name of the heap; for any Java thread. */
  @Override
  public String toString() {
    if (ownership.home == null) {
      return "";
    }
    String thread = current == main ? "main thread" : "thread at " + current;
    String state = ownership.soundness.isBroken() ? ", broken" : "";
    return "%s: %s, depth %s, slots %s, %s"
        .formatted(state, thread, depth, size, ownership.belongs());
  }
}
