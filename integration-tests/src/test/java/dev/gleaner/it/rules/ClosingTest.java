package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What closing a heap does, in which order, and that it ends. */
@Tag("D22")
class ClosingTest extends AllCollectors {
  ClosingTest(String collector) {
    super(collector);
  }

  private static final String QUIET = "voluntary.enabled = false, finalizer-order = registration";
  private final Heap heap = open(QUIET);
  private final Mutator t = heap.mutator();

  @Test
  void twoCollectionsWithFinalizersAndOneWithout() {
    Events events = new Events(heap);
    t.enter(1);
    t.newRecord(0, 0);
    t.setFinalizer(0, "f", noting("f"));
    heap.close();
    assertThat(events.causes()).containsExactly("closing", "closing", "closing");
    assertThat(events.all.stream().map(CollectionEvent::flags))
        .containsExactly(0, 0, CollectFlags.NO_FINALIZERS);
  }

  @Test
  void noCollectionWhereThereIsNothingToFinalize() {
    Events events = new Events(heap);
    t.enter(1);
    t.newRecord(0, 0);
    heap.close();
    assertThat(events.all).isEmpty();
  }

  @Test
  void nativesAreFreedByTheCollectionsOrToldThatTheHeapCloses() {
    Events events = new Events(heap);
    List<String> freed = new ArrayList<>();
    t.enter(2);
    t.newNative(0, "kept", (value, closing) -> freed.add(value + " " + closing));
    t.newNative(1, "garbage", (value, closing) -> freed.add(value + " " + closing));
    t.setUndefined(1);
    heap.close();
    assertThat(events.causes()).containsExactly("closing", "closing", "closing");
    assertThat(freed).containsExactly("garbage false", "kept true");
  }

  @Test
  void theUnreachableFirstThenEverythingLeftToldThatTheHeapCloses() {
    t.enter(4);
    t.newRecord(0, 1);
    t.setFinalizer(0, "reachable", noting("reachable"));
    t.newObject(1);
    t.setFinalizer(1, "global", noting("global"));
    GlobalRef global = heap.newGlobal();
    t.setGlobal(global, 1);
    t.setUndefined(1);
    lose(t, 2, "lost");
    lose(t, 2, "makes", (thread, closing) -> lose(thread, 1, "made"));
    heap.close();
    assertThat(finalized).containsExactly("lost", "makes", "made", "reachable!", "global!");
  }

  @Test
  void finalizersThatRefuseArePassedBy() {
    Finalizer twice =
        new Finalizer() {
          @Override
          public void run(Mutator mutator, boolean closing) {
            finalized.add("twice");
          }

          @Override
          public boolean refuses() {
            return finalized.stream().filter("twice"::equals).count() >= 2;
          }
        };
    t.enter(20);
    for (int i = 0; i < 20; i++) {
      t.newRecord(i, 0);
      t.setFinalizer(i, "f", i == 10 ? noting("other") : twice);
    }
    int _ = heap.setBaseFlags(CollectFlags.NO_FINALIZERS); // no collections: rounds alone
    heap.close();
    assertThat(finalized).containsExactly("twice", "twice", "other!");
    assertThat(heap.statistics().finalizersRun()).isEqualTo(3);
  }

  @Test
  void aFinalizerThatRefusesIsNotAskedAgain() {
    int[] asked = {0};
    Finalizer refusing = refusing("called", () -> asked[0]++);
    t.enter(100);
    for (int i = 0; i < 100; i++) {
      t.newRecord(i, 0);
      t.setFinalizer(i, "f", refusing);
    }
    int _ = heap.setBaseFlags(CollectFlags.NO_FINALIZERS);
    heap.close();
    assertThat(finalized).isEmpty();
    assertThat(asked[0]).isEqualTo(1);
    assertThat(heap.statistics().finalizersRun()).isZero();
  }

  @Test
  void aFinalizerThatCannotSayWhetherItRefusesIsCalled() {
    expectLog();
    t.enter(2);
    t.newRecord(0, 0);
    t.setFinalizer(0, "throws", refusing("throws", () -> Integer.parseInt("on purpose")));
    t.newRecord(1, 0);
    t.setFinalizer(1, "uses", refusing("uses", () -> t.newRecord(0, 1)));
    heap.close();
    assertThat(finalized).containsExactlyInAnyOrder("throws", "uses");
    assertThat(log.messages()).hasSize(2).allMatch(m -> m.contains(heap.name()));
  }

