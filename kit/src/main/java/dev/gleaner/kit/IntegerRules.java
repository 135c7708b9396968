package dev.gleaner.kit;

import com.typesafe.config.Config;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Integers of 64 bits. To a program each is a value, wherever it is. To a collector one that does
 * not fit 32 bits is an element whose only word is no reference, whatever it looks like.
 */
record IntegerRules(Config config, List<ClassLoader> loaders) {
  private static final long BIG = 9_000_000_000L;

  /** On both sides of where they become elements; and some that look like references. */
  private static final long[] INTEGERS = {
    0,
    -1,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE + 1L,
    Integer.MIN_VALUE - 1L,
    1L << 32 | 64,
    1L << 40 | 4096,
    1L << 48,
    1L << 53,
    (1L << 53) + 1,
    -(1L << 53) - 1,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1
  };

  // Slots of the frame.
  private static final int OBJECT = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int OTHER = 3;
  private static final int FUNCTION = 4;
  private static final int THREAD = 5;
  private static final int SLOTS = 6;

  List<Rule> all() {
    return List.of(
        rule("come back from every place", IntegerRules::comeBack),
        rule("are no elements to a program", IntegerRules::areNoElements),
        rule("go when nothing holds them", IntegerRules::go),
        rule("are keys by their value", IntegerRules::areKeys),
        rule("stay in weak tables", IntegerRules::stayInWeakTables),
        rule("leave frames", IntegerRules::leaveFrames),
        rule("come and go in what stays", IntegerRules::churn));
  }

  private Rule rule(String text, Function<Heap, @Nullable String> check) {
    return PluginRules.onHeap(
        "integers",
        text,
        config,
        loaders,
        heap -> {
          heap.mutator().enter(SLOTS);
          heap.mutator().newObject(OBJECT, 1);
          return check.apply(heap);
        });
  }

  private static @Nullable String expect(Mutator t, int s, long expected, String where) {
    if (!t.isInteger(s)) {
      return "expected " + expected + " " + where + ", found a " + t.type(s);
    }
    long found = t.getLong(s);
    t.setLong(OTHER, expected);
    return found == expected && t.same(s, OTHER)
        ? null
        : "expected " + expected + " " + where + ", found " + found;
  }

  private static @Nullable String comeBack(Heap heap) {
    Mutator t = heap.mutator();
    GlobalRef global = heap.newGlobal();
    t.newFunction(FUNCTION, 1, 0);
    t.newThread(THREAD);
    for (long v : INTEGERS) {
      t.setLong(VALUE, v);
      t.store(OBJECT, 0, VALUE);
      t.putProperty(OBJECT, VALUE, VALUE);
      t.putIndex(OBJECT, 1, VALUE);
      t.storeConstant(FUNCTION, 0, VALUE);
      t.push(THREAD, VALUE);
      t.setGlobal(global, VALUE);
      t.setUndefined(VALUE);
      t.setUndefined(OTHER);
      heap.collect();
      heap.collect(CollectFlags.EMERGENCY);
      t.load(VALUE, OBJECT, 0);
      String wrong = expect(t, VALUE, v, "in a slot");
      t.getProperty(KEY, OBJECT, VALUE);
      wrong = wrong != null ? wrong : expect(t, KEY, v, "in a property");
      t.getIndex(VALUE, OBJECT, 1);
      wrong = wrong != null ? wrong : expect(t, VALUE, v, "in an array part");
      t.loadConstant(VALUE, FUNCTION, 0);
      wrong = wrong != null ? wrong : expect(t, VALUE, v, "in a constant");
      t.pop(THREAD, VALUE);
      wrong = wrong != null ? wrong : expect(t, VALUE, v, "on a stack");
      t.getGlobal(VALUE, global);
      wrong = wrong != null ? wrong : expect(t, VALUE, v, "in a global");
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  private static @Nullable String areNoElements(Heap heap) {
    Mutator t = heap.mutator();
    t.setLong(VALUE, BIG);
    if (t.isReference(VALUE) || t.type(VALUE) != ValueType.INT) {
      return "expected a value, found a " + t.type(VALUE);
    }
    List<Runnable> refused =
        List.of(
            () -> t.kind(VALUE),
            () -> t.identityHash(VALUE),
            () -> t.newWeak(VALUE),
            () -> t.setFinalizer(VALUE, "of an integer", (_, _) -> {}),
            () -> t.load(KEY, VALUE, 0));
    for (int i = 0; i < refused.size(); i++) {
      if (!isRefused(refused.get(i))) {
        return "expected a refusal, found none; operation " + i;
      }
    }
    t.setLong(OTHER, BIG);
    t.setLong(KEY, BIG + 1);
    return t.same(VALUE, OTHER) && !t.same(VALUE, KEY)
        ? null
        : "expected integers to be the same if they are equal";
  }

  private static boolean isRefused(Runnable operation) {
    try {
      operation.run();
      return false;
    } catch (HeapUsageException expected) {
      return true;
    }
  }

  private static @Nullable String go(Heap heap) {
    Mutator t = heap.mutator();
    for (int i = 0; i < 1000; i++) {
      t.setLong(VALUE, BIG + i);
      t.putIndex(OBJECT, i % 10, VALUE);
      t.putProperty(OBJECT, VALUE, VALUE);
      boolean _ = t.deleteProperty(OBJECT, VALUE);
    }
    t.setInt(VALUE, 7);
    heap.collect();
    long held = heap.statistics().live(Kind.INTEGER);
    t.setArrayLength(OBJECT, 0);
    heap.collect();
    long left = heap.statistics().live(Kind.INTEGER);
    return held == 10 && left == 0
        ? null
        : "expected alive 10 integers, then 0, found " + held + ", then " + left;
  }

  private static @Nullable String areKeys(Heap heap) {
    Mutator t = heap.mutator();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < INTEGERS.length; i++) {
        t.setLong(KEY, INTEGERS[i]);
        t.setInt(VALUE, i);
        t.putProperty(OBJECT, KEY, VALUE);
      }
      heap.collect(CollectFlags.EMERGENCY);
    }
    if (t.propertyCount(OBJECT) != INTEGERS.length) {
      return "expected %d keys, found %d".formatted(INTEGERS.length, t.propertyCount(OBJECT));
    }
    t.setDouble(KEY, 0x1p63);
    if (t.hasProperty(OBJECT, KEY)) {
      return "expected no property under 2^63, found the one of another integer";
    }
    for (int i = 0; i < INTEGERS.length; i++) {
      double same = INTEGERS[i];
      boolean isExact = same < 0x1p63 && (long) same == INTEGERS[i];
      t.setDouble(KEY, same);
      t.getProperty(VALUE, OBJECT, KEY);
      if (isExact && (!t.isInteger(VALUE) || t.getInt(VALUE) != i)) {
        return "expected the property of " + INTEGERS[i] + " under that double, found another";
      }
      t.setLong(KEY, INTEGERS[i]);
      if (t.lookUp(VALUE, OBJECT, KEY) != Values.ofInt(i) || !t.update(OBJECT, KEY, VALUE)) {
        return "expected to look up and update the property of " + INTEGERS[i];
      }
      if (!t.deleteProperty(OBJECT, KEY) || t.hasProperty(OBJECT, KEY)) {
        return "expected to delete the property of " + INTEGERS[i];
      }
    }
    return keysOfDoubles(heap);
  }

