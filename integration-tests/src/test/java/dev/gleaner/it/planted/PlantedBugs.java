package dev.gleaner.it.planted;

import static dev.gleaner.it.planted.Place.in;

import java.util.ArrayList;
import java.util.List;

/** The bugs: of each area of the code, one of each kind of fault. */
final class PlantedBugs {
  private final List<PlantedBug> bugs = new ArrayList<>();
  private String area = "";
  private String collector = "";

  private PlantedBugs() {}

  static List<PlantedBug> all() {
    PlantedBugs list = new PlantedBugs();
    list.marking();
    list.barriers();
    list.sweeping();
    list.counting();
    list.cycles();
    list.finalizers();
    list.weak();
    list.strings();
    list.properties();
    list.indexes();
    list.values();
    list.frames();
    list.coroutines();
    list.frameStack();
    list.semiSpace();
    list.moving();
    list.generational();
    list.limits();
    list.settings();
    list.refusals();
    list.inspection();
    list.images();
    return list.bugs;
  }

  private void area(String name, String under) {
    area = name;
    collector = under;
  }

  private void bug(String name, String text, Edit edit) {
    bug(collector, name, text, edit);
  }

  private void bug(String under, String name, String text, Edit edit) {
    bugs.add(new PlantedBug(area, under, name, text, edit));
  }

  private void marking() {
    area("marking", "marksweep");
    bug(
        "missed-builtins",
        "built-ins are no roots",
        in("MarkPhase.tryStart").call("ImmortalSpace.forEach").skipped());
    bug(
        "missed-slot",
        "the fourth slot of a small record is not marked",
        in("Marker.scanPending").constant(32).becomes(24));
    bug(
        "missed-last-slot",
        "the last word of a block is not marked",
        in("Marker.scanBlocks").call("blockEnd").plus(-8));
    bug(
        "missed-overflow",
        "an element that does not fit on the mark stack is forgotten",
        in("Marker.setGrey").returns(0));
  }

  private void barriers() {
    area("barriers", "marksweep");
    bug(
        "no-barrier",
        "stores during an incremental cycle go unnoticed",
        in("MarkSweepCollector.beforeStore").call("mark").skipped());
    bug(
        "barrier-never-on",
        "the heap is not asked for a barrier during a cycle",
        in("MarkSweepCollector.startCycle").call("setBarrier").with(0, 0));
    bug(
        "running-stacks-missed",
        "what the running threads hold when a cycle begins is not marked",
        in("MarkSweepCollector.startCycle").call("MarkPhase.beginStacks").skipped());
    bug(
        "cycle-not-given-up",
        "a full collection leaves the cycle that it interrupts under way",
        in("MarkSweepCollector.collect").call("abandon").skipped());
    bug(
        "popped-unnoticed",
        "a cycle is not told of what is popped from a thread's stack",
        in("ThreadAccess.pop").call("shadeForSnapshot").skipped());
    bug(
        "deleted-key-unshaded",
        "a cycle is not told of the key of a property that is deleted",
        in("ObjectAccess.delete").call("shadeForSnapshot").nth(2).skipped());
    bug(
        "range-without-barrier",
        "a cycle is not told of what a range of slots replaces",
        in("WordAccess.storeRangeUncounted").call("barrier").becomes(0));
  }

  private void sweeping() {
    area("sweeping", "marksweep");
    bug(
        "buffer-leak",
        "the block of a dynamic buffer stays when the buffer goes",
        in("HeapParts.release").call("AllocationFunctions.free").skipped());
    bug(
        "native-freed-twice",
        "the callback of a native runs twice",
        in("NativeTable.release").call("ArrayDeque.add").twice());
    bug(
        "memory-not-cleared",
        "cells that are used again keep what was in them",
        in("CellSpace.grant").call("Memory.zero").skipped());
    bug(
        "pages-of-a-peak-dirty",
        "pages at the end count as never used, and keep what was in them",
        in("PageAllocator.releaseLast").call("release").becomes(1));
  }

