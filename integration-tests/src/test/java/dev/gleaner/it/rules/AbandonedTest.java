package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.it.Installed;
import dev.gleaner.memory.SimulatedPages;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.testing.Log;
import dev.gleaner.testing.Tier;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Heaps whose Java thread has ended, and heaps that nobody closed. */
class AbandonedTest extends AllCollectors {
  AbandonedTest(String collector) {
    super(collector);
    this.name = collector;
  }

  private static final String GROWN = "memory.backing = grown\nmemory.initial = 0";
  private static final List<Thread.Builder> THREADS =
      List.of(Thread.ofPlatform(), Thread.ofVirtual());

  private final String name;

  /** Runs something on a thread that ends. */
  private static @Nullable Throwable on(Thread.Builder builder, Runnable task)
      throws InterruptedException {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread thread =
        builder.unstarted(() -> {
          try {
            task.run();
          } catch (Throwable e) {
            thrown.set(e);
          }
        });
    thread.start();
    thread.join();
    return thrown.get();
  }

  private Heap openedBy(Thread.Builder builder, String settings) throws InterruptedException {
    AtomicReference<Heap> opened = new AtomicReference<>();
    Throwable thrown =
        on(
            builder,
            () -> {
              Heap heap = open(settings);
              Mutator t = heap.mutator();
              t.enter(3);
              t.newRecord(0, 1);
              t.setFinalizer(0, "kept", noting("kept"));
              t.enter(2, 0, 1);
              t.newNative(1, "value", (value, closing) -> finalized.add("native"));
              opened.set(heap);
            });
    assertThat(thrown).isNull();
    return opened.get();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", GROWN})
  void anyThreadClosesItOnceItsOwnHasEnded(String settings) throws InterruptedException {
    for (Thread.Builder builder : THREADS) {
      finalized.clear();
      Heap heap = openedBy(builder, settings);
      assertThatThrownBy(() -> heap.mutator().enter(1)).isInstanceOf(WrongThreadException.class);
      heap.close();
      assertThat(finalized).containsExactly("kept!", "native");
      assertThat(heap.isClosed()).isTrue();
      heap.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", GROWN})
  void aShutdownHookClosesIt(String settings) throws InterruptedException {
    Heap heap = openedBy(Thread.ofPlatform(), settings);
    assertThat(on(Thread.ofVirtual(), heap::close)).isNull();
    assertThat(finalized).containsExactly("kept!", "native");
  }

  @Test
  void whoClaimsItGoesOnWithIt() throws InterruptedException {
    Heap heap = openedBy(Thread.ofPlatform(), "");
    heap.claim();
    heap.claim();
    heap.mutator().leave();
    heap.mutator().newRecord(1, 3);
    heap.collect();
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void nobodyTakesItFromAThreadThatLives() throws InterruptedException {
    for (Thread.Builder builder : THREADS) {
      CountDownLatch opened = new CountDownLatch(1);
      CountDownLatch over = new CountDownLatch(1);
      AtomicReference<Heap> heap = new AtomicReference<>();
      Thread owner =
          builder.start(() -> {
            heap.set(open(""));
            opened.countDown();
            try {
              over.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      opened.await();
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(heap.get()::close)
            .isInstanceOf(WrongThreadException.class)
            .hasMessageContaining("belongs to");
        assertThatThrownBy(heap.get()::claim).isInstanceOf(WrongThreadException.class);
      }
      assertThat(heap.get().isClosed()).isFalse();
      over.countDown();
      owner.join();
      heap.get().close();
    }
  }

  @Test
  void afterAHandOverTheThreadThatHasItCounts() throws InterruptedException {
    Heap heap = open("");
    heap.release();
    assertThatThrownBy(heap::close)
        .isInstanceOf(HeapUsageException.class)
        .hasMessageContaining("is released");
    assertThatThrownBy(heap::claim).isInstanceOf(HeapUsageException.class);
    assertThat(on(Thread.ofVirtual(), heap::acquire)).isNull();
    heap.close();
    assertThat(heap.isClosed()).isTrue();
    assertThatThrownBy(heap::claim).isInstanceOf(HeapClosedException.class);
  }

  @Test
  void whatTheThreadBrokeOffIsFoundOut() throws InterruptedException {
    AtomicReference<Heap> opened = new AtomicReference<>();
    Throwable thrown =
        on(
            Thread.ofPlatform(),
            () -> {
              Heap heap = open("");
              opened.set(heap);
              heap.mutator().enter(2);
              heap.mutator().newRecord(0, 1);
              heap.mutator().setFinalizer(0, "f", noting("f"));
              overflow(heap.mutator(), 0);
            });
    assertThat(thrown).isInstanceOf(StackOverflowError.class);
    opened.get().close();
    assertThat(opened.get().statistics().usedBytes()).isZero();
  }

  private static void overflow(Mutator t, int depth) {
    t.newRecord(1, 1);
    if (depth < Integer.MAX_VALUE) {
      overflow(t, depth + 1);
    }
    t.newRecord(1, 1);
  }

  @Test
  void ofManyThatCloseOneDoes() throws InterruptedException {
    for (int round = 0; round < 50; round++) {
      finalized.clear();
      Heap heap = openedBy(Thread.ofPlatform(), "");
      CountDownLatch go = new CountDownLatch(1);
      AtomicInteger wrong = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            Thread.startVirtualThread(() -> {
              try {
                go.await();
                heap.close();
              } catch (WrongThreadException | HeapClosedException e) {
                // Another one closes it.
              } catch (Throwable e) {
                wrong.incrementAndGet();
              }
            }));
      }
      go.countDown();
      for (Thread t : threads) {
        t.join();
      }
      assertThat(wrong.get()).isZero();
      assertThat(heap.isClosed()).isTrue();
      assertThat(finalized).containsExactly("kept!", "native");
    }
  }

  /** Regions that are mapped. */
  private static final class Mapped extends SimulatedPages {
    private final Set<Long> regions = ConcurrentHashMap.newKeySet();

    Mapped() {
      super(4096);
    }

    @Override
    public long map(long bytes) {
      long at = super.map(bytes);
      regions.add(at);
      return at;
    }

    @Override
    public void unmap(long address, long bytes) {
      regions.remove(address);
      super.unmap(address, bytes);
    }

    @Override
    public long allocate(long bytes) {
      long at = super.allocate(bytes);
      regions.add(at);
      return at;
    }

    @Override
    public void free(long address) {
      regions.remove(address);
      super.free(address);
    }
  }

  private static boolean soon(BooleanSupplier is) throws InterruptedException {
    for (int i = 0; i < 200 && !is.getAsBoolean(); i++) {
      System.gc();
      Thread.sleep(10);
    }
    return is.getAsBoolean();
  }

  /** Opens a heap with all that may refer to it, and drops it. */
  private WeakReference<Heap> drop(String settings) {
    Heap heap = Installed.open(name, settings);
    Mutator t = heap.mutator();
    t.enter(3);
    for (int i = 0; i < 20_000; i++) {
      t.newRecord(0, 10);
    }
    t.newRecord(0, 1);
    t.setFinalizer(0, "f", (thread, closing) -> finalized.add("f " + heap.name()));
    t.newNative(1, heap, (value, closing) -> finalized.add("native"));
    t.setGlobal(heap.newGlobal(), 0);
    heap.addListener(
        new HeapListener() {
          @Override
          public void heapClosed(Heap closed) {
            finalized.add("listener " + heap.name());
          }
        });
    return new WeakReference<>(heap);
  }

  @Test
  void oneWarningTellsWhoOpenedIt() throws InterruptedException {
    try (Log unclosed = new Log("dev.gleaner.unclosed")) {
      for (int i = 0; i < 5; i++) {
        Heap _ = Installed.open(name, "leak-stacks = on");
      }
      String text = "(" + name + "), which ";
      assertThat(soon(() -> unclosed.messages().stream().anyMatch(m -> m.contains(text)))).isTrue();
      List<LogRecord> records =
          unclosed.records.stream().filter(r -> r.getMessage().contains(text)).toList();
      assertThat(records).hasSize(1);
      assertThat(records.getFirst().getMessage())
          .contains("Installed.open(", " opened: its memory is given back");
      assertThat(records.getFirst().getThrown()).hasMessage("the heap was opened here");
    }
  }

  static List<String> backings() {
    return List.of(Tier.exhaustive() ? GROWN : "leak-stacks = off");
  }

  @ParameterizedTest
  @MethodSource("backings")
  @Tag("seeds")
  void itsMemoryIsGivenBackWhenNobodyRefersToIt(String settings) throws InterruptedException {
    try (Mapped mapped = new Mapped();
        Log unclosed = new Log("dev.gleaner.unclosed")) {
      List<WeakReference<Heap>> dropped = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        dropped.add(drop(settings));
      }
      assertThat(soon(() -> dropped.stream().allMatch(ref -> ref.get() == null))).isTrue();
      assertThat(soon(() -> mapped.regions.isEmpty())).isTrue();
      assertThat(unclosed.messages()).allMatch(m -> m.contains("its memory is given back"));
    }
    assertThat(finalized).as("the program's code is not called").isEmpty();
  }
}
