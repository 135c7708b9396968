package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapFaults;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.NamedObjects;
import dev.gleaner.heap.PlainMemory;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.trace.TraceCursor;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceTable;
import dev.gleaner.trace.Traced;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is recorded, and what it costs when nothing is. */
class RecordingTest {
  /** Methods of Mutator that are not recorded, and why. */
  private static final Map<String, String> NOT_RECORDED =
      Map.of(
          "referenceCount(int)", "looks at the element, as a debugger does",
          "frameSize()", "reads a register, not the heap",
          "frameDepth()", "reads a register, not the heap",
          "frameSize(int)", "looks at frames, as a debugger does",
          "findFrame(int,int,int)", "looks at frames, as a debugger does",
          "compact(int)", "recorded as compact(a, a), which it calls",
          "newObject(int)", "recorded as newObject(d, 0), which it calls",
          "getDouble(int,long)", "recorded as getLong, which it calls",
          "putDouble(int,long,double)", "recorded as putLong, which it calls");

  /** Methods of Heap that are not recorded, and why. */
  private static final Map<String, String> NOT_RECORDED_OF_HEAP =
      Map.ofEntries(
          Map.entry("mutator()", "answers what is known"),
          Map.entry("plainMemory()", "answers what is known"),
          Map.entry("faults()", "answers what is known"),
          Map.entry("inspect()", "answers what is known"),
          Map.entry("name()", "answers what is known"),
          Map.entry("collector()", "answers what is known"),
          Map.entry("traits()", "answers what is known"),
          Map.entry("isClosed()", "answers what is known"),
          Map.entry("release()", "a replay has one Java thread"),
          Map.entry("acquire()", "a replay has one Java thread"),
          Map.entry("claim()", "a replay has one Java thread"),
          Map.entry("baseFlags()", "answers what is known"),
          Map.entry("statistics()", "only looks"),
          Map.entry("snapshot()", "only looks"),
          Map.entry("addListener(HeapListener)", "listeners must not use the heap"),
          Map.entry("removeListener(HeapListener)", "listeners must not use the heap"),
          Map.entry("image(ImageBindings)", "only looks, after collect(0), which is recorded"),
          Map.entry("collect()", "recorded as collect(0), which it calls"));

  /** Methods of a heap's plain blocks that are not recorded, and why. */
  private static final Map<String, String> NOT_RECORDED_OF_BLOCKS =
      Map.of(
          "block(long,long)", "a view; the contents of plain blocks are not recorded",
          "allocZeroed(long)", "recorded as alloc, which it calls",
          "allocChecked(long)", "recorded as alloc, which it calls",
          "allocZeroedChecked(long)", "recorded as alloc, which it calls",
          "reallocIndirectChecked(BlockPointer,long)", "recorded as reallocIndirect",
          "reallocChecked(long,long)", "recorded as realloc, which it calls",
          "free(long)", "recorded as freeRaw, which it calls");

  @TempDir private Path dir;

  /** What is declared as an operation, or has a method by hand that records it. */
  private static Set<String> recorded(Class<?> type, String recorder) throws Exception {
    Set<String> recorded = methods(Class.forName(recorder), true);
    Arrays.stream(type.getDeclaredMethods())
        .filter(m -> m.getAnnotationsByType(Traced.class).length > 0)
        .map(RecordingTest::signature)
        .forEach(recorded::add);
    return recorded;
  }

  private static Set<String> methods(Class<?> type, boolean all) {
    Set<String> methods = new TreeSet<>();
    Arrays.stream(type.getDeclaredMethods())
        .filter(m -> !Modifier.isStatic(m.getModifiers()) && !m.isSynthetic())
        .filter(m -> !m.getName().equals("toString")) // for debuggers
        .filter(m -> all || Modifier.isPublic(m.getModifiers()))
        .map(RecordingTest::signature)
        .forEach(methods::add);
    return methods;
  }

