package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Seeds;
import dev.gleaner.testing.Triggers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Elements with a block of their own. */
@Tag("D6")
class LargeSpaceTest {
  private final VoluntaryTrigger trigger = Triggers.of(true, 1, 1000);
  private final AllocationGate gate = new AllocationGate(trigger, false);

  private static long make(Region r, LargeSpace large, int kind, long payload) {
    long e = large.allocate(kind, payload + 1);
    if (e != 0) {
      r.memory.put(e, Layout.header(kind, payload));
    }
    return e;
  }

  @Test
  void sweepingFreesAndReleasesTheUnmarked() {
    try (Region r = new Region(1 << 20);
        MarkBits marks = new MarkBits(8 << 20, true)) {
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      long kept = make(r, large, Layout.RECORD, 2000);
      long used = r.budget.used();
      long plain = make(r, large, Layout.BUFFER, 3000);
      long owner = make(r, large, Layout.OBJECT, 1500);
      assertThat(large.elements(Layout.OBJECT)).isEqualTo(1);
      assertThat(marks.ensure(8 << 20)).isTrue();
      marks.set(kept);
      List<Long> released = new ArrayList<>();
      large.sweep(
          marks,
          (kind, e) -> {
            assertThat(kind).isEqualTo(Layout.OBJECT);
            released.add(e);
          });
      assertThat(released).containsExactly(owner);
      assertThat(plain).isNotZero();
      List<Long> walked = new ArrayList<>();
      large.forEach(walked::add);
      assertThat(walked).containsExactly(kept);
      assertThat(large.elements(Layout.OBJECT)).isZero();
      assertThat(large.elements(Layout.BUFFER)).isZero();
      assertThat(large.allocatedElements()).isEqualTo(3);
      assertThat(r.budget.used()).isEqualTo(used);
    }
  }

  /** What the last sweep left is not looked at, marked or not. */
  @Test
  void aSweepOfTheYoungLeavesTheOldAlone() {
    try (Region r = new Region(1 << 20);
        MarkBits marks = new MarkBits(8 << 20, true)) {
      assertThat(marks.ensure(8 << 20)).isTrue();
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      long old = make(r, large, Layout.STRING, 2000);
      long oldOwner = make(r, large, Layout.OBJECT, 2000);
      large.sweep(e -> true, (_, _) -> {});
      long kept = make(r, large, Layout.STRING, 1500);
      long string = make(r, large, Layout.STRING, 1500);
      long owner = make(r, large, Layout.OBJECT, 1500);
      long record = make(r, large, Layout.RECORD, 1500);
      marks.set(kept);
      List<Long> released = new ArrayList<>();
      List<Long> strings = new ArrayList<>();
      large.sweepYoung(marks, (_, e) -> released.add(e), strings::add);
      assertThat(released).containsExactly(owner);
      assertThat(strings).containsExactly(string);
      List<Long> walked = new ArrayList<>();
      large.forEach(walked::add);
      assertThat(walked).containsExactly(old, oldOwner, kept).doesNotContain(record);
      marks.clear(kept);
      large.sweepYoung(marks, (_, e) -> released.add(e), strings::add);
      assertThat(large.elements(Layout.STRING)).as("what was kept is old now").isEqualTo(2);
      large.sweep(marks, (_, e) -> released.add(e));
      assertThat(released).containsExactly(owner, oldOwner);
      assertThat(r.budget.used()).isZero();
    }
  }

  @Test
  void memoryIsClearedAlsoWhenItWasUsedBefore() {
    try (Region r = new Region(1 << 20);
        MarkBits marks = new MarkBits(8 << 20, true)) {
      assertThat(marks.ensure(8 << 20)).isTrue();
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      for (int round = 0; round < 3; round++) {
        long e = make(r, large, Layout.BUFFER, 5000);
        for (int w = 1; w <= 5000; w++) {
          assertThat(r.memory.get(e + 8L * w)).isZero();
          r.memory.put(e + 8L * w, -1);
        }
        large.sweep(marks, (kind, dead) -> {});
      }
    }
  }

  @Test
  void theLargestHaveTheirSizeInAWordBefore() {
    try (Region r = new Region(64 << 20);
        MarkBits marks = new MarkBits(200 << 20, true)) {
      assertThat(marks.ensure(100 << 20)).isTrue();
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      for (long payload :
          new long[] {Layout.LARGE - 1, Layout.LARGE, Layout.LARGE + 1, 3_000_000}) {
        long e = make(r, large, Layout.RECORD, payload);
        assertThat(Layout.payloadWords(r.memory, e, r.memory.get(e))).isEqualTo(payload);
        r.memory.put(e + 8 * payload, 1); // the last word is its own
        long words = payload + (payload < Layout.LARGE ? 1 : 2);
        assertThat(r.budget.used()).isGreaterThanOrEqualTo(8 * words);
        large.sweep(marks, (kind, dead) -> {});
        assertThat(r.budget.used()).isZero();
      }
    }
  }

