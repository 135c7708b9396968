package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** The bugs of the frame-stack collector, and of the steps of a program that serve it. */
final class FrameStackBugs {
  private static final String FOLDER =
      "collector-framestack/src/main/java/dev/gleaner/collector/framestack/";
  private static final String API = "api/src/main/java/dev/gleaner/";

  private static final String LOWER =
      "    promotion.lower(v, into == 0 ? FrameBuffer.OLD : generation(into));\n";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private FrameStackBugs() {}

  static List<PlantedBug> all() {
    FrameStackBugs list = new FrameStackBugs();
    list.frames();
    list.objects();
    list.alive();
    list.promotion();
    list.places();
    list.cycles();
    return list.bugs;
  }

  private void plant(String file, String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "framestack", file, original, planted));
  }

  private void in(String part, String name, String text, String original, String planted) {
    plant(FOLDER + part + ".java", name, text, original, planted);
  }

  private void objects() {
    in(
        "YoungFrames",
        "left-tables-stay",
        "the tables of objects that a frame left are never freed",
        "      dropObjects();\n",
        "      objects.clear();\n");
    in(
        "YoungFrames",
        "left-tables-of-callers",
        "a frame that is left takes the tables of its callers' objects with it",
        "    objects.dropFrom(start, mark, owner::release);\n",
        "    objects.dropFrom(start, start, owner::release);\n");
    in(
        "Promotion",
        "evacuated-tables-stay",
        "the tables of objects that an evacuation left are never freed",
        "    young.releaseDead();\n",
        "");
    in(
        "Promotion",
        "tables-left-behind",
        "what is in the table of an object that moves stays where it was",
        "      if (Layout.kind(h) == Layout.OBJECT) {\n        drain(\n",
        "      if (Layout.kind(h) == Layout.FREE) {\n        drain(\n");
    in(
        "Promotion",
        "called-functions-left-behind",
        "the call stack says where a function was before it moved",
        "    young.forEachCall(this::moveReferent);\n",
        "");
    plant(
        API + "heap/Operations.java",
        "table-of-the-last-frame",
        "a table that lies high enough holds whatever is put into it",
        "holder >= f.mark()) {\n",
        "place >= f.mark()) {\n");
    plant(
        API + "heap/Operations.java",
        "table-moves-along",
        "a property is stored as if a table moved with its object",
        "    boolean moves = f.contains(place); // the table of an object that moves stays\n",
        "    boolean moves = f.contains(holder);\n");
    plant(
        API + "heap/ObjectAccess.java",
        "new-weak-table-of-a-frame",
        "a weak table goes with the frame that made it",
        "      long _ = mutator.escapingSlot(d);\n",
        "");
  }

  private void frames() {
    String young = FOLDER + "YoungFrames.java";
    String operations = API + "heap/Operations.java";
    String thread = API + "heap/Mutator.java";
    plant(
        young,
        "result-dropped",
        "a result goes with the frame that made it",
        "        result = giveToCaller(value, callerBase - stackStart);\n",
        "        drop();\n");
    plant(
        young,
        "left-words-stay",
        "a record has the words of one that a small frame left",
        "      memory.zero(mark, bytes);\n",
        "");
    plant(
        young,
        "left-headers-stay",
        "a record has the header of one that a call left",
        "      memory.zero(mark, bytes);\n",
        "      memory.zero(mark + 8, bytes - 8);\n");
    plant(
        young,
        "grant-forgotten",
        "what is granted of a region stays charged when that becomes larger",
        "    retire();\n    boolean _ = raw.reserveCells(0);\n",
        "    boolean _ = raw.reserveCells(0);\n");
    plant(
        young,
        "left-words-are-clean",
        "a record has the words of one that a large frame left",
        "      clean = mark;\n",
        "");
    plant(
        young,
        "grown-without-slots",
        "slots hold what was where a region grew from",
        "    for (long at = stackStart + bases[0]; at < stackTop; at += 8) {\n",
        "    for (long at = base; at < stackTop; at += 8) {\n");
    plant(
        young,
        "grown-without-marks",
        "frames begin where a region grew from",
        "      marks[i] += distance;\n",
        "");
    plant(
        young,
        "no-room-for-copies",
        "pages are kept for copies of records, but not used for them",
        "    raw.beginCopies();\n",
        "");
    plant(
        young,
        "escape-among-records",
        "a record of a younger frame may be stored into one of an older frame",
        "    return in != 0 || index(value) > index(holder);\n",
        "    return in != 0;\n");
    plant(
        operations,
        "store-unchecked",
        "a collected element holds whatever is stored into it",
        "    return generation != 0 && generation <= age; // 0: young, or undefined\n",
        "    return generation <= age || generation > 0;\n");
    plant(
        thread,
        "raise-without-evacuation",
        "a raised value goes with the frames that it leaves",
        "    evacuate(); // several frames are left at once\n",
        "");
    plant(
        operations,
        "global-without-escape",
        "a global holds what goes with a frame",
        """
            flush();
            section.depth++;
            long v = frames.escape(0, value);
            section.depth--;
            return v;
        """,
        """
            return value;
        """);
    plant(
        thread,
        "switch-without-evacuation",
        "records stay behind when another thread runs",
        """
            if (frames != null) {
              flush();
              section.depth++;
              frames.evacuate();
              section.depth--;
            }
        """,
        "");
  }

  private void alive() {
    in(
        "FullMark",
        "held-by-the-dead",
        "a collection leaves dead records that hold what it reclaimed",
        "    young.forEach(marker::mark);\n",
        "");
    in(
        "Liveness",
        "alive-and-marked",
        "a record that was found alive keeps the mark",
        "      memory.put(e, memory.get(e) & Layout.LOW_MASK);\n",
        "");
  }

  private void promotion() {
    String part = "Promotion";
    in(
        part,
        "not-lowered",
        "what an older element is to hold keeps its own generation",
        "        lower(v, g);\n",
        "");
    in(
        "FrameStackCollector",
        "stored-not-lowered",
        "a record that is stored into one of an older frame stays the younger frame's",
        LOWER,
        "    if (into == holder) {\n  " + LOWER + "    }\n");
    in(
        "FrameStackCollector",
        "holder-lowered-meanwhile",
        "what is stored into an element that a record made older just now stays a younger frame's",
        LOWER,
        "    if (v == value || into != holder) {\n  " + LOWER + "    }\n");
    in(
        part,
        "lowered-alone",
        "an element becomes older without what it reaches",
        "      if (Layout.hasReferences(Layout.kind(h))) {\n        if (lowers",
        "      if (h == 0) {\n        if (lowers");
    in(part, "promotion-unlisted", "what is promoted is on no list", "    f.add(copy, g);\n", "");
    in(
        "FrameStackCollector",
        "pretenured-unlisted",
        "a record that is made as a collected element is on no list",
        "      own(e, owners.owner(g), g);\n",
        "      young.setBorn(g);\n");
    in(
        "FrameStackCollector",
        "pretenured-in-a-coroutine",
        "a coroutine makes records that a frame of the main thread owns",
        "young.isMainThread() ? pretenuring.generation() : FrameBuffer.OLD;\n",
        "pretenuring.generation();\n");
  }

  /** Places that hold what goes with a frame, as what is stored there does not escape. */
  private void places() {
    String objects = API + "heap/ObjectAccess.java";
    String coroutines = API + "heap/Coroutines.java";
    String thread = API + "heap/Mutator.java";
    plant(
        objects,
        "index-without-escape",
        "an array part holds what goes with a frame",
        "      mutator.storeAt(e, place, mutator.value(s));\n      return;\n",
        "      mem.put(place, mutator.value(s));\n      return;\n");
    plant(
        objects,
        "property-without-escape",
        "a property holds what goes with a frame",
        "    }\n    mutator.storeAt(e, place, mutator.value(s));\n",
        "    }\n    mem.put(place, mutator.value(s));\n");
    in(
        "FrameStackCollector",
        "key-without-escape",
        "a string goes with the frame that made it, if it is a key or not",
        "owned = kind != Layout.STRING && kind",
        "owned = kind");
    plant(
        objects,
        "prototype-without-escape",
        "an object's prototype goes with a frame",
        "    mutator.storeAt(e, e + Layout.OBJECT_PROTOTYPE, v);\n",
        "    mem.put(e + Layout.OBJECT_PROTOTYPE, v);\n");
    plant(
        thread,
        "constant-without-escape",
        "a constant goes with a frame",
        "    storeAt(reference(f), constant(f, i), value(s));\n",
        "    mem.put(constant(f, i), value(s));\n");
    plant(
        thread,
        "inner-without-escape",
        "an inner function goes with a frame",
        "    storeAt(reference(f), inner(f, i), v);\n",
        "    mem.put(inner(f, i), v);\n");
    plant(
        thread,
        "push-without-escape",
        "another thread's stack holds what goes with a frame",
        "    long v = escaping(value(s));\n",
        "    long v = value(s);\n");
    plant(
        coroutines,
        "resume-without-escape",
        "a thread that is resumed holds arguments that go with a frame",
        "    escape(first, args);\n",
        "");
    plant(
        thread,
        "weak-without-escape",
        "a weak reference leads to what goes with a frame",
        "      long _ = escapingSlot(s);\n      WeakRef",
        "      WeakRef");
    plant(
        thread,
        "finalizer-without-escape",
        "a finalizer is set on what goes with a frame",
        "      long _ = escapingSlot(s);\n      long operation",
        "      long operation");
    in(
        "Cycle",
        "called-is-no-root",
        "a cycle does not look at the slots of those that called, as that of the function",
        "    long start = young.stackStart() + frame.base;\n",
        "    long start = young.stackStart() + young.runningBase();\n");
  }

  private void cycles() {
    in(
        "Cycle",
        "cycle-without-roots",
        "a cycle does not look at the slots of the frames",
        "    long start = young.stackStart() + frame.base;\n",
        "    long start = young.stackTop();\n");
    in(
        "Cycle",
        "cycle-without-barrier",
        "stores go unnoticed while a cycle marks",
        "    context.setBarrier(true);\n",
        "");
    in(
        "OwningFrames",
        "generations-reused",
        "a frame that is left leaves its generations to the next one",
        "    below.next = left.next;\n",
        "");
    in(
        "OwningFrames",
        "sets-dropped",
        "what a frame owned is lost when it is left",
        "    below.fresh.takeAll(left.survivors);\n",
        "");
    in(
        "OwningFrames",
        "renumbered-wrongly",
        "survivors get the generation of what is new",
        "      long to = lowest(i) + (survives ? 0L : 1L);\n",
        "      long to = lowest(i) + 1L;\n");
  }
}
