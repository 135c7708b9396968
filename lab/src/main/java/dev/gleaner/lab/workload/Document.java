package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import java.util.Map;

/**
 * A builder of documents. Section by section functions return a tree of objects, other functions
 * return the text of it, joined from the texts of its children, and both are dropped.
 *
 * <pre>
 *   section k    &lt;section id="k"&gt; paragraphs &lt;/section&gt;       1 + index(4) paragraphs
 *   paragraph j  &lt;p id="j"&gt; words &lt;/p&gt;                         1 + index(6) words, j from 0 on
 *   word         w and index(1000), with a space behind
 * </pre>
 *
 * <p>There are no other spaces than those of the tags and behind words. The checksum starts at 0;
 * each byte of the text makes 31 times the checksum plus the byte of it, in 64 bits.
 */
final class Document extends NamedWorkload {
  private static final int TAG_KEY = 0;
  private static final int ID_KEY = 1;
  private static final int CHILDREN_KEY = 2;
  private static final int NODE = 3;
  private static final int LIST = 4;
  private static final int CHILD = 5;
  private static final int TEXT = 6;
  private static final int PIECES = 7;
  private static final int SLOTS = PIECES + 9;

  Document() {
    super(
        "document",
        "a document built section by section: objects and strings that functions return",
        Map.of("n", "200_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    Mutator t = run.openHeap().mutator();
    Generator generator = new Generator();
    byte[] bytes = new byte[1 << 12];
    t.enter(SLOTS);
    t.newString(TAG_KEY, "tag");
    t.newString(ID_KEY, "id");
    t.newString(CHILDREN_KEY, "children");
    long sum = 0;
    for (int k = 0; k < n; k++) {
      element(t, generator, "section", k);
      t.copy(NODE, CHILD);
      text(t);
      int length = t.stringBytes(TEXT);
      t.readString(TEXT, 0, bytes, 0, length);
      for (int i = 0; i < length; i++) {
        sum = 31 * sum + bytes[i];
      }
      t.wipe(NODE);
      if (k % 1000 == 0) {
        run.progress((double) k / n);
      }
    }
    run.beforeDropping();
    t.leave();
    return sum;
  }

  /** Calls the function that makes an element; it is the caller's child then. */
  private static void element(Mutator t, Generator generator, String tag, int id) {
    boolean section = tag.equals("section");
    t.enter(SLOTS, 0, NODE);
    t.newObject(LIST);
    int children = 1 + generator.index(section ? 4 : 6);
    for (int i = 0; i < children; i++) {
      if (section) {
        element(t, generator, "p", i);
      } else {
        t.newString(CHILD, "w" + generator.index(1000));
      }
      t.putIndex(LIST, i, CHILD);
    }
    t.newObject(NODE);
    t.newString(TEXT, tag);
    t.putProperty(NODE, TAG_KEY, TEXT);
    t.setInt(TEXT, id);
    t.putProperty(NODE, ID_KEY, TEXT);
    t.putProperty(NODE, CHILDREN_KEY, LIST);
    t.leave(NODE, CHILD);
  }

  /**
   * Calls the function that returns the text of the caller's node; it is the caller's text then.
   */
  private static void text(Mutator t) {
    t.enter(SLOTS, 0, LIST);
    t.getProperty(LIST, NODE, CHILDREN_KEY);
    t.newString(PIECES, "");
    int children = t.arrayLength(LIST);
    for (int i = 0; i < children; i++) {
      t.getIndex(CHILD, LIST, i);
      if (t.kind(CHILD) == Kind.STRING) {
        t.copy(PIECES + 1, CHILD);
        t.newString(PIECES + 2, " ");
        t.concat(PIECES, PIECES, 3);
      } else {
        t.copy(PIECES + 3, NODE);
        t.copy(NODE, CHILD);
        text(t);
        t.copy(NODE, PIECES + 3);
        t.copy(PIECES + 1, TEXT);
        t.concat(PIECES, PIECES, 2);
      }
    }
    t.copy(PIECES + 5, PIECES);
    t.newString(PIECES, "<");
    t.getProperty(PIECES + 1, NODE, TAG_KEY);
    t.newString(PIECES + 2, " id=\"");
    t.getProperty(PIECES + 3, NODE, ID_KEY);
    t.newString(PIECES + 4, "\">");
    t.newString(PIECES + 6, "</");
    t.copy(PIECES + 7, PIECES + 1);
    t.newString(PIECES + 8, ">");
    t.concat(TEXT, PIECES, 9);
    t.leave(TEXT, TEXT);
  }
}
