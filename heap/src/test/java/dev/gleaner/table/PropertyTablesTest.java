package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.BlockWatch;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Seeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property tables: entries in order of insertion, a hash part, an array part with holes. */
@Tag("D8")
class PropertyTablesTest {
  /** The position of the first entry. */
  private static final int FIRST = PropertyTables.ENTRY_POSITIONS;

  private static PropertyTables tables(Region r) {
    return tables(r, r.allocator);
  }

  private static PropertyTables tables(Region r, AllocationFunctions functions) {
    Keys keys = new Keys(r.memory, new IdentityTable(1), 1);
    return new PropertyTables(r.raw, functions, keys, new BlockWatch());
  }

  private static void put(PropertyTables tables, Region r, long object, long key, long value) {
    long place = tables.placeForPut(object, key);
    if (place == 0) {
      assertThat(tables.makeRoom(object, key)).isTrue();
      place = tables.placeForPut(object, key);
    }
    r.memory.put(Math.abs(place), value);
  }

  private static long delete(PropertyTables tables, long object, long key) {
    return tables.delete(object, tables.place(object, key));
  }

  private static long get(PropertyTables tables, Region r, long object, long key) {
    long place = tables.place(object, key);
    return place == 0 ? Values.UNDEFINED : r.memory.get(place);
  }

  private static List<Long> keys(PropertyTables tables, long object) {
    List<Long> keys = new ArrayList<>();
    for (int e = tables.next(object, 0);
        e >= 0;
        e = tables.next(object, tables.cursorBehind(object, e))) {
      keys.add(tables.key(object, e));
    }
    return keys;
  }

