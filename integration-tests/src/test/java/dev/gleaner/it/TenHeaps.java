package dev.gleaner.it;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.memory.Memory;
import dev.gleaner.metrics.HeapMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.Deque;

/** A program that uses ten heaps of each collector at once; to be run in a JVM of its own. */
final class TenHeaps {
  private static final int HEAPS = 10;
  private static final int RECORDS = 5_000;
  private static int finalized;

  private TenHeaps() {}

  public static void main(String[] args) {
    System.out.println("reserved: " + Memory.canReserve());
    for (String collector : Installed.collectors()) {
      finalized = 0;
      run(collector);
      System.out.println(collector + ": " + finalized + " finalized");
    }
  }

  private static void run(String collector) {
    HeapFactory factory = Installed.factory(collector, "");
    MeterRegistry registry = new SimpleMeterRegistry();
    Deque<Heap> heaps = new ArrayDeque<>();
    Deque<HeapMetrics> meters = new ArrayDeque<>();
    for (int i = 0; i < HEAPS; i++) {
      Heap heap = factory.open();
      heaps.add(heap);
      HeapMetrics m = new HeapMetrics(heap);
      m.bindTo(registry);
      meters.add(m);
      use(heap);
    }
    int all = registry.getMeters().size();
    check(all > HEAPS * 20, "few meters: " + all);
    for (Heap heap : heaps) {
      check(heap.inspect().verify().isEmpty(), "verified");
      heap.close();
      check(heap.statistics().usedBytes() == 0, "nothing left");
    }
    meters.forEach(HeapMetrics::close);
    check(registry.getMeters().isEmpty(), "meters gone");
  }

  private static void use(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(3);
    t.setNull(0);
    for (int i = 0; i < RECORDS; i++) {
      t.newRecord(1, 2);
      t.store(1, 0, 0);
      t.storeInt(1, 1, i);
      t.copy(0, 1);
      t.newString(2, "text " + i);
    }
    t.newDynamicBuffer(2, 1 << 20);
    t.setFinalizer(0, "kept", (thread, closing) -> finalized++);
    t.newRecord(1, 1);
    t.setFinalizer(1, "lost", (thread, closing) -> finalized++);
    t.setUndefined(1);
    heap.collect();
    long sum = 0;
    for (int i = 0; i < RECORDS; i++) {
      sum += t.loadInt(0, 1);
      t.load(0, 0, 0);
    }
    check(sum == (RECORDS - 1) * (long) RECORDS / 2, "sum: " + sum);
  }

  private static void check(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }
}
