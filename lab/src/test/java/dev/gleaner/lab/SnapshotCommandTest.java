package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.NamedObjects;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code gleaner snapshot} and {@code gleaner inspect}. */
class SnapshotCommandTest {
  @TempDir private Path folder;
  private String out = "";
  private String err = "";

  private int gleaner(String... arguments) {
    Result result = Result.of(arguments);
    out = result.out();
    err = result.err();
    return result.status();
  }

  private String file() {
    return folder.resolve("a.hprof").toString();
  }

  @Test
  void showsTheLongLivedTree() {
    assertThat(gleaner("snapshot", "binary-trees:depth=8", "-o", file(), "--collector=refcount"))
        .as(err)
        .isZero();
    assertThat(err).isEmpty();
    assertThat(out).startsWith(file() + ": ").contains("the heap of refcount", "511 records");
    assertThat(out.replace(file(), "trees.hprof").lines()).allMatch(line -> line.length() < 80);
    assertThat(gleaner("inspect", file(), "--top", "3")).as(err).isZero();
    // 511 nodes of 16 + 2 * 8 bytes, all held by the one in the frame's slot
    assertThat(out.lines().toList())
        .anyMatch(line -> line.matches("gleaner\\.Record_rr +511 +16\\.0 KiB +16\\.0 KiB"))
        .anyMatch(line -> line.matches("0x\\p{XDigit}+ +gleaner\\.Record_rr +32 B +16\\.0 KiB .*"))
        .anyMatch(line -> line.startsWith("and ") && line.endsWith("more classes (--top)"));
    String root = out.lines().filter(l -> l.startsWith("0x")).findFirst().orElseThrow();
    String id = root.substring(0, root.indexOf(' '));
    assertThat(gleaner("inspect", file(), "--path", id)).isZero();
    assertThat(out).isEqualTo("root, frame's slot: gleaner.Record_rr " + id + "\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gcbench",
        "binary-trees:depth=6",
        "cycles:n=1000",
        "churn:slots=100,n=1000",
        "strings:n=1000,distinct=100",
        "graph:n=1000",
        "list:n=1000",
        "tail:n=1000",
        "closures:n=1000",
        "finalizers:n=1000",
        "properties:n=1000",
        "buffers:n=1000"
      })
  @Tag("exhaustive")
  void everyWorkloadHasAMomentForIt(String workload) throws IOException {
    String at = workload.equals("gcbench") ? "--at=1000" : "-Dgleaner.verify=off";
    assertThat(gleaner("snapshot", workload, "-o", file(), "--collector=marksweep", at))
        .as(err)
        .isZero();
    assertThat(Files.size(Path.of(file()))).isGreaterThan(1000);
    assertThat(gleaner("inspect", file())).as(err).isZero();
  }

  @Test
  void isTakenAfterSoManyElements() {
    assertThat(gleaner("snapshot", "churn:slots=10,n=100000", "-o", file(), "--at=50000"))
        .as(err)
        .isZero();
    assertThat(out).containsPattern("after [5-9]\\d\\.\\d k elements allocated");
    assertThat(gleaner("snapshot", "churn:slots=10,n=1000", "-o", file(), "--at=50000"))
        .isEqualTo(2);
    assertThat(err).contains("--at 50000: churn allocates only 1012 elements");
  }

