package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Seeds;
import dev.gleaner.testing.Tier;
import dev.gleaner.testing.Triggers;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cells for elements: handed out in runs, reclaimed by marks, each element in exactly one place.
 */
@Tag("D6")
class CellSpaceTest {
  private static final long MAX = 2 << 20;
  private static final VoluntaryTrigger OFF = Triggers.of(false, 1, 0);

  /** A space, and a model of it: elements with their kind, words and a number in the payload. */
  private static final class Model implements AutoCloseable {
    final Region r = new Region(MAX);
    final AllocationGate gate;
    final CellSpace cells;
    final MarkBits[] bits = {new MarkBits(MAX * 2 + (4 << 20), true), new MarkBits(MAX * 4, true)};
    final TreeMap<Long, int[]> elements = new TreeMap<>(); // kind, words, number
    int turn;
    int made;

    Model(boolean oneByOne) {
      gate = new AllocationGate(OFF, oneByOne);
      cells = new CellSpace(r.raw, r.budget, gate);
    }

    /** Makes an element, from the run as the heap does if it can. */
    long make(int kind, int words) {
      long e = 0;
      if (words <= SizeClasses.EXACT) {
        long[] runs = cells.allocationBuffers(kind);
        if (runs[2 * words] + words * 8L <= runs[2 * words + 1]) {
          e = runs[2 * words];
          runs[2 * words] += words * 8L;
        }
      }
      if (e == 0) {
        e = cells.refill(kind, words);
      }
      if (e == 0) {
        return 0;
      }
      for (int w = 0; w < words; w++) {
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
      for (int w = 1; w < words; w++) {
        r.memory.put(e + 8L * w, number);
      }
      elements.put(e, new int[] {kind, words, number});
      return e;
    }

    /** Keeps some elements and sweeps the rest. */
    void collect(Random random, int keepOf16) {
      MarkBits marks = bits[turn];
      turn = 1 - turn;
      assertThat(marks.ensure(cells.extent())).isTrue();
      marks.clearAll(cells.extent());
      Set<Long> expected = new HashSet<>();
      elements
          .entrySet()
          .removeIf(x -> {
            if (random.nextInt(16) < keepOf16) {
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
          marks,
          (kind, e) -> {
            assertThat(r.memory.get(e) & Layout.KIND_MASK).isEqualTo(kind);
            assertThat(released.add(e)).as("released once").isTrue();
          });
      assertThat(released).isEqualTo(expected);
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
        assertThat(r.memory.get(x.getKey())).isEqualTo(Layout.header(v[0], v[1] - 1));
        for (int w = 1; w < v[1]; w++) {
          assertThat(r.memory.get(x.getKey() + 8L * w)).isEqualTo(v[2]);
        }
      }
      for (int kind = 1; kind < Layout.KINDS; kind++) {
        assertThat(cells.elements(kind)).isEqualTo(byKind[kind]);
      }
      assertThat(r.budget.used()).isEqualTo(bytes);
      assertThat(cells.allocatedElements()).isEqualTo(made);
    }

    @Override
    public void close() {
      bits[0].close();
      bits[1].close();
      r.close();
    }
  }

  @Test
  @Tag("seeds")
  void randomProgramsAgreeWithAModel() {
    Seeds.forEach(
        Tier.number(4, 10),
        random -> {
          try (Model m = new Model(random.nextInt(4) == 0)) {
            for (int round = 0; round < 12; round++) {
              for (int i = random.nextInt(2500); i > 0; i--) {
                int words =
                    switch (random.nextInt(20)) {
                      case 0 -> 1 + random.nextInt(300);
                      case 1, 2, 3 -> 1 + random.nextInt(40);
                      default -> 1 + random.nextInt(6);
                    };
                long _ = m.make(1 + random.nextInt(Layout.KINDS - 1), words);
              }
              if (random.nextBoolean()) {
                m.check();
              }
              m.collect(random, random.nextInt(17));
              if (random.nextBoolean()) {
                m.check();
              }
            }
            m.check();
          }
        });
  }

  @Test
  void theLimitIsReachedExactlyThoughRunsAreGrantedInAdvance() {
    try (Model m = new Model(false)) {
      // Runs of several classes hold advances, which go to whoever asks last.
      for (int words = 1; words <= 32; words++) {
        assertThat(m.make(Layout.RECORD, words)).isNotZero();
      }
      while (m.make(Layout.RECORD, 3) != 0) {}
      assertThat(m.r.budget.used()).isGreaterThan(MAX - 24);
      while (m.make(Layout.STRING, 1) != 0) {}
      assertThat(m.r.budget.used()).isEqualTo(MAX);
      m.check();
    }
  }

  @Test
  @Tag("D32")
  void newCellsAreBornMarkedAndUnusedOnesAreNot() {
    try (Model m = new Model(false);
        MarkBits black = new MarkBits(MAX * 4, true)) {
      long before = m.make(Layout.RECORD, 3);
      assertThat(black.ensure(m.cells.extent())).isTrue();
      m.cells.allocateBlack(black);
      long a = m.make(Layout.RECORD, 3);
      long b = m.make(Layout.OBJECT, 5);
      m.cells.retire();
      assertThat(black.get(before)).isFalse();
      assertThat(black.get(a)).isTrue();
      assertThat(black.get(b)).isTrue();
      assertThat(black.count(0, m.cells.extent())).isEqualTo(2);
      m.cells.allocateBlack(null);
      long c = m.make(Layout.RECORD, 3);
      assertThat(black.get(c)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 32, 60})
  void figuresAreExactAlsoInTheMiddleOfARun(int words) {
    try (Model m = new Model(false)) {
      long bytes = CellSpace.cellBytes(words);
      int n = 101;
      for (int i = 1; i <= n; i++) {
        assertThat(m.make(Layout.RECORD, words)).isNotZero();
        assertThat(m.r.budget.used()).isEqualTo(bytes * i);
        assertThat(m.cells.elements(Layout.RECORD)).isEqualTo(i);
        assertThat(m.cells.allocatedElements()).isEqualTo(i);
        assertThat(m.cells.allocatedBytes()).isEqualTo(bytes * i);
      }
      assertThat(m.r.budget.charged()).isGreaterThan(bytes * n);
      m.cells.retire();
      assertThat(m.r.budget.charged()).isEqualTo(bytes * n);
      assertThat(m.cells.elements(Layout.RECORD)).isEqualTo(n);
      assertThat(m.cells.allocatedElements()).isEqualTo(n);
      assertThat(m.cells.allocatedBytes()).isEqualTo(bytes * n);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 32})
  void theHeapAllocatesTheSmallSizesFromRunsThatFitTheCache(int words) {
    try (Model m = new Model(false)) {
      long first = m.cells.refill(Layout.RECORD, words);
      long[] runs = m.cells.allocationBuffers(Layout.RECORD);
      assertThat(runs[2 * words]).isEqualTo(first + words * 8L);
      while (m.r.budget.charged() < 256 << 10) {
        assertThat(runs[2 * words + 1] - runs[2 * words]).isBetween(0L, 8L << 10);
        runs[2 * words] = runs[2 * words + 1]; // as if the heap had taken all of it
        assertThat(m.cells.refill(Layout.RECORD, words)).isNotZero();
      }
    }
  }

  @Test
  @Tag("D21")
  void cellsAreOperationsOfTheTriggerWhenGrantedAndNotWhenGivenBack() {
    try (Region r = new Region(MAX)) {
      VoluntaryTrigger trigger = Triggers.of(true, 1, 1000);
      CellSpace cells = new CellSpace(r.raw, r.budget, new AllocationGate(trigger, false));
      assertThat(cells.refill(Layout.RECORD, 3)).isNotZero();
      assertThat(trigger.count()).as("a run is counted").isLessThan(990);
      cells.retire();
      assertThat(trigger.count()).as("and but for one cell given back").isEqualTo(999);
    }
  }

  @Test
  void aRunThatIsGivenBackLeavesTheMarksOfItsNeighbours() {
    try (Model m = new Model(false);
        MarkBits marks = new MarkBits(MAX * 4, true);
        MarkBits black = new MarkBits(MAX * 4, true)) {
      long[] cells = new long[5];
      for (int i = 0; i < 5; i++) {
        cells[i] = m.make(Layout.RECORD, 3);
      }
      CellSpace space = m.cells;
      assertThat(marks.ensure(space.extent()) && black.ensure(space.extent())).isTrue();
      marks.set(cells[0]);
      marks.set(cells[4]);
      space.sweep(marks, (kind, e) -> {});
      space.allocateBlack(black);
      black.set(cells[0]);
      black.set(cells[4]);
      assertThat(space.refill(Layout.RECORD, 3)).isEqualTo(cells[1]);
      space.retire();
      assertThat(black.get(cells[4])).as("the mark behind the run").isTrue();
      assertThat(black.count(0, space.extent())).isEqualTo(3);
    }
  }

  @Test
  void whenTheMemoryEndsBeforeTheLimitNothingIsTaken() {
    for (int words : new int[] {3, 700}) {
      try (Region r = new Region(MAX, 32 << 10, false)) {
        CellSpace cells = new CellSpace(r.raw, r.budget, new AllocationGate(OFF, false));
        long n = 0;
        while (cells.refill(Layout.RECORD, words) != 0) {
          n++;
        }
        assertThat(n * words * 8).isGreaterThan(15 << 10);
        assertThat(cells.elements(Layout.RECORD)).isEqualTo(n);
        assertThat(r.budget.used()).isEqualTo(n * CellSpace.cellBytes(words));
        assertThat(r.raw.committedBytes()).isLessThanOrEqualTo(32 << 10);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whenTheBitsCannotGrowNoBlockIsTaken(boolean inCycle) {
    try (Region r = new Region(MAX);
        MarkBits few = new MarkBits(8 << 10, false);
        MarkBits all = new MarkBits(MAX * 4, true)) {
      CellSpace cells = new CellSpace(r.raw, r.budget, new AllocationGate(OFF, false));
      long e = cells.refill(Layout.RECORD, 3);
      assertThat(few.ensure(cells.extent()) && all.ensure(MAX * 4)).isTrue();
      if (inCycle) {
        cells.allocateBlack(few);
      } else {
        few.set(e);
        cells.sweep(few, (kind, dead) -> {});
      }
      long n = 1;
      while (cells.refill(Layout.RECORD, 3) != 0) {
        n++;
      }
      assertThat(n * 24).as("what the bits reach to").isBetween(4L << 10, 16L << 10);
      long committed = r.raw.committedBytes();
      assertThat(cells.refill(Layout.STRING, 3)).isZero();
      assertThat(r.raw.committedBytes()).isEqualTo(committed);
      assertThat(cells.elements(Layout.RECORD)).isEqualTo(n);
      assertThat(r.budget.used()).isEqualTo(n * 24);
      cells.allocateBlack(null);
      cells.sweep(all, (kind, dead) -> {});
      assertThat(r.raw.committedBytes()).as("page 0").isEqualTo(PageAllocator.PAGE);
    }
  }

  @Test
  void blocksGrowWithTheirNumberAndStartSmallAgain() {
    try (Model m = new Model(true)) {
      List<Long> sizes = List.of(1L, 4L, 4L, 32L, 32L);
      for (int round = 0; round < 2; round++) {
        long committed = m.r.raw.committedBytes();
        for (long pages : sizes) {
          for (long bytes = pages << PageAllocator.PAGE_SHIFT; bytes > 0; bytes -= 32) {
            assertThat(m.make(Layout.RECORD, 4)).isNotZero();
          }
          committed += pages << PageAllocator.PAGE_SHIFT;
          assertThat(m.r.raw.committedBytes()).isEqualTo(committed);
        }
        m.collect(new Random(1), 0);
      }
      assertThat(m.r.budget.peak()).isEqualTo(73L << PageAllocator.PAGE_SHIFT);
    }
  }

  @Test
  void auxiliaryBlocksAreLeftAlone() {
    try (Model m = new Model(false)) {
      long block = m.r.allocator.alloc(24);
      m.r.memory.put(block, 7);
      assertThat(m.make(Layout.RECORD, 3)).isNotZero();
      m.collect(new Random(1), 0);
      assertThat(m.r.memory.get(block)).isEqualTo(7);
      m.r.allocator.free(block);
      assertThat(m.r.budget.used()).isZero();
    }
  }

  @Test
  void emptyBlocksServeOtherKindsAndSizes() {
    try (Model m = new Model(false)) {
      Random random = new Random(1);
      for (int words = 2; words < 200; words += 13) {
        while (m.make(Layout.BUFFER + words % 6, words) != 0) {}
        assertThat(m.r.budget.used()).as("cells of %s", words).isGreaterThan(MAX - words * 9L);
        m.collect(random, 0);
        assertThat(m.r.budget.used()).isZero();
      }
      assertThat(m.r.raw.committedBytes()).as("page 0").isEqualTo(PageAllocator.PAGE);
    }
  }
}
