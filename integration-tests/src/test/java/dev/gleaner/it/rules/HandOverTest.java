package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapUsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A heap goes from one Java thread to another. */
@Tag("L11")
class HandOverTest extends AllCollectors {
  HandOverTest(String collector) {
    super(collector);
  }

  private static final List<Thread.Builder> THREADS =
      List.of(Thread.ofPlatform(), Thread.ofVirtual());

  private static final List<String> BACKINGS =
      List.of("", "memory.backing = grown\nmemory.initial = 0");

  /** Runs something on another Java thread, and answers or throws what it does. */
  private static <T> T on(Thread.Builder builder, Callable<T> task) throws Exception {
    FutureTask<T> future = new FutureTask<>(task);
    builder.start(future);
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw (Error) e.getCause();
    }
  }

  @Test
  void theNextThreadGoesOnWhereTheLastOneStood() throws Exception {
    for (String backing : BACKINGS) {
      for (Thread.Builder builder : THREADS) {
        Heap heap = open(backing);
        Mutator t = heap.mutator();
        t.enter(3);
        t.newObject(0);
        for (int round = 0; round < 20; round++) {
          int n = round;
          heap.release();
          int last =
              on(
                  builder,
                  () -> {
                    heap.acquire();
                    int before = n == 0 ? -1 : lastOf(t);
                    for (int i = 0; i < 500; i++) {
                      t.newRecord(1, 1);
                      t.storeInt(1, 0, n * 500 + i);
                      t.putIndex(0, n * 500 + i, 1);
                    }
                    heap.collect();
                    heap.release();
                    return before;
                  });
          heap.acquire();
          assertThat(last).isEqualTo(n == 0 ? -1 : n * 500 - 1);
          assertThat(lastOf(t)).isEqualTo(n * 500 + 499);
          assertThat(heap.inspect().verify()).isEmpty();
        }
      }
    }
  }

  private static int lastOf(Mutator t) {
    t.getIndex(2, 0, t.arrayLength(0) - 1);
    return t.loadInt(2, 0);
  }

  @Test
  void betweenTheTwoEveryCallIsRefused() {
    Heap heap = open("");
    Mutator t = heap.mutator();
    t.enter(2);
    heap.release();
    for (Runnable call :
        List.<Runnable>of(
            () -> t.enter(1),
            t::leave,
            () -> t.newRecord(0, 1),
            t::frameDepth,
            heap::collect,
            heap::statistics,
            heap::release,
            heap::close,
            () -> heap.plainMemory().alloc(8))) {
      assertThatThrownBy(call::run)
          .isInstanceOf(HeapUsageException.class)
          .hasMessageContaining("is released: a Java thread has to acquire() it first");
    }
    assertThat(heap.isClosed()).isFalse();
    assertThat(heap.snapshot().liveElements()).isPositive();
    heap.acquire();
    assertThat(t.frameSize()).isEqualTo(2);
  }

  @Test
  void onlyWhatWasReleasedIsAcquired() throws Exception {
    Heap heap = open("");
    assertThatThrownBy(heap::acquire)
        .isInstanceOf(HeapUsageException.class)
        .hasMessageContaining("belongs to this Java thread already");
    for (Thread.Builder builder : THREADS) {
      for (Callable<Object> call :
          List.<Callable<Object>>of(
              () -> run(heap::acquire),
              () -> run(heap::release),
              () -> run(heap::close),
              () -> run(() -> heap.mutator().enter(1)))) {
        assertThatThrownBy(() -> on(builder, call))
            .isInstanceOf(WrongThreadException.class)
            .hasMessageContaining("belongs to");
      }
      heap.release();
      CountDownLatch acquired = new CountDownLatch(1);
      CountDownLatch tried = new CountDownLatch(1);
      FutureTask<Object> other =
          new FutureTask<>(() -> {
            heap.acquire();
            acquired.countDown();
            tried.await();
            return run(heap::release);
          });
      builder.start(other);
      acquired.await();
      assertThatThrownBy(heap::acquire).isInstanceOf(WrongThreadException.class);
      assertThatThrownBy(heap::close).isInstanceOf(WrongThreadException.class);
      tried.countDown();
      other.get();
      heap.acquire();
    }
  }

  private static Object run(Runnable call) {
    call.run();
    return "done";
  }

  @Test
  void aHeapIsClosedByTheThreadThatHasIt() throws Exception {
    for (String backing : BACKINGS) {
      for (Thread.Builder builder : THREADS) {
        Heap heap = open(backing);
        AtomicInteger freed = new AtomicInteger();
        heap.mutator().enter(1);
        heap.mutator().newNative(0, "x", (_, _) -> freed.incrementAndGet());
        heap.release();
        on(
            builder,
            () -> {
              heap.acquire();
              heap.close();
              return "closed";
            });
        assertThat(heap.isClosed()).isTrue();
        assertThat(freed).hasValue(1);
        assertThatThrownBy(heap::acquire).isInstanceOf(HeapClosedException.class);
        assertThatThrownBy(heap::release).isInstanceOf(HeapClosedException.class);
      }
    }
  }

  @Test
  void whatTheHeapCallsCannotReleaseIt() {
    Heap heap = open("");
    Mutator t = heap.mutator();
    List<String> refusals = new ArrayList<>();
    Runnable attempt =
        () -> {
          try {
            heap.release();
          } catch (HeapUsageException e) {
            refusals.add(String.valueOf(e.getMessage()));
          }
        };
    t.enter(1);
    t.newRecord(0, 0);
    t.setFinalizer(0, "f", (_, _) -> attempt.run());
    t.newNative(0, "x", (_, _) -> attempt.run());
    t.setUndefined(0);
    heap.collect();
    heap.collect();
    heap.makeBuiltins(attempt);
    assertThat(refusals).hasSize(3).allMatch(m -> m.contains("cannot be released"));
    t.newRecord(0, 0);
  }

  /** Interpreters that recurse in Java have their coroutines so: each on a thread of its own. */
  @Test
  void manyThreadsTakeTurns() throws Exception {
    for (Thread.Builder builder : THREADS) {
      Heap heap = open("memory.max = 2MiB");
      Mutator t = heap.mutator();
      t.enter(2);
      int threads = 4;
      List<SynchronousQueue<Integer>> turns = new ArrayList<>();
      for (int i = 0; i <= threads; i++) {
        turns.add(new SynchronousQueue<>());
      }
      List<FutureTask<Integer>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int me = i;
        FutureTask<Integer> task =
            new FutureTask<>(() -> takeTurns(heap, turns.get(me), turns.get(me + 1)));
        tasks.add(task);
        builder.start(task);
      }
      for (int round = 0; round < 200; round++) {
        heap.release();
        turns.getFirst().put(round);
        assertThat(turns.getLast().take()).isEqualTo(round);
        heap.acquire();
        assertThat(t.loadInt(0, 0)).isEqualTo(round * threads + threads - 1);
      }
      heap.release();
      turns.getFirst().put(-1);
      assertThat(turns.getLast().take()).isEqualTo(-1);
      heap.acquire();
      for (FutureTask<Integer> task : tasks) {
        assertThat(task.get()).isEqualTo(200);
      }
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  private static int takeTurns(
      Heap heap, SynchronousQueue<Integer> from, SynchronousQueue<Integer> to)
      throws InterruptedException {
    int turns = 0;
    for (int round = from.take(); round >= 0; round = from.take()) {
      heap.acquire();
      Mutator t = heap.mutator();
      int n = t.isUndefined(0) ? 0 : t.loadInt(0, 0) + 1;
      for (int i = 0; i < 100; i++) {
        t.newRecord(0, 2);
      }
      t.storeInt(0, 0, n);
      heap.release();
      turns++;
      to.put(round);
    }
    to.put(-1);
    return turns;
  }
}
