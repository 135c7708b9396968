package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requested and base flags, critical sections, and what an emergency does. */
class FlagsTest extends AllCollectors {
  FlagsTest(String collector) {
    super(collector);
  }

  private static final String QUIET = "voluntary.enabled = false";
  private static final int ALL =
      CollectFlags.EMERGENCY
          | CollectFlags.NO_FINALIZERS
          | CollectFlags.NO_OBJECT_COMPACTION
          | CollectFlags.NO_STRING_TABLE_RESIZE;

  /** An object in a slot with many properties, of which all but two are deleted again. */
  private static void roomy(Mutator t, int slot) {
    t.newObject(slot);
    for (int i = 0; i < 400; i++) {
      put(t, slot, i);
    }
    for (int i = 2; i < 400; i++) {
      delete(t, slot, i);
    }
  }

  private static void put(Mutator t, int object, int key) {
    t.enter(2, object, 1);
    t.newString(1, "p" + key);
    t.putProperty(0, 1, 1);
    t.leave();
  }

  private static void delete(Mutator t, int object, int key) {
    t.enter(2, object, 1);
    t.newString(1, "p" + key);
    t.deleteProperty(0, 1);
    t.leave();
  }

  // ---- effective flags ----

  @Test
  @Tag("D15")
  void effectiveFlagsAreRequestedOrBase() {
    Heap heap = open(QUIET);
    Events events = new Events(heap);
    for (int base = 0; base <= ALL; base++) {
      int old = heap.setBaseFlags(base);
      assertThat(heap.baseFlags()).isEqualTo(base);
      for (int requested = 0; requested <= ALL; requested++) {
        heap.collect(requested);
        assertThat(Objects.requireNonNull(events.last()).flags()).isEqualTo(base | requested);
        assertThat(heap.baseFlags()).isEqualTo(base);
      }
      assertThat(heap.setBaseFlags(old)).isEqualTo(base);
    }
    assertThat(heap.baseFlags()).isZero();
    assertThatThrownBy(() -> heap.collect(ALL + 1)).isInstanceOf(HeapUsageException.class);
    assertThatThrownBy(() -> heap.setBaseFlags(-1)).isInstanceOf(HeapUsageException.class);
    assertThat(heap.baseFlags()).isZero();
  }

  @Test
  @Tag("D15")
  @Needs("!prompt")
  void baseFlagsComeFromTheSettings() {
    Heap heap = open(QUIET, "base-flags = [no-finalizers, emergency]");
    assertThat(heap.baseFlags()).isEqualTo(CollectFlags.NO_FINALIZERS | CollectFlags.EMERGENCY);
    Mutator t = heap.mutator();
    t.enter(1);
    lose(t, 0, "f");
    heap.collect();
    assertThat(heap.statistics().emergencies()).isEqualTo(1);
    assertThat(finalized).isEmpty();
    heap.setBaseFlags(0);
    heap.collect();
    assertThat(finalized).containsExactly("f");
  }

  @Test
  @Tag("D15")
  @Needs({"incremental", "!prompt"})
  void baseFlagsHoldForEveryCauseAlsoForSlices() {
    Heap heap = open("voluntary { mult = 0, add = 0 }", "strings.initial = 16");
    Mutator t = heap.mutator();
    t.enter(2);
    Events events = new Events(heap);
    int flags = CollectFlags.NO_STRING_TABLE_RESIZE | CollectFlags.NO_FINALIZERS;
    heap.setBaseFlags(flags);
    lose(t, 0, "f"); // voluntary
    heap.faults().failAllocations(0, 3);
    t.newRecord(0, 1); // exhausted, emergency
    heap.faults().clearFailAllocations();
    while (!heap.step(1)) {}
    assertThat(events.causes()).contains("voluntary", "exhausted", "emergency");
    assertThat(events.all).allSatisfy(e -> assertThat(e.flags() & flags).isEqualTo(flags));
    assertThat(finalized).isEmpty();
    heap.setBaseFlags(0);
  }

  @Test
  @Tag("D15")
  @Tag("D32")
  @Needs("incremental")
  void anIncrementalCollectionKeepsTheTableAsItIsWhenTheBaseFlagsSaySo() {
    Heap heap = open(QUIET, "strings.initial = 16");
    Mutator t = heap.mutator();
    t.enter(1500);
    for (int i = 0; i < 1500; i++) {
      t.newString(i, "s" + i);
    }
    t.wipe(0);
    long table = 2048 * 8;
    heap.setBaseFlags(CollectFlags.NO_STRING_TABLE_RESIZE);
    while (!heap.step(1)) {}
    assertThat(count(heap, Kind.STRING)).isZero();
    assertThat(used(heap)).as("with the table").isGreaterThan(table);
    heap.setBaseFlags(0);
    long used = used(heap);
    while (!heap.step(1)) {}
    assertThat(used(heap)).isLessThan(used - table / 2);
  }