  @Test
  void blocksOfTheUsersFunctionsAreClearedInAnyCase() {
    try (Region r = new Region(1 << 20);
        MarkBits marks = new MarkBits(8 << 20, true)) {
      assertThat(marks.ensure(8 << 20)).isTrue();
      LargeSpace large = new LargeSpace(r.memory, r.allocator, null, gate);
      for (int round = 0; round < 2; round++) {
        for (int words : new int[] {3, 5000}) {
          long e = make(r, large, Layout.BUFFER, words);
          for (int w = 1; w <= words; w++) {
            assertThat(r.memory.get(e + 8L * w)).isZero();
            r.memory.put(e + 8L * w, -1);
          }
        }
        large.sweep(marks, (kind, dead) -> {});
      }
    }
  }

  @Test
  void elementsAreEnumeratedAllOrOfAKind() {
    try (Region r = new Region(4 << 20);
        MarkBits marks = new MarkBits(16 << 20, true)) {
      assertThat(marks.ensure(16 << 20)).isTrue();
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      List<Long> all = new ArrayList<>();
      List<Long> objects = new ArrayList<>();
      long bytes = 0;
      for (int i = 0; i < 50; i++) {
        boolean object = i % 3 == 0;
        long e = make(r, large, object ? Layout.OBJECT : Layout.RECORD, 1100 + i);
        all.add(e);
        bytes += 8L * (1101 + i);
        if (object) {
          objects.add(e);
        }
      }
      List<Long> walked = new ArrayList<>();
      large.forEach(walked::add);
      assertThat(walked).isEqualTo(all);
      walked.clear();
      large.forEach(Layout.OBJECT, walked::add);
      assertThat(walked).isEqualTo(objects);
      large.forEach(
          Layout.THREAD,
          e -> {
            throw new AssertionError();
          });
      assertThat(large.allocatedBytes()).isEqualTo(bytes);
      assertThat(r.budget.used()).isGreaterThanOrEqualTo(bytes);
      large.sweep(marks, (kind, dead) -> {});
      large.forEach(
          Layout.OBJECT,
          e -> {
            throw new AssertionError();
          });
      assertThat(large.allocatedBytes()).as("since the beginning").isEqualTo(bytes);
    }
  }

