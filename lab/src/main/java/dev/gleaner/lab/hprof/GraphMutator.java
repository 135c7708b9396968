package dev.gleaner.lab.hprof;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.HeapThread;
import dev.gleaner.heap.Kind;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Changes a graph that is known by its roots alone, at places that two random walks come by.
 *
 * <p>A walk follows a random reference of the record that it is at; from a dead end, and now and
 * then, it goes back to a random root. So it sees reachable elements only, and the same ones under
 * every collector, whatever is reclaimed when.
 */
final class GraphMutator {
  private static final int A = 0;
  private static final int B = 1;
  private static final int X = 2;
  private static final int Y = 3;
  private static final int FRAME = 4;

  /** Slots that are looked at for a reference before a record counts as a dead end. */
  private static final int LOOKS = 8;

  private static final int RESTART_ONE_IN = 32;
  private static final int BATCH = 10_000;

  private final HeapThread thread;
  private final SplittableRandom random;
  private GlobalRef[] roots;

  GraphMutator(HeapThread thread, GlobalRef[] roots, long seed) {
    this.thread = thread;
    this.roots = roots.clone();
    this.random = new SplittableRandom(seed);
  }

  /** Drops one root in so many, at random, and returns how many that were. */
  int dropRoots(int oneIn) {
    GlobalRef[] kept = new GlobalRef[roots.length];
    int count = 0;
    for (GlobalRef root : roots) {
      if (random.nextInt(oneIn) == 0) {
        root.close();
      } else {
        kept[count++] = root;
      }
    }
    int dropped = roots.length - count;
    roots = Arrays.copyOf(kept, count);
    return dropped;
  }

  /** Drops the roots that are left. */
  void dropAllRoots() {
    for (GlobalRef root : roots) {
      root.close();
    }
    roots = new GlobalRef[0];
  }

  /** Clears a reference at each of so many places; returns how many were cleared. */
  long cut(long places) {
    return at(places, this::cutOne);
  }

  /**
   * At so many places: exchanges two references (six in ten), puts a new record between (three), or
   * clears one (one). Returns the changes that were made.
   */
  long mutate(long places) {
    return at(places, this::mutateOne);
  }

  /** A change at the places of the walks; says whether there was one to make. */
  @FunctionalInterface
  private interface Change {
    boolean make();
  }

  private long at(long places, Change change) {
    if (roots.length == 0) {
      return 0;
    }
    long made = 0;
    for (long done = 0; done < places; done += BATCH) {
      thread.enter(FRAME);
      restart(A);
      restart(B);
      for (long i = Math.min(BATCH, places - done); i > 0; i--) {
        step(A);
        step(B);
        made += change.make() ? 1 : 0;
      }
      thread.leave();
    }
    return made;
  }

  private boolean cutOne() {
    int i = reference(A);
    if (i < 0) {
      return false;
    }
    thread.storeNull(A, i);
    return true;
  }

  private boolean mutateOne() {
    int dice = random.nextInt(10);
    int i = reference(A);
    int j = reference(B);
    if (i < 0 || j < 0) {
      return false;
    }
    thread.load(X, A, i);
    if (dice < 6) {
      thread.load(Y, B, j);
      thread.store(A, i, Y);
      thread.store(B, j, X);
    } else if (dice < 9) {
      thread.newRecord(Y, 2);
      thread.store(Y, 0, X);
      thread.store(Y, 1, B);
      thread.store(A, i, Y);
    } else {
      thread.storeNull(A, i);
    }
    return true;
  }

  private void step(int walk) {
    int slot = random.nextInt(RESTART_ONE_IN) == 0 ? -1 : reference(walk);
    if (slot < 0) {
      restart(walk);
    } else {
      thread.load(walk, walk, slot);
    }
  }

  private void restart(int walk) {
    thread.getGlobal(walk, roots[random.nextInt(roots.length)]);
  }

  /** Returns a random slot that holds a reference, or -1 if none is found. Changes slot X. */
  private int reference(int walk) {
    if (!thread.isReference(walk) || thread.kind(walk) != Kind.RECORD) {
      return -1;
    }
    int slots = thread.slotCount(walk);
    if (slots == 0) {
      return -1;
    }
    int slot = random.nextInt(slots);
    for (int look = 0; look < LOOKS; look++) {
      thread.load(X, walk, slot);
      if (thread.isReference(X)) {
        return slot;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
    return -1;
  }
}
