package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A program goes on between the slices of a collection, in each of the collector's phases: it finds
 * strings that were dropped, stores into weak tables, sets finalizers, drops and makes elements,
 * enters and leaves frames. Or the phase ends early: by a full collection, an emergency, a look at
 * all elements, or the end of the heap.
 */
@Tag("D32")
class SlicesTest extends AllCollectors {
  private static final int STRINGS = 8000;
  private static final int LOOPS = 60_000;
  private static final int LARGE = 40;

  /** Slots of the bottom frame of the test. */
  private static final int ALL = 0;

  private static final int FOUND = 1;
  private static final int WEAK = 2;
  private static final int KEPT = 3;
  private static final int A = 5;
  private static final int B = 6;
  private static final int COUNTED = 4;

  SlicesTest(String collector) {
    super(collector);
  }

  /** What the program, or somebody else, does after a slice. */
  @FunctionalInterface
  private interface Between {
    void slices(int number);
  }

  @Test
  @Needs("incremental")
  void theProgramGoesOnInEachPhase() {
    Guest guest = new Guest();
    guest.collect(guest::program);
    assertThat(guest.slices).isGreaterThan(20);
    guest.check();
  }

  @Test
  @Needs("incremental")
  void elementsAreWalkedInEachPhase() {
    Guest guest = new Guest();
    guest.collect(n -> {
      guest.program(n);
      if (n % 17 == 0) {
        assertThat(guest.heap.inspect().verify()).isEmpty();
      }
    });
    guest.check();
  }

  @Test
  @Needs("incremental")
  void aFullCollectionEndsEachPhase() {
    int last = countSlices();
    for (int at = 1; at < last; at += 1 + last / 5) {
      Guest guest = new Guest();
      guest.runUntil(at);
      guest.heap.collect(at % 2 == 0 ? CollectFlags.EMERGENCY : 0);
      guest.check();
      guest.heap.close();
    }
  }

  @Test
  @Needs("incremental")
  void theHeapIsClosedInEachPhase() {
    int last = countSlices();
    for (int at = 1; at < last; at += 1 + last / 5) {
      Guest guest = new Guest();
      guest.runUntil(at);
      guest.heap.close();
      assertThat(guest.finalized).as("each finalizer ran once").isEqualTo(guest.toFinalize);
    }
  }

  @Test
  @Needs("incremental")
  void betweenTwoSlicesAProgramMakesSoManyElements() {
    assertThat(elementsBetweenSlices(t -> t.newRecord(1, 2)))
        .allSatisfy(n -> assertThat(n).as("a free is an operation, too").isBetween(90, 201));
  }

  @Test
  @Needs("incremental")
  void betweenTwoSlicesMemoryGrowsByNoMore() {
    assertThat(elementsBetweenSlices(t -> t.newBuffer(1, 200 * 128 / 4)))
        .allSatisfy(n -> assertThat(n).as("100 where counting frees at once").isBetween(3, 101));
  }

  /** The elements that a program makes between two slices of the same collection. */
  private List<Integer> elementsBetweenSlices(Consumer<Mutator> make) {
    Heap heap =
        open(
            "memory.max = 64 MiB, voluntary.add = 1000",
            "incremental { enabled = true, slice = 1us, allocations-per-slice = 200 }");
    Mutator t = heap.mutator();
    t.enter(3);
    t.newRecord(0, LOOPS);
    for (int i = 0; i < LOOPS; i++) {
      t.newRecord(1, 2);
      t.store(0, i, 1);
    }
    List<Integer> between = new ArrayList<>();
    int[] made = {0};
    int[] collections = {0};
    boolean[] first = {true};
    heap.addListener(
        new HeapListener() {
          @Override
          public void collectionFinished(CollectionEvent event) {
            if (!first[0]) {
              between.add(made[0]);
            }
            made[0] = 0;
            first[0] = event.collectionFinished();
            collections[0] += event.collectionFinished() ? 1 : 0;
          }
        });
    while (collections[0] < 3) {
      make.accept(t);
      made[0]++;
    }
    assertThat(between).hasSizeGreaterThan(20);
    return between;
  }

  private int countSlices() {
    Guest guest = new Guest();
    guest.collect(_ -> {});
    return guest.slices;
  }

  /** A program, and what it expects. */
  private final class Guest {
    private final Heap heap =
        open(
            "memory.max = 64 MiB, voluntary.enabled = false",
            "incremental { enabled = true, slice = 1us }");
    private final Mutator t = heap.mutator();
    private final List<WeakRef> refs = new ArrayList<>();
    private final Set<String> phases = new HashSet<>();
    private int slices;
    private int made;
    private int finalized;
    private int toFinalize;
    private final Finalizer count = (_, _) -> finalized++;

