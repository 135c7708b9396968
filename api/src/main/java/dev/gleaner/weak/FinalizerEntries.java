package dev.gleaner.weak;

import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.util.IntParts;
import dev.gleaner.util.PlaceHash;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a {@link FinalizerTable}, numbered in the order of registration, and found by
 * their elements. No step takes long, however many there are.
 *
 * <pre>
 *   columns   in parts of 128 entries; only a first part alone is smaller
 *   index     linear hashing (Litwin 1980), so that it grows and shrinks by one bucket at a time:
 *             heads[bucket] --> entry --next--> entry ... 0
 *   gaps      what is removed leaves one. A pass closes them, some places at a time:
 *
 *             0   closed   to   gaps   from   not looked at   end
 * </pre>
 *
 * <p>A pass begins when there is a gap for every four entries, or eight. An entry keeps its serial
 * number when it moves, so serial numbers rise from 0 to the end. Those from {@code to} on, which
 * the pass left behind, count as one more than that of the entry before them.
 */
final class FinalizerEntries {
  private static final int SHIFT = 7;
  private static final int PART = 1 << SHIFT;
  private static final int LEAST = 8;

  /** Places that a pass looks at for each entry that comes or goes. */
  private static final int STEPS = 16;

  /** Places that a pass looks at in any case when the table is tidied. */
  private static final int SOME = 256;

  private static final int AT_ONCE = 256;

  /** Some entries: a column for each thing they have. */
  private static final class Part {
    long[] elements = new long[0];
    @Nullable Object[] finalizers = new Object[0];
    @Nullable String[] labels = new String[0];
    byte[] states = new byte[0];
    byte[] modes = new byte[0];
    long[] serials = new long[0];

    /** The operation of the program that each was made by a finalizer in, or called in; or 0. */
    long[] operations = new long[0];

    /** The number of each element, in the order of making; empty if ages are not tracked. */
    long[] ages = new long[0];

    /** The entry after each in its bucket, plus 1; or 0. */
    int[] next = new int[0];

    void resize(int n, boolean aged) {
      elements = Arrays.copyOf(elements, n);
      finalizers = Arrays.copyOf(finalizers, n);
      labels = Arrays.copyOf(labels, n);
      states = Arrays.copyOf(states, n);
      modes = Arrays.copyOf(modes, n);
      serials = Arrays.copyOf(serials, n);
      operations = Arrays.copyOf(operations, n);
      ages = aged ? Arrays.copyOf(ages, n) : ages;
      next = Arrays.copyOf(next, n);
    }
  }

  /** Most heaps have no finalizer. */
  private static final Part[] NONE = {};

  private final long multiplier;
  private boolean aged;
  private Part[] parts = NONE;
  private IntParts heads = new IntParts();
  private int buckets = LEAST;
  private int end;
  private int live;
  private long lastSerial;

  private boolean passing;
  private int to;
  private int from;

  /** Places that a pass may look at, as so many entries went. */
  private long owed;

  /**
   * Whether some entry's element is older than that of an entry before. Those whose finalizer ran
   * do not count: they are put on the list only after a rescue.
   */
  private boolean disordered;

  /** The youngest age of those that count. */
  private long youngest;

  /** The same for the entries that a pass looked at. */
  private boolean passDisordered;

  private long passYoungest;

  /** Where a serial number was found last: who walks over all entries asks for its neighbour. */
  private int found;

  FinalizerEntries(long multiplier) {
    this.multiplier = multiplier;
  }

  /** Entries have ages from now on; there are none yet. */
  void trackAges() {
    aged = true;
  }

  int live() {
    return live;
  }

  int end() {
    return end;
  }

  long lastSerial() {
    return lastSerial;
  }

  private Part part(int e) {
    return parts[e >>> SHIFT];
  }

  private static int in(int e) {
    return e & (PART - 1);
  }

  // ---- columns ----

  long element(int e) {
    return part(e).elements[in(e)];
  }

  @Nullable Object finalizer(int e) {
    return part(e).finalizers[in(e)];
  }

  @Nullable String label(int e) {
    return part(e).labels[in(e)];
  }

  byte state(int e) {
    return part(e).states[in(e)];
  }

  void setState(int e, byte state) {
    part(e).states[in(e)] = state;
  }

  byte mode(int e) {
    return part(e).modes[in(e)];
  }

  long operation(int e) {
    return part(e).operations[in(e)];
  }

  void setOperation(int e, long operation) {
    part(e).operations[in(e)] = operation;
  }

