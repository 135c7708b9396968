package dev.gleaner.it;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.kit.HeapPicture;
import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.refusal.HeapUsageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A heap whose current frame holds one value of each sort, and whose state can be written down. */
final class MisuseHeap implements AutoCloseable {
  static final int UNDEFINED = 0;
  static final int NULL = 1;
  static final int BOOLEAN = 2;
  static final int INT = 3;
  static final int DOUBLE = 4;
  static final int STRING = 5;
  static final int RECORD = 6;
  static final int OBJECT = 7;
  static final int BUFFER = 8;
  static final int DYNAMIC = 9;
  static final int FUNCTION = 10;
  static final int NATIVE = 11;
  static final int THREAD = 12;
  static final int SLOTS = 13;

  /** Slots of records, inline slots of objects and constants of functions. */
  static final int INNER = 2;

  static final int BYTES = 10;

  /** Where the time stands in a snapshot. */
  private static final int TIME = 23;

  static final long EXTERNAL = 100;

  /** Arguments that each heap has its own of. */
  enum Reference {
    GLOBAL,
    NAME,
    CLOSED_GLOBAL,
    FOREIGN_GLOBAL,
    WEAK,
    CLOSED_WEAK,
    FOREIGN_WEAK,
    BLOCK,
    INSIDE_BLOCK
  }

  final Heap heap;
  final Mutator thread;
  private final Heap other;
  private final Object[] references = new Object[Reference.values().length];

  MisuseHeap(String collector) {
    this(collector, null);
  }

  MisuseHeap(String collector, @Nullable AllocationFunctionsFactory functions) {
    this(collector, "", functions);
  }

  MisuseHeap(String collector, String settings, @Nullable AllocationFunctionsFactory functions) {
    this(
        Installed.factory(collector, "voluntary.enabled = false\n" + settings)
            .open("misused", functions),
        Installed.open(collector, ""));
  }

  /**
   * Fills a heap.
   *
   * @param other one of whose references the first knows nothing
   */
  MisuseHeap(Heap heap, Heap other) {
    this.heap = heap;
    this.thread = heap.mutator();
    this.other = other;
    fill(thread);
    refer();
    List<String> _ = dump(); // the value stack has the room for it from now on
  }

  private static void fill(Mutator t) {
    t.enter(1);
    t.enter(SLOTS);
    t.setNull(NULL);
    t.setBoolean(BOOLEAN, true);
    t.setInt(INT, 42);
    t.setDouble(DOUBLE, 0.5);
    t.newString(STRING, "aé€😀");
    t.newRecord(RECORD, INNER);
    t.storeInt(RECORD, 0, 7);
    t.store(RECORD, 1, STRING);
    t.newObject(OBJECT, INNER);
    t.putProperty(OBJECT, STRING, INT);
    t.putIndex(OBJECT, 0, DOUBLE);
    t.newBuffer(BUFFER, BYTES);
    t.newDynamicBuffer(DYNAMIC, BYTES);
    t.writeBytes(DYNAMIC, 0, "0123456789".getBytes(StandardCharsets.UTF_8), 0, BYTES);
    t.newFunction(FUNCTION, INNER, 1);
    t.storeConstant(FUNCTION, 0, STRING);
    t.newNative(NATIVE, "object", null);
    t.newThread(THREAD);
    t.push(THREAD, INT);
  }

  private void refer() {
    GlobalRef global = heap.newGlobal();
    thread.setGlobal(global, RECORD);
    set(Reference.GLOBAL, global);
    GlobalRef name = heap.newGlobal();
    thread.setGlobal(name, STRING);
    set(Reference.NAME, name);
    GlobalRef closedGlobal = heap.newGlobal();
    closedGlobal.close();
    set(Reference.CLOSED_GLOBAL, closedGlobal);
    set(Reference.FOREIGN_GLOBAL, other.newGlobal());
    set(Reference.WEAK, thread.newWeak(RECORD));
    WeakRef closedWeak = thread.newWeak(OBJECT);
    closedWeak.close();
    set(Reference.CLOSED_WEAK, closedWeak);
    other.mutator().enter(1);
    other.mutator().newRecord(0, 0);
    set(Reference.FOREIGN_WEAK, other.mutator().newWeak(0));
    long block = heap.plainMemory().allocChecked(24);
    set(Reference.BLOCK, block);
    set(Reference.INSIDE_BLOCK, block + 8);
    heap.reserveExternal(EXTERNAL);
  }

  @SuppressWarnings("EnumOrdinal") // an array with an entry for each
  private void set(Reference reference, Object value) {
    references[reference.ordinal()] = value;
  }