  @Test
  void closingFreesAllAndReleasesWhatTheyOwnButNatives() {
    try (Region r = new Region(64 << 20)) {
      LargeSpace large = new LargeSpace(r.memory, r.allocator, null, gate);
      List<Long> owners = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        owners.add(make(r, large, Layout.OBJECT, 2 + i));
        assertThat(make(r, large, Layout.RECORD, Layout.LARGE / 20L * i)).isNotZero();
        assertThat(make(r, large, Layout.NATIVE, 1)).isNotZero();
      }
      assertThat(make(r, large, Layout.RECORD, Layout.LARGE)).isNotZero();
      List<Long> released = new ArrayList<>();
      large.close((kind, e) -> released.add(e));
      assertThat(released).isEqualTo(owners);
      assertThat(r.budget.used()).isZero();
      large.forEach(e -> {
        throw new AssertionError();
      });
    }
  }

  @Test
  void aRefusalLeavesNothing() {
    try (Region r = new Region(64 << 10)) {
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      assertThat(make(r, large, Layout.RECORD, 100_000)).isZero();
      assertThat(r.budget.used()).isZero();
      assertThat(large.allocatedElements()).isZero();
      large.forEach(e -> {
        throw new AssertionError();
      });
    }
  }

  @Test
  @Tag("D21")
  void eachElementIsOneOperationOfTheTrigger() {
    try (Region r = new Region(1 << 20)) {
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      long before = trigger.count();
      assertThat(make(r, large, Layout.RECORD, 2000)).isNotZero();
      assertThat(trigger.count()).isEqualTo(before - 1);
    }
  }

  @Test
  void elementsAreFreedOneByOne() {
    try (Region r = new Region(64 << 20)) {
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      List<Long> all = new ArrayList<>();
      for (long payload : new long[] {1024, 2000, Layout.LARGE, 1500, Layout.LARGE + 5L, 1100}) {
        all.add(make(r, large, all.size() % 2 == 0 ? Layout.RECORD : Layout.BUFFER, payload));
      }
      for (int i : new int[] {2, 0, 5, 4, 1, 3}) { // the last one takes the place of the freed one
        long e = all.get(i);
        assertThat(large.contains(e)).isTrue();
        int kind = i % 2 == 0 ? Layout.RECORD : Layout.BUFFER;
        long before = large.elements(kind);
        long used = r.budget.used();
        long bytes = Layout.payloadWords(r.memory, e, r.memory.get(e)) << 3;
        large.free(e);
        all.set(i, 0L);
        assertThat(large.contains(e)).isFalse();
        assertThat(large.elements(kind)).isEqualTo(before - 1);
        assertThat(r.budget.used()).isLessThanOrEqualTo(used - bytes);
        List<Long> walked = new ArrayList<>();
        large.forEach(walked::add);
        assertThat(walked)
            .containsExactlyInAnyOrderElementsOf(all.stream().filter(x -> x != 0).toList());
      }
      assertThat(r.budget.used()).isZero();
      assertThat(large.allocatedElements()).isEqualTo(6);
    }
  }

  @Test
  void freeingAndSweepingInTurnAgreeWithASet() {
    Seeds.forEach(
        10,
        random -> {
          try (Region r = new Region(64 << 20)) {
            LargeSpace large = new LargeSpace(r.memory, r.allocator, null, gate);
            Set<Long> model = new HashSet<>();
            Set<Long> gone = new HashSet<>();
            for (int i = 0; i < 600; i++) {
              int choice = random.nextInt(40);
              if (choice < 24) {
                long e = make(r, large, 1 + random.nextInt(8), 1 + random.nextInt(3000));
                assertThat(model.add(e)).isTrue();
                gone.remove(e);
              } else if (choice < 39 && !model.isEmpty()) {
                long e =
                    model.stream().skip(random.nextInt(model.size())).findFirst().orElseThrow();
                large.free(e);
                model.remove(e);
                gone.add(e);
              } else {
                model.removeIf(e -> {
                  boolean dies = e % 3 == 0;
                  if (dies) {
                    gone.add(e);
                  }
                  return dies;
                });
                large.sweep(e -> e % 3 != 0, (kind, e) -> {});
              }
              assertThat(model).allMatch(large::contains);
              assertThat(gone).noneMatch(large::contains);
            }
            Set<Long> walked = new HashSet<>();
            large.forEach(e -> assertThat(walked.add(e)).isTrue());
            assertThat(walked).isEqualTo(model);
          }
        });
  }

  @Test
  void anEmptySpaceContainsNothing() {
    try (Region r = new Region(1 << 20)) {
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      assertThat(large.contains(8192)).isFalse();
      long e = make(r, large, Layout.RECORD, 2000);
      assertThat(large.contains(e)).isTrue();
      assertThat(large.contains(e + 8)).isFalse();
      large.free(e);
      assertThat(large.contains(e)).isFalse();
    }
  }

  @Test
  @Tag("D27")
  @Tag("D32")
  void heldElementsReadAsFreeAndKeepTheirMemory() {
    try (Region r = new Region(64 << 20)) {
      LargeSpace large = new LargeSpace(r.memory, r.allocator, r.allocator, gate);
      List<Long> held = new ArrayList<>();
      large.hold(true);
      for (int i = 0; i < 20; i++) {
        held.add(make(r, large, Layout.RECORD, i == 7 ? Layout.LARGE + 1 : 1100 + i));
      }
      long used = r.budget.used();
      for (long e : held) {
        large.free(e);
        assertThat(Layout.kind(r.memory.get(e))).isEqualTo(Layout.FREE);
        assertThat(r.memory.get(e)).as("an uncounted one, so that its use is told").isNegative();
        assertThat(large.contains(e)).isFalse();
      }
      assertThat(r.budget.used()).isEqualTo(used);
      assertThat(large.elements(Layout.RECORD)).isZero();
      large.forEach(e -> {
        throw new AssertionError();
      });
      long other = make(r, large, Layout.RECORD, 1100);
      assertThat(held).doesNotContain(other);
      large.hold(false);
      assertThat(r.budget.used()).isLessThan(used).isPositive();
      large.free(other);
      assertThat(r.budget.used()).isZero();
    }
  }

  @Test
  void closingFreesHeldOnesToo() {
    try (Region r = new Region(64 << 20)) {
      LargeSpace large = new LargeSpace(r.memory, r.allocator, null, gate);
      long e = make(r, large, Layout.OBJECT, 20);
      assertThat(make(r, large, Layout.RECORD, 20)).isNotZero();
      large.hold(true);
      large.free(e);
      large.close((kind, x) -> {
        throw new AssertionError("released before it was freed");
      });
      assertThat(r.budget.used()).isZero();
    }
  }
}
