package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.layout.BlockWatch;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.testing.Region;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Value stacks and call stacks grow, shrink and go. */
@Tag("D30")
class ThreadStacksTest {

  private static long thread(Region r) {
    long t = r.element(Layout.THREAD, ThreadLayout.PAYLOAD_WORDS);
    for (int at = ThreadLayout.STACK; at <= ThreadLayout.STATE; at += 8) {
      r.memory.put(t + at, Values.ofRaw(0));
    }
    return t;
  }

  private static long field(Region r, long thread, int field) {
    return Values.raw(r.memory.get(thread + field));
  }

  private static void fill(Region r, long t, long top) {
    r.memory.put(t + ThreadLayout.TOP, Values.ofRaw(top));
    for (long i = 0; i < top; i++) {
      r.memory.put(field(r, t, ThreadLayout.STACK) + 8 * i, Values.ofInt((int) i));
    }
  }

  private static void check(Region r, long t, long top) {
    for (long i = 0; i < top; i++) {
      assertThat(r.memory.get(field(r, t, ThreadLayout.STACK) + 8 * i))
          .isEqualTo(Values.ofInt((int) i));
    }
  }

  @Test
  void startsWithTheInitialSlotsAndGrowsWithItsContents() {
    try (Region r = new Region(1 << 20)) {
      ThreadStacks stacks =
          new ThreadStacks(
              r.memory, r.allocator, new CriticalSection(), new BlockWatch(), 40, 1 << 20);
      long t = thread(r);
      assertThat(stacks.ensureStack(t, 1)).isTrue();
      assertThat(field(r, t, ThreadLayout.CAPACITY)).isEqualTo(40);
      fill(r, t, 40);
      long block = field(r, t, ThreadLayout.STACK);
      assertThat(stacks.ensureStack(t, 40)).isTrue();
      assertThat(field(r, t, ThreadLayout.STACK)).isEqualTo(block);
      assertThat(stacks.ensureStack(t, 41)).isTrue();
      assertThat(field(r, t, ThreadLayout.CAPACITY)).isEqualTo(60);
      check(r, t, 40);
      assertThat(stacks.ensureStack(t, 5000)).isTrue();
      assertThat(field(r, t, ThreadLayout.CAPACITY)).isEqualTo(5000);
      check(r, t, 40);
    }
  }

  @Test
  void aNewThreadIsInAnEmptyFrameAtTheBottom() {
    try (Region r = new Region(1 << 20)) {
      Region.Failing functions = new Region.Failing(r.allocator);
      ThreadStacks stacks =
          new ThreadStacks(
              r.memory, functions, new CriticalSection(), new BlockWatch(), 8, 1 << 20);
      functions.refuse = true;
      assertThat(stacks.allocate()).isZero();
      functions.refuse = false;
      long stack = stacks.allocate();
      assertThat(r.allocator.size(stack)).isGreaterThanOrEqualTo(stacks.initialBytes());
      long t = r.element(Layout.THREAD, ThreadLayout.PAYLOAD_WORDS);
      for (int w = 1; w <= ThreadLayout.PAYLOAD_WORDS; w++) {
        r.memory.put(t + 8L * w, t); // what was there before
      }
      r.memory.put(stack, t);
      stacks.init(t, stack);
      Scanner.forEachPlace(
          r.memory,
          t,
          place ->
              assertThat(Values.isReference(r.memory.get(place))).as("+%s", place - t).isFalse());
      assertThat(field(r, t, ThreadLayout.SIZE)).isZero();
      assertThat(field(r, t, ThreadLayout.CALLS)).isZero();
      assertThat(field(r, t, ThreadLayout.CALLS_USED)).isZero();
      assertThat(field(r, t, ThreadLayout.STATE)).isZero();
      assertThat(r.allocator.size(stack))
          .isGreaterThanOrEqualTo(8 * field(r, t, ThreadLayout.CAPACITY));
      assertThat(field(r, t, ThreadLayout.STACK)).isEqualTo(stack);
      // A finalizer's frame fits: a link, its slots, and the link below.
      assertThat(field(r, t, ThreadLayout.CAPACITY))
          .isGreaterThanOrEqualTo(Finalizer.FRAME_SLOTS + 2);
      assertThat(field(r, t, ThreadLayout.BASE)).isEqualTo(1);
      assertThat(field(r, t, ThreadLayout.SIZE)).isZero();
      assertThat(field(r, t, ThreadLayout.TOP)).isEqualTo(1);
      assertThat(field(r, t, ThreadLayout.STATE)).isZero();
      assertThat(r.memory.get(t + ThreadLayout.RESUMER)).isEqualTo(Values.NULL);
      for (int at = ThreadLayout.STACK; at <= ThreadLayout.STATE; at += 8) {
        assertThat(Values.isReference(r.memory.get(t + at))).isFalse();
      }
    }
  }

