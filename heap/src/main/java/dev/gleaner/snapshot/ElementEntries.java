package dev.gleaner.snapshot;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.table.NativeTable;
import dev.gleaner.table.PropertyTables;
import dev.gleaner.weak.WeakObjects;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes an element, and what it owns.
 *
 * <pre>
 *   LONG            Long { value }
 *   STRING          String { value -> byte[], hash, coder }
 *   BUFFER          byte[]
 *   DYNAMIC_BUFFER  DynamicBuffer { bytes -> byte[] }
 *   NATIVE          Native_CLASS, of its Java object's class
 *   RECORD          Record_SHAPE { slot0, slot1, … }, or Record[] of boxes
 *   OBJECT          Object_SHAPE { prototype, properties -> Property[], elements -> Object[], slot0, … }
 *   FUNCTION        Function { constants -> Object[], inner -> Object[] }
 *   THREAD          Thread { stack -> Object[], calls -> Object[], resumer, name }
 * </pre>
 */
final class ElementEntries {
  private final Memory memory;
  private final NativeTable natives;
  private final PropertyTables tables;
  private final WeakObjects weak;
  private final SnapshotClasses classes;
  private final Entries out;
  private final Text text;
  private final ThreadRoots threads;

  ElementEntries(
      Memory memory,
      NativeTable natives,
      PropertyTables tables,
      SnapshotClasses classes,
      Entries out,
      Text text,
      ThreadRoots threads) {
    this.memory = memory;
    this.natives = natives;
    this.tables = tables;
    this.weak = tables.weak();
    this.classes = classes;
    this.out = out;
    this.text = text;
    this.threads = threads;
  }

  /** Makes the class that an element needs. */
  void survey(long e) {
    switch (Layout.kind(memory.get(e))) {
      case Layout.RECORD, Layout.OBJECT -> {
        if (slots(e) <= SnapshotClasses.MOST_TYPED_SLOTS) {
          classes.addShape(shape(e));
        }
      }
      case Layout.NATIVE -> classes.addNative(sort(e), javaObject(e));
      case Layout.FUNCTION -> classes.addFunction(sort(e), code(e));
      case Layout.THREAD -> classes.addThread(sort(e));
      default -> {}
    }
  }

  void write(long e) throws IOException {
    long id = Ids.element(e);
    switch (Layout.kind(memory.get(e))) {
      case Layout.STRING -> text.element(e);
      case Layout.LONG -> {
        out.instance(id, classes.longInteger);
        out.longField(memory.get(e + Layout.LONG_VALUE));
      }
      case Layout.BUFFER ->
          out.bytes(id, e + Layout.BUFFER_DATA, memory.get(e + Layout.BUFFER_SIZE));
      case Layout.DYNAMIC_BUFFER -> dynamicBuffer(e, id);
      case Layout.NATIVE -> out.instance(id, classes.ofNative(sort(e), javaObject(e)));
      case Layout.RECORD -> record(e, id);
      case Layout.OBJECT -> object(e, id);
      case Layout.FUNCTION -> function(e, id);
      case Layout.THREAD -> thread(e, id);
      default -> throw new IllegalStateException("no element: " + e);
    }
  }

  private void dynamicBuffer(long e, long id) throws IOException {
    long block = Values.raw(memory.get(e + Layout.DYNAMIC_BLOCK));
    long bytes = Ids.of(Ids.BYTES, e);
    out.instance(id, classes.dynamicBuffer);
    out.field(block == 0 ? Ids.NOTHING : bytes);
    if (block != 0) {
      out.bytes(bytes, block, memory.get(e + Layout.DYNAMIC_SIZE));
    }
  }

  private @Nullable Object javaObject(long e) {
    return natives.find((int) memory.get(e + Layout.NATIVE_INDEX));
  }

  private void record(long e, long id) throws IOException {
    SnapshotClass typed = typedClass(e);
    if (typed == null) {
      out.values(id, classes.recordArray, firstSlot(e), slots(e));
    } else {
      out.instance(id, typed);
      typedSlots(e);
    }
  }

  private void object(long e, long id) throws IOException {
    SnapshotClass typed = typedClass(e);
    long table = tables.table(e);
    long untyped = Ids.of(Ids.VALUES, e);
    out.instance(id, typed == null ? classes.untypedObject : typed);
    if (typed == null) {
      out.field(untyped);
    } else {
      typedSlots(e);
    }
    out.field(Slots.id(memory.get(e + Layout.OBJECT_PROTOTYPE), 0));
    int entries = table == 0 ? 0 : TableLayout.low(memory.get(table + TableLayout.ENTRIES));
    int length =
        table == 0
            ? 0
            : TableLayout.low(memory.get(table + TableLayout.ARRAY)); // holes are nothing
    out.field(entries == 0 ? Ids.NOTHING : Ids.of(Ids.PROPERTIES, table));
    out.field(length == 0 ? Ids.NOTHING : Ids.of(Ids.VALUES, table));
    if (typed == null) {
      out.values(untyped, classes.objectArray, firstSlot(e), slots(e));
    }
    if (entries > 0) {
      properties(weak.weakness(e), table, entries);
    }
    if (length > 0) {
      long array = TableLayout.arrayAt(memory, table);
      out.values(Ids.of(Ids.VALUES, table), classes.objectArray, array, length);
    }
  }

