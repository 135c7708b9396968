package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.gleaner.testing.Seeds;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hashes that go with elements. */
@Tag("P8")
class IdentityTableTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final IdentityTable table = new IdentityTable(5);

  @Test
  void anElementKeepsItsHashAndNoTwoHaveTheSame() {
    Set<Integer> seen = new HashSet<>();
    for (long e = 8; e <= 80_000; e += 8) {
      seen.add(table.hash(e));
    }
    assertThat(seen).hasSize(10_000);
    assertThat(table.size()).isEqualTo(10_000);
    int first = table.hash(8);
    assertThat(table.hash(8)).isEqualTo(first);
    assertThat(table.size()).isEqualTo(10_000);
  }

  @Test
  void anotherElementAtTheSamePlaceHasAnotherHash() {
    int before = table.hash(8);
    table.sweep(e -> false);
    assertThat(table.size()).isZero();
    assertThat(table.hash(8)).isNotEqualTo(before);
  }

  @Test
  void aCollectionAllocatesNothingAndForgetsAPeakThatIsOver() {
    for (long e = 8; e <= 80_000; e += 8) {
      int _ = table.hash(e);
    }
    int hash = table.hash(8);
    LongPredicate isFirst = e -> e == 8;
    LongUnaryOperator stay = e -> e;
    long perCollection = 0;
    for (int i = 0; i < 100; i++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      table.sweep(isFirst);
      table.relocate(stay);
      perCollection = THREADS.getCurrentThreadAllocatedBytes() - before;
    }
    assertThat(perCollection).isZero();
    assertThat(table.hash(8)).isEqualTo(hash);
    long before = THREADS.getCurrentThreadAllocatedBytes();
    for (long e = 8; e <= 80_000; e += 8) {
      int _ = table.hash(e);
    }
    assertThat(THREADS.getCurrentThreadAllocatedBytes() - before)
        .as("it has to grow again")
        .isGreaterThan(100_000);
  }

  @Test
  void randomProgramsAgreeWithAMap() {
    Seeds.forEach(10, IdentityTableTest::program);
  }

  private static void program(Random random) {
    IdentityTable table = new IdentityTable(5);
    Map<Long, Integer> model = new HashMap<>();
    for (int round = 0; round < 200; round++) {
      for (int i = 0; i < 20; i++) {
        long e = 8 + 8L * random.nextInt(1000);
        int hash = table.hash(e);
        assertThat(model.getOrDefault(e, hash)).isEqualTo(hash);
        model.put(e, hash);
      }
      if (random.nextInt(4) == 0) {
        Set<Long> dead = new HashSet<>(model.keySet());
        dead.removeIf(e -> random.nextBoolean());
        table.sweep(e -> !dead.contains(e));
        model.keySet().removeAll(dead);
      }
      if (random.nextInt(4) == 0) {
        table.relocate(e -> 8016 - e); // each to where another one may have been
        Map<Long, Integer> moved = new HashMap<>();
        model.forEach((e, hash) -> moved.put(8016 - e, hash));
        model = moved;
      }
      List<Long> known = new ArrayList<>();
      table.forEach(known::add);
      assertThat(known).containsExactlyInAnyOrderElementsOf(model.keySet());
    }
  }
}