  @Test
  @Tag("D15")
  @Needs("!prompt")
  void aCollectionInAFinalizerHasTheFlagsOfItsOwnRequest() {
    Heap heap = open(QUIET);
    Events events = new Events(heap);
    Mutator t = heap.mutator();
    t.enter(1);
    lose(t, 0, "f", (thread, closing) -> heap.collect(CollectFlags.NO_OBJECT_COMPACTION));
    heap.collect(CollectFlags.EMERGENCY);
    assertThat(events.all.stream().map(CollectionEvent::flags))
        .containsExactly(CollectFlags.EMERGENCY, CollectFlags.NO_OBJECT_COMPACTION);
  }

  // ---- the two critical sections ----

  @Test
  @Tag("D15")
  void whileTheStringTableGrowsCollectionsMustNotResizeIt() {
    Heap heap = open(QUIET, "strings.initial = 16");
    Mutator t = heap.mutator();
    t.enter(40);
    for (int i = 0; i < 6; i++) {
      t.newString(i, "s" + i);
    }
    Events events = new Events(heap);
    heap.setBaseFlags(CollectFlags.NO_OBJECT_COMPACTION);
    fillTable(heap, t);
    assertThat(events.all).isNotEmpty();
    assertThat(events.all.getFirst().flags())
        .isEqualTo(CollectFlags.NO_OBJECT_COMPACTION | CollectFlags.NO_STRING_TABLE_RESIZE);
    assertThat(heap.baseFlags()).as("restored").isEqualTo(CollectFlags.NO_OBJECT_COMPACTION);
    heap.setBaseFlags(0);
  }

  /** Interns strings, refusing every request of the table, until one has to collect for it. */
  private static void fillTable(Heap heap, Mutator t) {
    long collections = collections(heap);
    for (int i = 6; collections(heap) == collections; i++) {
      assertThat(i).as("a table of 16 entries keeps one empty").isLessThan(16);
      heap.faults().failAllocations(0, 1);
      t.newString(i, "s" + i);
      heap.faults().clearFailAllocations();
    }
  }

  @Test
  @Tag("D15")
  void theBaseFlagsAreRestoredAlsoWhenTheTableCannotGrow() {
    Heap heap = open(QUIET, "strings.initial = 16");
    Mutator t = heap.mutator();
    t.enter(40);
    Events events = new Events(heap);
    heap.setBaseFlags(CollectFlags.NO_FINALIZERS);
    heap.faults().failAllocations(0, Long.MAX_VALUE);
    assertThatThrownBy(() -> t.newString(0, "text")).isInstanceOf(HeapExhaustedException.class);
    assertThat(events.all).hasSize(10);
    assertThat(events.all)
        .allSatisfy(e ->
            assertThat(e.flags() & ~CollectFlags.EMERGENCY)
                .isEqualTo(CollectFlags.NO_FINALIZERS | CollectFlags.NO_STRING_TABLE_RESIZE));
    assertThat(heap.baseFlags()).isEqualTo(CollectFlags.NO_FINALIZERS);
    heap.faults().clearFailAllocations();
    heap.setBaseFlags(0);
    t.newString(0, "text");
  }

