package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.LeakReport;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Weakness;
import dev.gleaner.metrics.HeapMetrics;
import dev.gleaner.spi.Capability;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Loops that a collector cannot reclaim are told: by the heap, a meter, and at the end a log. */
@Tag("D24")
class LeaksTest {
  private static final String QUIET = "voluntary.enabled = false";

  private final Logger logger = Logger.getLogger("dev.gleaner.heap");
  private final boolean parents = logger.getUseParentHandlers();
  private final List<LogRecord> records = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord r) {
          records.add(r);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  static List<String> collectors() {
    return Installed.collectors();
  }

  @BeforeEach
  void listen() {
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
  }

  @AfterEach
  void listenNoMore() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(parents);
  }

  private static boolean leaks(Heap heap) {
    return heap.traits().has(Capability.PROMPT) && !heap.traits().has(Capability.CYCLES);
  }

  /** Loses a loop: an object whose property is a record whose slot is a function, and back. */
  private static void lose(Mutator t) {
    t.newObject(0);
    t.newRecord(1, 3);
    t.newFunction(2, 0, 1);
    t.newString(3, "next");
    t.putProperty(0, 3, 1);
    t.store(1, 2, 2);
    t.newFunction(4, 1, 0);
    t.storeConstant(4, 0, 0);
    t.storeInner(2, 0, 4);
    t.newRecord(5, 10);
    t.store(1, 0, 5); // what hangs on it
    t.wipe(0);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void findLeaksTellsHowManyHowMuchAndOneLoop(String collector) {
    try (Heap heap = Installed.open(collector, QUIET)) {
      Mutator t = heap.mutator();
      t.enter(6);
      assertThat(heap.inspect().findLeaks()).isEqualTo(new LeakReport(0, 0, List.of()));
      assertThat(heap.inspect().findLeaks()).hasToString("nothing has leaked");
      lose(t);
      LeakReport report = heap.inspect().findLeaks();
      // object, record, two functions, the record that hangs on it, and the key
      assertThat(report.elements()).isEqualTo(6);
      assertThat(report.bytes()).isEqualTo(8 * (3 + 4 + 3 + 3 + 11 + 3));
      assertThat(report.sample()).hasSize(4);
      String loop = String.join(" ", report.sample());
      assertThat(loop + " " + loop)
          .contains(".next: record of 3 [2]: function (0): function (0): object");
      assertThat(report.toString()).startsWith("6 elements of 216 bytes have leaked; a loop: ");
      assertThat(heap.statistics().leakedElements()).isEqualTo(leaks(heap) ? 6 : 0);
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aCollectionCountsWhatItLeaves(String collector) {
    try (Heap heap = Installed.open(collector, QUIET)) {
      Mutator t = heap.mutator();
      t.enter(6);
      for (int i = 1; i <= 3; i++) {
        lose(t);
        heap.collect();
        assertThat(heap.statistics().leakedElements()).isEqualTo(leaks(heap) ? 1 + 5 * i : 0);
      }
      assertThat(heap.inspect().findLeaks().elements()).isEqualTo(leaks(heap) ? 16 : 0);
    }
  }

  /** Under counting alone a weak key that its own value holds. */
  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("L4")
  void aLoopThroughAWeakTable(String collector) {
    try (Heap heap = Installed.open(collector, QUIET)) {
      Mutator t = heap.mutator();
      t.enter(4);
      t.newWeakObject(0, Weakness.KEYS);
      t.newRecord(1, 0);
      t.newRecord(2, 3);
      t.store(2, 1, 1);
      t.putProperty(0, 1, 2);
      t.setUndefined(1);
      t.setUndefined(2);
      LeakReport report = heap.inspect().findLeaks();
      assertThat(report.elements()).isEqualTo(2);
      String loop = String.join(" ", report.sample());
      assertThat(loop + " " + loop).contains("as a weak key, value: record of 3 [1]: record of 0");
    }
  }

  /** A weak reference brings the loop back, and the program breaks it. */
  @Test
  @Tag("D26")
  void whatComesBackHasNotLeaked() {
    try (Heap heap = Installed.open("refcount", QUIET)) {
      Mutator t = heap.mutator();
      t.enter(1);
      t.newRecord(0, 1);
      t.store(0, 0, 0);
      WeakRef weak = t.newWeak(0);
      t.setUndefined(0);
      assertThat(heap.inspect().findLeaks().elements()).isEqualTo(1);
      assertThat(heap.statistics().leakedElements()).isEqualTo(1);
      assertThat(t.getWeak(0, weak)).isTrue();
      t.storeNull(0, 0);
      t.setUndefined(0);
      heap.collect();
      assertThat(heap.statistics().leakedElements()).isZero();
      assertThat(heap.inspect().findLeaks().elements()).isZero();
    }
    assertThat(records).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void closingWarnsOfWhatHasLeaked(String collector) {
    Heap clean = Installed.factory(collector, QUIET).open("clean");
    clean.mutator().enter(1);
    clean.mutator().newRecord(0, 3);
    clean.close();
    assertThat(records).as("what is in use has not leaked").isEmpty();
    Heap heap = Installed.factory(collector, QUIET).open("leaky");
    heap.mutator().enter(6);
    lose(heap.mutator());
    heap.close();
    if (leaks(heap)) {
      assertThat(records).hasSize(1);
      LogRecord r = records.getFirst();
      assertThat(r.getLevel()).isEqualTo(Level.WARNING);
      assertThat(r.getMessage())
          .startsWith("heap leaky: 6 elements of 216 bytes have leaked; a loop: ")
          .contains(" -> ");
    } else {
      assertThat(records).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void metersOfWhatCountingReclaimsAndLeaves(String collector) {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (Heap heap = Installed.open(collector, QUIET);
        HeapMetrics metrics = new HeapMetrics(heap)) {
      metrics.bindTo(registry);
      Mutator t = heap.mutator();
      t.enter(6);
      boolean prompt = heap.traits().has(Capability.PROMPT);
      assertThat(registry.find("gleaner.gc.refzero").meters()).hasSize(prompt ? 1 : 0);
      assertThat(registry.find("gleaner.leaked").meters()).hasSize(leaks(heap) ? 1 : 0);
      if (prompt) {
        double before = registry.get("gleaner.gc.refzero").functionCounter().count();
        for (int i = 0; i < 100; i++) {
          t.newRecord(0, 1);
        }
        t.setUndefined(0);
        assertThat(registry.get("gleaner.gc.refzero").functionCounter().count())
            .isEqualTo(before + 100);
      }
      if (leaks(heap)) {
        assertThat(registry.get("gleaner.leaked").gauge().value()).isZero();
        lose(t);
        heap.collect();
        assertThat(registry.get("gleaner.leaked").gauge().value()).isEqualTo(6);
      }
    }
    assertThat(registry.getMeters()).isEmpty();
  }
}
