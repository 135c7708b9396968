package dev.gleaner.heap;

import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Layout;
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
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/**
 * Access to a heap's elements: a register machine whose registers are the slots of a frame.
 *
 * <p>A program never holds an element. The program names an element by a slot of the current frame.
 * Slots are exact roots. Operations take slot numbers, the destination first. They check the Java
 * thread and their arguments: each must be as its description says. If one is not, the operation
 * throws a {@link HeapUsageException} and changes nothing. A global reference must be of this heap
 * and not closed. A tagged value that is stored must be no reference, and as {@link Values} makes
 * it: an integer, a double, a boolean, null or undefined.
 *
 * <p>An operation that makes or enlarges something may collect, and a collection may run
 * finalizers. If the limit still leaves no room, the operation throws a {@link
 * HeapExhaustedException} and changes nothing. Frames have a limit of their own: where a thread's
 * value stack would exceed it, the operation throws a {@link ValueStackFullException} and changes
 * nothing.
 *
 * <p>A heap has one mutator. Apart from results such as texts, an operation allocates nothing on
 * the JVM's heap. It calls the collector only to refill an allocation buffer or for a write
 * barrier. This class only lists the operations; the class of each group, such as {@link
 * RecordAccess}, does the work. The registers and the words are inherited, so that an operation
 * reads one object for both. Operations that need nothing else are static: the compiler would test
 * a field with their object at each of them.
 *
 * <p>Every operation has four steps. {@link Registers#check} tests the Java thread and the heap's
 * state at once. All other checks follow. Then comes the work that may collect. The change comes
 * last, with offsets that are read after all collections. An {@link Error}, such as the end of the
 * Java stack, may come between two words of it: then a handler sets the owner to null, and the next
 * call checks whether the heap is whole ({@link Soundness}). The commonest operations are called by
 * handles, so that the compiler inlines them late ({@link Inlining}).
 */
public sealed class Mutator extends WordAccess permits RecordingMutator {
  /**
   * Stands for a number of wanted results: all results.
   *
   * <p>Results and other values land in slots from a first slot on. Exactly as many slots are
   * written as are wanted: missing values are undefined, surplus values are dropped. With this
   * number every value lands, and the frame grows if it is too small.
   */
  public static final int ALL = -1;

  static {
    Inlining.makeHandles(
        MethodHandles.lookup(),
        FrameAccess.Late.class,
        FunctionAccess.Late.class,
        RecordAccess.Late.class,
        ValueAccess.Late.class);
  }

  private final IntegerAccess integers = new IntegerAccess(core);
  private final RecordMaker records = new RecordMaker(core);
  private final Heirs heirs = new Heirs(core);
  private final StringMaker maker = new StringMaker(core);
  private final ObjectAccess objects = new ObjectAccess(core, maker, integers, heirs);
  private final ArrayAccess arrays = new ArrayAccess(core, objects);
  private final PropertySteps steps = new PropertySteps(core, objects, maker);
  private final StringAccess strings = new StringAccess(core, maker);
  private final BufferAccess buffers = new BufferAccess(core);
  private final StringPieces pieces = new StringPieces(core, strings, buffers, maker, integers);
  private final CallAccess calls = new CallAccess(core);
  final ThreadAccess threads = new ThreadAccess(core);
  final CallbackThread finalizers = new CallbackThread(core, threads, CallbackThread.FINALIZERS);
  final FinalizerFrame finalizerFrame = new FinalizerFrame(core, threads);
  final CallbackThread callbacks = new CallbackThread(core, threads, CallbackThread.CALLBACKS);
  private final FunctionAccess functions = new FunctionAccess(core, callbacks);
  final ReferenceAccess references = new ReferenceAccess(core, finalizers, heirs);

  Mutator(HeapParts context, Collector collector, HeapCore.Maker parts) {
    super(context, collector, parts);
  }

  /**
   * {@return a line for debuggers: the heap, its running thread and frame, and the heap's owner}
   * Any Java thread may call this; on others than the owner the figures may be slightly old.
   */
  @Override
  public String toString() {
    return "mutator of " + core.owner() + super.toString();
  }

