package dev.gleaner.collector.semispace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.space.Budget;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** PyPy's red zone, and what is ours: the way back, and the last step to an exact limit. */
@Tag("P1")
class SpaceSizeTest {
  private final Budget budget = new Budget(1000);
  private final SpaceSize size = new SpaceSize(budget, 100);

  private void use(long bytes) {
    budget.refund(budget.charged());
    assertThat(budget.charge(bytes)).isTrue();
  }

  /** A collection that leaves so much, and makes the room that was asked for. */
  private void collect(long left) {
    use(left);
    size.collected();
    assertThat(size.admits(1)).isTrue();
  }

  @Test
  void whatFitsIsAdmittedAndTheRestHasToCollectFirst() {
    use(60);
    assertThat(size.admits(40)).isTrue();
    assertThat(size.admits(41)).isFalse();
  }

  @Test
  void aCollectionThatLeavesAThirdFreeChangesNothing() {
    for (int i = 0; i < 5; i++) {
      collect(66);
      assertThat(size.size()).isEqualTo(100);
      use(100);
      assertThat(size.admits(1)).isFalse();
    }
  }

  @Test
  void twoThatLeaveLessDoubleItInsteadOfCollecting() {
    collect(67);
    use(100);
    assertThat(size.admits(1)).isFalse();
    collect(67);
    use(100);
    assertThat(size.admits(1)).isTrue();
    assertThat(size.size()).isEqualTo(200);
  }

  @Test
  void oneThatLeavesLessThanAFifthDoublesIt() {
    collect(81);
    use(100);
    assertThat(size.admits(1)).isTrue();
    assertThat(size.size()).isEqualTo(200);
  }

  @Test
  void oneThatLeavesAThirdFreeInBetweenBeginsAnew() {
    collect(67);
    collect(20);
    collect(67);
    use(100);
    assertThat(size.admits(1)).isFalse();
  }

  @Test
  void aCollectionThatMakesNoRoomIsFollowedByGrowth() {
    use(100);
    assertThat(size.admits(1)).isFalse();
    size.collected();
    assertThat(size.admits(1)).isTrue();
  }

  @Test
  void aLargeRequestMakesItAsLargeAsNeeded() {
    collect(10);
    assertThat(size.admits(500)).isFalse();
    size.collected();
    assertThat(size.admits(500)).isTrue();
    assertThat(size.size()).isEqualTo(800);
  }

  @Test
  void theLastStepIsToTheLimitItself() {
    use(799);
    assertThat(size.admits(150)).isFalse();
    assertThat(size.admits(150)).isTrue();
    assertThat(size.size()).isEqualTo(1000);
    use(1000);
    assertThat(size.admits(150)).isTrue(); // the budget refuses
  }

  @Test
  void itIsHalvedWhenSevenEighthsAreFreeButNotBelowTheInitialOne() {
    use(700);
    assertThat(size.admits(50)).isFalse();
    assertThat(size.admits(50)).isTrue();
    assertThat(size.size()).isEqualTo(800);
    collect(101);
    assertThat(size.size()).isEqualTo(800);
    collect(99);
    assertThat(size.size()).isEqualTo(400);
    collect(1);
    assertThat(size.size()).isEqualTo(100);
  }

  @Test
  void anInitialSizeAboveTheLimitIsTheLimit() {
    assertThat(new SpaceSize(budget, 4000).size()).isEqualTo(1000);
  }
}
