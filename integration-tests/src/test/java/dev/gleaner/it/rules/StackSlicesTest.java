package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A collection in slices takes deep stacks and large tables in parts. The program changes them in
 * between: what it moves from a part that is not taken to a place that was looked at already stays.
 */
@Tag("D32")
class StackSlicesTest extends AllCollectors {
  private static final int FRAMES = 20_000;
  private static final int KEEP = 0;
  private static final int MINE = 1;
  private static final int RESULT = 2;
  private static final int BOX = 3;
  private static final int SLOTS = 6;

  StackSlicesTest(String collector) {
    super(collector);
  }

  private Heap open() {
    return open(
        "memory.max = 64 MiB, voluntary.enabled = false",
        "incremental { enabled = true, slice = 1us, allocations-per-slice = 1000000 }");
  }

  /** Enters frames that all have the record KEEP, and each a record of its own. */
  private static void enterFrames(Mutator t) {
    for (int i = 0; i < FRAMES; i++) {
      if (i > 0) {
        t.enter(SLOTS, KEEP, 1);
      }
      t.newRecord(MINE, 1);
      t.storeInt(MINE, 0, i);
    }
  }

  /** Moves what the frame has to an element that was made in this collection. */
  private static void keepMine(Mutator t, int slot) {
    t.load(BOX, slot, 0);
    int i = t.getInt(BOX);
    t.newRecord(BOX, 1);
    t.store(BOX, 0, slot);
    t.store(KEEP, i, BOX);
    t.wipe(MINE);
  }

  private static void checkKept(Mutator t) {
    for (int i = 0; i < FRAMES; i++) {
      t.load(BOX, KEEP, i);
      t.load(BOX, BOX, 0);
      assertThat(t.loadInt(BOX, 0)).isEqualTo(i);
    }
  }

  @Test
  @Needs("incremental")
  void aFrameIsTakenBeforeTheProgramReturnsToIt() {
    for (int each = 100; each < FRAMES; each *= 50) {
      try (Heap heap = open()) {
        Mutator t = heap.mutator();
        t.enter(SLOTS);
        t.newRecord(KEEP, FRAMES);
        enterFrames(t);
        for (int left = FRAMES - 1; left > 0; ) {
          boolean _ = heap.step(1);
          for (int i = 0; i < each && left > 0; i++, left--) {
            if (left % 3 == 0) {
              t.leave(MINE, RESULT);
              keepMine(t, RESULT); // this one loses its own
              left--;
              t.newRecord(MINE, 1);
              t.storeInt(MINE, 0, left);
              left++;
            } else {
              keepMine(t, MINE);
              t.leave();
            }
          }
        }
        keepMine(t, MINE);
        while (!heap.step(1)) {}
        assertThat(heap.inspect().verify()).isEmpty();
        checkKept(t);
      }
    }
  }

  @Test
  @Needs("incremental")
  void aThreadMayFinishBeforeItsFramesAreTaken() {
    try (Heap heap = open()) {
      Mutator t = heap.mutator();
      t.enter(SLOTS);
      t.newRecord(KEEP, FRAMES);
      t.newThread(MINE);
      t.resume(MINE, SLOTS, KEEP, 1);
      enterFrames(t);
      boolean _ = heap.step(1);
      for (int level = 1; level < FRAMES; level += 1000) {
        t.peek(RESULT, level, MINE);
        keepMine(t, RESULT);
      }
      t.peek(RESULT, FRAMES - 1, MINE);
      int _ = t.finish(RESULT, 1, RESULT, 1);
      t.resume(MINE, SLOTS); // on the same stack
      t.suspend();
      t.newRecord(BOX, 1);
      t.store(BOX, 0, RESULT);
      t.store(KEEP, 0, BOX);
      t.wipe(MINE);
      while (!heap.step(1)) {}
      assertThat(heap.inspect().verify()).isEmpty();
      for (int i = 0; i < FRAMES; i++) {
        t.load(BOX, KEEP, i);
        if (t.isReference(BOX)) {
          t.load(BOX, BOX, 0);
          assertThat(t.loadInt(BOX, 0)).isEqualTo(i);
        }
      }
    }
  }

  @Test
  @Needs("incremental")
  void aTableMayBeBuiltAnewWhileItIsScanned() {
    int entries = 12_000;
    for (int each = 30; each < 1000; each *= 3) {
      try (Heap heap = open()) {
        Mutator t = heap.mutator();
        t.enter(SLOTS);
        t.newObject(KEEP);
        for (int i = 0; i < entries; i++) {
          put(t, i);
        }
        t.wipe(MINE);
        int first = 0;
        int last = entries;
        boolean done = false;
        while (!done) {
          done = heap.step(1);
          for (int i = 0; i < each && last < 3 * entries; i++) {
            t.newString(BOX, "key " + first++);
            boolean _ = t.deleteProperty(KEEP, BOX);
            put(t, last++);
            if (i % 2 == 0) {
              put(t, last++);
            }
          }
          t.wipe(MINE);
        }
        assertThat(heap.inspect().verify()).isEmpty();
        for (int i = first; i < last; i++) {
          t.newString(BOX, "key " + i);
          t.getProperty(MINE, KEEP, BOX);
          assertThat(t.loadInt(MINE, 0)).isEqualTo(i);
        }
      }
    }
  }

  private static void put(Mutator t, int i) {
    t.newString(BOX, "key " + i);
    t.newRecord(MINE, 1);
    t.storeInt(MINE, 0, i);
    t.putProperty(KEEP, BOX, MINE);
  }
}
