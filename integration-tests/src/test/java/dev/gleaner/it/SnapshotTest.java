package dev.gleaner.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lab.hprof.HprofRoot;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.spi.Capability;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaFrameGCRoot;
import org.netbeans.lib.profiler.heap.ObjectArrayInstance;
import org.netbeans.lib.profiler.heap.ThreadObjectGCRoot;

/** Snapshots, as VisualVM reads them. */
class SnapshotTest {
  private static final int HEADER = 16;
  private static final int ARRAY_HEADER = 24;

  @TempDir private Path folder;

  static List<String> collectors() {
    return Installed.collectors();
  }

  private Path write(Heap heap) {
    Path file = folder.resolve(heap.name() + System.nanoTime() + ".hprof");
    DumpedHeap.write(heap, file);
    return file;
  }

  private VisualVm open(Heap heap) {
    return VisualVm.open(write(heap));
  }

  /** Slots 0 to 7, an element of each kind but strings, which are inside. */
  private static void oneOfEachKind(Mutator t) {
    t.enter(10);
    t.newRecord(0, 4);
    t.storeInt(0, 0, -7);
    t.setDouble(9, 2.5);
    t.store(0, 1, 9);
    t.setBoolean(9, true);
    t.store(0, 2, 9);
    t.newString(9, "naïve");
    t.store(0, 3, 9);
    t.newRecord(1, 20);
    t.storeInt(1, 19, 5);
    t.storeNull(1, 18);
    t.newObject(2, 1);
    t.store(2, 0, 1);
    t.newObject(9);
    t.setPrototype(2, 9);
    t.newString(9, "größer 😀");
    t.putProperty(2, 9, 0);
    t.setInt(8, 3);
    t.putIndex(2, 0, 8);
    t.newBuffer(3, 5);
    t.writeBytes(3, 0, new byte[] {1, 2, 3, -4, 5}, 0, 5);
    t.newDynamicBuffer(4, 3);
    t.putByte(4, 2, (byte) 9);
    t.newNative(5, new ArrayList<String>(), null);
    t.newFunction(6, 2, 1);
    t.newString(9, "constant");
    t.storeConstant(6, 0, 9);
    t.storeConstant(6, 1, 8);
    t.newThread(7);
    t.push(7, 0);
    t.setUndefined(8);
    t.setUndefined(9);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void showsEveryKindAndItsValues(String collector) {
    try (Heap heap = Installed.open(collector, "")) {
      oneOfEachKind(heap.mutator());
      VisualVm dump = open(heap);
      assertThat(dump.counts())
          .containsAllEntriesOf(
              Map.of(
                  "gleaner.Record_idrr", 1,
                  "gleaner.Record[]", 1,
                  "gleaner.Object_r", 1,
                  "gleaner.Object", 1,
                  "gleaner.DynamicBuffer", 1,
                  "gleaner.Native_java.util.ArrayList", 1,
                  "gleaner.Function", 1,
                  "gleaner.Thread", 2));
      // Its value and the thread's name are the others'.
      assertThat(dump.instances("java.lang.String"))
          .hasSize((int) heap.statistics().strings() + 1)
          .hasSize(4);
      assertThat(dump.counts()).containsEntry("byte[]", 4 + 1 + 1);

      Instance record = dump.only("gleaner.Record_idrr");
      assertThat(VisualVm.field(record, "slot0")).isEqualTo("-7");
      assertThat(VisualVm.field(record, "slot1")).isEqualTo("2.5");
      assertThat(VisualVm.field(VisualVm.object(record, "slot2"), "value")).isEqualTo("true");
      Instance latin1 = VisualVm.object(record, "slot3");
      assertThat(new String(VisualVm.bytes(VisualVm.object(latin1, "value")), ISO_8859_1))
          .isEqualTo("naïve");

      Instance object = dump.only("gleaner.Object_r");
      ObjectArrayInstance array = (ObjectArrayInstance) VisualVm.object(object, "slot0");
      assertThat(VisualVm.object(object, "prototype")).isEqualTo(dump.only("gleaner.Object"));
      assertThat(array.getJavaClass().getName()).isEqualTo("gleaner.Record[]");
      Instance box = (Instance) array.getValues().get(19);
      assertThat(box.getJavaClass().getName()).isEqualTo("java.lang.Integer");
      assertThat(VisualVm.field(box, "value")).isEqualTo("5");
      assertThat(((Instance) array.getValues().get(18)).getJavaClass().getName())
          .isEqualTo("gleaner.Null");
      assertThat(array.getValues().get(0)).isNull();
      Instance property = dump.only("gleaner.Property_r");
      assertThat(VisualVm.field(property, "value")).isEqualTo(record);
      Instance utf16 = VisualVm.object(property, "key");
      assertThat(VisualVm.field(utf16, "coder")).isEqualTo("1");
      assertThat(new String(VisualVm.bytes(VisualVm.object(utf16, "value")), UTF_16LE))
          .isEqualTo("größer 😀");
      Instance third =
          (Instance) ((ObjectArrayInstance) VisualVm.object(object, "elements")).getValues().get(0);
      assertThat(VisualVm.field(third, "value")).isEqualTo("3");
      Instance dynamic = dump.only("gleaner.DynamicBuffer");
      assertThat(VisualVm.bytes(VisualVm.object(dynamic, "bytes"))).containsExactly(0, 0, 9);
      assertThat(dump.instances("byte[]"))
          .anySatisfy(b -> assertThat(VisualVm.bytes(b)).containsExactly(1, 2, 3, -4, 5));
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  /**
   * A chain of three that also leads to what the global holds. (That has two references: VisualVM
   * counts what has only one to its holder, even if it is a root.)
   *
   * <pre>
   *   slot 0 -> a -> b -> c      a, b -> shared <- global
   * </pre>
   */
  @ParameterizedTest
  @MethodSource("collectors")
  void retainedSizesAndRootsAreTheGraphs(String collector) {
    try (Heap heap = Installed.open(collector, "")) {
      Mutator t = heap.mutator();
      t.enter(3);
      t.newBuffer(0, 1000); // c
      for (int i = 0; i < 2; i++) {
        t.newRecord(1, 3 - i);
        t.store(1, 0, 0);
        t.copy(0, 1);
      }
      t.newBuffer(1, 500);
      t.store(0, 1, 1);
      t.load(2, 0, 0);
      t.store(2, 1, 1);
      t.setUndefined(2);
      GlobalRef global = heap.newGlobal();
      t.setGlobal(global, 1);
      t.setUndefined(1);
      VisualVm dump = open(heap);
      Instance a = dump.only("gleaner.Record_rr");
      Instance b = dump.only("gleaner.Record_rrr");
      long c = ARRAY_HEADER + 1000;
      assertThat(a.getSize()).isEqualTo(HEADER + 2 * 8);
      assertThat(b.getRetainedSize()).isEqualTo(HEADER + 3 * 8 + c);
      assertThat(a.getRetainedSize()).isEqualTo(HEADER + 2 * 8 + HEADER + 3 * 8 + c);
      Instance shared = VisualVm.object(a, "slot1");
      assertThat(shared.getRetainedSize()).isEqualTo(ARRAY_HEADER + 500);
      assertThat(dump.roots("JNI global")).containsExactly(shared.getInstanceId());
      assertThat(dump.roots("Java frame")).containsExactly(a.getInstanceId());
      assertThat(VisualVm.object(b, "slot0").getNearestGCRootPointer()).isEqualTo(b);
      assertThat(b.getNearestGCRootPointer()).isEqualTo(a);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void framesAreLinesOfTheirThreads(String collector) {
    try (Heap heap = Installed.open(collector, "")) {
      Mutator t = heap.mutator();
      t.enter(1);
      t.newThread(0);
      for (int i = 0; i < 1500; i++) {
        t.enter(1, 0, 1);
      }
      t.resume(0, 2);
      t.newRecord(1, 0);
      VisualVm dump = open(heap);
      List<StackTraceElement[]> traces = new ArrayList<>();
      dump.rootsOf("thread object")
          .forEach(r -> traces.add(((ThreadObjectGCRoot) r).getStackTrace()));
      assertThat(traces).hasSize(2);
      assertThat(traces)
          .anySatisfy(trace -> {
            assertThat(trace).hasSize(2);
            assertThat(trace[0]).hasToString("gleaner.Frame.frame(coroutine 0:2)");
          })
          .anySatisfy(trace -> {
            assertThat(trace).hasSize(1000);
            assertThat(trace[0]).hasToString("gleaner.Frame.frame(main:1502)");
          });
      Instance record = dump.only("gleaner.Record");
      assertThat(dump.rootsOf("Java frame")).hasSize(1 + 1501);
      assertThat(dump.rootsOf("Java frame"))
          .filteredOn(r -> r.getInstance().equals(record))
          .singleElement()
          .satisfies(r -> {
            assertThat(((JavaFrameGCRoot) r).getFrameNumber()).isZero();
            ThreadObjectGCRoot thread = ((JavaFrameGCRoot) r).getThreadGCRoot();
            assertThat(thread.getStackTrace()).hasSize(2);
          });
      t.suspend();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void isTakenInTheMidstOfAnIncrementalCollection(String collector) {
    try (Heap heap =
        Installed.open(
            collector, "incremental { enabled = true, slice = 1us }, voluntary.enabled = false")) {
      assumeTrue(heap.traits().has(Capability.INCREMENTAL));
      Mutator t = heap.mutator();
      t.enter(2);
      for (int i = 0; i < 50_000; i++) {
        t.newRecord(1, 2);
        t.store(1, 0, 0);
        if (i % 2 == 0) {
          t.copy(0, 1);
        }
      }
      for (int steps = 0; !heap.step(1); steps++) {
        if (steps % 10 == 3) {
          DumpedHeap dump = DumpedHeap.of(heap, folder.resolve("midst.hprof"));
          assertThat(dump.count("gleaner.Record")).isEqualTo(heap.statistics().live(Kind.RECORD));
          long length = 0;
          for (long at = dump.roots(HprofRoot.JAVA_FRAME).getFirst(); at != 0; length++) {
            at = dump.item(at).reference("slot0");
          }
          assertThat(length).isEqualTo(25_000);
        }
      }
      heap.collect();
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(heap.statistics().live(Kind.RECORD)).isLessThanOrEqualTo(25_001);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void showsWhatWaitsForItsFinalizer(String collector) {
    Path file = folder.resolve("finalizer.hprof");
    int[] calls = {0};
    try (Heap heap = Installed.open(collector, "")) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(1, 3);
      for (int i = 0; i < 3; i++) {
        t.newRecord(0, 2);
        t.setFinalizer(
            0,
            "farewell " + i,
            (thread, closing) -> {
              if (calls[0]++ == 0) {
                DumpedHeap.write(heap, file);
              }
            });
        t.store(1, i, 0);
      }
      t.setUndefined(0);
      t.setUndefined(1);
      for (int i = 0; i < 4; i++) {
        heap.collect();
      }
      assertThat(calls[0]).isEqualTo(3);
      DumpedHeap dump = DumpedHeap.read(file);
      List<Long> waiting = new ArrayList<>(dump.roots(HprofRoot.UNKNOWN));
      waiting.addAll(dump.roots(HprofRoot.JAVA_FRAME));
      assertThat(waiting).hasSizeGreaterThanOrEqualTo(1);
      List<String> labels = new ArrayList<>();
      for (DumpedHeap.Item item : dump.items()) {
        if (item.className().equals("gleaner.Finalizer")) {
          labels.add(dump.text(item.reference("label")));
          assertThat(dump.item((Long) item.value("element")).className()).startsWith("gleaner.Rec");
        }
      }
      assertThat(labels).contains("farewell 2").hasSizeGreaterThanOrEqualTo(2);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void needsNothingOfAHeapThatIsFull(String collector) {
    try (Heap heap = Installed.open(collector, "memory.max = 256KiB")) {
      Mutator t = heap.mutator();
      t.enter(2);
      assertThatThrownBy(
              () -> {
                while (true) {
                  t.newRecord(1, 2);
                  t.store(1, 0, 0);
                  t.copy(0, 1);
                }
              })
          .isInstanceOf(HeapExhaustedException.class);
      HeapStatistics before = heap.statistics();
      DumpedHeap dump = DumpedHeap.of(heap, folder.resolve("full.hprof"));
      assertThat(dump.count("gleaner.Record")).isEqualTo(before.live(Kind.RECORD));
      HeapStatistics after = heap.statistics();
      assertThat(after.usedBytes()).isEqualTo(before.usedBytes());
      assertThat(after.peakBytes()).isEqualTo(before.peakBytes());
      assertThat(after.collections()).isEqualTo(before.collections());
      assertThat(after.allocatedElements()).isEqualTo(before.allocatedElements());
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void moreShapesThanClassesAreArrays(String collector) {
    try (Heap heap = Installed.open(collector, "")) {
      Mutator t = heap.mutator();
      int shapes = 5000;
      t.enter(4);
      t.newRecord(0, shapes);
      t.setDouble(2, 0.5);
      for (int shape = 0; shape < shapes; shape++) {
        t.newRecord(1, 8);
        for (int i = 0, rest = shape; i < 8; i++, rest /= 3) {
          if (rest % 3 == 1) {
            t.storeInt(1, i, shape);
          } else if (rest % 3 == 2) {
            t.store(1, i, 2);
          }
        }
        t.store(0, shape, 1);
      }
      DumpedHeap dump = DumpedHeap.of(heap, folder.resolve("shapes.hprof"));
      assertThat(dump.count("gleaner.Record")).isEqualTo(4096);
      assertThat(dump.count("[Lgleaner.Record;")).isEqualTo(1 + shapes - 4096);
      assertThat(dump.count("gleaner.Object_n")).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void builtinsAndPinsAreRoots(String collector) {
    try (Heap heap = Installed.open(collector, "")) {
      Mutator t = heap.mutator();
      t.enter(2);
      heap.makeBuiltins(() -> t.newRecord(0, 1));
      t.newBuffer(1, 64);
      boolean pins = heap.traits().pinning();
      if (pins) {
        assertThat(t.pin(1).byteSize()).isEqualTo(64);
      }
      DumpedHeap dump = DumpedHeap.of(heap, folder.resolve("roots.hprof"));
      List<Long> slots = dump.roots(HprofRoot.JAVA_FRAME);
      assertThat(dump.roots(HprofRoot.STICKY_CLASS)).contains(slots.get(0));
      assertThat(dump.roots(HprofRoot.JNI_GLOBAL)).hasSize(pins ? 1 : 0);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aStreamThatFailsLeavesTheHeapAsItWas(String collector) throws IOException {
    OutputStream full =
        new OutputStream() {
          private int room = 100;

          @Override
          public void write(int b) throws IOException {
            if (room-- == 0) {
              throw new IOException("disk full");
            }
          }
        };
    try (Heap heap = Installed.open(collector, "")) {
      oneOfEachKind(heap.mutator());
      assertThatThrownBy(() -> heap.inspect().writeSnapshot(full))
          .isExactlyInstanceOf(IOException.class)
          .hasMessage("disk full");
      assertThat(heap.inspect().verify()).isEmpty();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      heap.inspect().writeSnapshot(out);
      assertThat(out.size()).isGreaterThan(1000);
    }
  }

  /** The Java object is gone by then, its element is not. */
  @ParameterizedTest
  @MethodSource("collectors")
  void worksInACallbackWhileTheHeapCloses(String collector) {
    Path file = folder.resolve("closing.hprof");
    try (Heap heap = Installed.open(collector, "")) {
      heap.mutator().enter(1);
      heap.mutator().newNative(0, "value", (_, _) -> DumpedHeap.write(heap, file));
    }
    assertThat(DumpedHeap.read(file).count("gleaner.Native")).isEqualTo(1);
  }
}
