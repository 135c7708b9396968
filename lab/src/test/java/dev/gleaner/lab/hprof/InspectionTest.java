package dev.gleaner.lab.hprof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;

class InspectionTest {
  private static final long OBJECT = 0x10;
  private static final long ARRAY = 0x20;
  private static final long BYTES = 0x30;
  private static final long NODE = 0x1000;
  private static final int HEADER = 2 * 8;

  @TempDir private Path folder;

  /** Holds what only it holds, in a dump of this JVM. */
  private static final class Holder {
    private final long[][] arrays = new long[100][50];
  }

  private static final Holder HELD = new Holder();

  private static HprofFile named(HprofFile to, int id, String name) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    return to.record(
        0x01,
        body -> {
          body.id(id);
          for (byte b : text) {
            body.u1(b);
          }
        });
  }

  private static HprofFile start() {
    HprofFile file = new HprofFile(8).header("1.0.2");
    named(file, 1, "java/lang/Object");
    named(file, 2, "[Ljava/lang/Object;");
    named(file, 3, "[B");
    return file.record(0x02, to -> to.u4(1).id(OBJECT).u4(0).id(1))
        .record(0x02, to -> to.u4(3).id(BYTES).u4(0).id(3))
        .record(0x02, to -> to.u4(2).id(ARRAY).u4(0).id(2));
  }

  private static HprofFile classes(HprofFile to) {
    to.classStart(OBJECT, 0, 0, 0).u2(0).u2(0).u2(0);
    to.classStart(ARRAY, OBJECT, 0, 0).u2(0).u2(0).u2(0);
    to.classStart(BYTES, OBJECT, 0, 0).u2(0).u2(0).u2(0);
    return to.root(0x05, OBJECT, 0).root(0x05, ARRAY, 0).root(0x05, BYTES, 0);
  }

  /** Writes a graph of arrays; those numbered below {@code roots} are held by roots. */
  private Path write(int[][] graph, int roots) throws IOException {
    return start()
        .record(
            0x1c,
            to -> {
              classes(to);
              for (int i = 0; i < graph.length; i++) {
                long[] targets = new long[graph[i].length];
                for (int k = 0; k < targets.length; k++) {
                  targets[k] = NODE + graph[i][k] * 8L;
                }
                to.objectArray(NODE + i * 8L, ARRAY, targets);
              }
              for (int i = 0; i < roots; i++) {
                to.root(0x01, NODE + i * 8L, 8);
              }
            })
        .record(0x2c, to -> {})
        .save(folder);
  }

  /** A random graph whose roots nothing else refers to: VisualVM would count them to who does. */
  private static int[][] random(SplittableRandom random, int nodes, int roots) {
    int[][] graph = new int[nodes][];
    int most = random.nextInt(1, 5);
    for (int i = 0; i < nodes; i++) {
      graph[i] = new int[random.nextInt(most + 1)];
      for (int k = 0; k < graph[i].length; k++) {
        int near = Math.clamp(i + random.nextInt(-10, 30), roots, nodes - 1);
        graph[i][k] = random.nextInt(4) == 0 ? random.nextInt(roots, nodes) : near;
      }
    }
    return graph;
  }

  private static BitSet reached(int[][] graph, int roots, int without) {
    BitSet seen = new BitSet();
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    for (int i = 0; i < roots; i++) {
      if (i != without) {
        seen.set(i);
        queue.add(i);
      }
    }
    while (!queue.isEmpty()) {
      for (int target : graph[queue.remove()]) {
        if (target != without && !seen.get(target)) {
          seen.set(target);
          queue.add(target);
        }
      }
    }
    return seen;
  }

  private static long bytes(int[][] graph, BitSet of) {
    return of.stream().mapToLong(i -> HEADER + 8 + 8L * graph[i].length).sum();
  }

  private static Map<Long, Long> retained(Inspection inspection) {
    Map<Long, Long> retained = new HashMap<>();
    inspection.largest(Integer.MAX_VALUE).forEach(row -> retained.put(row.id(), row.retained()));
    return retained;
  }

  private static Inspection.ClassRow row(Inspection inspection, String name) {
    return inspection.classes().stream()
        .filter(row -> row.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void retainsWhatGoesIfTheObjectDoes() throws IOException {
    SplittableRandom random = new SplittableRandom(5);
    for (int run = 0; run < 300; run++) {
      int nodes = random.nextInt(5, 120);
      int roots = random.nextInt(1, 5);
      int[][] graph = random(random, nodes, roots);
      Inspection inspection = Inspection.of(write(graph, roots));
      Map<Long, Long> retained = retained(inspection);
      BitSet all = reached(graph, roots, -1);
      for (int i = 0; i < nodes; i++) {
        if (all.get(i)) {
          long rest = bytes(graph, reached(graph, roots, i));
          assertThat(retained.get(NODE + i * 8L))
              .as("run %d, node %d", run, i)
              .isEqualTo(bytes(graph, all) - rest);
        } else {
          assertThat(retained).doesNotContainKey(NODE + i * 8L);
        }
      }
      Inspection.ClassRow arrays = row(inspection, "java.lang.Object[]");
      assertThat(arrays.objects()).isEqualTo(nodes);
      assertThat(arrays.retained()).isEqualTo(bytes(graph, all));
      assertThat(inspection.totals().reachable()).isEqualTo(all.cardinality() + 3L);
    }
  }

  /** Builds a graph of records in a heap, held by globals, and writes its snapshot. */
  private Path snapshot(int[][] graph, int roots) throws IOException {
    Path file = Files.createTempFile(folder, "snapshot", ".hprof");
    try (Heap heap = Gleaner.factory(ConfigFactory.load()).open();
        OutputStream out = Files.newOutputStream(file)) {
      Mutator t = heap.mutator();
      t.enter(3);
      t.newRecord(0, graph.length);
      for (int i = 0; i < graph.length; i++) {
        t.newRecord(1, graph[i].length);
        t.store(0, i, 1);
      }
      for (int i = 0; i < graph.length; i++) {
        t.load(1, 0, i);
        for (int k = 0; k < graph[i].length; k++) {
          t.load(2, 0, graph[i][k]);
          t.store(1, k, 2);
        }
        if (i < roots) {
          t.setGlobal(heap.newGlobal(), 1);
        }
      }
      t.leave();
      heap.collect();
      heap.inspect().writeSnapshot(out);
    }
    return file;
  }

  @Test
  void agreesWithVisualVm() throws IOException {
    SplittableRandom random = new SplittableRandom(6);
    for (int run = 0; run < 20; run++) {
      Path file = snapshot(random(random, 1000, 4), 4);
      org.netbeans.lib.profiler.heap.Heap theirs = HeapFactory.createHeap(file.toFile());
      int compared = 0;
      for (Inspection.ObjectRow row : Inspection.of(file).largest(Integer.MAX_VALUE)) {
        if (!row.className().equals("java.lang.Class")) {
          Instance their = theirs.getInstanceByID(row.id());
          assertThat(their.getSize()).isEqualTo(row.bytes());
          assertThat(their.getRetainedSize())
              .as("run %d, %s %x", run, row.className(), row.id())
              .isEqualTo(row.retained());
          compared++;
        }
      }
      assertThat(compared).isGreaterThan(4);
    }
  }

  @Test
  void walksALongList() throws IOException {
    int[][] graph = new int[300_000][];
    for (int i = 0; i < graph.length; i++) {
      graph[i] = i + 1 < graph.length ? new int[] {i + 1} : new int[0];
    }
    Inspection inspection = Inspection.of(write(graph, 1));
    Inspection.ObjectRow first = inspection.largest(1).getFirst();
    assertThat(first.id()).isEqualTo(NODE);
    assertThat(first.retained()).isEqualTo(graph.length * (HEADER + 8L + 8) - 8);
    assertThat(inspection.path(NODE + 8L * 1000)).hasSize(1001).last().asString().startsWith("[0]");
  }

  /**
   * A list, with many objects that its end and its start refer to: each is dominated by the start,
   * and to climb there by the list takes a step an object of the list.
   */
  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES)
  void aGraphThatWasMadeToBeSlowTakesAFewStepsAReference() throws IOException {
    int n = 300_000;
    int[][] graph = new int[2 * n][];
    Arrays.setAll(graph, i -> i < n - 1 ? new int[] {i + 1} : new int[0]);
    graph[n - 1] = IntStream.range(n, 2 * n).toArray();
    graph[0] = IntStream.concat(IntStream.of(1), IntStream.range(n, 2 * n)).toArray();
    Dominators dominators = new Dominators(ObjectGraph.read(write(graph, 1)));
    assertThat(dominators.steps()).isLessThan(8L * 4 * n);
    assertThat(dominators.reachable()).isEqualTo(2 * n + 3);
  }

  @Test
  void findsAShortestPath() throws IOException {
    int[][] graph = {{2}, {3}, {3, 4}, {5, 4}, {6}, {}, {}, {}};
    Inspection inspection = Inspection.of(write(graph, 2));
    assertThat(inspection.path(NODE + 4 * 8))
        .containsExactly(
            "root, global reference: java.lang.Object[] 0x1000",
            "[0]: java.lang.Object[] 0x1010",
            "[1]: java.lang.Object[] 0x1020");
    assertThat(inspection.path(NODE + 7 * 8)).isEmpty();
    assertThatThrownBy(() -> inspection.path(7))
        .isInstanceOf(HprofException.class)
        .hasMessageContaining("there is no object 0x7 in it");
  }

  @Test
  void namesFields() throws IOException {
    Inspection inspection = Inspection.of(HprofFile.example(4).save(folder));
    assertThat(inspection.path(HprofFile.SECOND))
        .containsExactly("root, native frame's slot: class 0x30 0xf0000000");
    assertThat(inspection.totals().objects()).isEqualTo(HprofFile.EXAMPLE_OBJECTS);
    assertThat(inspection.path(HprofFile.LEAF_CLASS))
        .containsExactly(
            "root, native frame's slot: class 0x30 0xf0000000", "refers to java.lang.Class 0x30");
  }

  @Test
  void readsADumpOfThisJvm() throws IOException {
    Path file = folder.resolve("this.hprof");
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpHeap(file.toString(), true);
    Inspection inspection = Inspection.of(file);
    org.netbeans.lib.profiler.heap.Heap theirs = HeapFactory.createHeap(file.toFile());
    for (String name : List.of("java.lang.String", "byte[]", "java.lang.Object[]")) {
      JavaClass their = theirs.getJavaClassByName(name);
      assertThat(row(inspection, name).objects()).as(name).isEqualTo(their.getInstancesCount());
    }
    String holder = Holder.class.getName();
    long arrays = HEADER + 8 + 100 * 8 + 100L * (HEADER + 8 + 50 * 8);
    assertThat(HELD.arrays).hasDimensions(100, 50);
    assertThat(row(inspection, holder).retained()).isEqualTo(HEADER + 8 + arrays);
    Instance instance = (Instance) theirs.getJavaClassByName(holder).getInstances().getFirst();
    assertThat(inspection.path(instance.getInstanceId()))
        .last()
        .asString()
        .startsWith(".HELD: " + holder);
  }

  /** What a weak reference leads to is held by nobody else; a soft one holds. */
  @Test
  void weakReferencesHoldNothing() throws IOException {
    HprofFile file = start();
    String[] names = {
      "java/lang/ref/Reference",
      "java/lang/ref/WeakReference",
      "java/lang/ref/SoftReference",
      "referent"
    };
    for (int i = 0; i < names.length; i++) {
      named(file, 10 + i, names[i]);
    }
    for (int i = 0; i < 3; i++) {
      long id = 0x100 + i * 0x10L;
      int name = 10 + i;
      file.record(0x02, to -> to.u4(3).id(id).u4(0).id(name));
    }
    Path saved =
        file.record(
                0x1c,
                to -> {
                  classes(to);
                  to.classStart(0x100, OBJECT, 0, 8).u2(0).u2(0).u2(1).id(13).u1(2);
                  to.classStart(0x110, 0x100, 0, 8).u2(0).u2(0).u2(0);
                  to.classStart(0x120, 0x100, 0, 8).u2(0).u2(0).u2(0);
                  to.instance(0x200, 0x110, 8).id(0x300);
                  to.instance(0x210, 0x120, 8).id(0x310);
                  to.objectArray(0x300, ARRAY).objectArray(0x310, ARRAY);
                  to.root(0x01, 0x200, 8).root(0x01, 0x210, 8);
                })
            .record(0x2c, to -> {})
            .save(folder);
    Inspection inspection = Inspection.of(saved);
    assertThat(inspection.path(0x300)).isEmpty();
    assertThat(inspection.path(0x310)).hasSize(2).last().asString().startsWith(".referent: ");
  }
}