    /** Makes what lives, and the garbage that the collection is to find. */
    Guest() {
      t.enter(7);
      t.newRecord(ALL, LOOPS);
      t.newRecord(FOUND, STRINGS);
      t.newWeakObject(WEAK, Weakness.KEYS);
      t.newRecord(KEPT, 4000);
      for (int i = 0; i < LOOPS; i++) {
        t.newRecord(A, 3);
        t.newRecord(B, 2);
        t.store(A, 0, B);
        t.store(B, 0, A);
        t.storeInt(A, 1, i);
        t.store(ALL, i, A);
      }
      t.newRecord(COUNTED, STRINGS);
      for (int i = 0; i < STRINGS; i++) {
        replace(i);
      }
      for (int i = 0; i < STRINGS; i++) { // a loop holds the string, so that counting leaves it
        t.load(A, ALL, i);
        t.newString(B, "dropped " + i);
        t.store(A, 2, B);
      }
      for (int i = 0; i < LARGE; i++) {
        t.load(A, ALL, STRINGS + i);
        t.newRecord(B, 5000);
        t.store(B, 0, A);
        t.store(A, 2, B);
      }
      for (int i = 0; i < 500; i++) {
        t.load(A, ALL, 20_000 + i);
        refs.add(t.newWeak(A));
        t.newRecord(B, 1);
        t.putProperty(WEAK, A, B);
        if (i % 3 == 0) {
          t.setFinalizer(A, "count", count);
          toFinalize++;
        }
      }
      for (int i = 0; i < LOOPS; i++) {
        if (i % 4 != 0) {
          t.storeNull(ALL, i);
        }
      }
      t.wipe(A);
      t.wipe(B);
      heap.addListener(
          new HeapListener() {
            @Override
            public void collectionFinished(CollectionEvent event) {
              boolean _ = phases.add(event.phase());
            }
          });
    }

    /** Does a collection in slices. */
    void collect(Between between) {
      int limit = 200_000;
      while (!heap.step(1)) {
        between.slices(slices);
        slices++;
        assertThat(limit--).as("slices").isPositive();
      }
    }

    void runUntil(int slice) {
      for (int n = 0; n < slice && !heap.step(1); n++) {
        program(n);
      }
    }

    void program(int n) {
      for (int i = 0; i < 20; i++) {
        replace((n * 20 + i) * 31 % STRINGS);
      }
      find(n * 13 % STRINGS);
      find(STRINGS - 1 - n * 7 % STRINGS);
      t.newRecord(A, 3); // in place of one that counting frees
      t.newRecord(B, 1);
      t.storeInt(B, 0, n);
      t.store(A, 0, B);
      t.storeInt(A, 1, -1);
      t.store(ALL, n * 8 % LOOPS, A);
      t.newString(B, "new " + n);
      t.store(A, 2, B);
      t.load(A, ALL, 20_000 + n * 4 % 500); // lives, and is a key
      t.newRecord(B, 1);
      t.storeInt(B, 0, n);
      if (t.isReference(A)) {
        t.putProperty(WEAK, A, B);
        t.getProperty(B, WEAK, A);
        assertThat(t.loadInt(B, 0)).isEqualTo(n);
      }
      for (int i = 0; i < refs.size(); i += 97) {
        boolean _ = t.getWeak(B, refs.get((i + n) % refs.size()));
      }
      t.newRecord(A, 1);
      t.setFinalizer(A, "count", count);
      t.store(KEPT, made % 4000, A);
      made++;
      toFinalize++;
      t.enter(3);
      t.newRecord(1, 3000);
      t.enter(2);
      t.newRecord(0, 2);
      t.leave(0, 2);
      assertThat(t.isReference(2)).isTrue();
      t.leave();
      t.wipe(A);
      t.wipe(B);
    }

    /** Counting frees the old one, in a block that may not be swept yet. */
    private void replace(int i) {
      t.newRecord(A, 3);
      t.storeInt(A, 0, i);
      t.store(COUNTED, i, A);
      t.wipe(A);
    }

    private void find(int i) {
      t.newString(A, "dropped " + i);
      t.store(FOUND, i, A);
    }

    /** What the program holds is there, and nothing else after a full collection. */
    void check() {
      assertThat(heap.inspect().verify()).isEmpty();
      heap.collect();
      heap.collect();
      assertThat(heap.inspect().verify()).isEmpty();
      for (int i = 0; i < STRINGS; i++) {
        t.load(A, COUNTED, i);
        assertThat(t.loadInt(A, 0)).isEqualTo(i);
        t.load(A, FOUND, i);
        if (t.isReference(A)) {
          assertThat(t.getString(A)).isEqualTo("dropped " + i);
          t.newString(B, "dropped " + i);
          assertThat(t.same(A, B)).as("interned").isTrue();
        }
      }
      t.wipe(A);
      t.wipe(B);
      int records = 0;
      for (int i = 0; i < LOOPS; i++) {
        t.load(A, ALL, i);
        if (!t.isNull(A)) {
          records += 2;
          t.load(B, A, 0);
          assertThat(t.isReference(B)).isTrue();
        }
      }
      assertThat(records).isGreaterThanOrEqualTo(LOOPS / 4);
      t.leave();
      heap.collect();
      heap.collect();
      heap.collect();
      assertThat(finalized).as("each finalizer ran once").isEqualTo(toFinalize);
      assertThat(heap.statistics().live(Kind.RECORD)).isZero();
      assertThat(heap.statistics().strings()).isZero();
    }
  }
}
