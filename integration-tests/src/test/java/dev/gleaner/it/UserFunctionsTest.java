package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapUsageException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Allocation functions of a user's own that lie, throw, or call the heap. */
class UserFunctionsTest {
  static List<String> collectors() {
    return Installed.collectors();
  }

  /** Functions that do one thing wrong, once they are told to. */
  private static final class Wrong implements AllocationFunctions {
    private final AllocationFunctions defaults;
    private @Nullable Runnable inAlloc;
    private @Nullable Runnable inRealloc;
    private @Nullable Runnable inFree;
    private LongUnaryOperator answer = b -> b;
    private long last;

    Wrong(AllocationFunctions defaults) {
      this.defaults = defaults;
    }

    private static void run(@Nullable Runnable action) {
      if (action != null) {
        action.run();
      }
    }

    @Override
    public long alloc(long bytes) {
      run(inAlloc);
      long block = defaults.alloc(bytes);
      long answered = answer.applyAsLong(block);
      last = block;
      return answered;
    }

    @Override
    public long realloc(long block, long bytes) {
      run(inRealloc);
      return answer.applyAsLong(defaults.realloc(block, bytes));
    }

    @Override
    public void free(long block) {
      run(inFree);
      defaults.free(block);
    }
  }

  private static final class Opened implements AutoCloseable {
    final AtomicReference<Wrong> wrong = new AtomicReference<>();
    final Heap heap;
    final Mutator t;

    Opened(String collector) {
      heap =
          Installed.factory(collector, "voluntary.enabled = false")
              .open(
                  "wrong",
                  defaults -> {
                    wrong.set(new Wrong(defaults));
                    return wrong.get();
                  });
      t = heap.mutator();
      t.enter(3);
      t.newDynamicBuffer(0, 100);
      t.newString(1, "kept");
      t.newRecord(2, 0);
    }

    Wrong functions() {
      return wrong.get();
    }

    @Override
    public void close() {
      heap.close();
    }
  }

  static Stream<Arguments> lies() {
    return collectors().stream()
        .flatMap(c ->
            Stream.of(
                Arguments.of(c, (LongUnaryOperator) b -> b + 4, "not aligned"),
                Arguments.of(c, (LongUnaryOperator) b -> -b, "not whole inside"),
                Arguments.of(c, (LongUnaryOperator) b -> 1L << 40, "not whole inside"),
                Arguments.of(c, (LongUnaryOperator) b -> Long.MAX_VALUE - 7, "not whole"),
                Arguments.of(c, (LongUnaryOperator) b -> 8, "not whole inside"),
                Arguments.of(c, (LongUnaryOperator) b -> b + 8, "not whole inside")));
  }

