package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An operation that needs memory changes nothing before it has it: finalizers run in between. */
class AtomicOperationTest {
  static List<String> collectors() {
    return Installed.collectors();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aRefusedDynamicBufferLeavesTheSlotAsItWas(String collector) {
    try (Heap heap = Installed.open(collector, "memory.max = 1MiB")) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, 1);
      t.newString(1, "kept");
      t.store(0, 0, 1);
      t.setUndefined(1);
      assertThatThrownBy(() -> t.newDynamicBuffer(0, 2 << 20))
          .isInstanceOf(HeapExhaustedException.class);
      assertThat(heap.inspect().verify()).isEmpty();
      for (int i = 0; i < 100; i++) {
        t.newRecord(1, 1); // takes the place of what was freed
      }
      assertThat(t.kind(0)).isEqualTo(Kind.RECORD);
      t.load(1, 0, 0);
      assertThat(t.getString(1)).isEqualTo("kept");
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aFinalizerMakesAThreadWhileOneIsMade(String collector) {
    for (int after = 0; after < 4; after++) {
      try (Heap heap = Installed.open(collector, "")) {
        Mutator t = heap.mutator();
        t.enter(2);
        t.newRecord(0, 0);
        t.setFinalizer(0, "a", (thread, closing) -> thread.newThread(1));
        t.setUndefined(0);
        heap.faults().failAllocations(after, 1);
        t.newThread(0);
        heap.faults().clearFailAllocations();
        assertThat(t.kind(0)).isEqualTo(Kind.THREAD);
        t.setInt(1, 7);
        t.push(0, 1);
        t.resume(0, 3);
        assertThat(t.getInt(0)).isEqualTo(7);
        t.suspend();
        heap.collect();
        assertThat(heap.inspect().verify()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aFinalizerPushesOnTheThreadThatIsPushedTo(String collector) {
    for (int filled = 0; filled < 40; filled++) {
      try (Heap heap = Installed.open(collector, "")) {
        Mutator t = heap.mutator();
        t.enter(3);
        t.newThread(0);
        t.newRecord(1, 2);
        t.store(1, 0, 0);
        t.store(1, 1, 1); // a loop, or counting would find it at once
        t.setFinalizer(
            1,
            "a",
            (thread, closing) -> {
              thread.load(1, 0, 0);
              thread.setInt(2, -1);
              thread.push(1, 2);
            });
        t.setUndefined(1);
        for (int i = 0; i < filled; i++) {
          t.setInt(2, i);
          t.push(0, 2);
        }
        t.setInt(2, filled);
        heap.faults().failAllocations(0, 1);
        t.push(0, 2);
        heap.faults().clearFailAllocations();
        assertThat(heap.inspect().verify()).isEmpty();
        t.pop(0, 1);
        assertThat(t.getInt(1)).isEqualTo(filled);
        if (heap.statistics().finalizersRun() == 1) {
          t.pop(0, 1);
          assertThat(t.getInt(1)).isEqualTo(-1);
        }
        for (int i = filled - 1; i >= 0; i--) {
          t.pop(0, 1);
          assertThat(t.getInt(1)).isEqualTo(i);
        }
      }
    }
  }
}