  /**
   * Enters a frame of {@code slots} undefined slots.
   *
   * @param slots the number of slots, at least 0
   */
  @Traced(code = 8, operands = "size slots")
  public void enter(int slots) {
    FrameAccess.enter(this, slots);
  }

  /**
   * Enters a frame whose first slots are copies of the caller's slots from {@code first} on.
   *
   * @param slots the number of slots of the new frame, at least {@code args}
   * @param first the caller's first slot that is copied
   * @param args the number of slots that are copied
   */
  @Traced(code = 9, name = "enter-args", operands = "size slots, index first, size arguments")
  public void enter(int slots, int first, int args) {
    FrameAccess.enter(this, slots, first, args);
  }

  /**
   * Enters a frame, as {@link #enter(int, int, int)} does, and makes the slots undefined that it
   * copies: so the new frame can drop the last reference.
   *
   * @param slots the number of slots of the new frame, at least {@code args}
   * @param first the caller's first slot whose value moves
   * @param args the number of slots whose values move
   */
  @Traced(code = 240, operands = "size slots, index first, size arguments")
  public void enterMoving(int slots, int first, int args) {
    FrameAccess.enterMoving(this, slots, first, args);
  }

  /** Leaves the frame. */
  @Traced(code = 10)
  public void leave() {
    FrameAccess.leave(this);
  }

  /**
   * Leaves the frame, and copies the value of its slot {@code s} to the caller's slot {@code d}.
   *
   * @param s a slot of the frame that is left
   * @param d a slot of the caller's frame
   */
  @Traced(code = 11, name = "leave-value", operands = "slot s, slot d")
  public void leave(int s, int d) {
    FrameAccess.leave(this, s, d);
  }

  /**
   * Leaves the frame with several results, which land in the caller's frame.
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
    return FrameAccess.leave(this, first, count, d, wanted);
  }

  /**
   * Leaves frames, without a result, until {@code depth} frames remain.
   *
   * @param depth the number of frames that remain, at most {@link #frameDepth}
   */
  @Traced(code = 186, operands = "count depth")
  public void leaveTo(int depth) {
    FrameAccess.leaveTo(this, depth);
  }

  /**
   * Calls in place: the frame gets a new number of slots. The first slots are the arguments, all
   * others are undefined. The frame's activation and catchers are dropped.
   *
   * @param slots the frame's new number of slots, at least {@code args}
   * @param first the slot of the first argument
   * @param args the number of arguments
   */
  @Traced(code = 181, operands = "size slots, index first, size arguments")
  public void tailCall(int slots, int first, int args) {
    FrameAccess.tailCall(this, slots, first, args);
  }

  /**
   * Changes the number of the frame's slots. New slots are undefined, surplus slots are dropped.
   *
   * @param slots the frame's new number of slots, at least 0
   */
  @Traced(code = 185, operands = "size slots")
  public void resizeFrame(int slots) {
    FrameAccess.resizeFrame(this, slots);
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
    FrameAccess.compact(this, a, b);
  }

  /**
   * Makes all slots but some undefined. Those slots keep their numbers.
   *
   * @param keep the slots that stay, in any order
   */
  @Traced(code = 14, name = "compact-list", operands = "slots slots kept")
  public void compact(int[] keep) {
    FrameAccess.compact(this, keep);
  }

  /**
   * Makes the slots from {@code from} on undefined, so that dead temporaries are no roots.
   *
   * @param from the first slot that becomes undefined, at most the number of slots
   */
  @Traced(code = 15, operands = "size from")
  public void wipe(int from) {
    FrameAccess.wipe(this, from);
  }

  /** {@return the current frame's number of slots} */
  public int frameSize() {
    return FrameAccess.size(this, 0);
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
    FrameAccess.peek(this, d, level, s);
  }

  /**
   * {@return the number of slots of an outer frame of the current thread}
   *
   * @param level the number of frames outwards: 0 is the current frame, at most {@link #frameDepth}
   */
  public int frameSize(int level) {
    return FrameAccess.size(this, level);
  }

