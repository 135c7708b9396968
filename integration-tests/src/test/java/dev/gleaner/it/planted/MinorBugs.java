package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** What minor collections can miss, in the heap and in a collector from outside. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class MinorBugs {
  private static final String COLLECTOR = "generational";
  private static final String API = "api/src/main/java/dev/gleaner/";
  private static final String PLUGIN =
      "integration-tests/src/third-party/generational/com/example/generational/";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private MinorBugs() {}

  static List<PlantedBug> all() {
    MinorBugs list = new MinorBugs();
    list.stores();
    list.threads();
    list.scheduling();
    list.remembering();
    list.tables();
    return list.bugs;
  }

  private void inHeap(String name, String text, String part, String original, String planted) {
    bugs.add(new PlantedBug(name, text, COLLECTOR, API + part + ".java", original, planted));
  }

  private void inPlugin(String name, String text, String part, String original, String planted) {
    bugs.add(new PlantedBug(name, text, COLLECTOR, PLUGIN + part + ".java", original, planted));
  }

  private void stores() {
    inHeap(
        "untold-slot",
        "a collector that remembers is not told of stores into slots of records and objects",
        "heap/Operations",
        "    storeAt(holder, header, place(holder, header, r, i), mem.getUnchecked(slot(s)));\n",
        "    storeAt(holder, header & ~Layout.FLAG_UNLOGGED, place(holder, header, r, i),"
            + " mem.getUnchecked(slot(s)));\n");
    inHeap(
        "untold-property",
        "a collector that remembers is not told of property values",
        "heap/ObjectAccess",
        "    }\n    mutator.storeAt(e, place, mutator.value(s));\n",
        "    }\n    mem.put(place, mutator.value(s));\n");
    inHeap(
        "untold-key",
        "a collector that remembers is not told of new keys",
        "heap/ObjectAccess",
        "        mutator.remember(e, place - TableLayout.VALUE, k);\n",
        "");
    inHeap(
        "untold-array-part",
        "a collector that remembers is not told of stores into array parts",
        "heap/ObjectAccess",
        "      mutator.storeAt(e, place, mutator.value(s));\n      return;\n",
        "      mem.put(place, mutator.value(s));\n      return;\n");
    inHeap(
        "untold-prototype",
        "a collector that remembers is not told of prototypes",
        "heap/ObjectAccess",
        "    mutator.storeAt(e, e + Layout.OBJECT_PROTOTYPE, v);\n",
        "    mem.put(e + Layout.OBJECT_PROTOTYPE, v);\n");
    inHeap(
        "untold-constant",
        "a collector that remembers is not told of constants",
        "heap/Mutator",
        "      storeAt(reference(f), constant(f, i), value(s));\n",
        "      mem.put(constant(f, i), value(s));\n");
    inHeap(
        "untold-inner-function",
        "a collector that remembers is not told of inner functions",
        "heap/Mutator",
        "      storeAt(reference(f), inner(f, i), v);\n",
        "      mem.put(inner(f, i), v);\n");
  }

  private void threads() {
    inHeap(
        "untold-push",
        "a collector that remembers is not told of what is pushed on a thread",
        "heap/Mutator",
        "      remember(t, 0, v);\n",
        "");
    inHeap(
        "untold-thread",
        "a collector that remembers is not told that a thread has run",
        "heap/Operations",
        "      tellOfStore(t, 0, 0); // its slots changed without a barrier\n",
        "");
  }

  private void scheduling() {
    inHeap(
        "minor-uses-the-trigger-up",
        "what minor collections reclaim counts as garbage that waits for a full one",
        "heap/Driver",
        "      gate.trigger().restore(start.untilDue + elements);",
        "      gate.trigger().restore(start.untilDue);");
    inHeap(
        "never-minor",
        "a nursery that is full leads to a full collection",
        "heap/Driver",
        "      collect(Cause.NURSERY, Scope.MINOR, 0);\n",
        "      collect(Cause.NURSERY, Scope.FULL, 0);\n");
  }

  private void remembering() {
    inPlugin(
        "promoted-not-remembered",
        "a promoted element that refers to a survivor is not remembered",
        "Evacuator",
        "      remembered.add(e);\n",
        "");
    inPlugin(
        "slots-of-large-forgotten",
        "slots of large elements are not remembered",
        "Remembered",
        "      boolean _ = slots.add(place);\n",
        "");
    inPlugin(
        "born-old-not-remembered",
        "what is born old is not remembered",
        "GenerationalCollector",
        "      remembered.add(element);\n",
        "");
    inPlugin(
        "builtins-no-roots-of-minor",
        "what built-ins refer to is not kept by a minor collection",
        "GenerationalCollector",
        "    beginCopying(promotesAtOnce);\n    context.builtins().forEach(scan);\n",
        "    beginCopying(promotesAtOnce);\n");
  }

  private void tables() {
    inHeap(
        "young-finalizers-forgotten",
        "a minor collection frees what has a finalizer without it",
        "mark/DuktapeFinalizers",
        "      if (dead && run && table.state(entry) == FinalizerTable.IDLE) {\n",
        "      if (dead && run && table.state(entry) == FinalizerTable.QUEUED) {\n");
    inHeap(
        "string-table-not-told",
        "the string table is not told where a minor collection put a string",
        "table/StringTable",
        "    memory.put(table + ((long) i << 3), to >>> 3 << HASH_BITS | (entry(i) &"
            + " HASH_MASK));\n",
        "");
    inPlugin(
        "resources-of-young-kept",
        "what the young own is not released with them",
        "GenerationalCollector",
        "    } else if (to == 0 && Layout.ownsResources(kind)) {\n",
        "    } else if (to == 0 && kind == Layout.THREAD) {\n");
  }
}
