package dev.gleaner.it.planted;

import java.util.List;

/** In steps on several slots, and in transfers between threads. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class FrameStepBugs {
  private static final String STEPS = "api/src/main/java/dev/gleaner/heap/FrameSteps.java";
  private static final String COROUTINES = "api/src/main/java/dev/gleaner/heap/Coroutines.java";
  private static final String YOUNG =
      "collector-framestack/src/main/java/dev/gleaner/collector/framestack/YoungFrames.java";

  private FrameStepBugs() {}

  static List<PlantedBug> all() {
    return List.of(
        new PlantedBug(
            "results-over-counted-slots",
            "what results overwrite stays counted",
            "refcount",
            STEPS,
            "      drop(to, to + ((long) Math.min(landing, callerSize - d) << 3));\n",
            ""),
        new PlantedBug(
            "surplus-results-stay-counted",
            "results that are not wanted stay counted",
            "refcount",
            STEPS,
            "      drop(from + ((long) n << 3), m.base + ((long) m.size << 3));\n",
            "      drop(from + ((long) count << 3), m.base + ((long) m.size << 3));\n"),
        new PlantedBug(
            "missing-results-are-stale",
            "slots without a result keep what they held",
            "marksweep",
            STEPS,
            "    m.fill(to + ((long) n << 3), landing - n);\n    m.settle();\n    return n;\n",
            "    m.settle();\n    return n;\n"),
        new PlantedBug(
            "results-die-with-their-frame",
            "of several results none is looked for among the records of the frame",
            "framestack",
            YOUNG,
            "      if (isAnyInLast(from, results)) {\n",
            "      if (results == 1 && isAnyInLast(from, results)) {\n"),
        new PlantedBug(
            "tail-call-keeps-counts",
            "what stood before the arguments of a tail call stays counted",
            "refcount",
            STEPS,
            "    drop(base, from);\n",
            ""),
        new PlantedBug(
            "tail-call-keeps-catchers",
            "a tail call leaves the catchers of the frame that it replaces",
            "marksweep",
            STEPS,
            "    m.ensureSize(slots);\n    if (m.callBase == m.base) {\n",
            "    m.ensureSize(slots);\n    if (m.callBase < 0) {\n"),
        new PlantedBug(
            "results-drop-late",
            "what several results replace goes with a later operation",
            "refcount",
            STEPS,
            "    m.fill(to + ((long) n << 3), landing - n);\n    m.settle();\n",
            "    m.fill(to + ((long) n << 3), landing - n);\n"),
        new PlantedBug(
            "called-frame-stays-counted",
            "what the frame of a function had stays counted when it is left",
            "refcount",
            "api/src/main/java/dev/gleaner/heap/Operations.java",
            "      dropCalls();\n    }\n    dropSlots();\n",
            "      dropCalls();\n    }\n"),
        new PlantedBug(
            "tail-call-with-old-slots",
            "slots behind the arguments of a tail call keep what they held",
            "marksweep",
            STEPS,
            "    m.fill(end, slots - args);\n",
            ""),
        new PlantedBug(
            "copied-backwards",
            "ranges that overlap are copied from the wrong end",
            "marksweep",
            STEPS,
            "    } else if (to <= from) {\n",
            "    } else if (to >= from) {\n"),
        new PlantedBug(
            "range-without-escape",
            "a range that is stored does not escape from its frame",
            "framestack",
            STEPS,
            "      storeOneByOne(r, to - m.value(r), s, count);\n",
            "      copyWords(from, to, count);\n"),
        new PlantedBug(
            "slots-copied-drop-late",
            "what a range of slots replaces goes with a later operation",
            "refcount",
            STEPS,
            "      counts.decrementSlice(to, to + ((long) count << 3));\n"
                + "    }\n"
                + "    copyWords(from, to, count);\n"
                + "    m.settle();\n"
                + "  }\n\n"
                + "  void storeRange(",
            "      counts.decrementSlice(to, to + ((long) count << 3));\n"
                + "    }\n"
                + "    copyWords(from, to, count);\n"
                + "  }\n\n"
                + "  void storeRange("),
        new PlantedBug(
            "range-stored-uncounted",
            "a range that is stored is not counted",
            "refcount",
            STEPS,
            "      counts.incrementSlice(from, from + ((long) count << 3));\n"
                + "      counts.decrementSlice(to, to + ((long) count << 3));\n"
                + "      copyWords(from, to, count);\n"
                + "      m.settle();\n"
                + "    } else {\n",
            "      counts.decrementSlice(to, to + ((long) count << 3));\n"
                + "      copyWords(from, to, count);\n"
                + "      m.settle();\n"
                + "    } else {\n"),
        new PlantedBug(
            "values-without-escape",
            "values that a coroutine goes on with stay with the frame that passes them",
            "framestack",
            COROUTINES,
            "    escape(first, n);\n",
            ""),
        new PlantedBug(
            "values-uncounted",
            "values that are handed over are not counted",
            "refcount",
            COROUTINES,
            "      counts.incrementSlice(from, from + ((long) values << 3));\n",
            ""),
        new PlantedBug(
            "pushed-left-behind",
            "what was pushed onto a thread does not get into the frame that runs",
            "marksweep",
            COROUTINES,
            "      frames.copyWords(m.base, m.base + 8, pushed);\n",
            ""),
        new PlantedBug(
            "finished-calls-stay-counted",
            "the functions that a coroutine was in as it finished stay counted",
            "refcount",
            COROUTINES,
            "      counts.decrementSlice(ThreadLayout.callsStart(mem, t),"
                + " ThreadLayout.callsEnd(mem, t));\n",
            ""));
  }
}
