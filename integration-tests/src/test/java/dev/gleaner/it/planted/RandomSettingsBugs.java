package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** Bugs that show under some settings only, or when requests are refused. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class RandomSettingsBugs {
  private static final String API = "api/src/main/java/dev/gleaner/";
  private static final String TRIAL =
      "collector-refcount/src/main/java/dev/gleaner/collector/refcount/TrialDeletion.java";
  private static final String SEMI_SPACE =
      "collector-semispace/src/main/java/dev/gleaner/collector/semispace/SemiSpaceCollector.java";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private RandomSettingsBugs() {}

  static List<PlantedBug> all() {
    RandomSettingsBugs list = new RandomSettingsBugs();
    list.requests();
    list.weak();
    list.pins();
    list.barrier();
    list.trialDeletion();
    return list.bugs;
  }

  private void add(
      String name, String text, String collector, String file, String original, String planted) {
    bugs.add(new PlantedBug(name, text, collector, file, original, planted));
  }

  private void inTrial(String name, String text, String original, String planted) {
    add(name, text, "refcount", TRIAL, original, planted);
  }

  private void requests() {
    add(
        "refused-yet-charged",
        "what the limit refuses stays charged, once what was granted is taken back",
        "marksweep",
        API + "space/Budget.java",
        "      if (bytes > max - charged) {\n        return false;\n",
        "      if (bytes > max - charged) {\n        charged += 8;\n        return false;\n");
    add(
        "refused-realloc-frees",
        "a block goes when its realloc is refused",
        "marksweep",
        API + "space/GatedFunctions.java",
        "    long moved = inner.realloc(block, bytes);\n",
        "    long moved = inner.realloc(block, bytes);\n"
            + "    if (moved == 0) {\n"
            + "      inner.free(block);\n"
            + "    }\n");
    add(
        "cleared-where-it-was",
        "a buffer that grows and moves is cleared at its old place",
        "marksweep",
        API + "heap/BufferAccess.java",
        "        clear(moved, old, bytes);\n",
        "        clear(block == 0 ? moved : block, old, bytes);\n");
  }

  private void weak() {
    add(
        "weak-chain-cut",
        "of several weak references to an element, closing one forgets those made before it",
        "refcount",
        API + "table/WeakTable.java",
        "      next[previous[w]] = after;\n",
        "      next[previous[w]] = -1;\n");
    add(
        "weak-cleared-in-emergency",
        "an emergency clears weak references to what is alive",
        "semispace",
        SEMI_SPACE,
        "    context.raw().release(emergency);\n",
        "    context.raw().release(emergency);\n"
            + "    if (emergency) {\n"
            + "      context.sweepWeak(_ -> false);\n"
            + "    }\n");
  }

  private void pins() {
    add(
        "pins-taken-back-together",
        "a buffer that is pinned twice is free to move once it is unpinned",
        "semispace",
        API + "table/PinTable.java",
        "    if (--pins[i] == 0) {\n",
        "    pins[i] = 0;\n    if (pins[i] == 0) {\n");
    add(
        "pins-forgotten",
        "how often buffers are pinned is forgotten when the fifth one is",
        "semispace",
        API + "table/PinTable.java",
        "        pins = Arrays.copyOf(pins, buffers.length);\n",
        "        pins = new int[buffers.length];\n");
  }

  private void barrier() {
    add(
        "index-without-barrier",
        "a cycle is not told of stores into array parts",
        "marksweep",
        API + "heap/ObjectAccess.java",
        "      mutator.storeAt(e, place, mutator.value(s));\n      return;\n",
        "      mem.put(place, mutator.value(s));\n      return;\n");
    add(
        "deleted-key-unshaded",
        "a cycle is not told of the key of a property that is deleted",
        "marksweep",
        API + "heap/ObjectAccess.java",
        "      mutator.shadeValue(k);\n",
        "");
    add(
        "range-without-barrier",
        "a cycle is not told of what a range of slots replaces",
        "marksweep",
        API + "heap/FrameSteps.java",
        "    if (m.context.barrier()) {\n",
        "    if (m.context.barrier() && count < 0) {\n");
    add(
        "indexes-without-barrier",
        "a cycle is not told of what indexes that are copied replace",
        "marksweep",
        API + "heap/ArrayAccess.java",
        "      show(at, count);\n",
        "");
  }

  private void trialDeletion() {
    inTrial(
        "trial-not-restored",
        "what is alive after all keeps the counts without what was subtracted",
        "      long h = memory.get(e) + ReferenceCounts.ONE;\n",
        "      long h = memory.get(e);\n");
    inTrial(
        "trial-once",
        "what was looked at once is never a candidate again",
        "      memory.put(candidates[i], memory.get(candidates[i]) & ~BUFFERED);\n"
            + "      makeGray(candidates[i]);\n",
        "      makeGray(candidates[i]);\n");
    inTrial(
        "trial-leaves-weak",
        "weak references to dead loops stay",
        "    context.sweepWeak(this::isReached);\n",
        "");
    inTrial(
        "trial-without-finalizers",
        "dead loops go without their finalizers",
        "    finalizers.find(this);\n",
        "");
  }
}
