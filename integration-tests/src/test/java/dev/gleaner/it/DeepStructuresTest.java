package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.lab.hprof.Inspection;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.testing.Tier;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No walk of the heap's takes Java stack, or more than linear time, in the depth of what it walks
 * over. These would take hours, or overflow.
 *
 * <p>{@code -Dgleaner.test.args=-Dgleaner.deep=10000000} makes the lists deeper, from Maven.
 */
@Tag("seeds")
class DeepStructuresTest {
  private static final int LIST = Tier.number("gleaner.deep", 100_000, 1_000_000);
  private static final int DEEP = Tier.number(30_000, 100_000);

  @TempDir private Path folder;

  static List<String> collectors() {
    return Tier.exhaustive() ? Installed.collectors() : Installed.share(1);
  }

  private static Heap open(String collector) {
    return Installed.open(collector, "memory.max = 4GiB");
  }

  /** Links n elements, each of which refers to the one before; slot 0 has the last. */
  private static void chain(Mutator t, int n, Runnable makeInSlot1, Runnable link) {
    t.setNull(0);
    for (int i = 0; i < n; i++) {
      makeInSlot1.run();
      link.run();
      t.copy(0, 1);
      t.setUndefined(1);
    }
  }

  private static void lose(Heap heap) {
    heap.mutator().wipe(0);
    heap.collect();
    heap.collect(CollectFlags.EMERGENCY);
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(heap.statistics().usedBytes()).isLessThan(1 << 20);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aList(String collector) throws IOException {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, 1);
      WeakRef first = t.newWeak(0);
      for (int i = 1; i < LIST; i++) {
        t.newRecord(1, 1);
        t.store(1, 0, 0);
        t.copy(0, 1);
      }
      t.setUndefined(1);
      heap.collect();
      heap.collect(CollectFlags.EMERGENCY);
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(t.getWeak(1, first)).isTrue();
      List<String> path = heap.inspect().pathToRoot(1);
      assertThat(path).hasSize(LIST + 1).last().isEqualTo("[0]: record of 1");
      t.setUndefined(1);
      Path file = folder.resolve("list.hprof");
      try (OutputStream to = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
        heap.inspect().writeSnapshot(to);
      }
      Inspection inspection = Inspection.of(file);
      long last = inspection.largest(2).get(1).id();
      assertThat(inspection.path(last)).isNotEmpty();
      lose(heap);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aListIsThereWhenTheHeapIsClosed(String collector) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, 1);
      t.setFinalizer(0, "last", (thread, closing) -> {});
      chain(t, LIST, () -> t.newRecord(1, 1), () -> t.store(1, 0, 0));
    }
  }

  /** From both ends: an object gets a prototype, and a prototype gets one. */
  @ParameterizedTest
  @MethodSource("collectors")
  void prototypes(String collector) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      GlobalRef end = heap.newGlobal();
      t.enter(5);
      t.newString(2, "key");
      t.setInt(3, 42);
      t.newObject(0);
      t.copy(1, 0);
      for (int i = 0; i < DEEP; i++) { // upwards, from slot 0 to slot 1
        t.newObject(4);
        t.setPrototype(1, 4);
        t.copy(1, 4);
      }
      t.setGlobal(end, 1);
      t.putProperty(1, 2, 3);
      for (int i = 0; i < DEEP; i++) { // downwards
        t.newObject(4);
        t.setPrototype(4, 0);
        t.copy(0, 4);
      }
      t.getProperty(4, 0, 2);
      assertThat(t.getInt(4)).isEqualTo(42);
      t.newString(4, "no key");
      t.getProperty(4, 0, 4);
      assertThat(t.isUndefined(4)).isTrue();
      assertThatThrownBy(() -> t.setPrototype(1, 0))
          .isInstanceOf(HeapUsageException.class)
          .hasMessage("a prototype chain must not return to the object");
      t.getPrototype(4, 1);
      assertThat(t.isNull(4)).isTrue();
      heap.collect();
      assertThat(heap.inspect().pathToRoot(1)).hasSize(1).first().isEqualTo("root: object");
      end.close();
      t.setUndefined(1);
      t.setUndefined(2);
      lose(heap);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void functionsArraysAndPropertiesWithinEachOther(String collector) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      t.enter(3);
      chain(t, 1, () -> t.newFunction(1, 0, 1), () -> {});
      for (int i = 0; i < DEEP; i++) {
        t.newFunction(1, 1, 1);
        t.storeInner(1, 0, 0);
        t.copy(0, 1);
      }
      walk(heap);
      t.newString(2, "key");
      chain(t, DEEP, () -> t.newObject(1), () -> t.putProperty(1, 2, 0));
      walk(heap);
      chain(t, DEEP, () -> t.newObject(1), () -> t.putIndex(1, 0, 0));
      walk(heap);
      chain(t, DEEP, () -> t.newThread(1), () -> t.push(1, 0));
      walk(heap);
      t.setUndefined(2);
    }
  }

  private static void walk(Heap heap) {
    heap.collect();
    heap.collect(CollectFlags.EMERGENCY);
    assertThat(heap.inspect().verify()).isEmpty();
    try {
      heap.inspect().writeSnapshot(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    lose(heap);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void threadsThatResumeOthers(String collector) throws IOException {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      t.enter(2);
      for (int i = 0; i < DEEP; i++) {
        t.newThread(0);
        t.resume(0, 2);
      }
      t.newRecord(1, 0);
      heap.collect();
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(heap.inspect().pathToRoot(1)).hasSizeLessThan(3);
      heap.inspect().writeSnapshot(OutputStream.nullOutputStream());
      for (int i = 0; i < DEEP; i++) {
        t.suspend();
      }
      lose(heap);
    }
  }

  /** What has a table at the side is found, changed and dropped one by one, in any order. */
  @ParameterizedTest
  @MethodSource("collectors")
  void manyReferencesToOneElement(String collector) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, 0);
      t.newRecord(1, 0);
      WeakRef dying = t.newWeak(1);
      WeakRef[] weak = IntStream.range(0, DEEP).mapToObj(_ -> t.newWeak(0)).toArray(WeakRef[]::new);
      t.setUndefined(1); // under counting a weak reference is cleared by an index
      heap.collect();
      assertThat(dying.isCleared()).isTrue();
      t.newRecord(1, 0);
      WeakRef again = t.newWeak(1);
      t.setUndefined(1);
      for (WeakRef w : weak) {
        w.close();
      }
      heap.collect();
      assertThat(again.isCleared()).isTrue();
      GlobalRef[] globals =
          IntStream.range(0, DEEP).mapToObj(_ -> heap.newGlobal()).toArray(GlobalRef[]::new);
      for (GlobalRef g : globals) {
        t.setGlobal(g, 0);
      }
      for (GlobalRef g : globals) {
        g.close();
      }
      lose(heap);
    }
  }

  /** Half of a large table's entries are free, and one element registers anew all the time. */
  @ParameterizedTest
  @MethodSource("collectors")
  void finalizersThatAreSetAnew(String collector) {
    int many = Tier.number(100_000, 300_000);
    try (Heap heap = Installed.open(collector, "memory.max = 1GiB, finalizers = off")) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, many);
      for (int i = 0; i < many; i++) {
        t.newRecord(1, 0);
        t.setFinalizer(1, "f", (thread, closing) -> {});
        t.store(0, i, 1);
      }
      for (int i = 0; i < many; i++) {
        t.setFinalizer(1, "f", (thread, closing) -> {});
        assertThat(t.clearFinalizer(1)).isTrue();
        t.setFinalizer(1, "f", (thread, closing) -> {});
      }
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void pinnedBuffers(String collector) {
    try (Heap heap = open(collector)) {
      Mutator t = heap.mutator();
      if (!heap.traits().pinning()) {
        return;
      }
      t.enter(2);
      t.newRecord(0, DEEP);
      for (int i = 0; i < DEEP; i++) {
        t.newDynamicBuffer(1, 8);
        assertThat(t.pin(1).byteSize()).isEqualTo(8);
        t.store(0, i, 1);
      }
      heap.collect();
      for (int i = 0; i < DEEP; i++) {
        t.load(1, 0, i);
        assertThatThrownBy(() -> t.resizeBuffer(1, 16)).hasMessageStartingWith("pinned buffer");
        t.unpin(1);
        t.resizeBuffer(1, 16);
      }
      t.setUndefined(1);
      lose(heap);
    }
  }
}
