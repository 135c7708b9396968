package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Duktape 1.x and 2.x, by the setting {@code compatibility} of the three models. */
class CompatibilityTest {
  private static final String CRITICAL = "memory.max = 128KiB, strings.initial = 16, ";

  private static Heap open(String collector, int version, String more) {
    return Installed.open(
        collector, more + "\ncollectors." + collector + ".compatibility = duktape-" + version);
  }

  /** Operations until the trigger fires: those of a program that makes and drops. */
  @ParameterizedTest
  @Tag("D29a")
  @Tag("D29b")
  @CsvSource({
    "hybrid, 1, record, 50",
    "hybrid, 2, record, 51",
    "hybrid, 1, string, 100",
    "hybrid, 2, string, 51",
    "hybrid, 1, buffer, 100",
    "hybrid, 2, buffer, 51",
    "hybrid, 1, block, 100",
    "hybrid, 2, block, 51",
    "refcount, 1, record, 50",
    "refcount, 2, record, 51",
    "refcount, 1, block, 100",
    "marksweep, 1, record, 100",
    "marksweep, 2, record, 101",
    "marksweep, 1, block, 100",
    "marksweep, 2, block, 51",
  })
  void theTriggerCounts(String collector, int version, String what, int rounds) {
    try (Heap heap =
        open(collector, version, "voluntary { mult = 0, add = 100 }, strings.initial = 1024")) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newString(1, "kept"); // makes the string table
      Runnable round =
          () -> {
            switch (what) {
              case "record" -> t.newRecord(0, 1);
              case "string" -> t.newString(0, "text");
              case "buffer" -> t.newBuffer(0, 10);
              default -> heap.plainMemory().free(heap.plainMemory().alloc(10));
            }
            t.setNull(0);
          };
      heap.collect();
      long before = heap.statistics().collections();
      int done = 0;
      while (heap.statistics().collections() == before && done < 1000) {
        round.run();
        done++;
      }
      boolean atDrop = collector.equals("hybrid") && !what.equals("block");
      assertThat(done).isEqualTo(atDrop ? rounds : rounds + 1);
    }
  }

  /** What a record holds: a list, and one with a finalizer, which is called among it or after. */
  @ParameterizedTest
  @Tag("D29a")
  @CsvSource({"refcount, 1, 100", "refcount, 2, 1", "hybrid, 1, 100", "hybrid, 2, 1"})
  void finalizersAmongWhatADropFrees(String collector, int version, long alive) {
    try (Heap heap = open(collector, version, "voluntary.enabled = false")) {
      Mutator t = heap.mutator();
      List<Long> seen = new ArrayList<>();
      t.enter(2);
      t.setNull(0);
      for (int i = 0; i < 99; i++) {
        t.newRecord(1, 1);
        t.store(1, 0, 0);
        t.copy(0, 1);
      }
      t.newRecord(1, 2);
      t.store(1, 0, 0);
      t.newRecord(0, 0);
      t.setFinalizer(0, "sees", (_, _) -> seen.add(heap.statistics().live(Kind.RECORD)));
      t.store(1, 1, 0);
      t.setNull(0);
      t.setNull(1);
      assertThat(seen).containsExactly(alive);
      assertThat(heap.statistics().live(Kind.RECORD)).isZero();
    }
  }

  /** Finalizers of a collection run before it is over, so that none starts another one. */
  @ParameterizedTest
  @Tag("D29a")
  @ValueSource(strings = {"marksweep", "hybrid"})
  void aCollectionInsideOfOneIsNone(String collector) {
    for (int version = 1; version <= 2; version++) {
      try (Heap heap = open(collector, version, "voluntary.enabled = false")) {
        Mutator t = heap.mutator();
        t.enter(1);
        t.newRecord(0, 1);
        t.store(0, 0, 0);
        t.setFinalizer(
            0,
            "collects",
            (_, closing) -> {
              if (!closing) {
                heap.collect();
              }
            });
        t.setNull(0);
        heap.collect();
        assertThat(heap.statistics().finalizersRun()).isEqualTo(1);
        assertThat(heap.statistics().collections()).isEqualTo(version);
      }
    }
  }

  /**
   * A finalizer that counting runs collects: under 1.x those that the collection finds run inside
   * of it, two at the same time and never more; under 2.x when it is over.
   */
  @ParameterizedTest
  @Tag("D29a")
  @Tag("D29c")
  @CsvSource({
    "hybrid, '', 1",
    "hybrid, '', 2",
    "refcount, cycles = trial-deletion, 1",
    "refcount, cycles = trial-deletion, 2"
  })
  void twoActiveFinalizers(String collector, String own, int version) {
    try (Heap heap =
        open(
            collector,
            version,
            "voluntary.enabled = false\ncollectors." + collector + " { " + own + " }")) {
      Mutator t = heap.mutator();
      List<String> log = new ArrayList<>();
      int[] active = {0};
      int[] most = {0};
      BiFunction<String, Runnable, Finalizer> finalizer =
          (name, body) ->
              (_, closing) -> {
                log.add("+" + name);
                most[0] = Math.max(most[0], ++active[0]);
                body.run();
                assertThat(heap.inspect().verify()).isEmpty();
                active[0]--;
                log.add("-" + name);
              };
      GlobalRef other = heap.newGlobal();
      t.enter(2);
      for (String name : List.of("a", "b")) { // loops: their finalizers drop, and would collect
        t.newRecord(0, 1);
        t.store(0, 0, 0);
        t.setFinalizer(
            0,
            name,
            finalizer.apply(
                name,
                () -> {
                  t.setNull(0);
                  t.setGlobal(other, 0);
                  heap.collect();
                  t.newRecord(1, 1);
                }));
      }
      t.newRecord(0, 1);
      t.setFinalizer(0, "other", finalizer.apply("other", heap::collect));
      t.setGlobal(other, 0);
      t.newRecord(0, 1);
      t.setFinalizer(
          0,
          "outer",
          finalizer.apply(
              "outer",
              () -> {
                heap.collect();
                log.add("collected");
              }));
      t.setNull(0);
      assertThat(active[0]).isZero();
      assertThat(most[0]).isEqualTo(version == 1 ? 2 : 1);
      if (version == 1) {
        assertThat(log).startsWith("+outer", "+a", "-a", "+b", "-b", "collected", "-outer");
      } else {
        assertThat(log.subList(0, 3)).containsExactly("+outer", "collected", "-outer");
      }
      heap.collect();
      heap.collect();
      assertThat(log).contains("+a", "+b", "+other");
      assertThat(heap.statistics().live(Kind.RECORD)).isZero();
      other.close();
    }
  }

  /**
   * What a finalizer of a collection drops: under 1.x it stays until the next one, with all kinds,
   * its own finalizer is as late, and so is the element itself; under 2.x it goes at once.
   */
  @ParameterizedTest
  @Tag("D29a")
  @Tag("D29d")
  @CsvSource({"1, false", "1, true", "2, false", "2, true"})
  void theHole(int version, boolean slices) {
    try (Heap heap =
        open(
            "hybrid", version, "incremental.enabled = " + slices + ", voluntary.enabled = false")) {
      Mutator t = heap.mutator();
      List<String> log = new ArrayList<>();
      long strings = heap.statistics().strings();
      GlobalRef held = heap.newGlobal();
      t.enter(2);
      t.newRecord(0, 3); // what falls: a record, a buffer, a string, and one with a finalizer
      t.newBuffer(1, 100);
      t.store(0, 0, 1);
      t.newString(1, "text of its own");
      t.store(0, 1, 1);
      t.newRecord(1, 0);
      t.setFinalizer(1, "late", (_, _) -> log.add("late"));
      t.store(0, 2, 1);
      t.setGlobal(held, 0);
      WeakRef weak = t.newWeak(0);
      t.newRecord(0, 1);
      t.store(0, 0, 0);
      t.setFinalizer(
          0,
          "drops",
          (_, _) -> {
            log.add("drops");
            t.setNull(1);
            t.setGlobal(held, 1);
            log.add(t.getWeak(1, weak) ? "there" : "gone");
            t.setNull(1);
            t.setNull(0);
            assertThat(heap.inspect().verify()).isEmpty();
          });
      t.setNull(0);
      t.setNull(1);
      collect(heap, slices);
      assertThat(heap.inspect().verify()).isEmpty();
      if (version == 1) {
        assertThat(log).containsExactly("drops", "there");
        assertThat(heap.statistics().live(Kind.RECORD)).isEqualTo(3);
        assertThat(heap.statistics().live(Kind.BUFFER)).isEqualTo(1);
        assertThat(heap.statistics().strings()).isEqualTo(strings + 1);
        collect(heap, slices);
        assertThat(heap.inspect().verify()).isEmpty();
        assertThat(heap.statistics().live(Kind.RECORD)).isEqualTo(1); // the late one: next time
      }
      assertThat(log).containsExactly("drops", version == 1 ? "there" : "gone", "late");
      collect(heap, slices);
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(heap.statistics().live(Kind.RECORD)).isZero();
      assertThat(heap.statistics().live(Kind.BUFFER)).isZero();
      assertThat(heap.statistics().strings()).isEqualTo(strings);
      held.close();
      weak.close();
    }
  }

  private static void collect(Heap heap, boolean slices) {
    if (slices) {
      while (!heap.step(1)) {}
    } else {
      heap.collect();
    }
  }

  /**
   * A finalizer runs on the thread that dropped its element, or that collects; under 2.x on the
   * heap's own. Either way no frame, catcher or resumer of the program is in its reach.
   */
  @ParameterizedTest
  @Tag("D29a")
  @Tag("D29e")
  @CsvSource({
    "refcount, 1",
    "refcount, 2",
    "marksweep, 1",
    "marksweep, 2",
    "hybrid, 1",
    "hybrid, 2"
  })
  void theThreadOfFinalizers(String collector, int version) {
    try (Heap heap = open(collector, version, "voluntary.enabled = false")) {
      Mutator t = heap.mutator();
      List<Boolean> here = new ArrayList<>();
      GlobalRef expected = heap.newGlobal();
      Finalizer finalizer =
          (_, _) -> {
            t.currentThread(1);
            t.getGlobal(2, expected);
            here.add(t.same(1, 2));
            assertThat(heap.inspect().verify()).isEmpty();
            assertThat(t.frameDepth()).isZero();
            assertThat(t.frameSize()).isEqualTo(Finalizer.FRAME_SLOTS);
            assertThat(t.raise(0)).isNegative();
            assertThatThrownBy(t::leave).isInstanceOf(HeapUsageException.class);
            assertThatThrownBy(t::suspend).isInstanceOf(HeapUsageException.class);
            assertThatThrownBy(() -> t.peek(1, 1, 0)).isInstanceOf(HeapUsageException.class);
            t.enter(1); // all that follows is left behind
            t.pushCatcher(0, 7);
            t.newThread(0);
            t.resume(0, 1);
            t.enter(2);
          };
      Runnable lose =
          () -> {
            t.pushCatcher(0, 5);
            t.setGlobal(expected, 0);
            t.newRecord(1, 1);
            t.setFinalizer(1, "tells", finalizer);
            t.setInt(2, 42);
            t.setNull(1);
            if (!heap.traits().has(Capability.PROMPT)) {
              heap.collect();
            }
            assertThat(heap.inspect().verify()).isEmpty();
            assertThat(t.getInt(2)).isEqualTo(42);
            t.popCatcher();
          };
      t.enter(3);
      t.currentThread(0);
      lose.run();
      t.newThread(1); // a coroutine of its own frames
      t.resume(1, 3);
      t.currentThread(0);
      lose.run();
      t.enter(3);
      t.currentThread(0);
      lose.run();
      t.leave();
      t.suspend();
      assertThat(t.frameDepth()).isEqualTo(1);
      expected.close();
      boolean onIt = version == 1;
      assertThat(here).containsExactly(onIt, onIt, onIt);
    }
  }

  /** The flags of collections while tables grow: told to listeners, and restored. */
  @ParameterizedTest
  @Tag("D29f")
  @ValueSource(strings = {"marksweep", "hybrid", "refcount"})
  void flagsOfCriticalSections(String collector) {
    for (int version = 1; version <= 2; version++) {
      try (Heap heap = open(collector, version, CRITICAL + "voluntary.enabled = false")) {
        List<Integer> flags = new ArrayList<>();
        heap.addListener(
            new HeapListener() {
              @Override
              public void collectionFinished(CollectionEvent event) {
                flags.add(event.flags() & ~CollectFlags.EMERGENCY);
              }
            });
        Mutator t = heap.mutator();
        t.enter(3);
        t.newObject(0, 0);
        t.setInt(1, 1);
        t.newString(2, "key");
        heap.faults().failAllocations(0, 3); // a smaller table is no way out
        t.putProperty(0, 2, 1);
        int critical = CollectFlags.NO_FINALIZERS | CollectFlags.NO_OBJECT_COMPACTION;
        assertThat(flags).contains(version == 1 ? critical : 0);
        flags.clear();
        heap.collect();
        assertThat(flags).containsExactly(0);
      }
    }
  }
}
