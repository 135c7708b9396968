package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapInspection;
import dev.gleaner.heap.Mutator;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes wrong in the JVM in the midst of an operation: a heap is whole, or says it is not. */
class BrokenHeapTest {
  private static final long STACK = 256 << 10;
  private static final int OVERFLOWS = 33;

  /** What a broken heap still answers. */
  private static final Set<String> ALWAYS = Set.of("close", "removeListener");

  /** What shows a heap, a broken one, too: {@code DescribeTest}. */
  private static final Set<String> SHOWS = Set.of("describe", "frames", "whatIsAt", "pageMap");

  static List<String> collectors() {
    return Installed.share(0);
  }

  static List<String> withLittleMemory() {
    return Tier.exhaustive() ? Installed.collectors() : Installed.share(1);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void aBrokenHeapSaysSoAndCanBeClosed(String collector) {
    IllegalStateException cause = new IllegalStateException("in the midst");
    boolean[] fails = new boolean[1];
    MisuseHeap misuse =
        new MisuseHeap(
            collector,
            defaults ->
                new AllocationFunctions() {
                  @Override
                  public long alloc(long bytes) {
                    return defaults.alloc(bytes);
                  }

                  @Override
                  public long realloc(long block, long bytes) {
                    return defaults.realloc(block, bytes);
                  }

                  @Override
                  public void free(long block) {
                    if (fails[0]) {
                      throw cause;
                    }
                    defaults.free(block);
                  }
                });
    fails[0] = true;
    assertThatThrownBy(() -> misuse.thread.resizeBuffer(MisuseHeap.DYNAMIC, 0)).isSameAs(cause);
    for (PublicCall call : PublicCalls.all()) {
      if (call.owner() == Heap.class && ALWAYS.contains(call.name())) {
        continue;
      }
      if (call.owner() == HeapInspection.class && SHOWS.contains(call.name())) {
        assertThat(call.thrownBy(misuse, call.right())).as("%s", call).isSameAs(call);
        continue;
      }
      assertThat(call.thrownBy(misuse, call.right()))
          .as("%s", call)
          .isInstanceOfSatisfying(
              HeapBrokenException.class,
              e ->
                  assertThat(e)
                      .hasMessage("heap misused is broken, and can only be closed: " + cause)
                      .hasCause(cause));
    }
    misuse.close();
    assertThat(misuse.heap.isClosed()).isTrue();
    assertThat(misuse.heap.statistics().committedBytes()).isZero();
  }

  /** Operations at every depth near the end of the Java stack, until it ends in one of them. */
  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void afterAnOverflowOfTheJavaStackAHeapIsWholeOrSaysThatItIsNot(String collector)
      throws InterruptedException {
    List<Throwable> wrong = new ArrayList<>();
    int[] seen = new int[2];
    Thread small =
        new Thread(
            null,
            () -> {
              try {
                overflow(collector, seen);
              } catch (Throwable e) {
                wrong.add(e);
              }
            },
            "small",
            STACK);
    small.start();
    small.join();
    assertThat(wrong).isEmpty();
    assertThat(seen[0]).isPositive();
  }

  /** A heap of its own for each: what an overflow leaves behind, frames and threads, adds up. */
  private static void overflow(String collector, int[] seen) {
    for (int i = 0; i < OVERFLOWS; i++) {
      Heap heap = Installed.open(collector, "memory.max = 64MiB");
      try {
        seen[isWholeAfterwards(heap, i) ? 0 : 1]++;
      } finally {
        heap.close();
      }
      assertThat(heap.isClosed()).isTrue();
      assertThat(heap.statistics().committedBytes()).isZero();
    }
  }

  private static boolean isWholeAfterwards(Heap heap, int round) {
    Mutator t = heap.mutator();
    try {
      t.enter(5);
      start(heap, round % 11, round % 7);
    } catch (StackOverflowError _) {
      // the program's own end, or in the midst of an operation
    } catch (HeapBrokenException e) {
      return false; // the program went on where the stack was short
    }
    try {
      assertThat(heap.inspect().verify()).isEmpty();
      t.enter(1); // another thread may run now, whose frame has no slots
      t.newRecord(0, 1);
      t.newString(0, "goes on");
      assertThat(t.getString(0)).isEqualTo("goes on");
      assertThat(heap.inspect().verify()).isEmpty();
      return true;
    } catch (HeapBrokenException e) {
      assertThatThrownBy(heap::collect).isInstanceOf(HeapBrokenException.class);
      assertThatThrownBy(() -> t.setInt(0, 1)).isInstanceOf(HeapBrokenException.class);
      return false;
    }
  }

  /** Begins a little deeper each time. */
  private static void start(Heap heap, int operation, int depth) {
    if (depth > 0) {
      start(heap, operation, depth - 1);
    } else {
      dig(heap, operation, 0);
    }
  }

  @SuppressWarnings("InfiniteRecursion") // until the stack ends
  private static void dig(Heap heap, int operation, int depth) {
    operate(heap, operation == 0 ? depth % 11 : operation, depth);
    dig(heap, operation, depth + 1);
  }

  private static void operate(Heap heap, int operation, int depth) {
    Mutator t = heap.mutator();
    switch (operation) {
      case 1 -> t.newRecord(0, depth % 40);
      case 2 -> {
        t.newObject(0);
        t.newString(1, "key " + depth % 97);
        t.putProperty(0, 1, 0);
      }
      case 3 -> {
        t.enter(3);
        t.newRecord(0, 2);
        t.leave(0, 1);
      }
      case 4 -> heap.collect();
      case 5 -> {
        t.newThread(0);
        t.resume(0, 3);
        t.newRecord(0, 1);
        t.suspend();
      }
      case 6 -> {
        t.newRecord(0, 2);
        t.setFinalizer(0, "finalizer", (thread, closing) -> thread.newRecord(1, 3));
      }
      case 7 -> t.newNative(0, "native", (value, closing) -> {});
      case 8 -> {
        t.newBuffer(0, 3000);
        t.newDynamicBuffer(1, 10);
        t.resizeBuffer(1, 3000);
      }
      case 9 -> t.newWeak(newRecord(t)).close();
      default -> {
        t.newRecord(0, 3);
        t.store(0, 1, 2);
        t.copy(2, 0);
        t.load(3, 2, 1);
      }
    }
  }

  private static int newRecord(Mutator t) {
    t.newRecord(0, 1);
    return 0;
  }

  /** A JVM with little memory, which runs out of it in one operation after the other. */
  @ParameterizedTest
  @MethodSource("withLittleMemory")
  @Tag("seeds")
  void afterTheJvmRanOutOfMemoryAHeapIsWholeOrSaysThatItIsNot(String collector) throws Exception {
    ForkedJvm.Result result =
        ForkedJvm.run(
            List.of(
                "-Xmx24m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", ForkedJvm.NATIVE_ACCESS),
            LittleMemory.class,
            collector,
            Integer.toString(Tier.number(2, 24)));
    assertThat(result.out()).as("%s", result).hasSize(1);
    assertThat(result.out().get(0)).matches("[1-9]\\d* whole, \\d+ broken, \\d+ errors");
    assertThat(result.exit()).isZero();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void anInterruptIsLeftToTheProgram(String collector) {
    try (MisuseHeap heap = new MisuseHeap(collector)) {
      Thread.currentThread().interrupt();
      for (PublicCall call : PublicCalls.all()) {
        if (!call.name().equals("close")) {
          Object _ = call.thrownBy(heap, call.right());
          assertThat(Thread.currentThread().isInterrupted()).as("%s", call).isTrue();
        }
      }
      assertThat(heap.heap.inspect().verify()).isEmpty();
    } finally {
      boolean _ = Thread.interrupted();
    }
  }
}
