package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** What can go wrong with weak tables, in the heap and in what collectors share. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class WeakBugs {
  private static final String API = "api/src/main/java/dev/gleaner/";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private WeakBugs() {}

  static List<PlantedBug> all() {
    WeakBugs list = new WeakBugs();
    list.tracing();
    list.entries();
    list.stores();
    list.changes();
    list.paths();
    return list.bugs;
  }

  private void add(
      String collector, String name, String text, String part, String original, String planted) {
    bugs.add(new PlantedBug(name, text, collector, API + part + ".java", original, planted));
  }

  private void tracing() {
    add(
        "marksweep",
        "weak-key-held-by-value",
        "values of weak keys are traced whether their key is reached or not",
        "mark/Ephemerons",
        "if (holder == 0 || tracer.isReached(holder)) {",
        "if (holder >= 0) {");
    add(
        "marksweep",
        "weak-one-round",
        "what a walk left to the tracer is not asked again",
        "mark/Ephemerons",
        "while (scanReached() || wakeReached()) {",
        "if (scanReached() || wakeReached()) {");
    add(
        "marksweep",
        "weak-value-in-finalizer",
        "weak values are there still when their finalizer runs",
        "mark/Ephemerons",
        "    weak.sweepValues(with::isReached);\n",
        "");
    add(
        "marksweep",
        "weak-key-not-in-finalizer",
        "weak keys are gone before their finalizer runs",
        "mark/Ephemerons",
        "    weak.sweepValues(with::isReached);\n",
        "    weak.sweep(with::isReached, with.subtracts());\n");
  }

  private void entries() {
    add(
        "marksweep",
        "weak-strings-go",
        "strings are not held by weak places",
        "table/WeakObjects",
        "return Values.isReference(value) && Layout.kind(memory.get(value)) > Layout.LAST_VALUE;",
        "return Values.isReference(value);");
    add(
        "semispace",
        "weak-entries-not-moved",
        "weak tables are not told where elements are now",
        "table/PropertyTables",
        "    weak.relocate(moved);\n",
        "");
    add(
        "refcount",
        "weak-key-stays",
        "an entry outlives its key under counting",
        "table/WeakObjects",
        "boolean keyGoes = dies && key == element && !holdsKey(weakness, key);",
        "boolean keyGoes = false;");
    add(
        "generational",
        "weak-young-missed",
        "a minor collection does not look at weak tables that were stored into",
        "table/WeakObjects",
        "    objects[n] |= YOUNG;\n",
        "");
  }

  private void stores() {
    add(
        "refcount",
        "weak-key-counted",
        "weak keys are counted when they are put",
        "heap/WeakAccess",
        "if (place < 0 && weak.holdsKey(weakness, key)) {",
        "if (place < 0) {");
    add(
        "refcount",
        "weak-update-as-given",
        "a weak table is updated by a key as it was given, not by that which it has",
        "heap/PropertySteps",
        "objects.updateWeak(e, tables.keyAt(e, place), value);",
        "objects.updateWeak(e, key, value);");
    add(
        "refcount",
        "weak-wide-put-counted",
        "a weak value that a double key has is counted when it is replaced",
        "heap/ObjectAccess",
        "      if (weak.isWeak(e)) {\n        updateWeak(e, tables.keyAt",
        "      if (place == 0) {\n        updateWeak(e, tables.keyAt");
    add(
        "marksweep",
        "weak-read-unshaded",
        "a cycle is not told of what is read in a weak table",
        "heap/ObjectAccess",
        "    if (context.barrier()) {\n      weak.read(e, v);\n    }\n    return v;\n",
        "    return v;\n");
    add(
        "marksweep",
        "weak-looked-up-unshaded",
        "a cycle is not told of what is looked up in a weak table",
        "heap/PropertySteps",
        "      mutator.shadeValue(v); // it may be of a weak table, which no snapshot has\n",
        "");
    add(
        "marksweep",
        "weak-walked-unshaded",
        "a cycle is not told of what a walk over a weak table answers",
        "heap/ObjectAccess",
        "      weak.read(e, k);\n      weak.read(e, v);\n",
        "      weak.read(e, k);\n");
    add(
        "marksweep",
        "weak-key-walked-unshaded",
        "a cycle is not told of a key that a walk over a weak table answers",
        "heap/ObjectAccess",
        "      weak.read(e, k);\n      weak.read(e, v);\n",
        "      weak.read(e, v);\n");
    add(
        "marksweep",
        "weak-copied-unshaded",
        "a cycle is not told of indexes that are copied from a weak table",
        "heap/ObjectAccess",
        "    long value = read(src, tables.place(src, from));\n",
        "    long value = mem.get(tables.place(src, from));\n");
  }

  private void changes() {
    add(
        "marksweep",
        "weakness-unshaded",
        "a cycle is not told of what is in an object that becomes weak",
        "heap/WeakAccess",
        "      shadeAll(e);\n",
        "      // shadeAll(e);\n");
    add(
        "refcount",
        "weakness-not-counted",
        "what an object holds that becomes strong again is not counted",
        "heap/WeakAccess",
        "      weak.forEachHeld(e, weakness, increment);\n",
        "");
    add(
        "refcount",
        "weakness-still-counted",
        "what an object holds no more that becomes weak stays counted",
        "heap/WeakAccess",
        "      weak.forEachHeld(e, before, decrement);\n",
        "");
    add(
        "generational",
        "weakness-not-remembered",
        "an old object that becomes strong again forgets what is young",
        "heap/WeakAccess",
        "      rememberAll(e);\n",
        "");
    add(
        "refcount",
        "weakness-drops-late",
        "what an object holds no more that becomes weak goes with a later operation",
        "heap/WeakAccess",
        "    if (counts != null) {\n      counts.settle();\n    }\n  }\n\n  private long object(",
        "  }\n\n  private long object(");
    add(
        "framestack",
        "weakness-without-escape",
        "what is in an object that becomes weak goes with a frame",
        "heap/WeakAccess",
        "      long _ = mutator.escapingSlot(o);\n",
        "");
    add(
        "refcount",
        "weakness-not-noted",
        "an entry outlives its key or value if the object has become weak since it was put",
        "table/WeakObjects",
        "      note(memory.get(at));\n",
        "");
    add(
        "marksweep",
        "weakness-array-lost",
        "the first of an array part is lost when it becomes properties",
        "table/PropertyTables",
        "for (int i = indexes.next(table, 0); i >= 0; i = indexes.next(table, i + 1)) {",
        "for (int i = indexes.next(table, 1); i >= 0; i = indexes.next(table, i + 1)) {");
    add(
        "marksweep",
        "weak-block-lost",
        "the block of a weak table that a collection finds dead is not freed",
        "table/WeakObjects",
        "setWord(object(n), blocks[n] | DEAD);",
        "setWord(object(n), DEAD);");
  }

  private void paths() {
    add(
        "marksweep",
        "path-through-weak-key",
        "a path goes from a weak table to what a weak key holds",
        "inspect/Inspector",
        "reach(holder == 0 ? table : passed.word(key), value);",
        "reach(table, value);");
    add(
        "marksweep",
        "path-not-through-weak-table",
        "no path goes through a weak table",
        "inspect/Inspector",
        "weak.forEachHeld(e, (holder, place) -> held(from, holder, memory.get(place)));",
        "weak.forEachHeld(e, (_, _) -> {});");
  }
}