  /**
   * {@return the level of the next frame with a function of one of two codes in slot 0, or -1}
   *
   * @param level where the search begins: 0 is the current frame, at most {@link #frameDepth}
   * @param code a number, as {@link #functionCode} returns it
   * @param other another such number, or the same
   */
  public int findFrame(int level, int code, int other) {
    return FrameAccess.find(this, level, code, other);
  }

  /** {@return the number of frames of the current thread, without its bottom frame} */
  public int frameDepth() {
    return FrameAccess.depth(this);
  }

  /**
   * Makes a slot undefined.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 16, operands = "slot d")
  public void setUndefined(int d) {
    ValueAccess.put(this, d, Values.UNDEFINED);
  }

  /**
   * Stores null into a slot.
   *
   * @param d the slot that gets the result
   */
  @Traced(code = 17, operands = "slot d")
  public void setNull(int d) {
    ValueAccess.put(this, d, Values.NULL);
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
    ValueAccess.put(this, d, v ? Values.TRUE : Values.FALSE);
  }

  /**
   * Stores an integer into a slot.
   *
   * @param d the slot that gets the value
   * @param v the value
   */
  @Traced(code = 20, operands = "slot d, int value")
  public void setInt(int d, int v) {
    ValueAccess.put(this, d, Values.ofInt(v));
  }

  /**
   * Stores a double into a slot.
   *
   * @param d the slot that gets the value
   * @param v the value
   */
  @Traced(code = 21, operands = "slot d, double value")
  public void setDouble(int d, double v) {
    ValueAccess.put(this, d, Values.ofDouble(v));
  }

  /**
   * Copies slot {@code s} to slot {@code d}.
   *
   * @param d the slot that gets the result
   * @param s the slot that is read
   */
  @Traced(code = 22, operands = "slot d, slot s")
  public void copy(int d, int s) {
    ValueAccess.copy(this, d, s);
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
    ValueAccess.move(this, d, s, count);
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
    RecordAccess.loadRange(this, d, r, i, count);
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
    RecordAccess.storeRange(this, r, i, s, count);
  }

  /**
   * {@return the type of the value in a slot}
   *
   * @param s any slot
   */
  @Traced(code = 23, operands = "slot s")
  public ValueType type(int s) {
    return ValueAccess.type(this, s);
  }

  /**
   * {@return whether a slot is undefined}
   *
   * @param s any slot
   */
  @Traced(code = 24, operands = "slot s")
  public boolean isUndefined(int s) {
    return ValueAccess.is(this, s, Values.UNDEFINED);
  }

  /**
   * {@return whether a slot holds null}
   *
   * @param s any slot
   */
  @Traced(code = 25, operands = "slot s")
  public boolean isNull(int s) {
    return ValueAccess.is(this, s, Values.NULL);
  }

  /**
   * {@return whether a slot refers to an element}
   *
   * @param s any slot
   */
  @Traced(code = 26, operands = "slot s")
  public boolean isReference(int s) {
    return ValueAccess.isReference(this, s);
  }

  /**
   * {@return whether a slot refers to a string}
   *
   * @param s any slot
   */
  @Traced(code = 242, operands = "slot s")
  public boolean isString(int s) {
    return ValueAccess.isOf(this, s, Layout.STRING);
  }

  /**
   * {@return whether a slot refers to an object}
   *
   * @param s any slot
   */
  @Traced(code = 243, operands = "slot s")
  public boolean isObject(int s) {
    return ValueAccess.isOf(this, s, Layout.OBJECT);
  }

  /**
   * {@return the boolean in a slot}
   *
   * @param s the slot of a boolean
   */
  @Traced(code = 27, operands = "slot s")
  public boolean getBoolean(int s) {
    return ValueAccess.getBoolean(this, s);
  }

  /**
   * {@return the integer in a slot}
   *
   * @param s the slot of an integer that fits an {@code int}
   */
  @Traced(code = 28, operands = "slot s")
  public int getInt(int s) {
    return ValueAccess.getInt(this, s);
  }

  /**
   * {@return the double in a slot}
   *
   * @param s the slot of a double; an integer is no double
   */
  @Traced(code = 29, operands = "slot s")
  public double getDouble(int s) {
    return ValueAccess.getDouble(this, s);
  }

