package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Triggers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an INCREF and a DECREF do, and what they must not. */
@Tag("D12")
class ReferenceCountsTest {
  private static final long[] NO_REFERENCES = {
    Values.UNDEFINED,
    Values.NULL,
    Values.FALSE,
    Values.TRUE,
    Values.ofInt(800),
    Values.ofDouble(0.0),
    Values.ofDouble(-1e300),
    Values.ofRaw(800)
  };

  private final Region r = new Region(1 << 20);
  private final ReferenceCounts counts = new ReferenceCounts(r.memory);

  @AfterEach
  void close() {
    r.close();
  }

  private long element(long count) {
    long e = r.element(Layout.RECORD, 4);
    setCount(e, count);
    return e;
  }

  private void setCount(long e, long count) {
    r.memory.put(e, (r.memory.get(e) & Layout.LOW_MASK) | count << 32);
  }

  private List<Long> zeros() {
    List<Long> all = new ArrayList<>();
    for (long e = counts.nextZero(); e != 0; e = counts.nextZero()) {
      all.add(e);
    }
    return all;
  }

  @Test
  void incrementsAndDecrementsChangeTheCountAlone() {
    long e = element(0);
    long low = r.memory.get(e);
    for (int i = 1; i <= 1000; i++) {
      counts.increment(e);
      assertThat(counts.count(e)).isEqualTo(i);
      assertThat(r.memory.get(e) & Layout.LOW_MASK).isEqualTo(low);
    }
    for (int i = 999; i > 0; i--) {
      counts.decrement(e);
      assertThat(counts.count(e)).isEqualTo(i);
    }
    assertThat(counts.hasZeros()).isFalse();
    counts.decrement(e);
    assertThat(r.memory.get(e)).isEqualTo(low);
    assertThat(zeros()).containsExactly(e);
  }

  @Test
  void valuesThatAreNoReferencesAreLeftAlone() {
    counts.setSettler(() -> {
      throw new AssertionError("nothing was dropped");
    });
    for (long v : NO_REFERENCES) {
      counts.increment(v);
      counts.decrement(v);
      long slot = element(1) + 8;
      counts.put(slot, v);
      counts.write(slot, Values.NULL);
    }
    counts.settle();
    assertThat(counts.hasZeros()).isFalse();
  }

  @Test
  void theLastReferencePutsOnTheListAndFreesNothingYet() {
    List<String> settled = new ArrayList<>();
    counts.setSettler(() -> settled.add("settled"));
    long[] all = new long[100];
    for (int i = 0; i < all.length; i++) {
      all[i] = element(1);
      counts.decrement(all[i]);
    }
    assertThat(settled).as("a decrement has no side effect").isEmpty();
    List<Long> walked = new ArrayList<>();
    counts.forEachZero(walked::add);
    assertThat(walked).hasSize(100);
    counts.settle();
    assertThat(settled).hasSize(1);
    assertThat(zeros()).hasSize(100).containsExactlyInAnyOrderElementsOf(walked);
    assertThat(counts.nextZero()).isZero();
    counts.settle();
    assertThat(settled).as("nothing is left to settle").hasSize(1);
  }

  /** A finalizer may find what waits, and drop it again. */
  @Test
  void zerosThatAreHeldMayBeFoundAgain() {
    long dropped = element(1);
    long found = element(1);
    long foundAndDropped = element(1);
    long later = element(1);
    for (long e : new long[] {dropped, found, foundAndDropped}) {
      counts.decrement(e);
    }
    assertThat(counts.hasZeros()).isTrue();
    counts.holdZeros();
    counts.holdZeros();
    assertThat(counts.count(dropped)).isOne();
    assertThat(counts.isReferenced(dropped)).isFalse();
    counts.increment(found);
    counts.increment(foundAndDropped);
    assertThat(counts.isReferenced(found)).isTrue();
    counts.decrement(foundAndDropped);
    counts.decrement(later);
    List<Long> held = new ArrayList<>();
    counts.forEachHeld(held::add);
    assertThat(held).containsExactlyInAnyOrder(dropped, found, foundAndDropped);
    assertThat(zeros()).containsExactly(later, foundAndDropped, dropped);
    assertThat(counts.hasZeros()).isFalse();
    assertThat(counts.count(found)).isOne();
    assertThat(counts.isReferenced(found)).isTrue();
    counts.decrement(found);
    assertThat(zeros()).containsExactly(found);
  }