  private void counting() {
    area("counting", "refcount");
    bug(
        "builtins-counted",
        "built-ins are counted, and so freed",
        in("Driver.allocateElement").constant(Long.MIN_VALUE).becomes(0));
    bug(
        "store-not-counted",
        "a store counts the old value only",
        in("ReferenceCounts.doWrite").call("increment").skipped());
    bug(
        "deleted-value-kept",
        "the value of a deleted property is not dropped",
        in("ObjectAccess.delete").call("dropValue").skipped());
    bug(
        "first-block-kept",
        "what the properties of a dead object or the slots of a thread hold is not dropped",
        in("RefZero.dropOwned").constant(0).becomes(1));
    bug(
        "owned-not-released",
        "the memory that a dead object or thread owns stays",
        in("RefZero.dropOwned").call("release").skipped());
    bug(
        "freed-not-zeroed",
        "what a freed buffer held is there when its cell is used again",
        in("RefZero.freeOpaque").call("Memory.zero").skipped());
    bug(
        "natives-told-late",
        "the callback of a native that a write drops waits for another operation",
        in("RefZero.free(J)Z").call("callbacksDue").becomes(0));
  }

  /** What is dead but has a count. */
  private void cycles() {
    area("cycles", "hybrid");
    bug(
        "counts-not-adjusted",
        "what the dead hold keeps the count of their references",
        in("HybridCollector.finish").call("forEachCounted").skipped());
    bug(
        "large-unmarked-if-new",
        "large elements made during a cycle are not marked, unless they lose a reference",
        in("HybridCollector.allocate").call("setMarked").skipped());
    bug(
        "refcount",
        "trial-not-restored",
        "what is alive after all keeps the counts without what was subtracted",
        in("TrialDeletion.restore").constant(1L << 32).becomes(0));
  }

  private void finalizers() {
    area("finalizers", "marksweep");
    bug(
        "finalizers-forgotten",
        "what has a finalizer is freed without it",
        in("MarkPhase.finish").call("find").skipped());
    bug(
        "rescue-not-seen",
        "a rescued element never gets its finalizer back",
        in("DuktapeFinalizers.findUnreached").call("rescue").skipped());
    bug(
        "rescue-seen-too-soon",
        "an element counts as rescued while its finalizer runs",
        in("DuktapeFinalizers.findUnreached").constant(0).nth(1).becomes(1));
    bug(
        "finalized-contents-lost",
        "what an element on the finalize list refers to is not marked",
        in("DuktapeFinalizers.decide").call("reach").skipped());
    bug(
        "semispace",
        "all-of-a-loop",
        "every finalizer of a cycle is due",
        in("OrderedFinalizers.find").call("isReached").nth(1).becomes(0));
    bug(
        "refcount",
        "called-in-a-circle",
        "a finalizer whose element was rescued is called again in the same operation",
        in("FinalizerRunner.call").call("setOperation").skipped());
    bug(
        "bound-for-ever",
        "what finalizers have used up is missing in the next operation",
        in("FinalizerRunner.beginOperation").set("retries").skipped());
    bug(
        "postponed-are-no-roots",
        "an element whose finalizer waits for the next operation is no root",
        in("FinalizerTable.queued").call("LongQueue.size").nth(1).becomes(0));
    bug(
        "heir-forgotten",
        "an object that is made with a prototype inherits no finalizer",
        in("Heirs.addMade").call("enter").skipped());
    bug(
        "heirs-of-later-forgotten",
        "what exists already inherits no finalizer",
        in("Heirs.enterHeirsOf").call("forEachElement").skipped());
    bug(
        "lapsed-heirs-stay",
        "an object that inherits nothing any more is an heir",
        in("Heirs.set").call("removeLapsed").skipped());
    bug(
        "heir-for-free",
        "an object that inherits a finalizer is not charged to the limit",
        in("FinalizerTable.charge").call("chargeExternal").becomes(1));
    bug(
        "semispace",
        "lent-only-once",
        "an object that was finalized lends its finalizer no more",
        in("FinalizerRunner.call").call("isLent").becomes(0));
    bug(
        "semispace",
        "postponed-not-told",
        "the list of what waits for the next operation keeps the old places",
        in("FinalizerTable.relocateQueue").call("applyAsLong").nth(2).passes(0));
    bug(
        "framestack",
        "error-loses-finalizers",
        "an error that a finalizer throws goes to the program",
        in("FinalizerRunner.call").handler("Throwable").by("java.lang.RuntimeException"));
    bug(
        "listener-loses-finalizers",
        "what a listener throws goes to the program, and the finalizers wait",
        in("HeapLog.tell").handler("Throwable").by("java.lang.IllegalArgumentException"));
  }

