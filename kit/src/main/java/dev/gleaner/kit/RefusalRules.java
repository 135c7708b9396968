package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.memory.AllocationFailures;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapExhaustedException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What an operation that is refused leaves: all as it was, or all done. Each request for memory
 * that an operation makes is refused once, with all that follow; then the heap is compared with one
 * that was made alike and asked for nothing ({@link HeapPicture}).
 */
record RefusalRules(Config config, List<ClassLoader> loaders) {
  private static final Config SETTINGS =
      ConfigFactory.parseString(
          "gleaner { voluntary.enabled = false, threads.initial-stack-slots = 16 }");

  private static final int D = 0;
  private static final int RECORD = 1;
  private static final int OBJECT = 2;
  private static final int KEY = 3;
  private static final int BUFFER = 4;
  private static final int DYNAMIC = 5;
  private static final int FUNCTION = 6;
  private static final int THREAD = 7;
  private static final int INT = 8;
  private static final int WIDE = 9;
  private static final int SLOTS = 10;

  /** What a table has when it is made: one more needs a larger one. */
  private static final int PROPERTIES = 4;

  private static final int FIRST_STACK = 16;
  private static final int FIRST_CALLS = 4;
  private static final int MANY = 1000;
  private static final int MOST_REQUESTS = 100;

  List<Rule> all() {
    return List.of(
        PluginRules.rule("refusal", "changes nothing when memory is refused", this::exhausted),
        PluginRules.rule("refusal", "changes no range of indexes", this::ranges),
        PluginRules.rule("refusal", "changes nothing when a call cannot be meant", this::misused));
  }

  /** A heap with something of everything. */
  private final class Busy implements AutoCloseable {
    final Heap heap = Gleaner.factory(SETTINGS.withFallback(config), loaders).open();
    final Mutator t = heap.mutator();
    final GlobalRef global = heap.newGlobal();
    final WeakRef weak;
    final long block = heap.plainMemory().allocChecked(24);

    Busy() {
      t.enter(1);
      t.newRecord(0, 1);
      t.pushCatcher(0, 1);
      t.newThread(0);
      t.setGlobal(global, 0);
      t.resume(0, 2);
      t.newFunction(0, 1, 0);
      t.newString(1, "held by a call");
      t.storeConstant(0, 0, 1);
      t.call(SLOTS, 0);
      fill();
      weak = t.newWeak(RECORD);
    }

    private void fill() {
      t.newRecord(D, 1);
      t.newRecord(RECORD, 2);
      t.store(RECORD, 0, D);
      t.newObject(OBJECT, 1);
      for (int i = 0; i < PROPERTIES; i++) {
        t.newString(KEY, "key " + i);
        t.putProperty(OBJECT, KEY, RECORD);
      }
      t.putIndex(OBJECT, 0, RECORD);
      t.newString(KEY, "another key");
      t.newBuffer(BUFFER, 100);
      t.putLong(BUFFER, 0, 42);
      t.newDynamicBuffer(DYNAMIC, 20);
      t.newFunction(FUNCTION, 1, 1);
      t.newThread(THREAD);
      t.setInt(INT, 5);
      t.setDouble(WIDE, 0x1p60);
      t.push(THREAD, RECORD);
    }

    List<String> picture() {
      return HeapPicture.of(heap, List.of(global), List.of(weak));
    }

    @Override
    public void close() {
      heap.close();
    }
  }

  // ---- memory is refused ----