  @Test
  void anEmptyObjectHasNoTable() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      long used = r.budget.used();
      long key = r.string(1, 1);
      assertThat(tables.place(o, key)).isZero();
      assertThat(tables.placeForPut(o, key)).isZero();
      assertThat(tables.count(o)).isZero();
      assertThat(tables.arrayLength(o)).isZero();
      assertThat(tables.next(o, 0)).isNegative();
      assertThat(tables.border(o)).isZero();
      tables.compact(o);
      r.allocator.free(key);
      assertThat(r.budget.used()).isEqualTo(used);
    }
  }

  @Test
  void keysAreComparedByIdentityAndKeepTheirOrder() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        long key = r.string(7, 42); // the same hash, the same bytes: other strings all the same
        keys.add(key);
        put(tables, r, o, key, Values.ofInt(i));
      }
      for (int i = 0; i < 40; i++) {
        assertThat(get(tables, r, o, keys.get(i))).isEqualTo(Values.ofInt(i));
      }
      assertThat(keys(tables, o)).isEqualTo(keys);
      long _ = delete(tables, o, keys.get(3));
      put(tables, r, o, keys.remove(3), Values.NULL);
      keys.add(keys(tables, o).getLast());
      assertThat(keys(tables, o)).isEqualTo(keys);
    }
  }

  @Test
  void aStringThatIsAValueIsNotTakenForAKey() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      long key = r.string(1, 1);
      long value = r.string(2, 2);
      put(tables, r, o, key, value);
      tables.compact(o); // now the value stands right behind the key
      assertThat(tables.place(o, value)).isZero();
      assertThat(tables.value(o, tables.next(o, 0))).isEqualTo(value);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsLeftOfMemoryIsFilledByFewCopies(boolean inArray) {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      int copies = 0;
      int put = 0;
      while (true) {
        long key = inArray ? Values.ofInt(put) : Values.ofDouble(put + 0.5);
        long place = tables.placeForPut(o, key);
        if (place == 0) {
          copies++;
          if (!tables.makeRoom(o, key)) {
            break;
          }
          place = tables.placeForPut(o, key);
        }
        r.memory.put(Math.abs(place), Values.NULL);
        put++;
      }
      assertThat(put).isGreaterThan(10_000);
      assertThat(copies).isLessThan(50);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 30})
  void aDeletedPropertyHoldsNothing(int properties) {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      long value = r.element(Layout.RECORD, 1);
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < properties; i++) {
        keys.add(r.string(i % 3, i));
        put(tables, r, o, keys.get(i), value);
      }
      keys.forEach(key -> {
        long _ = delete(tables, o, key);
      });
      Scanner.forEachPlace(
          r.memory, o, place -> assertThat(Values.isReference(r.memory.get(place))).isFalse());
      keys.forEach(key -> assertThat(tables.place(o, key)).isZero());
    }
  }

  @Test
  void anArrayPartMayFillItsTable() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        keys.add(r.string(i, i));
        put(tables, r, o, keys.get(i), Values.ofInt(i));
      }
      assertThat(tables.reserve(o, 0, 10)).isTrue();
      int length = tables.arrayCapacity(o);
      assertThat(length).as("with room to grow").isBetween(11, 20);
      for (int i = 0; i < 20; i++) {
        assertThat(get(tables, r, o, keys.get(i))).isEqualTo(Values.ofInt(i));
      }
      for (int i = 0; i < length; i++) {
        assertThat(r.memory.get(tables.arrayPlace(o, i))).isEqualTo(TableLayout.HOLE);
      }
    }
  }

  @Test
  void manyPropertiesAndElementsNeedFewResizes() {
    try (Region r = new Region(4 << 20)) {
      int[] allocated = new int[1];
      AllocationFunctions counting =
          new Region.Failing(r.allocator) {
            @Override
            public long alloc(long bytes) {
              allocated[0]++;
              return super.alloc(bytes);
            }
          };
      PropertyTables tables = tables(r, counting);
      long o = r.object();
      for (int i = 0; i < 2000; i++) {
        put(tables, r, o, r.string(i, i), Values.TRUE);
        put(tables, r, o, Values.ofInt(i), Values.TRUE);
      }
      assertThat(allocated[0]).isLessThan(50);
    }
  }

  /** Functions that refuse more than so many bytes, and remember what was asked for. */
  private static final class Bounded extends Region.Failing {
    long most = Long.MAX_VALUE;
    long last;

    Bounded(AllocationFunctions inner) {
      super(inner);
    }

    @Override
    public long alloc(long bytes) {
      last = bytes;
      return bytes > most ? 0 : super.alloc(bytes);
    }
  }

  @Test
  void withoutMemoryForARoomyTableAnExactOneWillDo() {
    try (Region r = new Region(1 << 20)) {
      Bounded functions = new Bounded(r.allocator);
      PropertyTables tables = tables(r, functions);
      long o = r.object();
      long key = r.string(1, 1);
      functions.most = TableLayout.FIRST + 2 * 8; // one entry
      put(tables, r, o, key, Values.TRUE);
      assertThat(tables.makeRoom(o, Values.TRUE)).isFalse();
      assertThat(tables.refusedBytes()).isEqualTo(TableLayout.FIRST + 4 * 8);
      functions.most = functions.last; // two entries
      long second = r.string(2, 2);
      put(tables, r, o, second, Values.FALSE);
      functions.most = TableLayout.FIRST + (4 + TableLayout.INDEX_WORDS + 10) * 8; // ten elements
      assertThat(tables.reserve(o, 0, 11)).isFalse();
      assertThat(tables.refusedBytes()).isEqualTo(functions.most + 8);
      assertThat(tables.reserve(o, 0, 10)).isTrue();
      assertThat(tables.arrayCapacity(o)).isEqualTo(10);
      assertThat(get(tables, r, o, key)).isEqualTo(Values.TRUE);
      assertThat(get(tables, r, o, second)).isEqualTo(Values.FALSE);
    }
  }

  @Test
  void putAndDeleteOfOneKeyForeverNeedsBoundedSpace() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      for (int i = 0; i < 20; i++) {
        put(tables, r, o, r.string(i, i), Values.TRUE);
      }
      long key = r.string(99, 99);
      long most = 0;
      for (int i = 0; i < 5000; i++) {
        put(tables, r, o, key, Values.ofInt(i));
        long _ = delete(tables, o, key);
        most = Math.max(most, r.budget.used());
      }
      assertThat(most).isLessThan(4000);
      assertThat(tables.count(o)).isEqualTo(20);
    }
  }

  @Test
  @Tag("D18")
  void compactionLeavesJustWhatIsThere() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        keys.add(r.string(i, i));
        put(tables, r, o, keys.get(i), Values.ofInt(i));
      }
      for (int i = 0; i < 50; i++) {
        put(tables, r, o, Values.ofInt(i), Values.TRUE);
      }
      long before = r.budget.used();
      for (int i = 2; i < 100; i++) {
        long _ = delete(tables, o, keys.get(i));
      }
      tables.compact(o);
      assertThat(r.budget.used()).isLessThan(before - 1500);
      assertThat(get(tables, r, o, keys.get(1))).isEqualTo(Values.ofInt(1));
      assertThat(tables.arrayLength(o)).isEqualTo(50);
      assertThat(tables.count(o)).isEqualTo(52);
      long compacted = r.budget.used();
      tables.compact(o);
      assertThat(r.budget.used()).as("nothing more to win").isEqualTo(compacted);
      assertThat(keys(tables, o)).hasSize(52).endsWith(keys.get(0), keys.get(1));
    }
  }

  @Test
  @Tag("D18")
  void compactionLooksAtEntriesAndAtTheArrayPart() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      put(tables, r, o, r.string(1, 1), Values.TRUE);
      long before = r.budget.used();
      tables.compact(o);
      assertThat(r.budget.used()).as("room for entries").isLessThan(before);
      assertThat(tables.reserve(o, 0, 50)).isTrue();
      put(tables, r, o, Values.ofInt(0), Values.TRUE);
      before = r.budget.used();
      tables.compact(o);
      assertThat(r.budget.used()).as("room for elements").isLessThan(before);
      long place = tables.arrayPlace(o, 0);
      tables.compact(o);
      assertThat(tables.arrayPlace(o, 0)).as("nothing to win: it stays").isEqualTo(place);
    }
  }

  @Test
  @Tag("D18")
  void compactionFreesTheTableOfAnObjectWithoutProperties() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      long key = r.string(1, 1);
      long empty = r.budget.used();
      put(tables, r, o, key, Values.TRUE);
      assertThat(r.budget.used()).isGreaterThan(empty);
      long _ = delete(tables, o, key);
      tables.compact(o);
      assertThat(r.budget.used()).isEqualTo(empty);
      put(tables, r, o, key, Values.FALSE);
      assertThat(get(tables, r, o, key)).isEqualTo(Values.FALSE);
    }
  }

  @Test
  @Tag("L1")
  void numbersOfEntriesOutlastEveryRebuild() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        keys.add(r.string(i, i));
        put(tables, r, o, keys.get(i), Values.ofInt(i));
      }
      assertThat(tables.next(o, 0)).isEqualTo(FIRST);
      for (int i = 0; i < 100; i++) {
        if (i % 10 < 6) {
          long _ = delete(tables, o, keys.get(i));
        }
      }
      for (int round = 0; round < 3; round++) {
        tables.compact(o);
        for (int i = 0; i < 100; i++) {
          int e = tables.next(o, FIRST + i);
          int wanted = i % 10 < 6 ? i - i % 10 + 6 : i;
          assertThat(tables.key(o, e)).isEqualTo(keys.get(wanted));
          assertThat(tables.cursorBehind(o, e)).isEqualTo(FIRST + wanted + 1);
        }
        long added = r.string(1000 + round, 1);
        put(tables, r, o, added, Values.TRUE);
        assertThat(tables.key(o, tables.next(o, FIRST + 100 + round))).isEqualTo(added);
        assertThat(tables.next(o, FIRST + 101 + round)).isNegative();
      }
      keys(tables, o)
          .forEach(key -> {
            long _ = delete(tables, o, key);
          });
      tables.compact(o);
      assertThat(tables.next(o, 0)).isNegative();
      put(tables, r, o, keys.get(0), Values.TRUE);
      assertThat(tables.cursorBehind(o, tables.next(o, FIRST + 103))).isEqualTo(FIRST + 104);
    }
  }

  @Test
  @Tag("L1")
  void withoutAWalkGapsLeaveNothingBehind() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      long other = r.object();
      for (int i = 0; i < 100; i++) {
        long key = r.string(i, i);
        for (long object : new long[] {o, other}) {
          put(tables, r, object, key, Values.TRUE);
          if (i % 2 == 0) {
            long _ = delete(tables, object, key);
          }
        }
      }
      assertThat(tables.next(other, 0)).isNotNegative();
      long before = r.budget.used();
      tables.compact(o);
      long saved = before - r.budget.used();
      assertThat(tables.next(o, 0)).isEqualTo(FIRST);
      tables.compact(other);
      assertThat(before - saved - r.budget.used()).isBetween(0L, saved);
    }
  }

  @Test
  @Tag("L1")
  void aCompactionThatWouldNeedMoreForNumbersThanItSavesIsLeftOut() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        keys.add(r.string(i, i));
        put(tables, r, o, keys.get(i), Values.TRUE);
      }
      tables.compact(o);
      assertThat(tables.next(o, 0)).isEqualTo(FIRST);
      long _ = delete(tables, o, keys.get(4));
      put(tables, r, o, r.string(10, 10), Values.TRUE); // a rebuild: now there are numbers
      tables.compact(o);
      long used = r.budget.used();
      long _ = delete(tables, o, keys.get(2));
      tables.compact(o); // 16 bytes less, and 16 for one more run
      assertThat(r.budget.used()).isLessThanOrEqualTo(used);
      assertThat(keys(tables, o)).hasSize(8).doesNotContain(keys.get(2), keys.get(4));
    }
  }

  @Test
  @Tag("L1")
  void gapsArePassedOverAtOnce() {
    try (Region r = new Region(8 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      int n = 20_000;
      for (int i = 0; i < n; i++) {
        put(tables, r, o, r.string(i, i), Values.TRUE);
      }
      long table = Values.raw(r.memory.get(o + Layout.OBJECT_TABLE));
      for (int i = 0; i < n; i++) {
        int e = i % 2 == 0 ? tables.next(o, 0) : tables.nextAfter(o, 0);
        assertThat(e).isEqualTo(FIRST + i);
        long _ = delete(tables, o, tables.key(o, e));
        if (i > 1) {
          long first = r.memory.get(TableLayout.entryAt(table, 0));
          assertThat(TableLayout.low(first)).as("what the first gap knows of").isEqualTo(i);
        }
      }
      assertThat(tables.nextAfter(o, 0)).isNegative();
    }
  }

  @Test
  @Tag("L1")
  void aWalkFromKeysKeepsTheKeysAnsweredAndDeletedLast() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        keys.add(r.string(i, i));
        put(tables, r, o, keys.get(i), Values.TRUE);
      }
      long k0 = keys.get(0);
      long k1 = keys.get(1);
      long k2 = keys.get(2);
      long k3 = keys.get(3);
      assertThat(delete(tables, o, k0)).as("nobody walks").isEqualTo(k0);
      assertThat(tables.nextAfter(o, k0)).isEqualTo(-2);
      assertThat(tables.standOn(o, tables.nextAfter(o, 0))).isEqualTo(Values.UNDEFINED);
      assertThat(delete(tables, o, k2)).as("kept, as the last one").isEqualTo(Values.UNDEFINED);
      assertThat(delete(tables, o, k1)).as("k2 no more").isEqualTo(k2);
      assertThat(delete(tables, o, k3)).as("k1 is stood on").isEqualTo(Values.UNDEFINED);
      assertThat(tables.keptKeys(o)).isEqualTo(2);
      assertThat(tables.nextAfter(o, k2)).isEqualTo(-2);
      tables.compact(o);
      assertThat(tables.keptKeys(o)).isEqualTo(2);
      for (long from : new long[] {k1, k3}) {
        assertThat(tables.key(o, tables.nextAfter(o, from))).isEqualTo(keys.get(4));
      }
      put(tables, r, o, k1, Values.FALSE); // at the end, but the walk goes on where it was
      assertThat(tables.key(o, tables.nextAfter(o, k1))).isEqualTo(keys.get(4));
      assertThat(tables.standOn(o, tables.nextAfter(o, k1))).isEqualTo(k1);
      assertThat(tables.nextAfter(o, k1)).as("now it is the last").isEqualTo(-1);
      assertThat(tables.keptKeys(o)).isEqualTo(1);
    }
  }

  @Test
  void theHashPartOfTheLargestTableFitsItsField() {
    int largest = PropertyTables.hashLog(TableLayout.FIELD_MASK);
    assertThat(1L << largest).isGreaterThan(TableLayout.FIELD_MASK);
    assertThat(TableLayout.log((long) largest << TableLayout.LOG_SHIFT)).isEqualTo(largest);
  }

  @Test
  @Tag("D18")
  void compactionPassesOverTheObjectBeingResizedAlone() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long resizing = r.object();
      long other = r.object();
      long key = r.string(1, 1);
      for (long o : new long[] {resizing, other}) {
        assertThat(tables.reserve(o, 0, 100)).isTrue();
        put(tables, r, o, key, Values.TRUE);
      }
      long before = r.budget.used();
      tables.resizing = resizing;
      assertThat(tables.resizing).isEqualTo(resizing);
      tables.compact(resizing);
      assertThat(r.budget.used()).isEqualTo(before);
      tables.compact(other);
      assertThat(r.budget.used()).isLessThan(before);
      tables.resizing = 0;
      before = r.budget.used();
      tables.compact(resizing);
      assertThat(r.budget.used()).isLessThan(before);
    }
  }

  @Test
  @Tag("D18")
  void theObjectBeingResizedIsPassedOverAlsoWhenItMoved() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      tables.relocate(e -> {
        throw new AssertionError("none is being resized");
      });
      long object = r.object();
      long moved = r.object();
      tables.resizing = object;
      tables.relocate(e -> e == object ? moved : e);
      assertThat(tables.resizing).isEqualTo(moved);
    }
  }

  @Test
  void aRefusedResizeLeavesTheTable() {
    try (Region r = new Region(1 << 20)) {
      Region.Failing functions = new Region.Failing(r.allocator);
      PropertyTables tables = tables(r, functions);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        keys.add(r.string(i % 3, i));
        put(tables, r, o, keys.get(i), Values.ofInt(i));
      }
      functions.refuse = true;
      assertThat(tables.makeRoom(o, Values.TRUE)).isFalse();
      assertThat(tables.reserve(o, 0, 1000)).isFalse();
      long _ = delete(tables, o, keys.get(0));
      tables.compact(o);
      assertThat(keys(tables, o)).isEqualTo(keys.subList(1, 30));
      assertThat(get(tables, r, o, keys.get(29))).isEqualTo(Values.ofInt(29));
    }
  }

  @Test
  @Tag("L3")
  void anIndexBeyondTheLayoutIsAnEntry() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      long o = r.object();
      put(tables, r, o, Values.ofInt(TableLayout.FIELD_MASK), Values.TRUE);
      put(tables, r, o, Values.ofInt(Integer.MAX_VALUE), Values.TRUE);
      assertThat(tables.arrayCapacity(o)).isZero();
      assertThat(tables.sparse(o)).isEqualTo(1);
      assertThat(tables.arrayLength(o)).isEqualTo(TableLayout.FIELD_MASK + 1);
      assertThat(get(tables, r, o, Values.ofInt(Integer.MAX_VALUE))).isEqualTo(Values.TRUE);
    }
  }

  @Test
  @Tag("L3")
  void entriesMoveToTheArrayOnceTheyAreDenseUnlessSomebodyWalked() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = tables(r);
      for (boolean walked : new boolean[] {false, true}) {
        long o = r.object();
        put(tables, r, o, Values.ofInt(1000), Values.TRUE);
        if (walked) {
          assertThat(tables.next(o, 0)).isEqualTo(FIRST);
        }
        for (int i = 999; i >= 0; i--) {
          put(tables, r, o, Values.ofInt(i), Values.ofInt(i));
        }
        assertThat(tables.arrayCapacity(o)).isGreaterThanOrEqualTo(walked ? 100 : 1001);
        if (walked) {
          assertThat(tables.sparse(o)).isBetween(500, 900);
        } else {
          assertThat(tables.sparse(o)).isZero();
        }
        assertThat(keys(tables, o)).hasSize(1001).doesNotHaveDuplicates();
      }
    }
  }

  @Test
  void randomProgramsAgreeWithAModel() {
    Seeds.forEach(
        30,
        random -> {
          try (Region r = new Region(4 << 20)) {
            new Model(r, random).run();
          }
        });
  }

  private static final class Model {
    private final Region r;
    private final Random random;
    private final Region.Failing functions;
    private final PropertyTables tables;
    private final long object;
    private final long[] keys;
    private final Map<Long, Long> properties = new LinkedHashMap<>();
    private final List<Walk> walks = new ArrayList<>();

    /** A walk: what it must see still. */
    private static final class Walk {
      long cursor;
      final Set<Long> due;

      Walk(Set<Long> due) {
        this.due = new HashSet<>(due);
      }
    }

    Model(Region r, Random random) {
      this.r = r;
      this.random = random;
      functions = new Region.Failing(r.allocator);
      tables = tables(r, functions);
      object = r.object();
      keys = new long[1 + random.nextInt(80)];
      int hashes = 1 + random.nextInt(50); // few: collisions
      for (int i = 0; i < keys.length; i++) {
        keys[i] = r.string(random.nextInt(hashes) * 0x10001, i);
      }
    }

    void run() {
      for (int i = 0; i < 1500; i++) {
        functions.refuse = random.nextInt(8) == 0;
        long key = keys[random.nextInt(keys.length)];
        long value = Values.ofInt(i);
        switch (random.nextInt(14)) {
          case 0, 1, 2, 3, 4 -> putProperty(key, value);
          case 5, 6, 7 -> {
            key = random.nextBoolean() ? key : Values.ofInt(random.nextInt(100));
            if (properties.remove(key) != null) {
              long deleted = key;
              long _ = delete(tables, object, key);
              walks.forEach(walk -> walk.due.remove(deleted));
            }
          }
          case 8, 9 -> putProperty(Values.ofInt(random.nextInt(100)), value);
          case 10 -> tables.compact(object);
          case 11, 12 -> walk();
          default -> {
            boolean _ = tables.makeRoom(object, Values.ofInt(random.nextInt(40)));
          }
        }
        check(key);
      }
      assertThat(keys(tables, object)).containsExactlyInAnyOrderElementsOf(properties.keySet());
      properties.forEach((k, v) -> assertThat(get(tables, r, object, k)).isEqualTo(v));
    }

    private void walk() {
      if (walks.size() < 4) {
        walks.add(new Walk(properties.keySet()));
      }
      Walk walk = walks.get(random.nextInt(walks.size()));
      int e = tables.next(object, walk.cursor);
      if (e < 0) {
        assertThat(walk.due).isEmpty();
        walks.remove(walk);
      } else {
        walk.cursor = tables.cursorBehind(object, e);
        walk.due.remove(tables.key(object, e));
        assertThat(properties).containsKey(tables.key(object, e));
      }
    }

    private void putProperty(long key, long value) {
      boolean isThere = properties.containsKey(key);
      assertThat(tables.place(object, key) != 0).isEqualTo(isThere);
      long place = tables.placeForPut(object, key);
      if (place == 0 && tables.makeRoom(object, key)) {
        place = tables.placeForPut(object, key);
        assertThat(place).isNotZero();
      }
      if (place == 0) {
        assertThat(isThere).isFalse();
        assertThat(functions.refuse).isTrue();
      } else {
        assertThat(place > 0).isEqualTo(isThere);
        r.memory.put(Math.abs(place), value);
        properties.put(key, value);
      }
    }

    private void check(long key) {
      assertThat(get(tables, r, object, key))
          .isEqualTo(properties.getOrDefault(key, Values.UNDEFINED));
      assertThat(tables.count(object)).isEqualTo(properties.size());
    }
  }

  /** Where no page is left there is no index of weak entries: all weak tables are searched. */
  @Test
  @Tag("D26")
  void weakEntriesGoWithoutPages() {
    try (Region r = new Region(1 << 20, 256 << 10, false)) {
      PropertyTables tables = tables(r);
      long table = r.object();
      long key = r.object();
      long value = r.object();
      assertThat(tables.weak().hasRoom()).isTrue();
      tables.weak().setWeakness(table, Weakness.BOTH);
      for (int i = 0; i < 100; i++) {
        put(tables, r, table, Values.ofInt(i), i % 3 == 0 ? value : Values.ofInt(i));
        tables.weak().stored(table, Values.ofInt(i), value);
      }
      put(tables, r, table, key, Values.TRUE);
      while (r.raw.takePages(1) != 0) {}
      while (r.allocator.alloc(8) != 0) {}
      tables.weak().lost(value, true);
      tables.weak().lost(key, true);
      assertThat(tables.place(table, key)).isZero();
      for (int i = 0; i < 100; i++) {
        assertThat(tables.place(table, Values.ofInt(i)) == 0).isEqualTo(i % 3 == 0);
      }
    }
  }
}