  private void weak() {
    area("weak", "marksweep");
    bug(
        "weak-not-cleared",
        "weak references to the dead stay",
        in("HeapParts.sweepYoungWeak").call("WeakTable.sweep").skipped());
    bug(
        "weak-key-held-by-value",
        "values of weak keys are traced whether their key is reached or not",
        in("Ephemerons.held").call("isReached").nth(1).becomes(1));
    bug(
        "weak-one-round",
        "what a walk left to the tracer is not asked again",
        in("Ephemerons.traceUntil").call("wakeReached").becomes(0));
    bug(
        "weak-strings-go",
        "strings are not held by weak places",
        in("WeakObjects.isMortal").constant(2).becomes(-1));
    bug(
        "semispace",
        "weak-entries-not-moved",
        "weak tables are not told where elements are now",
        in("PropertyTables.relocate").call("WeakObjects.relocate").skipped());
    bug(
        "generational",
        "weak-young-missed",
        "a minor collection does not look at weak tables that were stored into",
        in("WeakObjects.stored").operator("LOR").passes(0));
    bug(
        "refcount",
        "weak-key-counted",
        "weak keys are counted when they are put",
        in("WeakAccess.putIfRoom").call("holdsKey").becomes(1));
    bug(
        "weak-read-unshaded",
        "a cycle is not told of what is read in a weak table",
        in("ObjectAccess.read").call("WeakAccess.read").skipped());
    bug(
        "framestack",
        "weakness-without-escape",
        "what is in an object that becomes weak goes with a frame",
        in("WeakAccess.set").call("escapingSlot").skipped());
    bug(
        "weakness-array-lost",
        "the first of an array part is lost when it becomes properties",
        in("PropertyTables.makeArrayEntries").call("IndexPart.next").nth(1).with(1, 1));
  }

  private void strings() {
    area("strings", "marksweep");
    bug(
        "intern-leak",
        "interned strings are never dropped",
        in("HeapParts.sweepWeak").call("StringTable.sweep").skipped());
    bug(
        "order-signed",
        "strings come in the order of signed words",
        in("StringBytes.compare").call("compareUnsigned").nth(1).by("compare"));
    bug(
        "semispace",
        "longer-forms-are-text",
        "bytes in a longer form than is needed are text",
        in("Utf8.check").branch("IF_ICMPLT").holds());
    bug(
        "hybrid",
        "key-by-identity",
        "a long string finds only the property whose key it is itself",
        in("StringMaker.known").call("isInterned").becomes(1));
    bug(
        "semispace",
        "part-of-the-old-place",
        "the part of a string begins where the whole does",
        in("StringPieces.substring").call("part").with(6, 0));
    bug(
        "framestack",
        "joined-to-ascii",
        "a string that is joined is taken for ASCII",
        in("StringPieces.measure").set("ascii").becomes(1));
    bug(
        "refcount",
        "padding-left",
        "what is behind the last byte of a long string is what was in the cell",
        in("StringMaker.headUninterned").call("put").nth(2).skipped());
    bug(
        "hybrid",
        "exponent-unsigned",
        "the exponent of a number has no sign",
        in("DecimalReader.read").constant(45).nth(3).condition().fails());
  }

  private void properties() {
    area("properties", "marksweep");
    bug(
        "double-keys-as-they-are",
        "a double is another key than the integer of the same value",
        in("Keys.normal").branch("IFNE").nth(1).fails());
    bug(
        "semispace",
        "element-keys-by-place",
        "a key by identity is searched where it would be if it had not moved",
        in("Keys.hash").get("moving").becomes(0));
    bug(
        "framestack",
        "element-key-without-escape",
        "a record that is a key goes with its frame",
        in("ObjectAccess.keyToHold").call("escapingKey").passes(0));
    bug(
        "refcount",
        "key-not-counted",
        "keys of properties are not counted",
        in("ObjectAccess.store").call("WordAccess.count").skipped());
    bug(
        "own-properties-only",
        "prototypes are not looked up",
        in("PropertySteps.doPlaceOf").call("Memory.get").becomes(0));
    bug(
        "update-of-a-hole",
        "a hole of the array part is updated as if it were a value",
        in("PropertySteps.doUpdate(IIII)Z").constant(-281474976710656L).condition().holds());
  }

