package dev.gleaner.collector.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When finalizers run: deferred as in Duktape 2.x, or inline as in 1.x. */
@Tag("D29")
class FinalizationTest extends HeapTests {
  private static final String INLINE = "collectors.hybrid.finalization = inline";
  private static final String QUIET = "voluntary.enabled = false";

  @Test
  void noOtherWordIsKnown() {
    assertThatThrownBy(() -> open("collectors.hybrid.finalization = eager"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("deferred")
        .hasMessageContaining("inline");
  }

  /** A collection runs its finalizers before it is over: none of them can start another one. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("D19")
  void aCollectionInsideAFinalizerOfACollection(boolean inline) {
    Heap heap = inline ? open(INLINE, QUIET) : open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    List<Long> collections = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      t.newRecord(0, 1);
      t.store(0, 0, 0);
      t.setFinalizer(
          0,
          "f",
          noting(
              "f",
              (thread, closing) -> {
                heap.collect();
                collections.add(heap.statistics().collections());
              }));
    }
    t.setUndefined(0);
    collect(heap);
    assertThat(finalized).hasSize(3);
    if (inline) {
      assertThat(collections).containsExactly(0L, 0L, 0L);
      assertThat(heap.statistics().collections()).isEqualTo(1);
    } else {
      assertThat(collections).containsExactly(2L, 3L, 4L);
      assertThat(heap.statistics().collections()).isEqualTo(4);
    }
    collect(heap);
    assertThat(finalized).hasSize(3);
    assertThat(count(heap, Kind.RECORD)).isZero();
  }

  /**
   * The finalizer drops another element that has one, which stops what is being freed, and then the
   * only reference that it made to its own element.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatTheFinalizerAloneHasMadeRescuesNothing(boolean inline) {
    Heap heap = inline ? open(INLINE, QUIET) : open(QUIET);
    Mutator t = heap.mutator();
    t.enter(1);
    t.newRecord(0, 1);
    t.setFinalizer(
        0,
        "outer",
        noting(
            "outer",
            (thread, closing) -> {
              thread.newRecord(1, 1);
              thread.store(1, 0, 0);
              thread.newRecord(2, 0);
              thread.setFinalizer(2, "inner", noting("inner", (_, _) -> {}));
            }));
    t.setUndefined(0);
    assertThat(finalized).contains("outer");
    collect(heap);
    collect(heap);
    assertThat(finalized).containsExactly("outer", "inner");
    assertThat(heap.statistics().finalizersRescued()).isZero();
    assertThat(count(heap, Kind.RECORD)).isZero();
  }

  /** One operation drops all three; the finalizer of the last one runs before the others go. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFinalizerMayFindWhatWaitsToGo(boolean inline) {
    Heap heap = inline ? open(INLINE, QUIET) : open(QUIET);
    Mutator t = heap.mutator();
    t.enter(1);
    t.newRecord(0, 2);
    t.enter(4, 0, 1);
    t.newString(1, "text");
    t.newRecord(2, 1);
    t.storeInt(2, 0, 7);
    WeakRef weak = t.newWeak(2);
    t.newRecord(3, 0);
    GlobalRef kept = heap.newGlobal();
    t.setGlobal(kept, 0);
    t.setFinalizer(
        3,
        "f",
        noting(
            "f",
            (thread, closing) -> {
              thread.getGlobal(1, kept);
              thread.newString(2, "text");
              thread.store(1, 0, 2);
              thread.getWeak(2, weak);
              thread.store(1, 1, 2);
              for (int i = 0; i < 100; i++) {
                thread.newString(2, "text");
                thread.getWeak(2, weak);
              }
            }));
    t.leave();
    assertThat(finalized).containsExactly("f");
    assertThat(heap.inspect().verify()).isEmpty();
    t.enter(2);
    t.getGlobal(0, kept);
    t.load(1, 0, 0);
    assertThat(t.getString(1)).isEqualTo("text");
    t.load(1, 0, 1);
    if (inline) {
      assertThat(t.loadInt(1, 0)).isEqualTo(7);
    } else {
      assertThat(t.isNull(1) || t.isUndefined(1)).isTrue();
    }
    t.setUndefined(1);
    t.leave();
    t.setUndefined(0);
    kept.close();
    assertThat(count(heap, Kind.RECORD)).isZero();
    assertThat(heap.inspect().verify()).isEmpty();
  }

  /** Counting is no collection: what it finalizes may collect under both settings. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("D19")
  void aCollectionInsideAFinalizerThatCountingCalls(boolean inline) {
    Heap heap = inline ? open(INLINE, QUIET) : open(QUIET);
    Mutator t = heap.mutator();
    t.enter(3);
    list(t, 1, 2, 100);
    t.newRecord(0, 3);
    t.store(0, 0, 1);
    t.newRecord(2, 1);
    t.setFinalizer(
        2,
        "f",
        noting(
            "f",
            (thread, closing) -> {
              collect(heap);
              collect(heap);
            }));
    t.store(0, 1, 2);
    t.setUndefined(2);
    list(t, 1, 2, 100);
    t.store(0, 2, 1);
    t.setUndefined(1);
    t.setUndefined(0);
    assertThat(finalized).containsExactly("f");
    assertThat(heap.statistics().collections()).isEqualTo(2);
    assertThat(count(heap, Kind.RECORD)).isZero();
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void aFinalizerThatNeedsACollectionInsideOneFailsAndTheHeapGoesOn() {
    expectLog();
    Heap heap = open(INLINE, "memory.max = 128KiB");
    Mutator t = heap.mutator();
    t.enter(2);
    List<RuntimeException> thrown = new ArrayList<>();
    t.newRecord(0, 1);
    t.store(0, 0, 0);
    t.setFinalizer(
        0,
        "f",
        noting(
            "f",
            (thread, closing) -> {
              try {
                for (int i = 0; i < 10_000; i++) {
                  thread.newRecord(1, 10); // loops, which counting cannot reclaim
                  thread.store(1, 0, 1);
                }
              } catch (HeapExhaustedException e) {
                thrown.add(e);
                throw e;
              }
            }));
    t.setUndefined(0);
    heap.collect();
    assertThat(finalized).containsExactly("f");
    assertThat(thrown).hasSize(1);
    assertThat(heap.statistics().finalizersFailed()).isEqualTo(1);
    for (int i = 0; i < 10_000; i++) {
      t.newRecord(0, 10);
      t.store(0, 0, 0);
    }
    t.setUndefined(0);
    collect(heap);
    assertThat(count(heap, Kind.RECORD)).isZero();
  }

  @Test
  void withoutFinalizersACollectionLetsThemWait() {
    Heap heap = open(INLINE, QUIET);
    Mutator t = heap.mutator();
    t.enter(1);
    t.newRecord(0, 1);
    t.store(0, 0, 0);
    t.setFinalizer(0, "f", noting("f"));
    t.setUndefined(0);
    heap.collect(CollectFlags.NO_FINALIZERS);
    assertThat(finalized).isEmpty();
    assertThat(heap.inspect().verify()).isEmpty();
    collect(heap);
    assertThat(finalized).containsExactly("f");
  }

  /** Each is held by the one before it, and has a finalizer: no native stack is needed for them. */
  @Test
  @Tag("D13")
  void aLongChainOfFinalizersNeedsNoStack() throws InterruptedException {
    List<Throwable> thrown = new ArrayList<>();
    Thread thread = new Thread(null, this::chain, "little stack", 256 << 10);
    thread.setUncaughtExceptionHandler((_, e) -> thrown.add(e));
    thread.start();
    thread.join();
    assertThat(thrown).isEmpty();
    assertThat(finalized).hasSize(5000);
    assertThat(finalized.getFirst()).isEqualTo("4999");
    assertThat(finalized.getLast()).isEqualTo("0");
  }

  private void chain() {
    Heap heap = open(INLINE, QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    t.setNull(0);
    for (int i = 0; i < 5000; i++) {
      t.newRecord(1, 1);
      t.store(1, 0, 0);
      t.setFinalizer(1, "" + i, noting("" + i));
      t.copy(0, 1);
    }
    t.setUndefined(1);
    t.setUndefined(0);
    assertThat(count(heap, Kind.RECORD)).isZero();
    heap.close(); // on the thread that it belongs to
  }

  /** Elements fall in the same number of steps and with the same figures under both. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void figuresTellWhatCountingReclaimed(boolean inline) {
    Heap heap = inline ? open(INLINE, QUIET) : open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    long used = used(heap);
    list(t, 0, 1, 1000);
    t.newRecord(1, 2000);
    t.store(1, 0, 0);
    t.setUndefined(0);
    HeapStatistics before = heap.statistics();
    t.setUndefined(1);
    HeapStatistics after = heap.statistics();
    assertThat(after.refzeroElements() - before.refzeroElements()).isEqualTo(1001);
    assertThat(after.usedBytes()).isEqualTo(used);
    assertThat(after.reclaimedBytes() - before.reclaimedBytes())
        .isEqualTo(before.usedBytes() - used)
        .isGreaterThanOrEqualTo(1000 * 24 + 2001 * 8);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  /** What the finalizer itself has made, and drops with its frame, is no rescue. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("D20")
  void aTemporaryThatHoldsTheElementDoesNotRescueIt(boolean inline) {
    Heap heap = inline ? open(INLINE, QUIET) : open(QUIET);
    Mutator t = heap.mutator();
    t.enter(1);
    t.newRecord(0, 0);
    t.setFinalizer(
        0,
        "f",
        noting(
            "f",
            (thread, closing) -> {
              assertThat(finalized).as("called without end").hasSizeLessThan(5);
              thread.newRecord(1, 1);
              thread.store(1, 0, 0);
            }));
    t.setUndefined(0);
    assertThat(finalized).containsExactly("f");
    assertThat(heap.statistics().finalizersRescued()).isZero();
    assertThat(count(heap, Kind.RECORD)).isZero();
  }

  /** A rescue, a drop by another finalizer, and elements made meanwhile, among a cascade. */
  @Test
  @Tag("D20")
  void finalizersAmongACascadeMayDoEverything() {
    Heap heap = open(INLINE, QUIET);
    Mutator t = heap.mutator();
    t.enter(3);
    GlobalRef rescued = heap.newGlobal();
    t.newRecord(0, 50);
    for (int i = 0; i < 50; i++) {
      int n = i;
      t.newRecord(1, 1);
      t.setFinalizer(
          1,
          "" + i,
          noting(
              "" + i,
              (thread, closing) -> {
                list(thread, 1, 2, 20);
                if (n % 10 == 3 && Collections.frequency(finalized, "" + n) == 1) {
                  thread.store(0, 0, 1);
                  thread.setGlobal(rescued, 0); // the one before is dropped, inside of this one
                }
                assertThat(heap.inspect().verify()).isEmpty();
              }));
      t.store(0, i, 1);
    }
    t.wipe(0);
    assertThat(finalized).hasSizeGreaterThanOrEqualTo(50);
    assertThat(heap.inspect().verify()).isEmpty();
    collect(heap);
    t.setGlobal(rescued, 0);
    collect(heap);
  }
}
