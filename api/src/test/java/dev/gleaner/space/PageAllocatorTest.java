package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.memory.Memory;
import dev.gleaner.memory.SimulatedPages;
import dev.gleaner.testing.Seeds;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spans of pages: disjoint, coalesced, bounded. */
class PageAllocatorTest {
  private static final int PAGE = PageAllocator.PAGE;

  private record Span(int page, int pages) {}

  private static PageAllocator of(Memory memory) {
    return new PageAllocator(memory, memory.size());
  }

  @Test
  void sizesRoundUpToPages() {
    assertThat(PageAllocator.pagesFor(1)).isEqualTo(1);
    assertThat(PageAllocator.pagesFor(PAGE)).isEqualTo(1);
    assertThat(PageAllocator.pagesFor(PAGE + 1)).isEqualTo(2);
  }

  @Test
  void reservedPagesAreForSingleOnesWhileTheyAreDrawn() {
    try (Memory memory = Memory.open(10L * PAGE, PAGE, false)) {
      PageAllocator pages = new PageAllocator(memory, 10L * PAGE);
      int first = pages.allocate(3); // six are left
      assertThat(pages.reserve(7)).isFalse();
      assertThat(pages.reserve(4)).isTrue();
      assertThat(pages.allocate(3)).isZero();
      assertThat(pages.allocate(2)).isNotZero();
      assertThat(pages.allocate(1)).isZero();
      pages.draw(true);
      assertThat(pages.allocate(2)).isZero();
      for (int i = 0; i < 4; i++) {
        assertThat(pages.allocate(1)).isNotZero();
      }
      assertThat(pages.allocate(1)).isZero();
      pages.draw(false);
      assertThat(pages.reserve(0)).isTrue();
      pages.free(first, 3);
      assertThat(pages.allocate(3)).isEqualTo(first);
    }
  }

  @Test
  void randomProgramsAgreeWithABitSet() {
    Seeds.forEach(
        20,
        random -> {
          try (Memory memory = Memory.open(400L * PAGE, PAGE, random.nextBoolean())) {
            program(random, memory);
          }
        });
  }

