package dev.gleaner.collector.marksweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.settings.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Minor collections: what old elements hold of the young, when they run, and how much is put off.
 */
class StickyMarksTest extends HeapTests {
  private static final String ON = "collectors.marksweep.generational = on";
  private static final String QUIET = "voluntary.enabled = false";

  /** Records of 24 bytes that fill the least nursery. */
  private static final int NURSERY = (512 << 10) / 24;

  private static final int LARGE = 10_000;

  private Heap heap = open(ON, QUIET);
  private Events events = new Events(heap);
  private Mutator t = heap.mutator();

  @BeforeEach
  void frame() {
    t.enter(8);
  }

  private void reopen(String... settings) {
    heap = open(settings);
    events = new Events(heap);
    t = heap.mutator();
    t.enter(8);
  }

  private void garbage(int records) {
    for (int i = 0; i < records; i++) {
      t.newRecord(7, 1);
    }
    t.setUndefined(7);
  }

  private long collections(Mode mode) {
    return events.all.stream().filter(e -> e.mode() == mode).count();
  }

  private boolean isAlive(WeakRef weak) {
    boolean alive = t.getWeak(6, weak);
    t.setUndefined(6);
    return alive;
  }

  @Test
  void rulesOfDuktape1HaveNoMinorCollections() {
    assertThatThrownBy(() -> reopen(ON, "collectors.marksweep.compatibility = duktape-1"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("generational")
        .hasMessageContaining("must be off under the rules of duktape-1");
  }

  @Test
  void garbageGoesByMinorCollectionsAlone() {
    garbage(20 * NURSERY);
    assertThat(collections(Mode.FULL)).isZero();
    assertThat(collections(Mode.MINOR)).isBetween(10L, 21L);
    assertThat(heap.statistics().peakBytes()).isLessThan(1 << 20);
  }

  @Test
  void garbageOfMinorCollectionsDoesNotCountForTheVoluntaryTrigger() {
    reopen(ON, "voluntary { mult = 0, add = 50000 }");
    garbage(1_000_000);
    assertThat(collections(Mode.FULL)).isZero();
    assertThat(collections(Mode.MINOR)).isGreaterThan(20);
  }

  /** A store into an old element is told once, and the element is scanned as a whole. */
  @ParameterizedTest
  @ValueSource(ints = {3, LARGE})
  void oldElementsKeepWhatIsStoredIntoThem(int slots) {
    t.newRecord(0, slots);
    for (int round = 0; round < 5; round++) {
      garbage(2 * NURSERY);
      for (int i = 0; i < slots; i++) {
        t.newRecord(1, 1);
        t.storeInt(1, 0, round + i);
        t.store(0, i, 1);
      }
      t.setUndefined(1);
      garbage(2 * NURSERY);
      for (int i = 0; i < slots; i++) {
        t.load(1, 0, i);
        assertThat(t.loadInt(1, 0)).isEqualTo(round + i);
      }
      t.setUndefined(1);
      assertThat(heap.inspect().verify()).isEmpty();
    }
    assertThat(collections(Mode.FULL)).isZero();
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isEqualTo(slots + 1);
  }

  /** What was stored into a large one is old from then on, even when it is overwritten. */
  @ParameterizedTest
  @ValueSource(ints = {3, LARGE})
  void whatALargeElementLostWaitsForAFullCollection(int slots) {
    t.newRecord(0, slots);
    garbage(2 * NURSERY);
    t.newRecord(1, 1);
    WeakRef lost = t.newWeak(1);
    t.store(0, 0, 1);
    t.storeNull(0, 0);
    t.setUndefined(1);
    garbage(2 * NURSERY);
    assertThat(isAlive(lost)).isEqualTo(slots == LARGE);
    heap.collect();
    assertThat(isAlive(lost)).isFalse();
  }

  /** The finalizer of a young element runs once, and sees what the element holds. */
  @Test
  void youngElementsAreFinalizedByMinorCollections() {
    List<Integer> seen = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      t.newRecord(0, 1);
      t.newRecord(1, 1);
      t.storeInt(1, 0, i);
      t.store(0, 0, 1);
      t.setFinalizer(
          0,
          "f",
          (m, closing) -> {
            m.load(0, 0, 0);
            seen.add(m.loadInt(0, 0));
          });
      t.setUndefined(0);
      t.setUndefined(1);
      garbage(2 * NURSERY);
    }
    assertThat(seen).containsExactly(0, 1, 2);
    assertThat(collections(Mode.FULL)).isZero();
    garbage(4 * NURSERY);
    assertThat(seen).hasSize(3);
  }

  @Test
  void whatIsOldGoesByAFullCollection() {
    t.newRecord(0, 1);
    WeakRef old = t.newWeak(0);
    garbage(2 * NURSERY);
    t.setUndefined(0);
    garbage(2 * NURSERY);
    assertThat(isAlive(old)).isTrue();
    heap.collect();
    assertThat(isAlive(old)).isFalse();
  }

  /** A heap that only grows is not collected for each part of it. */
  @Test
  void minorCollectionsThatFindNothingArePutOff() {
    reopen(ON, QUIET, "memory.max = 256MiB", "collectors.marksweep.nursery = 512KiB");
    t.setNull(0);
    for (int i = 0; i < 100 * NURSERY; i++) {
      t.newRecord(1, 1);
      t.store(1, 0, 0);
      t.copy(0, 1);
    }
    assertThat(collections(Mode.MINOR)).isBetween(5L, 20L);
  }

  /** Many small old elements that were stored into are scanned before they are too many. */
  @Test
  void manyRememberedElementsBringACollectionAbout() {
    reopen(ON, QUIET, "collectors.marksweep.nursery = 64MiB");
    int records = 40_000;
    t.newRecord(0, records);
    for (int i = 0; i < records; i++) {
      t.newRecord(1, 1);
      t.store(0, i, 1);
    }
    heap.collect();
    events.all.clear();
    for (int i = 0; i < records; i++) {
      t.load(1, 0, i);
      t.store(1, 0, 1);
      t.newRecord(1, 1);
    }
    assertThat(collections(Mode.MINOR)).isPositive();
  }
}
