package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When finalizers run, how often, and what they may do. */
class FinalizersTest extends AllCollectors {
  FinalizersTest(String collector) {
    super(collector);
  }

  private static final String QUIET = "voluntary.enabled = false";
  private final Heap heap = open(QUIET);
  private final Mutator t = heap.mutator();

  private void assertGone() {
    assertThat(count(heap, Kind.RECORD)).isZero();
  }

  // ---- D19: after the sweep, outside the collector's lock ----

  /** The frame of a finalizer does not fit into the smallest stack: entering it allocates. */
  @Test
  @Tag("D19")
  void aCollectionWhileTheFinalizersFrameIsEnteredLeavesItsElement() {
    Heap small = open(QUIET, "threads.initial-stack-slots = 8", "torture.gc = every-allocation");
    Mutator thread = small.mutator();
    thread.enter(1);
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      thread.newRecord(0, 1);
      thread.setFinalizer(0, "f", (t, closing) -> found.add(t.slotCount(0)));
    }
    thread.setUndefined(0);
    small.collect();
    assertThat(found).containsExactly(1, 1);
    assertThat(small.inspect().verify()).isEmpty();
  }

  /** A call may collect twice: for an entry of the call stack, and for its frame. */
  @Test
  @Tag("D19")
  @Needs("!prompt")
  void whatAFinalizerSetsDuringACallIsNotCalledInThatCall() {
    Heap small = open(QUIET, "threads.initial-stack-slots = 8", "torture.gc = every-allocation");
    Mutator thread = small.mutator();
    thread.enter(2);
    List<String> called = new ArrayList<>();
    thread.newFunction(1, 0, 0);
    thread.newRecord(0, 1);
    thread.setFinalizer(
        0,
        "first",
        (t, closing) -> {
          called.add("first");
          t.newRecord(0, 1);
          t.setFinalizer(0, "second", (_, _) -> called.add("second"));
        });
    thread.setUndefined(0);
    thread.call(1000, 1);
    assertThat(called).containsExactly("first");
    thread.leave();
    thread.newRecord(0, 1);
    thread.newRecord(0, 1);
    small.collect();
    assertThat(called).containsExactly("first", "second");
    thread.leave();
  }

  @Test
  @Tag("D19")
  @Needs({"!prompt", "!frames"})
  void finalizersRunWhenTheMemoryIsFreeAlready() {
    t.enter(1);
    long[] inside = new long[2];
    lose(t, 0, "f", (thread, closing) -> inside[0] = used(heap));
    for (int i = 0; i < 1000; i++) {
      t.newRecord(0, 20);
    }
    t.setUndefined(0);
    inside[1] = used(heap);
    heap.collect();
    assertThat(inside[0]).isLessThan(inside[1] - 160_000);
  }

  @Test
  @Tag("D19")
  @Needs({"!prompt", "duktape-finalizers"})
  void allDueOnesRunInTheOrderOfRegistration() {
    t.enter(3);
    for (int i = 0; i < 10; i++) {
      lose(t, 0, "f" + i);
    }
    t.newRecord(0, 1);
    t.newRecord(1, 1);
    t.store(0, 0, 1);
    t.setFinalizer(1, "inner", noting("inner"));
    t.setFinalizer(0, "outer", noting("outer"));
    t.wipe(0);
    heap.collect();
    assertThat(finalized)
        .containsExactly(
            "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "inner", "outer");
    heap.collect();
    assertGone();
  }

  @Test
  @Tag("D19")
  void aCollectionInsideAFinalizerWorks() {
    t.enter(2);
    lose(
        t,
        0,
        "f",
        (thread, closing) -> {
          for (int i = 0; i < 1000; i++) {
            thread.newRecord(1, 20);
          }
          thread.setUndefined(1);
          long before = used(heap);
          heap.collect();
          if (used(heap) > before - 160_000 || thread.loadInt(0, 0) != 5) {
            throw new IllegalStateException();
          }
        });
    t.newRecord(0, 1);
    t.storeInt(0, 0, 5);
    t.setFinalizer(
        0,
        "g",
        noting(
            "g",
            (thread, closing) -> {
              heap.collect();
              if (thread.loadInt(0, 0) != 5) {
                throw new IllegalStateException();
              }
            }));
    t.wipe(0);
    expectLog();
    heap.collect();
    assertThat(finalized).containsExactly("f", "g");
    assertThat(log.records).as("the first one has no integer").hasSize(1);
    assertThat(collections(heap)).isEqualTo(3);
  }

  @Test
  @Tag("D19")
  @Needs("!prompt")
  void whatACollectionInsideFindsWaitsForItsTurn() {
    t.enter(2);
    List<Integer> depths = new ArrayList<>();
    int[] depth = new int[1];
    Finalizer nested =
        (thread, closing) -> {
          depths.add(++depth[0]);
          lose(thread, 1, "made inside");
          heap.collect();
          heap.collect();
          finalized.add("end");
          depth[0]--;
        };
    lose(t, 0, "a", nested);
    lose(t, 0, "b", nested);
    heap.collect();
    assertThat(finalized).containsExactly("a", "end", "b", "end");
    heap.collect();
    assertThat(finalized)
        .as("what they make waits for the next operation")
        .containsExactly("a", "end", "b", "end", "made inside", "made inside");
    assertThat(depths).containsExactly(1, 1);
    heap.collect();
    assertGone();
  }

  @Test
  @Tag("D19")
  @Tag("D20")
  void aCollectionInsideDecidesNoRescueWhileTheListIsNotEmpty() {
    t.enter(1);
    for (int i = 0; i < 4; i++) {
      lose(t, 0, "f" + i, (thread, closing) -> heap.collect());
    }
    for (int i = 0; i < 4; i++) {
      heap.collect();
    }
    assertThat(finalized).containsExactly("f0", "f1", "f2", "f3");
    assertThat(heap.statistics().finalizersRescued()).isZero();
    assertGone();
  }

  @Test
  @Tag("D19")
  @Tag("D20")
  @Needs({"!prompt", "duktape-finalizers"})
  void whatOnlyAnotherOnTheListReachesIsNotRescued() {
    t.enter(2);
    // a is finalized first; then, in b's finalizer, a is reachable through b alone.
    t.newRecord(0, 1);
    t.setFinalizer(0, "a", noting("a"));
    t.newRecord(1, 1);
    t.store(1, 0, 0);
    t.setFinalizer(1, "b", noting("b", (thread, closing) -> heap.collect()));
    t.wipe(0);
    for (int i = 0; i < 4; i++) {
      heap.collect();
    }
    assertThat(finalized).containsExactly("a", "b");
    assertThat(heap.statistics().finalizersRescued()).isZero();
    assertGone();
  }

  @Test
  @Tag("D19")
  @Needs({"!prompt", "duktape-finalizers"})
  void aRescueBeforeTheListIsEmptyIsDecidedLater() {
    GlobalRef saved = heap.newGlobal();
    t.enter(1);
    lose(t, 0, "a", (thread, closing) -> thread.setGlobal(saved, 0));
    lose(t, 0, "b", (thread, closing) -> heap.collect());
    heap.collect();
    assertThat(heap.statistics().finalizersRescued()).as("b was still on the list").isZero();
    heap.collect();
    assertThat(heap.statistics().finalizersRescued()).isEqualTo(1);
    t.setGlobal(saved, 0);
    heap.collect();
    assertThat(finalized).containsExactly("a", "b", "a");
  }

  @Test
  @Tag("D19")
  @Needs({"!prompt", "!frames"})
  void collectionsFromAllocationsInFinalizersWork() {
    Heap small = open("memory.max = 128KiB", QUIET);
    Mutator s = small.mutator();
    s.enter(1);
    for (int i = 0; i < 5; i++) {
      lose(
          s,
          0,
          "f" + i,
          (thread, closing) -> {
            for (int n = 0; n < 2000; n++) {
              thread.newRecord(1, 10); // more than there is room for at once
            }
          });
    }
    small.collect();
    assertThat(finalized).hasSize(5);
    assertThat(small.statistics().finalizersFailed()).isZero();
    assertThat(collections(small)).isGreaterThan(5);
  }

  // ---- D20: once ----

  @Test
  @Tag("D20")
  @Needs("!prompt")
  void aFinalizerRunsOnceAndItsElementGoesWithTheNextCollection() {
    t.enter(1);
    lose(t, 0, "f");
    heap.collect();
    assertThat(finalized).containsExactly("f");
    assertThat(count(heap, Kind.RECORD)).isEqualTo(1);
    heap.collect();
    assertGone();
    heap.collect();
    assertThat(finalized).containsExactly("f");
    assertThat(heap.statistics().finalizersRun()).isEqualTo(1);
  }

  @Test
  @Tag("D20")
  @Needs("duktape-finalizers")
  void aRescuedElementIsFinalizedAgainOnceACollectionHasFoundItReachable() {
    GlobalRef saved = heap.newGlobal();
    t.enter(1);
    lose(
        t,
        0,
        "f",
        (thread, closing) -> {
          thread.storeInt(0, 0, 7);
          thread.setGlobal(saved, 0);
        });
    for (int round = 1; round <= 3; round++) {
      heap.collect();
      assertThat(finalized).hasSize(round);
      heap.collect(); // rescued: found reachable
      heap.collect();
      assertThat(heap.statistics().finalizersRescued()).isEqualTo(round);
      assertThat(finalized).hasSize(round);
      t.getGlobal(0, saved);
      assertThat(t.loadInt(0, 0)).isEqualTo(7);
      t.setUndefined(0);
      t.setGlobal(saved, 0);
    }
    heap.collect();
    assertThat(finalized).hasSize(4);
  }

  @Test
  @Tag("D20")
  @Needs("!prompt")
  void rescuedAndLostBeforeTheNextCollectionThereIsNoSecondCall() {
    GlobalRef saved = heap.newGlobal();
    t.enter(1);
    lose(t, 0, "f", (thread, closing) -> thread.setGlobal(saved, 0));
    heap.collect();
    t.setGlobal(saved, 0); // the known hole, kept
    heap.collect();
    assertThat(finalized).containsExactly("f");
    assertGone();
  }

  @Test
  @Tag("D20")
  void aRescuedElementIsKeptWithAllItReaches() {
    GlobalRef saved = heap.newGlobal();
    t.enter(2);
    list(t, 0, 1, 1000);
    t.newRecord(1, 1);
    t.store(1, 0, 0);
    t.setFinalizer(1, "f", noting("f", (thread, closing) -> thread.setGlobal(saved, 0)));
    t.wipe(0);
    for (int i = 0; i < 3; i++) {
      heap.collect();
      assertThat(count(heap, Kind.RECORD)).isEqualTo(1001);
    }
    assertThat(finalized).containsExactly("f");
  }

  @Test
  @Tag("D20")
  void setAgainInsideItsOwnCallItRunsAgain() {
    t.enter(1);
    int[] left = {3};
    Finalizer[] again = new Finalizer[1];
    again[0] =
        noting(
            "f",
            (thread, closing) -> {
              if (--left[0] > 0) {
                thread.setFinalizer(0, "f", again[0]);
              }
            });
    t.newRecord(0, 0);
    t.setFinalizer(0, "f", again[0]);
    t.setUndefined(0);
    for (int i = 0; i < 6; i++) {
      heap.collect();
    }
    assertThat(finalized).hasSize(3);
    assertGone();
  }

  @Test
  @Tag("D20")
  void aSecondFinalizerReplacesTheFirstAndARemovedOneDoesNotRun() {
    t.enter(1);
    t.newRecord(0, 0);
    assertThat(t.hasFinalizer(0)).isFalse();
    assertThat(t.clearFinalizer(0)).isFalse();
    t.setFinalizer(0, "first", noting("first"));
    t.setFinalizer(0, "second", noting("second"));
    assertThat(t.hasFinalizer(0)).isTrue();
    t.newRecord(0, 0);
    t.setFinalizer(0, "removed", noting("removed"));
    assertThat(t.clearFinalizer(0)).isTrue();
    t.setUndefined(0);
    heap.collect();
    assertThat(finalized).containsExactly("second");
  }

  @Test
  @Tag("D20")
  void removedWhileOnTheListItDoesNotRun() {
    t.enter(2);
    t.newRecord(0, 1);
    t.setFinalizer(0, "removed", noting("removed"));
    GlobalRef saved = heap.newGlobal();
    lose(t, 1, "first", (thread, closing) -> {});
    t.newRecord(1, 1);
    t.store(1, 0, 0);
    t.clearFinalizer(0);
    t.setFinalizer(
        1,
        "remover",
        noting(
            "remover",
            (thread, closing) -> {
              thread.load(1, 0, 0);
              thread.clearFinalizer(1);
            }));
    t.setFinalizer(0, "removed", noting("removed"));
    t.wipe(0);
    saved.close();
    heap.collect();
    assertThat(finalized).containsExactly("first", "remover");
    heap.collect();
    assertGone();
  }

  @Test
  @Tag("D20")
  void everyKindButStringsAndNativesCanHaveOne() {
    t.enter(1);
    List<Runnable> makers =
        List.of(
            () -> t.newRecord(0, 1),
            () -> t.newObject(0),
            () -> t.newBuffer(0, 10),
            () -> t.newDynamicBuffer(0, 10),
            () -> t.newThread(0),
            () -> t.newFunction(0, 1, 1));
    for (Runnable maker : makers) {
      maker.run();
      Kind kind = t.kind(0);
      t.setFinalizer(0, "f", noting(kind.name(), (thread, closing) -> assertSame(kind)));
    }
    t.newString(0, "s");
    assertThatThrownBy(() -> t.setFinalizer(0, "f", noting("f")))
        .isInstanceOf(HeapUsageException.class)
        .hasMessageContaining("finalizer");
    t.newNative(0, "n", null);
    assertThatThrownBy(() -> t.setFinalizer(0, "f", noting("f")))
        .isInstanceOf(HeapUsageException.class)
        .hasMessageContaining("finalizer");
    t.setUndefined(0);
    heap.collect();
    assertThat(finalized)
        .containsExactly("RECORD", "OBJECT", "BUFFER", "DYNAMIC_BUFFER", "THREAD", "FUNCTION");
    assertThat(heap.statistics().finalizersFailed()).isZero();
    heap.collect();
    assertThat(heap.statistics().liveElements()).as("main and finalizer thread").isEqualTo(2);
  }

  private void assertSame(Kind kind) {
    if (t.kind(0) != kind) {
      throw new IllegalStateException();
    }
  }

  @Test
  @Tag("D20")
  void errorsAreLoggedWithTheLabelAndCountAsDone() {
    RuntimeException error = new IllegalArgumentException("inside");
    expectLog();
    t.enter(1);
    lose(
        t,
        0,
        "failing",
        (thread, closing) -> {
          throw error;
        });
    lose(t, 0, "deep", (thread, closing) -> recurse(0));
    lose(t, 0, "after");
    heap.collect();
    assertThat(finalized).containsExactly("failing", "deep", "after");
    assertThat(log.warnedOf("finalizer failing", error)).isTrue();
    assertThat(log.messages()).hasSize(2).allMatch(m -> m.contains(heap.name()));
    assertThat(heap.statistics().finalizersFailed()).isEqualTo(2);
    assertThat(heap.statistics().finalizersRun()).isEqualTo(3);
    heap.collect();
    heap.collect();
    assertThat(finalized).hasSize(3);
    assertGone();
    assertThat(t.frameSize()).isEqualTo(1);
  }

  private static int recurse(int depth) {
    return depth < 0 ? depth : recurse(depth + 1) + depth;
  }

  @Test
  @Tag("D20")
  @Needs("duktape-finalizers")
  void anErrorRescuesNothingByItself() {
    GlobalRef saved = heap.newGlobal();
    expectLog();
    t.enter(1);
    lose(
        t,
        0,
        "f",
        (thread, closing) -> {
          thread.setGlobal(saved, 0);
          throw new IllegalStateException();
        });
    heap.collect();
    heap.collect();
    assertThat(heap.statistics().finalizersRescued()).as("it was stored before").isEqualTo(1);
    t.setGlobal(saved, 0);
    heap.collect();
    heap.collect();
    assertThat(finalized).hasSize(2);
  }

  @Test
  @Tag("D20")
  void itRunsOnTheHeapsOwnThreadInAFrameOfItsOwn() {
    t.enter(2);
    t.setInt(1, 42);
    lose(
        t,
        0,
        "f",
        (thread, closing) -> {
          assertThat(thread.frameSize()).isEqualTo(Finalizer.FRAME_SLOTS);
          assertThat(thread.frameDepth()).isZero();
          assertThat(thread.kind(0)).isEqualTo(Kind.RECORD);
          for (int i = 1; i < Finalizer.FRAME_SLOTS; i++) {
            assertThat(thread.isUndefined(i)).isTrue();
          }
          assertThatThrownBy(thread::suspend).isInstanceOf(HeapUsageException.class);
        });
    t.newThread(0);
    t.resume(0, 5);
    heap.collect(); // on whatever thread runs
    assertThat(t.frameSize()).isEqualTo(5);
    t.suspend();
    assertThat(t.frameSize()).isEqualTo(2);
    assertThat(t.getInt(1)).isEqualTo(42);
    assertThat(finalized).containsExactly("f");
  }

  @Test
  @Tag("D20")
  void whatItLeavesEnteredIsLeft() {
    t.enter(3);
    t.setInt(2, 42);
    for (int i = 0; i < 3; i++) {
      lose(
          t,
          0,
          "f",
          (thread, closing) -> {
            thread.enter(500);
            thread.newThread(0);
            thread.resume(0, 3);
            thread.enter(5);
            thread.newFunction(0, 0, 0);
            thread.call(2, 0);
            thread.pushCatcher(0, 1);
          });
      heap.collect();
      assertThat(t.frameSize()).isEqualTo(3);
      assertThat(t.frameDepth()).isEqualTo(1);
      assertThat(t.getInt(2)).isEqualTo(42);
      assertThat(heap.inspect().verify()).isEmpty();
    }
    heap.collect();
    assertThat(heap.statistics().liveElements()).as("main and finalizer thread").isEqualTo(2);
  }

  @Test
  @Tag("D20")
  void itCannotEndTheThreadsThatWaitForIt() {
    t.enter(2);
    t.newThread(0);
    GlobalRef running = heap.newGlobal();
    t.setGlobal(running, 0);
    t.resume(0, 2);
    int[] refused = new int[1];
    lose(
        t,
        0,
        "f",
        (thread, closing) -> {
          thread.getGlobal(1, running);
          List<Runnable> attempts =
              List.of(
                  () -> thread.resume(1, 1),
                  () -> thread.push(1, 1),
                  () -> thread.pop(1, 2),
                  thread::suspend);
          for (Runnable attempt : attempts) {
            assertThatThrownBy(attempt::run).isInstanceOf(HeapUsageException.class);
            refused[0]++;
          }
        });
    heap.collect();
    assertThat(refused[0]).isEqualTo(4);
    t.suspend();
    assertThat(t.frameSize()).isEqualTo(2);
  }

  @Test
  @Tag("D20")
  @Needs("!prompt")
  void noMemoryIsNeededToRunOne() {
    for (int after = 0; after < 4; after++) {
      Heap h = open(QUIET);
      Mutator s = h.mutator();
      s.enter(2);
      s.newRecord(0, 1);
      h.faults().failAllocations(after, 1); // also when the finalizer's thread got a small stack
      s.setFinalizer(0, "f", noting("f"));
      s.setUndefined(0);
      h.faults().failAllocations(0, Long.MAX_VALUE);
      int before = finalized.size();
      assertThatThrownBy(() -> s.newRecord(0, 1)).isInstanceOf(HeapExhaustedException.class);
      h.faults().clearFailAllocations();
      assertThat(finalized).hasSize(before + 1);
      assertThat(s.frameSize()).isEqualTo(2);
      assertThat(h.inspect().verify()).isEmpty();
      h.close();
    }
  }

  @Test
  @Tag("D20")
  @Needs("!prompt")
  void noFinalizersPostponesThemAndTheirElementsStay() {
    t.enter(1);
    lose(t, 0, "f");
    for (int i = 0; i < 3; i++) {
      heap.collect(CollectFlags.NO_FINALIZERS);
      assertThat(finalized).isEmpty();
      assertThat(count(heap, Kind.RECORD)).isEqualTo(1);
    }
    heap.collect();
    assertThat(finalized).containsExactly("f");
  }

  @Test
  @Tag("D20")
  void switchedOffTheyNeverRun() {
    Heap off = open(QUIET, "finalizers = off");
    Mutator s = off.mutator();
    s.enter(1);
    lose(s, 0, "f");
    off.collect();
    assertThat(count(off, Kind.RECORD)).isZero();
    s.newRecord(0, 0);
    s.setFinalizer(0, "g", noting("g"));
    off.close();
    assertThat(finalized).isEmpty();
  }

  @Test
  @Tag("D20")
  void aNativesCallbackRunsOnceAfterTheCollection() {
    expectLog();
    RuntimeException error = new IllegalStateException();
    t.enter(1);
    t.newNative(
        0,
        "a",
        (value, closing) -> {
          finalized.add(value + (closing ? "!" : ""));
          throw error;
        });
    t.newNative(0, "b", (value, closing) -> finalized.add(value + (closing ? "!" : "")));
    heap.collect();
    assertThat(finalized).containsExactly("a");
    assertThat(log.warnedOf("callback", error)).isTrue();
    heap.close();
    assertThat(finalized).containsExactly("a", "b!");
  }
}
