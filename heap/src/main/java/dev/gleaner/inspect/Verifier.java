package dev.gleaner.inspect;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.OffsetSet;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.space.Budget;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Collector;
import dev.gleaner.table.Keys;
import dev.gleaner.table.NativeTable;
import dev.gleaner.table.PropertyTables;
import dev.gleaner.table.StringBytes;
import dev.gleaner.weak.FinalizerTable;
import dev.gleaner.weak.WeakObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Checks a heap as a whole. Every element must have a sound header. Every reference must lead to an
 * element. Every interned string must be in the table once. Tables and stacks must be consistent.
 * All figures must agree with counts. The verifier lists every violation, up to a bound.
 */
public final class Verifier {
  private static final int MOST = 100;
  private static final String NO_ELEMENT = ", which is no element";

  private final HeapParts context;
  private final Collector collector;
  private final Memory memory;
  private final List<String> violations = new ArrayList<>();
  private final OffsetSet elements = new OffsetSet();
  private final OffsetSet blocks = new OffsetSet();
  private final OffsetSet natives = new OffsetSet();
  private final Places places;
  private final long[] counts = new long[Layout.KINDS];
  private long uninterned;

  /** Natives that have a Java object. */
  private long holders;

  public Verifier(HeapParts context, Collector collector) {
    this.context = context;
    this.collector = collector;
    this.memory = context.memory();
    this.places = new Places(memory, this::isString);
  }

  /** Runs all checks; returns the violations. */
  public List<String> run() {
    collector.forEachElement(this::addElement);
    if (violations.isEmpty()) {
      collector.forEachElement(this::checkElement);
      checkRoots();
      checkWeakTables();
      checkStrings();
      checkFigures();
      if (collector.counts() != null) {
        checkCounts(collector.counts());
      }
    }
    String own = collector.verify();
    if (own != null) {
      report(own);
    }
    return violations;
  }

  private void report(String text) {
    if (violations.size() < MOST) {
      violations.add(text);
    }
  }

  private void addElement(long e) {
    long header = memory.get(e);
    int kind = Layout.kind(header);
    if (kind == Layout.FREE || kind >= Layout.KINDS) {
      report("element " + e + " has kind " + kind);
      return;
    }
    if (!elements.add(e)) {
      report("element " + e + " is enumerated twice");
    }
    counts[kind]++;
    if (kind == Layout.STRING && !StringBytes.isInterned(memory, e)) {
      uninterned++;
    }
  }

  private boolean isElement(long value) {
    return elements.contains(value);
  }

  private void checkElement(long e) {
    int kind = Layout.kind(memory.get(e));
    Scanner.forEachPlace(
        memory,
        e,
        place -> {
          long v = memory.get(place);
          if (Values.isReference(v) && !isElement(v)) {
            report(name(e) + ", " + places.name(e, place) + ": refers to " + v + NO_ELEMENT);
          }
        });
    OwnBlocks.forEach(context, e, (_, block, bytes) -> checkBlock(e, block, bytes));
    switch (kind) {
      case Layout.OBJECT -> checkTable(e);
      case Layout.THREAD -> checkThread(e);
      case Layout.NATIVE -> checkNative(e);
      default -> {}
    }
  }

  private void checkTable(long e) {
    long table = context.tables().table(e);
    if (table == 0) {
      return;
    }
    int used = TableLayout.low(memory.get(table + TableLayout.ENTRIES));
    int capacity = TableLayout.high(memory.get(table + TableLayout.ENTRIES));
    int live = 0;
    int kept = 0;
    int sparse = 0;
    int longest = 0;
    long number = -1;
    for (int i = 0; i < Math.min(used, capacity); i++) {
      long at = TableLayout.entryAt(table, i);
      long key = memory.get(at);
      if (TableLayout.isDeleted(key)) {
        kept += checkDeleted(e, table, i, used);
      } else {
        live++;
        if (Values.isInt(key) && Values.toInt(key) >= 0 && key != Values.ofInt(Integer.MAX_VALUE)) {
          sparse++;
          longest = Math.max(longest, Values.toInt(key) + 1);
        }
        if (!isKey(key)) {
          report(name(e) + " has a key that cannot be one: " + key);
        } else if (isString(key) && !StringBytes.isInterned(memory, key)) {
          report(name(e) + " has a key that is not interned");
        } else if (context.tables().place(e, toFind(key)) != at + TableLayout.VALUE) {
          report(name(e) + " does not find a key of its own");
        }
      }
      if (context.tables().number(e, i) <= number) {
        report(name(e) + " has entries whose numbers do not go up");
      }
      number = context.tables().number(e, i);
    }
    int elements = checkElements(e, sparse, longest);
    if (used > capacity || live + elements != context.tables().count(e)) {
      report(
          name(e)
              + " counts "
              + context.tables().count(e)
              + " properties, has "
              + (live + elements));
    }
    if (kept != context.tables().keptKeys(e)) {
      report(name(e) + " keeps " + kept + " keys of deleted properties that no walk is on");
    }
  }