  @Test
  void saysWhatIsWrong() throws IOException {
    for (List<String> wrong :
        List.of(
            List.of("(churn?)", "snapshot", "chrun", "-o", file()),
            List.of("Missing required option", "snapshot", "churn"),
            List.of("(refcount?)", "snapshot", "churn", "-o", file(), "--collector=refcont"),
            List.of("one is needed", "snapshot", "churn", "-o", file(), "--collector=all"),
            List.of("no such folder", "snapshot", "churn", "-o", "/none/at.all"),
            List.of("is a folder", "snapshot", "churn", "-o", folder.toString()),
            List.of("--at -1: at least 0", "snapshot", "churn", "-o", file(), "--at=-1"),
            List.of("opens heaps of its own", "snapshot", "tenants:heaps=2", "-o", file()),
            List.of("there is no such file", "inspect", "/none/at.all"),
            List.of("--top -1: at least 0", "inspect", file(), "--top=-1"),
            List.of("--path x: a number is needed", "inspect", file(), "--path=x"))) {
      assertThat(gleaner(wrong.subList(1, wrong.size()).toArray(new String[0])))
          .as("%s", wrong)
          .isEqualTo(2);
      assertThat(err).startsWith("gleaner: ").contains(wrong.getFirst());
    }
    assertThat(gleaner("snapshot", "list:n=1000", "-o", file())).isZero();
    byte[] whole = Files.readAllBytes(Path.of(file()));
    Files.write(Path.of(file()), java.util.Arrays.copyOf(whole, whole.length / 2));
    assertThat(gleaner("inspect", file())).isEqualTo(2);
    assertThat(err).contains("truncated: it ends at byte " + whole.length / 2);
    assertThat(gleaner("snapshot", "list:n=1000", "-o", file())).isZero();
    assertThat(gleaner("inspect", file(), "--path=0x3")).isEqualTo(2);
    assertThat(err).contains("there is no object 0x3 in it");
  }

  @Test
  void aHeapThatIsTooSmallIsAFailure() {
    assertThat(gleaner("snapshot", "binary-trees:depth=14", "-o", file(), "--max-memory=64k"))
        .isEqualTo(1);
    assertThat(err).contains("gleaner: heap");
  }

  @Test
  void helps() {
    assertThat(gleaner("snapshot", "--help")).isZero();
    assertThat(out).contains("gleaner snapshot binary-trees:depth=14 -o trees.hprof", "--at=N");
    assertThat(gleaner("inspect", "--help")).isZero();
    assertThat(out).contains("jcmd PID GC.heap_dump app.hprof", "--path=ID", "--top=N");
  }

  private Path image() throws IOException {
    Path file = folder.resolve("warm.img");
    Finalizer finalizer = (_, _) -> {};
    try (Heap heap =
        Gleaner.factory(ConfigFactory.parseString("gleaner.collector = hybrid")).open()) {
      Mutator t = heap.mutator();
      t.enter(3);
      t.newRecord(0, 2);
      t.setFinalizer(0, "label", finalizer);
      t.newString(1, "held\u001b[31m by the record\n");
      t.store(0, 1, 1);
      GlobalRef global = heap.newGlobal();
      t.setGlobal(global, 0);
      t.newThread(2);
      heap.image(new NamedObjects().bind("clo\u001b[31mse", finalizer).save("registry", global))
          .write(file);
    }
    return file;
  }

  @Test
  void showsAnImage() throws IOException {
    String image = image().toString();
    assertThat(gleaner("inspect", image)).as(err).isZero();
    assertThat(out.lines().toList())
        .anyMatch(line -> line.matches(".*: a heap image of 4 elements, .* in a heap"))
        .anyMatch(line -> line.matches("record +1 +24 B"))
        .anyMatch(line -> line.matches("gleaner.Record_.* +1 +\\d+ B .*"))
        .contains("  finalizer \"clo\\u001b[31mse\"", "  \"registry\"", "    state: running");
    assertThat(out).doesNotContain("\u001b");
    String record = out.lines().filter(l -> l.contains("gleaner.Record")).toList().getLast();
    assertThat(gleaner("inspect", image, "--path", record.substring(0, record.indexOf(' '))))
        .isZero();
    assertThat(out).startsWith("root, ").contains("gleaner.Record");
  }

  @Test
  void saysWhereAnImageIsDamaged() throws IOException {
    Path image = image();
    byte[] bytes = Files.readAllBytes(image);
    Files.write(image, Arrays.copyOf(bytes, bytes.length - 1));
    assertThat(gleaner("inspect", image.toString())).isEqualTo(2);
    assertThat(err).contains("warm.img: a heap image with a body of");
    assertThat(out).isEmpty();
    bytes[24]++; // the number of elements
    CRC32C sum = new CRC32C();
    sum.update(bytes, 16, bytes.length - 16);
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(12, (int) sum.getValue());
    Files.write(image, bytes);
    assertThat(gleaner("inspect", image.toString())).isEqualTo(2);
    assertThat(err).contains("warm.img: ").containsPattern("byte \\d+");
    assertThat(out).isEmpty();
  }
}