  private void indexes() {
    area("indexes", "marksweep");
    bug(
        "border-by-count",
        "the number of indexes is taken for a border whatever is behind it",
        in("PropertyTables.isLikelyAll").call("hasIndex").nth(2).becomes(0));
    bug(
        "refcount",
        "never-dense",
        "indexes that become dense stay among the entries",
        in("IndexPart.isDue").returns(0));
    bug(
        "semispace",
        "dense-too-soon",
        "an index far away makes an array up to there",
        in("IndexPart.goesToArray").constant(2).nth(4).becomes(10_000));
    bug(
        "hybrid",
        "cut-keeps-array",
        "an array that is cut keeps its memory",
        in("ObjectAccess.setLength").call("shrinkArray").skipped());
    bug(
        "framestack",
        "moved-over-itself",
        "indexes that move up within an object are copied from the lowest one on",
        in("ArrayAccess.storeRange").branch("IF_ICMPGT").holds());
    bug(
        "first-index-missed",
        "a walk does not know of indexes that a range has put before all others",
        in("IndexPart.changed").call("inArray").nth(1).skipped());
    bug(
        "generational",
        "moved-untold",
        "a collector that remembers is not told of indexes that are copied",
        in("ArrayAccess.copyRange").call("WordAccess.stored").skipped());
  }

  private void values() {
    area("values", "marksweep");
    bug(
        "number-stored-unnoticed",
        "a cycle is not told of a reference that a number replaces",
        in("WordAccess.storeValue").call("barrier").becomes(0));
    bug(
        "refcount",
        "number-drops-nothing",
        "a reference that a number replaces in a slot stays counted",
        in("WordAccess.isUncounted").returns(1));
    bug(
        "reference-from-java",
        "a reference that Java kept is taken for a value",
        in("ValueAccess.checkPlain").call("isPlain").becomes(1));
    bug(
        "sort-not-replaced",
        "an element keeps bits of the sort it had before",
        in("ValueAccess.setSort").constant(-61441).becomes(-1));
    bug(
        "semispace",
        "integers-differ",
        "large integers are the same only if they are one element",
        in("ValueAccess.same").call("isBox").nth(1).becomes(0));
    bug(
        "hybrid",
        "large-doubles-as-they-are",
        "a negative double is another key than the large integer of its value",
        in("Keys.isWide").constant(-0x1p63).becomes(0));
  }

  private void frames() {
    area("frames", "refcount");
    bug(
        "result-not-counted",
        "leaving a frame drops its result, too",
        in("WordAccess.take").call("Memory.put").skipped());
    bug(
        "results-drop-late",
        "what several results replace goes with a later operation",
        in("FrameAccess.doLeave(LWordAccess;IIII)I").call("settle").skipped());
    bug(
        "marksweep",
        "tail-call-keeps-catchers",
        "a tail call leaves the catchers of the frame that it replaces",
        in("FrameAccess.doTailCall").get("callBase").condition().fails());
    bug(
        "marksweep",
        "missing-results-are-stale",
        "slots without a result keep what they held",
        in("FrameAccess.doLeave(LWordAccess;IIII)I").call("fill").skipped());
    bug(
        "marksweep",
        "copied-backwards",
        "ranges that overlap are copied from the wrong end",
        in("WordAccess.move").branch("IFGT").negated());
  }

  private void coroutines() {
    area("coroutines", "refcount");
    bug(
        "values-uncounted",
        "values that are handed over are not counted",
        in("ThreadAccess.land").call("WordAccess.count").skipped());
    bug(
        "marksweep",
        "pushed-left-behind",
        "what was pushed onto a thread does not get into the frame that runs",
        in("ThreadAccess.resume").call("WordAccess.move").nth(1).skipped());
    bug(
        "framestack",
        "resume-without-escape",
        "a thread that is resumed holds arguments that go with a frame",
        in("ThreadAccess.resume").call("WordAccess.escape").skipped());
    bug(
        "framestack",
        "switch-without-evacuation",
        "records stay behind when another thread runs",
        in("WordAccess.evacuate").call("FrameBuffer.evacuate").skipped());
  }

