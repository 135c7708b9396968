package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Integer keys from 0 on: each is one property, whether the heap keeps it in an array or among the
 * other properties, and it goes from one to the other as it likes.
 */
record IndexRules(Config config, List<ClassLoader> loaders) {
  private static final Config SETTINGS =
      ConfigFactory.parseString("gleaner { voluntary.enabled = false, torture.gc = off }");

  private static final int MANY = 1000;
  private static final int DENSE = 10_000;

  // Slots of the frame.
  private static final int OBJECT = 0;
  private static final int OTHER = 1;
  private static final int KEY = 2;
  private static final int VALUE = 3;
  private static final int LIST = 4;
  private static final int SLOTS = 5;

  List<Rule> all() {
    return List.of(
        rule("are put in any order", IndexRules::anyOrder),
        rule("take the memory of an array where they are dense", IndexRules::areDense),
        rule("far away take no memory for those before", IndexRules::areFar),
        rule("that are cut give their memory back", IndexRules::areCut),
        rule("have a border", IndexRules::haveBorder),
        rule("are seen once by a walk while they move", IndexRules::areWalked),
        rule("move by ranges as one by one", IndexRules::moveByRanges),
        rule("are removed before finalizers see the object", IndexRules::areRemoved),
        rule("of weak tables go like other keys", IndexRules::areWeak));
  }

  private Rule rule(String text, Function<Heap, @Nullable String> check) {
    return PluginRules.onHeap(
        "indexes",
        text,
        SETTINGS.withFallback(config),
        loaders,
        heap -> {
          heap.mutator().enter(SLOTS);
          return check.apply(heap);
        });
  }

  private static void put(Mutator t, int o, int index, int number) {
    t.newRecord(VALUE, 1);
    t.storeInt(VALUE, 0, number);
    t.putIndex(o, index, VALUE);
    t.setUndefined(VALUE);
  }

  /** The number that was put, or -1. */
  private static int get(Mutator t, int o, int index) {
    t.getIndex(VALUE, o, index);
    int number = t.isReference(VALUE) ? t.loadInt(VALUE, 0) : -1;
    t.setUndefined(VALUE);
    return number;
  }

  private static @Nullable String expect(Mutator t, int o, int index, int number) {
    int found = get(t, o, index);
    t.setInt(KEY, index);
    boolean there = t.hasProperty(o, KEY);
    return found == number && there == (number >= 0)
        ? null
        : "expected " + number + " in index " + index + ", found " + found;
  }

  private static @Nullable String expectCount(Mutator t, int o, int length, int count) {
    int foundLength = t.arrayLength(o);
    int found = t.propertyCount(o);
    return foundLength == length && found == count
        ? null
        : "expected %d properties and length %d, found %d and length %d"
            .formatted(count, length, found, foundLength);
  }

  private static @Nullable String anyOrder(Heap heap) {
    List<IntUnaryOperator> orders =
        List.of(
            i -> i,
            i -> i + 1,
            i -> MANY - 1 - i,
            i -> MANY - i,
            i -> 2 * i,
            i -> (int) (i * 7919L % MANY),
            i -> i * 1_000_003,
            i -> i < 31 ? (1 << i) - 1 : Integer.MAX_VALUE - i);
    for (int n = 0; n < orders.size(); n++) {
      String wrong = fill(heap, orders.get(n));
      if (wrong != null) {
        return wrong + ", in order " + n;
      }
    }
    return null;
  }