  private static void program(Random random, Memory memory) {
    int limit = 400;
    PageAllocator pages = new PageAllocator(memory, (long) limit * PAGE);
    BitSet used = new BitSet();
    used.set(0); // offset 0 means none
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      if (spans.isEmpty() || random.nextInt(100) < 55) {
        int n = 1 + random.nextInt(random.nextInt(10) == 0 ? 80 : 6);
        int page = pages.allocate(n);
        if (page == 0) {
          assertThat(limit - pages.frontier()).as("refused %s pages", n).isLessThan(n);
          assertThat(longestFree(used, pages.frontier())).as("refused %s pages", n).isLessThan(n);
        } else {
          assertThat(used.get(page, page + n).isEmpty()).isTrue();
          assertThat(page + n).isLessThanOrEqualTo(Math.min(limit, pages.frontier()));
          if (pages.lastIsZero()) {
            assertThat(memory.get((long) page * PAGE)).isZero();
            assertThat(memory.get((long) (page + n) * PAGE - 8)).isZero();
          }
          memory.put((long) page * PAGE, 1);
          memory.put((long) (page + n) * PAGE - 8, 1);
          used.set(page, page + n);
          spans.add(new Span(page, n));
        }
      } else {
        Span s = spans.remove(random.nextInt(spans.size()));
        pages.free(s.page, s.pages);
        used.clear(s.page, s.page + s.pages);
      }
      if (random.nextInt(40) == 0) {
        pages.release();
        assertThat(pages.frontier()).isGreaterThanOrEqualTo(used.length());
      }
      assertThat(pages.freePages()).isEqualTo(pages.frontier() - used.cardinality());
      assertThat(pages.committedBytes()).isEqualTo((long) used.cardinality() * PAGE);
    }
  }

  private static int longestFree(BitSet used, int frontier) {
    int longest = 0;
    for (int at = used.nextClearBit(0); at < frontier; at = used.nextClearBit(at)) {
      int end = used.nextSetBit(at);
      end = end < 0 ? frontier : Math.min(end, frontier);
      longest = Math.max(longest, end - at);
      at = end;
    }
    return longest;
  }

  @Test
  void neighboursCoalesce() {
    try (Memory memory = Memory.open(1 << 20, 1 << 20, false)) {
      PageAllocator pages = of(memory);
      int a = pages.allocate(3);
      int b = pages.allocate(70);
      int c = pages.allocate(3);
      int d = pages.allocate(1);
      int frontier = pages.frontier();
      pages.free(a, 3);
      pages.free(c, 3);
      pages.free(b, 70);
      assertThat(pages.allocate(76)).isEqualTo(a);
      assertThat(pages.frontier()).isEqualTo(frontier);
      assertThat(d).isEqualTo(a + 76);
    }
  }

  @Test
  void aRequestThatWasTooLongFitsAfterMoreIsFreed() {
    try (Memory memory = Memory.open(100 * PAGE, 100 * PAGE, false)) {
      PageAllocator pages = of(memory);
      int a = pages.allocate(33);
      int b = pages.allocate(33);
      int c = pages.allocate(33);
      assertThat(pages.allocate(1)).isZero();
      pages.free(a, 33);
      pages.free(c, 33);
      assertThat(pages.allocate(34)).isZero();
      assertThat(pages.allocate(34)).isZero();
      pages.free(b, 33);
      assertThat(pages.allocate(99)).isEqualTo(a);
    }
  }

  @Test
  void theLimitMayBeBelowWhatTheMemoryHas() {
    try (Memory memory = Memory.open(100 * PAGE, PAGE, false)) {
      PageAllocator pages = new PageAllocator(memory, 40 * PAGE + PAGE - 1);
      assertThat(pages.allocate(40)).as("page 0 is none's").isZero();
      int all = pages.allocate(39);
      assertThat(all).isEqualTo(1);
      memory.put(40 * PAGE - 8, 1);
      assertThat(pages.allocate(1)).isZero();
    }
  }

  @Test
  void memoryThatCannotGrowToTheLimitIsARefusal() {
    try (Memory memory = Memory.open(40 * PAGE, PAGE, false)) {
      PageAllocator pages = new PageAllocator(memory, 100 * PAGE);
      assertThat(pages.allocate(50)).isZero();
      assertThat(pages.frontier()).isEqualTo(1);
      assertThat(pages.allocate(39)).isEqualTo(1);
    }
  }

  @Test
  void pagesThatWereNeverUsedReadAsZeroAndAreKnownTo() {
    try (Memory memory = Memory.open(100 * PAGE, PAGE, false)) {
      PageAllocator pages = new PageAllocator(memory, 100 * PAGE);
      int a = pages.allocate(10);
      assertThat(pages.lastIsZero()).isTrue();
      pages.free(a, 10);
      assertThat(pages.allocate(10)).isEqualTo(a);
      assertThat(pages.lastIsZero()).isFalse();
    }
  }

  @Test
  void freeRunsOf64PagesAreGivenBackAndShorterOnesKept() {
    assumeTrue(Memory.canReserve());
    try (Memory memory = Memory.open(1 << 20, 1 << 20, true)) {
      PageAllocator pages = of(memory);
      int wide = pages.allocate(67); // aligned or not, whole pages of the system's lie inside
      assertThat(pages.allocate(1)).isNotZero();
      int narrow = pages.allocate(63);
      assertThat(pages.allocate(1)).isNotZero();
      long inWide = (wide + 32L) * PAGE;
      long inNarrow = (narrow + 32L) * PAGE;
      memory.put(inWide, 1);
      memory.put(inNarrow, 1);
      pages.free(wide, 67);
      pages.free(narrow, 63);
      assertThat(pages.allocate(3)).isEqualTo(wide);
      pages.release();
      assertThat(memory.get(inWide)).isZero();
      assertThat(memory.get(inNarrow)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 16, 64})
  void longFreeRunsAreGivenBackAndOthersKept(int kib) {
    assumeTrue(Memory.canReserve());
    try (SimulatedPages _ = new SimulatedPages(kib << 10);
        Memory memory = Memory.open(1 << 20, 1 << 20, true)) {
      PageAllocator pages = of(memory);
      int a = pages.allocate(10);
      int b = pages.allocate(200);
      int c = pages.allocate(10);
      for (long at = PAGE; at < (long) pages.frontier() * PAGE; at += 8) {
        memory.put(at, at);
      }
      pages.free(b, 200);
      pages.release();
      // Whole pages of the system's inside the run are gone, and nothing else.
      assertThat(memory.get((b + 100L) * PAGE)).isZero();
      for (int i = 0; i < 10; i++) {
        assertThat(memory.get((long) (a + i) * PAGE)).isEqualTo((long) (a + i) * PAGE);
        assertThat(memory.get((long) (c + i) * PAGE)).isEqualTo((long) (c + i) * PAGE);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 16, 64})
  void whatIsGivenBackAtTheEndIsAsIfNeverUsed(int kib) {
    assumeTrue(Memory.canReserve());
    try (SimulatedPages _ = new SimulatedPages(kib << 10);
        Memory memory = Memory.open(1000L * PAGE, PAGE, true)) {
      PageAllocator pages = of(memory);
      int kept = pages.allocate(5);
      int peak = pages.allocate(501);
      for (int at = peak; at < peak + 501; at++) {
        memory.put((long) at * PAGE, 1);
      }
      pages.free(peak, 501);
      pages.release();
      assertThat(pages.frontier())
          .isBetween(kept + 5, kept + 4 + kib); // whole pages of the system's
      assertThat(pages.frontier() % kib).isZero();
      int again = pages.allocate(600);
      assertThat(pages.lastIsZero()).isTrue();
      for (int at = again; at < again + 600; at++) {
        assertThat(memory.get((long) at * PAGE)).isZero();
      }
    }
  }

  @Test
  void tellsThePartsThatAreInUseOrWereSinceATime() {
    Seeds.forEach(10, PageAllocatorTest::partsOf);
  }

  private static void partsOf(Random random) {
    int all = 64 << 10;
    long bytes = (long) all << PageAllocator.PAGE_SHIFT;
    try (Memory memory = Memory.open(bytes, 1 << 20, true)) {
      PageAllocator pages = new PageAllocator(memory, bytes);
      int parts = all >> PageAllocator.PART_SHIFT;
      int[] used = new int[parts];
      long[] changed = new long[parts];
      long time = 1;
      List<int[]> spans = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        boolean takes = spans.isEmpty() || random.nextInt(40) > spans.size() - i / 20;
        int n = 1 + random.nextInt(random.nextInt(4) == 0 ? 9000 : 300);
        int page = takes ? pages.allocate(n) : 0;
        int[] span = {page, n};
        if (page != 0) {
          spans.add(span);
        } else if (!takes) {
          span = spans.remove(random.nextInt(spans.size()));
          pages.free(span[0], span[1]);
        }
        for (int p = span[0]; span[0] != 0 && p < span[0] + span[1]; p++) {
          used[p >> PageAllocator.PART_SHIFT] += takes ? 1 : -1;
          changed[p >> PageAllocator.PART_SHIFT] = time;
        }
        if (random.nextInt(5) == 0) {
          assertThat(pages.tick()).isGreaterThan(time);
          time++;
        }
        long since = Math.max(1, time - random.nextInt(4));
        List<Integer> told = new ArrayList<>();
        for (int p = pages.partInUse(0, since); p >= 0; p = pages.partInUse(p + 1, since)) {
          told.add(p);
        }
        List<Integer> expected = new ArrayList<>();
        for (int p = 0; p < parts; p++) {
          if (used[p] > 0 || changed[p] >= since) {
            expected.add(p);
          }
        }
        assertThat(told).isEqualTo(expected);
      }
    }
  }
}