  private static String signature(Method m) {
    return m.getName()
        + "("
        + String.join(",", Arrays.stream(m.getParameterTypes()).map(Class::getSimpleName).toList())
        + ")";
  }

  @Test
  void everyPublicMethodOfAThreadIsRecordedOrOnTheList() throws Exception {
    Set<String> left = methods(Mutator.class, false);
    left.removeAll(recorded(Mutator.class, "dev.gleaner.heap.RecordingMutator"));
    assertThat(left).containsExactlyInAnyOrderElementsOf(NOT_RECORDED.keySet());
  }

  @Test
  void everyPublicMethodOfAHeapIsRecordedOrOnTheList() throws Exception {
    Set<String> recorded = recorded(Heap.class, "dev.gleaner.heap.RecordingHeap");
    Set<String> left = methods(Heap.class, false);
    left.removeAll(recorded);
    assertThat(left).containsExactlyInAnyOrderElementsOf(NOT_RECORDED_OF_HEAP.keySet());
    assertThat(methods(GlobalRef.class, false)).containsExactly("close()");
    assertThat(methods(WeakRef.class, false)).containsExactly("close()", "isCleared()");
    assertThat(recorded)
        .contains("closeGlobal(GlobalRef)", "closeWeak(WeakRef)", "isWeakCleared(WeakRef)");
  }

  @Test
  void everyPublicMethodOfAHeapsPartsIsRecordedOrOnTheList() throws Exception {
    Set<String> left = methods(PlainMemory.class, false);
    left.removeAll(recorded(PlainMemory.class, "dev.gleaner.heap.RecordingPlainMemory"));
    assertThat(left).containsExactlyInAnyOrderElementsOf(NOT_RECORDED_OF_BLOCKS.keySet());
    Set<String> faults = methods(HeapFaults.class, false);
    faults.removeAll(recorded(HeapFaults.class, "dev.gleaner.heap.RecordingFaults"));
    assertThat(faults).containsExactly("allocationFailures()"); // answers what is known
  }

  /** So that the compiler calls a thread's methods directly. */
  @Test
  void theRecorderIsNotLoadedWhenNothingIsRecorded() throws Exception {
    ForkedJvm.Result result =
        ForkedJvm.run(
            List.of(ForkedJvm.NATIVE_ACCESS, "-Xlog:class+load=info:stdout"), TenHeaps.class);
    assertThat(result.exit()).isZero();
    assertThat(result.out())
        .anyMatch(line -> line.contains("dev.gleaner.heap.Mutator "))
        .noneMatch(line -> line.matches(".*dev\\.gleaner\\.heap\\.Record(er|ing).*"))
        .noneMatch(line -> line.contains("dev.gleaner.trace.TraceWriter"));
  }

