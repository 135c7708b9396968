package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.metrics.HeapMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The user's code that is called in the midst of an operation and throws; what finalizers,
 * callbacks, listeners and visitors throw is a matter of the kit's rules.
 */
@Tag("D20")
class ThrowingCodeTest {
  private int calls;

  static List<String> collectors() {
    return Installed.collectors();
  }

  private static void with(String collector, Consumer<Heap> test) {
    try (Heap heap = Installed.open(collector, "")) {
      heap.mutator().enter(4);
      test.accept(heap);
    }
  }

  private void lose(Heap heap) {
    Mutator t = heap.mutator();
    t.newRecord(0, 1);
    t.setFinalizer(0, "f", (_, _) -> calls++);
    t.setUndefined(0);
  }

  private static void goesThrough(Heap heap, ThrowingCallable code) {
    assertThatThrownBy(code).isInstanceOf(StackOverflowError.class).hasMessage("on purpose");
    assertThat(heap.inspect().verify()).isEmpty();
  }

  private static StackOverflowError error() {
    return new StackOverflowError("on purpose");
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void whatAMakerOfBuiltinsThrowsGoesThrough(String collector) {
    with(
        collector,
        heap -> {
          goesThrough(
              heap,
              () ->
                  heap.makeBuiltins(() -> {
                    lose(heap);
                    throw error();
                  }));
          lose(heap);
          heap.collect();
          assertThat(calls).as("finalizers are held no more").isPositive();
        });
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void whatAPointerThrowsGoesThrough(String collector) {
    with(
        collector,
        heap -> {
          long block = heap.plainMemory().allocChecked(100);
          goesThrough(
              heap,
              () ->
                  heap.plainMemory()
                      .reallocIndirect(
                          () -> {
                            throw error();
                          },
                          200));
          heap.plainMemory().free(heap.plainMemory().reallocChecked(block, 300));
          assertThat(heap.inspect().verify()).isEmpty();
        });
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void whatAStreamThrowsGoesThrough(String collector) {
    with(
        collector,
        heap -> {
          heap.mutator().newRecord(0, 3);
          OutputStream full =
              new OutputStream() {
                @Override
                public void write(int b) throws IOException {
                  throw new IOException("full");
                }
              };
          assertThatThrownBy(() -> heap.inspect().writeSnapshot(full))
              .isInstanceOf(IOException.class);
          assertThat(heap.inspect().verify()).isEmpty();
        });
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void whatAFactoryOfFunctionsThrowsGoesThrough(String collector) {
    HeapFactory factory = Installed.factory(collector, "");
    assertThatThrownBy(() ->
            factory.open(
                "own",
                defaults -> {
                  throw error();
                }))
        .isInstanceOf(StackOverflowError.class);
    try (Heap heap = factory.open("own", defaults -> defaults)) {
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aRegistryThatThrowsLosesNoFinalizer(String collector) {
    Logger log = Logger.getLogger("dev.gleaner.heap");
    boolean before = log.getUseParentHandlers();
    log.setUseParentHandlers(false);
    try {
      with(
          collector,
          heap -> {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            try (HeapMetrics metrics = new HeapMetrics(heap)) {
              metrics.bindTo(registry);
              registry.config().meterFilter(refuses());
              lose(heap);
              heap.collect();
              heap.collect();
            }
            assertThat(calls).isEqualTo(1);
            assertThat(heap.statistics().callbacksFailed()).isPositive();
          });
    } finally {
      log.setUseParentHandlers(before);
    }
  }

  private static MeterFilter refuses() {
    return new MeterFilter() {
      @Override
      public MeterFilterReply accept(Meter.Id id) {
        throw new IllegalStateException("no more meters");
      }
    };
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aLogThatThrowsLosesNoFinalizer(String collector) {
    Logger log = Logger.getLogger("dev.gleaner.heap");
    boolean before = log.getUseParentHandlers();
    Handler throwing = new ThrowingHandler();
    log.setUseParentHandlers(false);
    log.addHandler(throwing);
    try {
      with(
          collector,
          heap -> {
            for (int i = 0; i < 10; i++) {
              Mutator t = heap.mutator();
              t.newRecord(0, 1);
              t.setFinalizer(
                  0,
                  "f",
                  (_, _) -> {
                    calls++;
                    throw error();
                  });
              t.setUndefined(0);
            }
            heap.collect();
            heap.collect();
            assertThat(calls).isEqualTo(10);
            assertThat(heap.statistics().finalizersFailed()).isEqualTo(10);
          });
    } finally {
      log.removeHandler(throwing);
      log.setUseParentHandlers(before);
    }
  }

  /** Fails as one does that has no room left. */
  private static final class ThrowingHandler extends Handler {
    @Override
    public void publish(LogRecord record) {
      throw new OutOfMemoryError("on purpose");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