  private void frameStack() {
    area("framestack", "framestack");
    bug(
        "results-die-with-their-frame",
        "of several results none is looked for among the records of the frame",
        in("YoungFrames.leaveWith").call("isAnyInLast").becomes(0));
    bug(
        "left-words-stay",
        "a record has the words of one that a small frame left",
        in("YoungFrames.drop").call("Memory.zero").skipped());
    bug(
        "grown-without-marks",
        "frames begin where a region grew from",
        in("YoungFrames.move").operator("LADD").nth(5).passes(0));
    bug(
        "grant-forgotten",
        "what is granted of a region stays charged when that becomes larger",
        in("YoungFrames.resize").call("retire").skipped());
    bug(
        "store-unchecked",
        "a collected element holds whatever is stored into it",
        in("WordAccess.isAsOld").returns(1));
    bug(
        "left-tables-of-callers",
        "a frame that is left takes the tables of its callers' objects with it",
        in("YoungFrames.dropObjects").call("dropFrom").withCopy(1, 0));
    bug(
        "held-by-the-dead",
        "a collection leaves dead records that hold what it reclaimed",
        in("FrameStackCollector.mark").call("YoungFrames.forEach").skipped());
    bug(
        "alive-and-marked",
        "a record that was found alive keeps the mark",
        in("Liveness.unmark").constant(0xffff_ffffL).becomes(-1));
    bug(
        "lowered-alone",
        "an element becomes older without what it reaches",
        in("Promotion.lowerOne").call("hasReferences").becomes(0));
    bug(
        "promotion-unlisted",
        "what is promoted is on no list",
        in("Promotion.generation").call("add").skipped());
  }

  private void semiSpace() {
    area("semispace", "semispace");
    bug(
        "tables-not-scanned",
        "property tables keep the old places",
        in("semispace.Evacuator.scanElement").constant(0).becomes(1));
    bug(
        "marks-left",
        "large elements stay marked",
        in("SemiSpaceCollector.collect").call("LargeSpace.forEach").skipped());
    bug(
        "owned-by-the-dead",
        "what the dead own is not given back",
        in("SemiSpaceCollector.release").call("CopySpace.forEach").skipped());
    bug(
        "left-half-charged",
        "what was left behind stays charged",
        in("Allocator.moveTo").call("refund").skipped());
    bug(
        "span-not-cleared",
        "memory that is used again keeps what was in it",
        in("Allocator.newSpan").call("Memory.zero").skipped());
    bug(
        "no-room-for-a-half",
        "no pages are kept for copies",
        in("CopySpaces.keepRoom(J)Z").returns(1));
    bug(
        "pins-no-roots",
        "a pinned buffer goes when nothing else refers to it",
        in("Heap.HeapRoots.forEachRoot").call("PinTable.forEachRoot").skipped());
    bug(
        "pinned-moves",
        "a pinned buffer is copied like others",
        in("BufferAccess.hold").call("stays").becomes(1));
  }

  private void moving() {
    area("moving", "poison");
    bug(
        "tables-not-told",
        "weak references, finalizers, hashes and strings are not told that elements moved",
        in("PoisonCollector.copy").call("relocate").skipped());
    bug(
        "roots-not-changed",
        "the roots keep the old places",
        in("PoisonCollector.copy").call("forEachRoot").skipped());
  }

  private void generational() {
    area("generational", "generational");
    bug(
        "untold-key",
        "a collector that remembers is not told of new keys",
        in("ObjectAccess.store").call("remember").skipped());
    bug(
        "untold-thread",
        "a collector that remembers is not told that a thread has run",
        in("heap.Registers.flush").call("afterStore").skipped());
    bug(
        "minor-uses-the-trigger-up",
        "what minor collections reclaim counts as garbage that waits for a full one",
        in("Driver.finished").operator("LADD").nth(4).passes(0));
    bug(
        "promoted-not-remembered",
        "a promoted element that refers to a survivor is not remembered",
        in("generational.Evacuator.scanPromoted").call("Remembered.add").skipped());
    bug(
        "slots-of-large-forgotten",
        "slots of large elements are not remembered",
        in("Remembered.stored").call("RememberedSet.add").skipped());
    bug(
        "young-finalizers-forgotten",
        "a minor collection frees what has a finalizer without it",
        in("DuktapeFinalizers.findYoung").call("enqueue").guard().negated());
    bug(
        "string-table-not-told",
        "the string table is not told where a minor collection put a string",
        in("StringTable.relocate(JJ)V").call("Memory.put").skipped());
  }

