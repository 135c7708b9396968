package dev.gleaner.collector.hybrid;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapThread;
import dev.gleaner.heap.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;

/** Heaps under the hybrid collector, verified and closed after every test. */
abstract class HeapTests {
  private static final Map<String, HeapFactory> FACTORIES = new ConcurrentHashMap<>();

  /** Labels of finalizers that ran, with {@code !} while the heap was closing. */
  final List<String> finalized = new ArrayList<>();

  final Log log = new Log();
  private boolean warningsExpected;
  private final List<Heap> heaps = new ArrayList<>();

  final Heap open(String... settings) {
    HeapFactory factory =
        FACTORIES.computeIfAbsent(
            String.join("\n", settings),
            text -> {
              Config config =
                  ConfigFactory.parseString("gleaner {\ncollector = hybrid\n" + text + "\n}");
              return Gleaner.factory(config.withFallback(ConfigFactory.load()));
            });
    Heap heap = factory.open();
    heaps.add(heap);
    return heap;
  }

  final void expectWarnings() {
    warningsExpected = true;
  }

  @AfterEach
  void verifyAndClose() {
    try (log) {
      for (Heap heap : heaps) {
        if (!heap.isClosed()) {
          assertThat(heap.verify()).isEmpty();
          heap.close();
        }
        assertThat(heap.statistics().usedBytes()).isZero();
        assertThat(heap.statistics().liveElements()).isZero();
      }
    }
    assertThat(log.records.isEmpty() || warningsExpected).as("%s", log.messages()).isTrue();
  }

  /** A finalizer that notes its label and then does something. */
  final Finalizer noting(String label, Finalizer then) {
    return (t, closing) -> {
      finalized.add(closing ? label + "!" : label);
      then.run(t, closing);
    };
  }

  final Finalizer noting(String label) {
    return noting(label, (t, closing) -> {});
  }

  static long count(Heap heap, Kind kind) {
    return heap.statistics().live(kind);
  }

  static long alive(Heap heap) {
    return heap.statistics().liveElements();
  }

  /** Collects, and checks every count, table and figure. */
  static void collect(Heap heap) {
    heap.collect();
    assertThat(heap.verify()).isEmpty();
  }

  /** A list of records, the last of which is in slot d. */
  static void list(HeapThread t, int d, int scratch, int length) {
    t.setNull(d);
    for (int i = 0; i < length; i++) {
      t.newRecord(scratch, 2);
      t.store(scratch, 0, d);
      t.storeInt(scratch, 1, i);
      t.copy(d, scratch);
    }
    t.setUndefined(scratch);
  }
}