  private Finalizer refusing(String name, Runnable whenAsked) {
    return new Finalizer() {
      @Override
      public void run(Mutator mutator, boolean closing) {
        finalized.add(name);
      }

      @Override
      public boolean refuses() {
        whenAsked.run();
        return true;
      }
    };
  }

  @Test
  @Needs("!prompt")
  void whatIsFoundInTheThirdCollectionIsToldThatTheHeapCloses() {
    t.enter(2);
    lose(
        t,
        0,
        "a",
        (thread, closing) -> lose(thread, 1, "b", (inner, closing2) -> lose(inner, 1, "c")));
    heap.close();
    assertThat(finalized).containsExactly("a", "b", "c!");
  }

  @Test
  void aRescueHasNoEffect() {
    GlobalRef saved = heap.newGlobal();
    t.enter(1);
    t.newRecord(0, 1);
    t.setFinalizer(0, "f", noting("f", (thread, closing) -> thread.setGlobal(saved, 0)));
    heap.close();
    assertThat(finalized).containsExactly("f!");
    assertThat(heap.statistics().usedBytes()).isZero();
  }

  @Test
  void rescuedWhileClosingInACollectionItIsStillCalledButOnce() {
    // Collections in the rounds find it reachable: that decides nothing any more.
    GlobalRef saved = heap.newGlobal();
    t.enter(1);
    for (int i = 0; i < 5; i++) {
      t.newRecord(0, 1);
      t.setFinalizer(
          0,
          "f" + i,
          noting(
              "f" + i,
              (thread, closing) -> {
                thread.setGlobal(saved, 0);
                heap.collect();
              }));
    }
    t.setGlobal(saved, 0);
    t.setUndefined(0);
    heap.collect();
    heap.collect();
    finalized.clear();
    heap.close();
    assertThat(finalized).filteredOn(label -> label.endsWith("!")).doesNotHaveDuplicates();
  }

  @Test
  @Needs("duktape-finalizers")
  void afterARescueItIsCalledAgainAtTheEnd() {
    GlobalRef saved = heap.newGlobal();
    t.enter(1);
    lose(t, 0, "f", (thread, closing) -> thread.setGlobal(saved, 0));
    heap.close();
    // The first collection finalizes, the second finds it reachable: rescued.
    assertThat(finalized).containsExactly("f", "f!");
  }

  @Test
  void finalizersCanUseTheHeapToTheEnd() {
    t.enter(3);
    t.newRecord(0, 1);
    t.newString(1, "held");
    t.store(0, 0, 1);
    t.setFinalizer(
        0,
        "f",
        noting(
            "f",
            (thread, closing) -> {
              thread.load(1, 0, 0);
              finalized.add(thread.getString(1));
              thread.newObject(2);
              thread.newString(3, "key");
              thread.putProperty(2, 3, 0);
              heap.collect();
              finalized.add("" + heap.inspect().verify());
              heap.plainMemory().free(heap.plainMemory().alloc(100));
            }));
    heap.close();
    assertThat(finalized).containsExactly("f!", "held", "[]");
  }

  @Test
  void aFailingFinalizerDoesNotStopTheOthers() {
    expectLog();
    t.enter(1);
    for (int i = 0; i < 3; i++) {
      t.newRecord(0, 1);
      t.setFinalizer(
          0,
          "f",
          noting(
              "f" + i,
              (thread, closing) -> {
                throw new IllegalStateException();
              }));
      if (i == 1) {
        t.setUndefined(0);
      }
    }
    heap.close();
    assertThat(finalized).containsExactly("f0", "f1", "f2!");
    assertThat(heap.statistics().finalizersFailed()).isEqualTo(3);
  }

