package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.AllocationFailures;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Triggers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Injected failures, and how far runs may reach. */
@Tag("D28")
class AllocationGateTest {
  private final VoluntaryTrigger trigger = Triggers.of(true, 1, 1000);
  private final AllocationGate gate = new AllocationGate(trigger, false);

  @Test
  void admitsEverythingAtFirst() {
    for (int i = 0; i < 100; i++) {
      assertThat(gate.admit()).isTrue();
    }
  }

  @Test
  void refusesFromTheNextAfterSoManySoManyTimes() {
    gate.failAllocations(3, 2);
    boolean[] admitted = new boolean[8];
    for (int i = 0; i < admitted.length; i++) {
      admitted[i] = gate.admit();
    }
    assertThat(admitted).containsExactly(true, true, true, false, false, true, true, true);
  }

  @Test
  void refusesUntilCleared() {
    gate.failAllocations(0, Long.MAX_VALUE);
    for (int i = 0; i < 1000; i++) {
      assertThat(gate.admit()).isFalse();
    }
    gate.clearFailures();
    assertThat(gate.admit()).isTrue();
  }

  @Test
  void tellsWhatIsLeftToRefuse() {
    assertThat(gate.failures()).isNull();
    gate.failAllocations(1, 2);
    assertThat(gate.failures()).isEqualTo(new AllocationFailures(1, 2));
    assertThat(gate.admit()).isTrue();
    assertThat(gate.admit()).isFalse();
    assertThat(gate.failures()).isEqualTo(new AllocationFailures(0, 1));
    gate.clearFailures();
    assertThat(gate.failures()).isNull();
  }

  @Test
  void runsAreOfOneCellWhileFailuresAreInjected() {
    assertThat(gate.grant()).isGreaterThan(100);
    gate.failAllocations(50, 1);
    assertThat(gate.grant()).isEqualTo(1);
    gate.failAllocations(0, 1);
    assertThat(gate.grant()).isEqualTo(1);
    gate.clearFailures();
    assertThat(gate.grant()).isGreaterThan(100);
  }

  @Test
  void runsAreOfOneCellUnderTorture() {
    assertThat(new AllocationGate(trigger, true).grant()).isEqualTo(1);
  }

  @Test
  void betweenTwoSlicesItGrantsSoMuchThoughTheTriggerIsDue() {
    trigger.decrease(2000);
    assertThat(gate.isDue()).isTrue();
    gate.sliceEnded(7);
    assertThat(gate.isDue()).isFalse();
    assertThat(gate.grant()).as("half, so that several may").isEqualTo(4);
    trigger.decrease(4);
    assertThat(gate.grant()).isEqualTo(2);
    trigger.decrease(3);
    assertThat(gate.isDue()).isTrue();
    assertThat(gate.grant()).isEqualTo(1);
    gate.sliceEnded(7);
    trigger.decrease(5);
    trigger.renew(1_000_000);
    trigger.decrease(7);
    assertThat(gate.isDue()).as("a new count loses nothing").isTrue();
    gate.sliceEnded(0);
    assertThat(gate.isDue()).isFalse();
  }

  @Test
  void eachCallOfGatedFunctionsIsOneOperationOfTheTrigger() {
    try (Region r = new Region(1 << 20)) {
      GatedFunctions f = new GatedFunctions(r.allocator, gate, r.budget, r.raw.section());
      long before = trigger.count();
      long block = f.alloc(10);
      assertThat(trigger.count()).isEqualTo(before - 1);
      block = f.realloc(block, 1000);
      assertThat(trigger.count()).isEqualTo(before - 2);
      f.free(block);
      assertThat(trigger.count()).isEqualTo(before - 3);
      f.free(0);
      assertThat(f.alloc(0)).isZero();
      assertThat(trigger.count()).isEqualTo(before - 3);
    }
  }

  /** Cells were counted when they were granted, so the next allocation must meet the gate. */
  @Test
  void anOperationThatMakesACollectionDueTakesBackWhatWasGranted() {
    try (Region r = new Region(1 << 20)) {
      GatedFunctions f = new GatedFunctions(r.allocator, gate, r.budget, r.raw.section());
      CellSpace cells = new CellSpace(r.raw, r.budget, gate);
      assertThat(cells.refill(Layout.RECORD, 3)).isNotZero();
      assertThat(r.budget.charged()).isGreaterThan(24);
      trigger.decrease(trigger.count());
      assertThat(r.budget.charged()).as("nothing is due yet").isGreaterThan(24);
      f.free(f.alloc(10));
      assertThat(r.budget.charged()).isEqualTo(24);
    }
  }

  @Test
  void withoutAGrantThereIsNothingToTakeBack() {
    Budget budget = new Budget(1 << 20);
    int[] asked = new int[1];
    budget.addAdvances(
        new Budget.Advances() {
          @Override
          public long unusedBytes() {
            return 0;
          }

          @Override
          public void giveBack() {
            asked[0]++;
          }
        });
    try (Region r = new Region(1 << 20)) {
      GatedFunctions f = new GatedFunctions(r.allocator, gate, budget, r.raw.section());
      trigger.decrease(2000);
      f.free(f.alloc(10));
      assertThat(asked[0]).isZero();
      long _ = gate.grant();
      f.free(f.alloc(10));
      assertThat(asked[0]).as("once a grant").isEqualTo(1);
      trigger.renew(0);
      long _ = gate.grant();
      f.free(f.alloc(10));
      assertThat(asked[0]).as("not before a collection is due").isEqualTo(1);
    }
  }

  @Test
  void aSizeOfZeroIsNoRequest() {
    try (Region r = new Region(1 << 20)) {
      GatedFunctions f = new GatedFunctions(r.allocator, gate, r.budget, r.raw.section());
      long block = f.alloc(10);
      gate.failAllocations(0, 1);
      assertThat(f.alloc(0)).isZero();
      assertThat(f.realloc(block, 0)).isZero();
      assertThat(r.budget.used()).isZero();
      assertThat(f.alloc(10)).as("the one that is refused").isZero();
      assertThat(f.alloc(10)).isNotZero();
    }
  }

  @Test
  void aRefusedReallocLeavesTheBlock() {
    try (Region r = new Region(1 << 20)) {
      GatedFunctions f = new GatedFunctions(r.allocator, gate, r.budget, r.raw.section());
      long block = f.alloc(16);
      r.memory.put(block, 5);
      gate.failAllocations(0, 1);
      assertThat(f.realloc(block, 1000)).isZero();
      assertThat(r.memory.get(block)).isEqualTo(5);
      assertThat(f.realloc(block, 1000)).isNotZero();
    }
  }
}
