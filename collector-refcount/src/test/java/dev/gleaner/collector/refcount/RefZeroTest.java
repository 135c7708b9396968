package dev.gleaner.collector.refcount;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the last drop frees: all that it alone held, at once, in constant native stack. */
@Tag("D13")
class RefZeroTest extends HeapTests {
  private static final String QUIET = "voluntary.enabled = false";

  /**
   * Far less than a recursion takes by 2000 elements, and enough for what the JVM takes where it
   * loads a class: some 100 KiB.
   */
  private static final long SMALL_STACK = 256 << 10;

  private @Nullable Throwable thrown;

  /** Runs with little native stack: what recurses by an element a frame does not get through. */
  private void withLittleStack(Runnable program) throws InterruptedException {
    Thread thread = new Thread(null, program, "little stack", SMALL_STACK);
    thread.setUncaughtExceptionHandler((t, e) -> thrown = e);
    thread.start();
    thread.join();
    if (thrown != null) {
      throw new AssertionError(thrown);
    }
  }

  /** Opens, runs and closes a heap on the thread that calls. */
  private static Runnable on(String settings, Consumer<Heap> program) {
    return () -> {
      try (Heap heap =
          Gleaner.factory(
                  ConfigFactory.parseString("gleaner { collector = refcount, " + settings + " }"))
              .open()) {
        program.accept(heap);
      }
    };
  }

  private static final int RECORDS = Tier.number(2_000_000, 10_000_000);

  @Test
  @Tag("seeds")
  void millionsOfRecordsFallByOneDrop() throws InterruptedException {
    withLittleStack(
        on(
            QUIET,
            heap -> {
              Mutator t = heap.mutator();
              t.enter(2);
              t.setNull(0);
              for (int i = 0; i < RECORDS; i++) {
                t.newRecord(1, 1);
                t.store(1, 0, 0);
                t.copy(0, 1);
              }
              t.setUndefined(1);
              assertThat(count(heap, Kind.RECORD)).isEqualTo(RECORDS);
              long before = heap.statistics().refzeroElements();
              t.setUndefined(0);
              assertThat(count(heap, Kind.RECORD)).isZero();
              assertThat(heap.statistics().refzeroElements() - before).isEqualTo(RECORDS);
              assertThat(heap.statistics().collections()).isZero();
            }));
  }

  /** The list goes through the first word of each, or through another one, or through a table. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "first slot",
        "last slot",
        "both",
        "object",
        "property",
        "index",
        "function",
        "inner",
        "thread",
        "large"
      })
  void deepShapesFallInConstantStack(String shape) throws InterruptedException {
    int length =
        switch (shape) {
          case "large" -> 2000;
          case "object" -> 5000; // whose prototypes are searched for a loop at each step
          case "thread" -> 20_000;
          default -> 100_000;
        };
    withLittleStack(
        on(
            QUIET,
            heap -> {
              Mutator t = heap.mutator();
              t.enter(4);
              t.newString(3, "next");
              t.setNull(0);
              long before = alive(heap);
              for (int i = 0; i < length; i++) {
                link(t, shape);
                t.copy(0, 1);
              }
              t.setUndefined(1);
              assertThat(alive(heap)).isEqualTo(before + length);
              t.setUndefined(0);
              assertThat(alive(heap)).isEqualTo(before);
              assertThat(heap.inspect().verify()).isEmpty();
            }));
  }

  /** Makes an element in slot 1 that holds the one in slot 0. */
  private static void link(Mutator t, String shape) {
    switch (shape) {
      case "object" -> {
        t.newObject(1);
        if (t.isReference(0)) {
          t.setPrototype(1, 0);
        }
      }
      case "property" -> {
        t.newObject(1);
        t.putProperty(1, 3, 0);
      }
      case "index" -> {
        t.newObject(1);
        t.putIndex(1, 2, 0);
      }
      case "function" -> {
        t.newFunction(1, 2, 0);
        t.storeConstant(1, 1, 0);
      }
      case "inner" -> {
        t.newFunction(1, 1, 1);
        t.storeInner(1, 0, 0);
      }
      case "thread" -> {
        t.newThread(1);
        t.push(1, 0);
      }
      case "large" -> {
        t.newRecord(1, 1500);
        t.store(1, 700, 0);
      }
      default -> {
        t.newRecord(1, 3);
        if (!shape.equals("last slot")) {
          t.store(1, 0, 0);
        }
        if (!shape.equals("first slot")) {
          t.store(1, 2, 0);
        }
      }
    }
  }

