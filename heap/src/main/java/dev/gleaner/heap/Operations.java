package dev.gleaner.heap;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.spi.Collector;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The commonest operations: slots, frames, records and global references, with the registers that
 * they need. {@code doStore} does the work of {@link Mutator#store}; other names correspond
 * likewise.
 *
 * <p>One thread element (coroutine) runs at a time. Java fields hold the registers of that thread:
 * {@link #base}, {@link #size} and {@link #top} of the frame, as offsets in the heap's memory.
 * {@link #flush} writes the registers back before a collection. {@link #reload} fetches them
 * afterwards, because a value stack may have moved. After a call that can collect, no operation
 * uses an offset that was read before.
 *
 * <p>Under a collector that counts, {@link ReferenceCounts} counts the references of all words,
 * slots included. So only {@link #write} and {@link #put} change a word that holds a value. At its
 * end an operation frees the dropped elements by {@link #settle}. That call may run finalizers, so
 * no operation uses older offsets afterwards.
 *
 * <p>Under a collector of frames, {@link FrameBuffer} has the records that the frames of the
 * running thread made. Operations call the buffer before they leave the frame of its return
 * barrier, and before they store a value anywhere but into a slot. If such a value escapes from its
 * frame, all young elements move.
 */
abstract sealed class Operations permits Mutator {
  /** The largest number of slots that the link of the next frame can hold. */
  static final int LARGEST_FRAME = ThreadLayout.LINK_MASK - 1;

  final Heap heap;
  final HeapParts context;
  final Collector collector;
  final Driver driver;
  final Memory mem;
  final @Nullable ReferenceCounts counts;
  private final @Nullable FreeListSpace cells;
  final @Nullable FrameBuffer frames;
  private final long[] recordBuffers;
  final CriticalSection section;

  /** The header of a record of no slots that only a slot refers to. */
  private final long recordHeader;

  final int maxStack;

  /**
   * The Java thread that passes all checks at once: the heap's thread. Null after an error until
   * the heap is checked, and while the heap calls observers or allocation functions.
   */
  @Nullable Thread owner;

  /**
   * The Java thread that opened the heap or acquired it last. {@link #RELEASED} while the heap is
   * released, null after the heap is closed. A release writes this field last, and an acquire
   * writes it first: so the next thread sees the writes of the thread before.
   */
  @Nullable Thread home;

  /** Whether the next call begins a new operation of the program. */
  private boolean announced;

  /** The owner of a heap that was released. */
  private static final Thread RELEASED = Thread.ofPlatform().unstarted(() -> {});

  private static final VarHandle HOME = homeHandle();

  final Soundness soundness;
  final Observers observers;

  long base;
  int size;
  long top;
  long stackStart;
  long stackEnd;

  /** The number of frames of the running thread, without its bottom frame. */
  int depth;

  /** The frame base of the call stack's last entry, or 0. */
  long callBase;

  long current;
  long main;

  Operations(Heap heap, HeapParts context, Collector collector, Driver driver) {
    this.heap = heap;
    this.context = context;
    this.collector = collector;
    this.driver = driver;
    this.mem = context.memory();
    this.counts = collector.counts();
    this.cells = collector.cells();
    this.frames = collector.frames();
    this.section = context.section();
    this.recordBuffers = collector.allocationBuffers(Layout.RECORD);
    this.recordHeader = Layout.RECORD | (counts == null ? 0 : ReferenceCounts.ONE);
    this.observers = new Observers((Mutator) this);
    this.soundness = new Soundness((Mutator) this, context, collector);
    this.maxStack = context.settings().threads().maxStackSlots();
  }

  /** Refuses a call that is not allowed, and notes that an operation begins. */
  void check() {
    checkThread();
    if (announced) {
      begin();
    }
  }

  /** Does {@link #check} for an operation that runs no finalizer unless the collector counts. */
  final void checkStep() {
    checkThread();
    if (counts != null && announced) {
      begin();
    }
  }

  /**
   * Does {@link #check} for an operation that runs no finalizer.
   *
   * <p>The method calls another method only if the check fails. So the compiler leaves that call
   * out, and keeps its knowledge of the heap across the check.
   */
  @SuppressWarnings("ReferenceEquality") // threads have identity only
  final void checkThread() {
    if (Thread.currentThread() != owner) {
      comeIn();
    }
  }

  /**
   * Does {@link #check} for a call that only looks: {@link Observers} may make such a call, too.
   */
  @SuppressWarnings("ReferenceEquality")
  final void checkLook() {
    if (!observers.areTold() || Thread.currentThread() != home) {
      check();
    }
  }

  /** As {@link #checkLook}, of a call that may look at a heap in doubt, or broken, too. */
  final void checkWitness() {
    checkHome();
    heap.checkNotCalling();
  }

  /** Refuses the call, or lets the owner in. */
  private void comeIn() {
    checkHome();
    heap.checkNotCalling();
    if (observers.areTold()) {
      throw new HeapUsageException(
          "heap "
              + heap.name()
              + " cannot be used by a listener, a visitor or a stream of its own; they can ask for"
              + " statistics() and inspect() it");
    }
    Throwable damage = owner == null ? soundness.check() : null;
    if (damage != null) {
      throw new HeapBrokenException(heap.name(), damage);
    }
    if (owner == null) {
      driver.runner.recover();
    }
    begin();
    owner = home; // last: after an Error the next call does all of this again
  }

  /** Begins an operation of the program; a call by a finalizer or callback begins none. */
  private void begin() {
    if (!driver.runner.isInside()) {
      driver.runner.beginOperation();
    }
    announced = false;
  }

  /** Takes back {@link #announceNext}. */
  final void admit() {
    announced = false;
  }

  /** Lets the next call begin a new operation of the program. */
  final void announceNext() {
    announced = true;
  }

  /** Refuses a closed heap and another Java thread. */
  @SuppressWarnings("ReferenceEquality")
  final void checkHome() {
    Thread belongsTo = home;
    if (belongsTo == null) {
      throw new HeapClosedException(heap.name());
    }
    if (belongsTo == RELEASED) {
      throw new HeapUsageException(
          "heap " + heap.name() + " is released: a Java thread has to acquire() it first");
    }
    if (belongsTo != Thread.currentThread()) {
      throw wrongThread(belongsTo);
    }
  }

  /** Returns a text that says which Java thread the heap belongs to; for any Java thread. */
  @SuppressWarnings("ReferenceEquality")
  final String belongs() {
    Thread belongsTo = home;
    return belongsTo == null || belongsTo == RELEASED ? "released" : "belongs to " + belongsTo;
  }

  private WrongThreadException wrongThread(Thread belongsTo) {
    return new WrongThreadException(
        "heap "
            + heap.name()
            + " belongs to "
            + belongsTo
            + ", called on "
            + Thread.currentThread());
  }

  // ---- hand-over ----

  private static VarHandle homeHandle() {
    try {
      return MethodHandles.lookup().findVarHandle(Operations.class, "home", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Does the work of {@link Heap#release}. */
  final void release() {
    owner = null;
    HOME.setVolatile(this, RELEASED);
  }

  /** Does the work of {@link Heap#acquire}. */
  @SuppressWarnings("ReferenceEquality")
  final void acquire() {
    Thread me = Thread.currentThread();
    if (!HOME.compareAndSet(this, RELEASED, me)) {
      Thread belongsTo = home;
      if (belongsTo == null) {
        throw new HeapClosedException(heap.name());
      }
      if (belongsTo != me) {
        throw wrongThread(belongsTo);
      }
      throw new HeapUsageException("heap " + heap.name() + " belongs to this Java thread already");
    }
    owner = me;
  }

  /**
   * Does the work of {@link Heap#claim}. A thread that sees the end of another thread also sees all
   * its writes. If two threads see the end, they compete for the heap.
   */
  @SuppressWarnings("ReferenceEquality")
  final void claim() {
    Thread me = Thread.currentThread();
    Thread belongsTo = (Thread) HOME.getVolatile(this);
    if (belongsTo != null
        && belongsTo != me
        && belongsTo.getState() == Thread.State.TERMINATED
        && HOME.compareAndSet(this, belongsTo, me)) {
      owner = owner == null ? null : me; // in doubt it stays
    }
    checkHome();
  }

  /**
   * Whether the heap is sound, for {@link Heap#close}; refuses a wrong caller as {@link #check}
   * does.
   */
  final boolean isSound() {
    try {
      check();
      return true;
    } catch (HeapBrokenException e) {
      return false;
    }
  }

  /** Writes the registers to the current thread element. */
  void flush() {
    long t = current;
    if (t != 0) {
      mem.put(t + ThreadLayout.BASE, Values.ofRaw((base - stackStart) >> 3));
      mem.put(t + ThreadLayout.SIZE, Values.ofRaw(size));
      mem.put(t + ThreadLayout.TOP, Values.ofRaw((top - stackStart) >> 3));
      mem.put(t + ThreadLayout.DEPTH, Values.ofRaw(depth));
    }
    if (frames != null) {
      frames.flush(base, top);
    }
    if (t != 0 && (mem.get(t) & Layout.FLAG_UNLOGGED) != 0) {
      tellOfStore(t, 0, 0); // the slots have changed without a barrier
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
      if (frames != null) {
        frames.reload(t, t == main, stackStart);
      }
    }
  }

  void reloadCalls() {
    long used = Values.raw(mem.get(current + ThreadLayout.CALLS_USED));
    callBase = used == 0 ? 0 : frameOf(callEntry(used - 1));
  }

  // ---- words that hold values ----

  /** Writes a value to a word, and counts the new value and the old one. */
  void write(long at, long value) {
    if (counts == null) {
      mem.put(at, value);
    } else {
      counts.write(at, value);
    }
  }

  /** Writes a value that needs no new count: no reference, or moved here from another word. */
  void put(long at, long value) {
    if (counts == null) {
      mem.put(at, value);
    } else {
      counts.put(at, value);
    }
  }

  /** Counts a value that was written to a dead word, or to a root. */
  void count(long value) {
    if (counts != null) {
      counts.increment(value);
    }
  }

  /** Makes words undefined; the caller settles the operation. */
  void clear(long from, long to) {
    if (counts != null) {
      counts.decrementSlice(from, to);
    }
    fill(from, (int) ((to - from) >> 3));
  }

  /** Makes dead words undefined. */
  final void fill(long from, int words) {
    // The loop counts with an int: the compiler splits a loop over a long into two loops.
    for (int i = 0; i < words; i++) {
      mem.putUnchecked(from + ((long) i << 3), Values.UNDEFINED);
    }
  }

  /** Frees the elements that the operation dropped. */
  void settle() {
    if (counts != null) {
      counts.settle();
    }
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

  long value(int s) {
    return mem.getUnchecked(slot(s));
  }

  void setSlot(int d, long value) {
    writeSlot(slot(d), value);
  }

  /** Sets two slots at once, so that a drop by the first slot cannot disturb the second one. */
  void setSlots(int d, long value, int d2, long value2) {
    if (counts == null) {
      mem.putUnchecked(slot(d), value);
      mem.putUnchecked(slot(d2), value2);
      return;
    }
    counts.increment(value);
    counts.increment(value2);
    counts.decrement(mem.getUnchecked(slot(d)));
    mem.putUnchecked(slot(d), value);
    counts.decrement(mem.getUnchecked(slot(d2)));
    mem.putUnchecked(slot(d2), value2);
    counts.settle();
  }

  long slotOffset(int s) {
    return slot(s);
  }

  /** Returns the element in a slot. */
  long reference(int s) {
    long v = mem.getUnchecked(slot(s));
    if ((v & NOT_REFERENCE) != 0 || v == 0 || isBox(v)) {
      throw notElement(s);
    }
    return v;
  }

  /** Whether the element of a reference is an integer, which a program sees as a value. */
  private boolean isBox(long reference) {
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

  static String article(String name) {
    return ("aeiou".indexOf(name.charAt(0)) < 0 ? "a " : "an ") + name;
  }

  // ---- frames ----

  final void doEnter(int slots) {
    checkThread();
    enterFrame(slots);
  }

  void enterFrame(int slots) {
    long newBase = makeFrame(slots, 0);
    base = newBase;
    size = slots;
    top = newBase + ((long) slots << 3);
    depth++;
  }

  /**
   * Writes a frame above the running frame, but not its first slots, which the caller writes. The
   * caller enters the frame by writes to fields, without a call in between, as the Java stack may
   * end at any call.
   *
   * @return the base of the new frame
   */
  private long makeFrame(int slots, int written) {
    long newBase = top + 8;
    long newTop = newBase + ((long) slots << 3);
    if (Integer.compareUnsigned(slots, LARGEST_FRAME) > 0 || newTop > stackEnd) {
      growStack(slots);
      newBase = top + 8;
    }
    long distance = (newBase - base) >> 3;
    mem.putUnchecked(top, Values.RAW_TAG | distance << ThreadLayout.LINK_BITS | size);
    fill(newBase + ((long) written << 3), slots - written);
    return newBase;
  }

  /** Enters a frame; there must be room for it, and the caller writes its first slots later. */
  final void pushFrame(int slots, int written) {
    long newBase = top + 8;
    mem.putUnchecked(top, Values.RAW_TAG | (newBase - base) >> 3 << ThreadLayout.LINK_BITS | size);
    fill(newBase + ((long) written << 3), slots - written);
    base = newBase;
    size = slots;
    top = newBase + ((long) slots << 3);
    depth++;
  }

  final void doEnter(int slots, int first, int args) {
    checkThread();
    if (args < 0 || args > slots || first < 0 || first > size - args) {
      throw noArguments(slots, first, args);
    }
    long newBase = makeFrame(slots, args);
    long from = base + ((long) first << 3);
    for (int i = 0; i < args; i++) {
      mem.putUnchecked(newBase + ((long) i << 3), mem.getUnchecked(from + ((long) i << 3)));
    }
    if (counts != null) {
      counts.incrementSlice(newBase, newBase + ((long) args << 3));
    }
    base = newBase;
    size = slots;
    top = newBase + ((long) slots << 3);
    depth++;
  }

  /** Enters a frame with an entry of the call stack; there must be room for the entry. */
  final void enterCall(int slots, int f) {
    long newBase = makeFrame(slots, 0);
    pushCall(newBase, ThreadLayout.ACTIVATION, value(f));
    base = newBase;
    size = slots;
    top = newBase + ((long) slots << 3);
    depth++;
    callBase = newBase;
  }

  /** Adds an entry to the call stack. The last write makes the entry valid. */
  final void pushCall(long frame, long kind, long reference) {
    long used = Values.raw(mem.get(current + ThreadLayout.CALLS_USED));
    long at = callEntry(used);
    mem.put(at + ThreadLayout.CALL_KIND, kind);
    mem.put(at + ThreadLayout.CALL_REFERENCE, reference);
    mem.put(at + ThreadLayout.CALL_BASE, Values.ofRaw((frame - stackStart) >> 3));
    count(reference);
    mem.put(current + ThreadLayout.CALLS_USED, Values.ofRaw(used + 1));
  }

  static HeapUsageException noArguments(int slots, int first, int args) {
    return new HeapUsageException(
        "no " + args + " arguments from slot " + first + " for " + slots + " slots");
  }

  /** Refuses a frame that can never fit the running thread's stack. */
  final void checkFrame(int slots) {
    long _ = wordsWithFrame((top - stackStart) >> 3, slots);
  }

  /** Returns the words of a value stack with one more frame. */
  final long wordsWithFrame(long used, int slots) {
    if (slots < 0) {
      throw new HeapUsageException("negative frame size: " + slots);
    }
    long words = used + 1 + slots;
    if (words > maxStack) {
      throw valueStackFull(words);
    }
    if (slots > LARGEST_FRAME) {
      throw new ValueStackFullException(
          "frame of " + slots + " slots exceeds " + LARGEST_FRAME, slots, LARGEST_FRAME);
    }
    return words;
  }

  private void growStack(int slots) {
    check();
    growStackTo(wordsWithFrame((top - stackStart) >> 3, slots));
  }

  /** Makes room for the given number of slots in the running frame; may collect. */
  final void ensureSize(int slots) {
    if (Integer.compareUnsigned(slots, LARGEST_FRAME) > 0
        || base + ((long) slots << 3) > stackEnd) {
      growStackTo(wordsWithFrame(((base - stackStart) >> 3) - 1, slots));
    }
  }

  private void growStackTo(long words) {
    driver.beforeAllocation();
    for (int attempt = 0; !ensureStack(words); attempt++) {
      driver.beforeRetry(attempt, words << 3);
    }
  }

  private boolean ensureStack(long words) {
    flush();
    boolean ensured = context.stacks().ensureStack(current, words);
    reload();
    return ensured;
  }

  ValueStackFullException valueStackFull(long words) {
    return new ValueStackFullException(
        "value stack of " + words + " slots exceeds threads.max-stack-slots = " + maxStack,
        words,
        maxStack);
  }

  final void doLeave() {
    checkStep();
    leaveFrame();
    settle();
  }

  /** Gives the empty bottom frame of the running thread as many of the slots as fit. */
  final void fillBottom(int slots) {
    size = (int) Math.min(slots, (stackEnd - base) >> 3);
    fill(base, size);
    top = base + ((long) size << 3);
  }

  /** Drops all slots of the bottom frame of the running thread. */
  final void emptyBottom() {
    if (callBase == base) {
      dropCalls();
    }
    dropSlots();
    size = 0;
    top = base;
  }

  void leaveFrame() {
    long link = link(base);
    checkLeaves(link);
    if (hasReturnBarrier()) {
      long _ = leaveThroughBarrier(Values.UNDEFINED, link);
    } else {
      dropSlots();
    }
    popFrame(link);
  }

  final void doLeave(int s, int d) {
    checkStep();
    long at = slot(s);
    long v = mem.get(at);
    long link = link(base);
    checkLeaves(link);
    int callerSize = (int) link & ThreadLayout.LINK_MASK;
    if (Integer.compareUnsigned(d, callerSize) >= 0) {
      throw new HeapUsageException("no slot " + d + " in the caller's frame of " + callerSize);
    }
    if (counts != null) {
      mem.put(at, Values.UNDEFINED); // the value takes its count along
    }
    if (hasReturnBarrier()) {
      v = leaveThroughBarrier(v, link);
    } else {
      dropSlots();
    }
    if (counts == null) {
      mem.putUnchecked(base - (distance(link) << 3) + ((long) d << 3), v);
      popFrame(link);
    } else {
      popFrame(link);
      counts.put(base + ((long) d << 3), v);
      counts.settle();
    }
  }

  /** Makes no call between its first and last change, as the Java stack may end at any call. */
  final void popFrame(long link) {
    long callerBase = base - (distance(link) << 3);
    top = base - 8;
    base = callerBase;
    size = (int) link & ThreadLayout.LINK_MASK;
    depth--;
  }

  /** Returns the word below a frame's slots. */
  long link(long frameBase) {
    return mem.getUnchecked(frameBase - 8);
  }

  /** Returns the words from the caller's frame to the frame of a link; 0 for the first frame. */
  static long distance(long link) {
    return link >>> ThreadLayout.LINK_BITS & ThreadLayout.LINK_MASK;
  }

  final void checkLeaves(long link) {
    if (distance(link) == 0) {
      throw noFrameToLeave();
    }
  }

  private HeapUsageException noFrameToLeave() {
    return new HeapUsageException(
        isCalled()
            ? "no frame to leave: the heap opened this one for the finalizer or callback that runs"
            : "no frame to leave: this one is the bottom of its thread");
  }

  /** Whether the heap made the running thread in order to call the program's code. */
  abstract boolean isCalled();

  private void dropSlots() {
    if (counts != null) {
      counts.decrementSlice(base, base + ((long) size << 3));
    }
  }

  /**
   * Whether the call stack has an entry for the frame, or the collector has a return barrier there.
   */
  final boolean hasReturnBarrier() {
    return callBase == base || (frames != null && base == frames.returnBarrier());
  }

  /** Drops the slots of a frame with a return barrier; returns the place of the result. */
  private long leaveThroughBarrier(long result, long link) {
    long v = result;
    if (callBase == base) {
      dropCalls();
    }
    dropSlots();
    if (frames != null && base == frames.returnBarrier()) {
      if (frames.copies()) {
        flush();
      }
      section.enter();
      v = frames.leave(v, base - (distance(link) << 3));
      section.leave();
    }
    return v;
  }

  final void dropCalls() {
    long used = Values.raw(mem.get(current + ThreadLayout.CALLS_USED));
    while (used > 0 && frameOf(callEntry(used - 1)) == base) {
      used--;
      if (counts != null) {
        counts.decrement(mem.get(callEntry(used) + ThreadLayout.CALL_REFERENCE));
      }
    }
    mem.put(current + ThreadLayout.CALLS_USED, Values.ofRaw(used));
    reloadCalls();
  }

  /** Returns the base of the frame of an entry of the call stack. */
  long frameOf(long entry) {
    return stackStart + (Values.raw(mem.get(entry + ThreadLayout.CALL_BASE)) << 3);
  }

  long callEntry(long n) {
    return ThreadLayout.callsStart(mem, current) + n * ThreadLayout.CALL_BYTES;
  }

  // ---- tagged values ----

  final long doGet(int s) {
    checkThread();
    return value(s);
  }

  final void doSet(int d, long value) {
    checkStep();
    long at = slot(d);
    checkPlain(value);
    writeSlot(at, value);
  }

  final void doCopy(int d, int s) {
    checkStep();
    setSlot(d, mem.getUnchecked(slot(s)));
  }

  /** Whether a value that is no reference may replace a word without counting. */
  private boolean isUncounted(long at) {
    return counts == null || !Values.isReference(mem.get(at));
  }

  /** Writes to a slot's word. Numbers that replace numbers take a fast path. */
  final void writeSlot(long at, long value) {
    if (counts == null || (!Values.isReference(value) && isUncounted(at))) {
      mem.putUnchecked(at, value);
    } else {
      counts.write(at, value);
    }
  }

  /** Stores into a word of an element or of its blocks. Numbers for numbers take a fast path. */
  final void storeValue(long holder, long place, long value) {
    if (!Values.isReference(value) && !context.barrier() && isUncounted(place)) {
      mem.put(place, value);
    } else {
      storeAt(holder, place, value);
    }
  }

  final long doGet(int r, int i) {
    checkThread();
    return mem.get(place(r, i));
  }

  final void doSet(int r, int i, long value) {
    checkStep();
    checkPlain(value);
    storePlain(place(r, i), value);
  }

  static void checkPlain(long value) {
    if (!Values.isPlain(value)) {
      throw notPlain(value);
    }
  }

  private static HeapUsageException notPlain(long value) {
    String what = Values.isReference(value) ? "a reference" : "no value";
    return new HeapUsageException(
        what + ": 0x" + Long.toHexString(value) + "; a value that is no reference is wanted");
  }

  final int doFunctionCode(int s) {
    checkThread();
    return codeOf(value(s));
  }

  /** Returns the code number of a function; -1 for another element, or if it has no number. */
  final int codeOf(long e) {
    return Layout.kind(header(e)) == Layout.FUNCTION
        ? (int) (Values.raw(mem.get(e + Layout.FUNCTION_COUNTS)) >>> Layout.FUNCTION_BITS) - 1
        : -1;
  }

  final void doLoadConstant(int d, int f, int i) {
    checkStep();
    setSlot(d, mem.get(constant(f, i)));
  }

  /** Returns the place of a constant of the function in a slot. */
  final long constant(int f, int i) {
    long e = element(f, Layout.FUNCTION, "function");
    long n = mem.get(e + Layout.FUNCTION_COUNTS) & Layout.FUNCTION_MASK;
    if (i < 0 || i >= n) {
      throw new HeapUsageException("no constant " + i + " in a function of " + n);
    }
    return e + 16 + ((long) i << 3);
  }

  // ---- records, and the inline slots of objects ----

  final void doNewRecord(int d, int slots) {
    checkStep();
    long at = slot(d);
    if (frames != null) {
      newYoungRecord(frames, at, d, slots);
      return;
    }
    long e = isSmall(slots) ? takeRecord(slots) : 0;
    if (e != 0) {
      mem.put(e, recordHeader | (long) slots << Layout.SIZE_SHIFT);
      put(at, e);
    } else {
      newRecordSlowly(d, slots);
    }
  }

  /** Writes the slot without a test: a collector with frames counts nothing. */
  private void newYoungRecord(FrameBuffer f, long at, int d, int slots) {
    if (isSmall(slots) && f.fits(base, slots)) {
      putYoungRecord(f, at, slots);
    } else {
      newYoungRecordSlowly(f, at, d, slots);
    }
  }

  private void newYoungRecordSlowly(FrameBuffer f, long at, int d, int slots) {
    section.enter();
    boolean fits = isSmall(slots) && f.makeRoom(base, slots);
    section.leave();
    if (fits) {
      putYoungRecord(f, at, slots);
    } else {
      newRecordSlowly(d, slots);
    }
  }

  private void putYoungRecord(FrameBuffer f, long at, int slots) {
    long e = f.take(slots);
    mem.put(e, Layout.RECORD | (long) slots << Layout.SIZE_SHIFT);
    mem.put(at, e);
  }

  private static boolean isSmall(int slots) {
    return Integer.compareUnsigned(slots, SizeClasses.EXACT) < 0;
  }

  /** Takes a small record, without a header, from granted memory; 0 if that is used up. */
  private long takeRecord(int slots) {
    return cells != null
        ? cells.take(Layout.RECORD, slots + 1L)
        : AllocationBuffers.take(recordBuffers, slots + 1L);
  }

  private void newRecordSlowly(int d, int slots) {
    check();
    if (slots < 0) {
      throw new HeapUsageException("negative number of slots: " + slots);
    }
    setSlot(d, driver.allocateElement(Layout.RECORD, slots));
  }

  final void doStore(int r, int i, int s) {
    checkStep();
    long holder = mem.getUnchecked(slot(r));
    long header = header(holder);
    storeAt(holder, header, place(holder, header, r, i), mem.getUnchecked(slot(s)));
  }

  /** Stores into a word of an element, or of a block that the element owns. */
  void storeAt(long holder, long place, long value) {
    storeAt(holder, mem.get(holder), place, value);
  }

  private void storeAt(long holder, long header, long place, long value) {
    if (frames != null) {
      storeInFrame(frames, holder, header, place, value);
    } else if (counts != null) {
      counts.write(place, value);
    } else {
      storeUncounted(place, value);
      if ((header & Layout.FLAG_UNLOGGED) != 0) {
        remember(holder, place, value);
      }
    }
  }

  /**
   * Reports a stored reference to the collector, if the collector has marked the holder for that.
   *
   * @param place the word; 0 for any word of the element and of its blocks
   */
  final void remember(long holder, long place, long value) {
    if ((mem.get(holder) & Layout.FLAG_UNLOGGED) != 0 && Values.isReference(value)) {
      tellOfStore(holder, place, value);
    }
  }

  final void tellOfStore(long holder, long place, long value) {
    section.enter();
    collector.afterStore(holder, place, value);
    section.leave();
  }

  /** Reports to a snapshot a reference that is overwritten, or that comes from outside of it. */
  final void shadeValue(long value) {
    section.enter();
    collector.beforeStore(value);
    section.leave();
  }

  private void storeInFrame(FrameBuffer f, long holder, long header, long place, long value) {
    // Only young elements have generation 0, and they lie below the top.
    if (header >>> FrameBuffer.GENERATION_SHIFT == 0 && holder >= f.mark()) {
      mem.put(place, value);
    } else {
      storeElsewhere(f, holder, header, place, value);
    }
  }

  /**
   * Stores into an element that the last frame did not make. This case is rare, so it has its own
   * method.
   */
  private void storeElsewhere(FrameBuffer f, long holder, long header, long place, long value) {
    long age = header >>> FrameBuffer.GENERATION_SHIFT;
    if (age != 0 && !context.barrier() && isAsOld(value, age)) {
      mem.put(place, value);
    } else {
      storeInOlder(f, holder, place, value);
    }
  }

  private boolean isAsOld(long value, long age) {
    if ((value & NOT_REFERENCE) != 0) {
      return false;
    }
    long generation = mem.get(value) >>> FrameBuffer.GENERATION_SHIFT;
    return generation != 0 && generation <= age; // 0 stands for young or undefined
  }

  final void doStorePlain(int r, int i, long value) {
    checkStep();
    storePlain(place(r, i), value);
  }

  /** Stores a value that is no reference. */
  private void storePlain(long place, long value) {
    if (counts != null) {
      counts.write(place, value);
    } else {
      storeUncounted(place, value);
    }
  }

  private void storeUncounted(long place, long value) {
    if (context.barrier()) {
      shade(place);
    }
    mem.put(place, value);
  }

  private void shade(long place) {
    shadeValue(mem.get(place));
  }

  /** Stores into an element of an older frame: the value may escape from its own frame. */
  private void storeInOlder(FrameBuffer f, long holder, long place, long value) {
    if (context.barrier()) {
      section.enter();
      f.shade(holder, mem.get(place));
      section.leave();
    }
    if ((value & NOT_REFERENCE) != 0 || value == 0 || !f.escapes(holder, value)) {
      mem.put(place, value);
      return;
    }
    boolean moves = f.contains(place); // an object may move, but its table never does
    flush();
    section.enter();
    long v = f.escape(holder, value);
    section.leave();
    mem.put(moves ? f.moved(holder) + (place - holder) : place, v);
  }

  /** Returns a value after its element has escaped to a place that all frames can refer to. */
  long escaping(long value) {
    if (frames == null || !Values.isReference(value)) {
      return value;
    }
    flush();
    section.enter();
    long v = frames.escape(0, value);
    section.leave();
    return v;
  }

  final void doLoad(int d, int r, int i) {
    checkStep();
    setSlot(d, mem.get(place(r, i)));
  }

  final int doLoadInt(int r, int i) {
    checkThread();
    long v = mem.get(place(r, i));
    if (!Values.isInt(v)) {
      throw notInt(i, v);
    }
    return (int) v;
  }

  /** Returns the refusal of a slot that holds no {@code int}. */
  final HeapUsageException notInt(int i, long v) {
    return new HeapUsageException(
        Values.isReference(v) && isBox(v)
            ? "not of 32 bits: slot " + i + " holds " + mem.get(v + Layout.LONG_VALUE)
            : "not an integer: slot " + i + " holds " + describe(v));
  }

  /** Returns the place of slot {@code i} of the element in slot {@code r}. */
  private long place(int r, int i) {
    long e = mem.getUnchecked(slot(r));
    return place(e, header(e), r, i);
  }

  private long place(long e, long header, int r, int i) {
    int h = (int) header;
    if ((h & Layout.KIND_MASK) == Layout.RECORD
        && Integer.compareUnsigned(i, h >>> Layout.SIZE_SHIFT) < 0) {
      return e + 8 + ((long) i << 3);
    }
    return placeSlowly(r, i);
  }

  /** Returns the header of the element of a value; 0 if the value has no element in memory. */
  long header(long value) {
    return mem.contains(value) ? mem.get(value) : 0;
  }

  private long placeSlowly(int r, int i) {
    long e = reference(r);
    long h = mem.get(e);
    int kind = Layout.kind(h);
    int first = firstSlot(h, r);
    long n = Layout.payloadWords(mem, e, h) - first;
    if (i < 0 || i >= n) {
      String name = kind == Layout.RECORD ? "a record" : "an object";
      throw new HeapUsageException("no slot " + i + " in " + name + " of " + n);
    }
    return e + 8 + ((long) (first + i) << 3);
  }

  int firstSlot(long header, int r) {
    int kind = Layout.kind(header);
    if (kind == Layout.RECORD) {
      return 0;
    }
    if (kind == Layout.OBJECT) {
      return Layout.OBJECT_SLOTS;
    }
    throw wrongKind(r, "record or object");
  }

  // ---- global references ----

  final void doSetGlobal(GlobalRef global, int s) {
    check();
    heap.setGlobal(Objects.requireNonNull(global, "global"), value(s));
  }

  final void doGetGlobal(int d, GlobalRef global) {
    checkStep();
    setSlot(d, heap.global(Objects.requireNonNull(global, "global")));
  }
}