  private long toFind(long key) {
    return isString(key) ? key : context.tables().keys().toFind(key);
  }

  /** Counts the values in the array, and compares the count with the index part. */
  private int checkElements(long e, int sparse, int longestSparse) {
    PropertyTables tables = context.tables();
    int found = 0;
    int longest = longestSparse;
    for (int i = 0; i < tables.arrayCapacity(e); i++) {
      long v = memory.get(tables.arrayPlace(e, i));
      if (v != TableLayout.HOLE) {
        found++;
        longest = i + 1;
      }
    }
    if (sparse != tables.sparse(e)) {
      report(name(e) + " counts " + tables.sparse(e) + " indexes among entries, has " + sparse);
    }
    if (Math.max(longest, longestSparse) > tables.arrayLength(e)) {
      report(name(e) + " is of length " + tables.arrayLength(e) + ", has " + (longest - 1));
    }
    return found;
  }

  /**
   * Checks that a deleted entry begins as many gaps as it says. Returns 1 if the entry keeps its
   * key, or null in place of a dead key of a weak table.
   */
  private int checkDeleted(long e, long table, int entry, int used) {
    long at = TableLayout.entryAt(table, entry);
    int gaps = TableLayout.low(memory.get(at));
    for (int i = entry; i < entry + gaps; i++) {
      if (i >= used || !TableLayout.isDeleted(memory.get(TableLayout.entryAt(table, i)))) {
        report(name(e) + " has " + gaps + " deleted entries from " + entry + " on, not " + i);
        break;
      }
    }
    long key = memory.get(at + TableLayout.VALUE);
    if (gaps == 0 || (key != Values.UNDEFINED && !isKey(key) && key != Values.NULL)) {
      report(name(e) + " has a deleted entry of " + gaps + " that keeps " + key);
    }
    return key == Values.UNDEFINED ? 0 : 1;
  }

  private boolean isKey(long value) {
    return Keys.isKey(value) && (!Values.isReference(value) || isElement(value));
  }

  private boolean isString(long value) {
    return Values.isReference(value)
        && isElement(value)
        && Layout.kind(memory.get(value)) == Layout.STRING;
  }

  /** Checks that only this element owns a block, and that the block is not freed. */
  private void checkBlock(long e, long block, long bytes) {
    if (block == 0 ? bytes != 0 : !context.raw().allocator().holds(block, bytes)) {
      report(name(e) + " has " + bytes + " bytes at " + block + ", which is no block");
    } else if (block != 0 && !blocks.add(block)) {
      report(name(e) + " has a block at " + block + ", which another one has");
    }
  }

  private void checkNative(long e) {
    int n = (int) memory.get(e + Layout.NATIVE_INDEX);
    if (n != NativeTable.NONE) { // in a closing heap natives outlive their objects
      holders++;
      if (!natives.add((long) n << 3)) {
        report(name(e) + " has the Java object of another one: " + n);
      }
    }
  }

  private void checkThread(long e) {
    long base = Values.raw(memory.get(e + ThreadLayout.BASE));
    long size = Values.raw(memory.get(e + ThreadLayout.SIZE));
    long top = Values.raw(memory.get(e + ThreadLayout.TOP));
    long capacity = Values.raw(memory.get(e + ThreadLayout.CAPACITY));
    long start = ThreadLayout.stackStart(memory, e);
    if (!Frames.areWhole(
        memory, start, start + (base << 3), size, start + (top << 3), start + (capacity << 3))) {
      report(name(e) + ": base " + base + ", size " + size + ", top " + top + " of " + capacity);
    }
  }

  private void checkRoots() {
    int[] visited = {0};
    context
        .roots()
        .forEachRoot(v -> {
          int number = visited[0]++;
          if (Values.isReference(v) && !isElement(v)) {
            report("root, " + context.roots().name(number) + ": refers to " + v + NO_ELEMENT);
          }
          return v;
        });
    FinalizerTable finalizers = context.finalizers();
    int heirs = 0;
    for (int i = 0; i < finalizers.bound(); i++) {
      long e = finalizers.element(i);
      heirs += e != 0 && finalizers.isHeir(i) ? 1 : 0;
      if (e != 0 && !isElement(e)) {
        report("finalizer " + name(finalizers, i) + " is set on " + e + NO_ELEMENT);
      } else if (e != 0 && finalizers.find(e) != i) {
        report("finalizer " + name(finalizers, i) + " is not found by its element " + e);
      } else if (e != 0 && finalizers.source(i, memory) < 0) {
        report("object " + e + " inherits a finalizer, but no prototype lends one");
      }
    }
    if (finalizers.heirs() != heirs) {
      report(finalizers.heirs() + " heirs of finalizers are charged, there are " + heirs);
    }
    context
        .identities()
        .forEach(e -> {
          if (!isElement(e)) {
            report("an identity hash belongs to " + e + NO_ELEMENT);
          }
        });
    context
        .weak()
        .forEach(e -> {
          if (!isElement(e)) {
            report("a weak reference leads to " + e + NO_ELEMENT);
          }
        });
  }

