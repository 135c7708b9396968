package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.CallStackFullException;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A request that no memory can meet finds none, whatever its size: that is no misuse, since any
 * program can come to it. So can a stack that is full, which has an exception of its own.
 */
class HugeSizesTest {
  private static final List<Long> LONGS =
      List.of(1L << 31, 1L << 32, 1L << 40, (1L << 61) + 8, Long.MAX_VALUE - 7, Long.MAX_VALUE);
  private static final List<Long> INTS =
      List.of(1L << 30, Integer.MAX_VALUE - 1L, (long) Integer.MAX_VALUE);

  /** A call with a size, the least exception that it throws, and the bytes of a unit. */
  record Request(
      List<Long> sizes,
      ObjLongConsumer<MisuseHeap> call,
      Class<? extends HeapException> refusal,
      int unit) {}

  private static Request bytes(ObjLongConsumer<MisuseHeap> call) {
    return new Request(LONGS, call, HeapExhaustedException.class, 1);
  }

  private static Request units(
      BiConsumer<Mutator, Integer> call, Class<? extends HeapException> refusal) {
    return new Request(INTS, (h, n) -> call.accept(h.thread, (int) n), refusal, 8);
  }

  private static Request elements(BiConsumer<Mutator, Integer> call) {
    return units(call, HeapExhaustedException.class);
  }

  private static Request frames(BiConsumer<Mutator, Integer> call) {
    return units(call, ValueStackFullException.class);
  }

  private static Arguments named(String name, Request request, String collector) {
    return Arguments.of(Named.of(name, request), collector);
  }

  static Stream<Arguments> requests() {
    return Installed.collectors().stream()
        .flatMap(c ->
            Stream.of(
                named("newBuffer", bytes((h, n) -> h.thread.newBuffer(0, n)), c),
                named("newDynamicBuffer", bytes((h, n) -> h.thread.newDynamicBuffer(0, n)), c),
                named(
                    "resizeBuffer",
                    bytes((h, n) -> h.thread.resizeBuffer(MisuseHeap.DYNAMIC, n)),
                    c),
                named("reserveExternal", bytes((h, n) -> h.heap.reserveExternal(n)), c),
                named("allocChecked", bytes((h, n) -> h.heap.plainMemory().allocChecked(n)), c),
                named(
                    "reallocChecked",
                    bytes((h, n) -> h.heap.plainMemory().reallocChecked(block(h), n)),
                    c),
                named("newRecord", elements((t, n) -> t.newRecord(0, n)), c),
                named("newObject", elements((t, n) -> t.newObject(0, n)), c),
                named("newFunction", elements((t, n) -> t.newFunction(0, n, n)), c),
                named("enter", frames(Mutator::enter), c),
                named("enter with arguments", frames((t, n) -> t.enter(n, 0, 2)), c),
                named("call", frames((t, n) -> t.call(n, MisuseHeap.FUNCTION)), c),
                named("resume", frames((t, n) -> t.resume(MisuseHeap.THREAD, n)), c)));
  }

  private static long block(MisuseHeap h) {
    return (long) h.resolve(MisuseHeap.Reference.BLOCK);
  }

  /**
   * All but how often it was collected, and where what may move is; after an emergency: a refusal
   * is one, too, and looking at the heap makes its stack grow.
   */
  private static List<String> state(MisuseHeap heap) {
    heap.heap.collect(CollectFlags.EMERGENCY);
    List<String> lines = new ArrayList<>(heap.dump());
    boolean moves = heap.heap.traits().has(Capability.MOVING);
    lines.removeIf(
        line -> line.startsWith("collections ") || (moves && line.startsWith("snapshot ")));
    return lines;
  }

  @ParameterizedTest
  @MethodSource("requests")
  void findsNoMemoryAndChangesNothing(Request request, String collector) {
    try (MisuseHeap heap = new MisuseHeap(collector)) {
      List<String> before = state(heap);
      for (long size : request.sizes) {
        HeapException thrown =
            catchThrowableOfType(HeapException.class, () -> request.call.accept(heap, size));
        assertThat(thrown).as("of %s", size).isExactlyInstanceOf(request.refusal);
        if (thrown instanceof HeapExhaustedException e) {
          long least = size * request.unit;
          assertThat(e.requested()).isGreaterThanOrEqualTo(least);
          assertThat(e.used()).isBetween(1L, e.limit());
        } else if (thrown instanceof ValueStackFullException e) {
          assertThat(e.size()).isGreaterThan(size).isGreaterThan(e.limit());
        }
        assertThat(state(heap)).as("after %s", size).isEqualTo(before);
      }
    }
  }

