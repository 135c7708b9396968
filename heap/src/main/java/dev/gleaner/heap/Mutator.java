package dev.gleaner.heap;

import dev.gleaner.inspect.Describer;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.RootVisitor;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.CallStackFullException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import dev.gleaner.snapshot.SnapshotRoots;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.Collector;
import dev.gleaner.trace.Traced;
import dev.gleaner.util.Inlining;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Access to a heap's elements: a register machine whose registers are the slots of a frame.
 *
 * <p>A program never holds an element; it names one by a slot of the current frame. Slots are exact
 * roots. Operations take slot numbers, destination first; they check the Java thread, the slots,
 * the kind and the index, and change nothing when one is wrong ({@link HeapUsageException}). What
 * makes or enlarges something may collect, and so run finalizers; if the limit leaves no room even
 * so, it is refused with a {@link HeapExhaustedException} and nothing is changed.
 *
 * <p>One such object serves a heap. Per-operation code allocates nothing, and calls the collector
 * only to refill an allocation buffer or when a write barrier asks for it. The class is long
 * because it is the list of the operations; what they do is elsewhere:
 *
 * <pre>
 *   what a program does at every step   {@link Operations}, called by handles, so that the compiler
 *     (slots, frames, records, globals)   inlines it ({@link Inlining})
 *   strings, objects, buffers           {@link StringAccess}, {@link ObjectAccess}, {@link BufferAccess}
 *   functions, threads, call stack      here: each of them writes registers
 * </pre>
 *
 * <p>Every operation has the same shape: {@link Operations#check}, which asks for the Java thread
 * and the heap's state at once, all other checks, what may collect, and then the change, with
 * offsets that were read after what may collect. Where an {@link Error} may come between two words
 * of a change, such as the end of the Java stack, a handler takes the owner away: the next call
 * finds out whether the heap is whole ({@link Soundness}).
 */
public sealed class Mutator extends Operations permits RecordingMutator {
  /** As a number of results that are wanted: all there are. */
  public static final int ALL = -1;

  private static final int NO_CATCHER = -1;

  private final ObjectAccess objects;
  private final ArrayAccess arrays;
  private final PropertySteps steps;
  private final IntegerAccess integers;
  private final StringAccess strings;
  private final StringPieces pieces;
  private final BufferAccess buffers;
  private final FrameSteps frameSteps;
  private final Coroutines coroutines;
  private final boolean moves;

  /** Where finalizers run. */
  final CallbackThread finalizers;

  /** Where on-free callbacks run. */
  final CallbackThread callbacks;

  Mutator(Heap heap, HeapParts context, Collector collector, Driver driver) {
    super(heap, context, collector, driver);
    this.moves = heap.traits().has(Capability.MOVING);
    StringMaker maker = new StringMaker(this, context, collector, driver);
    this.integers = new IntegerAccess(this, context, collector, driver);
    this.objects = new ObjectAccess(this, context, collector, driver, maker, integers);
    this.arrays = new ArrayAccess(this, context, collector, driver, objects);
    this.steps = new PropertySteps(this, context, objects, maker);
    this.strings = new StringAccess(this, context, maker);
    this.pieces = new StringPieces(this, context, strings, maker, integers);
    this.buffers = new BufferAccess(this, heap, context, collector, driver);
    this.frameSteps = new FrameSteps(this);
    this.coroutines = new Coroutines(this, context, collector, driver, frameSteps);
    this.finalizers = new CallbackThread(this, coroutines);
    this.callbacks = new CallbackThread(this, coroutines);
  }

  /**
   * {@return the heap, its running thread and frame, and to whom the heap belongs: a line for
   * debuggers, for any Java thread, slightly behind on another one}
   */
  @Override
  public String toString() {
    String of = "mutator of " + heap;
    if (heap.isClosed()) {
      return of;
    }
    String thread = current == main ? "main thread" : "thread at " + current;
    String state = soundness.isBroken() ? ", broken" : "";
    return of + state + ": " + thread + ", depth " + depth + ", slots " + size + ", " + belongs();
  }

  // ---- life cycle, for the heap ----

  void start() {
    owner = Thread.currentThread();
    home = owner;
    main = makeThread();
    current = main;
    count(main);
    count(current);
    mem.put(main + ThreadLayout.STATE, Values.ofRaw(1));
    reload();
  }

  void stop() {
    owner = null;
    home = null;
  }

  /** What {@link #visitRoots} visits, in its order. */
  static final List<String> ROOTS =
      List.of("main thread", "current thread", "finalizer thread", "callback thread");

  void visitRoots(RootVisitor visitor) {
    main = visitor.visit(main);
    current = visitor.visit(current);
    finalizers.thread = visitor.visit(finalizers.thread);
    callbacks.thread = visitor.visit(callbacks.thread);
  }

  SnapshotRoots snapshotRoots(long[] globals) {
    return new SnapshotRoots(main, current, finalizers.thread, callbacks.thread, globals);
  }

  Describer.Running running() {
    return new Describer.Running(
        main, current, finalizers.thread, callbacks.thread, stackStart, base, size);
  }

  // ---- frames ----

  /**
   * Enters a frame of {@code slots} undefined slots.
   *
   * @param slots at least 0
   * @throws ValueStackFullException if the value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for the value stack to grow; the frame is
   *     not entered
   */
  @Traced(code = 8, operands = "size slots")
  public void enter(int slots) {
    MethodHandle operation = OperationHandles.ENTER;
    while (true) {
      try {
        operation.invokeExact((Operations) this, slots);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Enters a frame whose first {@code args} slots are copies of the caller's from {@code first} on.
   *
   * @param slots of the new frame, at least {@code args}
   * @param first the first of the caller's slots that are copied
   * @param args how many
   */
  @Traced(code = 9, name = "enter-args", operands = "size slots, index first, size arguments")
  public void enter(int slots, int first, int args) {
    MethodHandle operation = OperationHandles.ENTER_WITH;
    while (true) {
      try {
        operation.invokeExact((Operations) this, slots, first, args);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /** Leaves the frame. */
  @Traced(code = 10)
  public void leave() {
    MethodHandle operation = OperationHandles.LEAVE;
    while (true) {
      try {
        operation.invokeExact((Operations) this);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Leaves the frame; the value of its slot {@code s} lands in the caller's slot {@code d}.
   *
   * @param s a slot of the frame that is left
   * @param d a slot of its caller
   */
  @Traced(code = 11, name = "leave-value", operands = "slot s, slot d")
  public void leave(int s, int d) {
    MethodHandle operation = OperationHandles.LEAVE_WITH;
    while (true) {
      try {
        operation.invokeExact((Operations) this, s, d);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Leaves the frame with several results. They land in the caller's slots from {@code d} on, of
   * which exactly {@code wanted} are written: missing results are undefined, surplus ones dropped.
   * With {@link #ALL} every result lands, and the caller's frame grows where it ends before the
   * last one.
   *
   * @param first the slot of the first result
   * @param count how many there are, from there on
   * @param d the caller's slot of the first one; up to the number of its slots
   * @param wanted how many of the caller's slots are written, or {@link #ALL}
   * @return how many results landed
   */
  @Traced(
      code = 180,
      name = "leave-results",
      operands = "index first, size count, slot d, int wanted")
  public int leave(int first, int count, int d, int wanted) {
    MethodHandle operation = FrameSteps.LEAVE;
    while (true) {
      try {
        return (int) operation.invokeExact(frameSteps, first, count, d, wanted);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Leaves frames, without a result, until so many are left.
   *
   * @param depth as {@link #frameDepth} answers it, no more than now
   */
  @Traced(code = 186, operands = "count depth")
  public void leaveTo(int depth) {
    try {
      frameSteps.leaveTo(depth);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Calls in place: the frame becomes one of {@code slots} slots, the first of which are the
   * arguments; the others are undefined. The frame's activation and catchers go. The value stack
   * does not grow but by what the frame is larger.
   *
   * @param slots of the frame from now on, at least {@code args}
   * @param first the slot of the first argument
   * @param args how many there are, from there on
   * @throws ValueStackFullException if the value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for the value stack to grow
   */
  @Traced(code = 181, operands = "size slots, index first, size arguments")
  public void tailCall(int slots, int first, int args) {
    MethodHandle operation = FrameSteps.TAIL_CALL;
    while (true) {
      try {
        operation.invokeExact(frameSteps, slots, first, args);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Changes the number of the frame's slots: new ones are undefined, those beyond are dropped.
   *
   * @param slots from now on
   * @throws ValueStackFullException if the value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for the value stack to grow
   */
  @Traced(code = 185, operands = "size slots")
  public void resizeFrame(int slots) {
    try {
      frameSteps.resizeFrame(slots);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /** Makes all slots undefined, as a tail call without arguments does. */
  @Traced(code = 12)
  public void compact() {
    wipe(0);
  }

  /**
   * Makes all slots but one undefined; it keeps its place.
   *
   * @param a the slot that stays
   */
  public void compact(int a) {
    compact(a, a);
  }

  /**
   * Makes all slots but two undefined; they keep their places.
   *
   * @param a a slot that stays
   * @param b another one, or the same
   */
  @Traced(code = 13, name = "compact-two", operands = "slot a, slot b")
  public void compact(int a, int b) {
    check();
    try {
      long atA = slot(a);
      long atB = slot(b);
      long va = mem.get(atA);
      long vb = mem.get(atB);
      section.enter();
      mem.put(atA, Values.UNDEFINED); // their counts stay
      mem.put(atB, Values.UNDEFINED);
      clear(base, base + ((long) size << 3));
      mem.put(atA, va);
      mem.put(atB, vb);
      section.leave();
      compacted();
      settle();
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  void compacted() {
    if (frames != null && base == frames.returnBarrier()) {
      section.enter();
      frames.flush(base, top);
      frames.compact();
      section.leave();
    }
  }

  /**
   * Makes all slots but these undefined; they keep their places.
   *
   * @param keep the slots that stay, in any order
   */
  @Traced(code = 14, name = "compact-list", operands = "slots slots kept")
  public void compact(int[] keep) {
    check();
    Objects.requireNonNull(keep, "keep");
    try {
      for (int k : keep) {
        long _ = slot(k);
      }
      for (int i = 0; i < size; i++) {
        boolean kept = false;
        for (int k : keep) {
          kept |= k == i;
        }
        if (!kept) {
          clear(slot(i), slot(i) + 8);
        }
      }
      compacted();
      settle();
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes the slots from {@code from} on undefined, so that dead temporaries are no roots.
   *
   * @param from the first slot that becomes undefined, up to the number of slots
   */
  @Traced(code = 15, operands = "size from")
  public void wipe(int from) {
    check();
    try {
      if (from < 0 || from > size) {
        throw noSlot(from);
      }
      clear(base + ((long) from << 3), base + ((long) size << 3));
      compacted();
      settle();
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /** {@return the current frame's number of slots} */
  public int frameSize() {
    checkThread();
    return size;
  }

  /**
   * Copies a slot of a frame further out on the current thread's stack, as a debugger reads it.
   *
   * @param d the slot of the current frame that gets the result
   * @param level how many frames out: 0 is the current one, up to {@link #frameDepth}
   * @param s a slot there
   */
  @Traced(code = 230, operands = "slot d, count level, index s")
  public void peek(int d, int level, int s) {
    try {
      frameSteps.peek(d, level, s);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return the number of slots of a frame further out on the current thread's stack}
   *
   * @param level how many frames out: 0 is the current one, up to {@link #frameDepth}
   */
  public int frameSize(int level) {
    checkThread();
    return frameSteps.sizeAt(level);
  }

  /**
   * {@return how many frames out the next frame is whose slot 0 holds a function with one of two
   * codes; -1 if there is none}
   *
   * @param level where to begin: 0 is the current frame, up to {@link #frameDepth}
   * @param code a number, as {@link #functionCode} returns it
   * @param other another one, or the same
   */
  public int findFrame(int level, int code, int other) {
    checkThread();
    return frameSteps.find(level, code, other);
  }

  /** {@return the number of frames of the current thread above its bottom} */
  public int frameDepth() {
    checkThread();
    return depth;
  }

  /** As the statistics have it: of a heap in doubt, and on another Java thread, it is not known. */
  @SuppressWarnings("ReferenceEquality")
  long depth() {
    return owner != null && home == Thread.currentThread() ? depth : 0;
  }

  // ---- values ----

  /**
   * Makes a slot undefined.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 16, operands = "slot d")
  public void setUndefined(int d) {
    checkStep();
    try {
      put(slot(d), Values.UNDEFINED);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Stores null into a slot.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 17, operands = "slot d")
  public void setNull(int d) {
    checkStep();
    try {
      put(slot(d), Values.NULL);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Stores true or false into a slot.
   *
   * @param d the slot that gets the result
   * @param v the value
   */
  @Traced(code = 18, name = "set-false", operands = "slot d, unseen v")
  @Traced(code = 19, name = "set-true", operands = "slot d, unseen v")
  public void setBoolean(int d, boolean v) {
    checkStep();
    try {
      put(slot(d), v ? Values.TRUE : Values.FALSE);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Stores an integer into a slot.
   *
   * @param d the slot that gets the result
   * @param v the value
   */
  @Traced(code = 20, operands = "slot d, int value")
  public void setInt(int d, int v) {
    checkStep();
    try {
      put(slot(d), Values.ofInt(v));
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Stores a double into a slot.
   *
   * @param d the slot that gets the result
   * @param v the value
   */
  @Traced(code = 21, operands = "slot d, double value")
  public void setDouble(int d, double v) {
    checkStep();
    try {
      put(slot(d), Values.ofDouble(v));
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Copies slot {@code s} to slot {@code d}.
   *
   * @param d the slot that gets the result
   * @param s the slot that is read
   */
  @Traced(code = 22, operands = "slot d, slot s")
  public void copy(int d, int s) {
    MethodHandle operation = OperationHandles.COPY;
    while (true) {
      try {
        operation.invokeExact((Operations) this, d, s);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Copies a range of slots to another one; they may overlap.
   *
   * @param d the first slot that is written
   * @param s the first slot that is read
   * @param count how many
   */
  @Traced(code = 182, operands = "index d, index s, size count")
  public void move(int d, int s, int count) {
    MethodHandle operation = FrameSteps.MOVE;
    while (true) {
      try {
        operation.invokeExact(frameSteps, d, s, count);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Loads a range of slots of a record or object.
   *
   * @param d the first slot that is written
   * @param r the slot of a record or object; may be one of those that are written
   * @param i the first index there, from 0
   * @param count how many
   */
  @Traced(code = 183, operands = "index d, record r, index i, size count")
  public void loadRange(int d, int r, int i, int count) {
    try {
      frameSteps.loadRange(d, r, i, count);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Stores a range of slots into a record or object.
   *
   * @param r the slot of a record or object
   * @param i the first index there, from 0
   * @param s the first slot that is read
   * @param count how many
   */
  @Traced(code = 184, operands = "record r, index i, index s, size count")
  public void storeRange(int r, int i, int s, int count) {
    try {
      frameSteps.storeRange(r, i, s, count);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return what a slot holds}
   *
   * @param s any slot
   */
  @Traced(code = 23, operands = "slot s")
  public ValueType type(int s) {
    checkThread();
    return typeOf(value(s));
  }

  /**
   * {@return whether a slot is undefined}
   *
   * @param s any slot
   */
  @Traced(code = 24, operands = "slot s")
  public boolean isUndefined(int s) {
    checkThread();
    return value(s) == Values.UNDEFINED;
  }

  /**
   * {@return whether a slot holds null}
   *
   * @param s any slot
   */
  @Traced(code = 25, operands = "slot s")
  public boolean isNull(int s) {
    checkThread();
    return value(s) == Values.NULL;
  }

  /**
   * {@return whether a slot refers to an element}
   *
   * @param s any slot
   */
  @Traced(code = 26, operands = "slot s")
  public boolean isReference(int s) {
    checkThread();
    long v = value(s);
    return Values.isReference(v) && !integers.isBox(v);
  }

  /**
   * {@return the boolean in a slot}
   *
   * @param s the slot
   * @throws HeapUsageException if it holds something else
   */
  @Traced(code = 27, operands = "slot s")
  public boolean getBoolean(int s) {
    checkThread();
    long v = value(s);
    if (!Values.isBoolean(v)) {
      throw wrongValue(s, "boolean");
    }
    return v == Values.TRUE;
  }

  /**
   * {@return the integer in a slot}
   *
   * @param s the slot
   * @throws HeapUsageException if it holds something else, or an integer that an {@code int} cannot
   *     hold
   */
  @Traced(code = 28, operands = "slot s")
  public int getInt(int s) {
    checkThread();
    long v = value(s);
    if (!Values.isInt(v)) {
      throw notInt(s, v);
    }
    return (int) v;
  }

  /**
   * {@return the double in a slot}
   *
   * @param s the slot
   * @throws HeapUsageException if it holds something else, an integer too
   */
  @Traced(code = 29, operands = "slot s")
  public double getDouble(int s) {
    checkThread();
    long v = value(s);
    if (!Values.isDouble(v)) {
      throw wrongValue(s, "double");
    }
    return Values.toDouble(v);
  }

  private HeapUsageException wrongValue(int s, String name) {
    return new HeapUsageException(
        "not " + article(name) + ": slot " + s + " holds " + describe(value(s)));
  }

  /**
   * {@return the kind of the element in a slot}
   *
   * @param s the slot of the element
   */
  @Traced(code = 30, operands = "element s")
  public Kind kind(int s) {
    checkThread();
    return Layout.kindOf(Layout.kind(mem.get(reference(s))));
  }

  /**
   * {@return whether two slots hold the same element, or equal values}
   *
   * @param a a slot
   * @param b another one
   */
  @Traced(code = 31, operands = "slot a, slot b")
  public boolean same(int a, int b) {
    checkThread();
    long va = value(a);
    long vb = value(b);
    if (Values.isDouble(va) && Values.isDouble(vb)) {
      return Values.toDouble(va) == Values.toDouble(vb);
    }
    return va == vb
        || (integers.isBox(va) && integers.isBox(vb) && integers.get(a) == integers.get(b));
  }

  // ---- integers of 64 bits ----

  /**
   * Stores an integer into a slot. One that 32 bits do not hold takes 16 bytes of the heap, and may
   * collect; to the program it is a value as any other number.
   *
   * @param d the slot that gets the result
   * @param v any
   */
  @Traced(code = 200, name = "set-integer", operands = "slot d, long value")
  public void setLong(int d, long v) {
    check();
    try {
      integers.set(d, v);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return the integer in a slot, of any size}
   *
   * @param s the slot
   * @throws HeapUsageException if it holds something else
   */
  @Traced(code = 201, name = "get-integer", operands = "slot s")
  public long getLong(int s) {
    checkThread();
    return integers.get(s);
  }

  /**
   * {@return whether a slot holds an integer, of any size} Of a value that {@link #get(int)}
   * answered this is worth asking where {@link Values#isReference} holds.
   *
   * @param s any slot
   */
  @Traced(code = 202, operands = "slot s")
  public boolean isInteger(int s) {
    checkThread();
    return integers.isInteger(s);
  }

  // ---- tagged values ----

  /**
   * {@return the tagged value of a slot, to switch on} {@link Values} tells what it is. Of a
   * reference it says no more than that it is one: the element may move, or go.
   *
   * @param s any slot
   */
  @Traced(code = 140, name = "get", operands = "slot s", tagged = true)
  public long get(int s) {
    MethodHandle operation = OperationHandles.GET;
    while (true) {
      try {
        return (long) operation.invokeExact((Operations) this, s);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Stores a tagged value that is no reference into a slot.
   *
   * @param d the slot that gets the result
   * @param value as {@link Values} makes it: an integer, a double, a boolean, null or undefined
   * @throws HeapUsageException if it is a reference, or no value
   */
  @Traced(code = 141, name = "set", operands = "slot d, value value")
  public void set(int d, long value) {
    MethodHandle operation = OperationHandles.SET;
    while (true) {
      try {
        operation.invokeExact((Operations) this, d, value);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * {@return the tagged value of a slot of a record or object}
   *
   * @param r the slot of a record or object
   * @param i its index there, from 0
   */
  @Traced(code = 142, name = "get-of", operands = "record r, index i", tagged = true)
  public long get(int r, int i) {
    MethodHandle operation = OperationHandles.GET_OF;
    while (true) {
      try {
        return (long) operation.invokeExact((Operations) this, r, i);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Stores a tagged value that is no reference into a slot of a record or object.
   *
   * @param r the slot of a record or object
   * @param i its index there, from 0
   * @param value as {@link Values} makes it
   * @throws HeapUsageException if it is a reference, or no value
   */
  @Traced(code = 143, name = "set-of", operands = "record r, index i, value value")
  public void set(int r, int i, long value) {
    MethodHandle operation = OperationHandles.SET_OF;
    while (true) {
      try {
        operation.invokeExact((Operations) this, r, i, value);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * {@return the tagged value of an own property whose key is an index; {@link Values#ABSENT} where
   * there is none}
   *
   * @param o the slot of an object
   * @param index any
   */
  @Traced(code = 144, operands = "object o, int index", tagged = true)
  public long getAt(int o, int index) {
    check();
    return steps.getAt(o, index);
  }

  /**
   * Stores a tagged value that is no reference as a property whose key is an index.
   *
   * @param o the slot of an object
   * @param index from 0
   * @param value as {@link Values} makes it
   * @throws HeapUsageException if it is a reference, or no value
   */
  @Traced(code = 145, operands = "object o, position index, value value")
  public void setAt(int o, int index, long value) {
    check();
    try {
      objects.setAt(o, index, value);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Looks up a property where there is one, in one step: if slot {@code o} holds an object, and it
   * or one of its prototypes has the key, the value lands in slot {@code d}.
   *
   * @param d the slot that gets the result; left as it was if there is none
   * @param o any slot
   * @param key any slot
   * @return the tagged value; {@link Values#ABSENT} if slot {@code o} holds no object, or there is
   *     no such property
   */
  @Traced(code = 146, operands = "slot d, slot o, slot key", tagged = true)
  public long lookUp(int d, int o, int key) {
    MethodHandle operation = PropertySteps.LOOK_UP;
    while (true) {
      try {
        return (long) operation.invokeExact(steps, d, o, key);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Stores into a property where there is one, in one step: if slot {@code o} holds an object that
   * has the key, or if the key is its length as an array, which then grows by one.
   *
   * @param o any slot
   * @param key any slot
   * @param s the slot of the value
   * @return whether it was stored; if not, nothing is changed
   * @throws HeapExhaustedException if there is no memory for the array part to grow
   */
  @Traced(code = 147, operands = "slot o, slot key, slot s")
  public boolean update(int o, int key, int s) {
    MethodHandle operation = PropertySteps.UPDATE;
    while (true) {
      try {
        return (boolean) operation.invokeExact(steps, o, key, s);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Stores into a property where there is one, as {@link #update(int, int, int)} does, but lets the
   * array part grow only if an inline slot of the object is undefined: one that says that the
   * program's own rules decide about new keys, as a metatable does.
   *
   * @param o any slot
   * @param key any slot
   * @param s the slot of the value
   * @param guard an inline slot of the object
   * @return whether it was stored; if not, nothing is changed
   * @throws HeapExhaustedException if there is no memory for the array part to grow
   */
  @Traced(code = 232, name = "update-guarded", operands = "slot o, slot key, slot s, size guard")
  public boolean update(int o, int key, int s, int guard) {
    if (guard < 0) {
      check();
      throw new HeapUsageException("no inline slot " + guard);
    }
    MethodHandle operation = PropertySteps.UPDATE_GUARDED;
    while (true) {
      try {
        return (boolean) operation.invokeExact(steps, o, key, s, guard);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Looks up a property by a name that a global reference holds, as {@link #lookUp(int, int, int)}
   * does.
   *
   * @param d the slot that gets the result; left as it was if there is none
   * @param o any slot
   * @param name of this heap, not closed; where it holds no string there is no such property
   * @return the tagged value; {@link Values#ABSENT} if slot {@code o} holds no object, or there is
   *     no such property
   */
  @Traced(
      code = 148,
      name = "look-up-name",
      operands = "slot d, slot o, global number",
      tagged = true)
  public long lookUp(int d, int o, GlobalRef name) {
    MethodHandle operation = PropertySteps.LOOK_UP_NAME;
    while (true) {
      try {
        return (long) operation.invokeExact(steps, d, o, name);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Looks up a property by its name, as {@link #lookUp(int, int, GlobalRef)} does, in objects that
   * delegate: where one has no such property, the look-up goes on with what the object in its
   * inline slot {@code i} has under the name {@code link}. So a language has classes of its own.
   *
   * @param d the slot that gets the result, undefined where objects end that delegate; left as it
   *     was if the answer is absent
   * @param o any slot
   * @param name of this heap, not closed; where it holds no string there is no such property
   * @param i an inline slot, at least 0; an object that has none such, or undefined there,
   *     delegates to nothing
   * @param link of this heap, not closed
   * @return the tagged value; {@link Values#ABSENT} if slot {@code o}, a slot {@code i} or a link
   *     holds what is no object, or after a hundred links
   */
  @Traced(
      code = 209,
      name = "look-up-linked",
      operands = "slot d, slot o, global number, count i, global link",
      tagged = true)
  public long lookUp(int d, int o, GlobalRef name, int i, GlobalRef link) {
    MethodHandle operation = PropertySteps.LOOK_UP_LINKED;
    while (true) {
      try {
        return (long) operation.invokeExact(steps, d, o, name, i, link);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Stores into a property by a name that a global reference holds, if slot {@code o} holds an
   * object that has it.
   *
   * @param o any slot
   * @param name of this heap, not closed; where it holds no string there is no such property
   * @param s the slot of the value
   * @return whether it was stored; if not, nothing is changed
   */
  @Traced(code = 149, name = "update-name", operands = "slot o, global number, slot s")
  public boolean update(int o, GlobalRef name, int s) {
    MethodHandle operation = PropertySteps.UPDATE_NAME;
    while (true) {
      try {
        return (boolean) operation.invokeExact(steps, o, name, s);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  // ---- records, and the inline slots of objects ----

  /**
   * Makes a record of {@code slots} undefined slots.
   *
   * @param d the slot that gets the result
   * @param slots at least 0
   */
  @Traced(code = 32, operands = "slot d, size slots")
  public void newRecord(int d, int slots) {
    MethodHandle operation = OperationHandles.NEW_RECORD;
    while (true) {
      try {
        operation.invokeExact((Operations) this, d, slots);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Stores slot {@code s} into slot {@code i} of the record or object in slot {@code r}.
   *
   * @param r the slot of a record or object
   * @param i its index there, from 0
   * @param s the slot that is read
   */
  @Traced(code = 33, operands = "record r, index i, slot s")
  public void store(int r, int i, int s) {
    MethodHandle operation = OperationHandles.STORE;
    while (true) {
      try {
        operation.invokeExact((Operations) this, r, i, s);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /** Makes the element in a slot one that no frame owns. */
  long escapingSlot(int s) {
    long e = reference(s);
    return frames == null ? e : escaping(e);
  }

  /**
   * Loads slot {@code i} of the record or object in slot {@code r}.
   *
   * @param d the slot that gets the result
   * @param r the slot of a record or object
   * @param i its index there, from 0
   */
  @Traced(code = 34, operands = "slot d, record r, index i")
  public void load(int d, int r, int i) {
    MethodHandle operation = OperationHandles.LOAD;
    while (true) {
      try {
        operation.invokeExact((Operations) this, d, r, i);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Stores an integer into a slot of a record or object.
   *
   * @param r the slot of a record or object
   * @param i its index there, from 0
   * @param v the value
   */
  @Traced(code = 35, operands = "record r, index i, int value")
  public void storeInt(int r, int i, int v) {
    storePlain(r, i, Values.ofInt(v));
  }

  /**
   * Stores null into a slot of a record or object.
   *
   * @param r the slot of a record or object
   * @param i its index there, from 0
   */
  @Traced(code = 36, operands = "record r, index i")
  public void storeNull(int r, int i) {
    storePlain(r, i, Values.NULL);
  }

  /** Stores a value that is no reference. */
  private void storePlain(int r, int i, long value) {
    MethodHandle operation = OperationHandles.STORE_PLAIN;
    while (true) {
      try {
        operation.invokeExact((Operations) this, r, i, value);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * {@return the integer in a slot of a record or object}
   *
   * @param r the slot of a record or object
   * @param i its index there, from 0
   */
  @Traced(code = 37, operands = "record r, index i")
  public int loadInt(int r, int i) {
    MethodHandle operation = OperationHandles.LOAD_INT;
    while (true) {
      try {
        return (int) operation.invokeExact((Operations) this, r, i);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * {@return the number of slots of the record or object in a slot}
   *
   * @param r the slot of a record or object
   */
  @Traced(code = 38, operands = "record r")
  public int slotCount(int r) {
    checkThread();
    long e = reference(r);
    long h = mem.get(e);
    int first = firstSlot(h, r);
    return (int) Layout.payloadWords(mem, e, h) - first;
  }

  // ---- objects ----
  // A property's key is any value but undefined, null and NaN: see dev.gleaner.table.Keys.

  /**
   * Makes an object without inline slots.
   *
   * @param d the slot that gets the result
   */
  public void newObject(int d) {
    newObject(d, 0);
  }

  /**
   * Makes an object with inline slots besides its property table.
   *
   * @param d the slot that gets the result
   * @param inlineSlots at least 0; they are read and stored as those of records
   */
  @Traced(code = 40, operands = "slot d, size inline slots")
  public void newObject(int d, int inlineSlots) {
    check();
    try {
      objects.newObject(d, inlineSlots);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes an object with room for so much, so that its table need not grow while it is filled.
   * Indexes below the number of elements are to be in its array, in whatever order they are put.
   *
   * @param d the slot that gets the result
   * @param inlineSlots at least 0
   * @param properties how many with other keys are expected, at least 0
   * @param elements how many indexes from 0 on are expected, at least 0
   */
  @Traced(
      code = 208,
      name = "new-object-sized",
      operands = "slot d, size inline slots, size properties, size elements")
  public void newObject(int d, int inlineSlots, int properties, int elements) {
    check();
    try {
      objects.newObject(d, inlineSlots, properties, elements);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes an object whose properties are weak: it does not keep their keys alive, or their values,
   * or both. Strings, numbers and booleans stay in it like in any other.
   *
   * <p>An entry goes when its weak key or value is reclaimed. An entry with a weak key is an
   * ephemeron: its value is kept while the key is reached otherwise than through the value. A weak
   * value that waits for its finalizer is gone already, a weak key is there until it is reclaimed.
   *
   * @param d the slot that gets the result
   * @param weakness one of {@link Weakness}
   * @throws HeapUsageException if it is another number
   */
  @Traced(code = 131, operands = "slot d, weakness weakness")
  public void newWeakObject(int d, int weakness) {
    check();
    try {
      objects.newWeakObject(d, weakness);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes an object weak, otherwise weak, or an ordinary one again, as {@link #newWeakObject} has
   * it. Its properties and its inline slots stay, and walks go on; one that is among the integer
   * keys of the array part sees them again, since a weak table has no array. The time is in
   * proportion to the properties.
   *
   * @param o the slot of an object
   * @param weakness one of {@link Weakness}
   * @throws HeapUsageException if it is another number
   * @throws HeapExhaustedException if there is no memory to make entries of the array part
   */
  @Traced(code = 220, operands = "object o, weakness weakness")
  public void setWeakness(int o, int weakness) {
    check();
    try {
      objects.setWeakness(o, weakness);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Says of what sort an element is, for those who look at the heap; it changes nothing else.
   *
   * @param s the slot of an element
   * @param sort as {@link Heap#sort} answered it, or 0 for none
   * @throws HeapUsageException if there is no such sort
   */
  @Traced(code = 222, operands = "element s, sort sort")
  public void setSort(int s, int sort) {
    check();
    long e = reference(s);
    if (sort < 0 || sort > context.sorts().size()) {
      throw new HeapUsageException(
          "no sort: %d; there are %d, and 0".formatted(sort, context.sorts().size()));
    }
    mem.put(e, (mem.get(e) & ~(long) Layout.SORT_MASK) | (long) sort << Layout.SORT_SHIFT);
  }

  /**
   * {@return the number of the sort of the element in a slot, 0 for none}
   *
   * @param s the slot of an element
   */
  @Traced(code = 223, name = "sort-of", operands = "element s")
  public int sort(int s) {
    checkThread();
    return Layout.sort(mem.get(reference(s)));
  }

  /**
   * The prototype, null when unset.
   *
   * @param d the slot that gets the result
   * @param o the slot of an object
   */
  @Traced(code = 41, operands = "slot d, object o")
  public void getPrototype(int d, int o) {
    checkStep();
    try {
      objects.getPrototype(d, o);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Sets the prototype to an object or null; a chain that would return to itself is refused.
   *
   * @param o the slot of an object
   * @param s the slot of the prototype, or of null
   */
  @Traced(code = 42, operands = "object o, slot s")
  public void setPrototype(int o, int s) {
    check();
    try {
      objects.setPrototype(o, s);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * A property's value, looked up along the prototypes; undefined if there is none.
   *
   * @param d the slot that gets the result
   * @param o the slot of an object
   * @param key the slot of the key
   */
  @Traced(code = 43, operands = "slot d, object o, key key")
  public void getProperty(int d, int o, int key) {
    check();
    try {
      objects.getProperty(d, o, key);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * The object's own property's value; undefined, and false, if there is none.
   *
   * @param d the slot that gets the result
   * @param o the slot of an object
   * @param key the slot of the key
   * @return whether there is one
   */
  @Traced(code = 44, operands = "slot d, object o, key key")
  public boolean getOwnProperty(int d, int o, int key) {
    check();
    try {
      return objects.getOwnProperty(d, o, key);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Sets an own property.
   *
   * <p>A key is any value but undefined, null and NaN. A double that an integer of 32 bits equals
   * is the same key as that, so -0.0 is 0. Strings are the same if their characters are, other
   * elements if they are one.
   *
   * @param o the slot of an object
   * @param key the slot of the key
   * @param s the slot of the value
   * @throws HeapUsageException if the key is undefined, null or NaN
   */
  @Traced(code = 45, operands = "object o, key key, slot s")
  public void putProperty(int o, int key, int s) {
    check();
    try {
      objects.putProperty(o, key, s);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Removes an own property; false if there was none.
   *
   * @param o the slot of an object
   * @param key the slot of the key
   * @return whether there was one
   */
  @Traced(code = 46, operands = "object o, key key")
  public boolean deleteProperty(int o, int key) {
    check();
    try {
      return objects.deleteProperty(o, key);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return whether there is an own property}
   *
   * @param o the slot of an object
   * @param key the slot of the key
   */
  @Traced(code = 47, operands = "object o, key key")
  public boolean hasProperty(int o, int key) {
    check();
    return objects.hasProperty(o, key);
  }

  /**
   * An own property whose key is an index; undefined where there is none.
   *
   * @param d the slot that gets the result
   * @param o the slot of an object
   * @param index from 0
   */
  @Traced(code = 48, operands = "slot d, object o, position index")
  public void getIndex(int d, int o, int index) {
    check();
    try {
      objects.getIndex(d, o, index);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Sets a property whose key is an index, as {@link #putProperty} does with an integer.
   *
   * @param o the slot of an object
   * @param index from 0
   * @param s the slot of the value
   */
  @Traced(code = 49, operands = "object o, position index, slot s")
  public void putIndex(int o, int index, int s) {
    check();
    try {
      objects.putIndex(o, index, s);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return the length of an object as an array} It is one more than the largest index that was
   * put, or what it was set to since. To delete makes it no less.
   *
   * @param o the slot of an object
   */
  @Traced(code = 50, operands = "object o")
  public int arrayLength(int o) {
    checkThread();
    return objects.arrayLength(o);
  }

  /**
   * Sets the length of an object as an array. Indexes from there on are deleted, and memory that
   * the array does not need is given back. To make it longer takes no memory for what is between.
   *
   * @param o the slot of an object
   * @param length at least 0
   */
  @Traced(code = 203, operands = "object o, size length")
  public void setArrayLength(int o, int length) {
    check();
    try {
      objects.setArrayLength(o, length);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Copies indexes of an object to those of another one, or of the same; ranges may overlap. What
   * is not there is deleted where it is copied to. In arrays it is one copy of memory.
   *
   * @param o the slot of the object that they are copied to
   * @param to the first index there
   * @param source the slot of the object that they are copied from
   * @param from the first index there
   * @param count how many, at least 0
   * @throws HeapExhaustedException if there is no memory; nothing is changed then
   */
  @Traced(code = 205, operands = "object o, position to, object source, position from, size count")
  public void moveRange(int o, int to, int source, int from, int count) {
    check();
    try {
      arrays.moveRange(o, to, source, from, count);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Inserts an index: those from there on move up by one, and the length grows by one.
   *
   * @param o the slot of an object
   * @param index from 0 up to the length
   * @param s the slot of the value
   * @throws HeapExhaustedException if there is no memory; nothing is changed then
   */
  @Traced(code = 206, operands = "object o, index index, slot s")
  public void insertAt(int o, int index, int s) {
    check();
    try {
      arrays.insertAt(o, index, s);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Removes an index: those behind it move down by one, and the length shrinks by one.
   *
   * @param o the slot of an object
   * @param index from 0, below the length
   * @throws HeapExhaustedException if there is no memory, which indexes in an array do not need;
   *     nothing is changed then
   */
  @Traced(code = 207, operands = "object o, index index")
  public void removeAt(int o, int index) {
    check();
    try {
      arrays.removeAt(o, index);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return a border: an index that is there, counted from 1 on, while the next one is not; 0 if 1
   * is not there} If there are several it is one of them, the last if the last index is there. It
   * takes time in proportion to the logarithm of the length.
   *
   * @param o the slot of an object
   */
  @Traced(code = 204, operands = "object o")
  public int border(int o) {
    check();
    return objects.border(o);
  }

  /**
   * {@return the number of own properties, indexes included}
   *
   * @param o the slot of an object
   */
  @Traced(code = 51, operands = "object o")
  public int propertyCount(int o) {
    checkThread();
    return objects.propertyCount(o);
  }

  /**
   * Walks the own properties, those of the array part excepted, in the order of insertion.
   *
   * <p>The walk is stable: whatever is put, deleted or collected meanwhile, it sees each property
   * that is there throughout once. One that is added meanwhile is seen, too, and so is one that is
   * deleted and put again. A cursor is valid as long as its object; any number of walks can be
   * under way, and none needs to come to its end. A step takes constant time.
   *
   * @param o the slot of an object
   * @param cursor 0 at first, then the last answer for this object
   * @param dKey the slot that gets the property's key
   * @param dValue the slot that gets its value
   * @return the next cursor, or -1 at the end, when both slots are left as they were
   * @throws HeapUsageException if the cursor is negative
   */
  @Traced(code = 52, operands = "object o, cursor cursor, slot dKey, slot dValue, next the answer")
  public long nextProperty(int o, long cursor, int dKey, int dValue) {
    check();
    try {
      return objects.nextProperty(o, cursor, dKey, dValue);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Finds the own property that follows a key in the order of insertion, those of the array part
   * excepted, in constant time.
   *
   * <p>The key is that of a property; or the one that this method has answered last for the object,
   * although it was deleted since; or the one deleted last, if that was since this method first
   * answered for the object. So a walk may delete what it stands on, and all else, and is as stable
   * as one by {@linkplain #nextProperty cursor}: it sees each property that is there throughout
   * once. Of several such walks over one object only one can stand on a key that was deleted,
   * besides the one deleted last; cursors have no such bound. The object holds these two keys.
   *
   * @param o the slot of an object
   * @param key the slot of the key to go on from, which may be {@code dKey}; undefined in it: the
   *     first property is found
   * @param dKey the slot that gets the property's key
   * @param dValue the slot that gets its value
   * @return false at the end, when both slots are left as they were
   * @throws HeapUsageException if there is no such key
   */
  @Traced(code = 53, operands = "object o, key key, slot dKey, slot dValue")
  public boolean nextPropertyAfter(int o, int key, int dKey, int dValue) {
    check();
    try {
      return objects.nextPropertyAfter(o, key, dKey, dValue);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  // ---- strings ----

  /**
   * Makes a string of text. Up to {@code strings.max-interned} bytes it is interned: if there is
   * one already, that is it.
   *
   * @param d the slot that gets the result
   * @param text not null; surrogates without a partner are kept
   */
  @Traced(code = 56, operands = "slot d, text UTF-8")
  public void newString(int d, String text) {
    check();
    try {
      strings.make(d, Objects.requireNonNull(text, "text"));
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes a string of any bytes; where they are UTF-8 it is text. Up to {@code
   * strings.max-interned} bytes it is interned: if there is one already, that is it.
   *
   * @param d the slot that gets the result
   * @param bytes the array that has them
   * @param offset of the first one
   * @param length how many
   */
  public void newString(int d, byte[] bytes, int offset, int length) {
    check();
    try {
      strings.make(d, Objects.requireNonNull(bytes, "bytes"), offset, length);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Finds a string without interning it; false, and the slot as it was, if it is not interned.
   *
   * @param d the slot that gets the result
   * @param text not null
   * @return whether it is interned
   */
  @Traced(code = 57, operands = "slot d, found 1 if it was found, text UTF-8", reads = false)
  public boolean findString(int d, String text) {
    check();
    try {
      return strings.find(d, Objects.requireNonNull(text, "text"));
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return the string's text} Allocates on the JVM's heap.
   *
   * @param s the slot of a string
   * @throws HeapUsageException if its bytes are no text
   */
  @Traced(code = 58, operands = "string s")
  public String getString(int s) {
    check();
    return strings.text(s);
  }

  /**
   * {@return the string's length in characters (code points)}
   *
   * @param s the slot of a string
   * @throws HeapUsageException if its bytes are no text
   */
  @Traced(code = 59, operands = "string s")
  public int stringLength(int s) {
    checkThread();
    return strings.length(s);
  }

  /**
   * {@return the string's length in bytes}
   *
   * @param s the slot of a string
   */
  @Traced(code = 60, operands = "string s")
  public int stringBytes(int s) {
    checkThread();
    return strings.bytes(s);
  }

  /**
   * {@return the character (code point) at an index}
   *
   * @param s the slot of a string
   * @param index in characters, from 0
   */
  @Traced(code = 61, operands = "string s, index index")
  public int charAt(int s, int index) {
    checkThread();
    return strings.charAt(s, index);
  }

  /**
   * {@return whether the bytes of a string are text in UTF-8, so that it has characters}
   *
   * <p>An unpaired surrogate is text, in three bytes; a pair of them, three bytes each, is not.
   *
   * @param s the slot of a string
   */
  @Traced(code = 160, operands = "string s")
  public boolean isText(int s) {
    checkThread();
    return strings.isText(s);
  }

  /**
   * {@return whether a string is interned, so that no other one that is has the same bytes}
   *
   * @param s the slot of a string
   */
  @Traced(code = 161, operands = "string s")
  public boolean isInterned(int s) {
    checkThread();
    return strings.isInterned(s);
  }

  /**
   * Finds the interned string with the bytes of another one, which becomes it if there is none yet.
   *
   * @param d the slot that gets the result
   * @param s the slot of a string
   */
  @Traced(code = 162, operands = "slot d, string s")
  public void intern(int d, int s) {
    check();
    try {
      strings.intern(d, s);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return a byte of a string, from 0 to 255}
   *
   * @param s the slot of a string
   * @param index in bytes, from 0
   */
  @Traced(code = 163, operands = "string s, index index")
  public int byteAt(int s, int index) {
    checkThread();
    return strings.byteAt(s, index);
  }

  /**
   * Copies bytes out of a string.
   *
   * @param s the slot of a string
   * @param from the index of the first byte, from 0
   * @param to the array that gets them
   * @param offset where in the array
   * @param length how many
   */
  @Traced(
      code = 164,
      operands = "string s, index from, unseen to, unseen offset, size length",
      reads = false)
  public void readString(int s, int from, byte[] to, int offset, int length) {
    checkThread();
    Objects.checkFromIndexSize(offset, length, Objects.requireNonNull(to, "to").length);
    strings.read(s, from, to, offset, length);
  }

  /**
   * {@return whether two strings have the same bytes}
   *
   * @param a the slot of a string
   * @param b the slot of another one
   */
  @Traced(code = 165, operands = "string a, string b")
  public boolean equalStrings(int a, int b) {
    checkThread();
    return strings.equal(a, b);
  }

  /**
   * Compares two strings by their bytes, unsigned: text comes in the order of its code points.
   *
   * @param a the slot of a string
   * @param b the slot of another one
   * @return -1, 0 or 1, as the first is less than, equal to or greater than the second
   */
  @Traced(code = 166, operands = "string a, string b")
  public int compareStrings(int a, int b) {
    checkThread();
    return strings.compare(a, b);
  }

  /**
   * Finds the bytes of a string in another one.
   *
   * @param s the slot of a string
   * @param part the slot of the string that is looked for
   * @param from the first index that will do, in bytes, up to the number of bytes
   * @return the index of the first byte, or -1
   */
  @Traced(code = 167, operands = "string s, string part, index from")
  public int indexOf(int s, int part, int from) {
    checkThread();
    return strings.indexOf(s, part, from);
  }

  /**
   * Joins the strings and numbers of some slots to one string, without a Java string. An integer
   * has its decimal digits; a double is as {@link Double#toString(double)} has it: the shortest
   * decimal that reads back, always with a point. So {@code concat(d, s, 1)} makes a string of a
   * number.
   *
   * <p>Bytes are joined as they are: a surrogate and its partner do not become one character.
   *
   * @param d the slot that gets the result, which may be one of them
   * @param first the first of them
   * @param count how many, from 0 on
   */
  @Traced(code = 168, operands = "slot d, index first, size count")
  public void concat(int d, int first, int count) {
    check();
    try {
      pieces.concat(d, first, count);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes a string of a part of another one; all of it is the same string.
   *
   * @param d the slot that gets the result
   * @param s the slot of a string
   * @param from the index of the first byte, from 0
   * @param to the index behind the last byte
   */
  @Traced(code = 169, operands = "slot d, string s, index from, size to")
  public void substring(int d, int s, int from, int to) {
    check();
    try {
      pieces.substring(d, s, from, to);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes a string of bytes of a buffer.
   *
   * @param d the slot that gets the result
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   * @param length how many
   */
  @Traced(code = 170, operands = "slot d, buffer b, place at, size length, text bytes")
  public void stringFromBuffer(int d, int b, long at, int length) {
    check();
    try {
      pieces.fromBuffer(d, b, at, length);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Writes the bytes of a string, or of a number as {@link #concat} has it, into a buffer.
   *
   * @param b the slot of a buffer, which must have room for them
   * @param at the index of the first byte, from 0
   * @param s the slot of a string or number
   * @return how many bytes
   */
  @Traced(code = 171, operands = "buffer b, place at, slot s")
  public int stringToBuffer(int b, long at, int s) {
    check();
    return pieces.toBuffer(b, at, s);
  }

  /**
   * Reads a string as a number, without a Java string: decimal digits, with a sign, point and
   * exponent as they come; {@code Infinity} and {@code NaN}. Digits alone are an integer, if 64
   * bits hold it; all else is a double.
   *
   * @param d the slot that gets the result; as it was if there is none
   * @param s the slot of a string
   * @return whether all of the string is a number
   */
  @Traced(code = 172, operands = "slot d, string s")
  public boolean toNumber(int d, int s) {
    check();
    try {
      return pieces.toNumber(d, s);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /** For what makes strings: the pieces that were measured last. */
  StringPieces pieces() {
    return pieces;
  }

  /** Where bytes of a buffer lie. */
  long bytesOfBuffer(int b, long at, long length) {
    return buffers.place(b, at, length);
  }

  // ---- buffers ----

  /**
   * Makes a fixed buffer of zeros.
   *
   * @param d the slot that gets the result
   * @param bytes its size, at least 0
   */
  @Traced(code = 64, operands = "slot d, bytes bytes")
  public void newBuffer(int d, long bytes) {
    check();
    try {
      buffers.newFixed(d, bytes);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes a dynamic buffer of zeros.
   *
   * @param d the slot that gets the result
   * @param bytes its size at first, at least 0
   */
  @Traced(code = 65, operands = "slot d, bytes bytes")
  public void newDynamicBuffer(int d, long bytes) {
    check();
    try {
      buffers.newDynamic(d, bytes);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return the size of a buffer, in bytes}
   *
   * @param b the slot of a buffer
   */
  @Traced(code = 66, operands = "buffer b")
  public long bufferSize(int b) {
    checkThread();
    return buffers.size(b);
  }

  /**
   * Resizes a dynamic buffer; what stays keeps its values, what is new is zero.
   *
   * @param b the slot of a dynamic buffer that is not pinned
   * @param bytes the new size, at least 0
   */
  @Traced(code = 67, operands = "dynamic b, bytes bytes")
  public void resizeBuffer(int b, long bytes) {
    check();
    try {
      buffers.resize(b, bytes);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return a byte of a buffer}
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   */
  @Traced(code = 68, operands = "buffer b, place at", reads = false)
  public byte getByte(int b, long at) {
    checkThread();
    return mem.getByte(buffers.place(b, at, 1));
  }

  /**
   * Writes a byte into a buffer.
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   * @param v the value
   */
  @Traced(code = 69, operands = "buffer b, place at, unseen v")
  public void putByte(int b, long at, byte v) {
    check();
    mem.putByte(buffers.place(b, at, 1), v);
  }

  /**
   * {@return eight bytes of a buffer, in the machine's order, from any index on}
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   */
  @Traced(code = 70, operands = "buffer b, place at", reads = false)
  public long getLong(int b, long at) {
    checkThread();
    return mem.get(buffers.place(b, at, 8));
  }

  /**
   * Writes eight bytes into a buffer, in the machine's order, from any index on.
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   * @param v the value
   */
  @Traced(code = 71, operands = "buffer b, place at, unseen v")
  public void putLong(int b, long at, long v) {
    check();
    mem.put(buffers.place(b, at, 8), v);
  }

  /**
   * {@return eight bytes of a buffer as a double, in the machine's order, from any index on}
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   */
  public double getDouble(int b, long at) {
    return Double.longBitsToDouble(getLong(b, at));
  }

  /**
   * Writes a double into a buffer, eight bytes in the machine's order, from any index on.
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   * @param v the value
   */
  public void putDouble(int b, long at, double v) {
    putLong(b, at, Double.doubleToRawLongBits(v));
  }

  /**
   * Copies bytes out of a buffer.
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   * @param to the array that gets them
   * @param offset where in the array
   * @param length how many
   */
  @Traced(code = 72, operands = "buffer b, place at, unseen to, unseen offset, size length")
  public void readBytes(int b, long at, byte[] to, int offset, int length) {
    checkThread();
    Objects.checkFromIndexSize(offset, length, Objects.requireNonNull(to, "to").length);
    mem.read(buffers.place(b, at, length), to, offset, length);
  }

  /**
   * Copies bytes into a buffer.
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   * @param from the array that has them
   * @param offset where in the array
   * @param length how many
   */
  @Traced(code = 73, operands = "buffer b, place at, unseen from, unseen offset, size length")
  public void writeBytes(int b, long at, byte[] from, int offset, int length) {
    check();
    Objects.checkFromIndexSize(offset, length, Objects.requireNonNull(from, "from").length);
    mem.write(buffers.place(b, at, length), from, offset, length);
  }

  /**
   * {@return a view of a buffer's bytes, valid until the next allocation, collection or resize}
   *
   * @param b the slot of a buffer
   */
  @Traced(code = 74, operands = "buffer b", reads = false)
  public MemorySegment view(int b) {
    check();
    return viewOf(b);
  }

  private MemorySegment viewOf(int b) {
    long n = buffers.size(b);
    return n == 0 ? MemorySegment.NULL : mem.view(buffers.place(b, 0, n), n);
  }

  /**
   * Pins a buffer: it is neither moved nor reclaimed, and cannot be resized, until it was unpinned
   * as often. May collect, once for each small fixed buffer.
   *
   * @param b the slot of a buffer
   * @return a view of its bytes, valid until then
   * @throws HeapUsageException if the traits say that the collector does not pin, or where memory
   *     is grown, because all of it moves then
   * @throws HeapExhaustedException if there is no memory for the buffer where it can stay
   */
  @Traced(code = 75, operands = "buffer b", reads = false)
  public MemorySegment pin(int b) {
    check();
    try {
      buffers.pin(b);
      return viewOf(b);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Unpins a buffer that is pinned.
   *
   * @param b the slot of a buffer
   */
  @Traced(code = 76, operands = "buffer b")
  public void unpin(int b) {
    check();
    try {
      buffers.unpin(b);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  // ---- natives and functions ----

  /**
   * Makes an element that holds a Java object.
   *
   * @param d the slot that gets the result
   * @param value not null; held until the element is freed
   * @param onFree called with the object when the element was freed; null for none
   */
  @Traced(code = 80, operands = "slot d, unseen value, callback number of its callback or 0")
  public void newNative(int d, Object value, @Nullable FreeCallback onFree) {
    check();
    try {
      Objects.requireNonNull(value, "value");
      long _ = slot(d);
      if (onFree != null) {
        callbacks.make();
      }
      long e = driver.allocateElement(Layout.NATIVE, 1);
      section.enter();
      mem.put(
          e + Layout.NATIVE_INDEX,
          context.natives().add(value, onFree, driver.runner.settingOperation()));
      section.leave();
      setSlot(d, e);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return the Java object of a native element}
   *
   * @param s the slot of a native element
   */
  @Traced(code = 81, operands = "native s", reads = false)
  public Object nativeValue(int s) {
    check();
    return context.natives().get((int) mem.get(element(s, Layout.NATIVE, "native") + 8));
  }

  /**
   * Makes a compiled function with so many constants and inner functions, undefined at first.
   *
   * @param d the slot that gets the result
   * @param constants at least 0
   * @param inners inner functions, at least 0
   */
  @Traced(code = 82, operands = "slot d, size constants, size inner functions")
  public void newFunction(int d, int constants, int inners) {
    check();
    try {
      long _ = slot(d);
      if (constants < 0 || inners < 0) {
        throw new HeapUsageException("negative size: " + Math.min(constants, inners));
      }
      long words = (long) constants + inners + 1;
      boolean exist = constants <= Layout.FUNCTION_MASK;
      long e = driver.allocateElement(Layout.FUNCTION, exist ? words : Long.MAX_VALUE >> 4);
      mem.put(e + Layout.FUNCTION_COUNTS, Values.ofRaw(constants));
      setSlot(d, e);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Sets the number of a function's code, by which a runtime finds what the function does.
   *
   * @param f the slot of a function
   * @param code from 0 to 16,777,214
   */
  @Traced(code = 150, operands = "function f, code code")
  public void setFunctionCode(int f, int code) {
    check();
    long e = element(f, Layout.FUNCTION, "function");
    if (code < 0 || code >= Layout.FUNCTION_MASK) {
      throw new HeapUsageException(
          "no number of a code: " + code + "; there are 0 to " + (Layout.FUNCTION_MASK - 1));
    }
    long constants = mem.get(e + Layout.FUNCTION_COUNTS) & Layout.FUNCTION_MASK;
    mem.put(
        e + Layout.FUNCTION_COUNTS, Values.ofRaw((code + 1L) << Layout.FUNCTION_BITS | constants));
  }

  /**
   * {@return the number of the code of the function in a slot; -1 if the slot holds no function, or
   * one without a number}
   *
   * @param s any slot
   */
  @Traced(code = 151, operands = "slot s")
  public int functionCode(int s) {
    MethodHandle operation = OperationHandles.FUNCTION_CODE;
    while (true) {
      try {
        return (int) operation.invokeExact((Operations) this, s);
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Stores a constant of a function.
   *
   * @param f the slot of a function
   * @param i its index there, from 0
   * @param s the slot that is read
   */
  @Traced(code = 83, operands = "function f, index i, slot s")
  public void storeConstant(int f, int i, int s) {
    check();
    try {
      storeAt(reference(f), constant(f, i), value(s));
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Loads a constant of a function.
   *
   * @param d the slot that gets the result
   * @param f the slot of a function
   * @param i its index there, from 0
   */
  @Traced(code = 84, operands = "slot d, function f, index i")
  public void loadConstant(int d, int f, int i) {
    MethodHandle operation = OperationHandles.LOAD_CONSTANT;
    while (true) {
      try {
        operation.invokeExact((Operations) this, d, f, i);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Stores an inner function: a function, null or undefined.
   *
   * @param f the slot of a function
   * @param i its index there, from 0
   * @param s the slot that is read
   */
  @Traced(code = 85, operands = "function f, index i, slot s")
  public void storeInner(int f, int i, int s) {
    check();
    try {
      long v = value(s);
      boolean nothing = v == Values.UNDEFINED || v == Values.NULL;
      if (!nothing && !(Values.isReference(v) && Layout.kind(mem.get(v)) == Layout.FUNCTION)) {
        throw wrongKind(s, "function");
      }
      storeAt(reference(f), inner(f, i), v);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Loads an inner function.
   *
   * @param d the slot that gets the result
   * @param f the slot of a function
   * @param i its index there, from 0
   */
  @Traced(code = 86, operands = "slot d, function f, index i")
  public void loadInner(int d, int f, int i) {
    checkStep();
    try {
      setSlot(d, mem.get(inner(f, i)));
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  private long inner(int f, int i) {
    long e = element(f, Layout.FUNCTION, "function");
    long constants = mem.get(e + Layout.FUNCTION_COUNTS) & Layout.FUNCTION_MASK;
    long n = Layout.payloadWords(mem, e, mem.get(e)) - 1 - constants;
    if (i < 0 || i >= n) {
      throw new HeapUsageException("no inner function " + i + " in a function of " + n);
    }
    return e + 16 + ((constants + i) << 3);
  }

  // ---- threads ----

  /**
   * Makes a thread (a coroutine) with an empty value stack.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 88, operands = "slot d")
  public void newThread(int d) {
    check();
    try {
      long _ = slot(d);
      setSlot(d, makeThread());
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /** Makes a thread; its stack first, so that no half-made one is ever seen. */
  long makeThread() {
    driver.beforeAllocation();
    long stack = context.stacks().allocate();
    for (int attempt = 0; stack == 0; attempt++) {
      driver.beforeRetry(attempt, context.stacks().initialBytes());
      stack = context.stacks().allocate();
    }
    long e;
    try {
      e = driver.allocateElement(Layout.THREAD, ThreadLayout.PAYLOAD_WORDS);
    } catch (RuntimeException | Error x) {
      context.functions().free(stack);
      throw x;
    }
    section.enter();
    context.stacks().init(e, stack);
    section.leave();
    return e;
  }

  /**
   * Pushes slot {@code s} onto the value stack of another thread, as a new slot of its frame.
   *
   * @param thread the slot of a thread that does not run
   * @param s the slot that is read
   */
  @Traced(code = 89, operands = "thread thread, slot s")
  public void push(int thread, int s) {
    check();
    try {
      long _ = slot(s);
      if (wordsWithOneMore(thread)
          > Values.raw(mem.get(suspended(thread) + ThreadLayout.CAPACITY))) {
        driver.beforeAllocation();
        // Counted anew each time: a finalizer may push, too.
        for (int attempt = 0;
            !context.stacks().ensureStack(suspended(thread), wordsWithOneMore(thread));
            attempt++) {
          driver.beforeRetry(attempt, wordsWithOneMore(thread) << 3);
        }
      }
      long words = wordsWithOneMore(thread);
      long t = suspended(thread);
      long v = escaping(value(s));
      count(v);
      mem.put(Values.raw(mem.get(t + ThreadLayout.STACK)) + ((words - 1) << 3), v);
      mem.put(t + ThreadLayout.TOP, Values.ofRaw(words));
      mem.put(t + ThreadLayout.SIZE, Values.ofRaw(Values.raw(mem.get(t + ThreadLayout.SIZE)) + 1));
      remember(t, 0, v);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  private long wordsWithOneMore(int thread) {
    long t = suspended(thread);
    long words = Values.raw(mem.get(t + ThreadLayout.TOP)) + 1;
    if (words > maxStack) {
      throw valueStackFull(words);
    }
    long slots = Values.raw(mem.get(t + ThreadLayout.SIZE)) + 1;
    if (slots > LARGEST_FRAME) {
      throw new ValueStackFullException(
          "frame of " + slots + " slots exceeds " + LARGEST_FRAME, slots, LARGEST_FRAME);
    }
    return words;
  }

  /**
   * Pops the last slot of another thread's frame.
   *
   * @param thread the slot of a thread that does not run
   * @param d the slot that gets the result
   */
  @Traced(code = 90, operands = "thread thread, slot d")
  public void pop(int thread, int d) {
    check();
    try {
      long at = slot(d);
      long t = suspended(thread);
      long n = Values.raw(mem.get(t + ThreadLayout.SIZE));
      if (n == 0) {
        throw new HeapUsageException("value stack is empty");
      }
      long last = Values.raw(mem.get(t + ThreadLayout.TOP)) - 1;
      long v = mem.get(Values.raw(mem.get(t + ThreadLayout.STACK)) + (last << 3));
      if (context.barrier()) {
        shadeValue(v);
      }
      mem.put(t + ThreadLayout.TOP, Values.ofRaw(last));
      mem.put(t + ThreadLayout.SIZE, Values.ofRaw(n - 1));
      put(at, v);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  private long suspended(int s) {
    return coroutines.suspended(s);
  }

  /**
   * Makes a thread the current one, in a new frame on its stack; the current one is its resumer.
   * What was pushed onto a thread that stands in its bottom frame are the first slots.
   *
   * @param thread the slot of a thread that does not run
   * @param frameSlots slots of its new frame, at least as many as were pushed
   */
  @Traced(code = 91, operands = "thread thread, size slots")
  public void resume(int thread, int frameSlots) {
    try {
      coroutines.resume(thread, frameSlots, 0, 0);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes a thread the current one, in a new frame on its stack; the current one is its resumer.
   * The first slots are what was pushed, if it stands in its bottom frame, and then the arguments.
   *
   * @param thread the slot of a thread that does not run
   * @param frameSlots slots of its new frame, at least as many as were pushed, and {@code args}
   * @param first the slot of the first argument in the current frame
   * @param args how many there are, from there on
   * @throws ValueStackFullException if its value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for its value stack to grow
   */
  @Traced(
      code = 187,
      name = "resume-args",
      operands = "thread thread, size slots, index first, size arguments")
  public void resume(int thread, int frameSlots, int first, int args) {
    try {
      coroutines.resume(thread, frameSlots, first, args);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes a thread the current one, in the frame in which it stands; the current one is its
   * resumer. The values land in that frame's slots from {@code d} on, of which exactly {@code
   * wanted} are written: missing values are undefined, surplus ones dropped. With {@link #ALL}
   * every value lands, and the frame grows where it ends before the last one.
   *
   * @param thread the slot of a thread that does not run
   * @param first the slot of the first value in the current frame
   * @param count how many there are, from there on
   * @param d the slot of the first one in the frame that goes on; up to the number of its slots
   * @param wanted how many of its slots are written, or {@link #ALL}
   * @return how many values landed
   * @throws ValueStackFullException if its value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for its value stack to grow
   */
  @Traced(code = 188, operands = "thread thread, index first, size count, slot d, int wanted")
  public int resumeInto(int thread, int first, int count, int d, int wanted) {
    try {
      return coroutines.resumeInto(thread, first, count, d, wanted);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /** Moves what the running thread's frames made to where it does not depend on them. */
  void evacuate() {
    if (frames != null) {
      flush();
      section.enter();
      frames.evacuate();
      section.leave();
    }
  }

  /** Leaves the frame and goes back to the thread that resumed this one. */
  @Traced(code = 92)
  public void suspend() {
    check();
    try {
      coroutines.checkResumed();
      checkLeaves(link(base));
      mem.put(current + ThreadLayout.STATE, Values.ofRaw(0)); // first, as it is set last
      leaveFrame();
      coroutines.switchBack();
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Goes back to the thread that resumed this one; the frame stays, and goes on with {@link
   * #resumeInto}. The values land in the resumer's frame, as {@link #resumeInto} says.
   *
   * @param first the slot of the first value
   * @param count how many there are, from there on
   * @param d the resumer's slot of the first one; up to the number of its slots
   * @param wanted how many of the resumer's slots are written, or {@link #ALL}
   * @return how many values landed
   * @throws ValueStackFullException if the resumer's value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for its value stack to grow
   */
  @Traced(
      code = 189,
      name = "suspend-results",
      operands = "index first, size count, slot d, int wanted")
  public int suspend(int first, int count, int d, int wanted) {
    try {
      return coroutines.suspend(first, count, d, wanted, false);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Ends this thread: goes back to the thread that resumed it, with values, as {@link #suspend(int,
   * int, int, int)} does, and leaves all frames with their activations and catchers. The thread is
   * as new, with the Java object that is attached to it.
   *
   * @param first the slot of the first value
   * @param count how many there are, from there on
   * @param d the resumer's slot of the first one; up to the number of its slots
   * @param wanted how many of the resumer's slots are written, or {@link #ALL}
   * @return how many values landed
   * @throws ValueStackFullException if the resumer's value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for its value stack to grow
   */
  @Traced(code = 190, operands = "index first, size count, slot d, int wanted")
  public int finish(int first, int count, int d, int wanted) {
    try {
      return coroutines.suspend(first, count, d, wanted, true);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return what a thread is doing}
   *
   * @param thread the slot of a thread
   */
  @Traced(code = 191, operands = "thread thread")
  public ThreadState threadState(int thread) {
    check();
    return coroutines.state(thread);
  }

  /**
   * Loads the current thread.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 192, operands = "slot d")
  public void currentThread(int d) {
    check();
    try {
      setSlot(d, current);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Attaches a Java object to a thread, in place of the one that is; it goes with the thread.
   *
   * @param thread the slot of a thread
   * @param value null to attach none
   */
  @Traced(code = 193, operands = "thread thread, unseen value")
  public void setThreadObject(int thread, @Nullable Object value) {
    check();
    try {
      coroutines.setObject(thread, value);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return the Java object that is attached to a thread; null if there is none}
   *
   * @param thread the slot of a thread
   */
  @Traced(code = 194, operands = "thread thread", reads = false)
  public @Nullable Object threadObject(int thread) {
    check();
    return coroutines.object(thread);
  }

  /** Whether the running thread is one on which the heap calls code, which nothing resumed. */
  @Override
  boolean isCalled() {
    return finalizers.isCurrent() || callbacks.isCurrent();
  }

  // ---- the call stack: activations and catchers ----

  /**
   * Enters a frame as the activation of a function, which the call stack keeps alive.
   *
   * @param slots of the new frame
   * @param f the slot of a function
   */
  @Traced(code = 93, operands = "size slots, function f")
  public void call(int slots, int f) {
    check();
    try {
      long _ = element(f, Layout.FUNCTION, "function");
      checkFrame(slots);
      ensureCalls();
      enterCall(slots, f);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Adds a catcher to the frame: a raised value lands in slot {@code d}, and {@code pc} is
   * answered.
   *
   * @param d the slot that gets the value, below 32768
   * @param pc any number: where the program goes on
   */
  @Traced(code = 94, operands = "slot d, int pc")
  public void pushCatcher(int d, int pc) {
    check();
    try {
      long _ = slot(d);
      if (d >= ThreadLayout.CATCHER_SLOTS) {
        throw new HeapUsageException(
            "a catcher's slot must be below " + ThreadLayout.CATCHER_SLOTS + ": " + d);
      }
      ensureCalls();
      pushCall(base, ThreadLayout.catcher(d, pc), Values.UNDEFINED);
      callBase = base;
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /** Removes the frame's last catcher. */
  @Traced(code = 95)
  public void popCatcher() {
    check();
    try {
      long used = Values.raw(mem.get(current + ThreadLayout.CALLS_USED));
      if (used == 0 || callBase != base || !isCatcher(callEntry(used - 1))) {
        throw new HeapUsageException("no catcher in this frame");
      }
      mem.put(current + ThreadLayout.CALLS_USED, Values.ofRaw(used - 1));
      reloadCalls();
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Raises the value of a slot: leaves the frames above the thread's innermost catcher and removes
   * it.
   *
   * @param s the slot of the value, any
   * @return the catcher's program counter, or -1 if the thread has none; nothing is changed then
   * @throws HeapUsageException if the catcher's slot was popped meanwhile
   */
  @Traced(code = 96, operands = "slot s")
  public int raise(int s) {
    check();
    try {
      long _ = slot(s);
      long used = Values.raw(mem.get(current + ThreadLayout.CALLS_USED));
      long at = used - 1;
      while (at >= 0 && !isCatcher(callEntry(at))) {
        at--;
      }
      if (at < 0) {
        return NO_CATCHER;
      }
      int d = ThreadLayout.catcherSlot(mem.get(callEntry(at)));
      long catcherFrame = frameOf(callEntry(at));
      checkCatcher(d, catcherFrame);
      evacuate(); // several frames are left at once
      long v = value(s);
      long catcher = mem.get(callEntry(at));
      long target = frameOf(callEntry(at));
      section.enter();
      count(v);
      if (counts != null) {
        counts.decrementSlice(callEntry(at), callEntry(used));
      }
      mem.put(current + ThreadLayout.CALLS_USED, Values.ofRaw(at));
      callBase = 0;
      while (base != target) {
        leaveFrame();
      }
      reloadCalls();
      section.leave();
      put(slot(d), v);
      settle();
      return ThreadLayout.catcherPc(catcher);
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /** A catcher's slot may have been popped while its thread was suspended. */
  private void checkCatcher(int d, long target) {
    int n = size;
    for (long at = base; at != target; ) {
      long link = link(at);
      n = (int) link & ThreadLayout.LINK_MASK;
      at -= distance(link) << 3;
    }
    if (d >= n) {
      throw new HeapUsageException("no slot " + d + " for the catcher in its frame of " + n);
    }
  }

  private boolean isCatcher(long entry) {
    return ThreadLayout.isCatcher(mem.get(entry + ThreadLayout.CALL_KIND));
  }

  private void ensureCalls() {
    long want = Values.raw(mem.get(current + ThreadLayout.CALLS_USED)) + 1;
    if (want > Values.raw(mem.get(current + ThreadLayout.CALLS_CAPACITY))) {
      if (want > maxStack) {
        throw new CallStackFullException(
            "call stack of " + want + " entries exceeds threads.max-stack-slots = " + maxStack,
            want,
            maxStack);
      }
      driver.beforeAllocation();
      for (int attempt = 0; !context.stacks().ensureCalls(current, want); attempt++) {
        driver.beforeRetry(attempt, want * ThreadLayout.CALL_BYTES);
      }
    }
  }

  // ---- finalizers, identity, weak and global references ----

  /**
   * Sets the finalizer of an element that is no string and no native; it replaces one that is set.
   *
   * @param s the slot of the element
   * @param label names it in messages and traces; not null
   * @param finalizer called on the thread of the heap
   */
  @Traced(code = 100, operands = "element s, finalizer number, text label")
  public void setFinalizer(int s, String label, Finalizer finalizer) {
    check();
    try {
      Objects.requireNonNull(label, "label");
      Objects.requireNonNull(finalizer, "finalizer");
      if (!Values.isReference(value(s)) || integers.isBox(value(s))) {
        throw new HeapUsageException("not an element: no finalizer on " + describe(value(s)));
      }
      int kind = Layout.kind(mem.get(reference(s)));
      if (kind == Layout.STRING || kind == Layout.NATIVE) {
        throw new HeapUsageException("no finalizer on " + describe(value(s)));
      }
      finalizers.make();
      long _ = escapingSlot(s);
      long operation = driver.runner.settingOperation();
      long e = noted(s);
      section.enter();
      context.finalizers().set(e, label, finalizer, operation);
      section.leave();
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /** The element in a slot, of which a table at the side is to know. */
  private long noted(int s) {
    long e = reference(s);
    mem.put(e, mem.get(e) | Layout.FLAG_NOTED);
    return e;
  }

  /**
   * Removes an element's finalizer; false if it has none.
   *
   * @param s the slot of the element
   * @return whether it had one
   */
  @Traced(code = 101, operands = "element s", reads = false)
  public boolean clearFinalizer(int s) {
    check();
    try {
      long e = reference(s);
      section.enter();
      boolean had = context.finalizers().remove(e);
      section.leave();
      return had;
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * {@return whether an element has a finalizer}
   *
   * @param s the slot of the element
   */
  @Traced(code = 102, operands = "element s", reads = false)
  public boolean hasFinalizer(int s) {
    checkThread();
    return context.finalizers().find(reference(s)) >= 0;
  }

  /** Gives the finalizer whose frame was entered its element, with its count on the list. */
  void setFinalized(long element) {
    mem.put(base, element);
  }

  /** Gives it an element that was on no list. */
  void setFinalizedInPlace(long element) {
    count(element);
    mem.put(base, element);
  }

  /** Ends callbacks that an Error left under way. */
  void leaveCallbacks() {
    for (long t = current; t != main; t = mem.get(t + ThreadLayout.RESUMER)) {
      if (t == finalizers.thread || t == callbacks.thread) {
        (t == finalizers.thread ? finalizers : callbacks).leave();
        t = current;
        if (t == main) {
          return;
        }
      }
    }
  }

  /**
   * {@return a hash of the element's identity, the same for its life}
   *
   * @param s the slot of the element
   */
  @Traced(code = 103, operands = "element s", reads = false)
  public int identityHash(int s) {
    check();
    try {
      long e = escapingSlot(s);
      if (moves && frames == null) {
        section.enter();
        int hash = context.identities().hash(e);
        section.leave();
        return hash;
      }
      // One to one within 32 GiB: two elements that live have two hashes.
      int h = (int) (e >>> 3 ^ e >>> 35) * 0x9E3779B1;
      return h ^ h >>> 16;
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Makes a weak reference to an element.
   *
   * @param s the slot of the element
   * @return the weak reference, which the program closes when it is done with it
   */
  @Traced(code = 104, operands = "element s, made number", reads = false)
  public WeakRef newWeak(int s) {
    check();
    try {
      long _ = escapingSlot(s);
      WeakRef weak = new WeakRef(heap, -1);
      long e = noted(s);
      section.enter();
      weak.number = context.weak().add(e);
      section.leave();
      return weak;
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Reads a weak reference; false, and null in the slot, when it is cleared.
   *
   * @param d the slot that gets the result
   * @param weak of this heap, not closed
   * @return whether the element is there
   */
  @Traced(code = 105, operands = "slot d, found 1 if it was there, weak number", reads = false)
  public boolean getWeak(int d, WeakRef weak) {
    check();
    try {
      long at = slot(d);
      if (weak.number < 0 || !weak.belongsTo(heap)) {
        throw new HeapUsageException(
            weak.number < 0 ? "closed weak reference" : "weak reference of another heap");
      }
      long e = context.weak().get(weak.number);
      if (e != 0 && context.barrier()) {
        shadeValue(e);
      }
      write(at, e == 0 ? Values.NULL : e);
      return e != 0;
    } catch (Error e) {
      owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Stores a slot into a global reference.
   *
   * @param global of this heap, not closed
   * @param s the slot that is read
   */
  @Traced(code = 106, operands = "slot s, global number")
  public void setGlobal(GlobalRef global, int s) {
    MethodHandle operation = OperationHandles.SET_GLOBAL;
    while (true) {
      try {
        operation.invokeExact((Operations) this, global, s);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }

  /**
   * Loads a global reference.
   *
   * @param d the slot that gets the result
   * @param global of this heap, not closed
   */
  @Traced(code = 107, operands = "slot d, global number")
  public void getGlobal(int d, GlobalRef global) {
    MethodHandle operation = OperationHandles.GET_GLOBAL;
    while (true) {
      try {
        operation.invokeExact((Operations) this, d, global);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          owner = null; // in doubt
        }
        operation = Inlining.thrown(e);
      }
    }
  }
}
