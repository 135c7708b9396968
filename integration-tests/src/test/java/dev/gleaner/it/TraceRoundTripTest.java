package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.Mutator;
import dev.gleaner.kit.HeapPicture;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.oracle.Dice;
import dev.gleaner.kit.oracle.Oracle;
import dev.gleaner.lab.trace.Replay;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.testing.Tier;
import dev.gleaner.trace.TraceCursor;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.trace.TraceTable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random programs, recorded and done again. */
@Tag("seeds")
class TraceRoundTripTest {
  private static final int PROGRAMS = Tier.number("gleaner.test.traces", 1, 3);

  /** Slices end when their time is over, so that no two runs are the same. */
  private static boolean isTimed(String variant) {
    return variant.contains("INCREMENTAL");
  }

  /** A replay has no allocation functions of the program's own. */
  private static boolean isOwn(String variant) {
    return variant.startsWith("OWN_FUNCTIONS");
  }

  @TempDir private Path dir;
  private int calls;

  static Stream<String> collectors() {
    return Installed.collectors().stream();
  }

  /** In the short tier each variant with one collector. */
  private static List<String> variants(String collector) {
    List<String> collectors = Installed.collectors();
    List<String> variants = new ArrayList<>();
    for (String variant : Oracle.variants()) {
      int i = Oracle.variants().indexOf(variant);
      if (Tier.exhaustive() || Tier.has(i, collectors.indexOf(collector), collectors.size())) {
        variants.add(variant);
      }
    }
    return variants;
  }

  /** The oracle checks on the way that recording disturbs nothing. */
  private Path record(String collector, String variant, long seed) throws Exception {
    Path file = dir.resolve(collector + "-" + variant + "-" + seed + ".trace");
    Files.deleteIfExists(file);
    Oracle oracle =
        new Oracle(
            collector, ConfigFactory.parseString("gleaner." + Traces.setting(file)), List.of());
    Verdict verdict = oracle.run(variant, seed, 1);
    assertThat(verdict.status()).as("%s", verdict.message()).isEqualTo(Verdict.Status.PASSED);
    return file;
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aReplayUnderTheSameCollectorIsTheSameRun(String collector) throws Exception {
    for (String variant : variants(collector)) {
      for (int i = 0; i < PROGRAMS; i++) {
        Path file = record(collector, variant, Dice.seed() + i);
        Traces.Result result = Traces.replay(file, collector);
        assertThat(result.violations()).isEmpty();
        if (!isTimed(variant) && !isOwn(variant)) {
          expectTheSame(file, collector + " " + variant + " " + i, result);
        }
        Files.delete(file);
      }
    }
  }

  private static void expectTheSame(Path file, String what, Traces.Result result) {
    try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
      assertThat(result.replay().divergences().first()).as(what).isNull();
      assertThat(result.replay().weakDifferences()).as(what).isZero();
      assertThat(result.replay().checksum()).as(what).isEqualTo(trace.total(TraceFormat.CHECKSUM));
      assertThat(result.replay().finalizerOrder())
          .as(what)
          .isEqualTo(trace.total(TraceFormat.FINALIZER_ORDER));
      assertThat(result.replay().bodiesDone()).as(what).isEqualTo(trace.total(TraceFormat.BODIES));
      assertThat(result.after().finalizersRun())
          .as(what)
          .isEqualTo(trace.total(TraceFormat.FINALIZERS_RUN));
      assertThat(result.before().allocatedElements())
          .as(what)
          .isEqualTo(trace.total(TraceFormat.ALLOCATED_ELEMENTS));
      assertThat(result.before().allocatedBytes())
          .as(what)
          .isEqualTo(trace.total(TraceFormat.ALLOCATED_BYTES));
      for (Kind kind : Kind.values()) {
        String name = kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
        assertThat(result.before().live(kind))
            .as("%s %s", what, name)
            .isEqualTo(trace.total(TraceFormat.LIVE + name));
      }
    }
  }

