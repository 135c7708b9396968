package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapExhaustedException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A collection in slices decides about finalizers and weak places while the program reads them. For
 * the program all is decided at one moment.
 *
 * <pre>
 *   ref i, weak value i, weak key i  -->  target i  -->  owner i, with a finalizer  -->  data i
 *   ref, weak key                    -->  kept i    <--  owner i;   kept i  -->  inner i
 *   the values of both keys are held by the table alone
 * </pre>
 *
 * <p>Nothing else leads to a target, but for every third, which the program holds. If the program
 * gets a target, then its owner was not found dead: its finalizer does not run while the program
 * holds it. What reads as cleared once is cleared. Whatever the program gets is whole.
 */
@Tag("D32")
class DecisionSlicesTest extends AllCollectors {
  private static final int TARGETS = 600;
  private static final int HOLD = 0;
  private static final int KEYS = 1;
  private static final int VALUES = 2;
  private static final int NEW = 3;
  private static final int A = 4;
  private static final int B = 5;
  private static final int C = 6;
  private static final int SLOTS = 7;

  DecisionSlicesTest(String collector) {
    super(collector);
  }

  @Test
  @Needs("incremental")
  void theProgramReadsWeakPlacesMeanwhile() {
    for (int seed = 0; seed < 4; seed++) {
      Guest guest = new Guest(seed);
      while (!guest.heap.step(1)) {
        guest.program();
      }
      guest.program();
      assertThat(guest.heap.inspect().verify()).isEmpty();
      guest.check();
      guest.heap.close();
    }
  }

  @Test
  @Needs("incremental")
  void aFullCollectionEndsTheDecision() {
    atEverySlice(guest -> {
      guest.heap.collect();
      assertThat(guest.heap.inspect().verify()).isEmpty();
      guest.check();
      guest.heap.close();
    });
  }

  @Test
  @Needs("incremental")
  void theHeapIsVerifiedMeanwhile() {
    atEverySlice(guest -> {
      assertThat(guest.heap.inspect().verify()).isEmpty();
      guest.program();
      guest.heap.close();
    });
  }

  @Test
  @Needs("incremental")
  void memoryRunsOutMeanwhile() {
    atEverySlice(guest -> {
      Mutator t = guest.t;
      t.enter(1, NEW, 1);
      try {
        for (int i = 0; i < 1_000_000; i++) {
          t.enter(1, 0, 1);
          t.newRecord(0, 10_000);
        }
      } catch (HeapExhaustedException e) {
        // as it should be
      }
      t.leaveTo(1);
      guest.check();
      guest.heap.close();
    });
  }

  @Test
  @Needs("incremental")
  void theHeapIsClosedMeanwhile() {
    atEverySlice(guest -> {
      guest.heap.close();
      assertThat(guest.finalized.cardinality()).isEqualTo(TARGETS);
    });
  }

  @Test
  @Needs("incremental")
  void whatReadsAsClearedCounts() {
    atEverySlice(guest -> {
      for (WeakRef ref : guest.refs) {
        if (ref.isCleared()) {
          ref.close();
        }
      }
      guest.check();
      assertThat(guest.heap.statistics().weakCleared()).isEqualTo(3 * TARGETS);
      guest.heap.close();
    });
  }

  @Test
  @Needs("incremental")
  void aTableBecomesStrongMeanwhile() {
    atEverySlice(guest -> {
      guest.t.setWeakness(KEYS, Weakness.NONE);
      guest.t.setWeakness(VALUES, Weakness.NONE);
      while (!guest.heap.step(1)) {}
      assertThat(guest.heap.inspect().verify()).isEmpty();
      guest.walk(KEYS);
      guest.walk(VALUES);
      guest.heap.close();
    });
  }

  private void atEverySlice(Consumer<Guest> action) {
    int slices = 0;
    Guest first = new Guest(1);
    while (!first.heap.step(1)) {
      slices++;
    }
    first.heap.close();
    assertThat(slices).isGreaterThan(5);
    for (int at = 0; at <= slices; at += 1 + slices / 25) {
      Guest guest = new Guest(at);
      for (int i = 0; i < at && !guest.heap.step(1); i++) {
        if (at % 2 == 0) {
          guest.program();
        }
      }
      action.accept(guest);
    }
  }