  long age(int e) {
    return part(e).ages[in(e)];
  }

  void setAge(int e, long age) {
    part(e).ages[in(e)] = age;
  }

  /** The serial number; that of a gap lies between those of the entries around it. */
  long serial(int e) {
    if (e < to || e >= from) {
      return part(e).serials[in(e)];
    }
    return to == 0 ? 0 : part(to - 1).serials[in(to - 1)] + 1;
  }

  // ---- adding and removing ----

  /** Adds an entry at the end, for an element that has none. */
  int add(
      long element,
      byte mode,
      @Nullable String label,
      @Nullable Object finalizer,
      long operation,
      long age) {
    if (live > 1 << 29) {
      throw new HeapUsageException("too many finalizers: " + live);
    }
    boolean _ = close(STEPS);
    makeRoom();
    if (live >= buckets) {
      split();
    }
    heads.ensure(buckets);
    int e = end++;
    Part p = part(e);
    int i = in(e);
    p.elements[i] = element;
    p.labels[i] = label;
    p.finalizers[i] = finalizer;
    p.states[i] = FinalizerTable.IDLE;
    p.modes[i] = mode;
    p.serials[i] = ++lastSerial;
    p.operations[i] = operation;
    if (aged) {
      p.ages[i] = age;
      disordered |= age < youngest;
      youngest = Math.max(youngest, age);
    }
    live++;
    enter(e);
    return e;
  }

  private void makeRoom() {
    int p = end >>> SHIFT;
    if (p == parts.length) {
      parts = Arrays.copyOf(parts, Math.max(1, p * 2));
    }
    Part last = parts[p];
    if (last == null) {
      last = new Part();
      last.resize(p == 0 ? LEAST : PART, aged);
      parts[p] = last;
    } else if (in(end) == last.elements.length) {
      last.resize(last.elements.length * 2, aged);
    }
  }

  void remove(int e) {
    Part p = part(e);
    int i = in(e);
    replace(e, p.next[i]);
    p.elements[i] = 0;
    p.finalizers[i] = null;
    p.labels[i] = null;
    live--;
    owed += STEPS;
  }

  // ---- the index ----

  private int bucket(long element) {
    int high = Integer.highestOneBit(buckets);
    int h = PlaceHash.of(element, multiplier);
    int b = h & (high * 2 - 1);
    return b < buckets ? b : h & (high - 1);
  }

  /** The entry of an element, or -1. */
  int find(long element) {
    int e = live == 0 ? -1 : heads.get(bucket(element)) - 1;
    while (e >= 0 && element(e) != element) {
      e = part(e).next[in(e)] - 1;
    }
    return e;
  }

  private void enter(int e) {
    Part p = part(e);
    int b = bucket(p.elements[in(e)]);
    p.next[in(e)] = heads.get(b);
    heads.set(b, e + 1);
  }

  /** Has what leads to an entry lead to another one. */
  private void replace(int e, int link) {
    int b = bucket(element(e));
    int at = heads.get(b);
    if (at == e + 1) {
      heads.set(b, link);
      return;
    }
    while (part(at - 1).next[in(at - 1)] != e + 1) {
      at = part(at - 1).next[in(at - 1)];
    }
    part(at - 1).next[in(at - 1)] = link;
  }

  /** Makes one more bucket, to which some entries of another one go. */
  private void split() {
    int b = buckets - Integer.highestOneBit(buckets);
    heads.ensure(buckets + 1);
    buckets++;
    enterAnew(b);
  }

  /** Gives the last bucket's entries to the one that it was split from. */
  private void merge() {
    buckets--;
    enterAnew(buckets);
    heads.trim(buckets);
  }

  private void enterAnew(int bucket) {
    int at = heads.get(bucket);
    heads.set(bucket, 0);
    while (at != 0) {
      int after = part(at - 1).next[in(at - 1)];
      enter(at - 1);
      at = after;
    }
  }

  // ---- closing gaps ----

  /** Closes gaps, as many as entries went since; after that the table is not much too large. */
  void tidy() {
    boolean _ = close(owed + SOME);
  }

  /** Closes gaps until the deadline, in nanoseconds; returns whether there are few. */
  boolean tidyUntil(long deadline) {
    while (!close(AT_ONCE)) {
      if (deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
        return false;
      }
    }
    return true;
  }

