package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapUsageException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Integers of 64 bits, as messages, figures and text tell of them; the kit has the rules. */
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
}
