package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.Capability;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What finalizers may do to the heap, and it to them. */
class FinalizerTest {
  private final List<String> called = new ArrayList<>();

  static List<String> collectors() {
    return Installed.collectors();
  }

  private void lose(Mutator t, String label, Finalizer finalizer) {
    t.newRecord(0, 1);
    t.setFinalizer(
        0,
        label,
        (thread, closing) -> {
          called.add(closing ? label + "!" : label);
          finalizer.run(thread, closing);
        });
    t.setUndefined(0);
  }

  private static long records(Heap heap) {
    return heap.statistics().live(Kind.RECORD);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("D20")
  void aCollectionInsideIsNoRescue(String collector) {
    try (Heap heap = Installed.open(collector, "")) {
      Mutator t = heap.mutator();
      t.enter(1);
      lose(t, "a", (thread, closing) -> heap.collect());
      for (int i = 0; i < 4; i++) {
        heap.collect();
      }
      assertThat(called).containsExactly("a");
      assertThat(records(heap)).isZero();
      assertThat(heap.statistics().finalizersRescued()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("D28")
  void tortureOfFinalizersDoesNotKeepTheirElements(String collector) {
    try (Heap heap = Installed.open(collector, "torture.finalizers = on")) {
      Mutator t = heap.mutator();
      t.enter(1);
      lose(t, "a", (thread, closing) -> {});
      lose(t, "b", (thread, closing) -> {});
      for (int i = 0; i < 6; i++) {
        heap.collect();
      }
      assertThat(called).containsExactlyInAnyOrder("a", "b");
      assertThat(records(heap)).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("D32")
  void aCycleThatStartsInsideIsNoRescue(String collector) {
    try (Heap heap = Installed.open(collector, "incremental { enabled = true, slice = 1us }")) {
      assumeTrue(heap.traits().has(Capability.INCREMENTAL));
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(1, 20_000); // more than a slice can mark
      for (int i = 0; i < 20_000; i++) {
        t.newRecord(0, 4);
        t.store(1, i, 0);
      }
      lose(t, "a", (thread, closing) -> assertThat(heap.step(1)).isFalse());
      heap.collect();
      assertThat(called).containsExactly("a");
      while (!heap.step(1000)) {
        assertThat(called).hasSize(1);
      }
      heap.collect();
      assertThat(called).containsExactly("a");
      assertThat(heap.statistics().finalizersRescued()).isZero();
      assertThat(heap.statistics().finalizersFailed()).isZero();
      assertThat(records(heap)).isEqualTo(20_001);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aFinalizerCannotCloseTheHeap(String collector) {
    Heap heap = Installed.open(collector, "");
    Mutator t = heap.mutator();
    t.enter(1);
    List<Throwable> thrown = new ArrayList<>();
    Finalizer closes =
        (thread, closing) -> {
          try {
            heap.close();
          } catch (RuntimeException e) {
            thrown.add(e);
          }
        };
    lose(t, "a", closes);
    heap.collect();
    heap.collect();
    t.newRecord(0, 0);
    t.setFinalizer(0, "b", closes);
    heap.close();
    assertThat(heap.isClosed()).isTrue();
    assertThat(called).containsExactly("a");
    assertThat(thrown)
        .hasSize(2)
        .allSatisfy(e ->
            assertThat(e)
                .isInstanceOf(HeapUsageException.class)
                .hasMessageContaining("a finalizer"));
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aNativesCallbackCannotCloseTheHeap(String collector) {
    Heap heap = Installed.open(collector, "");
    Mutator t = heap.mutator();
    t.enter(1);
    t.newNative(
        0,
        "object",
        (object, closing) ->
            assertThatThrownBy(heap::close).isInstanceOf(HeapUsageException.class));
    t.setUndefined(0);
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
    heap.close();
    assertThat(heap.statistics().callbacksFailed()).isZero();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void theFinalizersThreadSurvivesWhateverIsLeftEntered(String collector) {
    try (Heap heap = Installed.open(collector, "")) {
      Mutator t = heap.mutator();
      t.enter(2);
      lose(
          t,
          "a",
          (thread, closing) -> {
            thread.newThread(1);
            thread.enter(1000);
            thread.newThread(0);
            thread.resume(0, 3);
            thread.enter(5);
            throw new IllegalStateException("in the middle");
          });
      heap.collect();
      assertThat(called).containsExactly("a");
      assertThat(t.frameDepth()).isEqualTo(1);
      assertThat(t.frameSize()).isEqualTo(2);
      heap.collect();
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(heap.statistics().finalizersFailed()).isEqualTo(1);
    }
  }
}