  @Test
  void everyHeapHasAFile() throws Exception {
    HeapFactory factory =
        Installed.factory("marksweep", Traces.setting(dir.resolve("my.heap.trace")));
    for (int i = 0; i < 3; i++) {
      factory.open("number " + i).close();
    }
    factory(dir.resolve("bare")).open().close();
    factory(dir.resolve("bare")).open().close();
    try (Stream<Path> files = Files.list(dir)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "my.heap.trace", "my.heap-2.trace", "my.heap-3.trace", "bare", "bare-2");
    }
    try (TraceFile trace =
        new TraceFile(dir.resolve("my.heap-2.trace"), TraceTable.of(Heap.class))) {
      assertThat(trace.header("heap")).isEqualTo("number 1");
      assertThat(trace.total(TraceFormat.OPERATIONS)).isEqualTo(1); // it was closed
    }
  }

  private static HeapFactory factory(Path file) {
    return Installed.factory("marksweep", Traces.setting(file));
  }

  @Test
  void theHeaderHasTheSettings() {
    Path file =
        Traces.record(
            "hybrid",
            "memory.max = 3 MiB, collectors.hybrid.voluntary.mult = 7",
            dir.resolve("h.trace"),
            (heap, t) -> t.enter(1));
    try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
      assertThat(trace.header(TraceFormat.COLLECTOR)).isEqualTo("hybrid");
      assertThat(trace.header(TraceFormat.GIVEN))
          .isEqualTo("{\"gleaner\":{\"memory\":{\"max\":\"3 MiB\"}}}");
      assertThat(trace.header(TraceFormat.IN_FORCE))
          .contains("\"mult\":7", "\"max\":\"3 MiB\"", "\"recursion-limit\":65536")
          .doesNotContain("trace");
    }
    assertThat(Traces.replay(file, "hybrid").replay().divergences().count()).isZero();
  }

  @Test
  void aFileThatCannotBeIsAProblemOfTheConfiguration() {
    assertThatThrownBy(() -> factory(dir.resolve("missing").resolve("x.trace")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("gleaner.trace.file")
        .hasMessageContaining("must be a file in a folder that there is");
    assertThatThrownBy(() -> Installed.factory("marksweep", "trace.fil = x"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("gleaner.trace.fil: unknown setting; known here: file");
  }

  @Test
  void aHeapThatCannotBeOpenedLeavesNoFile() {
    Path file = dir.resolve("none.trace");
    HeapFactory factory =
        Installed.factory(
            "marksweep", "memory.max = 64KiB, memory.initial = 0\n" + Traces.setting(file));
    assertThatThrownBy(() ->
            factory.open(
                "refused",
                defaults -> {
                  throw new IllegalStateException("no functions");
                }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(file).doesNotExist();
  }

  /** Until then a trace of before stays, and nobody takes half a trace for one. */
  @Test
  void aTraceHasItsNameOnceItsHeapIsClosed() throws IOException {
    Path file = dir.resolve("open.trace");
    Files.writeString(file, "of before");
    try (Heap heap = factory(file).open()) {
      heap.mutator().enter(1);
      assertThat(file).hasContent("of before");
      try (Stream<Path> files = Files.list(dir)) {
        assertThat(files.map(each -> each.getFileName().toString()))
            .contains("open.trace." + ProcessHandle.current().pid() + ".part");
      }
    }
    new TraceFile(file, TraceTable.of(Heap.class)).close();
    try (Stream<Path> files = Files.list(dir)) {
      assertThat(files).noneMatch(each -> each.toString().endsWith(".part"));
    }
  }

  /** What the recorder puts in the place of the program's objects has no name. */
  @Test
  void aRecordedHeapIsSavedAsAnyOther() {
    List<HeapImage> images = new ArrayList<>();
    Finalizer finalizer = (_, _) -> {};
    FreeCallback freed = (_, _) -> {};
    BiConsumer<Heap, Mutator> program =
        (heap, t) -> {
          t.enter(4);
          t.newRecord(0, 1);
          t.setFinalizer(0, "of both", finalizer);
          t.newObject(1);
          t.setInheritedFinalizer(1, "of both", finalizer);
          t.newNative(2, "native", freed);
          t.newNative(3, "native", freed);
          images.add(
              heap.image(
                  new NamedObjects()
                      .bind("finalizer", finalizer)
                      .bind("freed", freed)
                      .bind("native", "native")));
        };
    Path file = Traces.record("marksweep", "", dir.resolve("image.trace"), program);
    try (Heap heap = Installed.open("marksweep", "")) {
      program.accept(heap, heap.mutator());
    }
    assertThat(images.getFirst().bytes()).isEqualTo(images.getLast().bytes());
    assertThat(Traces.replay(file, "marksweep").replay().divergences().count()).isZero();
  }

  /** What elements share in an image is told apart: each does what it did in the recording. */
  @Test
  void sharedFinalizersOfAnImageHaveTheirOwnBodies() {
    NamedObjects bound = new NamedObjects().bind("native", "native");
    List<GlobalRef> kept = new ArrayList<>();
    Finalizer finalizer =
        (t, _) -> {
          int n = t.loadInt(0, 0);
          t.newRecord(1, n);
          t.store(0, 1, 1);
          t.setGlobal(kept.get(n), 0);
        };
    List<Heap> opened = new ArrayList<>();
    FreeCallback freed = (_, _) -> opened.getFirst().releaseExternal(1000);
    bound.bind("finalizer", finalizer).bind("freed", freed);
    HeapImage image;
    try (Heap heap = Installed.open("refcount", "")) {
      Mutator t = heap.mutator();
      t.enter(4);
      for (int i = 0; i < 2; i++) {
        t.newRecord(i, 2);
        t.storeInt(i, 0, i);
        t.setFinalizer(i, "of both", finalizer);
        t.newNative(2 + i, "native", freed);
        bound.save("kept " + i, heap.newGlobal());
      }
      heap.reserveExternal(2000);
      image = heap.image(bound);
      bound.globals().values().forEach(_ -> kept.add(heap.newGlobal()));
      opened.add(heap);
    }
    Path file = dir.resolve("shared.trace");
    try (Heap heap = factory(file).open(image, bound)) {
      opened.set(0, heap);
      kept.clear();
      kept.addAll(bound.globals().values());
      Mutator t = heap.mutator();
      t.wipe(0);
      heap.collect();
      for (int i = 0; i < 2; i++) {
        t.getGlobal(0, kept.get(i));
        t.load(0, 0, 1);
        assertThat(t.slotCount(0)).isEqualTo(i);
      }
      assertThat(heap.statistics().externalBytes()).isZero();
    }
    for (String collector : Installed.collectors()) {
      Traces.Result result = Traces.replay(file, collector);
      assertThat(result.replay().divergences().first()).as(collector).isNull();
      assertThat(result.replay().bodiesDone()).as(collector).isBetween(4L, 6L); // again when closed
      assertThat(result.before().externalBytes()).as(collector).isZero();
    }
  }

  @Test
  void whatAFinalizerDoesIsItsBody() {
    Path file =
        Traces.record(
            "marksweep",
            "",
            dir.resolve("f.trace"),
            (heap, t) -> {
              GlobalRef global = heap.newGlobal();
              t.enter(1);
              t.newRecord(0, 1);
              t.setFinalizer(0, "rescue", (thread, closing) -> thread.setGlobal(global, 0));
              t.leave();
              heap.collect();
            });
    try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
      TraceCursor in = trace.operations();
      StringBuilder text = new StringBuilder();
      while (in.hasMore()) {
        int op = in.op();
        in.skip(op);
        text.append(TraceTable.of(Heap.class).name(op)).append(' ');
      }
      assertThat(text)
          .hasToString(
              "new-global enter new-record set-finalizer leave body set-global body-end collect"
                  + " body set-global body-end close ");
    }
    for (String collector : Installed.collectors()) {
      Traces.Result result = Traces.replay(file, collector);
      assertThat(result.replay().divergences().first()).isNull();
      assertThat(result.before().finalizersRun()).as(collector).isEqualTo(1);
      assertThat(result.before().liveElements()).as(collector).isGreaterThan(1);
    }
  }

  /** A trace has the finalizer of a prototype once, and the replay calls it for each heir. */
  @Test
  void inheritedFinalizers() throws IOException {
    Path file =
        Traces.record(
            "refcount",
            "",
            dir.resolve("heirs.trace"),
            (heap, t) -> {
              GlobalRef global = heap.newGlobal();
              t.enter(2);
              t.newObject(0);
              t.newObject(1, 0, 0);
              t.setInheritedFinalizer(0, "f", (thread, closing) -> thread.setGlobal(global, 0));
              for (int i = 0; i < 3; i++) {
                t.newObject(1, 0, 0);
              }
              t.leave();
              heap.collect();
            });
    for (String collector : Installed.collectors()) {
      Traces.Result result = Traces.replay(file, collector);
      assertThat(result.replay().divergences().first()).isNull();
      assertThat(result.before().finalizersRun()).as(collector).isGreaterThanOrEqualTo(4);
    }
  }
}
