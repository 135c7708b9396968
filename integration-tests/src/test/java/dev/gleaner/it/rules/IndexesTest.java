package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Integer keys, as every operation on them sees them; the kit has the rules. */
@Tag("L3")
class IndexesTest extends AllCollectors {
  private static final int OBJECT = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int SLOTS = 3;

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
  void whatIsNoIndexOrRangeIsRefused() {
    t.enter(SLOTS);
    t.newObject(OBJECT);
    put(0, 1);
    List<ThrowingCallable> refused =
        List.of(
            () -> t.putIndex(OBJECT, -1, VALUE),
            () -> t.putIndex(OBJECT, Integer.MAX_VALUE, VALUE),
            () -> t.insertAt(OBJECT, -1, VALUE),
            () -> t.insertAt(OBJECT, 2, VALUE),
            () -> t.removeAt(OBJECT, 1),
            () -> t.moveRange(OBJECT, 0, OBJECT, Integer.MAX_VALUE - 2, 2),
            () -> t.moveRange(OBJECT, 0, OBJECT, 0, -1));
    for (ThrowingCallable r : refused) {
      assertThatThrownBy(r).isInstanceOf(HeapUsageException.class);
    }
    assertThatThrownBy(() -> t.setArrayLength(OBJECT, -1)).hasMessage("negative length: -1");
    assertThat(t.arrayLength(OBJECT)).isOne();
  }

  @Test
  void anObjectKeepsItsRoomForIndexesWhenHolesMove() {
    t.enter(SLOTS);
    t.newObject(OBJECT, 0, 1, 16);
    t.newString(KEY, "key");
    t.putProperty(OBJECT, KEY, KEY);
    t.setArrayLength(OBJECT, 12);
    long others = (64 << 20) - 200 - heap.statistics().usedBytes(); // one table fits
    heap.reserveExternal(others);
    t.setInt(VALUE, 7);
    t.insertAt(OBJECT, 9, VALUE);
    heap.releaseExternal(others);
    put(14, 8);
    assertThat(t.arrayLength(OBJECT)).isEqualTo(15);
    long first = t.nextProperty(OBJECT, 0, KEY, VALUE);
    assertThat(t.getInt(KEY)).isEqualTo(9);
    assertThat(t.nextProperty(OBJECT, first, KEY, VALUE)).isPositive();
    assertThat(t.getInt(KEY)).isEqualTo(14); // in the array: before the entry
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

  @Test
  void longRunsOfIndexesWithoutValueAreTold() {
    List<Long> told = new ArrayList<>();
    heap.addListener(
        new HeapListener() {
          @Override
          public void searched(long bytes) {
            told.add(bytes);
          }
        });
    t.enter(SLOTS);
    t.newObject(OBJECT);
    for (int i = 0; i < 10_000; i++) {
      put(i, i);
    }
    for (int i = 1; i < 10_000; i++) {
      t.setInt(KEY, i);
      assertThat(t.deleteProperty(OBJECT, KEY)).isTrue();
      if (i == 2047 || i == 2048) {
        assertThat(t.nextProperty(OBJECT, 1, KEY, VALUE)).isEqualTo(i + 2);
      }
    }
    t.setInt(KEY, 0);
    assertThat(t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE)).isFalse();
    assertThat(t.nextProperty(OBJECT, 0, KEY, VALUE)).isEqualTo(1);
    assertThat(told).containsExactly(2048L * 8, 9_999L * 8);
    t.leave();
  }
}
