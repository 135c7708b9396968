package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Integer keys: one property, whether it is in the array or among the entries. */
@Tag("L3")
class IndexesTest extends AllCollectors {
  private static final int OBJECT = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int WALK = 3;
  private static final int SLOTS = 6;

  IndexesTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("voluntary.enabled = false, memory.max = 64MiB");
  private final Mutator t = heap.mutator();

  private void put(int index, int value) {
    t.setInt(VALUE, value);
    t.putIndex(OBJECT, index, VALUE);
  }

  private int get(int index) {
    t.setInt(KEY, index);
    long v = t.lookUp(VALUE, OBJECT, KEY);
    assertThat(t.getAt(OBJECT, index)).isEqualTo(v);
    t.getIndex(VALUE, OBJECT, index);
    assertThat(t.get(VALUE)).isEqualTo(v == Values.ABSENT ? Values.UNDEFINED : v);
    assertThat(t.getOwnProperty(VALUE, OBJECT, KEY)).isEqualTo(v != Values.ABSENT);
    t.setDouble(KEY, index);
    assertThat(t.hasProperty(OBJECT, KEY)).isEqualTo(v != Values.ABSENT);
    return v == Values.ABSENT ? -1 : Values.toInt(v);
  }

  private void fill(int n, IntUnaryOperator index) {
    t.newObject(OBJECT);
    for (int i = 0; i < n; i++) {
      put(index.applyAsInt(i), i);
    }
    for (int i = 0; i < n; i++) {
      assertThat(get(index.applyAsInt(i))).isEqualTo(i);
    }
    assertThat(t.propertyCount(OBJECT)).isEqualTo(n);
    heap.collect(CollectFlags.EMERGENCY);
    for (int i = 0; i < n; i++) {
      assertThat(get(index.applyAsInt(i))).isEqualTo(i);
    }
    assertThat(walked()).hasSize(n);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  private Set<Integer> walked() {
    Set<Integer> seen = new HashSet<>();
    for (long c = t.nextProperty(OBJECT, 0, KEY, VALUE);
        c >= 0;
        c = t.nextProperty(OBJECT, c, KEY, VALUE)) {
      assertThat(seen.add(t.getInt(KEY))).isTrue();
      assertThat(t.getAt(OBJECT, t.getInt(KEY))).isEqualTo(t.get(VALUE));
    }
    Set<Integer> fromKeys = new HashSet<>();
    t.setUndefined(KEY);
    while (t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE)) {
      assertThat(fromKeys.add(t.getInt(KEY))).isTrue();
    }
    assertThat(fromKeys).isEqualTo(seen);
    return seen;
  }

  @Test
  void anyOrderOfPuttingWillDo() {
    t.enter(SLOTS);
    fill(1000, i -> i);
    fill(1000, i -> i + 1);
    fill(1000, i -> 999 - i);
    fill(1000, i -> 1000 - i);
    fill(1000, i -> 2 * i);
    fill(1000, i -> (int) (i * 7919L % 1000));
    fill(300, i -> i * 1_000_003);
    fill(32, i -> i == 31 ? Integer.MAX_VALUE - 1 : 1 << i);
  }

  @Test
  void whatBecomesDenseTakesTheMemoryOfAnArray() {
    t.enter(SLOTS);
    for (IntUnaryOperator order : new IntUnaryOperator[] {i -> i, i -> 9999 - i, i -> 10_000 - i}) {
      heap.collect(CollectFlags.EMERGENCY);
      long before = heap.statistics().usedBytes();
      t.newObject(OBJECT);
      for (int i = 0; i < 10_000; i++) {
        put(order.applyAsInt(i), i);
      }
      heap.collect(CollectFlags.EMERGENCY);
      assertThat(heap.statistics().usedBytes() - before).isLessThan(130_000);
      t.setUndefined(OBJECT);
    }
  }

  @Test
  void aFarIndexTakesNoMemoryForThoseBeforeIt() {
    t.enter(SLOTS);
    t.newObject(OBJECT);
    long before = heap.statistics().usedBytes();
    put(1_000_000_000, 1);
    put(Integer.MAX_VALUE - 1, 2);
    t.setInt(KEY, -5);
    t.putProperty(OBJECT, KEY, VALUE);
    assertThat(heap.statistics().usedBytes() - before).isLessThan(1000);
    assertThat(t.arrayLength(OBJECT)).isEqualTo(Integer.MAX_VALUE);
    assertThat(get(1_000_000_000)).isEqualTo(1);
    t.setArrayLength(OBJECT, 5);
    assertThat(t.propertyCount(OBJECT)).isEqualTo(1);
    assertThat(get(1_000_000_000)).isEqualTo(-1);
    assertThatThrownBy(() -> t.putIndex(OBJECT, -1, VALUE)).isInstanceOf(HeapUsageException.class);
    assertThatThrownBy(() -> t.setArrayLength(OBJECT, -1)).hasMessage("negative length: -1");
  }