  @Test
  @Tag("D15")
  @Tag("D18")
  void whileATableIsResizedEmergenciesCompactAllOthers() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(4);
    roomy(t, 0);
    roomy(t, 1);
    long before = used(heap);
    heap.faults().failAllocations(0, 8); // two requests a try: the fourth is an emergency's
    t.putIndex(0, 1, 3);
    heap.faults().clearFailAllocations();
    assertThat(heap.statistics().emergencies()).isEqualTo(1);
    long one = before - used(heap);
    assertThat(one).as("the other object's table").isGreaterThan(400 * 16);
    heap.collect(CollectFlags.EMERGENCY);
    assertThat(used(heap)).as("its turn afterwards").isLessThan(before - one - 400 * 16);
  }

  @Test
  @Tag("D15")
  @Tag("D18")
  void aFailedResizeEndsItsCriticalSection() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    roomy(t, 0);
    heap.faults().failAllocations(0, Long.MAX_VALUE);
    assertThatThrownBy(() -> t.putIndex(0, 1, 1)).isInstanceOf(HeapExhaustedException.class);
    heap.faults().clearFailAllocations();
    long before = used(heap);
    heap.collect(CollectFlags.EMERGENCY);
    assertThat(used(heap)).isLessThan(before - 400 * 16);
    assertThat(t.propertyCount(0)).isEqualTo(2);
    assertThat(t.arrayLength(0)).isZero();
  }

  @Test
  @Tag("D15")
  void aResizeInAFinalizerInsideAResizeIsASectionOfItsOwn() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(3);
    roomy(t, 0);
    roomy(t, 1);
    var other = heap.newGlobal();
    t.setGlobal(other, 1);
    lose(
        t,
        2,
        "resizes another",
        (thread, closing) -> {
          thread.getGlobal(1, other);
          heap.faults().failAllocations(0, 8);
          thread.putIndex(1, 1, 2);
          heap.faults().failAllocations(0, 6); // the outer one goes on to its emergency
        });
    heap.faults().failAllocations(0, 2);
    t.putIndex(0, 1, 2);
    heap.faults().clearFailAllocations();
    assertThat(finalized).hasSize(1);
    assertThat(t.propertyCount(0)).isEqualTo(3);
    assertThat(t.propertyCount(1)).isEqualTo(3);
    assertThat(t.arrayLength(0)).isEqualTo(2);
    assertThat(t.arrayLength(1)).isEqualTo(2);
  }

  // ---- emergencies ----

  @Test
  @Tag("D18")
  void onlyAnEmergencyCompactsPropertyTables() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(1);
    roomy(t, 0);
    heap.collect();
    long before = used(heap);
    heap.collect();
    assertThat(used(heap)).isEqualTo(before);
    heap.collect(CollectFlags.EMERGENCY | CollectFlags.NO_OBJECT_COMPACTION);
    assertThat(used(heap)).isGreaterThan(before - 500);
    heap.collect(CollectFlags.EMERGENCY);
    assertThat(used(heap)).isLessThan(before - 400 * 16);
    t.enter(2, 0, 1);
    t.newString(1, "p1");
    assertThat(t.hasProperty(0, 1)).isTrue();
    t.leave();
    assertThat(t.propertyCount(0)).isEqualTo(2);
  }

  @Test
  @Tag("D18")
  void anEmergencyCompactsLargeObjectsAndBuiltInsAsWell() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    heap.makeBuiltins(() -> t.newObject(0));
    t.newObject(1, 3000);
    for (int object = 0; object < 2; object++) {
      for (int i = 0; i < 400; i++) {
        put(t, object, i);
      }
      for (int i = 1; i < 400; i++) {
        delete(t, object, i);
      }
    }
    heap.collect();
    long before = used(heap);
    heap.collect(CollectFlags.EMERGENCY);
    assertThat(used(heap)).isLessThan(before - 2 * 400 * 16);
    assertThat(t.propertyCount(0) + t.propertyCount(1)).isEqualTo(2);
  }

  @Test
  @Tag("D18")
  void compactionFindsTheMemoryForARequest() {
    Heap heap = open("memory.max = 1MiB", QUIET);
    Mutator t = heap.mutator();
    int n = 60;
    t.enter(n);
    for (int i = 0; i < n; i++) {
      roomy(t, i); // 12 KB each, of which nearly nothing is needed
    }
    heap.collect();
    long before = used(heap);
    assertThat(before).isGreaterThan(600_000);
    long collections = collections(heap);
    long block = heap.plainMemory().allocChecked(800_000);
    assertThat(heap.statistics().emergencies()).isEqualTo(1);
    assertThat(collections(heap) - collections).as("two did not help").isEqualTo(3);
    heap.plainMemory().free(block);
  }

  @Test
  @Tag("D18")
  @Tag("D30")
  void anEmergencyShrinksValueStacksToWhatIsUsed() {
    Heap heap = open(QUIET);
    Mutator t = heap.mutator();
    t.enter(100);
    t.enter(100_000);
    t.leave();
    heap.collect();
    long loose = used(heap);
    heap.collect(CollectFlags.EMERGENCY);
    assertThat(used(heap)).isLessThan(loose - 500);
    assertThat(t.frameSize()).isEqualTo(100);
  }

  @Test
  @Tag("D18")
  @Needs("!frames")
  void anEmergencyGivesMemoryBack() {
    Heap heap = open("memory.max = 64MiB", QUIET);
    Mutator t = heap.mutator();
    t.enter(2);
    list(t, 0, 1, 100_000);
    long committed = heap.statistics().committedBytes();
    t.wipe(0);
    heap.collect(CollectFlags.EMERGENCY);
    assertThat(heap.statistics().committedBytes()).isLessThan(committed / 10);
  }
}