  /**
   * {@return the kind of the element in a slot}
   *
   * @param s the slot of the element
   */
  @Traced(code = 30, operands = "element s")
  public Kind kind(int s) {
    return ValueAccess.kind(this, s);
  }

  /**
   * {@return whether two slots hold the same element, or equal values}
   *
   * @param a a slot
   * @param b another slot
   */
  @Traced(code = 31, operands = "slot a, slot b")
  public boolean same(int a, int b) {
    return ValueAccess.same(this, a, b);
  }

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
   * @param s the slot of an integer
   */
  @Traced(code = 201, name = "get-integer", operands = "slot s")
  public long getLong(int s) {
    return integers.getLong(s);
  }

  /**
   * {@return whether a slot holds an integer, of any size} A large integer is a reference for
   * {@link Values#isReference}: ask this method before you take such a value for an element.
   *
   * @param s any slot
   */
  @Traced(code = 202, operands = "slot s")
  public boolean isInteger(int s) {
    return integers.isInteger(s);
  }

  /**
   * {@return the tagged value of a slot, to switch on} {@link Values} says what a tagged value is.
   * A tagged reference says only that the slot refers to an element, which may move or be freed.
   *
   * @param s any slot
   */
  @Traced(code = 140, name = "get", operands = "slot s", tagged = true)
  public long get(int s) {
    return ValueAccess.get(this, s);
  }

  /**
   * Stores a tagged value that is no reference into a slot.
   *
   * @param d the slot that gets the value
   * @param value as {@link Values} makes it
   */
  @Traced(code = 141, name = "set", operands = "slot d, value value")
  public void set(int d, long value) {
    ValueAccess.set(this, d, value);
  }

  /**
   * {@return the tagged value of a slot of a record or object}
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   */
  @Traced(code = 142, name = "get-of", operands = "record r, index i", tagged = true)
  public long get(int r, int i) {
    return RecordAccess.get(this, r, i);
  }

  /**
   * Stores a tagged value that is no reference into a slot of a record or object.
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   * @param value as {@link Values} makes it
   */
  @Traced(code = 143, name = "set-of", operands = "record r, index i, value value")
  public void set(int r, int i, long value) {
    RecordAccess.set(this, r, i, value);
  }

  /**
   * {@return the tagged value of an own property with an index as key; else {@link Values#ABSENT}}
   *
   * @param o the slot of an object
   * @param index any integer
   */
  @Traced(code = 144, operands = "object o, int index", tagged = true)
  public long getAt(int o, int index) {
    return steps.getAt(o, index);
  }

  /**
   * Stores a tagged value that is no reference as a property with an index as key.
   *
   * @param o the slot of an object
   * @param index from 0
   * @param value as {@link Values} makes it
   */
  @Traced(code = 145, operands = "object o, position index, value value")
  public void setAt(int o, int index, long value) {
    objects.setAt(o, index, value);
  }

  /**
   * Looks up a property in one step, in the object in slot {@code o} and its prototypes.
   *
   * @param d the slot that gets the result; unchanged if there is no such property
   * @param o any slot
   * @param key any slot
   * @return the tagged value; {@link Values#ABSENT} if there is no such property, or no object
   */
  @Traced(code = 146, operands = "slot d, slot o, slot key", tagged = true)
  public long lookUp(int d, int o, int key) {
    return steps.lookUp(d, o, key);
  }

  /**
   * Stores into a property, if it exists, in one step. The object in slot {@code o} must have the
   * key, or the key must be its length as an array: then the array grows by one.
   *
   * @param o any slot
   * @param key any slot
   * @param s the slot of the value
   * @return whether the value was stored; if not, nothing is changed
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
   */
  @Traced(code = 232, name = "update-guarded", operands = "slot o, slot key, slot s, size guard")
  public boolean update(int o, int key, int s, int guard) {
    return steps.update(o, key, s, guard);
  }