  private void properties(int weakness, long table, int entries) throws IOException {
    out.objectArray(Ids.of(Ids.PROPERTIES, table), classes.propertyArray, entries);
    for (int i = 0; i < entries; i++) {
      long entry = TableLayout.entryAt(table, i);
      out.field(isShown(entry) ? Ids.of(Ids.PROPERTY, entry) : Ids.NOTHING);
    }
    for (int i = 0; i < entries; i++) {
      long entry = TableLayout.entryAt(table, i);
      long key = memory.get(entry);
      if (isShown(entry)) {
        long place = entry + TableLayout.VALUE;
        long value = memory.get(place);
        boolean isKept = TableLayout.isDeleted(key);
        boolean weakKey = !isKept && !weak.holdsKey(weakness, key);
        boolean weakValue =
            isKept ? !weak.holdsKey(weakness, value) : !weak.holdsValue(weakness, value);
        out.instance(Ids.of(Ids.PROPERTY, entry), classes.property(value));
        if (weakValue) {
          out.field(Ids.of(Ids.BOX, place));
        } else {
          out.typedField(place);
        }
        long id = weakKey ? Ids.of(Ids.BOX, entry) : Slots.id(key, entry);
        out.field(isKept ? Ids.NOTHING : id);
        out.box(entry);
        weakReference(weakKey, entry);
        weakReference(weakValue, place);
      }
    }
  }

  /** What tools know as weak stands between a weak table and what it does not hold. */
  private void weakReference(boolean isWeak, long place) throws IOException {
    if (isWeak) {
      out.instance(Ids.of(Ids.BOX, place), classes.weakReference);
      out.field(Ids.element(memory.get(place)));
    }
  }

  /** A property, or the key of a deleted one that a walk may go on from: a value without a key. */
  private boolean isShown(long entry) {
    long value = memory.get(entry + TableLayout.VALUE);
    return !TableLayout.isDeleted(memory.get(entry))
        || (value != Values.UNDEFINED && value != Values.NULL);
  }

  private void function(long e, long id) throws IOException {
    long first = e + Layout.WORD + (Layout.FUNCTION_SLOTS << 3);
    long constants = memory.get(e + Layout.FUNCTION_COUNTS) & Layout.FUNCTION_MASK;
    long inner = Layout.payloadWords(memory, e, memory.get(e)) - Layout.FUNCTION_SLOTS - constants;
    out.instance(id, classes.ofFunction(sort(e), code(e)));
    out.field(constants == 0 ? Ids.NOTHING : Ids.of(Ids.VALUES, e));
    out.field(inner == 0 ? Ids.NOTHING : Ids.of(Ids.INNER, e));
    if (constants > 0) {
      out.values(Ids.of(Ids.VALUES, e), classes.objectArray, first, constants);
    }
    if (inner > 0) {
      out.values(Ids.of(Ids.INNER, e), classes.objectArray, first + (constants << 3), inner);
    }
  }

  private void thread(long e, long id) throws IOException {
    long stack = ThreadLayout.stackStart(memory, e);
    long top = Values.raw(memory.get(e + ThreadLayout.TOP));
    long calls = ThreadLayout.callsStart(memory, e);
    long used = Values.raw(memory.get(e + ThreadLayout.CALLS_USED));
    String name = threads.name(e);
    out.instance(id, classes.ofThread(sort(e)));
    out.field(Ids.of(Ids.VALUES, stack));
    out.field(used == 0 ? Ids.NOTHING : Ids.of(Ids.CALLS, calls));
    out.field(Slots.id(memory.get(e + ThreadLayout.RESUMER), 0));
    out.field(name == null ? Ids.NOTHING : Ids.of(Ids.LABEL, e));
    out.values(Ids.of(Ids.VALUES, stack), classes.objectArray, stack, top);
    if (used > 0) {
      out.objectArray(Ids.of(Ids.CALLS, calls), classes.objectArray, used);
      for (long i = 0; i < used; i++) {
        long entry = calls + i * ThreadLayout.CALL_BYTES;
        out.field(Slots.id(memory.get(entry + ThreadLayout.CALL_REFERENCE), 0));
      }
    }
    if (name != null) {
      text.label(Ids.of(Ids.LABEL, e), name);
    }
  }

  private void typedSlots(long e) throws IOException {
    long end = firstSlot(e) + (slots(e) << 3);
    for (long place = firstSlot(e); place < end; place += 8) {
      out.typedField(place);
    }
  }

  private @Nullable SnapshotClass typedClass(long e) {
    return slots(e) <= SnapshotClasses.MOST_TYPED_SLOTS ? classes.ofShape(shape(e)) : null;
  }

  private int sort(long e) {
    return classes.sort(memory.get(e));
  }

  private int code(long function) {
    long counts = Values.raw(memory.get(function + Layout.FUNCTION_COUNTS));
    return (int) (counts >>> Layout.FUNCTION_BITS) - 1;
  }

  private boolean isObject(long e) {
    return Layout.kind(memory.get(e)) == Layout.OBJECT;
  }

  private long firstSlot(long e) {
    return e + 8 + (isObject(e) ? Layout.OBJECT_SLOTS << 3 : 0);
  }

  private long slots(long e) {
    long words = Layout.payloadWords(memory, e, memory.get(e));
    return isObject(e) ? words - Layout.OBJECT_SLOTS : words;
  }

  private long shape(long e) {
    long shape = SnapshotClasses.shape(isObject(e), sort(e));
    long end = firstSlot(e) + (slots(e) << 3);
    for (long place = firstSlot(e); place < end; place += 8) {
      shape = SnapshotClasses.add(shape, memory.get(place));
    }
    return shape;
  }
}
