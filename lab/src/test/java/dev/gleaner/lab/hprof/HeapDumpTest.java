package dev.gleaner.lab.hprof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lab.measure.MeteredRun;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.ValueType;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapDumpTest {
  @TempDir private Path folder;

  private static Heap open() {
    return Gleaner.factory(ConfigFactory.load()).open();
  }

  private static DumpLoader.Loaded load(Path file, Heap heap) {
    return new DumpLoader(file, heap, done -> {}).load(100, new SplittableRandom(1));
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void buildsTheGraph(int idSize) throws IOException {
    Path file = HprofFile.example(idSize).save(folder);
    try (Heap heap = open()) {
      long before = heap.statistics().liveElements();
      DumpLoader.Loaded loaded = load(file, heap);
      assertThat(loaded.objects()).isEqualTo(HprofFile.EXAMPLE_OBJECTS);
      assertThat(loaded.elements()).isEqualTo(HprofFile.EXAMPLE_OBJECTS);
      assertThat(loaded.references()).isEqualTo(9);
      assertThat(loaded.unresolved()).isEqualTo(3);
      List<String> roots = new ArrayList<>();
      for (GlobalRef root : loaded.roots()) {
        roots.add(describe(heap.mutator(), root));
      }
      assertThat(roots)
          .containsExactlyInAnyOrder(
              "RECORD []", // class Object
              "RECORD [REFERENCE, REFERENCE, UNDEFINED]", // FIRST: class, next, n
              "RECORD [REFERENCE, UNDEFINED, REFERENCE, UNDEFINED, UNDEFINED]", // SECOND
              "RECORD [REFERENCE, UNDEFINED, REFERENCE, UNDEFINED]", // ARRAY
              "BUFFER of 3");
      heap.collect();
      assertThat(heap.statistics().liveElements() - before).isEqualTo(HprofFile.EXAMPLE_OBJECTS);
    }
  }

  private static String describe(Mutator thread, GlobalRef root) {
    thread.enter(2);
    try {
      thread.getGlobal(0, root);
      if (thread.kind(0) == Kind.BUFFER) {
        return "BUFFER of " + thread.bufferSize(0);
      }
      List<ValueType> types = new ArrayList<>();
      for (int i = 0; i < thread.slotCount(0); i++) {
        thread.load(1, 0, i);
        types.add(thread.type(1));
      }
      return thread.kind(0) + " " + types;
    } finally {
      thread.leave();
    }
  }

  @Test
  void copiesTheBytesOfArrays() throws IOException {
    Path file =
        new HprofFile(8)
            .header("1.0.2")
            .record(0x0c, to -> to.byteArray(5, (byte) 1, (byte) -2, (byte) 3).root(0xff, 5, 0))
            .save(folder);
    try (Heap heap = open()) {
      GlobalRef root = load(file, heap).roots()[0];
      Mutator thread = heap.mutator();
      thread.enter(1);
      thread.getGlobal(0, root);
      byte[] bytes = new byte[3];
      thread.readBytes(0, 0, bytes, 0, 3);
      assertThat(bytes).containsExactly(1, -2, 3);
      thread.leave();
    }
  }

  @Test
  void namesAClassThatIsNotThere() throws IOException {
    Path file =
        new HprofFile(8).header("1.0.2").record(0x0c, to -> to.instance(1, 0x77, 0)).save(folder);
    try (Heap heap = open()) {
      assertThatThrownBy(() -> load(file, heap))
          .isInstanceOf(HprofException.class)
          .hasMessageContaining("damaged at byte ")
          .hasMessageContaining("class 0x77");
    }
  }

  @Test
  void noticesAnInstanceThatDoesNotFitItsClass() throws IOException {
    Path file =
        new HprofFile(8)
            .header("1.0.2")
            .record(
                0x0c,
                to ->
                    to.classStart(2, 0, 0, 0)
                        .u2(0)
                        .u2(0)
                        .u2(1)
                        .id(1)
                        .u1(10)
                        .instance(1, 2, 8)
                        .ids(0))
            .save(folder);
    try (Heap heap = open()) {
      assertThatThrownBy(() -> load(file, heap))
          .hasMessageContaining("an instance of 8 bytes, but its class has fields of 4");
    }
  }

  @Test
  void runsOnADumpOfThisJvm() throws IOException {
    Path file = folder.resolve("this.hprof");
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpHeap(file.toString(), true);
    HeapDump workload = new HeapDump();
    Parameters parameters = Parameters.of(workload, Map.of(HeapDump.FILE, file.toString()));
    RunResult result =
        MeteredRun.execute(workload, Gleaner.factory(ConfigFactory.load()), parameters, done -> {});
    assertThat(result.status()).isEqualTo(RunResult.OK);
    assertThat(result.extras().get("elements_loaded"))
        .isEqualTo(result.extras().get("objects_in_dump"))
        .isGreaterThan(10_000.0);
    assertThat(result.extras().get("roots")).isPositive();
    assertThat(result.extras()).containsKeys("collection_1_ms", "collection_5_ms");
  }

  @Test
  void asksForAFile() {
    HeapDump workload = new HeapDump();
    assertThatThrownBy(() -> workload.heapMemory(Parameters.of(workload, Map.of())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("file = FILE.hprof is needed");
    Parameters none = Parameters.of(workload, Map.of(HeapDump.FILE, "/none/at.all"));
    assertThatThrownBy(() -> workload.heapMemory(none)).hasMessageContaining("no such file");
  }
}