  /**
   * Stores a tagged value that is no reference, as {@link #update(int, int, int)} does.
   *
   * @param o any slot
   * @param key any slot
   * @param value as {@link Values} makes it
   * @return whether the value was stored; if not, nothing is changed
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
   * @param name a global reference; if it holds no string there is no such property
   * @return the tagged value; {@link Values#ABSENT} if there is no such property, or no object
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
   * Looks up a property, as {@link #lookUp(int, int, int)} does, and tells the kind of an element.
   *
   * @param d the slot that gets the result; unchanged if there is no such property
   * @param o any slot
   * @param key any slot
   * @return the same as {@link #lookUp(int, int, int)}; for an element, {@link Values#ofKind}
   */
  @Traced(code = 233, operands = "slot d, slot o, slot key")
  public long lookUpKind(int d, int o, int key) {
    return steps.lookUpKind(d, o, key);
  }

  /**
   * Looks up a property by its name, as {@link #lookUpKind(int, int, int)} does by its key.
   *
   * @param d the slot that gets the result; unchanged if there is no such property
   * @param o any slot
   * @param name a global reference; if it holds no string there is no such property
   * @return the same as {@link #lookUpKind(int, int, int)}
   */
  @Traced(code = 234, name = "look-up-kind-name", operands = "slot d, slot o, global number")
  public long lookUpKind(int d, int o, GlobalRef name) {
    return steps.lookUpKind(d, o, name);
  }

