package dev.gleaner.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.testing.Contexts;
import dev.gleaner.testing.Listed;
import dev.gleaner.testing.Region;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much has leaked, and a loop of it. */
@Tag("D24")
class LeakFinderTest {
  private final Region region = new Region(4 << 20);
  private final List<Long> roots = new ArrayList<>();
  private final HeapParts context = Contexts.of(region, roots, true);
  private final Listed collector = new Listed();
  private final LeakFinder finder = new LeakFinder(context, collector);

  @AfterEach
  void close() {
    region.close();
  }

  private long record(int slots) {
    long e = region.element(Layout.RECORD, slots);
    collector.elements.add(e);
    return e;
  }

  private void refer(long from, int slot, long to) {
    region.memory.put(from + 8 + 8L * slot, to);
  }

  private void assertLeaked(long elements, long bytes) {
    assertThat(finder.count()).isEqualTo(elements);
    assertThat(finder.elements()).isEqualTo(elements);
    assertThat(finder.bytes()).isEqualTo(bytes);
  }

  /** A ring of records of 2 slots, whose first one is answered. */
  private long ring(int length) {
    long first = record(2);
    long last = first;
    for (int i = 1; i < length; i++) {
      long next = record(2);
      refer(last, 1, next);
      last = next;
    }
    refer(last, 1, first);
    return first;
  }

  @Test
  void anEmptyHeapLeaksNothing() {
    assertLeaked(0, 0);
    assertThat(finder.sample()).isEmpty();
  }

  @Test
  void whatARootReachesHasNotLeaked() {
    long a = record(3);
    long b = record(1);
    roots.add(Values.ofInt(5));
    roots.add(a);
    refer(a, 2, b);
    refer(b, 0, a);
    assertLeaked(0, 0);
    assertThat(finder.sample()).isEmpty();
    roots.clear();
    assertLeaked(2, 32 + 16);
    roots.add(b);
    assertLeaked(0, 0);
  }

  @Test
  void whatABuiltInReachesHasNotLeaked() {
    long e = context.builtins().allocate(2);
    region.memory.put(e, Layout.header(Layout.RECORD, 1));
    long r = ring(3);
    assertLeaked(3, 3 * 24);
    refer(e, 0, r);
    assertLeaked(0, 0);
  }

  @Test
  void anElementThatHoldsItself() {
    long a = record(2);
    refer(a, 1, a);
    assertLeaked(1, 24);
    assertThat(finder.sample()).containsExactly("[1]: record of 2");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 50, 900})
  void theSampleGoesOnceAroundTheLoop(int length) {
    ring(length);
    assertThat(finder.count()).isEqualTo(length);
    assertThat(finder.sample()).hasSize(length).containsOnly("[1]: record of 2");
  }

  @Test
  void theWayIntoTheLoopIsNoPartOfIt() {
    long tail = record(5);
    long way = record(4);
    long a = record(1);
    long b = record(3);
    refer(tail, 4, way);
    refer(way, 3, a);
    refer(a, 0, b);
    refer(b, 2, a);
    assertLeaked(4, 48 + 40 + 16 + 32);
    assertThat(finder.sample()).hasSize(2);
    assertThat(finder.sample()).containsExactlyInAnyOrder("[0]: record of 3", "[2]: record of 1");
  }

  @Test
  void aLoopIsFoundBehindBranchesThatEndAndSharedOnes() {
    long start = record(3);
    long shared = record(1);
    refer(start, 0, record(0));
    refer(start, 1, shared);
    refer(shared, 0, record(0));
    long middle = record(2);
    refer(start, 2, middle);
    refer(middle, 0, shared);
    refer(middle, 1, start);
    assertThat(finder.sample()).containsExactlyInAnyOrder("[2]: record of 2", "[1]: record of 3");
    assertThat(finder.elements()).isEqualTo(5);
  }

  /** What hangs on a loop is enumerated first, and reaches none. */
  @Test
  void theLoopIsFoundThoughOthersComeFirst() {
    long leaf = record(0);
    long other = record(1);
    refer(other, 0, leaf);
    long a = record(2);
    refer(a, 0, other);
    refer(a, 1, a);
    assertThat(finder.sample()).containsExactly("[1]: record of 2");
    assertThat(finder.elements()).isEqualTo(3);
  }

  @Test
  void withoutALoopThereIsNoSample() {
    long a = record(1);
    refer(a, 0, record(0));
    assertThat(finder.sample()).isEmpty();
    assertThat(finder.elements()).isEqualTo(2);
  }

  @Test
  void lookingChangesNothing() {
    long r = ring(4);
    roots.add(ring(2));
    List<Long> words = new ArrayList<>();
    for (long e : collector.elements) {
      words.add(region.memory.get(e));
    }
    for (int i = 0; i < 3; i++) {
      assertThat(finder.sample()).hasSize(4);
      assertThat(finder.count()).isEqualTo(4);
    }
    List<Long> after = new ArrayList<>();
    for (long e : collector.elements) {
      after.add(region.memory.get(e));
    }
    assertThat(after).isEqualTo(words);
    refer(r, 1, Values.NULL);
    assertThat(finder.sample()).isEmpty();
  }
}
