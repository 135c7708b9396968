package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Budget;
import dev.gleaner.space.SizeClassAllocator;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The table of interned strings. */
@Tag("D10")
class StringTableTest {

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static final StringHash HASH = new StringHash(1);

  private static int hash(byte[] b) {
    return HASH.of(b, 0, b.length);
  }

  private static long find(StringTable table, String text) {
    byte[] b = bytes(text);
    return table.find(b, 0, b.length, hash(b));
  }

  private static long make(Region r, String text) {
    byte[] b = bytes(text);
    long e = r.element(Layout.STRING, 1 + (b.length + 7) / 8);
    r.memory.put(e + Layout.STRING_WORD, (long) hash(b) << 32 | b.length);
    r.memory.write(e + Layout.STRING_BYTES, b, 0, b.length);
    return e;
  }

  /** Adds a string, in one of the two ways. */
  private static long add(Region r, StringTable table, String text) {
    assertThat(table.makeRoom()).isTrue();
    long e = make(r, text);
    int hash = hash(bytes(text));
    if ((hash & 1) == 0) {
      assertThat(find(table, text)).isZero();
      table.insertMissed(e, hash);
    } else {
      table.insert(e, hash);
    }
    return e;
  }

  @Test
  void findsWhatWasInserted() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      assertThat(find(table, "a")).isZero();
      long a = add(r, table, "a");
      long empty = add(r, table, "");
      long eight = add(r, table, "12345678");
      long nine = add(r, table, "123456789");
      assertThat(find(table, "a")).isEqualTo(a);
      assertThat(find(table, "")).isEqualTo(empty);
      assertThat(find(table, "12345678")).isEqualTo(eight);
      assertThat(find(table, "123456789")).isEqualTo(nine);
      assertThat(find(table, "1234567")).isZero();
      assertThat(find(table, "a\0")).as("zero padding is no text").isZero();
      assertThat(table.size()).isEqualTo(4);
    }
  }

  @Test
  void oneStringMovesWithoutTheOthers() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      long[] strings = new long[200];
      for (int i = 0; i < 200; i++) {
        strings[i] = add(r, table, "text " + i);
      }
      for (int i = 0; i < 200; i += 3) {
        long to = make(r, "text " + i);
        table.relocate(strings[i], to);
        strings[i] = to;
      }
      for (int i = 0; i < 200; i++) {
        assertThat(find(table, "text " + i)).isEqualTo(strings[i]);
      }
      assertThat(table.size()).isEqualTo(200);
      assertThatThrownBy(() -> table.relocate(make(r, "another"), 8))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void findsStringsWhereTheyMovedTo() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      for (int i = 0; i < 40; i++) {
        add(r, table, "s" + i);
      }
      table.remove(find(table, "s7"));
      Map<Long, Long> moved = new HashMap<>();
      table.forEach(e -> {
        long bytes = (Layout.payloadWords(r.memory, e, r.memory.get(e)) + 1) << 3;
        long copy = r.allocator.alloc(bytes);
        r.memory.copy(e, copy, bytes);
        moved.put(e, copy);
      });
      table.relocate(moved::get);
      moved.keySet().forEach(old -> r.memory.zero(old, 16));
      assertThat(table.size()).isEqualTo(39);
      assertThat(find(table, "s7")).isZero();
      for (int i = 0; i < 40; i++) {
        if (i != 7) {
          assertThat(moved).containsValue(find(table, "s" + i));
        }
      }
    }
  }

  @Test
  void stringsOfOneHashAreToldApartByTheirBytes() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      String[] texts = {
        "",
        "a",
        "a\0",
        "b",
        "12345678",
        "1234567_",
        "12345678a",
        "_2345678a",
        "12345678b",
        "12345678abcdefgh",
        "12345678abcdefg_",
        "_2345678abcdefgh",
        "12345678abcdefghi",
      };
      Map<String, Long> made = new HashMap<>();
      for (String text : texts) {
        byte[] b = bytes(text);
        assertThat(table.find(b, 0, b.length, 7)).as(text).isZero();
        assertThat(table.makeRoom()).isTrue();
        made.put(text, make(r, text));
        table.insert(made.get(text), 7);
      }
      for (String text : texts) {
        byte[] b = bytes("__" + text + "__");
        assertThat(table.find(b, 2, b.length - 4, 7)).as(text).isEqualTo(made.get(text));
      }
    }
  }

  @Test
  void growsAtThreeEighths() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      for (int i = 0; i < 6; i++) {
        add(r, table, "s" + i);
      }
      assertThat(table.bytes()).isEqualTo(16 * 8);
      assertThat(table.isFull()).isTrue();
      add(r, table, "s6");
      assertThat(table.bytes()).isEqualTo(32 * 8);
      assertThat(r.budget.used()).isEqualTo(7 * 24 + table.bytes());
      for (int i = 0; i < 7; i++) {
        assertThat(find(table, "s" + i)).isNotZero();
      }
    }
  }

  @Test
  void aResizeWithoutMemoryIsToleratedWhileAnEntryIsEmpty() {
    try (Region r = new Region(1 << 20)) {
      Region.Failing functions = new Region.Failing(r.allocator);
      StringTable table = new StringTable(r.memory, functions, 16);
      for (int i = 0; i < 6; i++) {
        add(r, table, "s" + i);
      }
      functions.refuse = true;
      for (int i = 6; i < 15; i++) {
        add(r, table, "s" + i);
      }
      assertThat(functions.refused).isEqualTo(9);
      assertThat(table.makeRoom()).as("one entry must stay empty").isFalse();
      assertThat(find(table, "none")).isZero();
      functions.refuse = false;
      add(r, table, "s15");
      for (int i = 0; i < 16; i++) {
        assertThat(find(table, "s" + i)).isNotZero();
      }
    }
  }

  @Test
  void deletedEntriesAreUsedAgain() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      for (int i = 0; i < 10_000; i++) {
        long e = add(r, table, "s" + i);
        table.remove(e);
        r.allocator.free(e);
      }
      assertThat(table.size()).isZero();
      assertThat(table.bytes()).isEqualTo(16 * 8);
      assertThat(find(table, "s9999")).isZero();
    }
  }

  @Test
  void removingWhatIsNotThereIsAnError() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      add(r, table, "a");
      long other = make(r, "b");
      assertThatThrownBy(() -> table.remove(other)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void sweepingDropsTheDeadAndTidyShrinks() {
    try (Region r = new Region(4 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      Set<Long> kept = new HashSet<>();
      for (int i = 0; i < 1000; i++) {
        long e = add(r, table, "s" + i);
        if (i % 100 == 0) {
          kept.add(e);
        }
      }
      assertThat(table.bytes()).isEqualTo(4096 * 8);
      table.sweep(kept::contains);
      assertThat(table.size()).isEqualTo(10);
      assertThat(table.bytes()).as("shrinks in tidy only").isEqualTo(4096 * 8);
      table.tidy();
      assertThat(table.bytes()).isEqualTo(128 * 8);
      for (int i = 0; i < 1000; i++) {
        assertThat(find(table, "s" + i) != 0).isEqualTo(i % 100 == 0);
      }
    }
  }

  /** Fills a table of 64 entries and sweeps the first strings: so many entries are deleted ones. */
  private static void fillAndRemove(Region r, StringTable table, int removed) {
    long[] strings = new long[24];
    for (int i = 0; i < 24; i++) {
      strings[i] = add(r, table, "s" + i);
    }
    Set<Long> dead = new HashSet<>();
    for (int i = 0; i < removed; i++) {
      dead.add(strings[i]);
    }
    table.sweep(s -> !dead.contains(s));
    assertThat(table.bytes()).isEqualTo(64 * 8);
    assertThat(table.isFull()).isTrue();
  }

  @Test
  void removingOneByOneLeavesNoDeletedEntries() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 64);
      long[] ring = new long[16];
      for (int i = 0; i < 16; i++) {
        ring[i] = add(r, table, "s" + i);
      }
      for (int i = 16; i < 10_000; i++) {
        table.remove(ring[i % 16]);
        assertThat(find(table, "s" + (i - 16))).isZero();
        ring[i % 16] = add(r, table, "s" + i);
        for (int j = i - 15; j <= i; j++) {
          assertThat(find(table, "s" + j)).isEqualTo(ring[j % 16]);
        }
      }
      for (long string : ring) {
        table.remove(string);
      }
      assertThat(table.size()).isZero();
      assertThat(table.bytes()).isEqualTo(64 * 8);
    }
  }

  @Test
  void tidyClearsDeletedEntriesWhenTheyAreMoreThanAnEighth() {
    try (Region r = new Region(1 << 20)) {
      StringTable few = new StringTable(r.memory, r.allocator, 16);
      fillAndRemove(r, few, 8);
      few.tidy();
      assertThat(few.isFull()).as("not worth a rehash").isTrue();
      StringTable many = new StringTable(r.memory, r.allocator, 16);
      fillAndRemove(r, many, 9);
      many.tidy();
      assertThat(many.isFull()).isFalse();
      assertThat(many.bytes()).isEqualTo(64 * 8);
      assertThat(many.size()).isEqualTo(15);
    }
  }

  @Test
  void tidyShrinksATableOfFewDeletedEntriesToo() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      fillAndRemove(r, table, 14);
      add(r, table, "more"); // in a table of the same size without deleted entries
      assertThat(table.bytes()).isEqualTo(64 * 8);
      table.sweep(s -> table.size() <= 3);
      table.tidy();
      assertThat(table.bytes()).isEqualTo(32 * 8);
      assertThat(table.size()).isEqualTo(3);
    }
  }

  @Test
  void tidyLeavesASixteenthFullAndTheInitialSize() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      fillAndRemove(r, table, 20);
      table.tidy();
      assertThat(table.bytes()).as("4 of 64").isEqualTo(64 * 8);
      table.sweep(s -> false);
      table.tidy();
      assertThat(table.bytes()).as("none").isEqualTo(16 * 8);
    }
  }

  @Test
  void aClosedTableIsFreedAndEmpty() {
    try (Region r = new Region(1 << 20)) {
      StringTable table = new StringTable(r.memory, r.allocator, 16);
      long e = add(r, table, "a");
      table.close();
      r.allocator.free(e);
      assertThat(r.budget.used()).isZero();
      assertThat(table.bytes()).isZero();
      assertThat(find(table, "a")).isZero();
    }
  }

  @Test
  void tidyWithoutMemoryLeavesTheTable() {
    try (Region r = new Region(4 << 20)) {
      Region.Failing functions = new Region.Failing(r.allocator);
      StringTable table = new StringTable(r.memory, functions, 16);
      long keep = 0;
      for (int i = 0; i < 500; i++) {
        keep = add(r, table, "s" + i);
      }
      long last = keep;
      table.sweep(s -> s == last);
      functions.refuse = true;
      table.tidy();
      assertThat(table.bytes()).isEqualTo(2048 * 8);
      assertThat(find(table, "s499")).isEqualTo(last);
    }
  }

  /** Offsets up to those of a heap of the greatest legal size, twice 1 TiB of address space. */
  @Test
  void stringsMayLieAnywhereInTheLargestHeap() {
    assumeTrue(Memory.canReserve());
    try (Memory memory = Memory.open((2L << 40) + (8L << 20), 0, true)) {
      assumeTrue(memory.size() > 2L << 40);
      Budget budget = new Budget(1L << 40);
      SizeClassAllocator allocator = new SizeClassAllocator(memory, 1 << 20, budget);
      StringTable table = new StringTable(memory, allocator, 16);
      for (long at = 1L << 30; at <= 2L << 40; at <<= 1) {
        byte[] b = bytes("at" + Long.numberOfTrailingZeros(at));
        long e = at + 8;
        memory.put(e, Layout.header(Layout.STRING, 2));
        memory.put(e + Layout.STRING_WORD, (long) hash(b) << 32 | b.length);
        memory.write(e + Layout.STRING_BYTES, b, 0, b.length);
        assertThat(table.makeRoom()).isTrue();
        table.insert(e, hash(b));
        assertThat(table.find(b, 0, b.length, hash(b))).isEqualTo(e);
        long twin = at + 64;
        memory.put(twin, Layout.header(Layout.STRING, 2));
        memory.put(twin + Layout.STRING_WORD, (long) hash(b) << 32 | 1);
        assertThat(table.makeRoom()).isTrue();
        table.insert(twin, hash(b));
        assertThat(table.find(b, 0, b.length, hash(b))).as("beside another").isEqualTo(e);
      }
    }
  }

  @Test
  void randomProgramsAgreeWithAMap() {
    Seeds.forEach(
        10,
        random -> {
          try (Region r = new Region(4 << 20)) {
            program(r, random);
          }
        });
  }

  private static void program(Region r, Random random) {
    Region.Failing functions = new Region.Failing(r.allocator);
    StringTable table = new StringTable(r.memory, functions, 16);
    Map<String, Long> model = new HashMap<>();
    for (int i = 0; i < 4000; i++) {
      String text = "k" + random.nextInt(1 + random.nextInt(600));
      functions.refuse = random.nextInt(10) == 0;
      int choice = random.nextInt(1000);
      if (choice < 650) {
        if (!model.containsKey(text) && table.makeRoom()) {
          long e = make(r, text);
          table.insert(e, hash(bytes(text)));
          model.put(text, e);
        }
      } else if (choice < 990) {
        Long e = model.remove(text);
        if (e != null) {
          table.remove(e);
        }
      } else {
        model.values().removeIf(e -> random.nextInt(3) > 0);
        Set<Long> live = new HashSet<>(model.values());
        table.sweep(live::contains);
        table.tidy();
      }
      assertThat(find(table, text)).isEqualTo(model.getOrDefault(text, 0L));
      assertThat(table.size()).isEqualTo(model.size());
    }
    Set<Long> walked = new HashSet<>();
    table.forEach(walked::add);
    assertThat(walked).isEqualTo(new HashSet<>(model.values()));
    for (var entry : model.entrySet()) {
      assertThat(find(table, entry.getKey())).isEqualTo(entry.getValue());
    }
  }
}
