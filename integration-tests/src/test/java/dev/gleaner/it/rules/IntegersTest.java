package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Integers of 64 bits: to a program they are values, wherever the heap keeps them. */
@Tag("L7")
class IntegersTest extends AllCollectors {
  private static final long[] EDGES = {
    0,
    -1,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE + 1L,
    Integer.MIN_VALUE - 1L,
    1L << 48,
    (1L << 53) - 1,
    1L << 53,
    (1L << 53) + 1,
    -(1L << 53) - 1,
    Long.MAX_VALUE,
    Long.MAX_VALUE - 1,
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1
  };

  private static final long BIG = 9_000_000_000L;

  IntegersTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("voluntary.enabled = false");
  private final Mutator t = heap.mutator();

  @Test
  void comeBackFromEveryPlace() {
    t.enter(6);
    t.newRecord(0, 1);
    t.newObject(1, 1);
    t.newThread(2);
    GlobalRef global = heap.newGlobal();
    for (long v : EDGES) {
      t.setLong(3, v);
      t.store(0, 0, 3);
      t.store(1, 0, 3);
      t.putIndex(1, 0, 3);
      t.push(2, 3);
      t.setGlobal(global, 3);
      t.setUndefined(3);
      heap.collect();
      heap.collect(CollectFlags.EMERGENCY);
      t.load(3, 0, 0);
      assertThat(t.getLong(3)).isEqualTo(v);
      t.load(3, 1, 0);
      assertThat(t.getLong(3)).isEqualTo(v);
      t.getIndex(3, 1, 0);
      assertThat(t.getLong(3)).isEqualTo(v);
      t.pop(2, 3);
      assertThat(t.getLong(3)).isEqualTo(v);
      t.getGlobal(3, global);
      assertThat(t.getLong(3)).isEqualTo(v);
      assertThat(t.same(3, 3)).isTrue();
      t.setLong(4, v);
      assertThat(t.same(3, 4)).isTrue();
      t.setLong(4, v ^ 1);
      assertThat(t.same(3, 4)).isFalse();
      t.setDouble(4, (double) v);
      assertThat(t.same(3, 4)).isFalse();
    }
  }

  @Test
  void areNoElementsToAProgram() {
    t.enter(3);
    long before = heap.statistics().liveElements();
    t.setLong(0, BIG);
    assertThat(t.type(0)).isEqualTo(ValueType.INT);
    assertThat(t.isInteger(0)).isTrue();
    assertThat(t.isReference(0)).isFalse();
    assertThat(t.isUndefined(0)).isFalse();
    assertThat(Values.isReference(t.get(0))).isTrue();
    assertThat(heap.statistics().liveElements()).isEqualTo(before);
    assertThat(heap.statistics().live(Kind.INTEGER)).isEqualTo(1);
    List<ThrowingCallable> refused =
        List.of(
            () -> t.kind(0),
            () -> t.identityHash(0),
            () -> t.newWeak(0),
            () -> t.setFinalizer(0, "f", (_, _) -> {}),
            () -> t.hasFinalizer(0),
            () -> t.load(1, 0, 0),
            () -> t.store(0, 0, 1),
            () -> t.getString(0),
            () -> t.putIndex(0, 0, 1),
            () -> t.stringLength(0));
    for (ThrowingCallable r : refused) {
      assertThatThrownBy(r).isInstanceOf(HeapUsageException.class);
    }
    assertThatThrownBy(() -> t.kind(0)).hasMessage("not an element: slot 0 holds int");
    assertThatThrownBy(() -> t.getInt(0)).hasMessage("not of 32 bits: slot 0 holds 9000000000");
    assertThatThrownBy(() -> t.set(1, t.get(0))).isInstanceOf(HeapUsageException.class);
    t.setDouble(1, BIG);
    assertThatThrownBy(() -> t.getLong(1)).hasMessage("not an integer: slot 1 holds double");
    assertThat(t.isInteger(1)).isFalse();
    t.newRecord(1, 1);
    assertThat(t.isInteger(1)).isFalse();
    t.store(1, 0, 0);
    assertThatThrownBy(() -> t.loadInt(1, 0)).hasMessage("not of 32 bits: slot 0 holds 9000000000");
  }

  @Test
  void goWhenNobodyHoldsThem() {
    t.enter(2);
    for (int i = 0; i < 1000; i++) {
      t.setLong(0, BIG + i);
    }
    t.setLong(0, 7);
    heap.collect();
    assertThat(heap.statistics().live(Kind.INTEGER)).isZero();
    assertThat(t.get(0)).isEqualTo(Values.ofInt(7));
  }