  private static String name(FinalizerTable finalizers, int entry) {
    return finalizers.isHeir(entry) ? "of a prototype" : finalizers.label(entry);
  }

  private void forEachWeakTable(BiConsumer<WeakObjects, Long> visitor) {
    WeakObjects weak = context.tables().weak();
    for (int n = weak.next(0); n < weak.bound(); n = weak.next(n + 1)) {
      visitor.accept(weak, weak.object(n));
    }
  }

  /** Checks that every weak table is registered by its number, and refers only to elements. */
  private void checkWeakTables() {
    OffsetSet known = new OffsetSet();
    forEachWeakTable((weak, table) -> {
      if (!isElement(table) || !Layout.isWeak(memory.get(table))) {
        report("the list of weak tables has " + table + ", which is none");
      } else {
        boolean _ = known.add(table);
        weak.forEachPlace(
            table,
            place -> {
              long v = memory.get(place);
              if (Values.isReference(v) && !isElement(v)) {
                report("weak " + name(table) + " refers to " + v + ", which is no element");
              }
            });
      }
    });
    collector.forEachElement(e -> {
      if (Layout.isWeak(memory.get(e)) && !known.contains(e)) {
        report("weak " + name(e) + " is not known as one");
      }
    });
  }

  private void checkStrings() {
    long[] found = new long[1];
    OffsetSet seen = new OffsetSet();
    context
        .strings()
        .forEach(e -> {
          found[0]++;
          if (!isElement(e) || Layout.kind(memory.get(e)) != Layout.STRING) {
            report("the string table has " + e + ", which is no string");
          } else if (!seen.add(e)) {
            report("the string table has " + e + " twice");
          } else if (!StringBytes.isInterned(memory, e)) {
            report("the string table has " + e + ", which says that it is not interned");
          }
        });
    context
        .stringCache()
        .forEach(e -> {
          if (!isString(e)) {
            report("the string access cache has " + e + ", which is no string");
          }
        });
    if (found[0] != counts[Layout.STRING] - uninterned || found[0] != context.strings().size()) {
      report(
          counts[Layout.STRING]
              + " strings, "
              + found[0]
              + " in the table, which counts "
              + context.strings().size()
              + "; "
              + uninterned
              + " are not interned");
    }
  }

  private void checkFigures() {
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      if (counts[kind] != collector.elements(kind)) {
        report(
            Layout.kindOf(kind)
                + ": "
                + counts[kind]
                + " elements, the collector counts "
                + collector.elements(kind));
      }
    }
    if (holders != context.natives().size()) {
      report(holders + " natives, " + context.natives().size() + " Java objects");
    }
    Budget budget = context.budget();
    if (budget.used() > budget.max() || budget.used() < 0) {
      report("used " + budget.used() + " of " + budget.max());
    }
  }

  /**
   * Checks that every count follows the rule of {@link ReferenceCounts}: it is the number of words
   * and roots that hold the element.
   */
  private void checkCounts(ReferenceCounts counts) {
    OffsetCounts references = new OffsetCounts();
    collector.forEachElement(
        e -> Scanner.forEachPlace(memory, e, place -> addReference(references, memory.get(place))));
    forEachWeakTable((weak, table) ->
        weak.forEachHeld(table, (_, place) -> addReference(references, memory.get(place))));
    context
        .roots()
        .forEachRoot(v -> {
          addReference(references, v);
          return v;
        });
    OffsetSet zeros = new OffsetSet();
    counts.forEachZero(zeros::add);
    counts.forEachHeld(e -> {
      zeros.remove(e);
      addReference(references, e);
    });
    collector.forEachElement(e -> {
      int n = references.get(e);
      boolean waits = zeros.contains(e);
      boolean mayBeLeft = n == 0 && counts.hasLeft();
      if (!counts.isUncounted(e) && (n != counts.count(e) || (waits != (n == 0) && !mayBeLeft))) {
        report(name(e) + " is held by " + n + " references, its count is " + counts.count(e));
      }
    });
  }

  private void addReference(OffsetCounts references, long value) {
    if (Values.isReference(value) && isElement(value)) {
      int _ = references.add(value, 1);
    }
  }

  private String name(long e) {
    return Layout.kindOf(Layout.kind(memory.get(e))) + " " + e;
  }
}
