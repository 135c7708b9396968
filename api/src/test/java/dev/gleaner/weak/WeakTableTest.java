package dev.gleaner.weak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.space.Budget;
import dev.gleaner.testing.Seeds;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Weak references by number. */
@Tag("D26")
class WeakTableTest {

  @Test
  void sweepingClearsTheDeadOnly() {
    WeakTable weak = new WeakTable();
    int a = weak.add(800);
    int b = weak.add(808);
    int again = weak.add(800);
    weak.sweep(e -> e == 808);
    assertThat(weak.get(a)).isZero();
    assertThat(weak.get(again)).isZero();
    assertThat(weak.get(b)).isEqualTo(808);
    assertThat(weak.cleared()).isEqualTo(2);
    weak.sweep(e -> e == 808);
    assertThat(weak.cleared()).as("once each").isEqualTo(2);
  }

  @Test
  void targetsAreFollowedWhenTheyMove() {
    WeakTable weak = new WeakTable();
    int a = weak.add(800);
    int gone = weak.add(808);
    int free = weak.add(816);
    weak.sweep(e -> e != 808);
    weak.remove(free);
    weak.relocate(e -> e + 8);
    assertThat(weak.get(a)).isEqualTo(808);
    assertThat(weak.get(gone)).isZero();
    assertThat(weak.add(8)).as("free entries stay free").isEqualTo(free);
  }

  @Test
  void numbersAreUsedAgain() {
    WeakTable weak = new WeakTable();
    for (int i = 0; i < 10_000; i++) {
      int w = weak.add(800);
      assertThat(w).isZero();
      weak.remove(w);
    }
    assertThat(weak.size()).isZero();
  }

  @Test
  void whatWaitsForItsFinalizerIsCleared() {
    WeakTable weak = new WeakTable();
    FinalizerTable finalizers = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    finalizers.set(800, "q", new Object());
    finalizers.set(808, "i", new Object());
    finalizers.enqueue(finalizers.find(800));
    int queued = weak.add(800);
    int idle = weak.add(808);
    int without = weak.add(816);
    weak.clearQueued(finalizers);
    assertThat(weak.get(queued)).isZero();
    assertThat(weak.get(idle)).isEqualTo(808);
    assertThat(weak.get(without)).isEqualTo(816);
    assertThat(weak.cleared()).isEqualTo(1);
  }

  @Test
  void randomProgramsAgreeWithAMap() {
    Seeds.forEach(
        20,
        random -> {
          WeakTable weak = new WeakTable();
          Map<Integer, Long> model = new HashMap<>();
          for (int i = 0; i < 3000; i++) {
            int choice = random.nextInt(100);
            if (choice < 50) {
              long e = 8L + 8L * random.nextInt(50);
              int w = weak.add(e);
              assertThat(model.put(w, e)).as("a number in use").isNull();
            } else if (choice < 95 && !model.isEmpty()) {
              int w =
                  model.keySet().stream()
                      .skip(random.nextInt(model.size()))
                      .findFirst()
                      .orElseThrow();
              model.remove(w);
              weak.remove(w);
            } else {
              long dead = 8L + 8L * random.nextInt(50);
              weak.sweep(e -> e != dead);
              model.replaceAll((w, e) -> e == dead ? 0L : e);
            }
            assertThat(weak.size()).isEqualTo(model.size());
          }
          model.forEach((w, e) -> assertThat(weak.get(w)).isEqualTo(e));
          Set<Long> targets = new HashSet<>();
          weak.forEach(targets::add);
          model.values().removeIf(e -> e == 0);
          assertThat(targets).isEqualTo(new HashSet<>(model.values()));
        });
  }

  @Test
  void clearingAnElementClearsAllReferencesToItAndNoOthers() {
    WeakTable weak = new WeakTable();
    int a = weak.add(800);
    int b = weak.add(808);
    int again = weak.add(800);
    weak.clear(800);
    assertThat(weak.get(a)).isZero();
    assertThat(weak.get(again)).isZero();
    assertThat(weak.get(b)).isEqualTo(808);
    assertThat(weak.cleared()).isEqualTo(2);
    weak.clear(800);
    weak.clear(816);
    assertThat(weak.cleared()).as("once each").isEqualTo(2);
    int reused = weak.add(800); // another element lies there now
    assertThat(weak.get(reused)).isEqualTo(800);
    weak.clear(800);
    assertThat(weak.get(reused)).isZero();
  }

  @Test
  void referencesAreForgottenFromTheMiddleOfTheirElementsList() {
    for (int forgotten = 0; forgotten < 4; forgotten++) {
      WeakTable weak = new WeakTable();
      int[] all = new int[4];
      weak.clear(8); // the index is there from now on
      for (int i = 0; i < 4; i++) {
        all[i] = weak.add(800);
      }
      weak.remove(all[forgotten]);
      int other = weak.add(808);
      assertThat(other).isEqualTo(all[forgotten]);
      weak.clear(800);
      for (int i = 0; i < 4; i++) {
        assertThat(weak.get(all[i])).isEqualTo(i == forgotten ? 808 : 0);
      }
      assertThat(weak.cleared()).isEqualTo(3);
    }
  }

  @Test
  void clearingFollowsTargetsThatMoved() {
    WeakTable weak = new WeakTable();
    int a = weak.add(800);
    weak.clear(8);
    weak.relocate(e -> e + 8);
    weak.clear(800);
    assertThat(weak.get(a)).isEqualTo(808);
    weak.clear(808);
    assertThat(weak.get(a)).isZero();
  }

  /** Counting clears one by one, collections sweep, programs make and forget references. */
  @Test
  void randomProgramsWithClearingAgreeWithAMap() {
    Seeds.forEach(
        40,
        random -> {
          WeakTable weak = new WeakTable();
          Map<Integer, Long> model = new HashMap<>();
          long cleared = 0;
          int distinct = 1 + random.nextInt(60);
          for (int i = 0; i < 3000; i++) {
            long e = 8L + 8L * random.nextInt(distinct);
            int choice = random.nextInt(100);
            if (choice < 50) {
              assertThat(model.put(weak.add(e), e)).as("a number in use").isNull();
            } else if (choice < 75 && !model.isEmpty()) {
              int w =
                  model.keySet().stream()
                      .skip(random.nextInt(model.size()))
                      .findFirst()
                      .orElseThrow();
              model.remove(w);
              weak.remove(w);
            } else if (choice < 98) {
              weak.clear(e);
              cleared += model.values().stream().filter(x -> x == e).count();
              model.replaceAll((w, x) -> x == e ? 0L : x);
            } else {
              weak.sweep(x -> x != e);
              cleared += model.values().stream().filter(x -> x == e).count();
              model.replaceAll((w, x) -> x == e ? 0L : x);
            }
            assertThat(weak.cleared()).isEqualTo(cleared);
          }
          model.forEach((w, x) -> assertThat(weak.get(w)).isEqualTo(x));
          assertThat(weak.size()).isEqualTo(model.size());
        });
  }
}
