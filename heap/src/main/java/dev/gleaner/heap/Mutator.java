package dev.gleaner.heap;

import dev.gleaner.layout.Kind;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import dev.gleaner.spi.Collector;
import dev.gleaner.trace.Traced;
import dev.gleaner.util.Inlining;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Access to a heap's elements: a register machine whose registers are the slots of a frame.
 *
 * <p>A program never holds an element. The program names an element by a slot of the current frame.
 * Slots are exact roots. Operations take slot numbers, the destination first. They check the Java
 * thread, the slots, the kind and the index. If one of these is wrong, the operation throws a
 * {@link HeapUsageException} and changes nothing.
 *
 * <p>An operation that makes or enlarges something may collect, and a collection may run
 * finalizers. If the limit still leaves no room, the operation throws a {@link
 * HeapExhaustedException} and changes nothing.
 *
 * <p>A heap has one mutator. Apart from results such as texts, an operation allocates nothing on
 * the JVM's heap. An operation calls the collector only to refill an allocation buffer or when a
 * write barrier asks for it. This class only lists the operations; the class of each group, such as
 * {@link RecordAccess}, does the work. The registers and the words are inherited, so that an
 * operation reads one object for both.
 *
 * <p>Every operation has four steps. {@link Registers#check} tests the Java thread and the heap's
 * state at once. All other checks follow. Then comes the work that may collect. The change comes
 * last, with offsets that are read after all collections. The commonest operations are called by
 * handles, so that the compiler inlines them late ({@link Inlining}).
 *
 * <p>An {@link Error}, such as the end of the Java stack, may come between two words of a change. A
 * handler then sets the owner to null, and the next call checks whether the heap is whole ({@link
 * Soundness}).
 */
public sealed class Mutator extends WordAccess permits RecordingMutator {
  /** Stands for a number of wanted results: all results. */
  public static final int ALL = -1;

  final HeapCore core;
  private final FrameAccess frames;
  private final ValueAccess values;
  private final IntegerAccess integers;
  private final RecordAccess records;
  private final ObjectAccess objects;
  private final ArrayAccess arrays;
  private final PropertySteps steps;
  private final StringAccess strings;
  private final StringPieces pieces;
  private final BufferAccess buffers;
  private final FunctionAccess functions;
  private final CallAccess calls;
  final ReferenceAccess references;
  final ThreadAccess threads;

  /** The thread element on which finalizers run. */
  final CallbackThread finalizers;

  /** The frame in which finalizers run by the rules of Duktape 1.x. */
  final FinalizerFrame finalizerFrame;

  /** The thread element on which on-free callbacks run. */
  final CallbackThread callbacks;

  Mutator(HeapParts context, Collector collector, HeapCore.Maker parts) {
    super(context, collector);
    core = parts.make(this);
    StringMaker maker = new StringMaker(core);
    frames = new FrameAccess(core);
    integers = new IntegerAccess(core);
    values = new ValueAccess(core, integers);
    records = new RecordAccess(core);
    Heirs heirs = new Heirs(core);
    objects = new ObjectAccess(core, maker, integers, heirs);
    arrays = new ArrayAccess(core, objects);
    steps = new PropertySteps(core, records, objects, maker);
    strings = new StringAccess(core, maker);
    buffers = new BufferAccess(core);
    pieces = new StringPieces(core, strings, buffers, maker, integers);
    calls = new CallAccess(core, frames);
    threads = new ThreadAccess(core, frames);
    finalizers = new CallbackThread(core, frames, threads, CallbackThread.FINALIZERS);
    finalizerFrame = new FinalizerFrame(core, frames, threads);
    callbacks = new CallbackThread(core, frames, threads, CallbackThread.CALLBACKS);
    functions = new FunctionAccess(core, callbacks);
    references = new ReferenceAccess(core, finalizers, heirs);
  }

  /**
   * {@return a line for debuggers: the heap, its running thread and frame, and the heap's owner}
   * Any Java thread may call this method; on other threads than the owner the figures may be
   * slightly old.
   */
  @Override
  public String toString() {
    return "mutator of " + core.owner() + super.toString();
  }

  // ---- frames ----

  /**
   * Enters a frame of {@code slots} undefined slots.
   *
   * @param slots the number of slots, at least 0
   * @throws ValueStackFullException if the value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for the value stack to grow; the frame is
   *     not entered
   */
  @Traced(code = 8, operands = "size slots")
  public void enter(int slots) {
    frames.enter(this, slots);
  }

  /**
   * Enters a frame whose first {@code args} slots are copies of the caller's slots from {@code
   * first} on.
   *
   * @param slots the number of slots of the new frame, at least {@code args}
   * @param first the caller's first slot that is copied
   * @param args the number of slots that are copied
   */
  @Traced(code = 9, name = "enter-args", operands = "size slots, index first, size arguments")
  public void enter(int slots, int first, int args) {
    frames.enter(this, slots, first, args);
  }

  /**
   * Enters a frame whose first {@code args} slots have the values of the caller's slots from {@code
   * first} on. The caller's slots become undefined, so the new frame can drop the last reference.
   *
   * @param slots the number of slots of the new frame, at least {@code args}
   * @param first the caller's first slot whose value moves
   * @param args the number of slots whose values move
   * @throws ValueStackFullException if the value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for the value stack to grow; the frame is
   *     not entered
   */
  @Traced(code = 240, operands = "size slots, index first, size arguments")
  public void enterMoving(int slots, int first, int args) {
    frames.enterMoving(this, slots, first, args);
  }

  /** Leaves the frame. */
  @Traced(code = 10)
  public void leave() {
    frames.leave(this);
  }

  /**
   * Leaves the frame, and copies the value of its slot {@code s} to the caller's slot {@code d}.
   *
   * @param s a slot of the frame that is left
   * @param d a slot of the caller's frame
   */
  @Traced(code = 11, name = "leave-value", operands = "slot s, slot d")
  public void leave(int s, int d) {
    frames.leave(this, s, d);
  }

  /**
   * Leaves the frame with several results. The results land in the caller's slots from {@code d}
   * on. Exactly {@code wanted} slots are written: missing results are undefined, surplus results
   * are dropped. With {@link #ALL} every result lands, and the caller's frame grows if it is too
   * small.
   *
   * @param first the slot of the first result
   * @param count the number of results
   * @param d the caller's slot for the first result, at most the caller's number of slots
   * @param wanted the number of the caller's slots that are written, or {@link #ALL}
   * @return the number of results that landed
   */
  @Traced(
      code = 180,
      name = "leave-results",
      operands = "index first, size count, slot d, int wanted")
  public int leave(int first, int count, int d, int wanted) {
    return frames.leave(this, first, count, d, wanted);
  }

  /**
   * Leaves frames, without a result, until {@code depth} frames remain.
   *
   * @param depth the number of frames that remain, at most {@link #frameDepth}
   */
  @Traced(code = 186, operands = "count depth")
  public void leaveTo(int depth) {
    frames.leaveTo(this, depth);
  }

  /**
   * Calls in place: the frame gets {@code slots} slots. The arguments are the first slots, and all
   * other slots are undefined. The frame's activation and catchers are dropped. The value stack
   * grows only if the frame grows.
   *
   * @param slots the frame's new number of slots, at least {@code args}
   * @param first the slot of the first argument
   * @param args the number of arguments
   * @throws ValueStackFullException if the value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for the value stack to grow
   */
  @Traced(code = 181, operands = "size slots, index first, size arguments")
  public void tailCall(int slots, int first, int args) {
    frames.tailCall(this, slots, first, args);
  }

  /**
   * Changes the number of the frame's slots. New slots are undefined, surplus slots are dropped.
   *
   * @param slots the frame's new number of slots, at least 0
   * @throws ValueStackFullException if the value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for the value stack to grow
   */
  @Traced(code = 185, operands = "size slots")
  public void resizeFrame(int slots) {
    frames.resizeFrame(this, slots);
  }

  /** Makes all slots undefined, as a tail call without arguments does. */
  @Traced(code = 12)
  public void compact() {
    wipe(0);
  }

  /**
   * Makes all slots but one undefined. That slot keeps its number.
   *
   * @param a the slot that stays
   */
  public void compact(int a) {
    compact(a, a);
  }

  /**
   * Makes all slots but two undefined. The two slots keep their numbers.
   *
   * @param a a slot that stays
   * @param b another slot that stays, or the same slot
   */
  @Traced(code = 13, name = "compact-two", operands = "slot a, slot b")
  public void compact(int a, int b) {
    frames.compact(this, a, b);
  }

  /**
   * Makes all slots but some undefined. Those slots keep their numbers.
   *
   * @param keep the slots that stay, in any order
   */
  @Traced(code = 14, name = "compact-list", operands = "slots slots kept")
  public void compact(int[] keep) {
    frames.compact(this, keep);
  }

  /**
   * Makes the slots from {@code from} on undefined, so that dead temporaries are no roots.
   *
   * @param from the first slot that becomes undefined, at most the number of slots
   */
  @Traced(code = 15, operands = "size from")
  public void wipe(int from) {
    frames.wipe(this, from);
  }

  /** {@return the current frame's number of slots} */
  public int frameSize() {
    return frames.size(this, 0);
  }

  /**
   * Copies a slot of an outer frame of the current thread, for debuggers.
   *
   * @param d the slot of the current frame that gets the result
   * @param level the number of frames outwards: 0 is the current frame, at most {@link #frameDepth}
   * @param s a slot of that frame
   */
  @Traced(code = 230, operands = "slot d, count level, index s")
  public void peek(int d, int level, int s) {
    frames.peek(this, d, level, s);
  }

  /**
   * {@return the number of slots of an outer frame of the current thread}
   *
   * @param level the number of frames outwards: 0 is the current frame, at most {@link #frameDepth}
   */
  public int frameSize(int level) {
    return frames.size(this, level);
  }

  /**
   * {@return the level of the next frame whose slot 0 holds a function with one of two codes; -1 if
   * there is no such frame}
   *
   * @param level the level where the search begins: 0 is the current frame, at most {@link
   *     #frameDepth}
   * @param code a number, as {@link #functionCode} returns it
   * @param other another such number, or the same
   */
  public int findFrame(int level, int code, int other) {
    return frames.find(this, level, code, other);
  }

  /** {@return the number of frames of the current thread, without its bottom frame} */
  public int frameDepth() {
    return frames.depth(this);
  }

  // ---- values ----

  /**
   * Makes a slot undefined.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 16, operands = "slot d")
  public void setUndefined(int d) {
    values.put(this, d, Values.UNDEFINED);
  }

  /**
   * Stores null into a slot.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 17, operands = "slot d")
  public void setNull(int d) {
    values.put(this, d, Values.NULL);
  }

  /**
   * Stores true or false into a slot.
   *
   * @param d the slot that gets the value
   * @param v the value
   */
  @Traced(code = 18, name = "set-false", operands = "slot d, unseen v")
  @Traced(code = 19, name = "set-true", operands = "slot d, unseen v")
  public void setBoolean(int d, boolean v) {
    values.put(this, d, v ? Values.TRUE : Values.FALSE);
  }

  /**
   * Stores an integer into a slot.
   *
   * @param d the slot that gets the value
   * @param v the value
   */
  @Traced(code = 20, operands = "slot d, int value")
  public void setInt(int d, int v) {
    values.put(this, d, Values.ofInt(v));
  }

  /**
   * Stores a double into a slot.
   *
   * @param d the slot that gets the value
   * @param v the value
   */
  @Traced(code = 21, operands = "slot d, double value")
  public void setDouble(int d, double v) {
    values.put(this, d, Values.ofDouble(v));
  }

  /**
   * Copies slot {@code s} to slot {@code d}.
   *
   * @param d the slot that gets the result
   * @param s the slot that is read
   */
  @Traced(code = 22, operands = "slot d, slot s")
  public void copy(int d, int s) {
    values.copy(this, d, s);
  }

  /**
   * Copies a range of slots to another range. The ranges may overlap.
   *
   * @param d the first slot that is written
   * @param s the first slot that is read
   * @param count the number of slots
   */
  @Traced(code = 182, operands = "index d, index s, size count")
  public void move(int d, int s, int count) {
    values.move(this, d, s, count);
  }

  /**
   * Loads a range of slots of a record or object.
   *
   * @param d the first slot that is written
   * @param r the slot of a record or object, which may be a slot that is written
   * @param i the index of the first slot of the record or object, from 0
   * @param count the number of slots
   */
  @Traced(code = 183, operands = "index d, record r, index i, size count")
  public void loadRange(int d, int r, int i, int count) {
    records.loadRange(this, d, r, i, count);
  }

  /**
   * Stores a range of slots into a record or object.
   *
   * @param r the slot of a record or object
   * @param i the index of the first slot of the record or object, from 0
   * @param s the first slot that is read
   * @param count the number of slots
   */
  @Traced(code = 184, operands = "record r, index i, index s, size count")
  public void storeRange(int r, int i, int s, int count) {
    records.storeRange(this, r, i, s, count);
  }

  /**
   * {@return the type of the value in a slot}
   *
   * @param s any slot
   */
  @Traced(code = 23, operands = "slot s")
  public ValueType type(int s) {
    return values.type(this, s);
  }

  /**
   * {@return whether a slot is undefined}
   *
   * @param s any slot
   */
  @Traced(code = 24, operands = "slot s")
  public boolean isUndefined(int s) {
    return values.is(this, s, Values.UNDEFINED);
  }

  /**
   * {@return whether a slot holds null}
   *
   * @param s any slot
   */
  @Traced(code = 25, operands = "slot s")
  public boolean isNull(int s) {
    return values.is(this, s, Values.NULL);
  }

  /**
   * {@return whether a slot refers to an element}
   *
   * @param s any slot
   */
  @Traced(code = 26, operands = "slot s")
  public boolean isReference(int s) {
    return values.isReference(this, s);
  }

  /**
   * {@return the boolean in a slot}
   *
   * @param s the slot
   * @throws HeapUsageException if the slot holds no boolean
   */
  @Traced(code = 27, operands = "slot s")
  public boolean getBoolean(int s) {
    return values.getBoolean(this, s);
  }

  /**
   * {@return the integer in a slot}
   *
   * @param s the slot
   * @throws HeapUsageException if the slot holds no integer, or an integer that does not fit an
   *     {@code int}
   */
  @Traced(code = 28, operands = "slot s")
  public int getInt(int s) {
    return values.getInt(this, s);
  }

  /**
   * {@return the double in a slot}
   *
   * @param s the slot
   * @throws HeapUsageException if the slot holds no double; an integer is no double
   */
  @Traced(code = 29, operands = "slot s")
  public double getDouble(int s) {
    return values.getDouble(this, s);
  }

  /**
   * {@return the kind of the element in a slot}
   *
   * @param s the slot of the element
   */
  @Traced(code = 30, operands = "element s")
  public Kind kind(int s) {
    return values.kind(this, s);
  }

  /**
   * {@return whether two slots hold the same element, or equal values}
   *
   * @param a a slot
   * @param b another slot
   */
  @Traced(code = 31, operands = "slot a, slot b")
  public boolean same(int a, int b) {
    return values.same(this, a, b);
  }

  // ---- integers of 64 bits ----

  /**
   * Stores an integer into a slot. An integer that does not fit 32 bits takes 16 bytes of the heap,
   * and making it may collect. For the program such an integer is a value like any other number.
   *
   * @param d the slot that gets the value
   * @param v any integer
   */
  @Traced(code = 200, name = "set-integer", operands = "slot d, long value")
  public void setLong(int d, long v) {
    integers.setLong(d, v);
  }

  /**
   * {@return the integer in a slot, of any size}
   *
   * @param s the slot
   * @throws HeapUsageException if the slot holds no integer
   */
  @Traced(code = 201, name = "get-integer", operands = "slot s")
  public long getLong(int s) {
    return integers.getLong(s);
  }

  /**
   * {@return whether a slot holds an integer, of any size} A large integer is a reference for
   * {@link Values#isReference}: ask this method before you treat a result of {@link #get(int)} as
   * an element.
   *
   * @param s any slot
   */
  @Traced(code = 202, operands = "slot s")
  public boolean isInteger(int s) {
    return integers.isInteger(s);
  }

  // ---- tagged values ----

  /**
   * {@return the tagged value of a slot, to switch on} {@link Values} says what a tagged value is.
   * A tagged reference says only that the slot refers to an element: the element may move or be
   * freed.
   *
   * @param s any slot
   */
  @Traced(code = 140, name = "get", operands = "slot s", tagged = true)
  public long get(int s) {
    return values.get(this, s);
  }

  /**
   * Stores a tagged value that is no reference into a slot.
   *
   * @param d the slot that gets the result
   * @param value as {@link Values} makes it: an integer, a double, a boolean, null or undefined
   * @throws HeapUsageException if the value is a reference, or no tagged value
   */
  @Traced(code = 141, name = "set", operands = "slot d, value value")
  public void set(int d, long value) {
    values.set(this, d, value);
  }

  /**
   * {@return the tagged value of a slot of a record or object}
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   */
  @Traced(code = 142, name = "get-of", operands = "record r, index i", tagged = true)
  public long get(int r, int i) {
    return records.get(this, r, i);
  }

  /**
   * Stores a tagged value that is no reference into a slot of a record or object.
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   * @param value as {@link Values} makes it
   * @throws HeapUsageException if the value is a reference, or no tagged value
   */
  @Traced(code = 143, name = "set-of", operands = "record r, index i, value value")
  public void set(int r, int i, long value) {
    records.set(this, r, i, value);
  }

  /**
   * {@return the tagged value of an own property whose key is an index; {@link Values#ABSENT} if
   * there is no such property}
   *
   * @param o the slot of an object
   * @param index any integer
   */
  @Traced(code = 144, operands = "object o, int index", tagged = true)
  public long getAt(int o, int index) {
    return steps.getAt(o, index);
  }

  /**
   * Stores a tagged value that is no reference as a property whose key is an index.
   *
   * @param o the slot of an object
   * @param index from 0
   * @param value as {@link Values} makes it
   * @throws HeapUsageException if the value is a reference, or no tagged value
   */
  @Traced(code = 145, operands = "object o, position index, value value")
  public void setAt(int o, int index, long value) {
    objects.setAt(o, index, value);
  }

  /**
   * Looks up a property, if it exists, in one step. If slot {@code o} holds an object, and this
   * object or a prototype has the key, the value lands in slot {@code d}.
   *
   * @param d the slot that gets the result; unchanged if there is no such property
   * @param o any slot
   * @param key any slot
   * @return the tagged value; {@link Values#ABSENT} if slot {@code o} holds no object, or if there
   *     is no such property
   */
  @Traced(code = 146, operands = "slot d, slot o, slot key", tagged = true)
  public long lookUp(int d, int o, int key) {
    return steps.lookUp(d, o, key);
  }

  /**
   * Stores into a property, if it exists, in one step. The object in slot {@code o} must have the
   * key, or the key must be the object's length as an array; in that case the array grows by one.
   *
   * @param o any slot
   * @param key any slot
   * @param s the slot of the value
   * @return whether the value was stored; if not, nothing is changed
   * @throws HeapExhaustedException if there is no memory for the array part to grow
   */
  @Traced(code = 147, operands = "slot o, slot key, slot s")
  public boolean update(int o, int key, int s) {
    return steps.update(o, key, s);
  }

  /**
   * Stores into a property, if it exists, as {@link #update(int, int, int)} does. The array part
   * grows only if the guard slot of the object is undefined. A program sets the guard slot where
   * its own rules decide about new keys, as for a metatable.
   *
   * @param o any slot
   * @param key any slot
   * @param s the slot of the value
   * @param guard the index of an inline slot of the object
   * @return whether the value was stored; if not, nothing is changed
   * @throws HeapExhaustedException if there is no memory for the array part to grow
   */
  @Traced(code = 232, name = "update-guarded", operands = "slot o, slot key, slot s, size guard")
  public boolean update(int o, int key, int s, int guard) {
    return steps.update(o, key, s, guard);
  }

  /**
   * Stores a tagged value that is no reference into a property, if it exists, as {@link
   * #update(int, int, int)} does.
   *
   * @param o any slot
   * @param key any slot
   * @param value as {@link Values} makes it
   * @return whether the value was stored; if not, nothing is changed
   * @throws HeapUsageException if the value is a reference, or no tagged value
   * @throws HeapExhaustedException if there is no memory for the array part to grow
   */
  @Traced(code = 235, operands = "slot o, slot key, value value")
  public boolean updateValue(int o, int key, long value) {
    return steps.updateValue(o, key, value);
  }

  /**
   * Looks up a property, as {@link #lookUp(int, int, int)} does, by the name in a global reference.
   *
   * @param d the slot that gets the result; unchanged if there is no such property
   * @param o any slot
   * @param name a global reference of this heap, not closed; if it holds no string there is no such
   *     property
   * @return the tagged value; {@link Values#ABSENT} if slot {@code o} holds no object, or if there
   *     is no such property
   */
  @Traced(
      code = 148,
      name = "look-up-name",
      operands = "slot d, slot o, global number",
      tagged = true)
  public long lookUp(int d, int o, GlobalRef name) {
    return steps.lookUp(d, o, name);
  }

  /**
   * Looks up a property, as {@link #lookUp(int, int, int)} does, and says of which kind an element
   * is.
   *
   * @param d the slot that gets the result; unchanged if there is no such property
   * @param o any slot
   * @param key any slot
   * @return the tagged value; for an element, {@link Values#ofKind} of its kind; {@link
   *     Values#ABSENT} if slot {@code o} holds no object, or if there is no such property
   */
  @Traced(code = 233, operands = "slot d, slot o, slot key")
  public long lookUpKind(int d, int o, int key) {
    return steps.lookUpKind(d, o, key);
  }

  /**
   * Looks up a property by its name, as {@link #lookUp(int, int, GlobalRef)} does, and says of
   * which kind an element is.
   *
   * @param d the slot that gets the result; unchanged if there is no such property
   * @param o any slot
   * @param name a global reference of this heap, not closed; if it holds no string there is no such
   *     property
   * @return the same as {@link #lookUpKind(int, int, int)}
   */
  @Traced(code = 234, name = "look-up-kind-name", operands = "slot d, slot o, global number")
  public long lookUpKind(int d, int o, GlobalRef name) {
    return steps.lookUpKind(d, o, name);
  }

  /**
   * Looks up a property by its name in objects that delegate, so that a language can have its own
   * classes. An object without the property delegates as follows: inline slot {@code i} holds a
   * second object, and the property {@code link} of the second object holds the object where the
   * look-up goes on.
   *
   * @param d the slot that gets the result; undefined if the last object delegates to nothing;
   *     unchanged if the result is {@link Values#ABSENT}
   * @param o any slot
   * @param name a global reference of this heap, not closed; if it holds no string there is no such
   *     property
   * @param i an inline slot, at least 0; an object delegates to nothing if it has no such slot, if
   *     the slot is undefined, or if the second object has no property {@code link}
   * @param link a global reference of this heap, not closed
   * @return the tagged value; {@link Values#ABSENT} if slot {@code o}, a slot {@code i} or a link
   *     holds a value that is no object, or after ten links
   */
  @Traced(
      code = 209,
      name = "look-up-linked",
      operands = "slot d, slot o, global number, count i, global link",
      tagged = true)
  public long lookUp(int d, int o, GlobalRef name, int i, GlobalRef link) {
    return steps.lookUp(d, o, name, i, link);
  }

  /**
   * Stores into a property, by the name in a global reference, if slot {@code o} holds an object
   * with that property.
   *
   * @param o any slot
   * @param name a global reference of this heap, not closed; if it holds no string there is no such
   *     property
   * @param s the slot of the value
   * @return whether the value was stored; if not, nothing is changed
   */
  @Traced(code = 149, name = "update-name", operands = "slot o, global number, slot s")
  public boolean update(int o, GlobalRef name, int s) {
    return steps.update(o, name, s);
  }

  // ---- records, and the inline slots of objects ----

  /**
   * Makes a record of {@code slots} undefined slots.
   *
   * @param d the slot that gets the result
   * @param slots the number of slots, at least 0
   */
  @Traced(code = 32, operands = "slot d, size slots")
  public void newRecord(int d, int slots) {
    records.newRecord(this, d, slots);
  }

  /**
   * Stores slot {@code s} into slot {@code i} of the record or object in slot {@code r}.
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   * @param s the slot that is read
   */
  @Traced(code = 33, operands = "record r, index i, slot s")
  public void store(int r, int i, int s) {
    records.store(this, r, i, s);
  }

  /**
   * Loads slot {@code i} of the record or object in slot {@code r}.
   *
   * @param d the slot that gets the result
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   */
  @Traced(code = 34, operands = "slot d, record r, index i")
  public void load(int d, int r, int i) {
    records.load(this, d, r, i);
  }

  /**
   * Stores an integer into a slot of a record or object.
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   * @param v the value
   */
  @Traced(code = 35, operands = "record r, index i, int value")
  public void storeInt(int r, int i, int v) {
    records.storePlain(this, r, i, Values.ofInt(v));
  }

  /**
   * Stores null into a slot of a record or object.
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   */
  @Traced(code = 36, operands = "record r, index i")
  public void storeNull(int r, int i) {
    records.storePlain(this, r, i, Values.NULL);
  }

  /**
   * {@return the integer in a slot of a record or object}
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   */
  @Traced(code = 37, operands = "record r, index i")
  public int loadInt(int r, int i) {
    return records.loadInt(this, r, i);
  }

  /**
   * {@return the number of slots of the record or object in a slot}
   *
   * @param r the slot of a record or object
   */
  @Traced(code = 38, operands = "record r")
  public int slotCount(int r) {
    return records.slotCount(this, r);
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
   * @param inlineSlots the number of inline slots, at least 0; the operations on slots of records
   *     read and write them
   */
  @Traced(code = 40, operands = "slot d, size inline slots")
  public void newObject(int d, int inlineSlots) {
    objects.newObject(d, inlineSlots);
  }

  /**
   * Makes an object with a prototype.
   *
   * @param d the slot that gets the result
   * @param inlineSlots the number of inline slots, at least 0
   * @param prototype the slot that holds the prototype or null; it may be {@code d}
   */
  @Traced(
      code = 236,
      name = "new-object-of",
      operands = "slot d, size inline slots, slot prototype")
  public void newObject(int d, int inlineSlots, int prototype) {
    objects.newObject(d, inlineSlots, prototype);
  }

  /**
   * Makes an object with room for many properties, so that its table need not grow as the program
   * fills it. Indexes below {@code elements} go to the array, in whatever order the program puts
   * them.
   *
   * @param d the slot that gets the result
   * @param inlineSlots the number of inline slots, at least 0
   * @param properties the expected number of properties with other keys, at least 0
   * @param elements the expected number of indexes from 0 on, at least 0
   */
  @Traced(
      code = 208,
      name = "new-object-sized",
      operands = "slot d, size inline slots, size properties, size elements")
  public void newObject(int d, int inlineSlots, int properties, int elements) {
    objects.newObject(d, inlineSlots, properties, elements);
  }

  /**
   * Makes an object with weak properties: the object does not keep the keys alive, or the values,
   * or both. Strings, numbers and booleans stay in a weak object as in any other object.
   *
   * <p>The heap removes an entry when its weak key or value is reclaimed. An entry with a weak key
   * is an ephemeron: the value is kept while the key is reached in another way than through the
   * value. A weak value is removed before its finalizer runs. A weak key is removed when it is
   * reclaimed.
   *
   * @param d the slot that gets the result
   * @param weakness a number of {@link Weakness}
   * @throws HeapUsageException if {@code weakness} is another number
   */
  @Traced(code = 131, operands = "slot d, weakness weakness")
  public void newWeakObject(int d, int weakness) {
    objects.newWeakObject(d, weakness);
  }

  /**
   * Changes the weakness of an object; {@link #newWeakObject} says what weakness means. The
   * properties and inline slots stay. Walks go on, but a walk inside the array part sees the
   * integer keys again, since a weak table has no array. The time is in proportion to the number of
   * properties.
   *
   * @param o the slot of an object
   * @param weakness a number of {@link Weakness}
   * @throws HeapUsageException if {@code weakness} is another number
   * @throws HeapExhaustedException if there is no memory to turn the array part into entries
   */
  @Traced(code = 220, operands = "object o, weakness weakness")
  public void setWeakness(int o, int weakness) {
    objects.setWeakness(o, weakness);
  }

  /**
   * Sets the sort of an element, which snapshots, paths and leak reports show.
   *
   * @param s the slot of an element
   * @param sort a number that {@link Heap#sort} returned, or 0 for no sort
   * @throws HeapUsageException if there is no such sort
   */
  @Traced(code = 222, operands = "element s, sort sort")
  public void setSort(int s, int sort) {
    values.setSort(this, s, sort);
  }

  /**
   * {@return the number of the sort of the element in a slot; 0 if it has no sort}
   *
   * @param s the slot of an element
   */
  @Traced(code = 223, name = "sort-of", operands = "element s")
  public int sort(int s) {
    return values.sort(this, s);
  }

  /**
   * Loads the prototype of an object; null if it has none.
   *
   * @param d the slot that gets the result
   * @param o the slot of an object
   */
  @Traced(code = 41, operands = "slot d, object o")
  public void getPrototype(int d, int o) {
    objects.getPrototype(d, o);
  }

  /**
   * Sets the prototype of an object to an object or null. A chain of prototypes must not become a
   * cycle.
   *
   * @param o the slot of an object
   * @param s the slot that holds the prototype or null
   * @throws HeapUsageException if the chain would become a cycle
   */
  @Traced(code = 42, operands = "object o, slot s")
  public void setPrototype(int o, int s) {
    objects.setPrototype(o, s);
  }

  /**
   * Loads the value of a property, which the object or one of its prototypes has; undefined if
   * there is no such property.
   *
   * @param d the slot that gets the result
   * @param o the slot of an object
   * @param key the slot of the key
   */
  @Traced(code = 43, operands = "slot d, object o, key key")
  public void getProperty(int d, int o, int key) {
    objects.getProperty(d, o, key);
  }

  /**
   * Loads the value of an own property; undefined if there is no such property.
   *
   * @param d the slot that gets the result
   * @param o the slot of an object
   * @param key the slot of the key
   * @return whether there is such a property
   */
  @Traced(code = 44, operands = "slot d, object o, key key")
  public boolean getOwnProperty(int d, int o, int key) {
    return objects.getOwnProperty(d, o, key);
  }

  /**
   * Sets an own property.
   *
   * <p>A key is any value but undefined, null and NaN. A double that equals an integer is the same
   * key as the integer, so -0.0 is 0. Two strings are the same key if their bytes are equal. Any
   * other element is the same key only as itself.
   *
   * @param o the slot of an object
   * @param key the slot of the key
   * @param s the slot of the value
   * @throws HeapUsageException if the key is undefined, null or NaN
   */
  @Traced(code = 45, operands = "object o, key key, slot s")
  public void putProperty(int o, int key, int s) {
    objects.putProperty(o, key, s);
  }

  /**
   * Sets an own property by the name in a global reference.
   *
   * @param o the slot of an object
   * @param name a global reference of this heap, not closed, that holds an interned string
   * @param s the slot of the value
   * @throws HeapUsageException if the global reference holds no interned string
   */
  @Traced(code = 237, name = "put-name", operands = "object o, global number, slot s")
  public void putProperty(int o, GlobalRef name, int s) {
    objects.putProperty(o, name, s);
  }

  /**
   * Removes an own property.
   *
   * @param o the slot of an object
   * @param key the slot of the key
   * @return whether there was such a property
   */
  @Traced(code = 46, operands = "object o, key key")
  public boolean deleteProperty(int o, int key) {
    return objects.deleteProperty(o, key);
  }

  /**
   * {@return whether there is an own property}
   *
   * @param o the slot of an object
   * @param key the slot of the key
   */
  @Traced(code = 47, operands = "object o, key key")
  public boolean hasProperty(int o, int key) {
    return objects.hasProperty(o, key);
  }

  /**
   * Loads the value of an own property whose key is an index; undefined if there is no such
   * property.
   *
   * @param d the slot that gets the result
   * @param o the slot of an object
   * @param index from 0
   */
  @Traced(code = 48, operands = "slot d, object o, position index")
  public void getIndex(int d, int o, int index) {
    objects.getIndex(d, o, index);
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
    objects.putIndex(o, index, s);
  }

  /**
   * {@return the length of an object as an array} The length is one more than the largest index
   * that was put, or the length that was set since. Deleting an index does not change the length.
   *
   * @param o the slot of an object
   */
  @Traced(code = 50, operands = "object o")
  public int arrayLength(int o) {
    return objects.arrayLength(o);
  }

  /**
   * Sets the length of an object as an array. Indexes at or above the length are deleted, and
   * memory that the array does not need is given back. A larger length takes no memory for the new
   * indexes.
   *
   * @param o the slot of an object
   * @param length at least 0
   */
  @Traced(code = 203, operands = "object o, size length")
  public void setArrayLength(int o, int length) {
    objects.setArrayLength(o, length);
  }

  /**
   * Copies a range of indexes of an object to another object, or to the same object. The ranges may
   * overlap. An index that is missing in the source is deleted in the target. Between arrays the
   * range is one copy of memory.
   *
   * @param o the slot of the object that gets the values
   * @param to the first index in that object
   * @param source the slot of the object that has the values
   * @param from the first index in that object
   * @param count the number of indexes, at least 0
   * @throws HeapExhaustedException if there is no memory; nothing is changed then
   */
  @Traced(code = 205, operands = "object o, position to, object source, position from, size count")
  public void moveRange(int o, int to, int source, int from, int count) {
    arrays.moveRange(o, to, source, from, count);
  }

  /**
   * Inserts a value at an index. The values at this index and above move up by one, and the length
   * grows by one.
   *
   * @param o the slot of an object
   * @param index from 0 to the length
   * @param s the slot of the value
   * @throws HeapExhaustedException if there is no memory; nothing is changed then
   */
  @Traced(code = 206, operands = "object o, index index, slot s")
  public void insertAt(int o, int index, int s) {
    arrays.insertAt(o, index, s);
  }

  /**
   * Removes the value at an index. The values above move down by one, and the length shrinks by
   * one.
   *
   * @param o the slot of an object
   * @param index from 0, below the length
   * @throws HeapExhaustedException if there is no memory, which only indexes outside of the array
   *     need; nothing is changed then
   */
  @Traced(code = 207, operands = "object o, index index")
  public void removeAt(int o, int index) {
    arrays.removeAt(o, index);
  }

  /**
   * {@return a border: an index, from 1 on, that is present while the next index is not; 0 if index
   * 1 is not present} An object may have several borders. If the last index is present, the result
   * is the last border. The time is in proportion to the logarithm of the length.
   *
   * @param o the slot of an object
   */
  @Traced(code = 204, operands = "object o")
  public int border(int o) {
    return objects.border(o);
  }

  /**
   * {@return the number of own properties, indexes included}
   *
   * @param o the slot of an object
   */
  @Traced(code = 51, operands = "object o")
  public int propertyCount(int o) {
    return objects.propertyCount(o);
  }

  /**
   * Walks the own properties: those of the array part in the order of their indexes, then the
   * others in the order of insertion.
   *
   * <p>The walk is stable: the program may put, delete and collect during the walk, and still sees
   * each property that stays exactly once. The walk also sees a property that is added meanwhile,
   * or deleted and put again. A cursor is valid as long as its object. Any number of walks can be
   * under way, and a walk need not come to its end. A step takes constant time, but passes the
   * holes of the array part one by one.
   *
   * @param o the slot of an object
   * @param cursor 0 at first, then the last result for this object
   * @param dKey the slot that gets the property's key
   * @param dValue the slot that gets the property's value
   * @return the next cursor, or -1 at the end; both slots are unchanged then
   * @throws HeapUsageException if the cursor is negative
   */
  @Traced(code = 52, operands = "object o, cursor cursor, slot dKey, slot dValue, next the answer")
  public long nextProperty(int o, long cursor, int dKey, int dValue) {
    return objects.nextProperty(o, cursor, dKey, dValue);
  }

  /**
   * Finds the own property that follows a key, in the order of {@link #nextProperty} and in its
   * time.
   *
   * <p>The key is the key of a property, or one of two deleted keys: the key that this method
   * returned last for the object, or the key that was deleted last since this method was first
   * called for the object. The object holds these two keys.
   *
   * <p>So a walk may delete any property, also the current one. The walk is as stable as a walk by
   * {@linkplain #nextProperty cursor}. If several walks by key over one object stand on deleted
   * keys, only the two keys above can be continued from; cursors have no such bound.
   *
   * @param o the slot of an object
   * @param key the slot of the key to continue from, which may be {@code dKey}; if the slot is
   *     undefined the first property is found
   * @param dKey the slot that gets the property's key
   * @param dValue the slot that gets the property's value
   * @return false at the end; both slots are unchanged then
   * @throws HeapUsageException if there is no such key
   */
  @Traced(code = 53, operands = "object o, key key, slot dKey, slot dValue")
  public boolean nextPropertyAfter(int o, int key, int dKey, int dValue) {
    return objects.nextPropertyAfter(o, key, dKey, dValue);
  }

  // ---- strings ----

  /**
   * Makes a string of text. A string of up to {@code strings.max-interned} bytes is interned: if an
   * equal interned string exists, that string is the result.
   *
   * @param d the slot that gets the result
   * @param text not null; unpaired surrogates are kept
   */
  @Traced(code = 56, operands = "slot d, text UTF-8")
  public void newString(int d, String text) {
    strings.make(d, text);
  }

  /**
   * Makes a string of any bytes. If the bytes are UTF-8, the string is text. A string of up to
   * {@code strings.max-interned} bytes is interned: if an equal interned string exists, that string
   * is the result.
   *
   * @param d the slot that gets the result
   * @param bytes the array with the bytes
   * @param offset the index of the first byte
   * @param length the number of bytes
   */
  public void newString(int d, byte[] bytes, int offset, int length) {
    strings.make(d, bytes, offset, length);
  }

  /**
   * Finds an interned string, and never makes a string.
   *
   * @param d the slot that gets the result; unchanged if there is no such string
   * @param text not null
   * @return whether there is an interned string with this text
   */
  @Traced(code = 57, operands = "slot d, found 1 if it was found, text UTF-8", reads = false)
  public boolean findString(int d, String text) {
    return strings.find(d, text);
  }

  /**
   * {@return the string's text} Allocates on the JVM's heap.
   *
   * @param s the slot of a string
   * @throws HeapUsageException if the string's bytes are no text
   */
  @Traced(code = 58, operands = "string s")
  public String getString(int s) {
    return strings.text(s);
  }

  /**
   * {@return the string's length in characters (code points)}
   *
   * @param s the slot of a string
   * @throws HeapUsageException if the string's bytes are no text
   */
  @Traced(code = 59, operands = "string s")
  public int stringLength(int s) {
    return strings.length(s);
  }

  /**
   * {@return the string's length in bytes}
   *
   * @param s the slot of a string
   */
  @Traced(code = 60, operands = "string s")
  public int stringBytes(int s) {
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
    return strings.charAt(s, index);
  }

  /**
   * {@return the string's length in UTF-16, as {@link String#length}} The time is constant for
   * ASCII, and from the second call on.
   *
   * @param s the slot of a string
   * @throws HeapUsageException if the string's bytes are no text
   */
  @Traced(code = 238, name = "utf16-length", operands = "string s")
  public int utf16Length(int s) {
    return strings.utf16Length(s);
  }

  /**
   * {@return a unit of a string in UTF-16, as {@link String#charAt}: a character, or half of a pair
   * of surrogates} The time is constant for ASCII. Otherwise the heap remembers the last place, as
   * for {@link #charAt}.
   *
   * @param s the slot of a string
   * @param index in units of UTF-16, from 0
   * @throws HeapUsageException if the string's bytes are no text
   */
  @Traced(code = 239, name = "utf16-at", operands = "string s, index index")
  public int utf16At(int s, int index) {
    return strings.utf16At(s, index);
  }

  /**
   * {@return whether the bytes of a string are text in UTF-8} Only text has characters.
   *
   * <p>An unpaired surrogate, in three bytes, is text. A pair of surrogates, in three bytes each,
   * is no text.
   *
   * @param s the slot of a string
   */
  @Traced(code = 160, operands = "string s")
  public boolean isText(int s) {
    return strings.isText(s);
  }

  /**
   * {@return whether a string is interned; no other interned string has the same bytes}
   *
   * @param s the slot of a string
   */
  @Traced(code = 161, operands = "string s")
  public boolean isInterned(int s) {
    return strings.isInterned(s);
  }

  /**
   * Finds the interned string with the bytes of a string. If there is none, the string itself
   * becomes interned.
   *
   * @param d the slot that gets the result
   * @param s the slot of a string
   */
  @Traced(code = 162, operands = "slot d, string s")
  public void intern(int d, int s) {
    strings.intern(d, s);
  }

  /**
   * {@return a byte of a string, from 0 to 255}
   *
   * @param s the slot of a string
   * @param index in bytes, from 0
   */
  @Traced(code = 163, operands = "string s, index index")
  public int byteAt(int s, int index) {
    return strings.byteAt(s, index);
  }

  /**
   * Copies bytes out of a string.
   *
   * @param s the slot of a string
   * @param from the index of the first byte, from 0
   * @param to the array that gets the bytes
   * @param offset the index of the first byte in the array
   * @param length the number of bytes
   */
  @Traced(
      code = 164,
      operands = "string s, index from, unseen to, unseen offset, size length",
      reads = false)
  public void readString(int s, int from, byte[] to, int offset, int length) {
    strings.read(s, from, to, offset, length);
  }

  /**
   * {@return whether two strings have the same bytes}
   *
   * @param a the slot of a string
   * @param b the slot of another string
   */
  @Traced(code = 165, operands = "string a, string b")
  public boolean equalStrings(int a, int b) {
    return strings.equal(a, b);
  }

  /**
   * Compares two strings by their unsigned bytes: the order of texts is the order of their code
   * points.
   *
   * @param a the slot of a string
   * @param b the slot of another string
   * @return -1, 0 or 1, as the first is less than, equal to or greater than the second
   */
  @Traced(code = 166, operands = "string a, string b")
  public int compareStrings(int a, int b) {
    return strings.compare(a, b);
  }

  /**
   * Finds the bytes of a string inside another string.
   *
   * @param s the slot of a string
   * @param part the slot of the string to find
   * @param from the index, in bytes, where the search begins; at most the number of bytes
   * @return the index of the first byte that was found, or -1
   */
  @Traced(code = 167, operands = "string s, string part, index from")
  public int indexOf(int s, int part, int from) {
    return strings.indexOf(s, part, from);
  }

  /**
   * Joins the strings and numbers of some slots to one string, without a Java string. An integer
   * becomes its decimal digits. A double becomes the text of {@link Double#toString(double)}: the
   * shortest decimal that reads back, always with a point. So {@code concat(d, s, 1)} turns a
   * number into a string.
   *
   * <p>The bytes stay as they are: two surrogates that come together do not become one character.
   *
   * @param d the slot that gets the result, which may be one of the joined slots
   * @param first the first joined slot
   * @param count the number of joined slots, at least 0
   */
  @Traced(code = 168, operands = "slot d, index first, size count")
  public void concat(int d, int first, int count) {
    pieces.concat(d, first, count);
  }

  /**
   * Makes a string of a part of a string. If the part is the whole string, the result is that
   * string.
   *
   * @param d the slot that gets the result
   * @param s the slot of a string
   * @param from the index of the first byte, from 0
   * @param to the index behind the last byte
   */
  @Traced(code = 169, operands = "slot d, string s, index from, size to")
  public void substring(int d, int s, int from, int to) {
    pieces.substring(d, s, from, to);
  }

  /**
   * Makes a string of bytes of a buffer.
   *
   * @param d the slot that gets the result
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   * @param length the number of bytes
   */
  @Traced(code = 170, operands = "slot d, buffer b, place at, size length, text bytes")
  public void stringFromBuffer(int d, int b, long at, int length) {
    pieces.fromBuffer(d, b, at, length);
  }

  /**
   * Writes the bytes of a string, or the text of a number as in {@link #concat}, into a buffer.
   *
   * @param b the slot of a buffer, which must have room for the bytes
   * @param at the index of the first byte, from 0
   * @param s the slot of a string or number
   * @return the number of bytes that were written
   */
  @Traced(code = 171, operands = "buffer b, place at, slot s")
  public int stringToBuffer(int b, long at, int s) {
    return pieces.toBuffer(b, at, s);
  }

  /**
   * Reads a string as a number, without a Java string. A number is decimal digits, with an optional
   * sign, point and exponent, or {@code Infinity}, or {@code NaN}. Digits alone are an integer if
   * it fits 64 bits; any other number is a double.
   *
   * @param d the slot that gets the result; unchanged if the string is no number
   * @param s the slot of a string
   * @return whether all of the string is a number
   */
  @Traced(code = 172, operands = "slot d, string s")
  public boolean toNumber(int d, int s) {
    return pieces.toNumber(d, s);
  }

  // ---- buffers ----

  /**
   * Makes a fixed buffer of zeros.
   *
   * @param d the slot that gets the result
   * @param bytes the size in bytes, at least 0
   */
  @Traced(code = 64, operands = "slot d, bytes bytes")
  public void newBuffer(int d, long bytes) {
    buffers.newFixed(d, bytes);
  }

  /**
   * Makes a dynamic buffer of zeros.
   *
   * @param d the slot that gets the result
   * @param bytes the first size in bytes, at least 0
   */
  @Traced(code = 65, operands = "slot d, bytes bytes")
  public void newDynamicBuffer(int d, long bytes) {
    buffers.newDynamic(d, bytes);
  }

  /**
   * {@return the size of a buffer, in bytes}
   *
   * @param b the slot of a buffer
   */
  @Traced(code = 66, operands = "buffer b")
  public long bufferSize(int b) {
    return buffers.size(b);
  }

  /**
   * Resizes a dynamic buffer. Bytes below both sizes keep their values, and new bytes are zero.
   *
   * @param b the slot of a dynamic buffer that is not pinned
   * @param bytes the new size in bytes, at least 0
   */
  @Traced(code = 67, operands = "dynamic b, bytes bytes")
  public void resizeBuffer(int b, long bytes) {
    buffers.resize(b, bytes);
  }

  /**
   * {@return a byte of a buffer}
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   */
  @Traced(code = 68, operands = "buffer b, place at", reads = false)
  public byte getByte(int b, long at) {
    return buffers.getByte(b, at);
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
    buffers.putByte(b, at, v);
  }

  /**
   * {@return eight bytes of a buffer, in the machine's order, from any index on}
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   */
  @Traced(code = 70, operands = "buffer b, place at", reads = false)
  public long getLong(int b, long at) {
    return buffers.getLong(b, at);
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
    buffers.putLong(b, at, v);
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
   * @param to the array that gets the bytes
   * @param offset the index of the first byte in the array
   * @param length the number of bytes
   */
  @Traced(code = 72, operands = "buffer b, place at, unseen to, unseen offset, size length")
  public void readBytes(int b, long at, byte[] to, int offset, int length) {
    buffers.read(b, at, to, offset, length);
  }

  /**
   * Copies bytes into a buffer.
   *
   * @param b the slot of a buffer
   * @param at the index of the first byte, from 0
   * @param from the array with the bytes
   * @param offset the index of the first byte in the array
   * @param length the number of bytes
   */
  @Traced(code = 73, operands = "buffer b, place at, unseen from, unseen offset, size length")
  public void writeBytes(int b, long at, byte[] from, int offset, int length) {
    buffers.write(b, at, from, offset, length);
  }

  /**
   * {@return a view of a buffer's bytes, valid until the next allocation, collection or resize}
   *
   * @param b the slot of a buffer
   */
  @Traced(code = 74, operands = "buffer b", reads = false)
  public MemorySegment view(int b) {
    return buffers.view(b);
  }

  /**
   * Pins a buffer. A pinned buffer is neither moved nor reclaimed, and cannot be resized. Each pin
   * lasts until an {@linkplain #unpin unpin} takes it back. Pinning a small fixed buffer for the
   * first time may collect.
   *
   * @param b the slot of a buffer
   * @return a view of its bytes, valid while the buffer is pinned
   * @throws HeapUsageException if the traits say that the collector does not pin; or if the heap's
   *     memory grows by moving all of it
   * @throws HeapExhaustedException if there is no memory at a place where the buffer can stay
   */
  @Traced(code = 75, operands = "buffer b", reads = false)
  public MemorySegment pin(int b) {
    return buffers.pin(b);
  }

  /**
   * Takes one pin of a buffer back.
   *
   * @param b the slot of a buffer
   */
  @Traced(code = 76, operands = "buffer b")
  public void unpin(int b) {
    buffers.unpin(b);
  }

  // ---- natives and functions ----

  /**
   * Makes an element that holds a Java object.
   *
   * @param d the slot that gets the result
   * @param value not null; held until the element is freed
   * @param onFree called with the object after the element was freed; null for no callback
   */
  @Traced(code = 80, operands = "slot d, unseen value, callback number of its callback or 0")
  public void newNative(int d, Object value, @Nullable FreeCallback onFree) {
    functions.newNative(d, value, onFree);
  }

  /**
   * {@return the Java object of a native element}
   *
   * @param s the slot of a native element
   */
  @Traced(code = 81, operands = "native s", reads = false)
  public Object nativeValue(int s) {
    return functions.nativeValue(s);
  }

  /**
   * Makes a compiled function. Its constants and inner functions are undefined at first.
   *
   * @param d the slot that gets the result
   * @param constants the number of constants, at least 0
   * @param inners the number of inner functions, at least 0
   */
  @Traced(code = 82, operands = "slot d, size constants, size inner functions")
  public void newFunction(int d, int constants, int inners) {
    functions.newFunction(d, constants, inners);
  }

  /**
   * Sets the number of a function's code. A runtime finds the code by this number.
   *
   * @param f the slot of a function
   * @param code from 0 to 16,777,214
   */
  @Traced(code = 150, operands = "function f, code code")
  public void setFunctionCode(int f, int code) {
    functions.setCode(f, code);
  }

  /**
   * {@return the number of the code of the function in a slot; -1 if the slot holds no function, or
   * a function without a number}
   *
   * @param s any slot
   */
  @Traced(code = 151, operands = "slot s")
  public int functionCode(int s) {
    return functions.code(this, s);
  }

  /**
   * Stores a constant of a function.
   *
   * @param f the slot of a function
   * @param i the index of the constant, from 0
   * @param s the slot that is read
   */
  @Traced(code = 83, operands = "function f, index i, slot s")
  public void storeConstant(int f, int i, int s) {
    functions.storeConstant(f, i, s);
  }

  /**
   * Loads a constant of a function.
   *
   * @param d the slot that gets the result
   * @param f the slot of a function
   * @param i the index of the constant, from 0
   */
  @Traced(code = 84, operands = "slot d, function f, index i")
  public void loadConstant(int d, int f, int i) {
    functions.loadConstant(this, d, f, i);
  }

  /**
   * Stores an inner function: a function, null or undefined.
   *
   * @param f the slot of a function
   * @param i the index of the inner function, from 0
   * @param s the slot that is read
   */
  @Traced(code = 85, operands = "function f, index i, slot s")
  public void storeInner(int f, int i, int s) {
    functions.storeInner(f, i, s);
  }

  /**
   * Loads an inner function.
   *
   * @param d the slot that gets the result
   * @param f the slot of a function
   * @param i the index of the inner function, from 0
   */
  @Traced(code = 86, operands = "slot d, function f, index i")
  public void loadInner(int d, int f, int i) {
    functions.loadInner(d, f, i);
  }

  // ---- threads ----

  /**
   * Makes a thread (a coroutine) with an empty value stack.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 88, operands = "slot d")
  public void newThread(int d) {
    threads.newThread(d);
  }

  /**
   * Pushes slot {@code s} onto the value stack of another thread, as a new slot of its frame.
   *
   * @param thread the slot of a thread that does not run
   * @param s the slot that is read
   */
  @Traced(code = 89, operands = "thread thread, slot s")
  public void push(int thread, int s) {
    threads.push(thread, s);
  }

  /**
   * Pops the last slot of another thread's frame.
   *
   * @param thread the slot of a thread that does not run
   * @param d the slot that gets the result
   */
  @Traced(code = 90, operands = "thread thread, slot d")
  public void pop(int thread, int d) {
    threads.pop(thread, d);
  }

  /**
   * Resumes a thread in a new frame on its stack. The current thread becomes the resumer of that
   * thread. If the thread stands in its bottom frame, the values that were pushed onto it become
   * the first slots of the new frame.
   *
   * @param thread the slot of a thread that does not run
   * @param frameSlots the number of slots of the new frame, at least the number of pushed values
   */
  @Traced(code = 91, operands = "thread thread, size slots")
  public void resume(int thread, int frameSlots) {
    threads.resume(thread, frameSlots, 0, 0);
  }

  /**
   * Resumes a thread in a new frame on its stack, with arguments. The current thread becomes the
   * resumer of that thread. If the thread stands in its bottom frame, the values that were pushed
   * onto it become the first slots of the new frame. The arguments follow.
   *
   * @param thread the slot of a thread that does not run
   * @param frameSlots the number of slots of the new frame, at least the number of pushed values
   *     and arguments
   * @param first the slot of the first argument in the current frame
   * @param args the number of arguments
   * @throws ValueStackFullException if the thread's value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for the thread's value stack to grow
   */
  @Traced(
      code = 187,
      name = "resume-args",
      operands = "thread thread, size slots, index first, size arguments")
  public void resume(int thread, int frameSlots, int first, int args) {
    threads.resume(thread, frameSlots, first, args);
  }

  /**
   * Resumes a thread in the frame where it stands, with values. The current thread becomes the
   * resumer of that thread. The values land in that frame's slots from {@code d} on. Exactly {@code
   * wanted} slots are written: missing values are undefined, surplus values are dropped. With
   * {@link #ALL} every value lands, and the frame grows if it is too small.
   *
   * @param thread the slot of a thread that does not run
   * @param first the slot of the first value in the current frame
   * @param count the number of values
   * @param d the slot for the first value in the frame that continues, at most that frame's number
   *     of slots
   * @param wanted the number of slots that are written, or {@link #ALL}
   * @return the number of values that landed
   * @throws ValueStackFullException if the thread's value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for the thread's value stack to grow
   */
  @Traced(code = 188, operands = "thread thread, index first, size count, slot d, int wanted")
  public int resumeInto(int thread, int first, int count, int d, int wanted) {
    return threads.resumeInto(thread, first, count, d, wanted);
  }

  /** Leaves the frame, and makes the resumer the current thread. */
  @Traced(code = 92)
  public void suspend() {
    threads.suspend();
  }

  /**
   * Suspends the current thread with values, and makes its resumer the current thread. The frame
   * stays, and continues with {@link #resumeInto}. The values land in the resumer's frame as {@link
   * #resumeInto} says.
   *
   * @param first the slot of the first value
   * @param count the number of values
   * @param d the slot for the first value in the resumer's frame, at most that frame's number of
   *     slots
   * @param wanted the number of the resumer's slots that are written, or {@link #ALL}
   * @return the number of values that landed
   * @throws ValueStackFullException if the resumer's value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for its value stack to grow
   */
  @Traced(
      code = 189,
      name = "suspend-results",
      operands = "index first, size count, slot d, int wanted")
  public int suspend(int first, int count, int d, int wanted) {
    return threads.suspend(first, count, d, wanted, false);
  }

  /**
   * Ends the current thread: suspends it with values, as {@link #suspend(int, int, int, int)} does,
   * and leaves all its frames with their activations and catchers. The thread is then like a new
   * thread, but keeps its attached Java object.
   *
   * @param first the slot of the first value
   * @param count the number of values
   * @param d the slot for the first value in the resumer's frame, at most that frame's number of
   *     slots
   * @param wanted the number of the resumer's slots that are written, or {@link #ALL}
   * @return the number of values that landed
   * @throws ValueStackFullException if the resumer's value stack would exceed its limit
   * @throws HeapExhaustedException if there is no memory for its value stack to grow
   */
  @Traced(code = 190, operands = "index first, size count, slot d, int wanted")
  public int finish(int first, int count, int d, int wanted) {
    return threads.suspend(first, count, d, wanted, true);
  }

  /**
   * {@return the state of a thread}
   *
   * @param thread the slot of a thread
   */
  @Traced(code = 191, operands = "thread thread")
  public ThreadState threadState(int thread) {
    return threads.state(thread);
  }

  /**
   * Loads the current thread.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 192, operands = "slot d")
  public void currentThread(int d) {
    threads.current(d);
  }

  /**
   * Attaches a Java object to a thread, in place of the attached object. The object is released
   * when the thread is freed.
   *
   * @param thread the slot of a thread
   * @param value null to attach no object
   */
  @Traced(code = 193, operands = "thread thread, unseen value")
  public void setThreadObject(int thread, @Nullable Object value) {
    threads.setObject(thread, value);
  }

  /**
   * {@return the Java object that is attached to a thread; null if no object is}
   *
   * @param thread the slot of a thread
   */
  @Traced(code = 194, operands = "thread thread", reads = false)
  public @Nullable Object threadObject(int thread) {
    return threads.object(thread);
  }

  // ---- the call stack: activations and catchers ----

  /**
   * Enters a frame as the activation of a function. The call stack keeps the function alive.
   *
   * @param slots the number of slots of the new frame
   * @param f the slot of a function
   */
  @Traced(code = 93, operands = "size slots, function f")
  public void call(int slots, int f) {
    calls.call(slots, f);
  }

  /**
   * Adds a catcher to the frame. A raised value lands in slot {@code d}, and {@link #raise} returns
   * {@code pc}.
   *
   * @param d the slot that gets the value, below 32768
   * @param pc any number; the place where the program continues
   */
  @Traced(code = 94, operands = "slot d, int pc")
  public void pushCatcher(int d, int pc) {
    calls.pushCatcher(d, pc);
  }

  /** Removes the frame's last catcher. */
  @Traced(code = 95)
  public void popCatcher() {
    calls.popCatcher();
  }

  /**
   * Raises the value of a slot: leaves the frames above the thread's innermost catcher, and removes
   * that catcher.
   *
   * @param s the slot of the value
   * @return the catcher's program counter, or -1 if the thread has none; nothing is changed then
   * @throws HeapUsageException if the catcher's slot was popped since
   */
  @Traced(code = 96, operands = "slot s")
  public int raise(int s) {
    return calls.raise(s);
  }

  // ---- finalizers, identity, weak and global references ----

  /**
   * Sets the finalizer of an element that is no string and no native. A finalizer that was set
   * before is replaced.
   *
   * @param s the slot of the element
   * @param label the finalizer's name in messages and traces; not null
   * @param finalizer called on the thread of the heap
   */
  @Traced(code = 100, operands = "element s, finalizer number, text label")
  public void setFinalizer(int s, String label, Finalizer finalizer) {
    references.setFinalizer(s, label, finalizer, false);
  }

  /**
   * Sets the finalizer of an object and of all its heirs, as Duktape does: of an object without a
   * finalizer of its own that of the nearest prototype is called which has such a one. This is
   * looked up when the finalizer is called. Objects that exist already inherit it, too; to find
   * them the heap does a full collection if the object was a prototype before.
   *
   * <p>An heir counts as 80 bytes of external memory against the limit, as the host cannot count
   * heirs itself. {@link #setFinalizer} or {@link #clearFinalizer} on the object ends it.
   *
   * @param o the slot of the object
   * @param label the finalizer's name in messages and traces; not null
   * @param finalizer called on the thread of the heap, for the object itself as well
   */
  @Traced(code = 241, operands = "element o, finalizer number, text label")
  public void setInheritedFinalizer(int o, String label, Finalizer finalizer) {
    references.setFinalizer(o, label, finalizer, true);
  }

  /**
   * Removes an element's own finalizer. One that it inherits from a prototype stays.
   *
   * @param s the slot of the element
   * @return whether the element had a finalizer of its own
   */
  @Traced(code = 101, operands = "element s", reads = false)
  public boolean clearFinalizer(int s) {
    return references.clearFinalizer(s);
  }

  /**
   * {@return whether an element has a finalizer, its own or an inherited one}
   *
   * @param s the slot of the element
   */
  @Traced(code = 102, operands = "element s", reads = false)
  public boolean hasFinalizer(int s) {
    return references.hasFinalizer(s);
  }

  /**
   * {@return a hash of the element's identity, which stays the same for the element's life}
   *
   * @param s the slot of the element
   */
  @Traced(code = 103, operands = "element s", reads = false)
  public int identityHash(int s) {
    return references.identityHash(s);
  }

  /**
   * {@return the number of references to an element, the slot's own included; -1 if the collector
   * counts none, or none to this element}
   *
   * @param s the slot of the element
   */
  public int referenceCount(int s) {
    return references.referenceCount(s);
  }

  /**
   * Makes a weak reference to an element.
   *
   * @param s the slot of the element
   * @return the weak reference; the program closes it after use
   */
  @Traced(code = 104, operands = "element s, made number", reads = false)
  public WeakRef newWeak(int s) {
    return references.newWeak(s);
  }

  /**
   * Reads a weak reference.
   *
   * @param d the slot that gets the element, or null if the reference is cleared
   * @param weak a weak reference of this heap, not closed
   * @return whether the reference still has its element
   */
  @Traced(code = 105, operands = "slot d, found 1 if it was there, weak number", reads = false)
  public boolean getWeak(int d, WeakRef weak) {
    return references.getWeak(d, weak);
  }

  /**
   * Stores a slot into a global reference.
   *
   * @param global a global reference of this heap, not closed
   * @param s the slot that is read
   */
  @Traced(code = 106, operands = "slot s, global number")
  public void setGlobal(GlobalRef global, int s) {
    values.setGlobal(this, global, s);
  }

  /**
   * Loads a global reference.
   *
   * @param d the slot that gets the result
   * @param global a global reference of this heap, not closed
   */
  @Traced(code = 107, operands = "slot d, global number")
  public void getGlobal(int d, GlobalRef global) {
    values.getGlobal(this, d, global);
  }

  // ---- images ----

  /** Returns what stands for a finalizer of an image that is opened. */
  Finalizer openedFinalizer(Finalizer finalizer) {
    return finalizer;
  }

  /** Returns what stands for the callback of a native of an image that is opened. */
  FreeCallback openedCallback(FreeCallback callback) {
    return callback;
  }
}
