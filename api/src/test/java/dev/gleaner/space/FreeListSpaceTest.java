package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Seeds;
import dev.gleaner.testing.Triggers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cells that are freed one by one: each in one place, figures and limits exact. */
@Tag("D6")
class FreeListSpaceTest {
  private static final long MAX = 2 << 20;
  private static final int RECORD = Layout.RECORD;

  /** A space, and a model of it: elements with their kind, words and a number in the payload. */
  private static final class Model implements AutoCloseable {
    final Region r;
    final FreeListSpace cells;
    final TreeMap<Long, int[]> elements = new TreeMap<>(); // kind, words, number
    int made;
    long madeBytes;

    Model(long max, VoluntaryTrigger trigger, boolean oneByOne) {
      this.r = new Region(max);
      this.cells = new FreeListSpace(r.raw, r.budget, new AllocationGate(trigger, oneByOne));
    }

    Model(boolean oneByOne) {
      this(MAX, Triggers.of(false, 1, 0), oneByOne);
    }

    /** Makes an element as the heap does: from the granted ones if it can. */
    long make(int kind, int words) {
      long e = cells.take(kind, words);
      return enter(kind, words, e != 0 ? e : cells.refill(kind, words));
    }

    private long enter(int kind, int words, long e) {
      if (e == 0) {
        return 0;
      }
      for (int w = 1; w < words; w++) {
        assertThat(r.memory.get(e + 8L * w)).as("a new cell reads as zero").isZero();
      }
      var before = elements.lowerEntry(e);
      if (before != null) {
        assertThat(before.getKey() + before.getValue()[1] * 8L).isLessThanOrEqualTo(e);
      }
      Long after = elements.ceilingKey(e);
      if (after != null) {
        assertThat(e + words * 8L).isLessThanOrEqualTo(after);
      }
      r.memory.put(e, Layout.header(kind, words - 1));
      int number = ++made;
      madeBytes += CellSpace.cellBytes(words);
      for (int w = 1; w < words; w++) {
        r.memory.put(e + 8L * w, number);
      }
      elements.put(e, new int[] {kind, words, number});
      return e;
    }

    void free(long e) {
      int[] v = Objects.requireNonNull(elements.remove(e));
      r.memory.zero(e + 8, (v[1] - 1) * 8L);
      cells.free(v[0], e, v[1]);
    }

    long any(Random random) {
      Long e = elements.ceilingKey(random.nextLong(elements.lastKey() + 1));
      return e == null ? elements.lastKey() : e;
    }

    /** Keeps some elements and sweeps the rest; null marks keep all. */
    void sweep(Random random, int keepOf16) {
      try (MarkBits marks = new MarkBits(r.raw.extent(), true)) {
        assertThat(marks.ensure(cells.extent())).isTrue();
        Set<Long> expected = new HashSet<>();
        elements
            .entrySet()
            .removeIf(x -> {
              if (keepOf16 == 16 || random.nextInt(16) < keepOf16) {
                marks.set(x.getKey());
                return false;
              }
              if (Layout.ownsResources(x.getValue()[0])) {
                expected.add(x.getKey());
              }
              return true;
            });
        Set<Long> released = new HashSet<>();
        cells.sweep(
            keepOf16 == 16 ? null : marks,
            (kind, e) -> {
              assertThat(Layout.kind(r.memory.get(e))).isEqualTo(kind);
              assertThat(released.add(e)).as("released once").isTrue();
            });
        assertThat(released).isEqualTo(expected);
      }
    }

    void check() {
      Set<Long> walked = new HashSet<>();
      cells.forEach(e -> assertThat(walked.add(e)).as("enumerated twice").isTrue());
      assertThat(walked).isEqualTo(elements.keySet());
      long bytes = 0;
      long[] byKind = new long[Layout.KINDS];
      for (Map.Entry<Long, int[]> x : elements.entrySet()) {
        int[] v = x.getValue();
        bytes += CellSpace.cellBytes(v[1]);
        byKind[v[0]]++;
        assertThat(cells.isCell(x.getKey())).isTrue();
        assertThat(r.memory.get(x.getKey())).isEqualTo(Layout.header(v[0], v[1] - 1));
        for (int w = 1; w < v[1]; w++) {
          assertThat(r.memory.get(x.getKey() + 8L * w)).isEqualTo(v[2]);
        }
      }
      for (int kind = 1; kind < Layout.KINDS; kind++) {
        assertThat(cells.elements(kind)).isEqualTo(byKind[kind]);
        Set<Long> ofKind = new HashSet<>();
        cells.forEach(kind, ofKind::add);
        assertThat(ofKind).hasSize((int) byKind[kind]);
      }
      assertThat(r.budget.used()).isEqualTo(bytes);
      assertThat(cells.allocatedElements()).isEqualTo(made);
      assertThat(cells.allocatedBytes()).isEqualTo(madeBytes);
    }