  private static Map<String, Consumer<Busy>> needMemory(boolean pins) {
    Map<String, Consumer<Busy>> all = new LinkedHashMap<>();
    all.put("enter", b -> b.t.enter(MANY));
    all.put("enter with arguments", b -> b.t.enter(MANY, 0, SLOTS));
    all.put("enter with arguments that move", b -> b.t.enterMoving(MANY, 0, SLOTS));
    all.put("newRecord", b -> b.t.newRecord(D, 7));
    all.put("newRecord, large", b -> b.t.newRecord(D, 5000));
    all.put("newObject", b -> b.t.newObject(D, 3));
    all.put("putProperty", b -> b.t.putProperty(OBJECT, KEY, INT));
    all.put("putIndex", b -> b.t.putIndex(OBJECT, 100, INT));
    all.put("putProperty of a wide key", b -> b.t.putProperty(OBJECT, WIDE, INT));
    all.put("setArrayLength", b -> b.t.setArrayLength(OBJECT, 100));
    all.put("setWeakness", b -> b.t.setWeakness(OBJECT, Weakness.VALUES));
    all.put("setLong", b -> b.t.setLong(D, 1L << 60));
    all.put("identityHash", b -> b.t.identityHash(RECORD));
    all.put("newWeak", b -> b.t.newWeak(D).close());
    all.put("concat", b -> b.t.concat(D, KEY, 1));
    all.put("newObject with room", b -> b.t.newObject(D, 1, 20, 20));
    all.put("newWeakObject", b -> b.t.newWeakObject(D, Weakness.KEYS));
    all.put("setAt", b -> b.t.setAt(OBJECT, 100, Values.NULL));
    all.put("newString", b -> b.t.newString(D, "a text that is not there"));
    all.put("newBuffer", b -> b.t.newBuffer(D, 100));
    all.put("newBuffer, large", b -> b.t.newBuffer(D, 100_000));
    all.put("newDynamicBuffer", b -> b.t.newDynamicBuffer(D, 100));
    all.put("resizeBuffer", b -> b.t.resizeBuffer(DYNAMIC, 5000));
    all.put("newNative", b -> b.t.newNative(D, "native", null));
    all.put("newFunction", b -> b.t.newFunction(D, 3, 3));
    all.put("newThread", b -> b.t.newThread(D));
    all.put("resume", b -> b.t.resume(THREAD, MANY));
    all.put("call", b -> b.t.call(MANY, FUNCTION));
    all.put("tailCall", b -> b.t.tailCall(MANY, 0, SLOTS));
    all.put("resizeFrame", b -> b.t.resizeFrame(MANY));
    all.put("resume with arguments", b -> b.t.resume(THREAD, MANY, 0, SLOTS));
    all.put("leave with results", b -> b.t.leave(0, SLOTS, 0, Mutator.ALL));
    all.put("suspend with values", b -> b.t.suspend(0, SLOTS, 0, Mutator.ALL));
    all.put("finish with values", b -> b.t.finish(0, SLOTS, 0, Mutator.ALL));
    all.put("resumeInto", b -> b.t.resumeInto(THREAD, 0, SLOTS, 0, Mutator.ALL));
    all.put("raise", b -> b.t.raise(RECORD));
    all.put("storeConstant", b -> b.t.storeConstant(FUNCTION, 0, RECORD));
    all.put("storeRange", b -> b.t.storeRange(RECORD, 0, OBJECT, 2));
    all.put("setGlobal", b -> b.t.setGlobal(b.global, OBJECT));
    all.put("substring", b -> b.t.substring(D, KEY, 1, 5));
    all.put("stringFromBuffer", b -> b.t.stringFromBuffer(D, BUFFER, 0, 50));
    all.put("putProperty of an element", b -> b.t.putProperty(OBJECT, BUFFER, FUNCTION));
    all.put("setFinalizer", b -> b.t.setFinalizer(RECORD, "finalizer", (t, closing) -> {}));
    all.put(
        "setInheritedFinalizer",
        b -> b.t.setInheritedFinalizer(OBJECT, "finalizer", (t, closing) -> {}));
    all.put("makeBuiltins", b -> b.heap.makeBuiltins(() -> b.t.newRecord(D, 3)));
    all.put("reserveExternal", b -> b.heap.reserveExternal(100));
    all.put("reallocChecked", b -> b.heap.plainMemory().reallocChecked(b.block, 5000));
    if (pins) {
      all.put("pin", b -> b.t.pin(BUFFER));
    }
    return all;
  }

  private @Nullable String exhausted() {
    String wrong = exhausted(b -> {}, needMemory(pins()));
    if (wrong == null) {
      wrong = exhausted(RefusalRules::fillStack, Map.of("push", b -> b.t.push(THREAD, RECORD)));
    }
    if (wrong == null) {
      wrong = exhausted(RefusalRules::fillArray, inArray());
    }
    return wrong == null ? exhausted(RefusalRules::fillCalls, callers()) : wrong;
  }

  /** Both objects are seen from outside, so a frame is left by what is stored into them. */
  private @Nullable String ranges() {
    RangeRefusals refusals = new RangeRefusals(OBJECT, D, KEY, INT);
    Map<String, Consumer<Busy>> operations = new LinkedHashMap<>();
    refusals.operations().forEach((name, what) -> operations.put(name, b -> what.accept(b.t)));
    for (Map.Entry<String, Consumer<Mutator>> shape : refusals.shapes().entrySet()) {
      String wrong = exhausted(b -> prepare(b, shape.getValue()), operations);
      if (wrong != null) {
        return shape.getKey() + ": " + wrong;
      }
    }
    return null;
  }

  private static void prepare(Busy b, Consumer<Mutator> shape) {
    shape.accept(b.t);
    b.t.store(RECORD, 0, D);
    b.t.store(RECORD, 1, OBJECT);
    b.t.setGlobal(b.global, RECORD);
    b.t.newRecord(INT, 2); // of the frame's own, where there is such a thing
  }

  private boolean pins() {
    try (Busy b = new Busy()) {
      return b.heap.traits().pinning();
    }
  }

  private static void fillArray(Busy b) {
    b.t.putIndex(OBJECT, 1, RECORD);
    b.t.putIndex(OBJECT, 2, RECORD);
    b.t.setGlobal(b.global, OBJECT);
    b.t.newRecord(D, 2); // of the frame's own, where there is such a thing
    b.t.setInt(INT, 3);
  }

  private static Map<String, Consumer<Busy>> inArray() {
    return Map.of(
        "update", RefusalRules::append,
        "insertAt", b -> b.t.insertAt(OBJECT, 1, D),
        "insertAt at the end", b -> b.t.insertAt(OBJECT, 3, D),
        "moveRange", b -> b.t.moveRange(OBJECT, 1, OBJECT, 0, 3));
  }