  @Test
  void droppingTellsTheCallerInsteadOfTheList() {
    long e = element(2);
    assertThat(counts.drop(e)).isFalse();
    assertThat(counts.drop(e)).isTrue();
    assertThat(counts.hasZeros()).isFalse();
  }

  @Test
  void droppingMoreReferencesThanThereAreIsAnError() {
    long e = element(0);
    assertThatThrownBy(() -> counts.decrement(e))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("element " + e);
    long other = element(1);
    counts.decrement(other);
    assertThatThrownBy(() -> counts.drop(other)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aCountThatWouldOverflowIsGivenUp() {
    long e = element(Integer.MAX_VALUE - 1L);
    long low = r.memory.get(e) & Layout.LOW_MASK;
    counts.increment(e);
    assertThat(counts.isUncounted(e)).isFalse();
    assertThat(counts.count(e)).isEqualTo(Integer.MAX_VALUE);
    counts.increment(e);
    assertThat(counts.isUncounted(e)).isTrue();
    for (int i = 0; i < 10; i++) { // from here on nothing changes any more
      counts.increment(e);
      counts.decrement(e);
      counts.decrement(e);
      assertThat(counts.drop(e)).isFalse();
    }
    assertThat(counts.isUncounted(e)).isTrue();
    assertThat(counts.hasZeros()).isFalse();
    assertThat(r.memory.get(e) & Layout.LOW_MASK).isEqualTo(low);
  }

  @Test
  void oneBelowTheLargestCountComesDownAgain() {
    long e = element(Integer.MAX_VALUE);
    counts.decrement(e);
    assertThat(counts.isUncounted(e)).isFalse();
    assertThat(counts.count(e)).isEqualTo(Integer.MAX_VALUE - 1L);
  }

  @Test
  @Tag("D33")
  void uncountedOnesAreNeverFreedByTheirCount() {
    long e = r.element(Layout.RECORD, 1);
    r.memory.put(e, r.memory.get(e) | ReferenceCounts.UNCOUNTED);
    long header = r.memory.get(e);
    counts.increment(e);
    counts.decrement(e);
    counts.decrement(e);
    assertThat(counts.drop(e)).isFalse();
    assertThat(r.memory.get(e)).isEqualTo(header);
    assertThat(counts.hasZeros()).isFalse();
  }

  @Test
  void theObserverIsToldOfWhatIsStillThere() {
    List<Long> told = new ArrayList<>();
    counts.setObserver(told::add);
    long twice = element(3);
    long once = element(1);
    long uncounted = element(1L << 31);
    counts.decrement(twice);
    assertThat(counts.drop(twice)).isFalse();
    counts.decrement(once);
    counts.decrement(uncounted);
    counts.increment(twice);
    assertThat(told).containsExactly(twice, twice);
    assertThat(zeros()).containsExactly(once);
    counts.setObserver(null);
    counts.decrement(twice);
    assertThat(told).hasSize(2);
    counts.decrement(twice);
    assertThat(zeros()).as("also when nobody observes any more").containsExactly(twice);
  }

  /**
   * What goes to the finalize list was dropped and is there still: an incremental mark needs it.
   */
  @Test
  @Tag("D20")
  void theObserverIsToldOfWhatIsKeptThoughItWasDropped() {
    List<Long> told = new ArrayList<>();
    counts.setObserver(told::add);
    long e = element(1);
    assertThat(counts.drop(e)).isTrue();
    assertThat(told).isEmpty();
    counts.keep(e);
    assertThat(told).containsExactly(e);
    assertThat(counts.count(e)).isEqualTo(1);
    counts.setObserver(null);
    counts.keep(e);
    assertThat(counts.count(e)).isEqualTo(2);
    assertThat(told).hasSize(1);
  }

  @Test
  void aWriteCountsTheNewValueBeforeItDropsTheOldOne() {
    long holder = element(1);
    long old = element(1);
    long next = element(0);
    long slot = holder + 8;
    r.memory.put(slot, old);
    List<String> seen = new ArrayList<>();
    counts.setSettler(() -> {
      assertThat(r.memory.get(slot)).isEqualTo(next);
      assertThat(counts.count(next)).isEqualTo(1);
      assertThat(zeros()).containsExactly(old);
      seen.add("settled");
    });
    counts.write(slot, next);
    assertThat(seen).hasSize(1);
    counts.write(slot, next);
    assertThat(counts.count(next)).as("what is there already").isEqualTo(1);
    assertThat(seen).hasSize(1);
  }

  @Test
  void whatAWriteDropsIsFreedAtOnceIfNothingElseWaits() {
    long holder = element(1);
    List<String> seen = new ArrayList<>();
    List<Boolean> more = new ArrayList<>(List.of(false, true));
    counts.setFreer(e -> {
      assertThat(counts.hasZeros()).isFalse();
      assertThat(counts.count(e)).isZero();
      seen.add("freed " + e);
      return more.removeFirst();
    });
    counts.setSettler(() -> seen.add("settled " + zeros()));
    long[] old = {element(1), element(1), element(1), element(1)};
    for (int i = 0; i < 3; i++) {
      r.memory.put(holder + 8 + 8L * i, old[i]);
    }
    counts.write(holder + 8, Values.NULL);
    assertThat(seen).containsExactly("freed " + old[0]);
    counts.put(holder + 16, Values.NULL);
    assertThat(seen)
        .as("callbacks or finalizers are to be run")
        .containsExactly("freed " + old[0], "freed " + old[1], "settled []");
    seen.clear();
    counts.decrement(old[3]);
    counts.write(holder + 24, Values.NULL);
    assertThat(seen).as("after what waits").containsExactly("settled " + List.of(old[2], old[3]));
  }

  @Test
  void aPutTakesTheCountAlong() {
    long slot = element(1) + 8;
    long value = element(1);
    counts.put(slot, value);
    assertThat(r.memory.get(slot)).isEqualTo(value);
    assertThat(counts.count(value)).isEqualTo(1);
    List<Long> freed = new ArrayList<>();
    counts.setSettler(() -> freed.addAll(zeros()));
    counts.put(slot, Values.NULL);
    assertThat(freed).containsExactly(value);
  }

  @Test
  void slicesCountEachMention() {
    long holder = element(1);
    long a = element(1);
    long b = element(1);
    long[] words = {a, Values.ofInt(3), a, b};
    for (int i = 0; i < words.length; i++) {
      r.memory.put(holder + 8 + 8L * i, words[i]);
    }
    counts.incrementSlice(holder + 8, holder + 40);
    assertThat(counts.count(a)).isEqualTo(3);
    assertThat(counts.count(b)).isEqualTo(2);
    counts.incrementSlice(holder + 8, holder + 8);
    counts.incrementSlice(holder + 16, holder + 32);
    assertThat(counts.count(a)).isEqualTo(4);
    counts.decrementSlice(holder + 8, holder + 40);
    counts.decrementSlice(holder + 8, holder + 40);
    assertThat(zeros()).containsExactlyInAnyOrder(a, b);
    for (int i = 0; i < words.length; i++) {
      assertThat(r.memory.get(holder + 8 + 8L * i)).isEqualTo(words[i]);
    }
  }

  /** The heap reads an offset, something frees the element, the heap uses the offset. */
  @ParameterizedTest
  @ValueSource(strings = {"increment", "decrement", "drop", "write", "slice"})
  @Tag("D27")
  void aBorrowedReferenceThatOutlivedItsElementIsCaughtWhileCellsAreHeld(String use) {
    AllocationGate gate = new AllocationGate(Triggers.of(false, 1, 0), false);
    FreeListSpace cells = new FreeListSpace(r.raw, r.budget, gate);
    cells.hold(true);
    long holder = element(1);
    long borrowed = cells.refill(Layout.RECORD, 3);
    r.memory.put(borrowed, Layout.header(Layout.RECORD, 2) | ReferenceCounts.ONE);
    assertThat(counts.drop(borrowed)).isTrue();
    cells.free(Layout.RECORD, borrowed, 3);
    r.memory.put(holder + 16, borrowed);
    assertThatThrownBy(
            () -> {
              switch (use) {
                case "increment" -> counts.increment(borrowed);
                case "decrement" -> counts.decrement(borrowed);
                case "drop" -> counts.drop(borrowed);
                case "write" -> counts.write(holder + 8, borrowed);
                default -> counts.incrementSlice(holder + 8, holder + 40);
              }
            })
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("borrowed reference")
        .hasMessageContaining("element " + borrowed);
  }
}
