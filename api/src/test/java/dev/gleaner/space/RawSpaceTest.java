package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.memory.Memory;
import dev.gleaner.testing.Region;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A heap's memory as a whole: what is given back to the system, and when. */
@Tag("D18")
class RawSpaceTest {

  private static final long BLOCK = 100 << 10;

  private static List<Long> fill(Region r, long bytes) {
    List<Long> blocks = new ArrayList<>();
    for (long n = 0; n < bytes; n += BLOCK) {
      long block = r.allocator.alloc(BLOCK);
      r.memory.put(block + BLOCK / 2, 1);
      blocks.add(block);
    }
    return blocks;
  }

  private static void free(Region r, List<Long> blocks) {
    long used = r.raw.committedBytes();
    blocks.forEach(r.allocator::free);
    assertThat(r.raw.committedBytes()).isEqualTo(used - blocks.size() * BLOCK);
  }

  /** How many of the blocks read as zero where they were dirty: they were given back. */
  private static long released(Region r, List<Long> blocks) {
    return blocks.stream().filter(b -> r.memory.get(b + BLOCK / 2) == 0).count();
  }

  /** What {@link #released} says of each call of {@link RawSpace#release}, after all was freed. */
  private static List<Long> releasedAfter(long bytes, boolean... calls) {
    assumeTrue(Memory.canReserve());
    try (Region r = new Region(32 << 20)) {
      List<Long> blocks = fill(r, bytes);
      free(r, blocks);
      List<Long> counts = new ArrayList<>();
      for (boolean all : calls) {
        r.raw.release(all);
        counts.add(released(r, blocks));
      }
      return counts;
    }
  }

  @Test
  void manyFreePagesAreGivenBackOnceTheyStayFree() {
    assertThat(releasedAfter(80 * BLOCK, false, false)).containsExactly(0L, 80L);
  }

  @Test
  void aFewAreKeptForTheNextAllocations() {
    assertThat(releasedAfter(10 * BLOCK, false, false, false)).containsExactly(0L, 0L, 0L);
  }

  @Test
  void whatIsUsedAgainFromOneCallToTheNextIsKept() {
    assumeTrue(Memory.canReserve());
    try (Region r = new Region(32 << 20)) {
      for (int round = 0; round < 4; round++) {
        List<Long> blocks = fill(r, 80 * BLOCK);
        free(r, blocks);
        r.raw.release(false);
        assertThat(released(r, blocks)).isZero();
      }
    }
  }

  @Test
  void afterAPeakOnlyWhatIsNotUsedAgainIsGivenBack() {
    assumeTrue(Memory.canReserve());
    try (Region r = new Region(32 << 20)) {
      List<Long> peak = fill(r, 200 * BLOCK);
      free(r, peak);
      r.raw.release(false);
      for (int round = 0; round < 4; round++) {
        List<Long> again = fill(r, 20 * BLOCK);
        free(r, again);
        r.raw.release(false);
        assertThat(released(r, again)).isZero();
        assertThat(released(r, peak)).isEqualTo(180);
      }
    }
  }

  @Test
  void freePagesAreKeptWhileMuchElseIsInUse() {
    assumeTrue(Memory.canReserve());
    try (Region r = new Region(32 << 20)) {
      long freed = r.allocator.alloc(4 << 20);
      r.memory.put(freed + (2 << 20), 1);
      assertThat(r.allocator.alloc(4 << 20)).isNotZero();
      r.allocator.free(freed);
      r.raw.release(false);
      r.raw.release(false);
      assertThat(r.memory.get(freed + (2 << 20))).isEqualTo(1);
      r.raw.release(true);
      assertThat(r.memory.get(freed + (2 << 20))).isZero();
    }
  }

  @Test
  void pagesAreTakenWithoutACharge() {
    try (Region r = new Region(1 << 20)) {
      long committed = r.raw.committedBytes();
      long start = r.raw.takePages(10_000);
      assertThat(start).isPositive();
      assertThat(r.budget.used()).isZero();
      assertThat(r.raw.committedBytes()).isEqualTo(committed + 10 * PageAllocator.PAGE);
      r.raw.givePages(start, 10_000);
      assertThat(r.raw.committedBytes()).isEqualTo(committed);
      assertThat(r.raw.takePages(1L << 50)).as("more than pages are numbered").isZero();
    }
  }

  @Test
  void inAnEmergencyAllAreGivenBack() {
    assertThat(releasedAfter(10 * BLOCK, true)).containsExactly(10L);
  }