  /** Duktape 2.7's rounds: the limit is 2n, then three quarters of the last; stop at n calls. */
  private static int rounds(long elements, int callsARound) {
    int rounds = 0;
    for (long limit = 2 * elements; ; limit = limit * 3 / 4) {
      rounds++;
      if (callsARound >= limit) {
        return rounds;
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "100, 0", "10, 300", "100, 50", "1000, 0"})
  void finalizersThatMakeMoreAreBoundedByShrinkingRounds(int makers, int others) {
    Finalizer[] again = new Finalizer[1];
    int[] calls = new int[2];
    again[0] =
        (thread, closing) -> {
          calls[closing ? 1 : 0]++;
          thread.newRecord(1, 0);
          thread.setFinalizer(1, "made", again[0]);
        };
    t.enter(makers + 2);
    for (int i = 0; i < makers; i++) {
      t.newRecord(i, 0);
      t.setFinalizer(i, "maker", again[0]);
    }
    t.newRecord(makers, 2 * others);
    for (int i = 0; i < others; i++) {
      t.newString(makers + 1, "strings are not on the list " + i);
      t.store(makers, i, makers + 1);
      t.newRecord(makers + 1, 0);
      t.store(makers, others + i, makers + 1);
    }
    heap.collect();
    long elements = heap.statistics().liveElements();
    heap.close();
    assertThat(calls[0]).as("they are reachable").isZero();
    assertThat(calls[1]).isEqualTo(makers * rounds(elements, makers));
  }

  @Test
  void itEndsWhenTheyMultiply() {
    Finalizer[] again = new Finalizer[1];
    again[0] =
        (thread, closing) -> {
          for (int i = 0; i < 3; i++) {
            thread.newRecord(1, 0);
            thread.setFinalizer(1, "made", again[0]);
          }
        };
    t.enter(1);
    t.newRecord(0, 0);
    t.setFinalizer(0, "f", again[0]);
    heap.close();
    assertThat(heap.statistics().finalizersRun()).isBetween(3L, 1000L);
  }

  @Test
  void whatARoundMakesIsNotSeenByThatRound() {
    t.enter(2);
    List<Long> collectionsAt = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      t.newRecord(i, 0);
      t.setFinalizer(
          i,
          "f" + i,
          noting(
              "f" + i,
              (thread, closing) -> {
                collectionsAt.add(collections(heap));
                lose(thread, 1, "made");
              }));
    }
    heap.close();
    assertThat(finalized).containsExactly("f0!", "f1!", "made!", "made!");
    assertThat(collectionsAt).as("no collection between the rounds").containsExactly(3L, 3L);
  }

  @Test
  void aFinalizerCannotCloseTheHeap() {
    t.enter(1);
    Finalizer closes =
        (thread, closing) -> assertThatThrownBy(heap::close).isInstanceOf(HeapUsageException.class);
    lose(t, 0, "a", closes);
    heap.collect();
    t.newRecord(0, 0);
    t.setFinalizer(0, "b", noting("b", closes));
    heap.close();
    assertThat(finalized).containsExactly("a", "b!");
    assertThat(heap.statistics().finalizersFailed()).isZero();
  }

  @Test
  void afterwardsEveryCallSaysThatTheHeapIsClosed() {
    GlobalRef global = heap.newGlobal();
    t.enter(1);
    t.newRecord(0, 1);
    var weak = t.newWeak(0);
    int[] told = new int[1];
    heap.addListener(
        new HeapListener() {
          @Override
          public void heapClosed(Heap closed) {
            told[0]++;
          }
        });
    heap.collect();
    heap.close();
    assertThat(heap.isClosed()).isTrue();
    heap.close();
    assertThat(told[0]).isEqualTo(1);
    List<Runnable> calls =
        List.of(
            () -> t.enter(1),
            () -> t.newRecord(0, 1),
            () -> t.getInt(0),
            t::leave,
            heap::collect,
            () -> heap.collect(1),
            () -> heap.step(1),
            () -> heap.plainMemory().alloc(8),
            () -> heap.plainMemory().free(0),
            () -> heap.inspect().verify(),
            () -> heap.newGlobal(),
            () -> heap.reserveExternal(1),
            () -> t.setGlobal(global, 0),
            weak::isCleared);
    for (Runnable call : calls) {
      assertThatThrownBy(call::run)
          .isInstanceOf(HeapClosedException.class)
          .hasMessageContaining("heap is closed");
    }
    global.close();
    weak.close();
    assertThat(heap.statistics().collections()).isEqualTo(1);
    assertThat(heap.snapshot().usedBytes()).isZero();
  }

  @Test
  @Needs({"incremental", "!prompt"})
  void closingInTheMiddleOfFramesThreadsAndAnIncrementalCollection() {
    t.enter(3);
    list(t, 0, 1, 50_000);
    t.newThread(1);
    t.resume(1, 5);
    t.enter(3);
    lose(t, 0, "f");
    Heap incremental = open(QUIET, "incremental.slice = 1us");
    Mutator s = incremental.mutator();
    s.enter(2);
    list(s, 0, 1, 50_000);
    lose(s, 1, "g");
    assertThat(incremental.step(1)).isFalse();
    incremental.close();
    heap.close();
    assertThat(finalized).containsExactly("g", "f");
  }
}
