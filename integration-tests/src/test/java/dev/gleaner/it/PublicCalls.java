package dev.gleaner.it;

import dev.gleaner.heap.DeadSlots;
import dev.gleaner.heap.ElementVisitor;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFaults;
import dev.gleaner.heap.HeapInspection;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.PlainMemory;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.it.MisuseHeap.Reference;
import dev.gleaner.it.PublicCall.Argument;
import dev.gleaner.it.PublicCall.Wrong;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.BlockPointer;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.trace.TraceOperand.Sort;
import dev.gleaner.trace.TraceTable;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Every public operation of a heap, with right arguments and wrong ones. What is right follows from
 * how an operation is declared; here are those of which more can be said.
 */
final class PublicCalls {
  private static final Argument SLOT = slot(MisuseHeap.UNDEFINED);
  private static final Argument ELEMENT =
      slotOf(5, 6, 7, 8, 9, 10, 11, 12); // the right one first: a string
  private static final Argument STRING = slotOf(MisuseHeap.STRING);
  private static final Argument KEY =
      slotOf(5, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12); // but undefined and null
  private static final Argument RECORD = slotOf(MisuseHeap.RECORD, MisuseHeap.OBJECT);
  private static final Argument OBJECT = slotOf(MisuseHeap.OBJECT);
  private static final Argument BUFFER = slotOf(MisuseHeap.BUFFER, MisuseHeap.DYNAMIC);
  private static final Argument FUNCTION = slotOf(MisuseHeap.FUNCTION);
  private static final Argument INDEX = number(0, -1, MisuseHeap.INNER, Integer.MAX_VALUE);
  private static final Argument RANGE = number(1, -1, 12, Integer.MAX_VALUE); // of two slots
  private static final Argument LONG_SIZE = longs(3L, -1L, Long.MIN_VALUE);
  private static final Argument BYTE = longs(0L, -1L, MisuseHeap.BYTES + 0L, Long.MAX_VALUE);
  private static final Argument WORD = longs(0L, -1L, 3L, Long.MAX_VALUE, Long.MIN_VALUE);
  private static final Argument INT = number(5);
  private static final Argument LONG = longs(5L);
  private static final Argument VALUE =
      longs(Values.ofInt(5), 8L, 4L, Values.RAW_TAG, Values.INT_TAG | 1L << 32);
  private static final Argument TEXT = any(String.class, "x");
  private static final Argument SLOTS =
      any(int[].class, new int[] {0, 5})
          .but(Wrong.of(new int[] {0, MisuseHeap.SLOTS}, "no slot 13"));
  private static final Argument GLOBAL =
      any(GlobalRef.class, Reference.GLOBAL)
          .but(
              Wrong.of(Reference.CLOSED_GLOBAL, "closed global"),
              Wrong.of(Reference.FOREIGN_GLOBAL, "another heap"));
  private static final Argument NAME =
      any(GlobalRef.class, Reference.NAME)
          .but(
              Wrong.of(Reference.GLOBAL, "no interned string"),
              Wrong.of(Reference.CLOSED_GLOBAL, "closed global"),
              Wrong.of(Reference.FOREIGN_GLOBAL, "another heap"));
  private static final Argument WEAK =
      any(WeakRef.class, Reference.WEAK)
          .but(
              Wrong.of(Reference.CLOSED_WEAK, "closed weak"),
              Wrong.of(Reference.FOREIGN_WEAK, "another heap"));
  private static final Argument BLOCK =
      any(long.class, Reference.BLOCK)
          .but(
              Wrong.of(Reference.INSIDE_BLOCK, "not a block"),
              Wrong.of(3L, "not a block"),
              Wrong.of(-8L, "not a block"),
              Wrong.of(Long.MAX_VALUE, "not a block"));

  private PublicCalls() {}