  @Test
  void areKeysByValue() {
    t.enter(4);
    t.newObject(0);
    for (int i = 0; i < EDGES.length; i++) {
      t.setLong(1, EDGES[i]);
      t.setInt(2, i);
      t.putProperty(0, 1, 2);
    }
    assertThat(t.propertyCount(0)).isEqualTo(EDGES.length);
    heap.collect(CollectFlags.EMERGENCY);
    for (int i = 0; i < EDGES.length; i++) {
      t.setLong(1, EDGES[i]);
      assertThat(t.getOwnProperty(2, 0, 1)).isTrue();
      assertThat(t.getInt(2)).isEqualTo(i);
      assertThat(t.lookUp(2, 0, 1)).isEqualTo(Values.ofInt(i));
      t.setInt(2, -i);
      assertThat(t.update(0, 1, 2)).isTrue();
      t.setInt(2, i);
      t.putProperty(0, 1, 2);
      double d = EDGES[i];
      if (d < 0x1p63 && (long) d == EDGES[i]) {
        t.setDouble(1, d);
        assertThat(t.lookUp(2, 0, 1)).as("%s", d).isEqualTo(Values.ofInt(i));
        t.putProperty(0, 1, 2);
      }
    }
    assertThat(t.propertyCount(0)).isEqualTo(EDGES.length);
    t.setDouble(1, 0x1p63);
    assertThat(t.hasProperty(0, 1)).isFalse();
    t.putProperty(0, 1, 2);
    assertThat(t.propertyCount(0)).isEqualTo(EDGES.length + 1);
    for (long edge : EDGES) {
      t.setLong(1, edge);
      assertThat(t.deleteProperty(0, 1)).isTrue();
      assertThat(t.hasProperty(0, 1)).isFalse();
    }
    assertThat(t.propertyCount(0)).isEqualTo(1);
  }

  @Test
  void aDoubleIsTheKeyOfItsInteger() {
    t.enter(4);
    t.newObject(0);
    for (int i = 0; i < 100; i++) {
      t.setDouble(1, (double) BIG * i);
      t.setInt(2, i);
      t.putProperty(0, 1, 2);
    }
    heap.collect(CollectFlags.EMERGENCY);
    long sum = 0;
    for (long c = t.nextProperty(0, 0, 1, 2); c >= 0; c = t.nextProperty(0, c, 1, 2)) {
      assertThat(t.getLong(1)).isEqualTo(BIG * t.getInt(2));
      sum += t.getLong(1);
    }
    assertThat(sum).isEqualTo(BIG * 4950);
    t.setUndefined(1);
    int steps = 0;
    while (t.nextPropertyAfter(0, 1, 1, 2)) {
      assertThat(t.deleteProperty(0, 1)).isTrue();
      t.setDouble(1, (double) t.getLong(1));
      steps++;
    }
    assertThat(steps).isEqualTo(100);
    assertThat(t.propertyCount(0)).isZero();
  }

  @Test
  void stayInWeakTables() {
    t.enter(4);
    for (int weakness = Weakness.KEYS; weakness <= Weakness.BOTH; weakness++) {
      t.newWeakObject(0, weakness);
      for (int i = 0; i < 50; i++) {
        t.setLong(1, BIG + i);
        t.setLong(2, -BIG - i);
        t.putProperty(0, 1, 2);
        t.setDouble(1, BIG * (2.0 + i));
        t.putProperty(0, 1, 2);
      }
      t.wipe(1);
      heap.collect();
      heap.collect();
      assertThat(t.propertyCount(0)).isEqualTo(100);
      for (int i = 0; i < 50; i++) {
        t.setLong(1, BIG + i);
        t.getProperty(2, 0, 1);
        assertThat(t.getLong(2)).isEqualTo(-BIG - i);
      }
      t.newRecord(2, 0);
      t.putProperty(0, 1, 2);
      t.setUndefined(2);
      heap.collect();
      assertThat(t.propertyCount(0)).isEqualTo(weakness == Weakness.KEYS ? 100 : 99);
    }
  }

  @Test
  void areWrittenAndRead() {
    t.enter(3);
    for (long v : EDGES) {
      t.setLong(0, v);
      t.concat(1, 0, 1);
      assertThat(t.getString(1)).isEqualTo(Long.toString(v));
      assertThat(t.toNumber(2, 1)).isTrue();
      assertThat(t.getLong(2)).isEqualTo(v);
      assertThat(t.same(0, 2)).isTrue();
    }
    t.newString(1, "9223372036854775808");
    assertThat(t.toNumber(2, 1)).isTrue();
    assertThat(t.getDouble(2)).isEqualTo(0x1p63);
  }

  @Test
  void leaveFrames() {
    t.enter(2);
    t.newRecord(0, 1);
    for (int i = 0; i < 3000; i++) {
      t.enter(3, 0, 1);
      t.setLong(1, BIG + i);
      t.store(0, 0, 1);
      t.setLong(2, BIG * i);
      t.leave(2, 1);
      if (i > 0) {
        assertThat(t.getLong(1)).isEqualTo(BIG * i);
      }
      t.load(1, 0, 0);
      assertThat(t.getLong(1)).isEqualTo(BIG + i);
    }
  }
}
