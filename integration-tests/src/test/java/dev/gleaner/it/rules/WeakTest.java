package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Weak references: no roots, cleared before their element goes. */
@Tag("D26")
class WeakTest extends AllCollectors {
  WeakTest(String collector) {
    super(collector);
  }

  private final Heap heap = open("voluntary.enabled = false");
  private final Mutator t = heap.mutator();

  @Test
  @Needs("!prompt")
  void holdsNothingAndIsClearedWithItsElement() {
    t.enter(2);
    t.newRecord(0, 1);
    t.storeInt(0, 0, 7);
    WeakRef weak = t.newWeak(0);
    heap.collect();
    assertThat(weak.isCleared()).isFalse();
    assertThat(t.getWeak(1, weak)).isTrue();
    assertThat(t.same(0, 1)).isTrue();
    t.wipe(0);
    assertThat(weak.isCleared()).as("until it is collected").isFalse();
    assertThat(t.getWeak(1, weak)).isTrue();
    t.wipe(0);
    heap.collect();
    assertThat(weak.isCleared()).isTrue();
    t.setInt(1, 5);
    assertThat(t.getWeak(1, weak)).isFalse();
    assertThat(t.isNull(1)).isTrue();
    assertThat(heap.statistics().weakCleared()).isEqualTo(1);
  }

  @Test
  @Needs("!prompt")
  void everyKindCanBeReferredTo() {
    t.enter(1);
    List<Runnable> makers =
        List.of(
            () -> t.newRecord(0, 1),
            () -> t.newRecord(0, 5000),
            () -> t.newObject(0),
            () -> t.newString(0, "text"),
            () -> t.newBuffer(0, 10),
            () -> t.newDynamicBuffer(0, 10),
            () -> t.newThread(0),
            () -> t.newFunction(0, 1, 1),
            () -> t.newNative(0, "n", null));
    for (Runnable maker : makers) {
      maker.run();
      Kind kind = t.kind(0);
      WeakRef weak = t.newWeak(0);
      heap.collect();
      assertThat(weak.isCleared()).isFalse();
      t.setUndefined(0);
      assertThat(t.getWeak(0, weak)).isTrue();
      assertThat(t.kind(0)).isEqualTo(kind);
      t.setUndefined(0);
      heap.collect();
      assertThat(weak.isCleared()).isTrue();
    }
    t.setInt(0, 1);
    assertThatThrownBy(() -> t.newWeak(0)).isInstanceOf(HeapUsageException.class);
  }

  @Test
  @Needs("!prompt")
  void toPlainGarbageItIsClearedBeforeFinalizersRun() {
    t.enter(2);
    t.newRecord(0, 0);
    WeakRef plain = t.newWeak(0);
    boolean[] cleared = new boolean[1];
    lose(t, 1, "f", (thread, closing) -> cleared[0] = plain.isCleared());
    t.wipe(0);
    heap.collect();
    assertThat(cleared[0]).isTrue();
  }

  @Test
  @Needs({"!prompt", "duktape-finalizers"})
  void toAnElementWithAFinalizerItIsClearedBeforeThatRuns() {
    t.enter(2);
    t.newRecord(0, 0);
    WeakRef[] weak = {t.newWeak(0)};
    List<Boolean> seen = new ArrayList<>();
    t.setFinalizer(
        0,
        "f",
        noting(
            "f",
            (thread, closing) -> {
              seen.add(weak[0].isCleared());
              seen.add(thread.getWeak(1, weak[0]));
              weak[0] = thread.newWeak(0); // a new one can be made
              seen.add(weak[0].isCleared());
            }));
    t.wipe(0);
    heap.collect();
    assertThat(seen).containsExactly(true, false, false);
    assertThat(weak[0].isCleared()).isFalse();
    heap.collect();
    assertThat(weak[0].isCleared()).isTrue();
  }

  @Test
  void toWhatAnElementToBeFinalizedReachesItStaysUntilThatGoes() {
    t.enter(2);
    t.newRecord(0, 1);
    t.newRecord(1, 0);
    t.store(0, 0, 1);
    WeakRef inner = t.newWeak(1);
    boolean[] held = new boolean[1];
    t.setFinalizer(0, "f", (thread, closing) -> held[0] = thread.getWeak(1, inner));
    t.wipe(0);
    heap.collect();
    assertThat(held[0]).isTrue();
    heap.collect();
    assertThat(inner.isCleared()).isTrue();
  }

  @Test
  @Needs("duktape-finalizers")
  void onceClearedItStaysSoAlsoAfterARescue() {
    GlobalRef saved = heap.newGlobal();
    t.enter(1);
    t.newRecord(0, 0);
    WeakRef weak = t.newWeak(0);
    t.setFinalizer(0, "f", noting("f", (thread, closing) -> thread.setGlobal(saved, 0)));
    t.wipe(0);
    heap.collect();
    heap.collect();
    assertThat(heap.statistics().finalizersRescued()).isEqualTo(1);
    assertThat(weak.isCleared()).isTrue();
  }

  @Test
  @Needs({"!prompt", "duktape-finalizers"})
  void itIsClearedAlsoWhileTheFinalizerWaits() {
    t.enter(1);
    t.newRecord(0, 0);
    WeakRef weak = t.newWeak(0);
    t.setFinalizer(0, "f", noting("f"));
    t.wipe(0);
    heap.collect(CollectFlags.NO_FINALIZERS);
    assertThat(weak.isCleared()).isTrue();
    assertThat(finalized).isEmpty();
  }

  @Test
  @Needs("!prompt")
  void readingOneMakesItsElementReachableAgain() {
    t.enter(2);
    t.newRecord(0, 0);
    WeakRef weak = t.newWeak(0);
    t.setUndefined(0);
    assertThat(t.getWeak(1, weak)).isTrue();
    heap.collect();
    assertThat(weak.isCleared()).isFalse();
  }

  @Test
  void manyToOneAndClosedOnes() {
    t.enter(2);
    List<WeakRef> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      t.newRecord(0, 0);
      if (i % 10 == 0) {
        t.copy(1, 0);
      }
      all.add(t.newWeak(0));
      all.add(t.newWeak(1));
    }
    for (int i = 0; i < 2000; i += 7) {
      all.get(i).close();
      assertThat(all.get(i).isCleared()).isTrue();
    }
    heap.collect();
    for (int i = 0; i < 2000; i++) {
      // Record 999 is in slot 0, record 990 in slot 1.
      boolean toLive = i == 1998 || i == 1980 || (i > 1980 && i % 2 == 1);
      assertThat(all.get(i).isCleared()).as("%s", i).isEqualTo(i % 7 == 0 || !toLive);
    }
    assertThatThrownBy(() -> t.getWeak(0, all.getFirst())).hasMessageContaining("closed");
    all.getFirst().close();
  }

  @Test
  void ofAnotherHeapItIsRefused() {
    Heap other = open();
    Mutator o = other.mutator();
    o.enter(1);
    o.newRecord(0, 0);
    WeakRef weak = o.newWeak(0);
    t.enter(1);
    assertThatThrownBy(() -> t.getWeak(0, weak)).hasMessageContaining("another heap");
    assertThatThrownBy(() -> t.getGlobal(0, other.newGlobal()))
        .hasMessageContaining("another heap");
  }
}
