package dev.gleaner.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.spi.Layout;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Cells for elements: handed out in runs, reclaimed by marks, each element in exactly one place.
 */
@Tag("D6")
class CellSpaceTest {
  private static final long MAX = 2 << 20;
  private static final VoluntaryTrigger OFF = new VoluntaryTrigger(false, 1, 0);

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
        long[] runs = cells.runs(kind);
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
  void randomProgramsAgreeWithAModel() {
    Seeds.forEach(
        10,
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

  @Test
  void figuresAreExactAlsoInTheMiddleOfARun() {
    try (Model m = new Model(false)) {
      for (int i = 1; i <= 100; i++) {
        assertThat(m.make(Layout.RECORD, 3)).isNotZero();
        assertThat(m.r.budget.used()).isEqualTo(24L * i);
        assertThat(m.cells.elements(Layout.RECORD)).isEqualTo(i);
        assertThat(m.cells.allocatedElements()).isEqualTo(i);
        assertThat(m.cells.allocatedBytes()).isEqualTo(24L * i);
      }
      assertThat(m.r.budget.charged()).isGreaterThan(2400);
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
