package dev.gleaner.weak;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.util.ElementIndex;
import dev.gleaner.util.Numbers;
import java.util.Arrays;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The weak references: an array of targets, 0 when cleared.
 *
 * <p>An index from an element to its references, which form a list, is made when {@link #clear} is
 * first asked for it, and again after a collection.
 */
public final class WeakTable {
  private long[] targets = new long[0];
  private final Numbers numbers = new Numbers(0);
  private int live;
  private long cleared;
  private @Nullable ElementIndex first;
  private int[] next = new int[0];
  private int[] previous = new int[0];

  /** References from here on a sweep in slices did not come to yet. */
  private int at;

  private static final int AT_ONCE = 512;

  /** Makes a table without weak references; it takes memory with the first one. */
  public WeakTable() {}

  /** Makes a weak reference to an element; answers its number. */
  public int add(long element) {
    if (numbers.bound() == targets.length) {
      targets = Arrays.copyOf(targets, Math.max(8, targets.length * 2));
    }
    int w = numbers.take();
    targets[w] = element;
    live++;
    if (first != null) {
      enter(first, w);
    }
    return w;
  }

  private void enter(ElementIndex index, int w) {
    if (next.length < targets.length) {
      next = Arrays.copyOf(next, targets.length);
      previous = Arrays.copyOf(previous, targets.length);
    }
    int head = index.put(targets[w], w);
    next[w] = head;
    if (head >= 0) {
      previous[head] = w;
    }
  }

  /** Has the index made anew, as a change of it may have been broken off. */
  public void forgetIndex() {
    first = null;
  }

  /** Clears all references to an element. */
  public void clear(long element) {
    ElementIndex index = first;
    if (index == null) {
      index = new ElementIndex();
      for (int w = numbers.next(0); w < numbers.bound(); w = numbers.next(w + 1)) {
        if (targets[w] != 0) {
          enter(index, w);
        }
      }
      first = index;
    }
    for (int w = index.remove(element); w >= 0; w = next[w]) {
      targets[w] = 0;
      cleared++;
    }
  }

  /** Forgets a weak reference. */
  public void remove(int w) {
    if (first != null && targets[w] != 0) {
      unlink(first, w);
    }
    targets[w] = 0;
    numbers.release(w);
    live--;
  }

  private void unlink(ElementIndex index, int w) {
    int after = next[w];
    if (index.get(targets[w]) != w) {
      next[previous[w]] = after;
    } else if (after < 0) {
      int _ = index.remove(targets[w]);
    } else {
      int _ = index.put(targets[w], after);
    }
    if (after >= 0) {
      previous[after] = previous[w];
    }
  }

  /** The target, or 0 when it was cleared. */
  public long get(int w) {
    return targets[w];
  }

  public int size() {
    return live;
  }

  public long cleared() {
    return cleared;
  }

  /** Calls back for each target. */
  public void forEach(OffsetVisitor visitor) {
    for (int w = numbers.next(0); w < numbers.bound(); w = numbers.next(w + 1)) {
      if (targets[w] != 0) {
        visitor.visit(targets[w]);
      }
    }
  }

  /** Clears the references to elements that wait for their finalizer to run. */
  public void clearQueued(FinalizerTable finalizers) {
    first = null;
    for (int w = numbers.next(0); w < numbers.bound(); w = numbers.next(w + 1)) {
      int entry = targets[w] != 0 ? finalizers.find(targets[w]) : -1;
      if (entry >= 0 && finalizers.state(entry) == FinalizerTable.QUEUED) {
        targets[w] = 0;
        cleared++;
      }
    }
  }

  /** Takes over the places to which the targets moved. */
  public void relocate(LongUnaryOperator moved) {
    first = null;
    for (int w = numbers.next(0); w < numbers.bound(); w = numbers.next(w + 1)) {
      if (targets[w] != 0) {
        targets[w] = moved.applyAsLong(targets[w]);
      }
    }
  }

  /** Clears the references to elements that are to go. */
  public void sweep(LongPredicate stays) {
    first = null;
    for (int w = numbers.next(0); w < numbers.bound(); w = numbers.next(w + 1)) {
      if (targets[w] != 0 && !stays.test(targets[w])) {
        targets[w] = 0;
        cleared++;
      }
    }
  }

  // ---- in slices ----

  /** Begins a sweep in slices. */
  public void begin() {
    at = 0;
  }

  /**
   * Clears references to elements that are to go, until the deadline; returns whether it is done.
   */
  public boolean sweepUntil(long deadline, LongPredicate stays) {
    for (at = numbers.next(at); at < numbers.bound(); at = numbers.next(at + 1)) {
      if (targets[at] != 0 && !stays.test(targets[at])) {
        lose(at);
      }
      if (at % AT_ONCE == AT_ONCE - 1
          && deadline != Long.MAX_VALUE
          && System.nanoTime() - deadline >= 0) {
        at++;
        return false;
      }
    }
    return true;
  }

  /** Clears one reference, whose target goes. */
  public void lose(int w) {
    if (first != null) {
      unlink(first, w);
    }
    targets[w] = 0;
    cleared++;
  }
}
