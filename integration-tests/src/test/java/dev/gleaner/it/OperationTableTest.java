package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.trace.TraceTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The table of operations in docs/internal/trace-format.md is what their methods declare. */
class OperationTableTest {
  private static final String RENEW = "gleaner.test.renew";
  private static final String HEAD =
      "| code | operation | operands | what they are |\n|---|---|---|---|\n";

  /** The code from which on operations are of a group. */
  private static final TreeMap<Integer, String> GROUPS = new TreeMap<>();

  static {
    GROUPS.put(0, "framing");
    GROUPS.put(8, "frames");
    GROUPS.put(16, "values");
    GROUPS.put(32, "records, and inline slots of objects");
    GROUPS.put(40, "objects");
    GROUPS.put(56, "strings");
    GROUPS.put(64, "buffers");
    GROUPS.put(80, "natives, functions");
    GROUPS.put(88, "threads, call stack");
    GROUPS.put(100, "finalizers, identity, references");
    GROUPS.put(112, "the heap");
    GROUPS.put(140, "values in Java, larger steps, code of functions");
    GROUPS.put(160, "several results, tail calls, ranges of slots, values of coroutines");
    GROUPS.put(220, "weakness, sorts");
  }

  private static String table() {
    StringBuilder table = new StringBuilder(HEAD);
    int group = -1;
    for (TraceOp op : TraceTable.of(Heap.class).all()) {
      if (GROUPS.floorKey(op.code()) != group) {
        group = GROUPS.floorKey(op.code());
        table.append("| | *").append(GROUPS.get(group)).append("* | | |\n");
      }
      String letters = op.letters().isEmpty() ? "–" : op.letters();
      table.append("| " + op.code() + " | `" + op.name() + "` | " + letters + " | ");
      table.append(op.text().isEmpty() ? "|\n" : op.text() + " |\n");
    }
    return table.toString();
  }

  @Test
  void thePageHasTheTableOfTheDeclarations() throws IOException {
    Path module = Path.of(System.getProperty("basedir", System.getProperty("user.dir")));
    Path page = module.resolve("../docs/internal/trace-format.md");
    String text = Files.readString(page);
    int from = text.indexOf(HEAD);
    assertThat(from).as("the head of the table").isPositive();
    int blank = text.indexOf("\n\n", from);
    int to = blank < 0 ? text.length() : blank + 1;
    String renewed = text.substring(0, from) + table() + text.substring(to);
    if (Boolean.getBoolean(RENEW)) {
      Files.writeString(page, renewed);
    }
    assertThat(text.substring(from, to))
        .as("docs/internal/trace-format.md is renewed by this test with -D%s=true", RENEW)
        .isEqualTo(table());
  }
}