  /**
   * Looks up a property by its name in objects that delegate, so that a language can have its own
   * classes. An object without the property delegates as follows: inline slot {@code i} holds a
   * second object, and its property {@code link} holds the object where the look-up goes on.
   *
   * @param d the slot that gets the result; undefined if the last object delegates to nothing
   * @param o any slot
   * @param name a global reference; if it holds no string there is no such property
   * @param i an inline slot, at least 0; an object delegates to nothing if it has no such slot, if
   *     the slot is undefined, or if the second object has no property {@code link}
   * @param link a global reference
   * @return the tagged value; {@link Values#ABSENT}, and slot {@code d} unchanged, if slot {@code
   *     o}, a slot {@code i} or a link holds a value that is no object, or after ten links
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
   * Stores into a property of the object in slot {@code o}, if it exists, by its name.
   *
   * @param o any slot
   * @param name a global reference; if it holds no string there is no such property
   * @param s the slot of the value
   * @return whether the value was stored; if not, nothing is changed
   */
  @Traced(code = 149, name = "update-name", operands = "slot o, global number, slot s")
  public boolean update(int o, GlobalRef name, int s) {
    return steps.update(o, name, s);
  }

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
    RecordAccess.store(this, r, i, s);
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
    RecordAccess.load(this, d, r, i);
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
    RecordAccess.storePlain(this, r, i, Values.ofInt(v));
  }

  /**
   * Stores null into a slot of a record or object.
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   */
  @Traced(code = 36, operands = "record r, index i")
  public void storeNull(int r, int i) {
    RecordAccess.storePlain(this, r, i, Values.NULL);
  }

  /**
   * {@return the integer in a slot of a record or object}
   *
   * @param r the slot of a record or object
   * @param i the index of a slot of the record or object, from 0
   */
  @Traced(code = 37, operands = "record r, index i")
  public int loadInt(int r, int i) {
    return RecordAccess.loadInt(this, r, i);
  }

  /**
   * {@return the number of slots of the record or object in a slot}
   *
   * @param r the slot of a record or object
   */
  @Traced(code = 38, operands = "record r")
  public int slotCount(int r) {
    return RecordAccess.slotCount(this, r);
  }

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
   * @param inlineSlots the number of inline slots, at least 0; they are read like a record's slots
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
   * fills it. Indexes below {@code elements} go to the array, in whatever order they are put.
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
   * Makes an object with weak properties: it does not keep the keys alive, or the values, or both.
   * Strings, numbers and booleans stay as in any other object.
   *
   * <p>The heap removes an entry when its weak key or value is reclaimed. An entry with a weak key
   * is an ephemeron: the value is kept while the key is reached in another way than through the
   * value. A weak value is removed before its finalizer runs, a weak key when it is reclaimed.
   *
   * @param d the slot that gets the result
   * @param weakness a number of {@link Weakness}
   */
  @Traced(code = 131, operands = "slot d, weakness weakness")
  public void newWeakObject(int d, int weakness) {
    objects.newWeakObject(d, weakness);
  }

  /**
   * Changes the weakness of an object; {@link #newWeakObject} says what weakness means. The
   * properties and inline slots stay. Walks go on, but a walk inside the array part sees the
   * integer keys again, as a weak table has no array. Takes time for each property.
   *
   * @param o the slot of an object
   * @param weakness a number of {@link Weakness}
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
   */
  @Traced(code = 222, operands = "element s, sort sort")
  public void setSort(int s, int sort) {
    ValueAccess.setSort(this, s, sort);
  }

  /**
   * {@return the number of the sort of the element in a slot; 0 if it has no sort}
   *
   * @param s the slot of an element
   */
  @Traced(code = 223, name = "sort-of", operands = "element s")
  public int sort(int s) {
    return ValueAccess.sort(this, s);
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
   * Sets the prototype of an object. A chain of prototypes must not become a cycle.
   *
   * @param o the slot of an object
   * @param s the slot that holds the prototype or null
   */
  @Traced(code = 42, operands = "object o, slot s")
  public void setPrototype(int o, int s) {
    objects.setPrototype(o, s);
  }

  /**
   * Loads a property of the object or of its prototypes; undefined if there is no such property.
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
   * key, so -0.0 is 0; so are strings of equal bytes. Other elements are the same only as
   * themselves.
   *
   * @param o the slot of an object
   * @param key the slot of the key
   * @param s the slot of the value
   */
  @Traced(code = 45, operands = "object o, key key, slot s")
  public void putProperty(int o, int key, int s) {
    objects.putProperty(o, key, s);
  }

  /**
   * Sets an own property by the name in a global reference.
   *
   * @param o the slot of an object
   * @param name a global reference that holds an interned string
   * @param s the slot of the value
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
   * Loads an own property whose key is an index; undefined if there is no such property.
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
   * memory that the array does not need is given back. New indexes take no memory.
   *
   * @param o the slot of an object
   * @param length at least 0
   */
  @Traced(code = 203, operands = "object o, size length")
  public void setArrayLength(int o, int length) {
    objects.setArrayLength(o, length);
  }

  /**
   * Copies a range of indexes of an object to another or the same object. The ranges may overlap.
   * Indexes that miss in the source are deleted. Between arrays this is one copy of memory.
   *
   * @param o the slot of the object that gets the values
   * @param to the first index in that object
   * @param source the slot of the object that has the values
   * @param from the first index in that object
   * @param count the number of indexes, at least 0
   */
  @Traced(code = 205, operands = "object o, position to, object source, position from, size count")
  public void moveRange(int o, int to, int source, int from, int count) {
    arrays.moveRange(o, to, source, from, count);
  }

  /**
   * Inserts a value at an index. The values from there on move up, and the length grows by one.
   *
   * @param o the slot of an object
   * @param index from 0 to the length
   * @param s the slot of the value
   */
  @Traced(code = 206, operands = "object o, index index, slot s")
  public void insertAt(int o, int index, int s) {
    arrays.insertAt(o, index, s);
  }

  /**
   * Removes the value at an index. The values above move down, and the length shrinks by one.
   *
   * @param o the slot of an object
   * @param index from 0, below the length
   * @throws HeapExhaustedException if indexes outside of the array need memory that is not there
   */
  @Traced(code = 207, operands = "object o, index index")
  public void removeAt(int o, int index) {
    arrays.removeAt(o, index);
  }

  /**
   * {@return a border: an index, from 1 on, that is present while the next index is not; 0 if index
   * 1 is not present} An object may have several borders. Then the result is, as far as possible,
   * the one that a table of Lua has: single indexes far behind an array do not count. The time is
   * in proportion to the logarithm of the length.
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
   * Walks the own properties: the array part by its indexes, then others in order of insertion.
   *
   * <p>The walk is stable: the program may put, delete and collect meanwhile, and still sees each
   * property that stays exactly once. It also sees a property that is added, or deleted and put
   * again. A cursor is valid as long as its object. Any number of walks can be under way. A step
   * takes constant time, but passes the holes of the array part one by one.
   *
   * @param o the slot of an object
   * @param cursor 0 at first, then the last result for this object
   * @param dKey the slot that gets the property's key
   * @param dValue the slot that gets the property's value
   * @return the next cursor, or -1 at the end; both slots are unchanged then
   */
  @Traced(code = 52, operands = "object o, cursor cursor, slot dKey, slot dValue, next the answer")
  public long nextProperty(int o, long cursor, int dKey, int dValue) {
    return objects.nextProperty(o, cursor, dKey, dValue);
  }

  /**
   * Finds the own property after a key, in the order of {@link #nextProperty} and in its time.
   *
   * <p>The key is the key of a property, or one of two deleted keys, which the object holds: the
   * key that this method returned last for the object, or the key that was deleted last since this
   * method was first called for the object. So a walk may delete any property, also the current
   * one, and is as stable as with cursors. But several walks over one object can go on only from
   * these two deleted keys.
   *
   * @param o the slot of an object
   * @param key the slot of the key, which may be {@code dKey}; undefined to find the first property
   * @param dKey the slot that gets the property's key
   * @param dValue the slot that gets the property's value
   * @return false at the end; both slots are unchanged then
   */
  @Traced(code = 53, operands = "object o, key key, slot dKey, slot dValue")
  public boolean nextPropertyAfter(int o, int key, int dKey, int dValue) {
    return objects.nextPropertyAfter(o, key, dKey, dValue);
  }

  /**
   * Makes a string of text. A string of up to {@code strings.max-interned} bytes is interned: if an
   * equal interned string exists, it is the result.
   *
   * @param d the slot that gets the result
   * @param text not null; unpaired surrogates are kept
   */
  @Traced(code = 56, operands = "slot d, text UTF-8")
  public void newString(int d, String text) {
    strings.make(d, text);
  }

  /**
   * Makes a string of any bytes, interned as by {@link #newString(int, String)}. If the bytes are
   * UTF-8, the string is text.
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
   * @param s the slot of a string that is text
   */
  @Traced(code = 58, operands = "string s")
  public String getString(int s) {
    return strings.text(s);
  }

  /**
   * {@return the string's length in characters (code points)}
   *
   * @param s the slot of a string that is text
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
   * @param s the slot of a string that is text
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
   * @param s the slot of a string that is text
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
   * @param s the slot of a string that is text
   * @param index in units of UTF-16, from 0
   */
  @Traced(code = 239, name = "utf16-at", operands = "string s, index index")
  public int utf16At(int s, int index) {
    return strings.utf16At(s, index);
  }

  /**
   * {@return whether the bytes of a string are text in UTF-8} Only text has characters. An unpaired
   * surrogate, in three bytes, is text; a pair of them, in three bytes each, is not.
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
   * Finds the interned string with a string's bytes. If there is none, the string becomes interned.
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
   * Compares two strings by their unsigned bytes: texts are in the order of their code points.
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
   * shortest decimal that reads back, always with a point. The bytes of strings stay as they are:
   * two surrogates that come together do not become one character.
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
   * Makes a string of a part of a string. The result of the whole string is that string.
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
   * Reads a string as a number, without a Java string: decimal digits with an optional sign, point
   * and exponent, {@code Infinity} or {@code NaN}. Digits alone are an integer if it fits 64 bits;
   * any other number is a double.
   *
   * @param d the slot that gets the result; unchanged if the string is no number
   * @param s the slot of a string
   * @return whether all of the string is a number
   */
  @Traced(code = 172, operands = "slot d, string s")
  public boolean toNumber(int d, int s) {
    return pieces.toNumber(d, s);
  }

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
   * lasts until an {@link #unpin}. Pinning a small fixed buffer for the first time may collect.
   *
   * @param b the slot of a buffer
   * @return a view of its bytes, valid while the buffer is pinned
   * @throws HeapUsageException if the collector does not pin, or if the heap's memory grows by
   *     moving
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
   * {@return the number of the code of the function in a slot; -1 if there is no such number}
   *
   * @param s any slot
   */
  @Traced(code = 151, operands = "slot s")
  public int functionCode(int s) {
    return FunctionAccess.code(this, s);
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
    FunctionAccess.loadConstant(this, d, f, i);
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
   * Resumes a thread in a new frame on its stack. The current thread becomes its resumer. If the
   * thread stands in its bottom frame, the values pushed onto it are the new frame's first slots.
   *
   * @param thread the slot of a thread that does not run
   * @param frameSlots the number of slots of the new frame, at least the number of pushed values
   */
  @Traced(code = 91, operands = "thread thread, size slots")
  public void resume(int thread, int frameSlots) {
    threads.resume(thread, frameSlots, 0, 0);
  }

  /**
   * Resumes a thread, as {@link #resume(int, int)} does, with arguments behind the pushed values.
   *
   * @param thread the slot of a thread that does not run
   * @param frameSlots the number of slots of the new frame, at least the pushed values and
   *     arguments
   * @param first the slot of the first argument in the current frame
   * @param args the number of arguments
   */
  @Traced(
      code = 187,
      name = "resume-args",
      operands = "thread thread, size slots, index first, size arguments")
  public void resume(int thread, int frameSlots, int first, int args) {
    threads.resume(thread, frameSlots, first, args);
  }

  /**
   * Resumes a thread in the frame where it stands, with values, which land in that frame.
   *
   * @param thread the slot of a thread that does not run
   * @param first the slot of the first value in the current frame
   * @param count the number of values
   * @param d that frame's slot for the first value, at most its number of slots
   * @param wanted the number of slots that are written, or {@link #ALL}
   * @return the number of values that landed
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
   * stays, and continues with {@link #resumeInto}. The values land in the resumer's frame.
   *
   * @param first the slot of the first value
   * @param count the number of values
   * @param d the resumer's slot for the first value, at most the resumer's number of slots
   * @param wanted the number of the resumer's slots that are written, or {@link #ALL}
   * @return the number of values that landed
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
   * @param d the resumer's slot for the first value, at most the resumer's number of slots
   * @param wanted the number of the resumer's slots that are written, or {@link #ALL}
   * @return the number of values that landed
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
   * Attaches a Java object to a thread, in place of the last one, until the thread is freed.
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
   * Adds a catcher to the frame: for a raised value, and for what {@link #raise} then returns.
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
   * that catcher. The catcher's slot must still be there.
   *
   * @param s the slot of the value
   * @return the catcher's program counter, or -1 if the thread has none; nothing is changed then
   */
  @Traced(code = 96, operands = "slot s")
  public int raise(int s) {
    return calls.raise(s);
  }

  /**
   * Sets the finalizer of an element that is no string and no native, in place of the last one.
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
   * Sets the finalizer of an object and of all its heirs, as Duktape does: an object without its
   * own has that of the nearest prototype, which is looked up when it is called. Objects that exist
   * already inherit it, too; to find them the heap does a full collection if the object was a
   * prototype before. {@link #setFinalizer} or {@link #clearFinalizer} on the object ends it.
   *
   * <p>An heir counts as 80 bytes of external memory, as the host cannot count heirs itself.
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
   * {@return the number of references to an element, the slot's own included; -1 if not counted}
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
   * @param global a global reference
   * @param s the slot that is read
   */
  @Traced(code = 106, operands = "slot s, global number")
  public void setGlobal(GlobalRef global, int s) {
    ValueAccess.setGlobal(this, global, s);
  }

  /**
   * Loads a global reference.
   *
   * @param d the slot that gets the result
   * @param global a global reference
   */
  @Traced(code = 107, operands = "slot d, global number")
  public void getGlobal(int d, GlobalRef global) {
    ValueAccess.getGlobal(this, d, global);
  }

  /** Returns what stands for a finalizer of an image that is opened. */
  Finalizer openedFinalizer(Finalizer finalizer) {
    return finalizer;
  }

  /** Returns what stands for the callback of a native of an image that is opened. */
  FreeCallback openedCallback(FreeCallback callback) {
    return callback;
  }
}