  /** What was put under a double comes back as an integer. */
  private static @Nullable String keysOfDoubles(Heap heap) {
    Mutator t = heap.mutator();
    for (int i = 1; i <= 100; i++) {
      t.setDouble(KEY, (double) BIG * i);
      t.setInt(VALUE, i);
      t.putProperty(OBJECT, KEY, VALUE);
    }
    heap.collect();
    t.setUndefined(KEY);
    int n = 0;
    for (; t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE); n++) {
      String wrong = expect(t, KEY, BIG * t.getInt(VALUE), "as a key");
      if (wrong != null || !t.deleteProperty(OBJECT, KEY)) {
        return wrong != null ? wrong : "expected to delete " + t.getLong(KEY);
      }
      t.setDouble(KEY, (double) t.getLong(KEY));
    }
    return n == 100 ? null : "expected a walk over 100 keys, found " + n;
  }

  private static @Nullable String stayInWeakTables(Heap heap) {
    Mutator t = heap.mutator();
    for (int weakness = Weakness.KEYS; weakness <= Weakness.BOTH; weakness++) {
      t.newWeakObject(OBJECT, weakness);
      for (int i = 0; i < 50; i++) {
        t.setLong(KEY, BIG + i);
        t.setLong(VALUE, -BIG - i);
        t.putProperty(OBJECT, KEY, VALUE);
      }
      t.wipe(KEY);
      heap.collect();
      heap.collect();
      for (int i = 0; i < 50; i++) {
        t.setLong(KEY, BIG + i);
        t.getProperty(VALUE, OBJECT, KEY);
        String wrong = expect(t, VALUE, -BIG - i, "in a weak table");
        if (wrong != null) {
          return wrong;
        }
      }
    }
    return null;
  }

  private static @Nullable String leaveFrames(Heap heap) {
    Mutator t = heap.mutator();
    for (int i = 0; i < 3000; i++) {
      t.enter(3, OBJECT, 1);
      t.setLong(1, BIG + i);
      t.store(0, 0, 1);
      t.setLong(2, -BIG * i - BIG);
      t.leave(2, VALUE);
      String wrong = expect(t, VALUE, -BIG * i - BIG, "as a result");
      t.load(VALUE, OBJECT, 0);
      wrong = wrong != null ? wrong : expect(t, VALUE, BIG + i, "in an argument");
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  /** Each is the only one that its place holds; in between so much is made that others go. */
  private static @Nullable String churn(Heap heap) {
    Mutator t = heap.mutator();
    int places = 100;
    for (int i = 0; i < 50 * places; i++) {
      t.setLong(VALUE, BIG * i + BIG);
      t.putIndex(OBJECT, i * 7 % places, VALUE);
      for (int garbage = 0; garbage < 10; garbage++) {
        t.setLong(VALUE, -BIG - i);
      }
      if (i % 1000 == 0) {
        heap.collect();
      }
      int n = i - places / 2;
      if (n >= 0) {
        t.getIndex(VALUE, OBJECT, n * 7 % places);
        String wrong = expect(t, VALUE, BIG * n + BIG, "in an array part");
        if (wrong != null) {
          return wrong;
        }
      }
    }
    return null;
  }
}
