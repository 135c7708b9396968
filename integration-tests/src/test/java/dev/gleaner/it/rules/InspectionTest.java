package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapUsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What can be seen from outside: paths to roots, figures. */
@Tag("D7")
class InspectionTest extends AllCollectors {
  InspectionTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("voluntary.enabled = false");
  private final Mutator t = heap.mutator();

  @Test
  void aPathLeadsFromARootThroughEveryKindOfReference() {
    t.enter(10);
    t.newRecord(0, 2); // what is looked for
    GlobalRef global = heap.newGlobal();
    t.newRecord(1, 3);
    t.newObject(2, 2);
    t.newObject(3);
    t.newFunction(4, 2, 1);
    t.newFunction(5, 1, 0);
    t.newString(6, "name");
    t.store(1, 2, 2);
    t.store(2, 1, 3);
    t.newObject(7);
    t.setPrototype(3, 7);
    t.putProperty(7, 6, 4);
    t.storeInner(4, 0, 5);
    t.newObject(8);
    t.storeConstant(5, 0, 8);
    t.putIndex(8, 3, 0);
    t.setGlobal(global, 1);
    t.wipe(1);
    assertThat(heap.inspect().pathToRoot(0))
        .containsExactly(
            "root: record of 3",
            "[2]: object",
            "[1]: object",
            "prototype: object",
            ".name: function",
            "(2): function",
            "(0): object",
            "[3]: record of 2");
  }

  @Test
  void aPathThroughAThreadsStackAndAKey() {
    t.enter(4);
    GlobalRef global = heap.newGlobal();
    t.newThread(0);
    t.setGlobal(global, 0);
    t.newObject(1);
    t.push(0, 1);
    t.newString(2, "key");
    t.putProperty(1, 2, 3);
    t.setUndefined(1);
    t.setUndefined(0);
    assertThat(heap.inspect().pathToRoot(2))
        .containsExactly("root: thread", "on its stack: object", "key: string \"key\"");
  }

  /** Neither from the table to what a key holds, nor through the key that it does not hold. */
  @Test
  @Tag("L4")
  void aPathGoesByAWeakKeyToItsValue() {
    t.enter(6);
    t.newWeakObject(0, Weakness.KEYS);
    t.newRecord(1, 1); // the key
    t.newRecord(2, 2);
    t.putProperty(0, 1, 2);
    GlobalRef table = heap.newGlobal();
    t.setGlobal(table, 0);
    t.setUndefined(0);
    assertThat(heap.inspect().pathToRoot(1)).isEmpty();
    GlobalRef key = heap.newGlobal();
    t.newRecord(3, 1);
    t.store(3, 0, 1);
    t.setGlobal(key, 3);
    t.wipe(3);
    t.setUndefined(1);
    assertThat(heap.inspect().pathToRoot(2))
        .containsExactly(
            "root: record of 1", "[0]: record of 1", "as a weak key, value: record of 2");
  }

  @Test
  @Tag("L4")
  void aPathGoesThroughWhatAWeakTableHolds() {
    t.enter(6);
    t.newWeakObject(0, Weakness.KEYS);
    t.newString(1, "name");
    t.newRecord(2, 2);
    t.putProperty(0, 1, 2);
    GlobalRef table = heap.newGlobal();
    t.setGlobal(table, 0);
    t.setUndefined(0);
    t.setUndefined(1);
    assertThat(heap.inspect().pathToRoot(2)).containsExactly("root: object", ".name: record of 2");
    t.newWeakObject(0, Weakness.VALUES);
    t.setGlobal(table, 0);
    t.newRecord(3, 3);
    t.putProperty(0, 2, 3);
    t.setUndefined(0);
    assertThat(heap.inspect().pathToRoot(2)).containsExactly("root: object", "key: record of 2");
    assertThat(heap.inspect().pathToRoot(3)).isEmpty();
  }

  @Test
  @Tag("L14")
  void aPathNamesSorts() {
    t.enter(6);
    int table = heap.sort("lua.table");
    int closure = heap.sort("lua.closure");
    assertThat(heap.sort("lua.table")).isEqualTo(table).isNotEqualTo(closure);
    t.newObject(0);
    t.setSort(0, table);
    t.newFunction(1, 1, 0);
    t.setSort(1, closure);
    t.setFunctionCode(1, 7);
    t.newRecord(2, 1);
    t.putIndex(0, 0, 1);
    t.storeConstant(1, 0, 2);
    GlobalRef global = heap.newGlobal();
    t.setGlobal(global, 0);
    t.setUndefined(0);
    t.setUndefined(1);
    heap.collect();
    assertThat(heap.inspect().pathToRoot(2))
        .containsExactly("root: lua.table", "[0]: lua.closure", "(0): record of 1");
    heap.inspect().setFunctionNames(code -> code == 7 ? "f:12" : null);
    assertThat(heap.inspect().pathToRoot(2))
        .containsExactly("root: lua.table", "[0]: lua.closure f:12", "(0): record of 1");
    t.setSort(2, closure);
    t.setSort(2, 0);
    assertThat(t.sort(2)).isZero();
  }