  @Test
  void aCutDeletesAndGivesMemoryBack() {
    t.enter(SLOTS);
    t.newObject(OBJECT);
    heap.collect(CollectFlags.EMERGENCY);
    long before = heap.statistics().usedBytes();
    for (int i = 0; i < 10_000; i++) {
      t.newRecord(VALUE, 1);
      t.putIndex(OBJECT, i, VALUE);
    }
    t.setArrayLength(OBJECT, 20_000);
    assertThat(t.arrayLength(OBJECT)).isEqualTo(20_000);
    assertThat(t.propertyCount(OBJECT)).isEqualTo(10_000);
    t.setArrayLength(OBJECT, 10);
    t.setUndefined(VALUE);
    assertThat(t.arrayLength(OBJECT)).isEqualTo(10);
    assertThat(t.propertyCount(OBJECT)).isEqualTo(10);
    assertThat(get(10)).isEqualTo(-1);
    heap.collect();
    assertThat(heap.statistics().usedBytes() - before).isLessThan(1000);
    t.setArrayLength(OBJECT, 0);
    assertThat(t.propertyCount(OBJECT)).isZero();
  }

  @Test
  void bordersAreFound() {
    t.enter(SLOTS);
    t.newObject(OBJECT);
    assertThat(t.border(OBJECT)).isZero();
    put(0, 1);
    assertThat(t.border(OBJECT)).isZero();
    for (int n = 1; n <= 300; n++) {
      put(n, n);
      assertThat(t.border(OBJECT)).isEqualTo(n);
    }
    for (int n = 300; n > 0; n--) {
      t.setInt(KEY, n);
      assertThat(t.deleteProperty(OBJECT, KEY)).isTrue();
      assertThat(t.border(OBJECT)).isEqualTo(n - 1);
    }
    t.newObject(OBJECT);
    put(1 << 20, 1);
    assertThat(t.border(OBJECT)).isEqualTo(1 << 20);
    t.setArrayLength(OBJECT, 1 << 30);
    assertThat(t.border(OBJECT)).isIn(0, 1 << 20);
  }

