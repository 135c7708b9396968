package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** The bugs of the semispace collector. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class SemiSpaceBugs {
  private static final String FOLDER =
      "collector-semispace/src/main/java/dev/gleaner/collector/semispace/";

  private static final String API = "api/src/main/java/dev/gleaner/heap/";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private SemiSpaceBugs() {}

  static List<PlantedBug> all() {
    SemiSpaceBugs list = new SemiSpaceBugs();
    list.ordering();
    list.copying();
    list.allocating();
    list.pinning();
    return list.bugs;
  }

  private void inApi(String part, String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "semispace", API + part + ".java", original, planted));
  }

  private void in(String part, String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, "semispace", FOLDER + part + ".java", original, planted));
  }

  private void ordering() {
    String part = "OrderedFinalizers";
    in(
        part,
        "order-ignored",
        "an element that a later finalizer reaches keeps its turn",
        "if (reached == bit) { // state 0 or 2",
        "if (!reached && !bit) {");
    in(
        part,
        "order-bits-left",
        "the bits of what waits are not cleared",
        """
                table.enqueue(marked[i]);
                visit(x);
        """,
        """
                table.enqueue(marked[i]);
        """);
    in(
        part,
        "loop-from-its-end",
        "of a loop the finalizer that was set last is taken",
        "for (int entry = 0; entry < bound; entry++) {",
        "for (int entry = bound - 1; entry >= 0; entry--) {");
    in(
        part,
        "all-of-a-loop",
        "every finalizer of a loop is due",
        "if (x == 0 || evacuator.isReached(x)) {",
        "if (x == 0 || (evacuator.isReached(x) && !hasBit(evacuator.moved(x)))) {");
    in(
        part,
        "waiting-not-followed",
        "what waits is kept, but not what it reaches",
        """
              long _ = evacuator.forward(x);
              evacuator.drain();
        """,
        """
              long _ = evacuator.forward(x);
        """);
    bugs.add(
        new PlantedBug(
            "finalizer-not-detached",
            "a finalizer stays set when it is called",
            "semispace",
            "api/src/main/java/dev/gleaner/heap/FinalizerRunner.java",
            "      table.removeEntry(entry);\n",
            "      table.setState(entry, FinalizerTable.IDLE);\n"));
  }

  private void copying() {
    in(
        "Evacuator",
        "large-not-scanned",
        "what large elements and built-ins hold is not copied",
        """
              scanElement(e, memory.get(e));
              any = true;
        """,
        """
              any = true;
        """);
    in(
        "Evacuator",
        "tables-not-scanned",
        "property tables keep the old places",
        "for (int b = 0; b < Scanner.blocks(kind); b++) {",
        "for (int b = 0; kind != Layout.OBJECT && b < Scanner.blocks(kind); b++) {");
    in(
        "SemiSpaceCollector",
        "places-not-told",
        "weak references, finalizers, hashes and strings keep the old places",
        "    context.relocate(moved);\n",
        "");
    in(
        "SemiSpaceCollector",
        "marks-left",
        "large elements stay marked",
        "    large.forEach(clearMark);\n",
        "");
    in(
        "SemiSpaceCollector",
        "owned-by-the-dead",
        "what the dead own is not given back",
        "    current.owners.forEach(releaseDead);\n",
        "");
  }

  private void allocating() {
    in(
        "Allocator",
        "copies-charged",
        "what was copied is charged as well as what was left",
        "    budget.refund(charged - live);\n",
        "    budget.refund(charged - live - live);\n");
    in(
        "Allocator",
        "buffers-in-the-half-left",
        "allocation goes on in the half that was left",
        "        Arrays.fill(b.buffers, 0);\n" + "        Arrays.fill(b.spanEnd, 0);\n",
        "");
    in(
        "Allocator",
        "span-not-cleared",
        "memory that is used again keeps what was in it",
        "    memory.zero(at, span);\n",
        "");
    in(
        "CopySpaces",
        "no-room-for-a-half",
        "no pages are kept for copies",
        "    return raw.reserveCopies(bytes() + left + chunk, PARTS, taken() + chunk,"
            + " other.taken());\n",
        "    return raw != null;\n");
  }

  private void pinning() {
    inApi(
        "Heap",
        "pins-no-roots",
        "a pinned buffer goes when nothing else refers to it",
        "    context.pins().forEachRoot(visitor);\n",
        "");
    inApi(
        "BufferAccess",
        "pinned-moves",
        "a pinned buffer is copied like others",
        "    for (int attempt = 0; fixed && !collector.stays(buffer(b)); ) {\n",
        "    for (int attempt = 1; attempt == 0; ) {\n");
    inApi(
        "BufferAccess",
        "pinned-resized",
        "a dynamic buffer is resized though it is pinned",
        "    if (context.pins().size() > 0 && context.pins().contains(buffer(b))) {\n",
        "    if (context.pins().size() < 0) {\n");
    in(
        "SemiSpaceCollector",
        "pinned-counted",
        "a buffer that is pinned counts as made once more",
        "allocatedElements() - pinnedElements;\n",
        "allocatedElements();\n");
  }
}
