package dev.gleaner.lab.workload;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.util.Map;

/**
 * Records with finalizers, lost in chains of three, a tenth of them rescued once.
 *
 * <pre>
 *   chain c, lost:   record 3c → record 3c + 1 → record 3c + 2
 *                                                rescued once if c % 10 &lt; 3
 * </pre>
 *
 * <p>Only the last of a chain is rescued, and so no other record with it: then the number of calls
 * is the same whether a collector calls a chain's finalizers one a collection, from its head on, or
 * all at once. If n is no multiple of three, the last chain is shorter. A rescued record is stored
 * in an array that is held by a global reference. When all have been called and the rescues are
 * decided, every rescued record without a finalizer is given it again, as those collectors need
 * that detach it before the call, and the array is dropped: each is called a second time.
 *
 * <p>The checksum is the sum of (number of the record + 1) over all calls:
 *
 * <pre>
 *   n (n + 1) / 2  +  the sum of (number of its last record + 1) over all chains c with c % 10 &lt; 3
 * </pre>
 *
 * <p>It does not depend on their order. There is no baseline: the JVM's cleaners cannot see the
 * object, let alone rescue it.
 */
final class Finalizers extends NamedWorkload {
  private static final int NEXT = 0;
  private static final int NUMBER = 1;
  private static final int RESCUE = 2;
  private static final int CHAIN = 3;
  private static final String LABEL = "finalizers workload";

  /** Chains a frame, so that a collector that frees by frames can. */
  private static final int BATCH = 5_000;

  /** Full collections to wait for calls: the longest chain needs three. */
  private static final int PATIENCE = 12;

  Finalizers() {
    super(
        "finalizers",
        "records with finalizers, lost in chains of three, a tenth rescued once",
        Map.of("n", "1_000_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    int chains = (int) ((n + CHAIN - 1L) / CHAIN);
    Heap heap = run.openHeap();
    Mutator t = heap.mutator();
    GlobalRef rescued = heap.newGlobal();
    t.enter(1);
    t.newRecord(0, chains);
    t.setGlobal(rescued, 0);
    t.leave();
    Count count = new Count(rescued);
    for (long chain = 0; chain < chains; chain += BATCH) {
      makeChains(t, count, n, (int) chain, (int) Math.min(BATCH, chains - chain));
      run.progress(0.8 * chain / chains);
    }
    collectUntil(heap, count, n);
    heap.collect();
    run.progress(0.9);
    setAgain(t, count);
    run.beforeDropping();
    rescued.close();
    collectUntil(heap, count, (long) n + count.rescues);
    return count.sum;
  }

  private static void makeChains(Mutator t, Finalizer finalizer, int n, int from, int chains) {
    t.enter(2);
    for (int chain = from; chain < from + chains; chain++) {
      int first = chain * CHAIN;
      int last = Math.min(first + CHAIN, n) - 1;
      t.setUndefined(0);
      for (int number = last; number >= first; number--) {
        t.newRecord(1, 3);
        t.store(1, NEXT, 0);
        t.storeInt(1, NUMBER, number);
        t.storeInt(1, RESCUE, number == last && chain % 10 < 3 ? 1 : 0);
        t.setFinalizer(1, LABEL, finalizer);
        t.copy(0, 1);
      }
    }
    t.leave();
  }

  private static void collectUntil(Heap heap, Count count, long calls) {
    for (int i = 0; i < PATIENCE && count.calls < calls; i++) {
      heap.collect();
    }
  }

  private static void setAgain(Mutator t, Count count) {
    t.enter(2);
    t.getGlobal(0, count.rescued);
    for (int i = 0; i < count.rescues; i++) {
      t.load(1, 0, i);
      if (!t.hasFinalizer(1)) {
        t.setFinalizer(1, LABEL, count);
      }
    }
    t.leave();
  }

  /**
   * Counts the calls, and rescues the records that are marked for it, in the order of their calls.
   */
  private static final class Count implements Finalizer {
    final GlobalRef rescued;
    int rescues;
    long calls;
    long sum;

    Count(GlobalRef rescued) {
      this.rescued = rescued;
    }

    @Override
    public void run(Mutator t, boolean closing) {
      calls++;
      sum += t.loadInt(0, NUMBER) + 1L;
      if (!closing && t.loadInt(0, RESCUE) == 1) {
        t.storeInt(0, RESCUE, 0);
        t.getGlobal(1, rescued);
        t.store(1, rescues++, 0);
      }
    }
  }
}