  private final class Guest {
    private final Heap heap =
        open(
            "memory.max = 2 MiB, voluntary.enabled = false",
            "incremental { enabled = true, slice = 1us, allocations-per-slice = 1000000 }");
    private final Mutator t = heap.mutator();
    private final Random random;
    private final List<WeakRef> refs = new ArrayList<>();
    private final List<WeakRef> owners = new ArrayList<>();
    private final List<WeakRef> keptRefs = new ArrayList<>();
    private final GlobalRef keys = heap.newGlobal();
    private final BitSet held = new BitSet();
    private final BitSet heldOwners = new BitSet();
    private final List<GlobalRef> kept = new ArrayList<>();
    private final BitSet lost = new BitSet();
    private final BitSet finalized = new BitSet();
    private final BitSet late = new BitSet();
    private final List<GlobalRef> inner = new ArrayList<>();
    private final List<Integer> innerIds = new ArrayList<>();
    private int made;
    private final Finalizer finalizer = this::run;

    Guest(int seed) {
      random = new Random(seed);
      t.enter(SLOTS);
      t.newRecord(HOLD, TARGETS);
      t.newWeakObject(KEYS, Weakness.KEYS);
      t.newWeakObject(VALUES, Weakness.VALUES);
      t.newRecord(NEW, 1);
      for (int i = 0; i < TARGETS; i++) {
        t.newRecord(C, 1); // the data
        t.storeInt(C, 0, i);
        t.newRecord(B, 3); // the owner, in a loop, so that counting leaves it
        t.store(B, 0, C);
        t.store(B, 1, B);
        t.newRecord(A, 2);
        t.newRecord(C, 1);
        t.storeInt(C, 0, i);
        t.store(A, 0, C);
        t.store(A, 1, A);
        keptRefs.add(t.newWeak(A));
        putKey(i);
        t.store(B, 2, A);
        owners.add(t.newWeak(B));
        t.setFinalizer(B, "owner", finalizer);
        t.newRecord(A, 2);
        t.store(A, 0, B);
        t.store(A, 1, A);
        refs.add(t.newWeak(A));
        t.putIndex(VALUES, i, A);
        putKey(i);
        if (i % 3 == 0) {
          hold(i);
        }
      }
      t.setGlobal(keys, KEYS);
      t.wipe(A);
    }

    /** Puts a value under the key in slot A. */
    private void putKey(int i) {
      t.newRecord(C, 1);
      t.storeInt(C, 0, i);
      t.putProperty(KEYS, A, C);
    }

    private void run(Mutator m, boolean closing) {
      m.load(1, 0, 0);
      int i = m.loadInt(1, 0);
      if (i < 0) {
        assertThat(late.get(-i)).as("a finalizer that was set meanwhile").isFalse();
        late.set(-i);
        return;
      }
      assertThat(finalized.get(i)).as("twice").isFalse();
      assertThat((held.get(i) || heldOwners.get(i)) && !closing).as("%s is held", i).isFalse();
      finalized.set(i);
      m.load(2, 0, 2);
      m.getGlobal(3, keys);
      m.getProperty(4, 3, 2);
      assertThat(m.loadInt(4, 0)).as("what a key holds").isEqualTo(i);
      m.load(4, 2, 0);
      assertThat(m.isNull(4) || m.loadInt(4, 0) == i).as("inner").isTrue();
    }

    /** The program got the target in slot A. */
    private void hold(int i) {
      assertThat(id(A)).isEqualTo(i);
      t.store(HOLD, i, A);
      held.set(i);
    }

    private int id(int slot) {
      t.load(B, slot, 0);
      t.load(B, B, 0);
      return t.loadInt(B, 0);
    }

    void program() {
      for (int n = 0; n < 24; n++) {
        readOne(random.nextInt(TARGETS), true);
        readOwner(random.nextInt(TARGETS));
        readKept(random.nextInt(TARGETS));
      }
      if (random.nextInt(4) == 0) {
        walk(random.nextBoolean() ? KEYS : VALUES);
      }
      putOne(random.nextInt(TARGETS));
      setOne();
      t.wipe(A);
    }

