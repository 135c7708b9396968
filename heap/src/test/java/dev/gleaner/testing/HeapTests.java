package dev.gleaner.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.memory.AllocationFunctionsFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Heaps under one collector, verified and closed after every test. */
public abstract class HeapTests {
  private static final Map<String, HeapFactory> FACTORIES = new ConcurrentHashMap<>();

  /** Labels of finalizers that ran, with {@code !} while the heap was closing. */
  protected final List<String> finalized = new ArrayList<>();

  /** What the heaps log: nothing, unless the test says that it expects something. */
  protected final Log log = new Log();

  private boolean logExpected;
  private final List<Heap> heaps = new ArrayList<>();

  private final String collector;

  /** Opens heaps under the collector with this name. */
  protected HeapTests(String collector) {
    this.collector = collector;
  }

  private HeapFactory factory(String... settings) {
    return FACTORIES.computeIfAbsent(
        "collector = " + collector + "\n" + String.join("\n", settings),
        text -> {
          Config config = ConfigFactory.parseString("gleaner {\n" + text + "\n}");
          return Gleaner.factory(config.withFallback(ConfigFactory.load()));
        });
  }

  protected final Heap open(String... settings) {
    return register(factory(settings).open());
  }

  protected final Heap open(AllocationFunctionsFactory functions, String... settings) {
    return register(factory(settings).open("own functions", functions));
  }

  private Heap register(Heap heap) {
    heaps.add(heap);
    return heap;
  }

  protected final void expectLog() {
    logExpected = true;
  }

  @AfterEach
  void verifyAndClose() {
    try (log) {
      verifyAndCloseHeaps();
    }
    assertThat(log.records.isEmpty() || logExpected).as("%s", log.messages()).isTrue();
  }

  private void verifyAndCloseHeaps() {
    for (Heap heap : heaps) {
      if (!heap.isClosed()) {
        assertThat(heap.inspect().verify()).isEmpty();
        heap.close();
      }
      assertThat(heap.statistics().usedBytes()).isZero();
      assertThat(heap.statistics().liveElements()).isZero();
    }
  }

  /** A finalizer that notes its label and then does something. */
  protected final Finalizer noting(String label, Finalizer then) {
    return (t, closing) -> {
      finalized.add(closing ? label + "!" : label);
      then.run(t, closing);
    };
  }

  protected final Finalizer noting(String label) {
    return noting(label, (t, closing) -> {});
  }

  /** Makes a record without references to it that has a finalizer. */
  protected final void lose(Mutator t, int scratch, String label, Finalizer then) {
    t.newRecord(scratch, 1);
    t.setFinalizer(scratch, label, noting(label, then));
    t.setUndefined(scratch);
  }

  protected final void lose(Mutator t, int scratch, String label) {
    lose(t, scratch, label, (thread, closing) -> {});
  }

  protected static long alive(Heap heap) {
    return heap.statistics().liveElements();
  }

  /** Collects, and checks all that the verifier knows. */
  protected static void collect(Heap heap) {
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
  }

  protected static long count(Heap heap, Kind kind) {
    return heap.statistics().live(kind);
  }

  protected static long used(Heap heap) {
    return heap.statistics().usedBytes();
  }

  protected static long collections(Heap heap) {
    return heap.statistics().collections();
  }

  /** Fills a record's slots so that a tracing takes many slices: a list of records from slot d. */
  protected static void list(Mutator t, int d, int scratch, int length) {
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
  protected static final class Events implements HeapListener {
    public final List<CollectionEvent> all = new ArrayList<>();

    public Events(Heap heap) {
      heap.addListener(this);
    }

    @Override
    public void collectionFinished(CollectionEvent event) {
      all.add(event);
    }

    public List<String> causes() {
      return all.stream().map(e -> e.cause().text()).toList();
    }

    public @Nullable CollectionEvent last() {
      return all.isEmpty() ? null : all.getLast();
    }
  }
}