    @Override
    public void close() {
      r.close();
    }
  }

  private static int words(Random random) {
    return switch (random.nextInt(20)) {
      case 0 -> 1 + random.nextInt(SizeClasses.LARGEST_WORDS);
      case 1, 2, 3 -> 1 + random.nextInt(60);
      default -> 1 + random.nextInt(6);
    };
  }

  @Test
  void randomProgramsAgreeWithAModel() {
    Seeds.forEach(
        10,
        random -> {
          try (Model m = new Model(random.nextInt(4) == 0)) {
            for (int round = 0; round < 12; round++) {
              int freesOf16 = random.nextInt(16);
              for (int i = random.nextInt(2000); i > 0; i--) {
                if (random.nextInt(16) < freesOf16 && !m.elements.isEmpty()) {
                  m.free(m.any(random));
                } else {
                  long _ = m.make(1 + random.nextInt(Layout.KINDS - 1), words(random));
                }
              }
              m.check(); // with grants and freed cells that are still charged
              if (random.nextBoolean()) {
                m.cells.retire();
                m.check();
                assertThat(m.cells.unusedBytes()).isZero();
                assertThat(m.r.budget.charged()).isEqualTo(m.r.budget.used());
              }
              if (random.nextInt(3) == 0) {
                m.sweep(random, random.nextInt(17));
                m.check();
              }
            }
          }
        });
  }

  @Test
  void theNextElementLiesWhereTheLastOneDied() {
    try (Model m = new Model(false)) {
      long a = m.make(RECORD, 3);
      long b = m.make(RECORD, 3);
      m.free(a);
      m.free(b);
      assertThat(m.make(RECORD, 3)).isEqualTo(b);
      assertThat(m.make(RECORD, 3)).isEqualTo(a);
    }
  }

  @Test
  void nothingIsTakenThatWasNotGranted() {
    try (Model m = new Model(true)) {
      assertThat(m.cells.take(RECORD, 3)).as("before anything was asked for").isZero();
      assertThat(m.cells.take(RECORD, SizeClasses.EXACT + 1)).isZero();
      assertThat(m.cells.take(RECORD, 100_000)).isZero();
      for (int i = 0; i < 100; i++) {
        assertThat(m.make(RECORD, 3)).isNotZero();
        assertThat(m.cells.take(RECORD, 3)).as("one by one").isZero();
      }
    }
    try (Model m = new Model(false)) {
      assertThat(m.make(RECORD, 3)).isNotZero();
      m.cells.retire();
      assertThat(m.cells.take(RECORD, 3)).as("the grant was taken back").isZero();
      assertThat(m.cells.take(Layout.FUNCTION, 3)).as("of another kind").isZero();
    }
  }

  /** A request is refused only when its cell, on top of all that is in use, exceeds the limit. */
  @Test
  void theLimitIsExact() {
    Seeds.forEach(
        4,
        random -> {
          long max = (64 << 10) + random.nextInt(1000) * 8L;
          try (Model m = new Model(max, Triggers.of(false, 1, 0), false)) {
            int refused = 0;
            for (int i = 0; i < 8000; i++) {
              if (random.nextInt(5) == 0 && !m.elements.isEmpty()) {
                m.free(m.any(random));
                continue;
              }
              int words = words(random);
              long before = m.r.budget.used();
              long e = m.make(1 + random.nextInt(Layout.KINDS - 1), words);
              boolean fits = before + CellSpace.cellBytes(words) <= max;
              assertThat(e != 0).as("%s words, %s in use", words, before).isEqualTo(fits);
              refused += fits ? 0 : 1;
            }
            assertThat(refused).isGreaterThan(10);
            m.check();
          }
        });
  }

  @Test
  void whatWasGrantedLeavesOthersTheirShare() {
    try (Model m = new Model(64 << 10, Triggers.of(false, 1, 0), false)) {
      assertThat(m.make(RECORD, 2)).isNotZero();
      assertThat(m.r.budget.charged()).isGreaterThan(m.r.budget.used());
      long rest = m.r.budget.max() - m.r.budget.used();
      assertThat(m.r.budget.charge(rest)).isTrue();
      assertThat(m.r.budget.used()).isEqualTo(m.r.budget.max());
      assertThat(m.make(RECORD, 2)).isZero();
    }
  }

