package dev.gleaner.weak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.space.Budget;
import dev.gleaner.testing.Seeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Elements with finalizers in the order of registration, and the finalize list. */
@Tag("D20")
class FinalizerTableTest {
  private static final Object NONE = new Object();

  private static List<Long> elements(FinalizerTable table) {
    List<Long> list = new ArrayList<>();
    for (int e = 0; e < table.bound(); e++) {
      if (table.element(e) != 0) {
        list.add(table.element(e));
      }
    }
    return list;
  }

  @Test
  void keepsFinalizerLabelAndOrder() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    Object other = new Object();
    table.set(16, "a", NONE);
    table.set(8, "b", other);
    assertThat(elements(table)).containsExactly(16L, 8L);
    assertThat(table.label(table.find(16))).isEqualTo("a");
    assertThat(table.finalizer(table.find(8))).isSameAs(other);
    assertThat(table.state(table.find(8))).isEqualTo(FinalizerTable.IDLE);
    assertThat(table.find(24)).isNegative();
  }

  private static List<Long> queue(FinalizerTable table) {
    List<Long> list = new ArrayList<>();
    for (int i = 0; i < table.queued(); i++) {
      list.add(table.queuedElement(i));
    }
    return list;
  }

  /** Random ages, and batches of any size: each is in order, and before what waits. */
  @Test
  @Tag("L13")
  void batchesAreOrderedByAgeAndLead() {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
      table.trackAges();
      int n = 1 + random.nextInt(FinalizerTable.RECENT);
      List<Long> unset = new ArrayList<>();
      for (long e = 8; e <= 8L * n; e += 8) {
        table.noteMade(e);
        unset.add(e);
      }
      Collections.shuffle(unset, random);
      unset.forEach(e -> table.set(e, "f", NONE, 0, true));
      List<Long> expected = new ArrayList<>();
      List<Long> rest = new ArrayList<>(unset);
      while (!rest.isEmpty()) {
        int size = Math.min(rest.size(), 1 + random.nextInt(9));
        List<Long> batch = rest.subList(0, size);
        int before = table.queued();
        if (size == 1) {
          table.enqueueNext(table.find(batch.getFirst()));
        } else {
          batch.forEach(e -> table.enqueue(table.find(e)));
          table.arrange(before);
        }
        expected.addAll(0, batch.stream().sorted().toList());
        batch.clear();
        if (random.nextInt(3) == 0) {
          assertThat(table.dequeue()).isEqualTo(expected.removeFirst());
        }
        assertThat(queue(table)).isEqualTo(expected);
      }
    }
  }

  @Test
  @Tag("L13")
  void agesAreThoseOfTheLastObjectsAndOfRunFinalizers() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    table.trackAges();
    for (long e = 8; e <= 8 * 100; e += 8) {
      table.noteMade(e);
    }
    table.set(8 * 100, "youngest", NONE, 0, true);
    table.set(8 * 37, "first known", NONE, 0, true);
    table.set(8 * 36, "forgotten", NONE, 0, true);
    table.set(8 * 2, "older, but set later", NONE, 0, true);
    table.set(9000, "no object", NONE, 0, false);
    assertThat(byAge(table)).containsExactly(8 * 36L, 8 * 2L, 8 * 37L, 8 * 100L, 9000L);
    table.set(8 * 2, "again", NONE, 0, true);
    assertThat(byAge(table)).containsExactly(8 * 36L, 8 * 2L, 8 * 37L, 8 * 100L, 9000L);
    table.setFinalized(table.find(8 * 36));
    assertThat(byAge(table)).containsExactly(8 * 2L, 8 * 37L, 8 * 100L, 9000L, 8 * 36L);
    table.relocate(e -> e + 16);
    assertThat(byAge(table)).containsExactly(8 * 4L, 8 * 39L, 8 * 102L, 9016L, 8 * 38L);
  }

  @Test
  @Tag("L13")
  void whatWasRescuedIsYoungest() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    table.trackAges();
    for (long e = 8; e <= 32; e += 8) {
      table.noteMade(e);
      table.set(e, "f", NONE, 0, true);
    }
    table.setFinalized(table.find(8));
    table.rescue(table.find(8));
    table.setFinalized(table.find(24)); // and not rescued
    for (long e : new long[] {8, 16, 32}) {
      table.enqueue(table.find(e));
    }
    table.arrange(0);
    assertThat(queue(table)).containsExactly(16L, 32L, 8L);
  }

  private static List<Long> byAge(FinalizerTable table) {
    return Arrays.stream(table.serialsByAge()).mapToObj(s -> table.element(table.next(s))).toList();
  }

  @Test
  void settingAgainReplacesAndRegistersAnew() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    table.set(8, "a", NONE);
    table.set(16, "b", NONE);
    table.setState(table.find(8), FinalizerTable.FINALIZED);
    table.set(8, "again", NONE);
    assertThat(elements(table)).containsExactly(16L, 8L);
    assertThat(table.label(table.find(8))).isEqualTo("again");
    assertThat(table.state(table.find(8))).isEqualTo(FinalizerTable.IDLE);
    assertThat(table.size()).isEqualTo(2);
  }

  @Test
  void anEntryIsFoundByItsSerialNumberWhereverItGoes() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    for (long e = 8; e <= 800; e += 8) {
      table.set(e, "f" + e, NONE);
    }
    long of400 = table.serial(table.find(400));
    assertThat(table.lastSerial()).isEqualTo(100);
    for (long e = 8; e < 400; e += 8) {
      assertThat(table.remove(e)).isTrue();
    }
    for (long e = 1600; e < 2400; e += 8) { // closes the gaps
      table.set(e, "g", NONE);
    }
    assertThat(table.element(table.next(of400))).isEqualTo(400);
    assertThat(table.element(table.next(1))).as("gaps are left out").isEqualTo(400);
    assertThat(table.element(table.next(of400 + 1))).isEqualTo(408);
    assertThat(table.serial(table.find(2392))).isEqualTo(table.lastSerial());
    assertThat(table.next(table.lastSerial() + 1)).isNegative();
  }

  @Test
  void entriesAndTheFinalizeListFollowTheElements() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    for (long e = 8; e <= 80; e += 8) {
      table.set(e, "f" + e, NONE);
    }
    table.enqueue(table.find(16));
    table.enqueue(table.find(8));
    assertThat(table.dequeue()).isEqualTo(16);
    table.relocate(e -> 88 - e); // each to where another one was
    assertThat(table.label(table.find(80))).isEqualTo("f8");
    assertThat(table.label(table.find(8))).isEqualTo("f80");
    assertThat(elements(table)).containsExactly(80L, 72L, 64L, 56L, 48L, 40L, 32L, 24L, 16L, 8L);
    assertThat(table.queuedElement(0)).isEqualTo(80);
    assertThat(table.dequeue()).isEqualTo(80);
    assertThat(table.size()).isEqualTo(10);
    assertThat(table.find(88)).isNegative();
  }

  @Test
  void elementsMayMoveAnyNumberOfTimes() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    for (long e = 8; e <= 80; e += 8) {
      table.set(e, "f" + e, NONE);
    }
    for (int i = 1; i <= 100; i++) {
      table.relocate(e -> e + 800);
      assertThat(table.label(table.find(8 + 800L * i))).isEqualTo("f8");
      assertThat(table.find(8)).isNegative();
    }
  }

  @Test
  void theFinalizeListIsFirstInFirstOut() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    for (long e = 8; e <= 80; e += 8) {
      table.set(e, "f", NONE);
    }
    table.enqueue(table.find(24));
    table.enqueue(table.find(8));
    assertThat(table.queued()).isEqualTo(2);
    assertThat(table.queuedElement(0)).isEqualTo(24);
    assertThat(table.queuedElement(1)).isEqualTo(8);
    assertThat(table.state(table.find(8))).isEqualTo(FinalizerTable.QUEUED);
    assertThat(table.dequeue()).isEqualTo(24);
    table.enqueue(table.find(32));
    assertThat(table.dequeue()).isEqualTo(8);
    assertThat(table.dequeue()).isEqualTo(32);
    assertThat(table.dequeue()).isZero();
  }

  @Test
  void manyEntriesComeAndGoInBoundedSpace() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    for (long e = 8; e < 800_000; e += 8) {
      table.set(e, "f", NONE);
      if (e > 80) {
        assertThat(table.remove(e - 80)).isTrue();
      }
    }
    assertThat(table.size()).isEqualTo(10);
    assertThat(table.bound()).isLessThan(64);
  }

  @Test
  void aPeakThatIsOverIsForgotten() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    for (long e = 8; e <= 80_000; e += 8) {
      table.set(e, "f" + e, NONE);
    }
    long serial = table.serial(table.find(40_000));
    for (long e = 8; e <= 80_000; e += 8) {
      if (e % 40_000 != 0) {
        assertThat(table.remove(e)).isTrue();
      }
    }
    table.enqueue(table.find(80_000));
    table.tidy();
    assertThat(table.bound()).isEqualTo(2);
    assertThat(elements(table)).containsExactly(40_000L, 80_000L);
    assertThat(table.next(serial)).isZero();
    assertThat(table.label(table.find(40_000))).isEqualTo("f40000");
    assertThat(table.state(table.find(80_000))).isEqualTo(FinalizerTable.QUEUED);
    assertThat(table.dequeue()).isEqualTo(80_000);
    table.removeEntry(1);
    table.removeEntry(0);
    table.tidy();
    assertThat(table.find(40_000)).isNegative();
    table.set(8, "new", NONE);
    assertThat(elements(table)).containsExactly(8L);
  }

  @Test
  void randomProgramsAgreeWithAModel() {
    Seeds.forEach(20, FinalizerTableTest::program);
  }

  private static void program(Random random) {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    Map<Long, Byte> model = new LinkedHashMap<>();
    ArrayDeque<Long> queue = new ArrayDeque<>();
    for (int i = 0; i < 5000; i++) {
      if (i % 500 == 0) {
        model.keySet().removeIf(gone -> random.nextInt(20) != 0 && table.remove(gone));
        table.tidy();
      }
      long e = 8L + 8L * random.nextInt(200);
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          table.set(e, "f" + e, NONE);
          model.remove(e); // so that it goes to the end
          model.put(e, FinalizerTable.IDLE);
        }
        case 2 -> assertThat(table.remove(e)).isEqualTo(model.remove(e) != null);
        case 3 -> {
          if (model.containsKey(e)) {
            table.enqueue(table.find(e));
            queue.add(e);
            model.put(e, FinalizerTable.QUEUED);
          }
        }
        case 4 -> {
          Long next = queue.poll();
          assertThat(table.dequeue()).isEqualTo(next == null ? 0 : next);
        }
        default -> {
          if (model.containsKey(e)) {
            table.setState(table.find(e), FinalizerTable.FINALIZED);
            model.put(e, FinalizerTable.FINALIZED);
          }
        }
      }
      assertThat(table.size()).isEqualTo(model.size());
      assertThat(table.queued()).isEqualTo(queue.size());
      int entry = table.find(e);
      assertThat(entry >= 0).isEqualTo(model.containsKey(e));
      if (entry >= 0) {
        assertThat(table.element(entry)).isEqualTo(e);
        assertThat(table.label(entry)).isEqualTo("f" + e);
        assertThat((Byte) table.state(entry)).isEqualTo(model.get(e));
      }
    }
    assertThat(elements(table)).containsExactlyElementsOf(model.keySet());
  }

  @Test
  void aMinorCollectionTellsOfTheLastEntriesAlone() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    for (long e = 8; e <= 80; e += 8) {
      table.set(e, "f" + e, NONE);
    }
    long serial = table.lastSerial();
    for (long e = 808; e <= 880; e += 8) {
      table.set(e, "f" + e, NONE);
    }
    table.remove(840);
    table.enqueue(table.find(816));
    int since = table.firstSince(serial + 1);
    assertThat(table.element(since)).isEqualTo(808);
    List<Long> asked = new ArrayList<>();
    table.relocate(
        since,
        e -> {
          asked.add(e);
          return e == 856 ? e : e + 1000;
        });
    assertThat(asked).allMatch(e -> e > 800).doesNotContain(840L);
    assertThat(elements(table))
        .startsWith(8L, 16L)
        .endsWith(1848L, 856L, 1864L, 1872L, 1880L)
        .hasSize(19);
    for (long e : elements(table)) {
      assertThat(table.element(table.find(e))).isEqualTo(e);
    }
    assertThat(table.find(808)).isNegative();
    assertThat(table.dequeue()).isEqualTo(1816);
  }

  /** Where gaps are closed step by step, all is found at each moment. */
  @Test
  @Tag("D32b")
  void whatIsFoundDoesNotDependOnHowFarGapsAreClosed() {
    Seeds.forEach(5, FinalizerTableTest::closing);
  }

  private static void closing(Random random) {
    FinalizerTable table = new FinalizerTable(random.nextLong() | 1, new Budget(Long.MAX_VALUE));
    NavigableMap<Long, Long> model = new TreeMap<>(); // elements by their serial numbers
    int most = 4 << random.nextInt(7);
    for (int i = 0; i < 3000; i++) {
      boolean grows = i / 500 % 2 == 0;
      long e = 8L + 8L * random.nextInt(most);
      model.values().remove(e);
      if (random.nextInt(8) < (grows ? 7 : 1)) {
        table.set(e, "f" + e, NONE);
        model.put(table.lastSerial(), e);
      } else {
        boolean _ = table.remove(e);
      }
      if (random.nextInt(grows ? 100 : 10) == 0) {
        table.tidy();
      }
      if (random.nextInt(50) == 0) {
        checkSerials(table, model, random);
      }
    }
    assertThat(elements(table)).containsExactlyElementsOf(model.values());
    model.values().forEach(table::remove);
    table.tidy();
    assertThat(table.bound()).isZero();
  }

  private static void checkSerials(
      FinalizerTable table, NavigableMap<Long, Long> model, Random random) {
    assertThat(elements(table)).containsExactlyElementsOf(model.values());
    assertThat(model.values()).allMatch(e -> table.element(table.find(e)) == e);
    assertThat(IntStream.range(0, table.bound()).mapToObj(table::serial)).isSorted();
    for (int i = 0; i < 5; i++) {
      long serial = random.nextLong(table.lastSerial() + 2);
      Long after = model.ceilingKey(serial);
      Long before = model.floorKey(serial);
      int next = table.next(serial);
      int previous = table.previous(serial);
      assertThat(next < 0 ? null : table.serial(next)).isEqualTo(after);
      assertThat(previous < 0 ? null : table.serial(previous)).isEqualTo(before);
      int first = table.firstSince(serial);
      assertThat(first == 0 || table.serial(first - 1) < serial).isTrue();
      assertThat(first == table.bound() || table.serial(first) >= serial).isTrue();
    }
  }

  /** No step is long, when most entries go. */
  @Test
  @Tag("D32b")
  void aTableShrinksStepByStep() {
    FinalizerTable table = new FinalizerTable(5, new Budget(Long.MAX_VALUE));
    for (long e = 8; e <= 160_000; e += 8) {
      table.set(e, "f", NONE);
    }
    for (long e = 8; e <= 64_000; e += 8) {
      boolean _ = table.remove(e);
    }
    assertThat(table.tidyUntil(System.nanoTime())).as("at a deadline that is over").isFalse();
    assertThat(table.bound()).isEqualTo(20_000);
    int calls = 1;
    while (!table.tidyUntil(System.nanoTime())) {
      calls++;
    }
    assertThat(calls).isGreaterThan(50);
    assertThat(table.bound()).isEqualTo(12_000);
    assertThat(table.element(0)).isEqualTo(64_008);
  }
}