  @Test
  void takesWhatItNeedsWhenThereIsNoRoomForMore() {
    try (Region r = new Region(57 << 10)) {
      ThreadStacks stacks =
          new ThreadStacks(
              r.memory, r.allocator, new CriticalSection(), new BlockWatch(), 16, 1 << 20);
      long t = thread(r);
      assertThat(stacks.ensureStack(t, 2900)).isTrue();
      fill(r, t, 2900);
      // Half as much again does not fit beside the old block, a little more does.
      assertThat(stacks.ensureStack(t, 4000)).isTrue();
      assertThat(field(r, t, ThreadLayout.CAPACITY)).isEqualTo(4000);
      check(r, t, 2900);
      assertThat(stacks.ensureStack(t, 8000)).isFalse();
      assertThat(field(r, t, ThreadLayout.CAPACITY)).isEqualTo(4000);
      check(r, t, 2900);
    }
  }

  @Test
  void fillsWhatIsLeftByFewCopies() {
    try (Region r = new Region(1 << 20)) {
      ThreadStacks stacks =
          new ThreadStacks(
              r.memory, r.allocator, new CriticalSection(), new BlockWatch(), 16, 1 << 20);
      long t = thread(r);
      int copies = 0;
      long words = 1;
      for (long capacity = 0; stacks.ensureStack(t, words); words++) {
        if (field(r, t, ThreadLayout.CAPACITY) != capacity) {
          capacity = field(r, t, ThreadLayout.CAPACITY);
          copies++;
        }
      }
      assertThat(words).isGreaterThan(50_000);
      assertThat(copies).isLessThan(50);
    }
  }

  @Test
  void shrinksWhenLittleIsUsed() {
    try (Region r = new Region(1 << 20)) {
      ThreadStacks stacks =
          new ThreadStacks(
              r.memory, r.allocator, new CriticalSection(), new BlockWatch(), 16, 1 << 20);
      long t = thread(r);
      assertThat(stacks.ensureStack(t, 1000)).isTrue();
      fill(r, t, 300);
      stacks.shrink(t, false);
      assertThat(field(r, t, ThreadLayout.CAPACITY)).as("600 is more than half").isEqualTo(1000);
      fill(r, t, 250);
      stacks.shrink(t, false);
      assertThat(field(r, t, ThreadLayout.CAPACITY)).as("500 is half").isEqualTo(1000);
      fill(r, t, 100);
      stacks.shrink(t, false);
      assertThat(field(r, t, ThreadLayout.CAPACITY)).isEqualTo(200);
      check(r, t, 100);
      stacks.shrink(t, true);
      assertThat(field(r, t, ThreadLayout.CAPACITY)).as("in an emergency").isEqualTo(100);
      check(r, t, 100);
      fill(r, t, 3);
      stacks.shrink(t, true);
      assertThat(field(r, t, ThreadLayout.CAPACITY)).as("not below the initial").isEqualTo(16);
    }
  }

  @Test
  void aRefusalLeavesBothBlocks() {
    try (Region r = new Region(1 << 20)) {
      Region.Failing functions = new Region.Failing(r.allocator);
      ThreadStacks stacks =
          new ThreadStacks(
              r.memory, functions, new CriticalSection(), new BlockWatch(), 16, 1 << 20);
      long t = thread(r);
      assertThat(stacks.ensureStack(t, 20)).isTrue();
      assertThat(stacks.ensureCalls(t, 5)).isTrue();
      functions.refuse = true;
      assertThat(stacks.ensureCalls(t, 6)).isFalse();
      assertThat(functions.refused).as("with room to spare, then without").isEqualTo(2);
      assertThat(stacks.ensureStack(t, 1000)).isFalse();
      assertThat(functions.refused).as("nothing smaller to ask for").isEqualTo(3);
      assertThat(field(r, t, ThreadLayout.CAPACITY)).isEqualTo(20);
      assertThat(field(r, t, ThreadLayout.CALLS_CAPACITY)).isEqualTo(5);
    }
  }

  @Test
  void callStacksGrowByEntriesOfThreeWords() {
    try (Region r = new Region(1 << 20)) {
      ThreadStacks stacks =
          new ThreadStacks(
              r.memory, r.allocator, new CriticalSection(), new BlockWatch(), 16, 1 << 20);
      long t = thread(r);
      assertThat(stacks.ensureCalls(t, 1)).isTrue();
      long capacity = field(r, t, ThreadLayout.CALLS_CAPACITY);
      assertThat(r.allocator.size(field(r, t, ThreadLayout.CALLS)))
          .isGreaterThanOrEqualTo(capacity * ThreadLayout.CALL_WORDS * 8);
      assertThat(stacks.ensureCalls(t, 100)).isTrue();
      assertThat(field(r, t, ThreadLayout.CALLS_CAPACITY)).isGreaterThanOrEqualTo(100);
    }
  }

  @Test
  @Tag("D6")
  void bothBlocksGoWithTheThread() {
    try (Region r = new Region(1 << 20)) {
      ThreadStacks stacks =
          new ThreadStacks(
              r.memory, r.allocator, new CriticalSection(), new BlockWatch(), 16, 1 << 20);
      long t = thread(r);
      long before = r.budget.used();
      assertThat(stacks.ensureStack(t, 1)).isTrue();
      assertThat(stacks.ensureCalls(t, 1)).isTrue();
      stacks.release(t);
      assertThat(r.budget.used()).isEqualTo(before);
      long without = thread(r);
      stacks.release(without);
    }
  }
}
