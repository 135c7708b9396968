package dev.gleaner.collector.semispace;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.AllocationFunctionsFactory;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.HeapThread;
import dev.gleaner.heap.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Heaps under the semispace collector, verified and closed after every test. */
abstract class HeapTests {
  private static final Map<String, HeapFactory> FACTORIES = new ConcurrentHashMap<>();

  /** Labels of finalizers that ran, with {@code !} while the heap was closing. */
  final List<String> finalized = new ArrayList<>();

  /** What the heaps log: nothing, unless the test says that it expects errors. */
  final Log log = new Log();

  private boolean errorsExpected;
  private final List<Heap> heaps = new ArrayList<>();

  private static HeapFactory factory(String... settings) {
    return FACTORIES.computeIfAbsent(
        String.join("\n", settings),
        text -> {
          Config config =
              ConfigFactory.parseString("gleaner {\ncollector = semispace\n" + text + "\n}");
          return Gleaner.factory(config.withFallback(ConfigFactory.load()));
        });
  }

  final Heap open(String... settings) {
    return register(factory(settings).open());
  }

  final Heap open(AllocationFunctionsFactory functions, String... settings) {
    return register(factory(settings).open("own functions", functions));
  }

  private Heap register(Heap heap) {
    heaps.add(heap);
    return heap;
  }

  final void expectErrors() {
    errorsExpected = true;
  }

  @AfterEach
  void verifyAndClose() {
    try (log) {
      verifyAndCloseHeaps();
    }
    assertThat(log.records.isEmpty() || errorsExpected).as("%s", log.messages()).isTrue();
  }

  private void verifyAndCloseHeaps() {
    for (Heap heap : heaps) {
      if (!heap.isClosed()) {
        assertThat(heap.verify()).isEmpty();
        heap.close();
      }
      assertThat(heap.statistics().usedBytes()).isZero();
      assertThat(heap.statistics().liveElements()).isZero();
    }
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

  /** Makes a record without references to it that has a finalizer. */
  final void lose(HeapThread t, int scratch, String label, Finalizer then) {
    t.newRecord(scratch, 1);
    t.setFinalizer(scratch, label, noting(label, then));
    t.setUndefined(scratch);
  }

  final void lose(HeapThread t, int scratch, String label) {
    lose(t, scratch, label, (thread, closing) -> {});
  }

  static long count(Heap heap, Kind kind) {
    return heap.statistics().live(kind);
  }

  static long used(Heap heap) {
    return heap.statistics().usedBytes();
  }

  static long collections(Heap heap) {
    return heap.statistics().collections();
  }

  /** Fills a record's slots so that a tracing takes many slices: a list of records from slot d. */
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

  /** The events of a heap. */
  static final class Events implements HeapListener {
    final List<CollectionEvent> all = new ArrayList<>();

    Events(Heap heap) {
      heap.addListener(this);
    }

    @Override
    public void collectionFinished(CollectionEvent event) {
      all.add(event);
    }

    List<String> causes() {
      return all.stream().map(CollectionEvent::cause).toList();
    }

    @Nullable CollectionEvent last() {
      return all.isEmpty() ? null : all.getLast();
    }
  }
}