  @SuppressWarnings("EnumOrdinal")
  Object resolve(Reference reference) {
    return Objects.requireNonNull(references[reference.ordinal()]);
  }

  /** All that a call could change, in words. */
  List<String> dump() {
    List<String> lines = new ArrayList<>(heap.inspect().verify());
    HeapStatistics s = heap.statistics();
    lines.add("used " + s.usedBytes() + ", external " + s.externalBytes());
    lines.add("elements " + s.allocatedElements() + ", live " + Arrays.toString(s.liveByKind()));
    lines.add("collections " + s.collections() + ", flags " + heap.baseFlags());
    lines.add("snapshot " + Arrays.hashCode(snapshot()));
    lines.add("frames " + thread.frameDepth() + ", slots " + thread.frameSize());
    lines.add("weak cleared " + ((WeakRef) resolve(Reference.WEAK)).isCleared());
    int slots = thread.frameSize();
    thread.enter(slots + 3, 0, slots);
    for (int i = 0; i < slots; i++) {
      lines.add(i + " " + value(i) + contents(i, slots));
    }
    thread.getGlobal(slots, (GlobalRef) resolve(Reference.GLOBAL));
    lines.add("global " + value(slots));
    thread.leave();
    return lines;
  }

  /** All elements, roots, frames and finalizers, by the byte; but for the time. */
  private byte[] snapshot() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      heap.inspect().writeSnapshot(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] all = bytes.toByteArray();
    Arrays.fill(all, TIME, TIME + 8, (byte) 0);
    return all;
  }

  /** The whole heap, which is used up. */
  List<String> picture() {
    return HeapPicture.of(
        heap,
        List.of((GlobalRef) resolve(Reference.GLOBAL)),
        List.of((WeakRef) resolve(Reference.WEAK)));
  }

  private String value(int s) {
    return switch (thread.type(s)) {
      case UNDEFINED -> "undefined";
      case NULL -> "null";
      case BOOLEAN -> String.valueOf(thread.getBoolean(s));
      case INT -> String.valueOf(thread.getLong(s));
      case DOUBLE -> String.valueOf(thread.getDouble(s));
      case REFERENCE -> thread.kind(s) + " " + thread.identityHash(s) + thread.hasFinalizer(s);
    };
  }

  private String contents(int s, int scratch) {
    StringBuilder text = new StringBuilder(": ");
    if (!thread.isReference(s)) {
      return "";
    }
    switch (thread.kind(s)) {
      case STRING -> text.append(thread.getString(s));
      case RECORD -> slots(text, s, scratch);
      case OBJECT -> object(text, s, scratch);
      case BUFFER, DYNAMIC_BUFFER -> bytes(text, s);
      case FUNCTION -> function(text, s, scratch);
      case NATIVE -> text.append(thread.nativeValue(s));
      case THREAD -> stack(text, s, scratch);
      case INTEGER -> throw new AssertionError("no element that anybody sees");
    }
    return text.toString();
  }

  private void slots(StringBuilder text, int s, int scratch) {
    for (int i = 0; i < thread.slotCount(s); i++) {
      thread.load(scratch, s, i);
      text.append(value(scratch)).append(", ");
    }
  }

  private void object(StringBuilder text, int s, int scratch) {
    slots(text, s, scratch);
    long cursor = thread.nextProperty(s, 0, scratch, scratch + 1);
    for (; cursor >= 0; cursor = thread.nextProperty(s, cursor, scratch, scratch + 1)) {
      text.append(value(scratch)).append(" = ").append(value(scratch + 1)).append(", ");
    }
    for (int i = 0; i < thread.arrayLength(s); i++) {
      thread.getIndex(scratch, s, i);
      text.append(value(scratch)).append(", ");
    }
    thread.getPrototype(scratch, s);
    text.append(value(scratch));
  }

  private void bytes(StringBuilder text, int s) {
    byte[] bytes = new byte[(int) thread.bufferSize(s)];
    thread.readBytes(s, 0, bytes, 0, bytes.length);
    text.append(Arrays.toString(bytes));
  }

  private void function(StringBuilder text, int s, int scratch) {
    for (int i = 0; i < INNER; i++) {
      thread.loadConstant(scratch, s, i);
      text.append(value(scratch)).append(", ");
    }
    thread.loadInner(scratch, s, 0);
    text.append(value(scratch));
  }

  private void stack(StringBuilder text, int s, int scratch) {
    try {
      thread.pop(s, scratch);
      thread.push(s, scratch);
      text.append(value(scratch));
    } catch (HeapUsageException e) { // empty, or running
      text.append(e.getMessage());
    }
  }

  @Override
  public void close() {
    heap.close();
    other.close();
  }
}