  @Test
  void freedCellsAreNotInUseAnyMore() {
    try (Model m = new Model(false)) {
      long[] all = new long[1000];
      for (int i = 0; i < all.length; i++) {
        all[i] = m.make(RECORD, 4);
      }
      for (int i = 0; i < all.length; i++) {
        m.free(all[i]);
        assertThat(m.r.budget.used()).isEqualTo((999L - i) * 32);
        assertThat(m.cells.elements(RECORD)).isEqualTo(999L - i);
      }
    }
  }

  @Test
  void thePeakIsKnownAfterTheFirstFree() {
    try (Model m = new Model(false)) {
      long[] all = new long[1000];
      for (int i = 0; i < all.length; i++) {
        all[i] = m.make(RECORD, 4);
      }
      for (long e : all) {
        m.free(e);
      }
      assertThat(m.r.budget.peak()).isEqualTo(32_000);
    }
  }

  /**
   * Each allocation and each free is one operation; the next allocation below zero is the first
   * that finds the trigger due, however cells were granted before.
   */
  @ParameterizedTest
  @CsvSource({"0, 0", "0, 1", "0, 7", "0, 100", "1, 10", "0.5, 0", "2, 1024"})
  @Tag("D21")
  void theTriggerIsDueAtTheVeryAllocation(double mult, double add) {
    Seeds.forEach(
        5,
        random -> {
          VoluntaryTrigger trigger = Triggers.of(true, mult, add);
          try (Model m = new Model(MAX, trigger, false)) {
            long count = Math.round(add);
            int fired = 0;
            for (int i = 0; i < 4000; i++) {
              if (random.nextInt(5) < 2 && !m.elements.isEmpty()) {
                m.free(m.any(random));
                m.cells.count(1);
                count--;
                continue;
              }
              int kind = 1 + random.nextInt(3);
              int words = words(random);
              long e = m.cells.take(kind, words);
              if (e != 0) {
                assertThat(count).as("operation %s", i).isNotNegative();
              } else {
                boolean due = trigger.due();
                if (due) {
                  m.cells.retire();
                  due = trigger.due();
                }
                assertThat(due).as("operation %s, count %s", i, count).isEqualTo(count < 0);
                if (due) {
                  fired++;
                  trigger.renew(m.elements.size());
                  count = ((m.elements.size() * Math.round(mult * 256)) >> 8) + Math.round(add);
                }
                e = m.cells.refill(kind, words);
              }
              count--;
              long _ = m.enter(kind, words, e);
            }
            assertThat(fired).isPositive();
            m.cells.retire();
            assertThat(trigger.count()).isEqualTo(count);
          }
        });
  }

  @Test
  void severalFreesAtOnceAreSeveralOperations() {
    VoluntaryTrigger trigger = Triggers.of(true, 0, 100);
    try (Model m = new Model(MAX, trigger, false)) {
      assertThat(m.make(RECORD, 2)).isNotZero();
      m.cells.count(99);
      m.cells.retire();
      assertThat(trigger.count()).isZero();
      m.cells.count(1);
      assertThat(trigger.count()).isEqualTo(-1);
    }
  }

  @Test
  @Tag("D27")
  void heldCellsAreTakenOnlyAfterASweep() {
    try (Model m = new Model(false)) {
      Set<Long> held = new HashSet<>();
      List<Long> before = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        before.add(m.make(RECORD, 3));
      }
      m.cells.hold(true);
      for (int i = 0; i < 500; i += 2) {
        m.free(before.get(i));
        held.add(before.get(i));
        assertThat(m.r.memory.get(before.get(i))).isEqualTo(ReferenceCounts.UNCOUNTED);
      }
      for (int i = 0; i < 2000; i++) {
        assertThat(held).doesNotContain(m.make(RECORD, 3));
      }
      m.check(); // those held are no elements, and not in use
      m.cells.hold(false);
      m.sweep(new Random(1), 16);
      m.check();
      for (int i = 0; i < held.size(); i++) {
        assertThat(held).contains(m.make(RECORD, 3));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSweepGivesEmptyBlocksBack(boolean freedOneByOne) {
    try (Model m = new Model(false)) {
      for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 3000; i++) {
          assertThat(m.make(1 + i % 8, 1 + i % 50)).isNotZero();
        }
        long kept = m.any(new Random(round));
        int[] v = Objects.requireNonNull(m.elements.get(kept));
        if (freedOneByOne) {
          for (long e : List.copyOf(m.elements.keySet())) {
            if (e != kept) {
              m.free(e);
            }
          }
          m.sweep(new Random(1), 16);
        } else {
          try (MarkBits marks = new MarkBits(m.r.raw.extent(), true)) {
            assertThat(marks.ensure(m.cells.extent())).isTrue();
            marks.set(kept);
            m.cells.sweep(marks, (kind, e) -> {});
          }
          m.elements.clear();
          m.elements.put(kept, v);
        }
        m.check();
        assertThat(pages(m)).as("the block of the one that is left").isLessThan(40);
        m.free(kept);
        m.sweep(new Random(1), 16);
        assertThat(pages(m)).isZero();
      }
      assertThat(m.r.raw.extent()).as("pages are used again").isLessThan(MAX * 2);
    }
  }

