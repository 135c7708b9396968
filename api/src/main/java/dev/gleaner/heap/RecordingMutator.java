package dev.gleaner.heap;

import static dev.gleaner.heap.Recorder.zigzag;
import static dev.gleaner.trace.TraceOp.ARRAY_LENGTH;
import static dev.gleaner.trace.TraceOp.BUFFER_SIZE;
import static dev.gleaner.trace.TraceOp.CALL;
import static dev.gleaner.trace.TraceOp.CHAR_AT;
import static dev.gleaner.trace.TraceOp.CLEAR_FINALIZER;
import static dev.gleaner.trace.TraceOp.COMPACT;
import static dev.gleaner.trace.TraceOp.COMPACT_LIST;
import static dev.gleaner.trace.TraceOp.COMPACT_TWO;
import static dev.gleaner.trace.TraceOp.COPY;
import static dev.gleaner.trace.TraceOp.DELETE_PROPERTY;
import static dev.gleaner.trace.TraceOp.ENTER;
import static dev.gleaner.trace.TraceOp.ENTER_ARGS;
import static dev.gleaner.trace.TraceOp.FIND_STRING;
import static dev.gleaner.trace.TraceOp.GET_BOOLEAN;
import static dev.gleaner.trace.TraceOp.GET_BYTE;
import static dev.gleaner.trace.TraceOp.GET_DOUBLE;
import static dev.gleaner.trace.TraceOp.GET_GLOBAL;
import static dev.gleaner.trace.TraceOp.GET_INDEX;
import static dev.gleaner.trace.TraceOp.GET_INT;
import static dev.gleaner.trace.TraceOp.GET_LONG;
import static dev.gleaner.trace.TraceOp.GET_OWN_PROPERTY;
import static dev.gleaner.trace.TraceOp.GET_PROPERTY;
import static dev.gleaner.trace.TraceOp.GET_PROTOTYPE;
import static dev.gleaner.trace.TraceOp.GET_STRING;
import static dev.gleaner.trace.TraceOp.GET_WEAK;
import static dev.gleaner.trace.TraceOp.HAS_FINALIZER;
import static dev.gleaner.trace.TraceOp.HAS_PROPERTY;
import static dev.gleaner.trace.TraceOp.IDENTITY_HASH;
import static dev.gleaner.trace.TraceOp.IS_NULL;
import static dev.gleaner.trace.TraceOp.IS_REFERENCE;
import static dev.gleaner.trace.TraceOp.IS_UNDEFINED;
import static dev.gleaner.trace.TraceOp.KIND;
import static dev.gleaner.trace.TraceOp.LEAVE;
import static dev.gleaner.trace.TraceOp.LEAVE_VALUE;
import static dev.gleaner.trace.TraceOp.LOAD;
import static dev.gleaner.trace.TraceOp.LOAD_CONSTANT;
import static dev.gleaner.trace.TraceOp.LOAD_INNER;
import static dev.gleaner.trace.TraceOp.LOAD_INT;
import static dev.gleaner.trace.TraceOp.NATIVE_VALUE;
import static dev.gleaner.trace.TraceOp.NEW_BUFFER;
import static dev.gleaner.trace.TraceOp.NEW_DYNAMIC_BUFFER;
import static dev.gleaner.trace.TraceOp.NEW_FUNCTION;
import static dev.gleaner.trace.TraceOp.NEW_NATIVE;
import static dev.gleaner.trace.TraceOp.NEW_OBJECT;
import static dev.gleaner.trace.TraceOp.NEW_RECORD;
import static dev.gleaner.trace.TraceOp.NEW_STRING;
import static dev.gleaner.trace.TraceOp.NEW_THREAD;
import static dev.gleaner.trace.TraceOp.NEW_WEAK;
import static dev.gleaner.trace.TraceOp.NEXT_PROPERTY;
import static dev.gleaner.trace.TraceOp.NEXT_PROPERTY_AFTER;
import static dev.gleaner.trace.TraceOp.PIN;
import static dev.gleaner.trace.TraceOp.POP;
import static dev.gleaner.trace.TraceOp.POP_CATCHER;
import static dev.gleaner.trace.TraceOp.PROPERTY_COUNT;
import static dev.gleaner.trace.TraceOp.PUSH;
import static dev.gleaner.trace.TraceOp.PUSH_CATCHER;
import static dev.gleaner.trace.TraceOp.PUT_BYTE;
import static dev.gleaner.trace.TraceOp.PUT_INDEX;
import static dev.gleaner.trace.TraceOp.PUT_LONG;
import static dev.gleaner.trace.TraceOp.PUT_PROPERTY;
import static dev.gleaner.trace.TraceOp.RAISE;
import static dev.gleaner.trace.TraceOp.READ_BYTES;
import static dev.gleaner.trace.TraceOp.RESIZE_BUFFER;
import static dev.gleaner.trace.TraceOp.RESUME;
import static dev.gleaner.trace.TraceOp.SAME;
import static dev.gleaner.trace.TraceOp.SET_DOUBLE;
import static dev.gleaner.trace.TraceOp.SET_FALSE;
import static dev.gleaner.trace.TraceOp.SET_FINALIZER;
import static dev.gleaner.trace.TraceOp.SET_GLOBAL;
import static dev.gleaner.trace.TraceOp.SET_INT;
import static dev.gleaner.trace.TraceOp.SET_NULL;
import static dev.gleaner.trace.TraceOp.SET_PROTOTYPE;
import static dev.gleaner.trace.TraceOp.SET_TRUE;
import static dev.gleaner.trace.TraceOp.SET_UNDEFINED;
import static dev.gleaner.trace.TraceOp.SLOT_COUNT;
import static dev.gleaner.trace.TraceOp.STORE;
import static dev.gleaner.trace.TraceOp.STORE_CONSTANT;
import static dev.gleaner.trace.TraceOp.STORE_INNER;
import static dev.gleaner.trace.TraceOp.STORE_INT;
import static dev.gleaner.trace.TraceOp.STORE_NULL;
import static dev.gleaner.trace.TraceOp.STRING_BYTES;
import static dev.gleaner.trace.TraceOp.STRING_LENGTH;
import static dev.gleaner.trace.TraceOp.SUSPEND;
import static dev.gleaner.trace.TraceOp.TYPE;
import static dev.gleaner.trace.TraceOp.UNPIN;
import static dev.gleaner.trace.TraceOp.VIEW;
import static dev.gleaner.trace.TraceOp.WIPE;
import static dev.gleaner.trace.TraceOp.WRITE_BYTES;

