package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Elements side by side, and their copies. */
@Tag("P1")
class BumpSpaceTest {
  private static long make(Region r, BumpSpace space, int kind, long payload) {
    long e = space.allocate(kind, payload + 1);
    if (e != 0) {
      r.memory.put(e, Layout.header(kind, payload));
    }
    return e;
  }

  private static List<Long> walk(BumpSpace space) {
    List<Long> found = new ArrayList<>();
    space.forEach(found::add);
    return found;
  }

  @Test
  void everyElementIsWalkedWhateverItsSize() {
    try (Region r = new Region(64 << 20)) {
      BumpSpace space = new BumpSpace(r.raw, r.budget);
      List<Long> made = new ArrayList<>();
      for (int i = 0; i < 5000; i++) {
        made.add(make(r, space, Layout.RECORD, i % 200));
      }
      for (long payload : new long[] {20_000, Layout.LARGE - 1, Layout.LARGE, 2_000_000}) {
        made.add(make(r, space, Layout.BUFFER, payload));
        made.add(make(r, space, Layout.RECORD, 3));
      }
      assertThat(walk(space)).containsExactlyInAnyOrderElementsOf(made);
      assertThat(space.elements(Layout.RECORD)).isEqualTo(5004);
      assertThat(space.elements(Layout.BUFFER)).isEqualTo(4);
      long bytes = 0;
      for (long e : made) {
        long payload = Layout.payloadWords(r.memory, e, r.memory.get(e));
        bytes += ((payload + 1) << 3) + (payload >= Layout.LARGE ? 8 : 0);
      }
      assertThat(space.bytes()).isEqualTo(bytes);
      assertThat(r.budget.used()).isEqualTo(bytes);
    }
  }

  @Test
  void memoryIsClearedAlsoWhenItWasUsedBefore() {
    try (Region r = new Region(1 << 20)) {
      long committed = r.raw.committedBytes();
      BumpSpace space = new BumpSpace(r.raw, r.budget);
      for (int round = 0; round < 3; round++) {
        for (int i = 1; i < 300; i++) {
          long e = make(r, space, Layout.BUFFER, i);
          for (int w = 1; w <= i; w++) {
            assertThat(r.memory.get(e + 8L * w)).isZero();
          }
        }
        List<Long> made = walk(space);
        space.fill(-1);
        made.forEach(e -> assertThat(r.memory.get(e)).as("no header").isEqualTo(-1));
        r.budget.refund(space.bytes());
        space.clear();
        assertThat(space.bytes()).isZero();
        assertThat(space.elements(Layout.BUFFER)).isZero();
        assertThat(walk(space)).isEmpty();
      }
      assertThat(r.raw.committedBytes()).isEqualTo(committed);
    }
  }

  @Test
  void copiesAreExactAndCostNothingUntilTheOriginalsGo() {
    try (Region r = new Region(64 << 20)) {
      BumpSpace from = new BumpSpace(r.raw, r.budget);
      BumpSpace to = new BumpSpace(r.raw, r.budget);
      long dead = make(r, from, Layout.RECORD, 5);
      long small = make(r, from, Layout.RECORD, 2);
      long large = make(r, from, Layout.BUFFER, Layout.LARGE + 5);
      r.memory.put(small + 16, 77);
      r.memory.put(large + 8 * (Layout.LARGE + 5L), 78);
      long used = r.budget.used();
      long smallCopy = to.copy(small);
      long largeCopy = to.copy(large);
      assertThat(r.budget.used()).isEqualTo(used);
      assertThat(r.memory.get(smallCopy)).isEqualTo(Layout.header(Layout.RECORD, 2));
      assertThat(r.memory.get(smallCopy + 16)).isEqualTo(77);
      assertThat(Layout.payloadWords(r.memory, largeCopy, r.memory.get(largeCopy)))
          .isEqualTo(Layout.LARGE + 5);
      assertThat(r.memory.get(largeCopy + 8 * (Layout.LARGE + 5L))).isEqualTo(78);
      assertThat(walk(to)).containsExactly(smallCopy, largeCopy);
      to.takeCharge(from);
      from.clear();
      assertThat(r.budget.used()).isEqualTo(used - 48).isEqualTo(to.bytes());
      assertThat(r.budget.peak()).isEqualTo(used);
      assertThat(dead).isNotZero();
    }
  }