  @Test
  void walksGoOnWhileKeysAreToMove() {
    t.enter(SLOTS);
    for (boolean byKey : new boolean[] {false, true}) {
      t.newObject(OBJECT);
      for (int i = 500; i > 400; i--) {
        put(i, i);
      }
      for (int i = 0; i < 20; i++) {
        put(i, i);
      }
      Set<Integer> seen = new HashSet<>();
      long cursor = 0;
      t.setUndefined(WALK);
      int fresh = 400;
      while (true) {
        if (byKey) {
          if (!t.nextPropertyAfter(OBJECT, WALK, WALK, VALUE)) {
            break;
          }
        } else {
          cursor = t.nextProperty(OBJECT, cursor, WALK, VALUE);
          if (cursor < 0) {
            break;
          }
        }
        int k = t.getInt(WALK);
        assertThat(seen.add(k)).as("%s twice", k).isTrue();
        if (k % 3 == 0) {
          t.deleteProperty(OBJECT, WALK);
        }
        for (int i = 0; i < 4 && fresh > 20; i++) {
          put(fresh, fresh--);
        }
        if (k % 7 == 0) {
          heap.collect(CollectFlags.EMERGENCY);
        }
      }
      for (int i = 0; i < 20; i++) {
        assertThat(seen).contains(i);
      }
      for (int i = 500; i > 400; i--) {
        assertThat(seen).contains(i);
      }
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @Test
  void weakTablesHaveIndexesAmongTheirEntries() {
    t.enter(SLOTS);
    t.newWeakObject(OBJECT, Weakness.VALUES);
    for (int i = 0; i < 100; i++) {
      t.newRecord(VALUE, 0);
      t.putIndex(OBJECT, i, VALUE);
    }
    assertThat(t.arrayLength(OBJECT)).isEqualTo(100);
    put(3, 7);
    t.setAt(OBJECT, 4, Values.TRUE);
    heap.collect();
    heap.collect();
    assertThat(t.propertyCount(OBJECT)).isEqualTo(2);
    assertThat(get(3)).isEqualTo(7);
    t.setArrayLength(OBJECT, 4);
    assertThat(t.propertyCount(OBJECT)).isEqualTo(1);
  }

  @Test
  void manyIndexesAreCopiedAtOnce() {
    long seed = Long.getLong("gleaner.seed", 42);
    t.enter(SLOTS);
    for (int run = 0; run < 20; run++) {
      Random random = new Random(seed + run);
      List<List<Integer>> models = List.of(new ArrayList<>(), new ArrayList<>());
      t.newObject(OBJECT);
      t.newObject(WALK, 0, 3, run % 2 == 0 ? 0 : 20);
      for (int step = 0; step < 300; step++) {
        int which = random.nextInt(2);
        int o = which == 0 ? OBJECT : WALK;
        List<Integer> model = models.get(which);
        int n = model.size();
        t.newRecord(VALUE, 1);
        t.storeInt(VALUE, 0, step);
        switch (random.nextInt(6)) {
          case 0, 1 -> {
            int at = random.nextInt(n + 1);
            t.insertAt(o, at, VALUE);
            model.add(at, step);
          }
          case 2 -> {
            if (n > 0) {
              int at = random.nextInt(n);
              t.removeAt(o, at);
              model.subList(at, at + 1).clear();
            }
          }
          case 3 -> {
            t.putIndex(o, n, VALUE);
            model.add(step);
          }
          case 4 -> {
            if (n > 0) {
              int at = random.nextInt(n);
              t.setInt(KEY, at);
              t.deleteProperty(o, KEY);
              model.set(at, null);
            }
          }
          default -> {
            int from = random.nextInt(20);
            int to = random.nextInt(20);
            int count = random.nextInt(30);
            int source = random.nextInt(2);
            t.moveRange(o, to, source == 0 ? OBJECT : WALK, from, count);
            List<Integer> copy = new ArrayList<>(models.get(source));
            for (int i = 0; i < count; i++) {
              Integer v = from + i < copy.size() ? copy.get(from + i) : null;
              while (v != null && model.size() <= to + i) {
                model.add(null);
              }
              if (to + i < model.size()) {
                model.set(to + i, v);
              }
            }
          }
        }
        t.setUndefined(VALUE);
        if (random.nextInt(20) == 0) {
          heap.collect(random.nextBoolean() ? CollectFlags.EMERGENCY : 0);
        }
        for (int m = 0; m < 2; m++) {
          compare(m == 0 ? OBJECT : WALK, models.get(m), seed);
        }
      }
      assertThat(heap.inspect().verify()).as("seed %s", seed).isEmpty();
    }
    assertThatThrownBy(() -> t.insertAt(OBJECT, -1, VALUE)).isInstanceOf(HeapUsageException.class);
    assertThatThrownBy(() -> t.removeAt(OBJECT, 1 << 20)).isInstanceOf(HeapUsageException.class);
    assertThatThrownBy(() -> t.moveRange(OBJECT, 0, OBJECT, Integer.MAX_VALUE - 2, 2))
        .isInstanceOf(HeapUsageException.class);
  }

  private void compare(int o, List<Integer> model, long seed) {
    assertThat(t.arrayLength(o)).as("seed %s", seed).isEqualTo(model.size());
    int n = 0;
    for (int i = 0; i < model.size(); i++) {
      t.getIndex(VALUE, o, i);
      if (model.get(i) == null) {
        assertThat(t.isUndefined(VALUE)).as("seed %s", seed).isTrue();
      } else {
        assertThat(t.loadInt(VALUE, 0)).as("seed %s", seed).isEqualTo(model.get(i));
        n++;
      }
    }
    t.setUndefined(VALUE);
    assertThat(t.propertyCount(o)).as("seed %s", seed).isEqualTo(n);
  }

  @Test
  void randomProgramsAgreeWithAMap() {
    long seed = Long.getLong("gleaner.seed", 42);
    t.enter(SLOTS);
    for (int run = 0; run < 30; run++) {
      Random random = new Random(seed + run);
      t.newObject(OBJECT);
      Map<Integer, Integer> model = new HashMap<>();
      int length = 0;
      int range = 1 << random.nextInt(3, 14);
      for (int step = 0; step < 2000; step++) {
        int index = random.nextInt(10) == 0 ? random.nextInt(1 << 30) : random.nextInt(range);
        switch (random.nextInt(12)) {
          case 0, 1, 2 -> {
            t.setInt(KEY, index);
            assertThat(t.deleteProperty(OBJECT, KEY)).isEqualTo(model.remove(index) != null);
          }
          case 3 -> {
            if (random.nextInt(20) == 0) {
              length = random.nextInt(2 * range);
              t.setArrayLength(OBJECT, length);
              int end = length;
              model.keySet().removeIf(k -> k >= end);
            }
          }
          case 4 -> {
            int border = t.border(OBJECT);
            assertThat(border == 0 || model.containsKey(border)).as("seed %s", seed).isTrue();
            assertThat(model.containsKey(border + 1)).as("seed %s", seed).isFalse();
          }
          case 5 -> {
            if (random.nextInt(50) == 0) {
              heap.collect(random.nextBoolean() ? CollectFlags.EMERGENCY : 0);
            }
          }
          case 6 -> {
            if (random.nextInt(100) == 0) {
              assertThat(walked()).isEqualTo(model.keySet());
            }
          }
          case 7 -> {
            t.setInt(KEY, index);
            t.setInt(VALUE, step);
            boolean done = t.update(OBJECT, KEY, VALUE);
            assertThat(done).isEqualTo(model.containsKey(index) || index == length);
            if (done) {
              model.put(index, step);
              length = Math.max(length, index + 1);
            }
          }
          default -> {
            put(index, step);
            model.put(index, step);
            length = Math.max(length, index + 1);
          }
        }
        assertThat(t.arrayLength(OBJECT)).isEqualTo(length);
        assertThat(t.propertyCount(OBJECT)).as("seed %s, %s", seed, step).isEqualTo(model.size());
      }
      for (Map.Entry<Integer, Integer> e : model.entrySet()) {
        assertThat(get(e.getKey())).isEqualTo(e.getValue());
      }
      assertThat(heap.inspect().verify()).as("seed %s", seed).isEmpty();
    }
  }
}