  @ParameterizedTest
  @MethodSource("lies")
  void anAllocThatAnswersNoFreePlaceIsRefused(String collector, LongUnaryOperator lie, String why) {
    try (Opened o = new Opened(collector)) {
      long elements = o.heap.statistics().allocatedElements();
      o.functions().answer = lie;
      for (Runnable operation :
          List.<Runnable>of(
              () -> o.t.newRecord(2, 3),
              () -> o.t.newDynamicBuffer(2, 64),
              () -> o.t.newString(2, "new"),
              () -> o.heap.plainMemory().allocChecked(24))) {
        assertThatThrownBy(operation::run)
            .isExactlyInstanceOf(HeapException.class)
            .hasMessageContaining("answered")
            .hasMessageContaining(why);
      }
      o.functions().answer = b -> b;
      assertThat(o.heap.inspect().verify()).isEmpty();
      assertThat(o.t.slotCount(2)).isZero();
      assertThat(o.heap.statistics().allocatedElements()).isEqualTo(elements);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aBlockThatIsInUseIsNotTakenAgain(String collector) {
    try (Opened o = new Opened(collector)) {
      o.functions().answer = b -> o.functions().last;
      assertThatThrownBy(() -> o.t.newRecord(2, 0))
          .isExactlyInstanceOf(HeapException.class)
          .hasMessageEndingWith("where the heap has a block already");
      o.functions().answer = b -> b;
      assertThat(o.heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void whatAnAllocThrowsComesOutAndChangesNothing(String collector) {
    for (Throwable thrown :
        List.of(new IllegalStateException("mine"), new AssertionError("mine"))) {
      try (Opened o = new Opened(collector)) {
        o.functions().inAlloc = () -> sneak(thrown);
        assertThatThrownBy(() -> o.t.newRecord(2, 3)).isSameAs(thrown);
        assertThatThrownBy(() -> o.t.newDynamicBuffer(2, 64)).isSameAs(thrown);
        o.functions().inAlloc = null;
        assertThat(o.heap.inspect().verify()).isEmpty();
        assertThat(o.t.slotCount(2)).isZero();
        assertThat(o.t.frameSize()).isEqualTo(3);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable e) throws E {
    throw (E) e;
  }

  /** Whether the block is still there cannot be known. */
  @ParameterizedTest
  @MethodSource("collectors")
  void aReallocOrFreeThatFailsBreaksTheHeap(String collector) {
    IllegalStateException thrown = new IllegalStateException("mine");
    for (int way = 0; way < 3; way++) {
      Opened o = new Opened(collector);
      switch (way) {
        case 0 -> o.functions().inRealloc = () -> sneak(thrown);
        case 1 -> o.functions().inFree = () -> sneak(thrown);
        default -> o.functions().answer = b -> b + 4;
      }
      assertThatThrownBy(() -> o.t.resizeBuffer(0, o.functions().inFree == null ? 5000 : 0))
          .isInstanceOf(RuntimeException.class);
      assertThatThrownBy(() -> o.t.newRecord(2, 1))
          .isExactlyInstanceOf(HeapBrokenException.class)
          .hasMessageStartingWith("heap wrong is broken, and can only be closed: ");
      o.functions().inRealloc = null;
      o.functions().inFree = null;
      o.close();
      assertThat(o.heap.isClosed()).isTrue();
    }
  }

  /** All public calls are refused, and whoever ignores that has done no harm. */
  @ParameterizedTest
  @MethodSource("collectors")
  void aFunctionThatCallsTheHeapIsRefused(String collector) {
    AtomicReference<Runnable> inside = new AtomicReference<>(() -> {});
    try (MisuseHeap misuse =
        new MisuseHeap(
            collector,
            defaults ->
                new AllocationFunctions() {
                  @Override
                  public long alloc(long bytes) {
                    inside.get().run();
                    return defaults.alloc(bytes);
                  }

                  @Override
                  public long realloc(long block, long bytes) {
                    inside.get().run();
                    return defaults.realloc(block, bytes);
                  }

                  @Override
                  public void free(long block) {
                    defaults.free(block);
                  }
                })) {
      for (PublicCall call : PublicCalls.all()) {
        AtomicReference<Object> thrown = new AtomicReference<>();
        inside.set(() -> thrown.set(call.thrownBy(misuse, call.right())));
        misuse.thread.newBuffer(MisuseHeap.UNDEFINED, 64);
        inside.set(() -> {});
        misuse.thread.setUndefined(MisuseHeap.UNDEFINED);
        if (call.owner() != Heap.class || !call.name().equals("removeListener")) {
          assertThat(thrown.get())
              .as("%s", call)
              .isInstanceOf(HeapUsageException.class)
              .hasToString(
                  HeapUsageException.class.getName()
                      + ": an allocation function of heap misused must not call it");
        }
      }
      assertThat(misuse.heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void theDefaultsAreForTheHeapsThreadAlone(String collector) throws InterruptedException {
    Opened o = new Opened(collector);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    o.functions().inAlloc =
        () -> {
          Thread other =
              new Thread(() -> {
                try {
                  long _ = o.functions().defaults.alloc(64);
                } catch (WrongThreadException e) {
                  thrown.set(e);
                }
              });
          other.start();
          try {
            other.join();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        };
    o.t.newRecord(2, 3);
    assertThat(thrown.get()).hasMessageStartingWith("heap wrong belongs to ");
    assertThat(o.heap.inspect().verify()).isEmpty();
    o.close();
    assertThatThrownBy(() -> o.functions().defaults.alloc(64))
        .isExactlyInstanceOf(HeapClosedException.class);
  }
}