  /** Looks at so many places at most; returns whether nothing is to be done. */
  private boolean close(long places) {
    for (long n = places; n > 0; n--) {
      if (live == 0) {
        clear();
        return true;
      }
      boolean merges = buckets > LEAST && buckets >> 1 > live;
      if (merges) {
        merge();
      }
      if (!passing && end > live + Math.max(LEAST, live >> 2)) {
        passing = true;
        passDisordered = false;
        passYoungest = 0;
      }
      if (passing) {
        look();
      } else if (!merges) {
        owed = 0;
        return true;
      }
    }
    owed = Math.max(0, owed - places);
    return false;
  }

  /** Forgets all that is left of entries, of which there are none. */
  private void clear() {
    if (end > LEAST) {
      parts = NONE;
      heads = new IntParts();
      buckets = LEAST;
    }
    end = 0;
    owed = 0;
    disordered = false;
    youngest = 0;
    endPass();
  }

  private void endPass() {
    passing = false;
    to = 0;
    from = 0;
  }

  private void look() {
    if (element(from) != 0) {
      if (to < from) {
        move(from, to);
      }
      Part p = part(to);
      int i = in(to);
      if (aged && p.states[i] != FinalizerTable.FINALIZED) {
        passDisordered |= p.ages[i] < passYoungest;
        passYoungest = Math.max(passYoungest, p.ages[i]);
      }
      to++;
    }
    if (++from == end) {
      disordered = passDisordered;
      youngest = passYoungest;
      end = to;
      endPass();
      shrink();
    }
  }

  private void shrink() {
    int needed = (end + PART - 1) >>> SHIFT;
    if (needed < parts.length) {
      parts = Arrays.copyOf(parts, needed);
    }
    int most = Integer.highestOneBit(end) * 2;
    if (needed == 1 && most < parts[0].elements.length) {
      parts[0].resize(Math.max(LEAST, most), aged);
    }
  }

  /** Moves an entry into a gap. */
  private void move(int e, int gap) {
    replace(e, gap + 1);
    Part a = part(e);
    Part b = part(gap);
    int i = in(e);
    int j = in(gap);
    b.elements[j] = a.elements[i];
    b.finalizers[j] = a.finalizers[i];
    b.labels[j] = a.labels[i];
    b.states[j] = a.states[i];
    b.modes[j] = a.modes[i];
    b.serials[j] = a.serials[i];
    b.operations[j] = a.operations[i];
    b.next[j] = a.next[i];
    if (aged) {
      b.ages[j] = a.ages[i];
    }
    a.elements[i] = 0;
    a.finalizers[i] = null;
    a.labels[i] = null;
  }

  // ---- ages ----

  /** Whether entries that count may be out of the order of their ages. */
  boolean isDisordered() {
    return disordered;
  }

  /** An entry counts that did not, and is younger than others. */
  void disorder() {
    disordered = true;
    passDisordered = true;
  }

  // ---- serial numbers ----

  /** The first entry whose serial number is at least this, gaps included; the end if none. */
  int firstSince(long serial) {
    if (found < end && serial(found) == serial && (found == 0 || serial(found - 1) < serial)) {
      return found;
    }
    int low = 0;
    int high = end;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (serial(middle) < serial) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    found = low;
    return low;
  }

  /** The last entry whose serial number is at most this, gaps left out, or -1. */
  int previous(long serial) {
    int e = firstSince(serial + 1) - 1;
    while (e >= 0 && element(e) == 0) {
      e = e >= to && e < from ? to - 1 : e - 1;
    }
    found = Math.max(0, e); // who walks backwards asks for it next
    return e;
  }

  /** The first entry whose serial number is at least this, gaps left out, or -1. */
  int next(long serial) {
    int e = firstSince(serial);
    while (e < end && element(e) == 0) {
      e = e >= to && e < from ? from : e + 1;
    }
    return e < end ? e : -1;
  }

  // ---- elements that moved ----

  /** Takes over the places to which elements moved. */
  void relocate(LongUnaryOperator moved) {
    heads.clear();
    for (int e = 0; e < end; e++) {
      long element = element(e);
      if (element != 0) {
        part(e).elements[in(e)] = moved.applyAsLong(element);
        enter(e);
      }
    }
  }

  /** The same, when only elements of entries from this one on moved. */
  void relocate(int since, LongUnaryOperator moved) {
    for (int e = since; e < end; e++) {
      long element = element(e);
      long there = element == 0 ? 0 : moved.applyAsLong(element);
      if (there != element) {
        replace(e, part(e).next[in(e)]);
        part(e).elements[in(e)] = there;
        enter(e);
      }
    }
  }
}
