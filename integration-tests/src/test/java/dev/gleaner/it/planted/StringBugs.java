package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** The bugs of strings of bytes, and of what is done with them in the heap. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class StringBugs {
  private static final String API = "api/src/main/java/dev/gleaner/";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private StringBugs() {}

  static List<PlantedBug> all() {
    StringBugs list = new StringBugs();
    list.bytes();
    list.uninterned();
    list.pieces();
    return list.bugs;
  }

  private void in(
      String collector, String part, String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, collector, API + part + ".java", original, planted));
  }

  private void bytes() {
    in(
        "marksweep",
        "table/StringBytes",
        "order-signed",
        "strings come in the order of signed words",
        "? Long.compareUnsigned(Long.reverseBytes(wa), Long.reverseBytes(wb))",
        "? Long.compare(Long.reverseBytes(wa), Long.reverseBytes(wb))");
    in(
        "refcount",
        "table/StringBytes",
        "shorter-not-less",
        "of strings that differ in zeros at the end none is less",
        "    return Integer.compare(na, nb);\n",
        "    return 0;\n");
    in(
        "semispace",
        "util/Utf8",
        "longer-forms-are-text",
        "bytes in a longer form than is needed are text",
        "return c < least || c > Character.MAX_CODE_POINT ? -1 : c;",
        "return c > Character.MAX_CODE_POINT ? -1 : c;");
  }

  private void uninterned() {
    in(
        "marksweep",
        "heap/StringMaker",
        "key-not-interned",
        "a long string that becomes a key keeps the flag of those that are not interned",
        "    mem.put(e, mem.get(e) & ~Layout.FLAG_UNINTERNED);\n",
        "");
    in(
        "hybrid",
        "heap/StringMaker",
        "key-by-identity",
        "a long string finds only the property whose key it is itself",
        "return StringBytes.isInterned(mem, e) ? e : table.find(e, hash(e));",
        "return e;");
    in(
        "refcount",
        "table/StringTable",
        "removed-though-not-there",
        "the string table is to remove strings that it does not have",
        "    if ((memory.get(string) & Layout.FLAG_UNINTERNED) != 0) {\n"
            + "      return;\n"
            + "    }\n"
            + "    int mask",
        "    int mask");
    in(
        "marksweep",
        "heap/StringMaker",
        "two-interned",
        "a long string that is interned does not look for one that is",
        "    if (known != 0) {\n      return shaded(known);\n    }\n    if (!table.isFull()) {",
        "    if (!table.isFull()) {");
  }

  private void pieces() {
    in(
        "semispace",
        "heap/StringPieces",
        "part-of-the-old-place",
        "the part of a string begins where the whole does",
        "part(d, at, length, isAscii, StringMaker.Source.PART, s, from);",
        "part(d, at, length, isAscii, StringMaker.Source.PART, s, 0);");
    in(
        "framestack",
        "heap/StringPieces",
        "joined-to-ascii",
        "a string that is joined is taken for ASCII",
        "    ascii = all;\n",
        "    ascii = true;\n");
    in(
        "refcount",
        "heap/StringMaker",
        "padding-left",
        "what is behind the last byte of a long string is what was in the cell",
        "      mem.put(to + ((length - 1) & -8), 0); // a freed string leaves its words\n",
        "");
    in(
        "hybrid",
        "util/DecimalReader",
        "exponent-unsigned",
        "the exponent of a number has no sign",
        "b[at - 1] == '-' ? power - exponent : power + exponent",
        "power + exponent");
  }
}