import dev.gleaner.layout.Kind;
import dev.gleaner.layout.ValueType;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The access to a heap whose operations are recorded. Loaded only when that is asked for: until
 * then the compiler knows that {@link Mutator} has no subclass, and calls it directly.
 *
 * <p>Every method does what it overrides and then writes that down; a refusal is written down, too,
 * as it may have collected. What throws anything else has done nothing: it is not in the trace. Of
 * public methods that call each other the inner one is recorded: {@code compact(a)} as {@code
 * compact(a, a)}, a buffer's doubles as its longs. A method that is missing here is on the list of
 * {@code RecordingTest}, with the reason.
 *
 * <p>A read adds what it has found to the hash of all reads, by which a replay is compared, unless
 * that depends on when the collector runs.
 */
final class RecordingMutator extends Mutator {
  private final Recorder recorder;

  RecordingMutator(
      Heap heap, HeapContext context, Collector collector, Driver driver, Recorder recorder) {
    super(heap, context, collector, driver);
    this.recorder = recorder;
  }

  private HeapException refused(HeapException e, int op, int... operands) {
    return refused(e, () -> recorder.op(op, operands));
  }

  private HeapException refused(HeapException e, Runnable operation) {
    if (!(e instanceof HeapClosedException)) {
      recorder.failed(e);
      operation.run();
    }
    return e;
  }

  // ---- frames ----

  @Override
  public void enter(int slots) {
    try {
      super.enter(slots);
    } catch (HeapException e) {
      throw refused(e, ENTER, slots);
    }
    recorder.op(ENTER, slots);
  }

  @Override
  public void enter(int slots, int first, int args) {
    try {
      super.enter(slots, first, args);
    } catch (HeapException e) {
      throw refused(e, ENTER_ARGS, slots, first, args);
    }
    recorder.op(ENTER_ARGS, slots, first, args);
  }

