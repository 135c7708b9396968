package dev.gleaner.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.AllocationFunctions;
import dev.gleaner.spi.Layout;
import dev.gleaner.spi.Scanner;
import dev.gleaner.spi.TableLayout;
import dev.gleaner.spi.Values;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property tables: entries in order of insertion, a hash part, an array part with holes. */
@Tag("D8")
class PropertyTablesTest {

  private static void put(PropertyTables tables, Region r, long object, long key, long value) {
    long place = tables.placeForPut(object, key);
    if (place == 0) {
      assertThat(tables.makeRoom(object, 0)).isTrue();
      place = tables.placeForPut(object, key);
    }
    r.memory.put(Math.abs(place), value);
  }

  private static void delete(PropertyTables tables, long object, long key) {
    tables.delete(object, tables.place(object, key));
  }

  private static long get(PropertyTables tables, Region r, long object, long key) {
    long place = tables.place(object, key);
    return place == 0 ? Values.UNDEFINED : r.memory.get(place);
  }

  private static List<Long> keys(PropertyTables tables, long object) {
    List<Long> keys = new ArrayList<>();
    for (int e = tables.next(object, 0); e >= 0; e = tables.next(object, e + 1)) {
      keys.add(tables.key(object, e));
    }
    return keys;
  }

  @Test
  void anEmptyObjectHasNoTable() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      long o = r.object();
      long used = r.budget.used();
      long key = r.string(1, 1);
      assertThat(tables.place(o, key)).isZero();
      assertThat(tables.placeForPut(o, key)).isZero();
      assertThat(tables.count(o)).isZero();
      assertThat(tables.arrayLength(o)).isZero();
      assertThat(tables.next(o, 0)).isNegative();
      assertThat(tables.extendArray(o, 1)).isFalse();
      tables.compact(o);
      r.allocator.free(key);
      assertThat(r.budget.used()).isEqualTo(used);
    }
  }

  @Test
  void keysAreComparedByIdentityAndKeepTheirOrder() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
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
      delete(tables, o, keys.get(3));
      put(tables, r, o, keys.remove(3), Values.NULL);
      keys.add(keys(tables, o).getLast());
      assertThat(keys(tables, o)).isEqualTo(keys);
    }
  }

  @Test
  void aStringThatIsAValueIsNotTakenForAKey() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
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
  @ValueSource(ints = {1, 30})
  void aDeletedPropertyHoldsNothing(int properties) {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      long o = r.object();
      long value = r.element(Layout.RECORD, 1);
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < properties; i++) {
        keys.add(r.string(i % 3, i));
        put(tables, r, o, keys.get(i), value);
      }
      keys.forEach(key -> delete(tables, o, key));
      Scanner.forEachPlace(
          r.memory, o, place -> assertThat(Values.isReference(r.memory.get(place))).isFalse());
      keys.forEach(key -> assertThat(tables.place(o, key)).isZero());
    }
  }

  @Test
  void anArrayPartMayFillItsTable() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        keys.add(r.string(i, i));
        put(tables, r, o, keys.get(i), Values.ofInt(i));
      }
      assertThat(tables.makeRoom(o, 10)).isTrue();
      int length = 0;
      while (tables.extendArray(o, length + 1)) {
        length++;
      }
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
      PropertyTables tables = new PropertyTables(r.memory, counting);
      long o = r.object();
      for (int i = 0; i < 2000; i++) {
        put(tables, r, o, r.string(i, i), Values.TRUE);
        if (!tables.extendArray(o, i + 1)) {
          assertThat(tables.makeRoom(o, i + 1)).isTrue();
          assertThat(tables.extendArray(o, i + 1)).isTrue();
        }
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
      PropertyTables tables = new PropertyTables(r.memory, functions);
      long o = r.object();
      long key = r.string(1, 1);
      functions.most = TableLayout.FIRST + 2 * 8; // one entry
      put(tables, r, o, key, Values.TRUE);
      assertThat(tables.makeRoom(o, 0)).isFalse();
      assertThat(tables.refusedBytes()).isEqualTo(TableLayout.FIRST + 4 * 8);
      functions.most = functions.last; // two entries
      long second = r.string(2, 2);
      put(tables, r, o, second, Values.FALSE);
      functions.most = TableLayout.FIRST + (4 + 10) * 8; // and ten elements
      assertThat(tables.makeRoom(o, 11)).isFalse();
      assertThat(tables.refusedBytes()).isEqualTo(functions.most + 8);
      assertThat(tables.makeRoom(o, 10)).isTrue();
      assertThat(tables.extendArray(o, 10)).isTrue();
      assertThat(tables.extendArray(o, 11)).isFalse();
      assertThat(get(tables, r, o, key)).isEqualTo(Values.TRUE);
      assertThat(get(tables, r, o, second)).isEqualTo(Values.FALSE);
    }
  }

  @Test
  void anArrayBeyondTheLayoutTellsTheBytesOfItsElements() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      assertThat(tables.makeRoom(r.object(), 1 << 25)).isFalse();
      assertThat(tables.refusedBytes()).isEqualTo(8L << 25);
    }
  }

  @Test
  void putAndDeleteOfOneKeyForeverNeedsBoundedSpace() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      long o = r.object();
      for (int i = 0; i < 20; i++) {
        put(tables, r, o, r.string(i, i), Values.TRUE);
      }
      long key = r.string(99, 99);
      long most = 0;
      for (int i = 0; i < 5000; i++) {
        put(tables, r, o, key, Values.ofInt(i));
        delete(tables, o, key);
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
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        keys.add(r.string(i, i));
        put(tables, r, o, keys.get(i), Values.ofInt(i));
      }
      assertThat(tables.makeRoom(o, 50)).isTrue();
      assertThat(tables.extendArray(o, 50)).isTrue();
      long before = r.budget.used();
      for (int i = 2; i < 100; i++) {
        delete(tables, o, keys.get(i));
      }
      tables.compact(o);
      assertThat(r.budget.used()).isLessThan(before - 1500);
      assertThat(keys(tables, o)).containsExactly(keys.get(0), keys.get(1));
      assertThat(get(tables, r, o, keys.get(1))).isEqualTo(Values.ofInt(1));
      assertThat(tables.arrayLength(o)).isEqualTo(50);
      long compacted = r.budget.used();
      tables.compact(o);
      assertThat(r.budget.used()).as("nothing more to win").isEqualTo(compacted);
    }
  }

  @Test
  @Tag("D18")
  void compactionLooksAtEntriesAndAtTheArrayPart() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      long o = r.object();
      put(tables, r, o, r.string(1, 1), Values.TRUE);
      long before = r.budget.used();
      tables.compact(o);
      assertThat(r.budget.used()).as("room for entries").isLessThan(before);
      assertThat(tables.makeRoom(o, 50)).isTrue();
      assertThat(tables.extendArray(o, 1)).isTrue();
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
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      long o = r.object();
      long key = r.string(1, 1);
      long empty = r.budget.used();
      put(tables, r, o, key, Values.TRUE);
      assertThat(r.budget.used()).isGreaterThan(empty);
      delete(tables, o, key);
      tables.compact(o);
      assertThat(r.budget.used()).isEqualTo(empty);
      put(tables, r, o, key, Values.FALSE);
      assertThat(get(tables, r, o, key)).isEqualTo(Values.FALSE);
    }
  }

  @Test
  @Tag("D18")
  void compactionPassesOverTheObjectBeingResizedAlone() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      long resizing = r.object();
      long other = r.object();
      long key = r.string(1, 1);
      for (long o : new long[] {resizing, other}) {
        assertThat(tables.makeRoom(o, 100)).isTrue();
        put(tables, r, o, key, Values.TRUE);
      }
      long before = r.budget.used();
      tables.setResizing(resizing);
      assertThat(tables.resizing()).isEqualTo(resizing);
      tables.compact(resizing);
      assertThat(r.budget.used()).isEqualTo(before);
      tables.compact(other);
      assertThat(r.budget.used()).isLessThan(before);
      tables.setResizing(0);
      before = r.budget.used();
      tables.compact(resizing);
      assertThat(r.budget.used()).isLessThan(before);
    }
  }

  @Test
  @Tag("D18")
  void theObjectBeingResizedIsPassedOverAlsoWhenItMoved() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      tables.relocate(e -> {
        throw new AssertionError("none is being resized");
      });
      long object = r.object();
      long moved = r.object();
      tables.setResizing(object);
      tables.relocate(e -> e == object ? moved : e);
      assertThat(tables.resizing()).isEqualTo(moved);
    }
  }

  @Test
  void aRefusedResizeLeavesTheTable() {
    try (Region r = new Region(1 << 20)) {
      Region.Failing functions = new Region.Failing(r.allocator);
      PropertyTables tables = new PropertyTables(r.memory, functions);
      long o = r.object();
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        keys.add(r.string(i % 3, i));
        put(tables, r, o, keys.get(i), Values.ofInt(i));
      }
      functions.refuse = true;
      assertThat(tables.makeRoom(o, 0)).isFalse();
      assertThat(tables.makeRoom(o, 1000)).isFalse();
      delete(tables, o, keys.get(0));
      tables.compact(o);
      assertThat(keys(tables, o)).isEqualTo(keys.subList(1, 30));
      assertThat(get(tables, r, o, keys.get(29))).isEqualTo(Values.ofInt(29));
    }
  }

  @Test
  void anArrayBeyondTheLayoutIsRefused() {
    try (Region r = new Region(1 << 20)) {
      PropertyTables tables = new PropertyTables(r.memory, r.allocator);
      assertThat(tables.makeRoom(r.object(), TableLayout.FIELD_MASK + 1)).isFalse();
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
    private final List<Long> array = new ArrayList<>();

    Model(Region r, Random random) {
      this.r = r;
      this.random = random;
      functions = new Region.Failing(r.allocator);
      tables = new PropertyTables(r.memory, functions);
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
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3, 4 -> putProperty(key, value);
          case 5, 6, 7 -> {
            if (properties.remove(key) != null) {
              delete(tables, object, key);
            }
          }
          case 8, 9 -> putIndex(random.nextInt(array.size() + 3), value);
          case 10 -> tables.compact(object);
          default -> {
            boolean _ = tables.makeRoom(object, random.nextInt(40));
          }
        }
        check(key);
      }
      assertThat(keys(tables, object)).containsExactlyElementsOf(properties.keySet());
      properties.forEach((k, v) -> assertThat(get(tables, r, object, k)).isEqualTo(v));
    }

    private void putProperty(long key, long value) {
      boolean isThere = properties.containsKey(key);
      assertThat(tables.place(object, key) != 0).isEqualTo(isThere);
      long place = tables.placeForPut(object, key);
      if (place == 0 && tables.makeRoom(object, 0)) {
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

    private void putIndex(int index, long value) {
      if (index >= array.size() && !tables.extendArray(object, index + 1)) {
        if (!tables.makeRoom(object, index + 1)) {
          assertThat(functions.refuse).isTrue();
          return;
        }
        assertThat(tables.extendArray(object, index + 1)).isTrue();
      }
      while (array.size() <= index) {
        array.add(TableLayout.HOLE);
      }
      r.memory.put(tables.arrayPlace(object, index), value);
      array.set(index, value);
    }

    private void check(long key) {
      assertThat(get(tables, r, object, key))
          .isEqualTo(properties.getOrDefault(key, Values.UNDEFINED));
      assertThat(tables.count(object)).isEqualTo(properties.size());
      assertThat(tables.arrayLength(object)).isEqualTo(array.size());
      for (int i = 0; i < array.size(); i++) {
        assertThat(r.memory.get(tables.arrayPlace(object, i))).isEqualTo(array.get(i));
      }
    }
  }
}
