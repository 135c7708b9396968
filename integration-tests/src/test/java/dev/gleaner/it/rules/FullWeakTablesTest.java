package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapExhaustedException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Weak tables in a heap that has no memory left: what the heap needs for them is refused, too. */
@Tag("D26")
class FullWeakTablesTest extends AllCollectors {
  private static final int TABLE = 0;
  private static final int HOLDER = 1;
  private static final int VALUE = 2;
  private static final int KEY = 3;
  private static final int SPARE = 4;
  private static final int MOST = 100_000;

  FullWeakTablesTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("memory.max = 128KiB, voluntary.enabled = false");
  private final Mutator t = heap.mutator();

  /** Puts fresh elements into the table, held by the holder, until memory is full. */
  private int fill() {
    int n = 0;
    try {
      for (; n < MOST; n++) {
        t.newRecord(VALUE, 1);
        t.setInt(KEY, n);
        t.putProperty(HOLDER, KEY, VALUE);
        t.putProperty(TABLE, KEY, VALUE);
      }
    } catch (HeapExhaustedException _) {
      // full
    }
    t.setNull(VALUE);
    return n;
  }

  /** Takes the last bytes, so that no index of any size has room. */
  private void fillRest() {
    t.setNull(SPARE);
    try {
      for (int i = 0; i < MOST; i++) {
        t.newRecord(VALUE, 2);
        t.store(VALUE, 0, SPARE);
        t.load(SPARE, VALUE, 0);
        t.newRecord(VALUE, 2);
        t.store(VALUE, 0, SPARE);
        t.setNull(SPARE);
        t.newRecord(SPARE, 1);
        t.store(SPARE, 0, VALUE);
      }
    } catch (HeapExhaustedException _) {
      // full
    }
    t.setNull(VALUE);
  }

  private long entries() {
    long n = 0;
    for (long c = t.nextProperty(TABLE, 0, KEY, VALUE);
        c >= 0;
        c = t.nextProperty(TABLE, c, KEY, VALUE)) {
      n++;
    }
    t.setNull(VALUE);
    return n;
  }

  @Test
  void valuesGoWhereAnIndexHasNoRoom() {
    t.enter(5);
    t.newWeakObject(TABLE, Weakness.VALUES);
    t.newObject(HOLDER);
    int n = fill();
    fillRest();
    assertThat(n).isGreaterThan(100);
    long before = entries();
    for (int i = 0; i < n; i += 2) {
      t.setInt(KEY, i);
      assertThat(t.deleteProperty(HOLDER, KEY)).isTrue();
    }
    assertThat(heap.inspect().verify()).isEmpty();
    t.setNull(SPARE);
    heap.collect();
    assertThat(entries()).isEqualTo(before - (n + 1) / 2);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void aTableIsRefusedThatHasNoRoomAndTheSlotKeepsItsValue() {
    t.enter(5);
    t.newObject(HOLDER);
    t.newRecord(TABLE, 1);
    t.storeInt(TABLE, 0, 7);
    int n = 0;
    try {
      for (; n < MOST; n++) {
        t.newWeakObject(VALUE, Weakness.KEYS);
        t.setInt(KEY, n);
        t.putProperty(HOLDER, KEY, VALUE);
        t.setNull(VALUE);
        t.copy(SPARE, TABLE);
        t.newWeakObject(SPARE, Weakness.KEYS);
      }
    } catch (HeapExhaustedException _) {
      // full
    }
    assertThat(n).isBetween(10, MOST - 1);
    assertThat(t.loadInt(TABLE, 0)).isEqualTo(7);
    assertThat(heap.inspect().verify()).isEmpty();
    t.setNull(HOLDER);
    t.setNull(SPARE);
    t.setNull(VALUE);
    heap.collect();
    t.newWeakObject(VALUE, Weakness.BOTH);
    assertThat(heap.inspect().verify()).isEmpty();
  }
}