  private static int pages(Model m) {
    BlockTable blocks = m.r.raw.blocks();
    int n = 0;
    for (int b = 1; b < blocks.bound(); b++) {
      n += blocks.pages[b];
    }
    return n;
  }

  @Test
  void afterASweepCellsAreTakenInAddressOrder() {
    try (Model m = new Model(false)) {
      List<Long> all = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        all.add(m.make(RECORD, 3));
      }
      for (int i = 199; i > 0; i -= 2) {
        m.free(all.get(i));
      }
      m.sweep(new Random(1), 16);
      long last = 0;
      for (int i = 0; i < 100; i++) {
        long e = m.make(RECORD, 3);
        assertThat(e).isGreaterThan(last);
        last = e;
      }
      assertThat(last).isEqualTo(all.get(199));
    }
  }

  @Test
  @Tag("D32")
  void newElementsAreBornMarked() {
    try (Model m = new Model(false);
        MarkBits bits = new MarkBits(MAX * 4, true)) {
      List<Long> old = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        old.add(m.make(1 + i % 8, 2 + i % 5));
      }
      for (int i = 0; i < 1000; i += 3) {
        m.free(old.get(i));
      }
      List<Long> kept = List.copyOf(m.elements.keySet());
      assertThat(bits.ensure(m.cells.extent())).isTrue();
      m.cells.allocateBlack(bits);
      assertThat(kept).noneMatch(bits::get);
      for (int i = 0; i < 20_000; i++) { // freed cells first, then blocks that are new
        long e = m.make(1 + i % 8, 2 + i % 40);
        assertThat(e == 0 || bits.get(e)).as("element %s", i).isTrue();
      }
      assertThat(kept).noneMatch(bits::get);
      m.cells.allocateBlack(null);
      m.cells.sweep(bits, (kind, e) -> {});
      kept.forEach(m.elements::remove);
      m.check();
    }
  }

  @Test
  void onlyWhatWasCarvedIsACell() {
    try (Model m = new Model(false)) {
      long e = m.make(RECORD, 4);
      assertThat(m.cells.isCell(e)).isTrue();
      assertThat(m.cells.isCell(e + 8)).isFalse();
      assertThat(m.cells.isCell(e + 32)).as("free, but carved").isTrue();
      assertThat(m.cells.isCell(1L << 40)).isFalse();
      assertThat(m.cells.isCell(m.r.allocator.alloc(100))).isFalse();
      m.free(e);
      assertThat(m.cells.isCell(e)).as("free cells are cells").isTrue();
      m.sweep(new Random(1), 16);
      assertThat(m.cells.isCell(e)).as("its block is gone").isFalse();
    }
  }

  /** Pages that were used for something else hold what was there, where nothing was carved yet. */
  @Test
  void whatIsNotCarvedIsNoCellWhateverItHolds() {
    try (Model m = new Model(false)) {
      long block = m.r.allocator.alloc(256 << 10);
      for (long at = block; at < block + (256 << 10); at += 8) {
        m.r.memory.put(at, Layout.header(RECORD, 3));
      }
      m.r.allocator.free(block);
      for (int i = 0; i < 2100; i++) {
        assertThat(m.make(RECORD, 4)).isNotZero();
        for (long at = block; at < block + (256 << 10); at += 32) {
          if (m.cells.isCell(at)) {
            boolean free = Layout.kind(m.r.memory.get(at)) == Layout.FREE;
            assertThat(free || m.elements.containsKey(at)).as("offset %s", at).isTrue();
          }
        }
      }
    }
  }
}