  /**
   * What finalizers do to the others, and refused requests, make another collector's run differ.
   */
  @ParameterizedTest
  @MethodSource("collectors")
  void anyProgramCanBeDoneUnderAnyCollector(String collector) throws Exception {
    for (String variant : variants(collector)) {
      Path file = record(collector, variant, Dice.seed());
      for (String other : Installed.collectors()) {
        assertThat(Traces.replay(file, other).violations()).as(other + " " + variant).isEmpty();
      }
      Files.delete(file);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aProgramThatDoesNotAskWhatDiedGoesTheSameWayUnderEveryCollector(String collector) {
    for (String settings : List.of("", "torture.gc = 3", "memory.backing = grown")) {
      long seed = Dice.seed();
      Path file =
          Traces.record(
              collector,
              settings,
              dir.resolve(collector + settings + ".trace"),
              (heap, t) -> RandomTrace.run(heap, seed, Tier.number(4000, 20_000)));
      try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
        for (String other : Installed.collectors()) {
          String what = collector + " as " + other + " " + settings;
          Traces.Result result = Traces.replay(file, other);
          assertThat(result.replay().divergences().first()).as(what).isNull();
          assertThat(result.replay().leftOut()).as(what).isZero();
          assertThat(result.violations()).as(what).isEmpty();
          assertThat(result.replay().checksum())
              .as(what)
              .isEqualTo(trace.total(TraceFormat.CHECKSUM));
          assertThat(result.replay().bodiesDone()).as(what).isPositive();
          if (other.equals(collector)) {
            expectTheSame(file, what, result);
          }
        }
      }
    }
  }

  /** The trace begins with what the image had, under numbers of its own. */
  @ParameterizedTest
  @MethodSource("collectors")
  void aHeapThatWasOpenedGoesTheSameWayUnderEveryCollector(String collector) {
    NumberedObjects bound = new NumberedObjects();
    HeapImage image;
    int operations = Tier.number(400, 20_000);
    try (Heap heap = Installed.open("marksweep", "")) {
      RandomTrace.run(heap, Dice.seed(), operations);
      heap.reserveExternal(1000);
      bound.save("global", heap.newGlobal());
      image = heap.image(bound);
    }
    Path file = dir.resolve(collector + ".trace");
    HeapFactory factory = Installed.factory(collector, Traces.setting(file));
    List<String> expected;
    try (Heap heap = factory.open(image, bound)) {
      GlobalRef global = Objects.requireNonNull(bound.globals().get("global"));
      heap.mutator().setGlobal(global, 0);
      RandomTrace.run(heap, Dice.seed() + 1, operations);
      heap.mutator().getGlobal(0, global);
      global.close();
      heap.releaseExternal(1000);
      expected = picture(heap);
    }
    assertThat(expected).hasSizeGreaterThan(20);
    for (String other : Installed.collectors()) {
      String what = collector + " as " + other;
      try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
        Replay replay = Replay.on(trace, open -> open.apply(Installed.factory(other, "")), _ -> {});
        try (Heap heap = replay.heap()) {
          replay.run();
          assertThat(replay.divergences().first()).as(what).isNull();
          assertThat(replay.checksum()).as(what).isEqualTo(trace.total(TraceFormat.CHECKSUM));
          assertThat(picture(heap)).as(what).isEqualTo(expected);
        }
      }
    }
    expectTheSame(file, collector, Traces.replay(file, collector));
  }

  /** What the heap holds, seen in another one; the last line tells of loops that leak. */
  private static List<String> picture(Heap heap) {
    NumberedObjects bound = new NumberedObjects();
    HeapImage image = heap.image(bound);
    try (Heap copy = Installed.factory("marksweep", "").open(image, bound)) {
      List<String> lines = HeapPicture.of(copy, List.of(), List.of());
      return lines.subList(0, lines.size() - 1);
    }
  }

