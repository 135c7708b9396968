package dev.gleaner.it.planted;

import java.util.List;

/** In tagged values, the larger steps on objects, and the code of functions. */
@SuppressWarnings("StringConcatToTextBlock") // a text block would not begin with its indentation
final class ValueBugs {
  private static final String HEAP = "api/src/main/java/dev/gleaner/heap/";

  private ValueBugs() {}

  static List<PlantedBug> all() {
    return List.of(
        new PlantedBug(
            "number-stored-unnoticed",
            "a cycle is not told of a reference that a number replaces",
            "marksweep",
            HEAP + "Operations.java",
            "    if (!Values.isReference(value) && !context.barrier() && isUncounted(place))"
                + " {\n",
            "    if (!Values.isReference(value) && isUncounted(place)) {\n"),
        new PlantedBug(
            "number-drops-nothing",
            "a reference that a number replaces in a slot stays counted",
            "refcount",
            HEAP + "Operations.java",
            "    return counts == null || !Values.isReference(mem.get(at));\n",
            "    return true;\n"),
        new PlantedBug(
            "reference-from-java",
            "a reference that Java kept is taken for a value",
            "marksweep",
            HEAP + "Operations.java",
            "    if (!Values.isPlain(value)) {\n",
            "    if (!Values.isPlain(value) && !Values.isReference(value)) {\n"),
        new PlantedBug(
            "update-of-a-hole",
            "a hole of the array part is updated as if it were a value",
            "marksweep",
            HEAP + "PropertySteps.java",
            "      if (mem.get(place) != TableLayout.HOLE) {\n",
            "      if (mem.get(place) != Values.TRUE || v != Values.FALSE) {\n"),
        new PlantedBug(
            "own-properties-only",
            "prototypes are not looked up",
            "marksweep",
            HEAP + "PropertySteps.java",
            "      for (long e = object; Values.isReference(e); e = mem.get(e +"
                + " Layout.OBJECT_PROTOTYPE)) {\n"
                + "        long place = tables.place(e, k);\n",
            "      for (long e = object; Values.isReference(e); e = 0) {\n"
                + "        long place = tables.place(e, k);\n"),
        new PlantedBug(
            "sort-not-replaced",
            "an element keeps bits of the sort it had before",
            "marksweep",
            HEAP + "Mutator.java",
            "(mem.get(e) & ~(long) Layout.SORT_MASK)",
            "mem.get(e)"),
        new PlantedBug(
            "code-over-constants",
            "to set the number of a function's code forgets how many constants it has",
            "marksweep",
            HEAP + "Mutator.java",
            "Values.ofRaw((code + 1L) << Layout.FUNCTION_BITS | constants));\n",
            "Values.ofRaw((code + 1L) << Layout.FUNCTION_BITS | constants >> 1));\n"));
  }
}
