package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a heap costs in a JVM where others run under all other collectors, against a JVM of its own:
 * code that all share is compiled for all of them.
 *
 * <p>With {@code jvm=shared} the heaps of all collectors are open; the others do the same work in
 * turn, before the one is measured and before each iteration, outside of the time that is taken.
 */
public class SharedJvmBenchmark extends Measured {
  private static final int DEPTH = 9; // about N nodes

  /** The heap that is measured, and perhaps the others. */
  @State(Scope.Thread)
  public static class Heaps {
    /** The collector that is measured. */
    @Param({"framestack", "hybrid", "marksweep", "refcount", "semispace"})
    public String collector;

    /** Whether the others are at work in this JVM, too. */
    @Param({"alone", "shared"})
    public String jvm;

    HeapThread measured;
    private final List<Heap> heaps = new ArrayList<>();
    private final List<HeapThread> others = new ArrayList<>();

    /** Opens the heaps, and has the others do their work until it is compiled. */
    @Setup(Level.Trial)
    public void open() {
      measured = open(collector);
      if (jvm.equals("shared")) {
        for (String name : CollectorRegistry.discover(List.of()).names()) {
          if (!name.equals(collector)) {
            others.add(open(name));
          }
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
        while (System.nanoTime() < end) {
          work();
        }
      }
    }

    private HeapThread open(String name) {
      Heap heap =
          Gleaner.factory(
                  ConfigFactory.parseMap(Map.of("gleaner.collector", name))
                      .withFallback(ConfigFactory.load()))
              .open();
      heaps.add(heap);
      HeapThread t = heap.thread();
      t.enter(4);
      t.newRecord(0, 16);
      t.newRecord(1, 2);
      for (int i = 0; i < 16; i++) {
        t.store(0, i, 1);
      }
      return t;
    }

    /** Has the others work; not measured. */
    @Setup(Level.Iteration)
    public void work() {
      for (HeapThread t : others) {
        for (int i = 0; i < 200; i++) {
          tree(t);
          mix(t);
        }
      }
    }

    /** Closes all. */
    @TearDown(Level.Trial)
    public void close() {
      heaps.forEach(Heap::close);
    }
  }

  /** Builds a binary tree of about {@link HeapState#N} nodes and drops it; a node's time. */
  @Benchmark
  public void trees(Heaps heaps) {
    tree(heaps.measured);
  }

  /** Stores a reference and loads it, around the slots of a record; a pair's time. */
  @Benchmark
  public void storesAndLoads(Heaps heaps) {
    mix(heaps.measured);
  }

  private static void tree(HeapThread t) {
    t.enter(2 * DEPTH + 2);
    build(t, 0, 1, DEPTH);
    t.leave();
  }

  private static void build(HeapThread t, int dst, int s, int depth) {
    if (depth == 0) {
      t.newRecord(dst, 2);
      return;
    }
    build(t, s, s + 1, depth - 1);
    build(t, s + 1, s + 2, depth - 1);
    t.newRecord(dst, 2);
    t.store(dst, 0, s);
    t.store(dst, 1, s + 1);
  }

  private static void mix(HeapThread t) {
    for (int i = 0; i < N; i++) {
      t.store(0, i & 15, 1);
      t.load(1, 0, (i + 1) & 15);
    }
  }
}
