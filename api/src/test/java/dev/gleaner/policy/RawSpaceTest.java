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

  /** Whether pages that were dirty read as zero now: they were given back. */
  private static boolean releasedAfter(long bytes, boolean all) {
    assumeTrue(Memory.canReserve());
    try (Region r = new Region(32 << 20)) {
      List<Long> blocks = new ArrayList<>();
      for (long n = 0; n < bytes; n += 100 << 10) {
        long block = r.allocator.alloc(100 << 10);
        r.memory.put(block + (50 << 10), 1);
        blocks.add(block);
      }
      long used = r.raw.committedBytes();
      blocks.forEach(r.allocator::free);
      assertThat(r.raw.committedBytes()).isLessThan(used / 10);
      r.raw.release(all);
      return blocks.stream().allMatch(b -> r.memory.get(b + (50 << 10)) == 0);
    }
  }

  @Test
  void manyFreePagesAreGivenBack() {
    assertThat(releasedAfter(8 << 20, false)).isTrue();
  }

  @Test
  void aFewAreKeptForTheNextAllocations() {
    assertThat(releasedAfter(1 << 20, false)).isFalse();
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
    assertThat(releasedAfter(1 << 20, true)).isTrue();
  }
}