  /** Elements alone lie in chunks behind the one that is filled. */
  @Test
  void aScanMeetsEachElementOnceWhateverIsAddedMeanwhile() {
    Seeds.forEach(
        20,
        random -> {
          try (Region r = new Region(256 << 20)) {
            scanWhileAdding(r, random);
          }
        });
  }

  private static void scanWhileAdding(Region r, Random random) {
    BumpSpace space = new BumpSpace(r.raw, r.budget);
    List<Long> made = new ArrayList<>();
    List<Long> met = new ArrayList<>();
    Runnable add =
        () -> {
          int payload = random.nextInt(8) == 0 ? 20_000 : random.nextInt(200);
          made.add(make(r, space, Layout.RECORD, payload));
        };
    for (int part = 1; part <= 3; part++) {
      int most = part * 200;
      add.run();
      space.scan(e -> {
        met.add(e);
        for (int i = random.nextInt(4); i > 0 && made.size() < most; i--) {
          add.run();
        }
      });
      assertThat(met).containsExactlyInAnyOrderElementsOf(made);
    }
    space.clear();
    met.clear();
    space.scan(met::add);
    assertThat(met).isEmpty();
    add.run();
    space.scan(met::add);
    assertThat(met).containsExactly(made.getLast());
  }

  /** The chunk is filled, and left for another one, while one behind it is scanned. */
  @Test
  void aScanComesBackToAChunkThatWasFilledBehindIt() {
    try (Region r = new Region(64 << 20)) {
      BumpSpace space = new BumpSpace(r.raw, r.budget);
      List<Long> made = new ArrayList<>();
      List<Long> met = new ArrayList<>();
      made.add(make(r, space, Layout.RECORD, 3));
      long alone = make(r, space, Layout.RECORD, Layout.LARGE);
      made.add(alone);
      space.scan(e -> {
        met.add(e);
        for (int i = 0; e == alone && i < 1000; i++) {
          made.add(make(r, space, Layout.RECORD, 3));
        }
      });
      assertThat(met).containsExactlyInAnyOrderElementsOf(made);
    }
  }

  @Test
  void noElementLiesWhereForwardingDoesNotReach() {
    assumeTrue(Memory.canReserve());
    try (Region r = new Region(Forwarding.REACH + (8 << 20))) {
      BumpSpace space = new BumpSpace(r.raw, r.budget);
      assertThat(r.raw.takePages(Forwarding.REACH - (6 << 10))).isNotZero();
      assertThat(make(r, space, Layout.RECORD, 3)).isBetween(1L, Forwarding.REACH);
      long committed = r.raw.committedBytes();
      assertThat(make(r, space, Layout.RECORD, 800)).isZero();
      assertThat(r.raw.committedBytes()).isEqualTo(committed);
    }
  }

  @Test
  void forwardingLeavesAnElementReadable() {
    try (Region r = new Region(1 << 20)) {
      BumpSpace space = new BumpSpace(r.raw, r.budget);
      long e = make(r, space, Layout.RECORD, 2);
      long next = make(r, space, Layout.RECORD, 1);
      assertThat(Forwarding.get(r.memory, e)).isZero();
      Forwarding.set(r.memory, e, next);
      Forwarding.set(r.memory, e, 1L << 34);
      assertThat(Forwarding.get(r.memory, e)).isEqualTo(1L << 34);
      assertThat(walk(space)).containsExactly(e, next);
      Forwarding.clear(r.memory, e);
      assertThat(r.memory.get(e)).isEqualTo(Layout.header(Layout.RECORD, 2));
    }
  }

  @Test
  void smallElementsFillTheMemoryToItsEnd() {
    try (Region r = new Region(4 << 20, 1 << 20, true)) {
      BumpSpace space = new BumpSpace(r.raw, r.budget);
      long n = 0;
      while (make(r, space, Layout.RECORD, 31) != 0) {
        n++;
      }
      assertThat(n * 256).as("of 1 MiB").isGreaterThan(256 << 10);
      assertThat(r.budget.used()).isEqualTo(n * 256).isEqualTo(space.bytes());
      assertThat(walk(space)).hasSize((int) n);
    }
  }

