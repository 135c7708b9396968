package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Seeds;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The default allocation functions: what the documents ask of alloc, realloc and free. */
@Tag("D1")
class SizeClassAllocatorTest {

  @Test
  void sizeZeroAnswersNullThatAllAccept() {
    try (Region r = new Region(1 << 20)) {
      assertThat(r.allocator.alloc(0)).isZero();
      assertThat(r.allocator.realloc(0, 0)).isZero();
      r.allocator.free(0);
      assertThat(r.budget.used()).isZero();
      assertThat(r.allocator.blocksInUse()).isZero();
    }
  }

  @Test
  void reallocOfNullAllocates() {
    try (Region r = new Region(1 << 20)) {
      long block = r.allocator.realloc(0, 24);
      assertThat(block).isNotZero();
      assertThat(r.budget.used()).isEqualTo(24);
    }
  }

  @Test
  void reallocToZeroFrees() {
    try (Region r = new Region(1 << 20)) {
      assertThat(r.allocator.realloc(r.allocator.alloc(24), 0)).isZero();
      assertThat(r.allocator.realloc(r.allocator.alloc(100_000), 0)).isZero();
      assertThat(r.budget.used()).isZero();
      assertThat(r.allocator.blocksInUse()).isZero();
    }
  }

  @Test
  void refusedReallocLeavesTheBlock() {
    try (Region r = new Region(64 << 10)) {
      long block = r.allocator.alloc(16);
      r.memory.put(block, 7);
      r.memory.put(block + 8, 8);
      assertThat(r.allocator.realloc(block, 1 << 20)).isZero();
      assertThat(r.memory.get(block)).isEqualTo(7);
      assertThat(r.memory.get(block + 8)).isEqualTo(8);
      assertThat(r.budget.used()).isEqualTo(16);
      r.allocator.free(block);
      assertThat(r.budget.used()).isZero();
    }
  }