  /** What random programs do not do. */
  private static void doTheRest(Heap heap, Mutator t) {
    t.enter(3);
    heap.makeBuiltins(() -> {
      t.newRecord(0, 2);
      t.storeInt(0, 0, 300);
    });
    int _ = t.loadInt(0, 0);
    t.newString(1, "aé\uD800");
    int _ = t.stringBytes(1);
    t.newBuffer(1, 70_000);
    t.writeBytes(1, 0, new byte[70_000], 0, 70_000);
    byte _ = t.getByte(1, 7);
    t.putDouble(1, 8, 0.5);
    double _ = t.getDouble(1, 8);
    MemorySegment _ = t.view(1);
    if (heap.traits().pinning()) {
      MemorySegment _ = t.pin(1);
      heap.collect();
      t.unpin(1);
    }
    heap.reserveExternal(1000);
    t.newNative(2, "file", (value, closing) -> heap.releaseExternal(1000));
    t.wipe(0);
    heap.collect();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void theRestIsDoneAgain(String collector) {
    Path file =
        Traces.record(
            collector, "", dir.resolve(collector + ".trace"), TraceRoundTripTest::doTheRest);
    expectTheSame(file, collector, Traces.replay(file, collector));
    for (String other : Installed.collectors()) {
      Traces.Result result = Traces.replay(file, other);
      assertThat(result.replay().divergences().first()).as(other).isNull();
      assertThat(result.replay().bodiesDone()).as(other).isEqualTo(1);
      assertThat(result.before().externalBytes()).as(other).isZero();
    }
  }

  /**
   * Each operation that is declared, with arguments that are right, and refused with others. In the
   * short tier each one under one collector.
   */
  @ParameterizedTest
  @MethodSource("collectors")
  void everyCallIsDoneAgain(String collector) throws IOException {
    List<String> collectors = Installed.collectors();
    List<PublicCall> all = PublicCalls.all();
    for (int i = 0; i < all.size(); i++) {
      if (Tier.has(i, collectors.indexOf(collector), collectors.size())) {
        Path file = recordCall(collector, all.get(i));
        expectTheSame(file, collector + " " + all.get(i), Traces.replay(file, collector));
        Files.delete(file);
      }
    }
  }

  private Path recordCall(String collector, PublicCall call) {
    Path file = dir.resolve(collector + " " + calls++ + ".trace"); // no second heap to one file
    try (MisuseHeap misuse = new MisuseHeap(collector, Traces.setting(file), null)) {
      for (int i = 0; i < call.arguments().size(); i++) {
        for (PublicCall.Wrong wrong : call.arguments().get(i).wrong()) {
          if (isInTrace(call, wrong)) {
            Object _ = call.thrownBy(misuse, call.with(i, wrong.value()));
          }
        }
      }
      call.before().accept(misuse);
      Object _ = call.thrownBy(misuse, call.right());
    }
    return file;
  }

  /** A reference or a block that the heap does not know is in a trace as none. */
  private static boolean isInTrace(PublicCall call, PublicCall.Wrong wrong) {
    return call.owner() == Mutator.class
        && wrong.thrown() == HeapUsageException.class
        && wrong.value() instanceof Number;
  }

  /** Its bracket comes between operations that are not written, as they were to be expected. */
  @ParameterizedTest
  @MethodSource("collectors")
  void aFinalizerThatThrowsAtOnceThrowsAgain(String collector) {
    Path file =
        Traces.record(
            collector,
            "",
            dir.resolve(collector + ".trace"),
            (heap, t) -> {
              t.enter(1);
              for (int i = 0; i < 50; i++) {
                t.newRecord(0, 1);
                t.setFinalizer(
                    0,
                    "throws",
                    (thread, closing) -> {
                      throw new IllegalStateException("on purpose");
                    });
                for (int j = 0; j < 20; j++) {
                  t.setNull(0);
                }
                heap.collect();
              }
            });
    Traces.Result result = Traces.replay(file, collector);
    expectTheSame(file, collector, result);
    assertThat(result.after().finalizersFailed()).isEqualTo(50);
  }

  /** So that the tests above are tests of every operation. */
  @Test
  @Tag("exhaustive")
  void theseProgramsDoEverything() throws Exception {
    Set<String> left = new TreeSet<>();
    for (int op = 1; op < 256; op++) {
      if (TraceTable.of(Heap.class).of(op) != null && op != TraceOp.REPEAT) {
        left.add(TraceTable.of(Heap.class).name(op));
      }
    }
    for (String collector : Installed.collectors()) { // some pin
      Path file = dir.resolve(collector + ".rest");
      removeThoseIn(Traces.record(collector, "", file, TraceRoundTripTest::doTheRest), left);
      for (PublicCall call : PublicCalls.all()) {
        if (!left.isEmpty()) {
          removeThoseIn(recordCall(collector, call), left);
        }
      }
    }
    for (String variant : List.of("PLAIN", "SMALL", "TORTURE", "INCREMENTAL")) {
      for (int i = 0; i < 20 && !left.isEmpty(); i++) {
        removeThoseIn(record("marksweep", variant, i), left);
      }
    }
    assertThat(left).isEmpty();
  }

  private static void removeThoseIn(Path file, Set<String> operations) {
    try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
      TraceCursor in = trace.operations();
      do {
        while (in.hasMore()) {
          int op = in.op();
          in.skip(op);
          operations.remove(TraceTable.of(Heap.class).name(op));
        }
      } while (in.nextBlock());
    }
  }
}