  /** All: those that are written out below, and the others as they are declared. */
  static List<PublicCall> all() {
    List<PublicCall> all = new ArrayList<>(values());
    all.addAll(bytes());
    all.addAll(threads());
    all.addAll(undeclared());
    all.addAll(heap());
    Set<Method> known = all.stream().map(PublicCall::method).collect(Collectors.toSet());
    for (TraceOp op : TraceTable.of(Heap.class).all()) {
      if (!op.isFraming() && isPublic(method(op)) && known.add(method(op))) {
        all.add(declared(op));
      }
    }
    return all;
  }

  private static PublicCall declared(TraceOp op) {
    List<Argument> arguments =
        op.parameters().stream().map(i -> argument(op, op.operands().get(i).sort())).toList();
    return new PublicCall(op.owner(), op.method(), arguments, heap -> {});
  }

  private static boolean isPublic(Method method) {
    return Modifier.isPublic(method.getModifiers());
  }

  private static Method method(TraceOp op) {
    try {
      return op.owner().getDeclaredMethod(op.method(), op.type().parameterArray());
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  private static Argument argument(TraceOp op, Sort sort) {
    return switch (sort) {
      case SLOT -> SLOT;
      case ELEMENT -> ELEMENT;
      case RECORD -> RECORD;
      case OBJECT -> OBJECT;
      case STRING -> STRING;
      case KEY -> KEY;
      case BUFFER -> BUFFER;
      case DYNAMIC -> slotOf(MisuseHeap.DYNAMIC);
      case NATIVE -> slotOf(MisuseHeap.NATIVE);
      case FUNCTION -> FUNCTION;
      case THREAD -> slotOf(MisuseHeap.THREAD);
      case SIZE -> number(3, -1, Integer.MIN_VALUE);
      case INDEX -> INDEX;
      case POSITION -> number(0, -1, Integer.MAX_VALUE);
      case FLAGS -> number(0, 1 << 4, -1);
      case WEAKNESS -> number(1, 4, -1);
      case COUNT -> number(1);
      case SORT -> number(0, -1, Layout.MOST_SORTS, Layout.MOST_SORTS + 1);
      case INT -> INT;
      case CURSOR -> longs(0L, -1L, Long.MIN_VALUE);
      case PLACE -> BYTE;
      case BYTES -> LONG_SIZE;
      case LONG -> LONG;
      case VALUE -> VALUE;
      case CODE -> number(5, -1, Layout.FUNCTION_MASK, Integer.MIN_VALUE);
      case BLOCK -> BLOCK;
      case DOUBLE -> any(double.class, 1.5);
      case TEXT -> TEXT;
      case SLOTS -> SLOTS;
      case WEAK -> WEAK;
      case GLOBAL -> GLOBAL;
      case FINALIZER, CALLBACK, UNSEEN, FOUND, NEXT, MADE ->
          throw new AssertionError("to be written out, as it has a " + sort + ": " + op);
    };
  }

  private static List<PublicCall> values() {
    return List.of(
        call("enter", number(3, -1, 1), number(1, -1, 12, Integer.MAX_VALUE), number(2, -1, 4)),
        call(
            "enterMoving",
            number(3, -1, 1),
            number(1, -1, 12, Integer.MAX_VALUE),
            number(2, -1, 4)),
        call("leave", SLOT, number(0, -1, 1, Integer.MAX_VALUE)),
        call(
            "leave",
            number(0, -1, 12, Integer.MAX_VALUE),
            number(2, -1, 14, Integer.MAX_VALUE),
            number(0, -1, 1, Integer.MAX_VALUE),
            number(1, 2, -2, Integer.MAX_VALUE)),
        call("findFrame", number(0, -1, Integer.MAX_VALUE), any(int.class, 1), any(int.class, 1)),
        call("peek", SLOT, number(0, -1, Integer.MAX_VALUE), number(1, -1, 14, Integer.MAX_VALUE)),
        call("leaveTo", number(1, -1, 3, Integer.MIN_VALUE)),
        call("tailCall", number(3, -1, 1), number(1, -1, 12, Integer.MAX_VALUE), number(2, -1, 4)),
        call("move", RANGE, RANGE, number(2, -1, 14, Integer.MAX_VALUE)),
        call("loadRange", RANGE, RECORD, number(0, -1, 1, Integer.MAX_VALUE), number(2, -1, 3)),
        call("storeRange", RECORD, number(0, -1, 1, Integer.MAX_VALUE), RANGE, number(2, -1, 3)),
        call("wipe", number(3, -1, MisuseHeap.SLOTS + 1, Integer.MIN_VALUE)),
        call("setBoolean", SLOT, any(boolean.class, true)),
        call("getBoolean", slotOf(MisuseHeap.BOOLEAN)),
        call("getInt", slotOf(MisuseHeap.INT)),
        call("getDouble", slotOf(MisuseHeap.DOUBLE)),
        call("getLong", slotOf(MisuseHeap.INT)),
        call("insertAt", OBJECT, number(1, -1, 2, Integer.MAX_VALUE), SLOT),
        call("putProperty", OBJECT, NAME, SLOT),
        call("removeAt", OBJECT, number(0, -1, 1, Integer.MAX_VALUE)),
        call("loadInt", RECORD, INDEX.but(Wrong.of(1, "not an integer: slot 1"))),
        call(
            "newObject",
            SLOT,
            number(3, -1, Integer.MIN_VALUE),
            slotOf(MisuseHeap.OBJECT, MisuseHeap.NULL, MisuseHeap.UNDEFINED)),
        call("setPrototype", OBJECT, slotOf(MisuseHeap.NULL, MisuseHeap.UNDEFINED)), // nor itself
        call(
            "nextPropertyAfter",
            OBJECT,
            slotOf(MisuseHeap.STRING, MisuseHeap.UNDEFINED),
            SLOT,
            SLOT));
  }

  private static List<PublicCall> bytes() {
    byte[] four = {'a', 'b', 'c', 'd'};
    Argument array = any(byte[].class, four);
    Argument at = longs(0L, -1L, MisuseHeap.BYTES - 3L, Long.MAX_VALUE);
    Argument offset = bounds(0, -1, 1);
    Argument length = bounds(4, -1, 5);
    return List.of(
        call("newString", SLOT, array, offset, length),
        call("charAt", STRING, number(3, -1, 4, Integer.MAX_VALUE)),
        call("utf16At", STRING, number(3, -1, 5, Integer.MAX_VALUE)),
        call("byteAt", STRING, number(3, -1, 10, Integer.MAX_VALUE)),
        call(
            "readString", STRING, number(0, -1, 7), any(byte[].class, new byte[4]), offset, length),
        call("indexOf", STRING, STRING, number(4, -1, 11, Integer.MIN_VALUE)),
        call(
            "concat",
            SLOT,
            number(MisuseHeap.STRING, -1, MisuseHeap.SLOTS),
            number(1, -1, 1 << 30)),
        call("substring", SLOT, STRING, number(1, -1, 4), number(3, 0, 11, Integer.MAX_VALUE)),
        call("stringFromBuffer", SLOT, BUFFER, at, number(4, -1, Integer.MAX_VALUE)),
        call(
            "stringToBuffer",
            BUFFER,
            at,
            slotOf(MisuseHeap.STRING, MisuseHeap.INT, MisuseHeap.DOUBLE)),
        call("putByte", BUFFER, BYTE, any(byte.class, (byte) 1)),
        call("getLong", BUFFER, WORD),
        call("putLong", BUFFER, WORD, LONG),
        call("readBytes", BUFFER, at, any(byte[].class, new byte[4]), offset, length),
        call("writeBytes", BUFFER, at, array, offset, length),
        call("unpin", BUFFER).after(h -> pinIfPossible(h.heap)));
  }

  private static void pinIfPossible(Heap heap) {
    if (heap.traits().pinning()) {
      heap.mutator().pin(MisuseHeap.BUFFER);
    }
  }

  private static List<PublicCall> threads() {
    Argument inner = slotOf(MisuseHeap.FUNCTION, MisuseHeap.NULL, MisuseHeap.UNDEFINED);
    Argument innerIndex = number(0, -1, 1, Integer.MAX_VALUE);
    FreeCallback onFree = (value, closing) -> {};
    Finalizer finalizer = (thread, closing) -> {};
    return List.of(
        call("newNative", SLOT, any(Object.class, "object"), orNull(FreeCallback.class, onFree)),
        call("storeInner", FUNCTION, innerIndex, inner),
        call("loadInner", SLOT, FUNCTION, innerIndex),
        call("suspend").after(h -> h.thread.resume(MisuseHeap.THREAD, 1)),
        call("resume", slotOf(MisuseHeap.THREAD), number(3, 0, -1, Integer.MIN_VALUE)),
        call("resume", slotOf(MisuseHeap.THREAD), number(3, 2, -1), RANGE, number(2, -1, 3, 14)),
        call(
            "resumeInto",
            slotOf(MisuseHeap.THREAD),
            RANGE,
            number(2, -1, 14),
            number(0, -1, 1, Integer.MAX_VALUE),
            number(1, 2, -2, Integer.MAX_VALUE)),
        transfer("suspend"),
        transfer("finish"),
        call("setThreadObject", slotOf(MisuseHeap.THREAD), orNull(Object.class, "object")),
        call("popCatcher").after(h -> h.thread.pushCatcher(0, 1)),
        call("raise", SLOT).after(h -> h.thread.pushCatcher(0, 1)),
        call("setFinalizer", slotOf(6, 7, 8, 9, 10, 12), TEXT, any(Finalizer.class, finalizer)),
        call(
            "setInheritedFinalizer",
            slotOf(MisuseHeap.OBJECT),
            TEXT,
            any(Finalizer.class, finalizer)));
  }

  /** Back to the resumer, whose frame has 13 slots; without a resumer all is refused. */
  private static PublicCall transfer(String name) {
    return call(
            name,
            number(0, -1, 1, Integer.MAX_VALUE),
            number(1, -1, 2, Integer.MAX_VALUE),
            number(1, -1, 13, Integer.MAX_VALUE),
            number(1, 13, -2, Integer.MAX_VALUE))
        .after(h -> h.thread.resume(MisuseHeap.THREAD, 1));
  }

  /** What has no code of its own in a trace. */
  private static List<PublicCall> undeclared() {
    return List.of(
        call("compact", SLOT),
        call("frameSize"),
        call("referenceCount", ELEMENT),
        call("frameDepth"),
        call("frameSize", number(0, -1, Integer.MAX_VALUE)),
        call("newObject", SLOT),
        call("getDouble", BUFFER, WORD),
        call("putDouble", BUFFER, WORD, any(double.class, 1.5)));
  }

  private static List<PublicCall> heap() {
    BlockPointer nowhere = () -> 0;
    BlockPointer wild = () -> 3;
    Runnable nothing = () -> {};
    ElementVisitor visitor = (kind, bytes) -> {};
    IntFunction<String> names = Integer::toString;
    Argument pointer = any(BlockPointer.class, nowhere).but(Wrong.of(wild, "not a block"));
    DeadSlots dead = frame -> {};
    HeapListener listener = new HeapListener() {};
    Argument view = any(long.class, 8L).but(outOfBounds(-1L), outOfBounds(Long.MAX_VALUE));
    return List.of(
        on(Heap.class, "collect"),
        on(Heap.class, "makeBuiltins", any(Runnable.class, nothing)),
        on(Heap.class, "baseFlags"),
        on(Heap.class, "releaseExternal", longs(1L, -1L, MisuseHeap.EXTERNAL + 1, Long.MAX_VALUE)),
        on(PlainMemory.class, "allocZeroed", LONG_SIZE),
        on(PlainMemory.class, "allocChecked", LONG_SIZE),
        on(PlainMemory.class, "allocZeroedChecked", LONG_SIZE),
        on(PlainMemory.class, "reallocChecked", BLOCK, LONG_SIZE),
        on(PlainMemory.class, "reallocIndirectChecked", pointer, LONG_SIZE),
        on(PlainMemory.class, "reallocIndirect", pointer, LONG_SIZE),
        on(PlainMemory.class, "free", BLOCK),
        on(
            PlainMemory.class,
            "block",
            any(long.class, Reference.BLOCK).but(outOfBounds(-8L)),
            view),
        on(HeapFaults.class, "failAllocations", longs(5L, -1L), longs(5L, -1L)),
        on(HeapFaults.class, "allocationFailures"),
        on(Heap.class, "statistics"),
        on(HeapInspection.class, "verify"),
        on(HeapInspection.class, "findLeaks"),
        on(HeapInspection.class, "describe", SLOT),
        on(HeapInspection.class, "frames"),
        on(HeapInspection.class, "whatIsAt", longs(8L, -1L)),
        on(HeapInspection.class, "pageMap"),
        on(HeapInspection.class, "setFunctionNames", orNull(IntFunction.class, names)),
        on(
            HeapInspection.class,
            "nameKind",
            any(Kind.class, Kind.RECORD)
                .but(Wrong.of(Kind.STRING, "STRING: elements of that kind have no sort")),
            any(String.class, "lua.table").but(Wrong.of("1", "no name of a sort"))),
        on(HeapInspection.class, "pathToRoot", ELEMENT),
        on(HeapInspection.class, "forEachElement", any(ElementVisitor.class, visitor)),
        on(
            HeapInspection.class,
            "writeSnapshot",
            any(OutputStream.class, OutputStream.nullOutputStream())),
        on(Heap.class, "addListener", any(HeapListener.class, listener)),
        on(Heap.class, "removeListener", orNull(HeapListener.class, listener)),
        on(Heap.class, "setDeadSlots", orNull(DeadSlots.class, dead)),
        on(Heap.class, "image", any(ImageBindings.class, new NumberedObjects())),
        on(Heap.class, "close"));
  }

  private static PublicCall call(String name, Argument... arguments) {
    return new PublicCall(Mutator.class, name, List.of(arguments), heap -> {});
  }

  private static PublicCall on(Class<?> owner, String name, Argument... arguments) {
    return new PublicCall(owner, name, List.of(arguments), heap -> {});
  }

  /** Any slot of the frame. */
  private static Argument slot(int right) {
    return any(int.class, right)
        .but(noSlot(-1), noSlot(13), noSlot(1 << 30), noSlot(Integer.MIN_VALUE));
  }

  private static Wrong noSlot(int s) {
    return Wrong.of(s, "no slot " + s + " in a frame of " + MisuseHeap.SLOTS);
  }

  /** Some slots of the frame, which hold what the call works on. */
  private static Argument slotOf(Integer... right) {
    List<Wrong> wrong = new ArrayList<>(slot(0).wrong());
    for (int s = 0; s < MisuseHeap.SLOTS; s++) {
      if (!List.of(right).contains(s)) {
        wrong.add(Wrong.of(s, ""));
      }
    }
    return new Argument(int.class, right[0], wrong);
  }

  private static Argument number(int right, Integer... wrong) {
    return new Argument(int.class, right, List.of(wrong).stream().map(PublicCalls::wrong).toList());
  }

  private static Argument longs(long right, Long... wrong) {
    return new Argument(
        long.class, right, List.of(wrong).stream().map(PublicCalls::wrong).toList());
  }

  private static Wrong wrong(Object value) {
    return Wrong.of(value, "");
  }

  private static Argument bounds(int right, int... wrong) {
    Argument argument = any(int.class, right);
    for (int value : wrong) {
      argument = argument.but(outOfBounds(value));
    }
    return argument;
  }

  private static Wrong outOfBounds(Object value) {
    return new Wrong(value, IndexOutOfBoundsException.class, "");
  }

  /** Anything but null. */
  private static Argument any(Class<?> type, Object right) {
    Argument argument = orNull(type, right);
    return type.isPrimitive()
        ? argument
        : argument.but(new Wrong(null, NullPointerException.class, ""));
  }

  private static Argument orNull(Class<?> type, Object right) {
    return new Argument(type, right, List.of());
  }
}
