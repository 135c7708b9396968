package dev.gleaner.lab.hprof;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import java.util.SplittableRandom;

/**
 * Changes a graph at random places, which a sample of its elements leads to.
 *
 * <p>The sample is an array record, held by a global reference, of the elements that weak
 * references to them still find; those that are gone left their places empty. From there two walks
 * follow random references; from a dead end, an empty place, and now and then, a walk goes on from
 * another element of the sample.
 */
final class GraphMutator {
  private static final int A = 0;
  private static final int B = 1;
  private static final int X = 2;
  private static final int Y = 3;
  private static final int SAMPLE = 4;
  private static final int FRAME = 5;

  /** Slots that are looked at for a reference before a record counts as a dead end. */
  private static final int LOOKS = 8;

  private static final int RESTART_ONE_IN = 16;
  private static final int BATCH = 10_000;

  private final Mutator mutator;
  private final GlobalRef sample;
  private final int size;
  private final SplittableRandom random;

  /** Turns weak references into the sample, and closes them. */
  GraphMutator(Heap heap, WeakRef[] elements, SplittableRandom random) {
    this.mutator = heap.mutator();
    this.sample = heap.newGlobal();
    this.size = elements.length;
    this.random = random;
    mutator.enter(FRAME);
    mutator.newRecord(SAMPLE, size);
    mutator.setGlobal(sample, SAMPLE);
    for (int i = 0; i < size; i++) {
      if (mutator.getWeak(A, elements[i])) {
        mutator.store(SAMPLE, i, A);
      }
      elements[i].close();
    }
    mutator.leave();
  }

  /** Clears one reference of each element in the sample; returns how many had one. */
  long cut() {
    long cut = 0;
    mutator.enter(FRAME);
    mutator.getGlobal(SAMPLE, sample);
    for (int i = 0; i < size; i++) {
      mutator.load(A, SAMPLE, i);
      int slot = reference(A);
      if (slot >= 0) {
        mutator.storeNull(A, slot);
        cut++;
      }
    }
    mutator.leave();
    return cut;
  }

  /** Drops the sample. */
  void close() {
    sample.close();
  }

  /**
   * At so many places: exchanges two references (six in ten), puts a new record between (three), or
   * clears one (one). Returns the changes that were made; at a dead end there is none to make.
   */
  long mutate(long places) {
    long made = 0;
    for (long done = 0; done < places && size > 0; done += BATCH) {
      mutator.enter(FRAME);
      mutator.getGlobal(SAMPLE, sample);
      for (long i = Math.min(BATCH, places - done); i > 0; i--) {
        step(A);
        step(B);
        made += change(random.nextInt(10)) ? 1 : 0;
      }
      mutator.leave();
    }
    return made;
  }

  private boolean change(int dice) {
    int i = reference(A);
    int j = reference(B);
    if (i < 0 || j < 0) {
      return false;
    }
    mutator.load(X, A, i);
    if (dice < 6) {
      mutator.load(Y, B, j);
      mutator.store(A, i, Y);
      mutator.store(B, j, X);
    } else if (dice < 9) {
      mutator.newRecord(Y, 2);
      mutator.store(Y, 0, X);
      mutator.store(Y, 1, B);
      mutator.store(A, i, Y);
    } else {
      mutator.storeNull(A, i);
    }
    return true;
  }

  private void step(int walk) {
    int slot = random.nextInt(RESTART_ONE_IN) == 0 ? -1 : reference(walk);
    if (slot >= 0) {
      mutator.load(walk, walk, slot);
    } else {
      mutator.load(walk, SAMPLE, random.nextInt(size));
    }
  }

  /** Returns a random slot that holds a reference, or -1 if none is found. Changes slot X. */
  private int reference(int walk) {
    if (!mutator.isReference(walk) || mutator.kind(walk) != Kind.RECORD) {
      return -1;
    }
    int slots = mutator.slotCount(walk);
    if (slots == 0) {
      return -1;
    }
    int slot = random.nextInt(slots);
    for (int look = 0; look < LOOKS; look++) {
      mutator.load(X, walk, slot);
      if (mutator.isReference(X)) {
        return slot;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
    return -1;
  }
}