  @Test
  void wideShapes() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(3);
    long before = alive(heap);
    t.newRecord(0, 300_000);
    for (int i = 0; i < 300_000; i++) {
      if (i % 3 == 0) {
        t.newRecord(1, i % 7);
      } else if (i % 3 == 1) {
        t.newObject(1, i % 5);
      } else {
        t.newBuffer(1, i % 300);
      }
      t.store(0, i, 1);
      t.store(0, i / 2, 1); // some are held twice, some by nothing any more
    }
    t.setUndefined(1);
    assertThat(heap.inspect().verify()).isEmpty();
    t.setUndefined(0);
    assertThat(alive(heap)).isEqualTo(before);
    assertThat(heap.statistics().usedBytes()).isPositive();
  }

  /** A complete tree of 2^17 - 1 nodes, each of which also holds one of the level above. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void treesAndSharedNodes(int link) throws InterruptedException {
    withLittleStack(
        on(
            QUIET,
            heap -> {
              Mutator t = heap.mutator();
              t.enter(3);
              long before = alive(heap);
              t.newRecord(2, 3); // shared by all
              tree(t, 16, link);
              t.setUndefined(2);
              assertThat(alive(heap)).isEqualTo(before + (1 << 17));
              t.setUndefined(0);
              assertThat(alive(heap)).isEqualTo(before);
            }));
  }

  /** Leaves a tree in slot 0 of the caller's frame. */
  private static void tree(Mutator t, int depth, int link) {
    t.enter(4, 2, 1);
    t.newRecord(1, 3);
    t.store(1, link, 0);
    if (depth > 0) {
      for (int child = 0; child < 3; child++) {
        if (child != link) {
          t.copy(2, 0);
          t.enter(3, 0, 3);
          tree(t, depth - 1, link);
          t.leave(0, 3);
          t.store(1, child, 3);
        }
      }
    }
    t.leave(1, 0);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void everyKindGoesAtItsLastDropWithWhatItOwns(Kind kind) {
    Heap heap = open(QUIET, "strings.initial = 1024");
    Mutator t = heap.mutator();
    t.enter(3);
    t.newString(2, "so that there is a table");
    t.newNative(0, "as there is for natives, and a thread for callbacks", (_, _) -> {});
    t.setUndefined(0);
    List<Object> freed = new ArrayList<>();
    HeapStatistics before = heap.statistics();
    for (int size : new int[] {0, 1, 3, 40, 500, 3000}) {
      make(t, kind, size, freed);
      assertThat(heap.statistics().live(kind)).isEqualTo(before.live(kind) + 1);
      t.copy(1, 0);
      t.setUndefined(0);
      assertThat(heap.statistics().live(kind)).isEqualTo(before.live(kind) + 1);
      assertThat(heap.inspect().verify()).isEmpty();
      t.setUndefined(1);
      assertThat(heap.statistics().live(kind)).isEqualTo(before.live(kind));
      assertThat(heap.statistics().usedBytes()).as("size %s", size).isEqualTo(before.usedBytes());
      assertThat(heap.inspect().verify()).isEmpty();
    }
    assertThat(freed).hasSize(kind == Kind.NATIVE ? 6 : 0);
    assertThat(heap.statistics().refzeroElements()).isGreaterThanOrEqualTo(6);
    assertThat(heap.statistics().collections()).isZero();
  }

  private static void make(Mutator t, Kind kind, int size, List<Object> freed) {
    switch (kind) {
      case STRING -> t.newString(0, "é".repeat(size) + "x");
      case RECORD -> t.newRecord(0, size);
      case BUFFER -> t.newBuffer(0, size * 8L);
      case DYNAMIC_BUFFER -> t.newDynamicBuffer(0, size * 8L);
      case FUNCTION -> t.newFunction(0, size, size / 2);
      case NATIVE -> t.newNative(0, size, (value, closing) -> freed.add(value));
      case INTEGER -> t.setLong(0, Long.MAX_VALUE - size);
      case OBJECT -> {
        t.newObject(0, size);
        for (int i = 0; i < size; i++) {
          t.putIndex(0, i, 2);
        }
        t.putProperty(0, 2, 2);
      }
      case THREAD -> {
        t.newThread(0);
        for (int i = 0; i < size; i++) {
          t.push(0, 2);
        }
      }
    }
  }

  @Test
  @Tag("D11")
  void aStringLeavesTheAccessCacheWhenItGoes() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(1);
    for (int i = 0; i < 50; i++) {
      t.newString(0, "äöü".repeat(30) + (char) ('a' + i % 26));
      assertThat(t.charAt(0, 85)).isEqualTo('ö');
      assertThat(t.charAt(0, 90)).isEqualTo('a' + i % 26);
    }
    t.setUndefined(0);
    assertThat(heap.statistics().strings()).isZero();
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void finalizersRunWhenAllIsGoneAndNothingElseHappensMeanwhile() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(4);
    t.newRecord(0, 3);
    t.setFinalizer(0, "first", (thread, closing) -> {});
    t.setUndefined(0);
    long empty = alive(heap);
    List<Long> seen = new ArrayList<>();
    t.newRecord(0, 3);
    for (int i = 0; i < 3; i++) {
      list(t, 1, 2, 100);
      t.newRecord(3, 1);
      t.store(3, 0, 1);
      t.setFinalizer(
          3, "f" + i, noting("f" + i, (thread, closing) -> seen.add(alive(heap) - empty)));
      t.store(0, i, 3);
      t.setUndefined(1);
      t.setUndefined(3);
    }
    t.setUndefined(0);
    assertThat(finalized).hasSize(3);
    assertThat(seen).containsExactly(303L, 202L, 101L);
    assertThat(alive(heap)).isEqualTo(empty);
  }

  @Test
  @Tag("D26")
  void weakReferencesAreClearedAtTheLastDrop() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    List<WeakRef> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      t.newRecord(0, 1);
      all.add(t.newWeak(0));
      all.add(t.newWeak(0));
      assertThat(t.getWeak(1, all.getLast())).isTrue();
      t.setUndefined(0);
      assertThat(all.getLast().isCleared()).isFalse();
      t.setUndefined(1);
      assertThat(all).allMatch(WeakRef::isCleared);
      if (i % 3 == 0) {
        all.removeLast().close();
      }
    }
    assertThat(heap.statistics().weakCleared()).isEqualTo(2000);
  }

  @Test
  void figuresTellWhatCountingReclaimed() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    HeapStatistics before = heap.statistics();
    list(t, 0, 1, 1000);
    t.setUndefined(0);
    HeapStatistics after = heap.statistics();
    assertThat(after.refzeroElements() - before.refzeroElements()).isEqualTo(1000);
    assertThat(after.reclaimedElements() - before.reclaimedElements()).isEqualTo(1000);
    assertThat(after.reclaimedBytes() - before.reclaimedBytes())
        .isEqualTo(1000 * 24)
        .isEqualTo(after.allocatedBytes() - before.allocatedBytes());
  }

  /** As a tracing collector counts them: what is less in use. */
  @Test
  void bytesReclaimedAreThoseThatWereCharged() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    t.newString(0, "key");
    long used = used(heap);
    t.newRecord(1, 2000);
    t.setUndefined(1);
    t.newDynamicBuffer(1, 10_000);
    t.setUndefined(1);
    t.newObject(1);
    t.putProperty(1, 0, 0);
    long made = used(heap) - used;
    HeapStatistics before = heap.statistics();
    t.setUndefined(1);
    assertThat(used(heap)).isEqualTo(used);
    assertThat(before.reclaimedBytes()).isGreaterThan(2001 * 8 + 10_000);
    assertThat(heap.statistics().reclaimedBytes() - before.reclaimedBytes()).isEqualTo(made);
  }
}