  @Test
  void absurdSizesAreRefused() {
    try (Region r = new Region(1 << 20)) {
      for (long bytes : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 62, 1L << 41}) {
        assertThat(r.allocator.alloc(bytes)).as("%s bytes", bytes).isZero();
      }
      long block = r.allocator.alloc(8);
      assertThat(r.allocator.realloc(block, Long.MAX_VALUE)).isZero();
      assertThat(r.allocator.realloc(block, -1)).isZero();
      assertThat(r.budget.used()).isEqualTo(8);
    }
  }

  @Test
  void whatIsNoBlockIsRefusedWithoutHarm() {
    try (Region r = new Region(1 << 20)) {
      long small = r.allocator.alloc(24);
      long large = r.allocator.alloc(50_000);
      long gone = r.allocator.alloc(60_000);
      r.allocator.free(gone);
      long[] wrong = {small + 8, small + 24, large + 8, large + 1024, gone, 8, 1L << 40, -8};
      for (long block : wrong) {
        assertThatThrownBy(() -> r.allocator.free(block)).isInstanceOf(HeapUsageException.class);
        assertThatThrownBy(() -> r.allocator.realloc(block, 100))
            .isInstanceOf(HeapUsageException.class)
            .hasMessageContaining("" + block);
      }
      assertThat(r.budget.used()).isEqualTo(r.allocator.size(small) + r.allocator.size(large));
      assertThat(r.allocator.blocksInUse()).isEqualTo(2);
    }
  }

  @Test
  void shrinkingAndGrowingKeepsWhatBothSizesHold() {
    try (Region r = new Region(1 << 20)) {
      long block = r.allocator.alloc(40_000);
      r.memory.put(block, 1);
      r.memory.put(block + 72, 2);
      block = r.allocator.realloc(block, 80);
      assertThat(r.budget.used()).isEqualTo(80);
      block = r.allocator.realloc(block, 300_000);
      assertThat(r.memory.get(block)).isEqualTo(1);
      assertThat(r.memory.get(block + 72)).isEqualTo(2);
    }
  }

  @Test
  void aBlockStaysWhereItIsWhileItsSizeIsRoundedToTheSame() {
    try (Region r = new Region(1 << 20)) {
      long exact = r.allocator.alloc(66);
      assertThat(r.allocator.realloc(exact, 72)).isEqualTo(exact);
      assertThat(r.allocator.realloc(exact, 64)).isNotZero().isNotEqualTo(exact);
      long stepped = r.allocator.alloc(33 * 8);
      assertThat(r.allocator.realloc(stepped, 36 * 8)).isEqualTo(stepped);
      assertThat(r.allocator.realloc(stepped, 36 * 8 + 1)).isNotZero().isNotEqualTo(stepped);
      long large = r.allocator.alloc(36 * 1024 + 1);
      assertThat(r.allocator.realloc(large, 37 * 1024)).isEqualTo(large);
      assertThat(r.allocator.realloc(large, 37 * 1024 + 1)).isNotZero().isNotEqualTo(large);
      assertThat(r.allocator.blocksInUse()).isEqualTo(3);
    }
  }

  @Test
  void aFreedCellServesTheNextRequestOfItsSize() {
    try (Region r = new Region(1 << 20)) {
      List<Long> blocks = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        blocks.add(r.allocator.alloc(64));
      }
      for (int i = 0; i < 400; i += 3) {
        r.allocator.free(blocks.get(i));
        assertThat(r.allocator.alloc(64)).isEqualTo(blocks.get(i));
      }
    }
  }

  @Test
  void theLastEmptyBlockOfASizeIsKeptAndOthersGoBackToThePages() {
    try (Region r = new Region(1 << 20)) {
      long first = r.allocator.alloc(64);
      long committed = r.raw.committedBytes();
      r.allocator.free(first);
      assertThat(r.raw.committedBytes()).isEqualTo(committed);
      for (int round = 0; round < 100; round++) {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
          blocks.add(r.allocator.alloc(64));
        }
        assertThat(r.raw.committedBytes()).isGreaterThan(64 << 10);
        blocks.forEach(r.allocator::free);
        assertThat(r.raw.committedBytes()).isLessThanOrEqualTo(33 << 10);
      }
      assertThat(r.raw.blocks().bound()).as("numbers are used again").isLessThan(10);
    }
  }

  @Test
  void thePeakIsNotedBeforeItFalls() {
    try (Region r = new Region(1 << 20)) {
      r.allocator.free(r.allocator.alloc(256));
      assertThat(r.budget.peak()).isEqualTo(256);
      r.allocator.free(r.allocator.alloc(40_960));
      assertThat(r.budget.peak()).isEqualTo(40_960);
    }
  }

  @Test
  void memoryThatEndsBeforeTheLimitIsARefusalThatChargesNothing() {
    for (int bytes : new int[] {64, 6000, 10_000}) {
      try (Region r = new Region(1 << 20, 32 << 10, false)) {
        int n = 0;
        while (r.allocator.alloc(bytes) != 0) {
          n++;
        }
        assertThat(n * bytes).as("cells of %s", bytes).isGreaterThan(15 << 10);
        assertThat(r.budget.used()).isEqualTo(n * r.allocator.size(1024));
        assertThat(r.allocator.blocksInUse()).isEqualTo(n);
      }
    }
  }

  @Test
  void theLimitIsExact() {
    try (Region r = new Region(64 << 10)) {
      int n = 0;
      while (r.allocator.alloc(64) != 0) {
        n++;
      }
      assertThat(n).isEqualTo(1024);
      assertThat(r.budget.remaining()).isZero();
    }
  }

  @Test
  void whatWasFreedServesAnySize() {
    try (Region r = new Region(256 << 10)) {
      for (int bytes = 8; bytes <= 128 << 10; bytes *= 2) {
        List<Long> blocks = new ArrayList<>();
        for (long b = r.allocator.alloc(bytes); b != 0; b = r.allocator.alloc(bytes)) {
          blocks.add(b);
        }
        assertThat((long) blocks.size() * bytes).as("of %s", bytes).isEqualTo(256 << 10);
        blocks.forEach(r.allocator::free);
        assertThat(r.budget.used()).isZero();
      }
    }
  }

  @Test
  @Tag("seeds")
  void randomProgramsAgreeWithAModel() {
    Seeds.forEach(
        Tier.number(4, 12),
        random -> {
          try (Region r = new Region(512 << 10, 1 << 20, random.nextBoolean())) {
            new Model(r, random).run();
          }
        });
  }

  /** Blocks by offset with the bytes asked for; every word of a block holds the block's number. */
  private static final class Model {
    private final Region r;
    private final Random random;
    private final TreeMap<Long, long[]> blocks = new TreeMap<>(); // requested bytes, number
    private long number;

    Model(Region r, Random random) {
      this.r = r;
      this.random = random;
    }

    void run() {
      for (int i = 0; i < 6000; i++) {
        int choice = random.nextInt(100);
        if (blocks.isEmpty() || choice < 45) {
          long bytes = size();
          enter(r.allocator.alloc(bytes), bytes);
        } else if (choice < 70) {
          resize(any(), size());
        } else {
          long block = any();
          check(block, entryOf(block)[0]);
          blocks.remove(block);
          r.allocator.free(block);
        }
        figures();
      }
      while (!blocks.isEmpty()) {
        long block = any();
        check(block, entryOf(block)[0]);
        blocks.remove(block);
        r.allocator.free(block);
      }
      figures();
      assertThat(r.budget.peak()).isPositive();
    }

    private long size() {
      return 1L
          + random.nextInt(random.nextInt(20) == 0 ? 60_000 : random.nextInt(4) == 0 ? 2000 : 200);
    }

    private long any() {
      Long at = blocks.ceilingKey((long) random.nextInt(1 << 20));
      return at == null ? blocks.firstKey() : at;
    }

    private long[] entryOf(long block) {
      return Objects.requireNonNull(blocks.get(block));
    }

    private void enter(long block, long bytes) {
      if (block == 0) {
        assertThat(r.budget.used() + bytes * 2).isGreaterThan(r.budget.max() / 2);
        return;
      }
      assertThat(block % 8).isZero();
      assertThat(r.allocator.size(block)).isGreaterThanOrEqualTo(bytes);
      var before = blocks.lowerEntry(block + 1);
      if (before != null) {
        assertThat(before.getKey() + r.allocator.size(before.getKey())).isLessThanOrEqualTo(block);
      }
      Long after = blocks.higherKey(block);
      if (after != null) {
        assertThat(block + r.allocator.size(block)).isLessThanOrEqualTo(after);
      }
      long[] entry = {bytes, ++number};
      blocks.put(block, entry);
      fill(block, bytes, number);
    }

    private void resize(long block, long bytes) {
      long[] entry = entryOf(block);
      long moved = r.allocator.realloc(block, bytes);
      if (moved == 0) {
        check(block, entry[0]);
        return;
      }
      blocks.remove(block);
      long kept = Math.min(entry[0], bytes) & -8L;
      for (long at = 0; at < kept; at += 8) {
        assertThat(r.memory.get(moved + at)).isEqualTo(entry[1]);
      }
      enter(moved, bytes);
    }

    private void fill(long block, long bytes, long value) {
      for (long at = 0; at < bytes; at += 8) {
        r.memory.put(block + at, value);
      }
    }

    private void check(long block, long bytes) {
      for (long at = 0; at < bytes; at += 8) {
        assertThat(r.memory.get(block + at)).isEqualTo(entryOf(block)[1]);
      }
    }

    private void figures() {
      long sum = 0;
      for (long block : blocks.keySet()) {
        sum += r.allocator.size(block);
      }
      assertThat(r.budget.used()).isEqualTo(sum);
      assertThat(r.allocator.blocksInUse()).isEqualTo(blocks.size());
      assertThat(r.budget.peak()).isGreaterThanOrEqualTo(sum);
    }
  }
}