    private void readOne(int i, boolean hold) {
      boolean isCleared = refs.get(i).isCleared();
      boolean isThere = t.getWeak(A, refs.get(i));
      assertThat(isThere).isNotEqualTo(isCleared);
      if (isThere) {
        assertThat(lost.get(i)).as("target %s was gone", i).isFalse();
        assertThat(id(A)).isEqualTo(i);
        t.getProperty(C, KEYS, A);
        assertThat(t.loadInt(C, 0)).as("what a key holds").isEqualTo(i);
        if (hold) {
          hold(i);
        }
      } else {
        assertThat(held.get(i)).as("target %s is held", i).isFalse();
        lost.set(i);
      }
      t.getIndex(A, VALUES, i);
      if (t.isReference(A)) {
        assertThat(lost.get(i)).as("target %s was gone", i).isFalse();
        assertThat(id(A)).isEqualTo(i);
      }
    }

    private void readOwner(int i) {
      if (t.getWeak(A, owners.get(i))) {
        assertThat(finalized.get(i)).isFalse();
        if (!heldOwners.get(i)) {
          heldOwners.set(i);
          keep(A);
        }
      } else {
        assertThat(held.get(i) || heldOwners.get(i)).as("owner %s is held", i).isFalse();
      }
    }

    private void keep(int slot) {
      kept.add(heap.newGlobal());
      t.setGlobal(kept.getLast(), slot);
    }

    /** Takes the inner one out of what an owner keeps. */
    private void readKept(int i) {
      if (t.getWeak(A, keptRefs.get(i))) {
        t.getProperty(C, KEYS, A);
        assertThat(t.loadInt(C, 0)).as("what a key holds").isEqualTo(i);
        t.load(B, A, 0);
        if (t.isReference(B)) {
          t.load(B, A, 0);
          t.storeNull(A, 0);
          t.newRecord(C, 1);
          t.store(C, 0, B);
          inner.add(heap.newGlobal());
          t.setGlobal(inner.getLast(), C);
          innerIds.add(i);
        }
      }
    }

    private void walk(int table) {
      int count = random.nextBoolean() ? t.propertyCount(table) : -1;
      int seen = 0;
      long cursor = 0;
      while ((cursor = t.nextProperty(table, cursor, A, C)) >= 0) {
        seen++;
        if (table == VALUES) {
          t.copy(A, C);
        }
        t.load(B, A, 1);
        if (!t.same(A, B)) {
          continue;
        }
        t.load(B, A, 0);
        if (!t.isReference(B)) {
          continue; // kept, and emptied
        }
        t.load(C, B, 0);
        if (!t.isReference(C)) {
          continue; // kept
        }
        int i = id(A);
        assertThat(lost.get(i)).as("target %s was gone", i).isFalse();
        if (random.nextInt(50) == 0) {
          hold(i);
        }
      }
      assertThat(seen).isEqualTo(count < 0 ? t.propertyCount(table) : count);
    }

    /** Puts anew what is held. */
    private void putOne(int i) {
      t.load(A, HOLD, i);
      if (t.isReference(A)) {
        boolean _ = t.deleteProperty(KEYS, A);
        putKey(i);
        t.putIndex(VALUES, i, A);
      }
    }

    /** Sets a finalizer, and drops the element. */
    private void setOne() {
      made++;
      t.newRecord(C, 1);
      t.storeInt(C, 0, -made);
      t.newRecord(B, 2);
      t.store(B, 0, C);
      t.store(B, 1, B);
      t.setFinalizer(B, "late", finalizer);
    }

    /** What is held is whole, and the rest is gone after full collections. */
    void check() {
      for (int i = held.nextSetBit(0); i >= 0; i = held.nextSetBit(i + 1)) {
        t.load(A, HOLD, i);
        assertThat(id(A)).isEqualTo(i);
        readOne(i, false);
      }
      for (int n = 0; n < inner.size(); n++) {
        t.getGlobal(A, inner.get(n));
        t.load(A, A, 0);
        assertThat(t.loadInt(A, 0)).isEqualTo(innerIds.get(n));
        inner.get(n).close();
      }
      t.wipe(A);
      heap.collect();
      heap.collect();
      assertThat(late.cardinality()).isEqualTo(made);
      BitSet all = (BitSet) held.clone();
      all.or(heldOwners);
      assertThat(finalized.cardinality()).isEqualTo(TARGETS - all.cardinality());
      held.clear();
      heldOwners.clear();
      kept.forEach(GlobalRef::close);
      t.wipe(HOLD);
      heap.collect();
      heap.collect();
      heap.collect();
      assertThat(finalized.cardinality()).isEqualTo(TARGETS);
      assertThat(heap.statistics().live(Kind.RECORD)).isZero();
    }
  }
}
