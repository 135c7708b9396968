package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** The bugs of integers of 64 bits, and of integer keys. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class IndexBugs {
  private static final String API = "api/src/main/java/dev/gleaner/";

  private static final String REF_ZERO =
      "collector-refcount/src/main/java/dev/gleaner/collector/refcount/RefZero.java";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private IndexBugs() {}

  static List<PlantedBug> all() {
    IndexBugs list = new IndexBugs();
    list.integers();
    list.indexes();
    list.ranges();
    return list.bugs;
  }

  private void add(
      String collector, String name, String text, String part, String original, String planted) {
    bugs.add(new PlantedBug(name, text, collector, API + part + ".java", original, planted));
  }

  private void integers() {
    bugs.add(
        new PlantedBug(
            "integer-scanned",
            "the word of an integer is taken for a reference, which goes with it",
            "refcount",
            REF_ZERO,
            "      if (kind == Layout.RECORD) {\n        e = dropRecord(e, h, 0);\n",
            "      if (kind == Layout.RECORD || kind == Layout.LONG) {\n"
                + "        e = dropRecord(e, h, 0);\n"));
    add(
        "semispace",
        "integers-differ",
        "large integers are the same only if they are one element",
        "heap/Mutator",
        "        || (integers.isBox(va) && integers.isBox(vb) && integers.get(a) =="
            + " integers.get(b));\n",
        "        ;\n");
    add(
        "marksweep",
        "integer-key-by-place",
        "a large integer is found as a key only by its hash",
        "table/Keys",
        "            && memory.get(held + Layout.LONG_VALUE) == wide);\n",
        "            && held == wide);\n");
    add(
        "hybrid",
        "large-doubles-as-they-are",
        "a negative double is another key than the large integer of its value",
        "table/Keys",
        "d >= -ABOVE_LONG && d < ABOVE_LONG && d != (int) d;",
        "d >= 0 && d < ABOVE_LONG && d != (int) d;");
  }

  private void indexes() {
    add(
        "marksweep",
        "border-by-count",
        "the number of indexes is taken for a border whatever is behind it",
        "table/PropertyTables",
        "if (all > 0 && hasIndex(object, all) && !hasIndex(object, all + 1)) {",
        "if (all > 0 && hasIndex(object, all)) {");
    add(
        "refcount",
        "never-dense",
        "indexes that become dense stay among the entries",
        "table/IndexPart",
        "    return sparse >= due(",
        "    return sparse < 0 && sparse >= due(");
    add(
        "semispace",
        "dense-too-soon",
        "an index far away makes an array up to there",
        "table/IndexPart",
        "(index < 1 << bound(table) || index < 2L * present + 2);",
        "(index < 1 << bound(table) || index < 2L * present + 10_000);");
    add(
        "hybrid",
        "cut-keeps-array",
        "an array that is cut keeps its memory",
        "heap/ObjectAccess",
        "    tables.shrinkArray(object(o));\n",
        "");
  }

  private void ranges() {
    add(
        "framestack",
        "moved-over-itself",
        "indexes that move up within an object are copied from the lowest one on",
        "heap/ArrayAccess",
        "      int k = to <= from ? i : count - 1 - i;\n      long v = ",
        "      int k = i;\n      long v = ");
    add(
        "framestack",
        "indexes-without-escape",
        "indexes that are copied hold what goes with a frame",
        "heap/ArrayAccess",
        "    if (mutator.frames != null && (e != src || context.barrier())) {\n",
        "    if (mutator.frames != null && context.barrier()) {\n");
    add(
        "refcount",
        "replaced-indexes-counted",
        "what a range of indexes replaces stays counted",
        "heap/ArrayAccess",
        "        counts.decrementSlice(at, at + ((long) count << 3));\n",
        "");
    add(
        "refcount",
        "cut-drops-late",
        "what an array had that is cut goes with a later operation",
        "heap/ObjectAccess",
        "    tables.shrinkArray(object(o));\n    if (counts != null) {\n",
        "    tables.shrinkArray(object(o));\n    if (counts != null && length < 0) {\n");
    add(
        "refcount",
        "range-of-none-drops-late",
        "what a range of indexes that are not there replaces goes with a later operation",
        "heap/ArrayAccess",
        "    move(o, to, source, from, count);\n    if (counts != null) {\n",
        "    move(o, to, source, from, count);\n    if (counts != null && count < 0) {\n");
    add(
        "refcount",
        "removed-after-finalizers",
        "a finalizer of what is removed from an array runs before the array is shorter",
        "heap/ArrayAccess",
        "    move(o, index, o, index + 1, length - 1 - index);\n",
        "    moveRange(o, index, o, index + 1, length - 1 - index);\n");
    add(
        "marksweep",
        "first-index-missed",
        "a walk does not know of indexes that a range has put before all others",
        "table/IndexPart",
        "    setFirst(table, Math.min(from, low(memory.get(counts + 16))));\n",
        "");
    add(
        "generational",
        "moved-untold",
        "a collector that remembers is not told of indexes that are copied",
        "heap/ArrayAccess",
        "      mutator.tellOfStore(e, 0, 0);\n",
        "");
  }
}