  private static @Nullable String fill(Heap heap, IntUnaryOperator order) {
    Mutator t = heap.mutator();
    t.newObject(OBJECT);
    int length = 0;
    for (int i = 0; i < MANY; i++) {
      put(t, OBJECT, order.applyAsInt(i), i);
      length = Math.max(length, order.applyAsInt(i) + 1);
    }
    String wrong = expectCount(t, OBJECT, length, MANY);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < MANY && wrong == null; i++) {
        wrong = expect(t, OBJECT, order.applyAsInt(i), i);
      }
      heap.collect(CollectFlags.EMERGENCY);
    }
    int seen = 0;
    for (long c = 0; (c = t.nextProperty(OBJECT, c, KEY, VALUE)) >= 0; seen++) {
      int number = t.loadInt(VALUE, 0);
      if (order.applyAsInt(number) != t.getInt(KEY)) {
        return "expected " + number + " in another index than " + t.getInt(KEY);
      }
    }
    return wrong == null && seen != MANY ? "expected a walk over all, found " + seen : wrong;
  }

  private static long used(Heap heap) {
    heap.collect(CollectFlags.EMERGENCY);
    return heap.statistics().usedBytes();
  }

  /** They hold numbers: what is used is the table's. */
  private static @Nullable String areDense(Heap heap) {
    Mutator t = heap.mutator();
    List<IntUnaryOperator> orders = List.of(i -> i, i -> DENSE - 1 - i, i -> DENSE - i);
    for (int n = 0; n < orders.size(); n++) {
      t.newObject(OBJECT);
      long before = used(heap);
      for (int i = 0; i < DENSE; i++) {
        t.setInt(VALUE, i);
        t.putIndex(OBJECT, orders.get(n).applyAsInt(i), VALUE);
      }
      long bytes = used(heap) - before;
      if (bytes > 13 * DENSE) {
        return "expected 8 bytes for each of %d indexes, found %d in all, in order %d"
            .formatted(DENSE, bytes, n);
      }
    }
    return null;
  }

  private static @Nullable String areFar(Heap heap) {
    Mutator t = heap.mutator();
    t.newObject(OBJECT);
    long before = used(heap);
    put(t, OBJECT, 1_000_000_000, 1);
    put(t, OBJECT, Integer.MAX_VALUE - 1, 2);
    put(t, OBJECT, 5000, 3);
    long bytes = used(heap) - before;
    if (bytes > 1000) {
      return "expected few bytes for three indexes, found " + bytes;
    }
    String wrong = expectCount(t, OBJECT, Integer.MAX_VALUE, 3);
    wrong = wrong != null ? wrong : expect(t, OBJECT, 1_000_000_000, 1);
    t.setArrayLength(OBJECT, 5001);
    wrong = wrong != null ? wrong : expectCount(t, OBJECT, 5001, 1);
    return wrong != null ? wrong : expect(t, OBJECT, 5000, 3);
  }

  private static @Nullable String areCut(Heap heap) {
    Mutator t = heap.mutator();
    t.newObject(OBJECT);
    long before = used(heap);
    for (int i = 0; i < DENSE; i++) {
      put(t, OBJECT, i, i);
    }
    t.setArrayLength(OBJECT, 2 * DENSE);
    String wrong = expectCount(t, OBJECT, 2 * DENSE, DENSE);
    t.setArrayLength(OBJECT, 10);
    wrong = wrong != null ? wrong : expectCount(t, OBJECT, 10, 10);
    wrong = wrong != null ? wrong : expect(t, OBJECT, 10, -1);
    wrong = wrong != null ? wrong : expect(t, OBJECT, 9, 9);
    heap.collect();
    long left = heap.statistics().usedBytes() - before;
    return wrong != null
        ? wrong
        : left < 1000 ? null : "expected few bytes for ten indexes, found " + left;
  }

  private static @Nullable String haveBorder(Heap heap) {
    Mutator t = heap.mutator();
    t.newObject(OBJECT);
    put(t, OBJECT, 0, 0);
    int last = 300;
    for (int n = 1; n <= 2 * last; n++) {
      int expected = n <= last ? n : 2 * last - n;
      if (n <= last) {
        put(t, OBJECT, n, n);
      } else {
        t.setInt(KEY, expected + 1);
        boolean _ = t.deleteProperty(OBJECT, KEY);
      }
      if (t.border(OBJECT) != expected) {
        return "expected the border " + expected + ", found " + t.border(OBJECT);
      }
    }
    put(t, OBJECT, 1 << 20, 1);
    t.setArrayLength(OBJECT, 1 << 30);
    for (int n = 0; n <= 40; n++) {
      if (n > 0) {
        put(t, OBJECT, n, n);
      }
      if (t.border(OBJECT) != n) {
        return "expected the border " + n + " before an index far away, found " + t.border(OBJECT);
      }
    }
    return haveBorderBeforeHoles(heap);
  }

  private static @Nullable String haveBorderBeforeHoles(Heap heap) {
    Mutator t = heap.mutator();
    RandomGenerator random = new SplittableRandom(1);
    t.newObject(OBJECT);
    for (int step = 0; step < 2000; step++) {
      int index = random.nextInt(12);
      if (random.nextBoolean()) {
        put(t, OBJECT, index, index);
      } else {
        t.setInt(KEY, index);
        boolean _ = t.deleteProperty(OBJECT, KEY);
      }
      int border = t.border(OBJECT);
      if ((border > 0 && get(t, OBJECT, border) < 0) || get(t, OBJECT, border + 1) >= 0) {
        return "expected a border, found " + border + " in step " + step;
      }
    }
    return null;
  }

  private static @Nullable String areWalked(Heap heap) {
    String wrong = areWalked(heap, false);
    return wrong == null ? areWalked(heap, true) : wrong;
  }

  /** Others are put below, so that what is among the entries is to go to the array. */
  private static @Nullable String areWalked(Heap heap, boolean byKey) {
    Mutator t = heap.mutator();
    t.newObject(OBJECT);
    for (int i = 0; i < 500; i++) {
      if (i < 20 || i > 400) {
        put(t, OBJECT, i, i);
      }
    }
    boolean[] seen = new boolean[500];
    int fresh = 400;
    t.setUndefined(KEY);
    for (long c = 0; (c = next(t, c, byKey)) >= 0; ) {
      int k = t.getInt(KEY);
      if (seen[k] || t.loadInt(VALUE, 0) != k) {
        return "expected each index once with its value, found " + k;
      }
      seen[k] = true;
      if (k % 3 == 0) {
        boolean _ = t.deleteProperty(OBJECT, KEY);
      }
      for (int i = 0; i < 4 && fresh > 20; i++, fresh--) {
        put(t, OBJECT, fresh, fresh);
      }
      if (k % 7 == 0) {
        heap.collect(CollectFlags.EMERGENCY);
      }
    }
    for (int i = 0; i < 500; i++) {
      if (!seen[i] && (i < 20 || i > 400)) {
        return "expected a walk over all that stays, found no " + i;
      }
    }
    return null;
  }

  private static long next(Mutator t, long cursor, boolean byKey) {
    if (!byKey) {
      return t.nextProperty(OBJECT, cursor, KEY, VALUE);
    }
    return t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE) ? 0 : -1;
  }

  /** Two objects, and lists that say what is in them. */
  private static @Nullable String moveByRanges(Heap heap) {
    Mutator t = heap.mutator();
    for (int run = 0; run < 20; run++) {
      RandomGenerator random = new SplittableRandom(run);
      List<List<Integer>> models = List.of(new ArrayList<>(), new ArrayList<>());
      t.newObject(OBJECT);
      t.newObject(OTHER, 0, 3, run % 2 == 0 ? 0 : 20);
      t.setUndefined(LIST);
      for (int step = 0; step < 300; step++) {
        int o = random.nextInt(2);
        change(t, random, models, o, step);
        growList(t);
        if (run % 4 != 0 && random.nextInt(20) == 0) {
          heap.collect(random.nextBoolean() ? CollectFlags.EMERGENCY : 0);
        }
        String wrong = compare(t, models);
        wrong = wrong == null && step % 10 == 0 ? walk(t, o, models.get(o)) : wrong;
        if (wrong != null) {
          return wrong + ", run " + run + ", step " + step;
        }
      }
    }
    return null;
  }

  private static void change(
      Mutator t, RandomGenerator random, List<List<Integer>> models, int o, int step) {
    List<Integer> model = models.get(o);
    int n = model.size();
    int at = n == 0 ? 0 : random.nextInt(n);
    switch (random.nextInt(5)) {
      case 0 -> {
        t.newRecord(VALUE, 1);
        t.storeInt(VALUE, 0, step);
        t.insertAt(o, at, VALUE);
        t.setUndefined(VALUE);
        model.add(at, step);
      }
      case 1 -> {
        put(t, o, n, step);
        model.add(step);
      }
      case 2 -> {
        if (n > 0) {
          t.removeAt(o, at);
          model.subList(at, at + 1).clear();
        }
      }
      case 3 -> {
        if (n > 0) {
          t.setInt(KEY, at);
          boolean _ = t.deleteProperty(o, KEY);
          model.set(at, -1);
        }
      }
      default -> {
        int from = random.nextInt(20);
        int to = random.nextInt(20);
        int count = random.nextInt(30);
        int source = random.nextInt(2);
        t.moveRange(o, to, source, from, count);
        List<Integer> copied = new ArrayList<>(models.get(source));
        for (int i = 0; i < count; i++) {
          set(model, to + i, from + i < copied.size() ? copied.get(from + i) : -1);
        }
      }
    }
  }

  /** What is not there makes no list longer. */
  private static void set(List<Integer> model, int index, int number) {
    while (number >= 0 && model.size() <= index) {
      model.add(-1);
    }
    if (index < model.size()) {
      model.set(index, number);
    }
  }

  private static @Nullable String compare(Mutator t, List<List<Integer>> models) {
    for (int o = 0; o < models.size(); o++) {
      List<Integer> model = models.get(o);
      int count = (int) model.stream().filter(n -> n >= 0).count();
      String wrong = expectCount(t, o, model.size(), count);
      for (int i = 0; i < model.size() && wrong == null; i++) {
        wrong = expect(t, o, i, model.get(i));
      }
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  private static @Nullable String walk(Mutator t, int o, List<Integer> model) {
    int n = 0;
    for (long c = 0; (c = t.nextProperty(o, c, KEY, VALUE)) >= 0; n++) {
      if (t.loadInt(VALUE, 0) != model.get(t.getInt(KEY))) {
        return "expected %d in a walk, found %d"
            .formatted(model.get(t.getInt(KEY)), t.loadInt(VALUE, 0));
      }
    }
    t.setUndefined(VALUE);
    return n == t.propertyCount(o)
        ? null
        : "expected a walk over " + t.propertyCount(o) + " indexes, found " + n;
  }

  /** Calls make a list longer, so that a collector which works by the way has work to do. */
  private static void growList(Mutator t) {
    for (int i = 0; i < 10; i++) {
      t.enter(2, LIST, 1);
      t.newObject(1, StorePlace.LARGE);
      t.store(1, 0, 0);
      t.leave(1, LIST);
    }
  }

  /** The finalizer of what is removed appends a number: nothing of it is lost. */
  private static @Nullable String areRemoved(Heap heap) {
    Mutator t = heap.mutator();
    GlobalRef global = heap.newGlobal();
    t.newObject(OBJECT);
    t.setGlobal(global, OBJECT);
    t.newRecord(VALUE, 1);
    t.setFinalizer(
        VALUE,
        "appends",
        (x, closing) -> {
          if (!closing) {
            x.enter(2);
            x.getGlobal(0, global);
            append(x, x.arrayLength(0));
            x.leave();
          }
        });
    t.putIndex(OBJECT, 0, VALUE);
    t.setUndefined(VALUE);
    put(t, OBJECT, 1, 1);
    put(t, OBJECT, 2, 2);
    t.removeAt(OBJECT, 0);
    heap.collect();
    heap.collect();
    String wrong = expectCount(t, OBJECT, 3, 3);
    for (int i = 0; i < 2 && wrong == null; i++) {
      wrong = expect(t, OBJECT, i, i + 1);
    }
    return wrong != null || t.getAt(OBJECT, 2) == Values.ofInt(2)
        ? wrong
        : "expected what the finalizer appended in index 2";
  }

  /** Appends a number to the object in slot 0. */
  private static void append(Mutator t, int length) {
    t.setInt(1, length);
    t.putIndex(0, length, 1);
  }

  private static @Nullable String areWeak(Heap heap) {
    Mutator t = heap.mutator();
    t.newWeakObject(OBJECT, Weakness.VALUES);
    for (int i = 0; i < 100; i++) {
      put(t, OBJECT, i, i);
    }
    t.newRecord(OTHER, 1);
    t.storeInt(OTHER, 0, 7);
    t.putIndex(OBJECT, 3, OTHER);
    t.setInt(VALUE, 8);
    t.putIndex(OBJECT, 4, VALUE);
    heap.collect();
    heap.collect();
    String wrong = expectCount(t, OBJECT, 100, 2);
    wrong = wrong != null ? wrong : expect(t, OBJECT, 3, 7);
    t.setArrayLength(OBJECT, 4);
    return wrong != null ? wrong : expectCount(t, OBJECT, 4, 1);
  }
}