  /** How many pages can be taken, one by one; all are given back. */
  private static int pagesToTake(RawSpace raw) {
    List<Long> taken = new ArrayList<>();
    for (long page = raw.takePages(1); page != 0; page = raw.takePages(1)) {
      taken.add(page);
    }
    taken.forEach(page -> raw.givePages(page, 1));
    return taken.size();
  }

  @Test
  void thereIsRoomForWhatFitsBetweenTheOthers() {
    try (Region r = new Region(1 << 20, 100 << 10, true)) {
      assertThat(r.raw.hasRoom(99 << 10)).isTrue();
      assertThat(r.raw.hasRoom((99 << 10) + 1)).isFalse();
      assertThat(r.raw.hasRoom(Long.MAX_VALUE)).isFalse();
      List<Long> pages = new ArrayList<>();
      for (int i = 0; i < 99; i++) {
        pages.add(r.raw.takePages(1 << 10));
      }
      assertThat(r.raw.hasRoom(1)).isFalse();
      for (int i = 0; i < 40; i += 4) {
        r.raw.givePages(pages.get(i), 1);
        r.raw.givePages(pages.get(i + 1), 1);
      }
      assertThat(r.raw.hasRoom(2 << 10)).isTrue();
      assertThat(r.raw.hasRoom((2 << 10) + 1)).isFalse();
      assertThat(r.raw.reserveCopies(776 * 10, 9, 19 << 10, 0)).as("19 of 20").isTrue();
      assertThat(r.raw.hasRoom(1 << 10)).isTrue();
      assertThat(r.raw.hasRoom(2 << 10)).isFalse();
    }
  }

  @Test
  void aQuarterMoreAndAPageOfEachSizeAreKeptForCells() {
    try (Region r = new Region(1 << 20, 100 << 10, true)) {
      assertThat(r.raw.reserveCells(40 << 10)).isTrue();
      assertThat(pagesToTake(r.raw)).isEqualTo(99 - 50 - 32);
      assertThat(r.raw.reserveCells(54 << 10)).as("68 + 32 of 99").isFalse();
      assertThat(pagesToTake(r.raw)).as("as before").isEqualTo(17);
      assertThat(r.raw.reserveCells(53 << 10)).as("67 + 32").isTrue();
      assertThat(pagesToTake(r.raw)).isZero();
      r.raw.beginCopies();
      assertThat(pagesToTake(r.raw)).isEqualTo(99);
      r.raw.endCopies();
      assertThat(pagesToTake(r.raw)).isZero();
      assertThat(r.raw.reserveCells(0)).isTrue();
      assertThat(pagesToTake(r.raw)).isEqualTo(99);
    }
  }

  @Test
  void pagesAreKeptForCopiesAndForTheirCopies() {
    try (Region r = new Region(1 << 20, 100 << 10, true)) {
      assertThat(r.raw.reserveCopies(776 * 10, 1, 10 << 10, 0)).isTrue();
      assertThat(pagesToTake(r.raw)).as("2 * 11 - 10").isEqualTo(99 - 12);
      assertThat(r.raw.reserveCopies(776 * 10, 1, 10 << 10, 4 << 10)).isTrue();
      assertThat(pagesToTake(r.raw)).as("4 are given back before").isEqualTo(99 - 8);
      assertThat(r.raw.reserveCopies(776 * 10, 3, 30 << 10, 0)).isTrue();
      assertThat(pagesToTake(r.raw)).as("10 + 3").isEqualTo(99 - 13);
      assertThat(r.raw.reserveCopies(776 * 10, 3, 30 << 10, 20 << 10)).isTrue();
      assertThat(pagesToTake(r.raw)).isEqualTo(99);
      assertThat(r.raw.reserveCopies(Long.MAX_VALUE / 4, 3, 0, 0)).isFalse();
      assertThat(r.raw.reserveCopies(776 * 99, 1, 200 << 10, 0)).as("100 of 99").isFalse();
      assertThat(pagesToTake(r.raw)).isEqualTo(99);
    }
  }

  @Test
  void nothingLiesBeyondTheEnd() {
    try (Region r = new Region(1 << 20, 100 << 10, true)) {
      r.raw.endAt(10 << 10);
      assertThat(r.raw.hasRoom(10 << 10)).isFalse();
      assertThat(pagesToTake(r.raw)).isEqualTo(9);
      r.raw.endAt(1 << 20);
      assertThat(pagesToTake(r.raw)).isEqualTo(9);
    }
  }
}
