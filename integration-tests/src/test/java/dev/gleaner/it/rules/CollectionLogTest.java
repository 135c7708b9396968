package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.settings.ConfigurationException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a heap says of itself without being asked: a line a collection, a line for debuggers. */
@Tag("D7")
class CollectionLogTest extends AllCollectors {
  private static final String SLICES =
      "incremental { enabled = true, allocations-per-slice = 5, slice = 1us }\n"
          + "voluntary { mult = 0, add = 40 }";

  private final String collector;

  CollectionLogTest(String collector) {
    super(collector);
    this.collector = collector;
  }

  /** Runs code, and returns the lines that it prints to the standard error. */
  private static List<String> printed(Runnable code) {
    PrintStream before = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      code.run();
    } finally {
      System.setErr(before);
    }
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private void work(String settings, List<CollectionEvent> events) {
    Heap heap = open("memory.max = 4 MiB", settings);
    heap.addListener(
        new HeapListener() {
          @Override
          public void collectionFinished(CollectionEvent e) {
            events.add(e);
          }
        });
    Mutator t = heap.mutator();
    t.enter(4);
    for (int i = 0; i < 400; i++) {
      t.newRecord(i % 4, 3);
      t.newString(3, "s" + i);
    }
    heap.collect();
    heap.collect();
  }

  @Test
  void eachCollectionAndEachSliceIsALine() {
    for (String settings : List.of("", "torture.gc = 30", SLICES)) {
      List<CollectionEvent> events = new ArrayList<>();
      List<String> lines = new ArrayList<>(printed(() -> work("log = gc\n" + settings, events)));
      lines.removeIf(line -> line.contains(") drop: ")); // those stops are no collections
      assertThat(lines).hasSameSizeAs(events).hasSizeGreaterThanOrEqualTo(2);
      int number = 0;
      for (int i = 0; i < lines.size(); i++) {
        CollectionEvent e = events.get(i);
        assertThat(lines.get(i))
            .matches("\\[\\d+\\.\\d{3}s]\\[gc] .*")
            .endsWith(
                String.format(
                    Locale.ROOT,
                    "[gc] %s (%s) GC(%d) %s, %s: %dK->%dK(4096K) %.3fms",
                    e.heap(),
                    collector,
                    number,
                    e.mode() + (e.phase().isEmpty() ? "" : ", " + e.phase()),
                    e.cause(),
                    e.usedBefore() / 1024,
                    e.usedAfter() / 1024,
                    e.pauseNanos() / 1e6));
        number += e.collectionFinished() ? 1 : 0;
      }
    }
  }

  @Test
  @Needs("incremental")
  void slicesOfACollectionHaveItsNumber() {
    List<String> lines =
        printed(() -> {
          Heap heap = open("log = gc", "voluntary.enabled = false", "incremental.slice = 1us");
          Mutator t = heap.mutator();
          t.enter(2);
          for (int i = 0; i < 50_000; i++) {
            t.newRecord(1, 1);
            t.store(1, 0, 0);
            t.copy(0, 1);
          }
          while (!heap.step(1)) {}
          heap.collect();
        });
    assertThat(lines).hasSizeGreaterThan(2);
    assertThat(lines.getLast()).contains(" GC(1) full, explicit: ");
    assertThat(lines.subList(0, lines.size() - 1))
        .allMatch(l -> l.matches(".* GC\\(0\\) slice, [a-z]+, voluntary: .*"));
  }

  @Test
  @Needs("minor")
  void minorCollectionsAreThere() {
    List<String> lines =
        printed(() -> {
          Heap heap = open("log = gc", "torture.gc = 10");
          heap.mutator().enter(1);
          for (int i = 0; i < 100_000; i++) {
            heap.mutator().newRecord(0, 3);
          }
        });
    assertThat(lines).anyMatch(l -> l.contains(" minor, "));
  }

  @Test
  void offIsSilentAndTheDefault() {
    assertThat(printed(() -> work("", new ArrayList<>()))).isEmpty();
    assertThat(printed(() -> work("log = off", new ArrayList<>()))).isEmpty();
  }

  @Test
  void anUnknownValueIsRefused() {
    for (String wrong : List.of("all", "\"gc,heap\"", "true", "\"\"", "3", "[gc]")) {
      assertThatThrownBy(() -> open("log = " + wrong))
          .as(wrong)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("gleaner.log")
          .hasMessageContaining("off")
          .hasMessageContaining("gc");
    }
  }

  // ---- for debuggers ----

  @Test
  void aLineForDebuggersFromAnyThread() {
    Heap heap = open("");
    Mutator t = heap.mutator();
    t.enter(3);
    GlobalRef global = heap.newGlobal();
    String name = "heap " + heap.name() + " (" + collector + ")";
    String mutator =
        "mutator of "
            + name
            + ": main thread, depth 1, slots 3, belongs to "
            + Thread.currentThread();
    CompletableFuture<String> elsewhere = CompletableFuture.supplyAsync(t::toString);
    assertThat(elsewhere.join()).isEqualTo(mutator);
    assertThat(t).hasToString(mutator);
    assertThat(global).hasToString("global reference 0 of " + name);
    global.close();
    assertThat(global).hasToString("global reference that is closed of " + name);
    assertThat(heap.inspect()).hasToString("inspection of " + name);
    assertThat(heap.plainMemory()).hasToString("plain memory of " + name);
    assertThat(heap.faults()).hasToString("faults of " + name);
    t.newThread(0);
    t.newRecord(1, 0);
    heap.release();
    assertThat(t.toString()).endsWith(", released");
    heap.acquire();
    heap.close();
    assertThat(heap).hasToString(name + ", closed");
    assertThat(t).hasToString("mutator of " + name + ", closed");
  }

  @Test
  void aBrokenHeapSaysSo() {
    boolean[] fails = {false};
    Heap heap =
        open(defaults ->
            new dev.gleaner.memory.AllocationFunctions() {
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
                  throw new IllegalStateException("in the midst");
                }
                defaults.free(block);
              }
            });
    Mutator t = heap.mutator();
    t.enter(1);
    t.newDynamicBuffer(0, 64);
    fails[0] = true;
    assertThatThrownBy(() -> t.resizeBuffer(0, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> t.enter(1)).isInstanceOf(HeapBrokenException.class);
    assertThat(t.toString()).contains(", broken: main thread, ");
    fails[0] = false;
    heap.close();
  }
}
