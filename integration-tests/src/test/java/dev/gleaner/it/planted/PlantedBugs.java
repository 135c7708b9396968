package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** The bugs. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class PlantedBugs {
  private static final String API = "api/src/main/java/dev/gleaner/";
  private static final String MARK_SWEEP =
      "collector-marksweep/src/main/java/dev/gleaner/collector/marksweep/MarkSweepCollector.java";
  private static final String MARK_PHASE =
      "collector-marksweep/src/main/java/dev/gleaner/collector/marksweep/MarkPhase.java";
  private static final String COUNTING =
      "collector-refcount/src/main/java/dev/gleaner/collector/refcount/";
  private static final String HYBRID =
      "collector-hybrid/src/main/java/dev/gleaner/collector/hybrid/HybridCollector.java";
  private static final String POISON =
      "kit/src/main/java/dev/gleaner/kit/collector/PoisonCollector.java";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private PlantedBugs() {}

  static List<PlantedBug> all() {
    PlantedBugs list = new PlantedBugs();
    list.roots();
    list.marking();
    list.barrier();
    list.peaks();
    list.weak();
    list.finalizers();
    list.sweeping();
    list.limits();
    list.flags();
    list.moving();
    list.counting();
    list.refusals();
    list.bugs.addAll(SemiSpaceBugs.all());
    list.bugs.addAll(FrameStackBugs.all());
    list.bugs.addAll(RandomSettingsBugs.all());
    list.bugs.addAll(FinalizerBugs.all());
    list.bugs.addAll(MinorBugs.all());
    list.bugs.addAll(ValueBugs.all());
    list.bugs.addAll(StringBugs.all());
    list.bugs.addAll(WeakBugs.all());
    list.bugs.addAll(PropertyBugs.all());
    list.bugs.addAll(IndexBugs.all());
    list.bugs.addAll(FrameStepBugs.all());
    return list.bugs;
  }

  private void inCollector(String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "marksweep", MARK_SWEEP, original, planted));
  }

  private void inMarking(String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "marksweep", MARK_PHASE, original, planted));
  }

  private void inCounts(String name, String text, String part, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "refcount", API + part + ".java", original, planted));
  }

  private void inRefZero(String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "refcount", COUNTING + "RefZero.java", original, planted));
  }

  private void inHybrid(String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "hybrid", HYBRID, original, planted));
  }

  private void inPart(String name, String text, String part, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "marksweep", API + part + ".java", original, planted));
  }

  private void inMoving(String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "poison", POISON, original, planted));
  }

  private void roots() {
    inMarking(
        "missed-global",
        "only the first ten roots are marked",
        """
                .forEachRoot(v -> {
                  marker.mark(v);
                  return v;
                });
        """,
        """
                .forEachRoot(new dev.gleaner.layout.RootVisitor() {
                  private int seen;

                  @Override
                  public long visit(long v) {
                    if (seen++ < 10) {
                      marker.mark(v);
                    }
                    return v;
                  }
                });
        """);
    inMarking(
        "missed-builtins",
        "built-ins are no roots",
        "    context.builtins().forEach(marker::mark);\n",
        "");
    inPart(
        "missed-stack",
        "the topmost slot of a value stack is not marked",
        "mark/Marker",
        "Scanner.blockEnd(memory, element, kind, b));\n",
        "Scanner.blockEnd(memory, element, kind, b)"
            + " - (kind == Layout.THREAD && b == 0 ? 8 : 0));\n");
  }

  private void marking() {
    inPart(
        "popped-unnoticed",
        "a cycle is not told of what is popped from a thread's stack",
        "heap/Mutator",
        "      if (context.barrier()) {\n"
            + "        shadeValue(v);\n"
            + "      }\n"
            + "      mem.put(t + ThreadLayout.TOP",
        "      mem.put(t + ThreadLayout.TOP");
    inPart(
        "missed-slot",
        "the fourth slot of a small record is not marked",
        "mark/Marker",
        "          gathered[n++] = m.get(e + 32);\n",
        "");
    inPart(
        "missed-last-slot",
        "the last slot of larger elements is not marked",
        "mark/Marker",
        "      scanRange(from, end);\n",
        "      scanRange(from, kind == Layout.RECORD ? end - 8 : end);\n");
    inPart(
        "missed-properties",
        "property tables are not marked",
        "mark/Marker",
        "    for (int b = 0; b < Scanner.blocks(kind); b++) {\n",
        "    for (int b = kind == Layout.OBJECT ? 1 : 0; b < Scanner.blocks(kind); b++) {\n");
    inPart(
        "missed-keys",
        "property values are marked, their keys are not",
        "mark/Marker",
        "    for (int b = 0; b < Scanner.blocks(kind); b++) {\n",
        """
            if (kind == Layout.OBJECT) {
              long table = Scanner.blockStart(memory, element, kind, 0);
              for (; table < Scanner.blockEnd(memory, element, kind, 0); table += 16) {
                scanRange(table + 8, table + 16);
              }
            }
            for (int b = kind == Layout.OBJECT ? 1 : 0; b < Scanner.blocks(kind); b++) {
        """);
    inPart(
        "missed-overflow",
        "a mark stack that is full loses what was on it",
        "mark/Marker",
        "        if (!growStack()) {\n          toWindows();\n          fuel = f;\n",
        "        if (!growStack()) {\n          top = 0;\n          fuel = f;\n");
    inMarking(
        "reused-header-bit",
        "the collector uses a bit of the header that says that a string is ASCII",
        "    context.sweepWeak(this::isReached);\n",
        """
            context.sweepWeak(this::isReached);
            context.strings().forEach(s -> memory.put(s, memory.get(s) | dev.gleaner.layout.Layout.FLAG_ASCII));
        """);
  }

  private void barrier() {
    inCollector(
        "no-barrier",
        "stores during an incremental cycle go unnoticed",
        "    phase.mark(oldValue);\n",
        "");
    inCollector(
        "barrier-never-on",
        "the heap is not asked for a barrier during a cycle",
        "    context.setBarrier(true);\n",
        "");
    inCollector(
        "born-white",
        "small elements made during a cycle are not marked",
        "    cells.allocateBlack(b);\n",
        "");
    inCollector(
        "large-born-white",
        "large elements made during a cycle are not marked",
        "        next.set(e);\n",
        "");
    inCollector(
        "running-stacks-missed",
        "what the running threads hold when a cycle begins is not marked",
        "    spaces.forEach(Layout.THREAD, phase::markRunningStack);\n",
        "");
    inCollector(
        "cycle-not-given-up",
        "a full collection leaves the cycle that it interrupts under way",
        "    abandon();\n    MarkBits b",
        "    MarkBits b");
  }

  private void peaks() {
    inPart(
        "pages-of-a-peak-dirty",
        "pages at the end count as never used, and keep what was in them",
        "space/PageAllocator",
        "    if (release(from, whole ? to : frontier) && whole) {\n",
        "    if (whole) {\n");
  }

  private void weak() {
    inPart(
        "weak-not-cleared",
        "weak references to the dead stay",
        "spi/HeapContext",
        "    weak.sweep(stays);\n",
        "");
    inPart(
        "weak-cleared-too-early",
        "weak references to built-ins and the living are cleared in a collection",
        "spi/HeapContext",
        "    weak.sweep(stays);\n",
        "    weak.sweep(e -> stays.test(e) && (e & 8) == 0);\n");
    inPart(
        "weak-to-finalizable",
        "weak references to elements whose finalizer is due are not cleared",
        "mark/DuktapeFinalizers",
        "    context.weak().clearQueued(table);\n",
        "");
    inPart(
        "cache-not-swept",
        "the string access cache keeps entries of strings that are gone",
        "spi/HeapContext",
        "    stringCache.sweep(stays);\n",
        "");
    inPart(
        "intern-leak",
        "interned strings are never dropped",
        "spi/HeapContext",
        "    strings.sweep(stays);\n",
        "");
    inMarking(
        "strings-are-roots",
        "the string table keeps every string alive",
        "    finalizers.begin();\n",
        "    finalizers.begin();\n    context.strings().forEach(marker::mark);\n");
  }

  private void finalizers() {
    inMarking(
        "finalizers-forgotten",
        "what has a finalizer is freed without it",
        "    finalizers.find(this);\n",
        "");
    inPart(
        "finalized-twice",
        "a finalizer runs again though its element was not rescued",
        "mark/DuktapeFinalizers",
        "      } else if (state == FinalizerTable.IDLE && run) {\n",
        "      } else if (state != FinalizerTable.QUEUED && run) {\n");
    inPart(
        "rescue-not-seen",
        "a rescued element never gets its finalizer back",
        "mark/DuktapeFinalizers",
        "          table.setState(entry, FinalizerTable.IDLE);\n",
        "");
    inPart(
        "rescue-seen-too-soon",
        "an element counts as rescued while its finalizer runs",
        "mark/DuktapeFinalizers",
        "    boolean rescueNow = !rescuesPostponed && !table.postponesRescues();\n",
        "    boolean rescueNow = true;\n");
    inPart(
        "finalizers-though-off",
        "the setting that turns finalizers off is ignored when they are found",
        "mark/DuktapeFinalizers",
        "    this.run = context.settings().finalizers();\n",
        "    this.run = true;\n");
    inPart(
        "last-finalizer-first",
        "finalizers are queued in reverse order",
        "mark/DuktapeFinalizers",
        "      long e = table.element(entry);\n"
            + "      if (e == 0) {\n"
            + "        continue;\n"
            + "      }\n"
            + "      byte state = table.state(entry);\n"
            + "      if (tracer",
        """
        int turned = bound - 1 - entry;
        long e = table.element(turned);
        if (e == 0) {
          continue;
        }
        byte state = table.state(turned);
        if (state == FinalizerTable.IDLE && !tracer.isReached(e) && run) {
          table.enqueue(turned);
          continue;
        }
        e = table.element(entry);
        state = table.state(entry);
        if (e == 0) {
          continue;
        }
        if (state == FinalizerTable.QUEUED) {
          continue;
        }
        if (tracer\
        """);
    inPart(
        "finalized-contents-lost",
        "what an element on the finalize list refers to is not marked",
        "mark/DuktapeFinalizers",
        "      tracer.reach(table.queuedElement(i));\n    }\n    tracer.drain();\n",
        "    }\n");
    inPart(
        "finalized-never-freed",
        "an element whose finalizer ran is kept for good",
        "mark/DuktapeFinalizers",
        "    for (int i = queuedFrom; i < table.queued(); i++) {\n",
        """
            for (int entry = 0; entry < bound; entry++) {
              if (table.element(entry) != 0) {
                tracer.reach(table.element(entry));
              }
            }
            for (int i = queuedFrom; i < table.queued(); i++) {
        """);
  }

  private void sweeping() {
    inCollector(
        "resources-not-released",
        "what small elements own is not released with them",
        "    cells.sweep(b, context::release);\n",
        "    cells.sweep(b, (kind, e) -> {});\n");
    inPart(
        "buffer-leak",
        "the block of a dynamic buffer stays when the buffer goes",
        "spi/HeapContext",
        """
              case Layout.DYNAMIC_BUFFER ->
                  functions.free(Values.raw(m.get(element + Layout.DYNAMIC_BLOCK)));
        """,
        "      case Layout.DYNAMIC_BUFFER -> {}\n");
    inPart(
        "native-freed-twice",
        "the callback of a native runs twice",
        "table/NativeTable",
        "      freed.add(new Freed(value, callback, operations[n]));\n",
        "      freed.add(new Freed(value, callback, 0));\n"
            + "      freed.add(new Freed(value, callback, 0));\n");
    inCollector(
        "large-never-freed",
        "large elements are never swept",
        "    large.sweep(b, context::release);\n",
        "");
    inPart(
        "memory-not-cleared",
        "cells that are used again keep what was in them",
        "space/CellSpace",
        "    if (!blocks.zero[b]) {\n      memory.zero(at, end - at);\n    }\n",
        "");
    inPart(
        "large-not-cleared",
        "large elements get memory that was not cleared",
        "space/LargeSpace",
        "    if (known == null || !known.isZero(block)) {\n"
            + "      memory.zero(block, bytes);\n"
            + "    }\n",
        "");
  }

  private void limits() {
    inPart(
        "wrong-limit",
        "the limit is 4 KiB too high",
        "space/Budget",
        "    this.max = max;\n",
        "    this.max = max + 4096;\n");
    inPart(
        "sweep-refunds-nothing",
        "the bytes of small elements that were freed stay charged",
        "space/CellSpace",
        "    budget.refund(before - after);\n",
        "");
    inPart(
        "page-size-assumed",
        "the system's pages are taken for 4 KiB",
        "memory/ReservedMemory",
        "    return system.pageSize();\n",
        "    return 4096;\n");
    inPart(
        "never-voluntary",
        "the voluntary trigger never fires",
        "space/VoluntaryTrigger",
        "    return enabled && count < 0;\n",
        "    return false;\n");
    inPart(
        "voluntary-though-off",
        "the voluntary trigger fires though it is off",
        "space/VoluntaryTrigger",
        "    return enabled && count < 0;\n",
        "    return count < 0;\n");
  }

  private void flags() {
    inPart(
        "no-emergency",
        "an emergency is like any other collection",
        "spi/HeapContext",
        "    boolean emergency = (flags & CollectFlags.EMERGENCY) != 0;\n",
        "    boolean emergency = flags < 0;\n");
    inPart(
        "compacts-though-told-not-to",
        "an emergency compacts property tables whatever the flags say",
        "spi/HeapContext",
        "    if (emergency && (flags & CollectFlags.NO_OBJECT_COMPACTION) == 0) {\n",
        "    if (emergency) {\n");
    inPart(
        "resizes-though-told-not-to",
        "the string table is resized whatever the flags say",
        "spi/HeapContext",
        "    if ((flags & CollectFlags.NO_STRING_TABLE_RESIZE) == 0) {\n",
        "    if (flags >= 0) {\n");
  }

  private void moving() {
    inMoving(
        "tables-not-told",
        "weak references, finalizers, hashes and strings are not told that elements moved",
        "    context.relocate(this::moved);\n",
        "");
    inMoving(
        "roots-not-changed",
        "the roots keep the old places",
        "    context.roots().forEachRoot(this::moved);\n",
        "");
    inMoving(
        "builtins-not-redirected",
        "built-ins keep references to the old places",
        "    context.builtins().forEach(this::redirect);\n",
        "");
    inMoving(
        "hash-by-place",
        "an identity hash changes when its element moves",
        "    context.relocate(this::moved);\n",
        "    context.identities().sweep(e -> false);\n    context.relocate(this::moved);\n");
    inMoving(
        "dead-not-released",
        "what dead elements own is not released when the living have moved",
        "      if (Forwarding.get(memory, e) == 0 && Layout.ownsResources(kind)) {\n",
        "      if (kind == 0) {\n");
  }

  private void counting() {
    inCounts(
        "builtins-counted",
        "built-ins are counted, and so freed",
        "heap/Driver",
        "          flags |= ReferenceCounts.UNCOUNTED;\n",
        "          flags |= 0;\n");
    inCounts(
        "store-not-counted",
        "a store counts the old value only",
        "space/ReferenceCounts",
        "      increment(value);\n      replace(at, old, value);\n",
        "      replace(at, old, value);\n");
    inCounts(
        "push-not-counted",
        "what is pushed on another thread's stack is not counted",
        "heap/Mutator",
        "      long v = escaping(value(s));\n      count(v);\n",
        "      long v = escaping(value(s));\n");
    inCounts(
        "key-not-counted",
        "keys of properties are not counted",
        "heap/ObjectAccess",
        "        counts.increment(k);\n",
        "");
    inCounts(
        "deleted-value-kept",
        "the value of a deleted property is not dropped",
        "heap/ObjectAccess",
        "      weak.dropValue(counts, e, v);\n",
        "");
    inCounts(
        "arguments-not-counted",
        "the arguments of a frame are not counted",
        "heap/Operations",
        "      counts.incrementSlice(newBase, newBase + ((long) args << 3));\n",
        "");
    inCounts(
        "result-not-counted",
        "leaving a frame drops its result, too",
        "heap/Operations",
        "      mem.put(at, Values.UNDEFINED); // its count goes along\n",
        "");
    inRefZero(
        "calls-of-threads-kept",
        "what the calls of a thread hold stays counted when it goes",
        "    for (int b = 0; b < Scanner.blocks(kind); b++) {\n",
        "    for (int b = 0; b < Math.min(1, Scanner.blocks(kind)); b++) {\n");
    inCounts(
        "calls-not-dropped",
        "what the call stack holds stays counted when an error unwinds it",
        "heap/Mutator",
        "      counts.decrementSlice(callEntry(at), callEntry(used));\n",
        "");
    inCounts(
        "global-closed-is-kept",
        "a global that is set drops nothing",
        "heap/Heap",
        "      counts.decrement(globals[g]);\n",
        "");
    inCounts(
        "freed-though-finalizable",
        "counting frees what has a finalizer without it",
        "mark/DuktapeFinalizers",
        "    if (finalize) {\n      table.enqueue(entry);\n",
        "    if (finalize && false) {\n      table.enqueue(entry);\n");
    inCounts(
        "weak-outlives-count",
        "a weak reference stays when counting frees its element",
        "mark/DuktapeFinalizers",
        "    context.weak().clear(element);\n",
        "");
    inCounts(
        "rescue-undecided",
        "a rescue waits for a collection, though counting knows",
        "heap/FinalizerRunner",
        "      decideRescue(counts, rescuable);\n",
        "");
    inRefZero(
        "string-not-removed",
        "a string that counting frees stays in the table",
        "      context.strings().remove(e);\n",
        "");
    inRefZero(
        "dropped-silently",
        "finalizers and callbacks of what a write drops wait for another operation",
        "        || context.natives().hasFreed()\n        || context.finalizers().queued() > 0;\n",
        "        ;\n");
    inRefZero(
        "properties-not-dropped",
        "what the properties of a dead object hold is not dropped",
        "    for (int b = 0; b < Scanner.blocks(kind); b++) {\n",
        "    for (int b = kind == Layout.OBJECT ? 1 : 0; b < Scanner.blocks(kind); b++) {\n");
    inRefZero(
        "stack-not-dropped",
        "what the value stack of a dead thread holds is not dropped",
        "    for (int b = 0; b < Scanner.blocks(kind); b++) {\n",
        "    for (int b = kind == Layout.THREAD ? 1 : 0; b < Scanner.blocks(kind); b++) {\n");
    inRefZero(
        "owned-not-released",
        "the memory that a dead object or thread owns stays",
        "    }\n    release(kind, e);\n  }\n\n  /** Drops the references",
        "    }\n  }\n\n  /** Drops the references");
    inRefZero(
        "freed-not-zeroed",
        "what a freed buffer held is there when its cell is used again",
        "        memory.zero(e + Layout.WORD, words << 3);\n      }\n    }\n    free(kind,",
        "      }\n    }\n    free(kind,");
    inRefZero(
        "owned-not-told",
        "the bytes that a dead element owned are not among those reclaimed",
        "    context.release(kind, e);\n    freedBytes += before - budget.charged();\n",
        "    context.release(kind, e);\n");
    inRefZero(
        "natives-told-late",
        "the callback of a native that a write drops waits for another operation",
        "        || context.natives().hasFreed()\n",
        "");
    inHybrid(
        "large-unmarked-if-new",
        "large elements made during a cycle are not marked, unless they lose a reference",
        "        phase.setMarked(e);\n",
        "");
    inHybrid(
        "counts-not-adjusted",
        "what the dead hold keeps the count of their references",
        "    forEachCounted(this::adjust);\n",
        "");
    inHybrid(
        "large-dead-kept",
        "large elements of dead loops stay",
        "    large.sweep(bits, context::release);\n",
        "");
  }

  private void refusals() {
    inCounts(
        "raise-leaves-first",
        "a raise leaves frames before it finds that its catcher's slot is gone",
        "heap/Mutator",
        "      checkCatcher(d, catcherFrame);\n",
        "");
    inPart(
        "call-enters-first",
        "a call enters its frame before there is room on the call stack",
        "heap/Mutator",
        "      checkFrame(slots);\n" + "      ensureCalls();\n" + "      enterCall(slots, f);\n",
        "      enterFrame(slots);\n"
            + "      ensureCalls();\n"
            + "      leaveFrame();\n"
            + "      enterCall(slots, f);\n");
    inPart(
        "resume-switches-first",
        "a thread runs before there is room for its frame",
        "heap/Coroutines",
        "    ensureFrame(thread, slots, args);\n"
            + "    escape(first, args);\n"
            + "    m.section.depth++; // a switch that is broken off cannot be trusted\n"
            + "    switchTo(suspended(thread));\n",
        "    long _ = wordsWithFrame(thread, slots, args);\n"
            + "    switchTo(suspended(thread));\n"
            + "    m.ensureSize(m.size + 1 + slots);\n"
            + "    m.section.depth++;\n");
    inPart(
        "slot-dropped-first",
        "a slot loses its value before the dynamic buffer for it is made",
        "heap/BufferAccess",
        "    long block = bytes == 0 ? 0 : allocateBlock(bytes);\n",
        "    mutator.setSlot(d, Values.UNDEFINED);\n"
            + "    long block = bytes == 0 ? 0 : allocateBlock(bytes);\n");
    inPart(
        "size-set-first",
        "a dynamic buffer has its new size before it has the bytes",
        "heap/BufferAccess",
        "    driver.beforeAllocation();\n"
            + "    for (int attempt = 0; ; attempt++) {\n"
            + "      // Looked",
        "    driver.beforeAllocation();\n"
            + "    mem.put(buffer(b) + Layout.DYNAMIC_SIZE, 1);\n"
            + "    for (int attempt = 0; ; attempt++) {\n"
            + "      // Looked");
  }
}