  private void limits() {
    area("limits", "marksweep");
    bug(
        "wrong-limit",
        "the limit is 4 KiB too high",
        in("space.Budget.<init>").set("max").plus(4096));
    bug(
        "sweep-refunds-nothing",
        "the bytes of small elements that were freed stay charged",
        in("CellSpace.sweepBlock").call("refund").skipped());
    bug(
        "never-voluntary",
        "the voluntary trigger never fires",
        in("VoluntaryTrigger.due").returns(0));
    bug(
        "no-emergency",
        "an emergency is like any other collection",
        in("HeapParts.tidy").constant(1).nth(1).becomes(0));
    bug(
        "page-size-assumed",
        "the system's pages are taken for 4 KiB",
        in("ReservedMemory.pageSize").returns(4096));
  }

  private void settings() {
    area("settings", "marksweep");
    bug(
        "voluntary-though-off",
        "the voluntary trigger fires though it is off",
        in("VoluntaryTrigger.due").get("enabled").becomes(1));
    bug(
        "finalizers-though-off",
        "the setting that turns finalizers off is ignored when they are found",
        in("DuktapeFinalizers.<init>").call("HeapSettings.finalizers").becomes(1));
    bug(
        "compacts-though-told-not-to",
        "an emergency compacts property tables whatever the flags say",
        in("HeapParts.tidy").constant(4).becomes(0));
    bug(
        "resizes-though-told-not-to",
        "the string table is resized whatever the flags say",
        in("HeapParts.tidy").constant(8).nth(1).becomes(0));
  }

  private void refusals() {
    area("refusals", "marksweep");
    bug(
        "refcount",
        "raise-leaves-first",
        "a raise leaves frames before it finds that its catcher's slot is gone",
        in("CallAccess.raise").call("checkCatcher").skipped());
    bug(
        "semispace",
        "pinned-resized",
        "a dynamic buffer is resized though it is pinned",
        in("BufferAccess.checkUnpinned").returns(0));
    bug(
        "grown-not-cleared",
        "what a dynamic buffer grows by keeps what was there",
        in("BufferAccess.reallocate").call("clear").skipped());
  }

  private void inspection() {
    area("inspection", "marksweep");
    bug(
        "path-through-weak-key",
        "a path goes from a weak table to what a weak key holds",
        in("Inspector.Search.held").branch("IFNE").nth(2).holds());
    bug(
        "path-not-through-weak-table",
        "no path goes through a weak table",
        in("Inspector.Search.path").call("WeakObjects.forEachHeld").skipped());
  }

  private void images() {
    area("images", "marksweep");
    bug(
        "refcount",
        "opened-table-not-counted",
        "what the property table of an opened object holds is not counted",
        in("ImageLoader.fillObject").call("count").skipped());
    bug(
        "semispace",
        "opened-are-no-roots",
        "a collection moves elements that an image is filled into, and nobody tells",
        in("Heap.HeapRoots.forEachRoot").call("ImageLoader.forEachRoot").skipped());
    bug(
        "opened-array-not-counted",
        "an array of an image has no values",
        in("TableImage.readArray").call("IndexPart.restored").skipped());
    bug(
        "opened-without-catchers",
        "the call stacks of an image are empty",
        in("ImageLoader.readCalls").call("ImageLoader.put").nth(2).skipped());
    bug(
        "opened-string-not-interned",
        "a string of an image is not in the table",
        in("StringMaker.load").call("StringTable.insert").skipped());
    bug(
        "opened-walk-lost",
        "an opened table does not know how its entries were numbered",
        in("TableImage.readRuns").call("EntryNumbers.restored").skipped());
    bug("opened-hash-lost", "identity hashes are not saved", in("ImageWriter.isNoted").returns(0));
    bug(
        "generational",
        "opened-threads-forgotten",
        "a thread of an image does not hold what is young",
        in("GenerationalCollector.allocateOld").call("Remembered.add").skipped());
    bug(
        "generational",
        "finalizers-misnumbered",
        "a collection takes finalizers for older than they are",
        in("GenerationalCollector.collect").call("lastSerial").plus(3));
  }
}