  private static void append(Busy b) {
    boolean _ = b.t.update(OBJECT, INT, RECORD);
  }

  private static void fillStack(Busy b) {
    for (int i = 2; i < FIRST_STACK; i++) {
      b.t.push(THREAD, RECORD);
    }
  }

  private static void fillCalls(Busy b) {
    for (int i = 1; i < FIRST_CALLS; i++) {
      b.t.pushCatcher(D, i);
    }
  }

  private static Map<String, Consumer<Busy>> callers() {
    return Map.of(
        "pushCatcher", b -> b.t.pushCatcher(D, 9),
        "call with catchers", b -> b.t.call(MANY, FUNCTION),
        "call in a small frame", b -> b.t.call(1, FUNCTION));
  }

  private @Nullable String exhausted(Consumer<Busy> before, Map<String, Consumer<Busy>> all) {
    List<String> expected = picture(before);
    for (Map.Entry<String, Consumer<Busy>> operation : all.entrySet()) {
      for (int after = 0; after < MOST_REQUESTS; after++) {
        try (Busy b = new Busy()) {
          before.accept(b);
          b.heap.faults().failAllocations(after, MANY);
          try {
            operation.getValue().accept(b);
          } catch (HeapExhaustedException e) {
            b.heap.faults().clearFailAllocations();
            String wrong = difference(expected, b.picture());
            if (wrong != null) {
              return operation.getKey() + ", request " + after + " refused: " + wrong;
            }
            continue;
          }
          AllocationFailures left = b.heap.faults().allocationFailures();
          if (left == null || left.times() == MANY) {
            break; // every request was refused once
          }
        }
      }
    }
    return null;
  }

  private List<String> picture(Consumer<Busy> before) {
    try (Busy b = new Busy()) {
      before.accept(b);
      return b.picture();
    }
  }

  private static @Nullable String difference(List<String> expected, List<String> found) {
    for (int i = 0; i < expected.size(); i++) {
      if (i >= found.size() || !expected.get(i).equals(found.get(i))) {
        String other = i < found.size() ? found.get(i) : "nothing";
        return "expected \"" + expected.get(i) + "\", found \"" + other + '"';
      }
    }
    return found.size() == expected.size() ? null : "found also " + found.get(expected.size());
  }

  // ---- calls that cannot be meant ----

  /** A call that is refused in a state that has to be reached first. */
  private record Misuse(String name, Consumer<Busy> before, Consumer<Busy> call) {}

  private static List<Misuse> misuses() {
    Consumer<Busy> nothing = b -> {};
    return List.of(
        new Misuse(
            "raise to a catcher whose slot was popped",
            RefusalRules::popCaught,
            RefusalRules::raise),
        new Misuse("a large frame for a thread", nothing, b -> b.t.resume(THREAD, 1 << 24)),
        new Misuse("a large frame for a call", nothing, b -> b.t.call(1 << 24, FUNCTION)),
        new Misuse("suspend at the bottom", RefusalRules::toBottom, b -> b.t.suspend()),
        new Misuse("leave into no slot", nothing, b -> b.t.leave(RECORD, 2)),
        new Misuse(
            "a finalizer for a string", nothing, b -> b.t.setFinalizer(KEY, "x", (t, c) -> {})),
        new Misuse(
            "a finalizer that a record lends",
            nothing,
            b -> b.t.setInheritedFinalizer(RECORD, "x", (t, c) -> {})),
        new Misuse(
            "a prototype that leads back", RefusalRules::chain, b -> b.t.setPrototype(OBJECT, D)),
        new Misuse(
            "a slot that is none, of several", nothing, b -> b.t.compact(new int[] {1, SLOTS})),
        new Misuse(
            "an array index beyond all",
            nothing,
            b -> b.t.putIndex(OBJECT, Integer.MAX_VALUE, INT)));
  }

  /**
   * A thread is suspended in a frame with a catcher; the slot that the catcher is for is popped.
   */
  private static void popCaught(Busy b) {
    Mutator t = b.t;
    t.newThread(D);
    t.resume(D, 1);
    t.pushCatcher(0, 99);
    int _ = t.suspend(0, 0, 0, 0);
    t.pop(D, INT);
    t.resume(D, 2);
    t.newRecord(1, 1);
    t.newRecord(0, 1);
  }

  private static void raise(Busy b) {
    int _ = b.t.raise(0);
  }

  private static void toBottom(Busy b) {
    b.t.leave();
    b.t.leave();
  }

  private static void chain(Busy b) {
    b.t.newObject(D);
    b.t.setPrototype(D, OBJECT);
  }

  private @Nullable String misused() {
    for (Misuse misuse : misuses()) {
      List<String> expected = picture(misuse.before);
      try (Busy b = new Busy()) {
        misuse.before.accept(b);
        try {
          misuse.call.accept(b);
          return "expected a refusal of " + misuse.name + ", found none";
        } catch (HeapException _) {
          String wrong = difference(expected, b.picture());
          if (wrong != null) {
            return misuse.name + ": " + wrong;
          }
        }
      }
    }
    return null;
  }
}
