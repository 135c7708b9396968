package dev.gleaner.heap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What collections of a heap near its limit owe, and what pays for them. */
class CollectionOverheadTest {
  private static final long USED = 64L << 20;
  private static final long MUCH = 1L << 40;

  /** Lets requests be refused that need one collection each; returns how many may collect. */
  private static int requests(CollectionOverhead o, int most, long freed) {
    for (int i = 0; i < most; i++) {
      if (!o.begin(16, USED, MUCH)) {
        return i;
      }
      o.starting(USED, MUCH, true);
      o.finished(USED - freed, MUCH);
    }
    return most;
  }

  @Test
  void collectionsThatFreeNothingEnd() {
    assertThat(requests(new CollectionOverhead(64), 1000, 0)).isEqualTo(9);
  }

  @Test
  void collectionsThatFreeA64thGoOn() {
    assertThat(requests(new CollectionOverhead(64), 100_000, USED / 64)).isEqualTo(100_000);
    assertThat(requests(new CollectionOverhead(64), 100_000, USED / 80)).isLessThan(100);
  }

  @Test
  void theProgramMayFreeAfterwards() {
    CollectionOverhead o = new CollectionOverhead(64);
    assertThat(requests(o, 1000, 0)).isEqualTo(9);
    assertThat(requests(o, 1000, 0)).isBetween(3, 6);
    assertThat(o.begin(16, USED, MUCH)).isTrue();
    o.starting(USED, MUCH, true);
    o.finished(0, MUCH);
    assertThat(requests(o, 10, USED)).isEqualTo(10);
  }

  @Test
  void aRequestThatFailsOwesForOneCollection() {
    CollectionOverhead o = new CollectionOverhead(64);
    for (int i = 0; i < 8; i++) {
      assertThat(o.begin(MUCH, USED, MUCH)).isTrue();
      for (int j = 0; j < 10; j++) {
        o.starting(USED, MUCH, true);
        o.finished(USED, MUCH);
      }
      o.fail();
    }
    assertThat(o.begin(16, USED, MUCH)).isTrue();
  }

  @Test
  void whatIsMadeAndFreedBetweenPays() {
    CollectionOverhead o = new CollectionOverhead(64);
    for (int i = 0; i < 1000; i++) {
      assertThat(o.begin(16, USED, MUCH)).isTrue();
      o.starting(USED, MUCH - USED / 64 / 16, true); // so many operations, no more bytes in use
      o.finished(USED, MUCH);
    }
  }

  @Test
  void largeRequestsPay() {
    CollectionOverhead o = new CollectionOverhead(64);
    for (int i = 0; i < 1000; i++) {
      assertThat(o.begin(USED / 64, USED, MUCH)).isTrue();
      o.starting(USED, MUCH, true);
      o.finished(USED, MUCH);
    }
  }

  @Test
  void whatAHeapOwedGoesWithItsSize() {
    CollectionOverhead o = new CollectionOverhead(64);
    assertThat(requests(o, 7, 0)).isEqualTo(7);
    o.starting(USED, MUCH, false);
    o.finished(USED / 16, MUCH);
    assertThat(o.begin(16, USED / 16, MUCH)).isTrue();
  }

  @Test
  void whatACollectionFreesPaysOnce() {
    CollectionOverhead o = new CollectionOverhead(64);
    o.starting(USED, MUCH, false);
    o.finished(USED / 2, MUCH);
    assertThat(requests(o, 1000, USED / 80)).isLessThan(100);
  }

  @Test
  void withoutAFactorNothingEnds() {
    assertThat(requests(new CollectionOverhead(0), 100_000, 0)).isEqualTo(100_000);
  }
}