  @Test
  void aRefusalLeavesNothing() {
    try (Region r = new Region(1 << 20, 1 << 20, true)) {
      BumpSpace space = new BumpSpace(r.raw, r.budget);
      assertThat(make(r, space, Layout.BUFFER, 200_000)).as("over the limit").isZero();
      assertThat(make(r, space, Layout.BUFFER, 50_000)).as("no room for a copy").isZero();
      assertThat(make(r, space, Layout.BUFFER, 40_000)).isNotZero();
      assertThat(make(r, space, Layout.BUFFER, 31_000)).as("no room for both").isZero();
      assertThat(r.budget.used()).isEqualTo(space.bytes()).isEqualTo(40_001 * 8);
    }
  }

  @Test
  void whatIsSmallIsCopiedToSinglePages() {
    Seeds.forEach(
        40,
        random -> {
          try (Region r = new Region(1 << 20, 1 << 20, random.nextBoolean())) {
            copyToSinglePages(r, random);
          }
        });
  }

  private static void copyToSinglePages(Region r, Random random) {
    BumpSpace space = new BumpSpace(r.raw, r.budget);
    long large = make(r, space, Layout.BUFFER, 2000);
    List<Long> live = new ArrayList<>();
    List<Long> others = new ArrayList<>();
    int made = random.nextBoolean() ? 200 : 2000;
    int given = random.nextBoolean() ? 4 : 100;
    for (int round = 0; round < 20; round++) {
      int more = random.nextInt(made);
      for (int i = 0; i < more; i++) {
        long e = make(r, space, Layout.BUFFER, 1 + random.nextInt(RawSpace.MOST_COPIED - 1));
        if (e != 0) {
          r.memory.put(e + 8, live.size());
          live.add(e);
        }
      }
      for (long page = r.raw.takePages(1); page != 0; page = r.raw.takePages(1)) {
        others.add(page);
      }
      BumpSpace to = new BumpSpace(r.raw, r.budget);
      if (round == 0) {
        assertThatThrownBy(() -> to.copy(large)).isInstanceOf(IllegalStateException.class);
      }
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < live.size(); i++) {
        order.add(i);
      }
      Collections.shuffle(order, random);
      for (int i : order) {
        live.set(i, to.copy(live.get(i)));
        assertThat(r.memory.get(live.get(i) + 8)).isEqualTo(i);
      }
      to.takeCharge(space);
      space.clear();
      space = to;
      for (int i = random.nextInt(given); i > 0 && !others.isEmpty(); i--) {
        r.raw.givePages(others.remove(random.nextInt(others.size())), 1);
      }
    }
    assertThat(walk(space)).hasSameSizeAs(live);
    assertThat(live).hasSizeGreaterThan(100);
  }

  @Test
  void copiesAddedToWhatIsOldAreChargedOnce() {
    try (Region r = new Region(1 << 20)) {
      BumpSpace old = new BumpSpace(r.raw, r.budget);
      for (int round = 1; round <= 5; round++) {
        BumpSpace young = new BumpSpace(r.raw, r.budget);
        young.copiedWith(old);
        long stays = make(r, young, Layout.RECORD, 2);
        long _ = make(r, young, Layout.RECORD, 7);
        long _ = old.copy(stays);
        old.takeCharge(young);
        young.clear();
        assertThat(old.bytes()).isEqualTo(round * 24L);
        assertThat(r.budget.used()).isEqualTo(round * 24L);
      }
    }
  }

  /** However full memory is, all of two generations can be copied to a third space. */
  @Test
  void pagesAreKeptForCopiesOfBothGenerations() {
    try (Region r = new Region(256 << 10)) {
      BumpSpace old = new BumpSpace(r.raw, r.budget);
      BumpSpace young = new BumpSpace(r.raw, r.budget);
      young.copiedWith(old);
      while (make(r, old, Layout.RECORD, 6) != 0 && old.bytes() < r.budget.max() / 4) {}
      while (make(r, young, Layout.RECORD, 6) != 0) {}
      while (r.raw.takePages(PageAllocator.PAGE) != 0) {} // whatever else there is
      BumpSpace fresh = new BumpSpace(r.raw, r.budget);
      old.forEach(fresh::copy);
      young.forEach(fresh::copy);
      assertThat(fresh.bytes()).isEqualTo(old.bytes() + young.bytes());
    }
  }
}
