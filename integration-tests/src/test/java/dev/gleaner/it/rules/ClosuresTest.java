package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Function closures, which loop through {@code prototype.constructor} by default. */
@Tag("D31")
class ClosuresTest extends AllCollectors {
  ClosuresTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("memory.max = 2MiB");
  private final Mutator t = heap.mutator();

  /** An object with its code inline and {@code f.prototype.constructor === f}, in slot d. */
  private void closure(int d, boolean withPrototype) {
    t.enter(5);
    t.newFunction(1, 1, 0);
    t.newObject(0, 1);
    t.store(0, 0, 1);
    if (withPrototype) {
      t.newObject(2);
      t.newString(3, "prototype");
      t.newString(4, "constructor");
      t.putProperty(0, 3, 2);
      t.putProperty(2, 4, 0);
    }
    t.leave(0, d);
  }

  @Test
  @Needs("cycles")
  void areReclaimedThoughTheyLoop() {
    t.enter(1);
    for (int i = 0; i < 20_000; i++) { // many times what the heap holds
      closure(0, true);
    }
    t.setUndefined(0);
    heap.collect();
    assertThat(count(heap, Kind.OBJECT)).isZero();
    assertThat(count(heap, Kind.FUNCTION)).isZero();
    assertThat(count(heap, Kind.STRING)).isZero();
  }

  @Test
  void areKeptAsAWholeByTheirPrototypeAlone() {
    t.enter(2);
    closure(0, true);
    t.newString(1, "prototype");
    t.getProperty(0, 0, 1);
    t.setUndefined(1);
    heap.collect();
    assertThat(count(heap, Kind.OBJECT)).isEqualTo(2);
    t.newString(1, "constructor");
    t.getProperty(0, 0, 1);
    t.load(1, 0, 0);
    assertThat(t.kind(1)).isEqualTo(Kind.FUNCTION);
  }

  @Test
  void aLazilyMadePrototypeAvoidsTheLoopAndItsMemory() {
    t.enter(1);
    heap.collect();
    long before = used(heap);
    closure(0, false);
    heap.collect();
    long lazy = used(heap) - before;
    closure(0, true);
    heap.collect();
    assertThat(used(heap) - before).isGreaterThan(3 * lazy);
  }
}