  @Test
  @Tag("L14")
  void thereIsRoomForFifteenSorts() {
    t.enter(1);
    t.newRecord(0, 1);
    for (int i = 1; i <= 15; i++) {
      assertThat(heap.sort("a.b" + i)).isEqualTo(i);
      t.setSort(0, i);
      assertThat(t.sort(0)).isEqualTo(i);
    }
    assertThatThrownBy(() -> heap.sort("a.c"))
        .isInstanceOf(HeapUsageException.class)
        .hasMessageStartingWith("no room for a sort a.c: there are 15 already, [a.b1, a.b2");
    for (String name : new String[] {"", "1a", "a b", "a..b", "a/b", "a.", "x".repeat(101)}) {
      assertThatThrownBy(() -> heap.sort(name))
          .isInstanceOf(HeapUsageException.class)
          .hasMessageStartingWith("no name of a sort: \"" + name + "\"");
    }
    assertThat(t.slotCount(0)).isEqualTo(1);
  }

  @Test
  void withoutAnotherReferenceThereIsNoPath() {
    t.enter(2);
    t.newRecord(0, 1);
    assertThat(heap.inspect().pathToRoot(0)).isEmpty();
    t.store(0, 0, 0);
    assertThat(heap.inspect().pathToRoot(0)).isEmpty();
    t.copy(1, 0);
    assertThat(heap.inspect().pathToRoot(0))
        .containsExactly("root: thread", "on its stack: record of 1");
    assertThatThrownBy(
            () -> {
              t.setInt(1, 5);
              heap.inspect().pathToRoot(1);
            })
        .isInstanceOf(HeapUsageException.class);
  }

  @Test
  void figuresCanBeReadFromAnyThreadAndCallsCannotBeMade() {
    t.enter(1);
    t.newRecord(0, 5);
    HeapStatistics here = heap.statistics();
    HeapStatistics there = CompletableFuture.supplyAsync(heap::snapshot).join();
    assertThat(there.usedBytes()).isEqualTo(here.usedBytes());
    assertThat(there.liveElements()).isEqualTo(here.liveElements());
    List<Runnable> calls =
        List.of(
            () -> t.newRecord(0, 1),
            heap::collect,
            heap::statistics,
            () -> heap.plainMemory().alloc(8));
    for (Runnable call : calls) {
      List<Throwable> thrown = new ArrayList<>();
      CompletableFuture.runAsync(
              () -> {
                try {
                  call.run();
                } catch (RuntimeException e) {
                  thrown.add(e);
                }
              })
          .join();
      assertThat(thrown).hasSize(1).first().isInstanceOf(WrongThreadException.class);
    }
  }

  @Test
  void figuresCountElementsWhereverTheyAre() {
    t.enter(3);
    HeapStatistics before = heap.statistics();
    heap.makeBuiltins(() -> t.newRecord(0, 3));
    t.newRecord(1, 3);
    t.newRecord(2, 2000);
    HeapStatistics s = heap.statistics();
    assertThat(s.allocatedElements() - before.allocatedElements()).isEqualTo(3);
    assertThat(s.allocatedBytes() - before.allocatedBytes()).isEqualTo(32 + 32 + 2001 * 8);
    assertThat(s.live(Kind.RECORD) - before.live(Kind.RECORD)).isEqualTo(3);
  }

  @Test
  @Needs("!prompt")
  void figuresAddUp() {
    t.enter(2);
    heap.collect();
    HeapStatistics before = heap.statistics();
    for (int i = 0; i < 100; i++) {
      t.newRecord(0, 3);
    }
    t.newString(1, "text");
    HeapStatistics s = heap.statistics();
    assertThat(s.allocatedElements() - before.allocatedElements()).isEqualTo(101);
    assertThat(s.allocatedBytes() - before.allocatedBytes()).isEqualTo(100 * 32 + 24);
    assertThat(s.liveElements() - before.liveElements()).isEqualTo(100);
    assertThat(s.strings()).isEqualTo(1);
    heap.collect();
    HeapStatistics after = heap.statistics();
    assertThat(after.reclaimedElements() - before.reclaimedElements()).isEqualTo(99);
    assertThat(after.reclaimedBytes() - before.reclaimedBytes()).isEqualTo(99 * 32);
    assertThat(after.liveAfterBytes()).isEqualTo(after.usedBytes());
    assertThat(after.explicitCollections()).isEqualTo(2);
    assertThat(after.pauseNanos()).isPositive();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(1);
  }
}
