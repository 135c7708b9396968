package dev.gleaner.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.spi.Memory;
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
}
