package dev.gleaner.kit;

import com.typesafe.config.Config;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Weakness;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What tools are told of elements: who holds one, and its sort. */
record InspectionRules(Config config, List<ClassLoader> loaders) {
  private static final int TABLE = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int HOLDER = 3;
  private static final int SLOTS = 4;
  private static final Pattern RECORD = Pattern.compile("(record of 2 at (\\d+))\n");

  List<Rule> all() {
    return List.of(
        rule("follows references to an element", InspectionRules::references),
        rule("follows what a weak table holds", InspectionRules::weakTable),
        rule("follows a weak key to its value", InspectionRules::weakKey),
        rule("tells the sort that was set last", InspectionRules::sorts),
        rule("shows elements, frames and places, and changes nothing", InspectionRules::shows));
  }

  private Rule rule(String text, Function<Heap, @Nullable String> check) {
    return PluginRules.onHeap(
        "inspection",
        text,
        config,
        loaders,
        heap -> {
          heap.mutator().enter(SLOTS);
          return check.apply(heap);
        });
  }

  /** Lets a global hold what is in a slot, instead of the slot. */
  private static void hold(Heap heap, int s) {
    GlobalRef global = heap.newGlobal();
    heap.mutator().setGlobal(global, s);
    heap.mutator().setUndefined(s);
  }

  private static @Nullable String expectPath(Heap heap, int s, String... steps) {
    List<String> found = heap.inspect().pathToRoot(s);
    return found.equals(List.of(steps))
        ? null
        : "expected the path " + List.of(steps) + ", found " + found;
  }

  private static @Nullable String references(Heap heap) {
    Mutator t = heap.mutator();
    t.newRecord(TABLE, 3);
    t.newObject(KEY);
    t.store(TABLE, 2, KEY);
    t.newFunction(VALUE, 1, 0);
    t.putIndex(KEY, 7, VALUE);
    t.newRecord(KEY, 1);
    t.storeConstant(VALUE, 0, KEY);
    t.setUndefined(VALUE);
    hold(heap, TABLE);
    heap.collect();
    return expectPath(
        heap, KEY, "root: record of 3", "[2]: object", "[7]: function", "(0): record of 1");
  }

  private static @Nullable String weakTable(Heap heap) {
    Mutator t = heap.mutator();
    t.newWeakObject(TABLE, Weakness.KEYS);
    t.newString(KEY, "name");
    t.newRecord(VALUE, 2);
    t.putProperty(TABLE, KEY, VALUE);
    t.setUndefined(KEY);
    hold(heap, TABLE);
    heap.collect();
    String wrong = expectPath(heap, VALUE, "root: object", ".name: record of 2");
    t.newWeakObject(TABLE, Weakness.VALUES);
    t.newRecord(KEY, 1);
    t.putProperty(TABLE, KEY, VALUE);
    hold(heap, TABLE);
    return wrong == null ? expectPath(heap, KEY, "root: object", "key: record of 1") : wrong;
  }

  private static @Nullable String weakKey(Heap heap) {
    Mutator t = heap.mutator();
    makeEntry(t);
    hold(heap, TABLE);
    t.setUndefined(VALUE);
    String wrong = expectPath(heap, KEY); // a weak table does not hold it
    return wrong == null ? keyIsHeld(heap) : wrong;
  }

  private static void makeEntry(Mutator t) {
    t.newWeakObject(TABLE, Weakness.KEYS);
    t.newRecord(KEY, 1);
    t.newRecord(VALUE, 2);
    t.putProperty(TABLE, KEY, VALUE);
    t.newRecord(HOLDER, 3);
  }

  private static @Nullable String keyIsHeld(Heap heap) {
    Mutator t = heap.mutator();
    makeEntry(t);
    t.store(HOLDER, 0, KEY);
    t.setUndefined(KEY);
    hold(heap, TABLE);
    hold(heap, HOLDER);
    String byKey = "as a weak key, value: record of 2";
    String wrong = expectPath(heap, VALUE, "root: record of 3", "[0]: record of 1", byKey);
    makeEntry(t);
    t.store(HOLDER, 0, TABLE);
    t.setUndefined(TABLE);
    hold(heap, KEY);
    hold(heap, HOLDER);
    return wrong == null ? expectPath(heap, VALUE, "root: record of 1", byKey) : wrong;
  }

  private static @Nullable String shows(Heap heap) {
    Mutator t = heap.mutator();
    t.newRecord(TABLE, 2);
    t.newString(KEY, "name");
    t.store(TABLE, 1, KEY);
    for (int i = 0; i < 2; i++) {
      HeapStatistics before = heap.statistics();
      String text = heap.inspect().describe(TABLE);
      Matcher m = RECORD.matcher(text);
      if (!m.lookingAt() || !text.contains("slot 1: string \"name\" at ")) {
        return "expected a record of 2 that holds a string, found " + text;
      }
      String header = heap.inspect().whatIsAt(Long.parseLong(m.group(2)));
      if (!header.startsWith("the header of " + m.group(1))) {
        return "expected the header of a " + m.group(1) + ", found " + header;
      }
      String frames = heap.inspect().frames();
      if (!frames.contains("0: " + m.group(1))) {
        return "expected a frame with a " + m.group(1) + ", found " + frames;
      }
      if (heap.inspect().pageMap().isEmpty()) {
        return "expected a map of pages";
      }
      HeapStatistics after = heap.statistics();
      if (after.usedBytes() != before.usedBytes()
          || after.collections() != before.collections()
          || after.allocatedElements() != before.allocatedElements()
          || after.reclaimedElements() != before.reclaimedElements()) {
        return "expected the figures " + before + " after looking, found " + after;
      }
      heap.collect();
    }
    return null;
  }

  private static @Nullable String sorts(Heap heap) {
    Mutator t = heap.mutator();
    for (int i = 1; i <= Layout.MOST_SORTS; i++) {
      int sort = heap.sort("kit.sort" + i);
      t.newRecord(VALUE, 1);
      for (int before = 0; before <= sort; before++) {
        t.setSort(VALUE, before);
        heap.collect();
        if (t.sort(VALUE) != before || t.slotCount(VALUE) != 1) {
          return "expected a record of sort " + before + ", found sort " + t.sort(VALUE);
        }
      }
      t.setSort(VALUE, 0);
      if (t.sort(VALUE) != 0) {
        return "expected no sort, found " + t.sort(VALUE);
      }
    }
    return null;
  }
}