  @Override
  public void leave() {
    try {
      super.leave();
    } catch (HeapException e) {
      throw refused(e, LEAVE);
    }
    recorder.op(LEAVE);
  }

  @Override
  public void leave(int s, int d) {
    try {
      super.leave(s, d);
    } catch (HeapException e) {
      throw refused(e, LEAVE_VALUE, s, d);
    }
    recorder.op(LEAVE_VALUE, s, d);
  }

  @Override
  public void compact() {
    try {
      super.compact();
    } catch (HeapException e) {
      throw refused(e, COMPACT);
    }
    recorder.op(COMPACT);
  }

  @Override
  public void compact(int a, int b) {
    try {
      super.compact(a, b);
    } catch (HeapException e) {
      throw refused(e, COMPACT_TWO, a, b);
    }
    recorder.op(COMPACT_TWO, a, b);
  }

  @Override
  public void compact(int[] keep) {
    try {
      super.compact(keep);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opList(COMPACT_LIST, keep));
    }
    recorder.opList(COMPACT_LIST, keep);
  }

  @Override
  public void wipe(int from) {
    try {
      super.wipe(from);
    } catch (HeapException e) {
      throw refused(e, WIPE, from);
    }
    recorder.op(WIPE, from);
  }

  // ---- values ----

  @Override
  public void setUndefined(int d) {
    try {
      super.setUndefined(d);
    } catch (HeapException e) {
      throw refused(e, SET_UNDEFINED, d);
    }
    recorder.op(SET_UNDEFINED, d);
  }

  @Override
  public void setNull(int d) {
    try {
      super.setNull(d);
    } catch (HeapException e) {
      throw refused(e, SET_NULL, d);
    }
    recorder.op(SET_NULL, d);
  }

  @Override
  public void setBoolean(int d, boolean v) {
    try {
      super.setBoolean(d, v);
    } catch (HeapException e) {
      throw refused(e, v ? SET_TRUE : SET_FALSE, d);
    }
    recorder.op(v ? SET_TRUE : SET_FALSE, d);
  }

  @Override
  public void setInt(int d, int v) {
    try {
      super.setInt(d, v);
    } catch (HeapException e) {
      throw refused(e, SET_INT, d, zigzag(v));
    }
    recorder.op(SET_INT, d, zigzag(v));
  }

  @Override
  public void setDouble(int d, double v) {
    try {
      super.setDouble(d, v);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opDouble(SET_DOUBLE, d, v));
    }
    recorder.opDouble(SET_DOUBLE, d, v);
  }

  @Override
  public void copy(int d, int s) {
    try {
      super.copy(d, s);
    } catch (HeapException e) {
      throw refused(e, COPY, d, s);
    }
    recorder.op(COPY, d, s);
  }

  @Override
  public ValueType type(int s) {
    ValueType result;
    try {
      result = super.type(s);
    } catch (HeapException e) {
      throw refused(e, TYPE, s);
    }
    recorder.op(TYPE, s);
    recorder.read(result.name().hashCode());
    return result;
  }

  @Override
  public boolean isUndefined(int s) {
    boolean result;
    try {
      result = super.isUndefined(s);
    } catch (HeapException e) {
      throw refused(e, IS_UNDEFINED, s);
    }
    recorder.op(IS_UNDEFINED, s);
    recorder.read(result ? 1 : 0);
    return result;
  }

  @Override
  public boolean isNull(int s) {
    boolean result;
    try {
      result = super.isNull(s);
    } catch (HeapException e) {
      throw refused(e, IS_NULL, s);
    }
    recorder.op(IS_NULL, s);
    recorder.read(result ? 1 : 0);
    return result;
  }

  @Override
  public boolean isReference(int s) {
    boolean result;
    try {
      result = super.isReference(s);
    } catch (HeapException e) {
      throw refused(e, IS_REFERENCE, s);
    }
    recorder.op(IS_REFERENCE, s);
    recorder.read(result ? 1 : 0);
    return result;
  }

  @Override
  public boolean getBoolean(int s) {
    boolean result;
    try {
      result = super.getBoolean(s);
    } catch (HeapException e) {
      throw refused(e, GET_BOOLEAN, s);
    }
    recorder.op(GET_BOOLEAN, s);
    recorder.read(result ? 1 : 0);
    return result;
  }

  @Override
  public int getInt(int s) {
    int result;
    try {
      result = super.getInt(s);
    } catch (HeapException e) {
      throw refused(e, GET_INT, s);
    }
    recorder.op(GET_INT, s);
    recorder.read(result);
    return result;
  }

  @Override
  public double getDouble(int s) {
    double result;
    try {
      result = super.getDouble(s);
    } catch (HeapException e) {
      throw refused(e, GET_DOUBLE, s);
    }
    recorder.op(GET_DOUBLE, s);
    recorder.read(Double.doubleToLongBits(result));
    return result;
  }

  @Override
  public Kind kind(int s) {
    Kind result;
    try {
      result = super.kind(s);
    } catch (HeapException e) {
      throw refused(e, KIND, s);
    }
    recorder.op(KIND, s);
    recorder.read(result.name().hashCode());
    return result;
  }

  @Override
  public boolean same(int a, int b) {
    boolean result;
    try {
      result = super.same(a, b);
    } catch (HeapException e) {
      throw refused(e, SAME, a, b);
    }
    recorder.op(SAME, a, b);
    recorder.read(result ? 1 : 0);
    return result;
  }

  // ---- records, and the inline slots of objects ----

  @Override
  public void newRecord(int d, int slots) {
    try {
      super.newRecord(d, slots);
    } catch (HeapException e) {
      throw refused(e, NEW_RECORD, d, slots);
    }
    recorder.op(NEW_RECORD, d, slots);
  }

  @Override
  public void store(int r, int i, int s) {
    try {
      super.store(r, i, s);
    } catch (HeapException e) {
      throw refused(e, STORE, r, i, s);
    }
    recorder.op(STORE, r, i, s);
  }

  @Override
  public void load(int d, int r, int i) {
    try {
      super.load(d, r, i);
    } catch (HeapException e) {
      throw refused(e, LOAD, d, r, i);
    }
    recorder.op(LOAD, d, r, i);
  }

  @Override
  public void storeInt(int r, int i, int v) {
    try {
      super.storeInt(r, i, v);
    } catch (HeapException e) {
      throw refused(e, STORE_INT, r, i, zigzag(v));
    }
    recorder.op(STORE_INT, r, i, zigzag(v));
  }

  @Override
  public void storeNull(int r, int i) {
    try {
      super.storeNull(r, i);
    } catch (HeapException e) {
      throw refused(e, STORE_NULL, r, i);
    }
    recorder.op(STORE_NULL, r, i);
  }

  @Override
  public int loadInt(int r, int i) {
    int result;
    try {
      result = super.loadInt(r, i);
    } catch (HeapException e) {
      throw refused(e, LOAD_INT, r, i);
    }
    recorder.op(LOAD_INT, r, i);
    recorder.read(result);
    return result;
  }

  @Override
  public int slotCount(int r) {
    int result;
    try {
      result = super.slotCount(r);
    } catch (HeapException e) {
      throw refused(e, SLOT_COUNT, r);
    }
    recorder.op(SLOT_COUNT, r);
    recorder.read(result);
    return result;
  }

  // ---- objects ----

  @Override
  public void newObject(int d, int inlineSlots) {
    try {
      super.newObject(d, inlineSlots);
    } catch (HeapException e) {
      throw refused(e, NEW_OBJECT, d, inlineSlots);
    }
    recorder.op(NEW_OBJECT, d, inlineSlots);
  }

  @Override
  public void getPrototype(int d, int o) {
    try {
      super.getPrototype(d, o);
    } catch (HeapException e) {
      throw refused(e, GET_PROTOTYPE, d, o);
    }
    recorder.op(GET_PROTOTYPE, d, o);
  }

  @Override
  public void setPrototype(int o, int s) {
    try {
      super.setPrototype(o, s);
    } catch (HeapException e) {
      throw refused(e, SET_PROTOTYPE, o, s);
    }
    recorder.op(SET_PROTOTYPE, o, s);
  }

  @Override
  public void getProperty(int d, int o, int key) {
    try {
      super.getProperty(d, o, key);
    } catch (HeapException e) {
      throw refused(e, GET_PROPERTY, d, o, key);
    }
    recorder.op(GET_PROPERTY, d, o, key);
  }

  @Override
  public boolean getOwnProperty(int d, int o, int key) {
    boolean result;
    try {
      result = super.getOwnProperty(d, o, key);
    } catch (HeapException e) {
      throw refused(e, GET_OWN_PROPERTY, d, o, key);
    }
    recorder.op(GET_OWN_PROPERTY, d, o, key);
    recorder.read(result ? 1 : 0);
    return result;
  }

  @Override
  public void putProperty(int o, int key, int s) {
    try {
      super.putProperty(o, key, s);
    } catch (HeapException e) {
      throw refused(e, PUT_PROPERTY, o, key, s);
    }
    recorder.op(PUT_PROPERTY, o, key, s);
  }

  @Override
  public boolean deleteProperty(int o, int key) {
    boolean result;
    try {
      result = super.deleteProperty(o, key);
    } catch (HeapException e) {
      throw refused(e, DELETE_PROPERTY, o, key);
    }
    recorder.op(DELETE_PROPERTY, o, key);
    recorder.read(result ? 1 : 0);
    return result;
  }

  @Override
  public boolean hasProperty(int o, int key) {
    boolean result;
    try {
      result = super.hasProperty(o, key);
    } catch (HeapException e) {
      throw refused(e, HAS_PROPERTY, o, key);
    }
    recorder.op(HAS_PROPERTY, o, key);
    recorder.read(result ? 1 : 0);
    return result;
  }

  @Override
  public void getIndex(int d, int o, int index) {
    try {
      super.getIndex(d, o, index);
    } catch (HeapException e) {
      throw refused(e, GET_INDEX, d, o, index);
    }
    recorder.op(GET_INDEX, d, o, index);
  }

  @Override
  public void putIndex(int o, int index, int s) {
    try {
      super.putIndex(o, index, s);
    } catch (HeapException e) {
      throw refused(e, PUT_INDEX, o, index, s);
    }
    recorder.op(PUT_INDEX, o, index, s);
  }

  @Override
  public int arrayLength(int o) {
    int result;
    try {
      result = super.arrayLength(o);
    } catch (HeapException e) {
      throw refused(e, ARRAY_LENGTH, o);
    }
    recorder.op(ARRAY_LENGTH, o);
    recorder.read(result);
    return result;
  }

  @Override
  public int propertyCount(int o) {
    int result;
    try {
      result = super.propertyCount(o);
    } catch (HeapException e) {
      throw refused(e, PROPERTY_COUNT, o);
    }
    recorder.op(PROPERTY_COUNT, o);
    recorder.read(result);
    return result;
  }

  @Override
  public long nextProperty(int o, long cursor, int dKey, int dValue) {
    long result;
    try {
      result = super.nextProperty(o, cursor, dKey, dValue);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opWalk(NEXT_PROPERTY, o, cursor, dKey, dValue, 0));
    }
    recorder.opWalk(NEXT_PROPERTY, o, cursor, dKey, dValue, result);
    recorder.read(result < 0 ? 0 : 1);
    return result;
  }

  @Override
  public boolean nextPropertyAfter(int o, int key, int dKey, int dValue) {
    boolean result;
    try {
      result = super.nextPropertyAfter(o, key, dKey, dValue);
    } catch (HeapException e) {
      throw refused(e, NEXT_PROPERTY_AFTER, o, key, dKey, dValue);
    }
    recorder.op(NEXT_PROPERTY_AFTER, o, key, dKey, dValue);
    recorder.read(result ? 1 : 0);
    return result;
  }

  // ---- strings ----

  @Override
  public void newString(int d, String text) {
    try {
      super.newString(d, text);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opText(NEW_STRING, d, text));
    }
    recorder.opText(NEW_STRING, d, text);
  }

  @Override
  public void newString(int d, byte[] utf8, int offset, int length) {
    try {
      super.newString(d, utf8, offset, length);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opText(NEW_STRING, d, utf8, offset, length));
    }
    recorder.opText(NEW_STRING, d, utf8, offset, length);
  }

  @Override
  public boolean findString(int d, String text) {
    boolean result;
    try {
      result = super.findString(d, text);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opText(FIND_STRING, d, 0, text));
    }
    recorder.opText(FIND_STRING, d, result ? 1 : 0, text);
    return result;
  }

  @Override
  public String getString(int s) {
    String result;
    try {
      result = super.getString(s);
    } catch (HeapException e) {
      throw refused(e, GET_STRING, s);
    }
    recorder.op(GET_STRING, s);
    recorder.read(result.hashCode());
    return result;
  }

  @Override
  public int stringLength(int s) {
    int result;
    try {
      result = super.stringLength(s);
    } catch (HeapException e) {
      throw refused(e, STRING_LENGTH, s);
    }
    recorder.op(STRING_LENGTH, s);
    recorder.read(result);
    return result;
  }

  @Override
  public int stringBytes(int s) {
    int result;
    try {
      result = super.stringBytes(s);
    } catch (HeapException e) {
      throw refused(e, STRING_BYTES, s);
    }
    recorder.op(STRING_BYTES, s);
    recorder.read(result);
    return result;
  }

  @Override
  public int charAt(int s, int index) {
    int result;
    try {
      result = super.charAt(s, index);
    } catch (HeapException e) {
      throw refused(e, CHAR_AT, s, index);
    }
    recorder.op(CHAR_AT, s, index);
    recorder.read(result);
    return result;
  }

  // ---- buffers ----

  @Override
  public void newBuffer(int d, long bytes) {
    try {
      super.newBuffer(d, bytes);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(NEW_BUFFER, d, bytes));
    }
    recorder.opLong(NEW_BUFFER, d, bytes);
  }

  @Override
  public void newDynamicBuffer(int d, long bytes) {
    try {
      super.newDynamicBuffer(d, bytes);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(NEW_DYNAMIC_BUFFER, d, bytes));
    }
    recorder.opLong(NEW_DYNAMIC_BUFFER, d, bytes);
  }

  @Override
  public long bufferSize(int b) {
    long result;
    try {
      result = super.bufferSize(b);
    } catch (HeapException e) {
      throw refused(e, BUFFER_SIZE, b);
    }
    recorder.op(BUFFER_SIZE, b);
    recorder.read(result);
    return result;
  }

  @Override
  public void resizeBuffer(int b, long bytes) {
    try {
      super.resizeBuffer(b, bytes);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(RESIZE_BUFFER, b, bytes));
    }
    recorder.opLong(RESIZE_BUFFER, b, bytes);
  }

  @Override
  public byte getByte(int b, long at) {
    byte result;
    try {
      result = super.getByte(b, at);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(GET_BYTE, b, at));
    }
    recorder.opLong(GET_BYTE, b, at);
    return result;
  }

  @Override
  public void putByte(int b, long at, byte v) {
    try {
      super.putByte(b, at, v);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(PUT_BYTE, b, at));
    }
    recorder.opLong(PUT_BYTE, b, at);
  }

  @Override
  public long getLong(int b, long at) {
    long result;
    try {
      result = super.getLong(b, at);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(GET_LONG, b, at));
    }
    recorder.opLong(GET_LONG, b, at);
    return result;
  }

  @Override
  public void putLong(int b, long at, long v) {
    try {
      super.putLong(b, at, v);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(PUT_LONG, b, at));
    }
    recorder.opLong(PUT_LONG, b, at);
  }

  @Override
  public void readBytes(int b, long at, byte[] to, int offset, int length) {
    try {
      super.readBytes(b, at, to, offset, length);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(READ_BYTES, b, at, length));
    }
    recorder.opLong(READ_BYTES, b, at, length);
  }

  @Override
  public void writeBytes(int b, long at, byte[] from, int offset, int length) {
    try {
      super.writeBytes(b, at, from, offset, length);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(WRITE_BYTES, b, at, length));
    }
    recorder.opLong(WRITE_BYTES, b, at, length);
  }

  @Override
  public MemorySegment view(int b) {
    MemorySegment result;
    try {
      result = super.view(b);
    } catch (HeapException e) {
      throw refused(e, VIEW, b);
    }
    recorder.op(VIEW, b);
    return result;
  }

  @Override
  public MemorySegment pin(int b) {
    MemorySegment result;
    try {
      result = super.pin(b);
    } catch (HeapException e) {
      throw refused(e, PIN, b);
    }
    recorder.op(PIN, b);
    return result;
  }

  @Override
  public void unpin(int b) {
    try {
      super.unpin(b);
    } catch (HeapException e) {
      throw refused(e, UNPIN, b);
    }
    recorder.op(UNPIN, b);
  }

  // ---- natives and functions ----

  @Override
  public void newNative(int d, Object value, @Nullable FreeCallback onFree) {
    check();
    long number = onFree == null ? 0 : recorder.newCallback();
    try {
      super.newNative(d, value, onFree == null ? null : recorded(number, onFree));
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(NEW_NATIVE, d, number));
    }
    recorder.opLong(NEW_NATIVE, d, number);
  }

  private FreeCallback recorded(long number, FreeCallback onFree) {
    return (value, closing) -> {
      recorder.begin(Recorder.CALLBACK, number, 0);
      boolean returned = false;
      try {
        onFree.freed(value, closing);
        returned = true;
      } finally {
        recorder.end(!returned);
      }
    };
  }

  @Override
  public Object nativeValue(int s) {
    Object result;
    try {
      result = super.nativeValue(s);
    } catch (HeapException e) {
      throw refused(e, NATIVE_VALUE, s);
    }
    recorder.op(NATIVE_VALUE, s);
    return result;
  }

  @Override
  public void newFunction(int d, int constants, int inners) {
    try {
      super.newFunction(d, constants, inners);
    } catch (HeapException e) {
      throw refused(e, NEW_FUNCTION, d, constants, inners);
    }
    recorder.op(NEW_FUNCTION, d, constants, inners);
  }

  @Override
  public void storeConstant(int f, int i, int s) {
    try {
      super.storeConstant(f, i, s);
    } catch (HeapException e) {
      throw refused(e, STORE_CONSTANT, f, i, s);
    }
    recorder.op(STORE_CONSTANT, f, i, s);
  }

  @Override
  public void loadConstant(int d, int f, int i) {
    try {
      super.loadConstant(d, f, i);
    } catch (HeapException e) {
      throw refused(e, LOAD_CONSTANT, d, f, i);
    }
    recorder.op(LOAD_CONSTANT, d, f, i);
  }

  @Override
  public void storeInner(int f, int i, int s) {
    try {
      super.storeInner(f, i, s);
    } catch (HeapException e) {
      throw refused(e, STORE_INNER, f, i, s);
    }
    recorder.op(STORE_INNER, f, i, s);
  }

  @Override
  public void loadInner(int d, int f, int i) {
    try {
      super.loadInner(d, f, i);
    } catch (HeapException e) {
      throw refused(e, LOAD_INNER, d, f, i);
    }
    recorder.op(LOAD_INNER, d, f, i);
  }

  // ---- threads ----

  @Override
  public void newThread(int d) {
    try {
      super.newThread(d);
    } catch (HeapException e) {
      throw refused(e, NEW_THREAD, d);
    }
    recorder.op(NEW_THREAD, d);
  }

  @Override
  public void push(int thread, int s) {
    try {
      super.push(thread, s);
    } catch (HeapException e) {
      throw refused(e, PUSH, thread, s);
    }
    recorder.op(PUSH, thread, s);
  }

  @Override
  public void pop(int thread, int d) {
    try {
      super.pop(thread, d);
    } catch (HeapException e) {
      throw refused(e, POP, thread, d);
    }
    recorder.op(POP, thread, d);
  }

  @Override
  public void resume(int thread, int frameSlots) {
    try {
      super.resume(thread, frameSlots);
    } catch (HeapException e) {
      throw refused(e, RESUME, thread, frameSlots);
    }
    recorder.op(RESUME, thread, frameSlots);
  }

  @Override
  public void suspend() {
    try {
      super.suspend();
    } catch (HeapException e) {
      throw refused(e, SUSPEND);
    }
    recorder.op(SUSPEND);
  }

  @Override
  public void call(int slots, int f) {
    try {
      super.call(slots, f);
    } catch (HeapException e) {
      throw refused(e, CALL, slots, f);
    }
    recorder.op(CALL, slots, f);
  }

  @Override
  public void pushCatcher(int d, int pc) {
    try {
      super.pushCatcher(d, pc);
    } catch (HeapException e) {
      throw refused(e, PUSH_CATCHER, d, zigzag(pc));
    }
    recorder.op(PUSH_CATCHER, d, zigzag(pc));
  }

  @Override
  public void popCatcher() {
    try {
      super.popCatcher();
    } catch (HeapException e) {
      throw refused(e, POP_CATCHER);
    }
    recorder.op(POP_CATCHER);
  }

  @Override
  public int raise(int s) {
    int result;
    try {
      result = super.raise(s);
    } catch (HeapException e) {
      throw refused(e, RAISE, s);
    }
    recorder.op(RAISE, s);
    recorder.read(result);
    return result;
  }

  // ---- finalizers, identity, weak and global references ----

  @Override
  public void setFinalizer(int s, String label, Finalizer finalizer) {
    check();
    Objects.requireNonNull(label, "label");
    Objects.requireNonNull(finalizer, "finalizer");
    long number = recorder.newFinalizer();
    try {
      super.setFinalizer(s, label, new RecordedFinalizer(recorder, number, finalizer));
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opText(SET_FINALIZER, s, number, label));
    }
    recorder.opText(SET_FINALIZER, s, number, label);
  }

  /** Has what a finalizer does recorded as its own, by the number of the registration. */
  private static final class RecordedFinalizer implements Finalizer {
    private final Recorder recorder;
    private final long number;
    private final Finalizer finalizer;
    private long runs;

    RecordedFinalizer(Recorder recorder, long number, Finalizer finalizer) {
      this.recorder = recorder;
      this.number = number;
      this.finalizer = finalizer;
    }

    @Override
    public void run(Mutator thread, boolean closing) {
      recorder.begin(Recorder.FINALIZER, number, runs++);
      boolean returned = false;
      try {
        finalizer.run(thread, closing);
        returned = true;
      } finally {
        recorder.end(!returned);
      }
    }
  }

  @Override
  public boolean clearFinalizer(int s) {
    boolean result;
    try {
      result = super.clearFinalizer(s);
    } catch (HeapException e) {
      throw refused(e, CLEAR_FINALIZER, s);
    }
    recorder.op(CLEAR_FINALIZER, s);
    return result;
  }

  @Override
  public boolean hasFinalizer(int s) {
    boolean result;
    try {
      result = super.hasFinalizer(s);
    } catch (HeapException e) {
      throw refused(e, HAS_FINALIZER, s);
    }
    recorder.op(HAS_FINALIZER, s);
    return result;
  }

  @Override
  public int identityHash(int s) {
    int result;
    try {
      result = super.identityHash(s);
    } catch (HeapException e) {
      throw refused(e, IDENTITY_HASH, s);
    }
    recorder.op(IDENTITY_HASH, s);
    return result;
  }

  @Override
  public WeakRef newWeak(int s) {
    check();
    long number = recorder.newWeak();
    WeakRef weak;
    try {
      weak = super.newWeak(s);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(NEW_WEAK, s, number));
    }
    recorder.opLong(NEW_WEAK, s, number);
    weak.recorded = number;
    return weak;
  }

  @Override
  public boolean getWeak(int d, WeakRef weak) {
    boolean result;
    try {
      result = super.getWeak(d, weak);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(GET_WEAK, d, 0, weak.recorded));
    }
    recorder.opLong(GET_WEAK, d, result ? 1 : 0, weak.recorded);
    return result;
  }

  @Override
  public void setGlobal(GlobalRef global, int s) {
    try {
      super.setGlobal(global, s);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(SET_GLOBAL, s, global.recorded));
    }
    recorder.opLong(SET_GLOBAL, s, global.recorded);
  }

  @Override
  public void getGlobal(int d, GlobalRef global) {
    try {
      super.getGlobal(d, global);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLong(GET_GLOBAL, d, global.recorded));
    }
    recorder.opLong(GET_GLOBAL, d, global.recorded);
  }
}