  static List<String> collectors() {
    return Installed.collectors();
  }

  /** Those that answer 0 instead of throwing. */
  @ParameterizedTest
  @MethodSource("collectors")
  void plainBlocksAreRefused(String collector) {
    try (MisuseHeap heap = new MisuseHeap(collector)) {
      List<String> before = state(heap);
      for (long size : LONGS) {
        assertThat(heap.heap.plainMemory().alloc(size)).isZero();
        assertThat(heap.heap.plainMemory().allocZeroed(size)).isZero();
        assertThat(heap.heap.plainMemory().allocRaw(size)).isZero();
        assertThat(heap.heap.plainMemory().realloc(block(heap), size)).isZero();
        assertThat(heap.heap.plainMemory().reallocRaw(block(heap), size)).isZero();
        assertThat(heap.heap.plainMemory().reallocIndirect(() -> block(heap), size)).isZero();
        assertThat(state(heap)).as("after %s", size).isEqualTo(before);
      }
    }
  }

  /** An index is no size: what is not there is a misuse. */
  @ParameterizedTest
  @MethodSource("collectors")
  void indicesAreRefused(String collector) {
    List<BiConsumer<Mutator, Integer>> calls =
        List.of(
            (t, i) -> t.load(0, MisuseHeap.RECORD, i),
            (t, i) -> t.store(MisuseHeap.OBJECT, i, 0),
            (t, i) -> t.loadConstant(0, MisuseHeap.FUNCTION, i),
            (t, i) -> t.storeInner(MisuseHeap.FUNCTION, i, 0),
            (t, i) -> t.charAt(MisuseHeap.STRING, i),
            (t, i) -> t.getByte(MisuseHeap.BUFFER, i),
            (t, i) -> t.copy(i, 0));
    try (MisuseHeap heap = new MisuseHeap(collector)) {
      List<String> before = state(heap);
      for (BiConsumer<Mutator, Integer> call : calls) {
        for (long i : INTS) {
          assertThat(catchThrowable(() -> call.accept(heap.thread, (int) i)))
              .isInstanceOf(HeapUsageException.class);
        }
      }
      for (long at : LONGS) {
        assertThat(catchThrowable(() -> heap.thread.getByte(MisuseHeap.DYNAMIC, at)))
            .isInstanceOf(HeapUsageException.class);
      }
      assertThat(state(heap)).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aFullStackSaysHowLargeItMayBe(String collector) {
    try (Heap heap = Installed.open(collector, "threads.max-stack-slots = 1000")) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newFunction(0, 0, 0);
      ValueStackFullException frames =
          catchThrowableOfType(
              ValueStackFullException.class,
              () -> {
                while (true) {
                  t.enter(9);
                }
              });
      assertThat(frames.limit()).isEqualTo(1000);
      assertThat(frames.size()).isBetween(1001L, 1010L);
      assertThat(t.frameDepth()).isBetween(97, 100);
      while (t.frameDepth() > 1) {
        t.leave();
      }
      t.newThread(1);
      ValueStackFullException pushes =
          catchThrowableOfType(
              ValueStackFullException.class,
              () -> {
                while (true) {
                  t.push(1, 0);
                }
              });
      assertThat(pushes.size()).isEqualTo(1001);
      CallStackFullException catchers =
          catchThrowableOfType(
              CallStackFullException.class,
              () -> {
                while (true) {
                  t.pushCatcher(0, 1);
                }
              });
      assertThat(catchers)
          .hasMessage("call stack of 1001 entries exceeds threads.max-stack-slots = 1000");
      assertThat(catchers.limit()).isEqualTo(1000);
      assertThat(catchers.size()).isEqualTo(1001);
      int depth = t.frameDepth();
      assertThat(catchThrowable(() -> t.call(1, 0))).isInstanceOf(CallStackFullException.class);
      assertThat(t.frameDepth()).isEqualTo(depth);
      assertThat(heap.inspect().verify()).isEmpty();
      for (int i = 0; i < 1000; i++) {
        t.popCatcher();
      }
      t.call(1, 0);
    }
  }
}
