package dev.gleaner.weak;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Budget;
import dev.gleaner.util.LongQueue;
import dev.gleaner.util.PlaceHash;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The elements that have a finalizer, in the order of registration, and the finalize list.
 *
 * <pre>
 *   IDLE -- found unreachable --> QUEUED -- its finalizer runs --> FINALIZED
 *    ^                                                                |
 *    '----------------- found reachable: rescued ---------------------'   else: the entry goes
 * </pre>
 *
 * (Duktape, "Finalizer behavior"; FINALIZABLE is the short time between finding and queueing.) The
 * finalize list is a root. It has two parts: what is due, and what is postponed to the next
 * operation of the program, as its entry was made or called in the one that is under way.
 *
 * <p>{@linkplain FinalizerEntries Entries} are in the order of registration. Removed ones leave
 * gaps, which are closed step by step. So an entry's number and its element may change whenever
 * something is registered or collected; its serial number stays, and rises from entry to entry. An
 * entry takes some 52 bytes, 72 at most, its age included: nothing of this counts against the
 * heap's limit.
 *
 * <p><b>Age.</b> With {@link #trackAges} entries also have their elements' order of making, as
 * Duktape's list of all elements has: the last {@link #RECENT} objects are known by number. An
 * older object is older than these, any other element as old as its entry, and an element is as new
 * as the last call of its finalizer. Elements that go to the finalize list go to its head then.
 *
 * <p><b>Heirs.</b> An object's finalizer may be lent: those whose chain of prototypes has the
 * object have it, too. They are the heirs. Their entries have no finalizer, but {@link #source}
 * finds it when it is called. So to a collector an heir is as any other element. Whoever makes an
 * heir sets no finalizer, and so cannot bound them: their entries count as external memory.
 */
public final class FinalizerTable {
  public static final byte IDLE = 0;
  public static final byte QUEUED = 1;
  public static final byte FINALIZED = 2;

  /** The finalizer is for the element alone. */
  private static final byte OWN = 0;

  /** The finalizer is for the object, and for those that inherit from it. */
  private static final byte LENT = 1;

  /** The entry has no finalizer: the object inherits one. */
  private static final byte HEIR = 2;

  /** Bytes that the entry of an heir is charged with: what it takes, its age included. */
  private static final int CHARGE = 80;

  /** The number of objects whose order of making is known, a power of two. */
  public static final int RECENT = 64;

  private final FinalizerEntries entries;
  private final Budget budget;

  /** The objects that were made last, by their numbers; null if ages are not tracked. */
  private long @Nullable [] recent;

  private long lastAge;

  /** The entries whose finalizer is lent. */
  private int lenders;

  /** The entries of heirs. */
  private int heirs;

  /** The heirs that are charged, and have no entry yet. */
  private int awaited;

  private LongQueue queue = new LongQueue();
  private LongQueue postponed = new LongQueue();

  /** Found by a collection in slices, and not due before it has traced what they need. */
  private LongQueue held = new LongQueue();

  private boolean running;

  /**
   * Makes an empty table.
   *
   * @param multiplier of places, as in {@link PlaceHash}
   * @param budget that heirs are charged to
   */
  public FinalizerTable(long multiplier, Budget budget) {
    this.entries = new FinalizerEntries(multiplier);
    this.budget = budget;
  }

  /** From now on entries have their elements' order of making. */
  public void trackAges() {
    recent = new long[RECENT];
    entries.trackAges();
  }

  /** Whether entries have their elements' order of making. */
  public boolean tracksAges() {
    return recent != null;
  }

  /** Notes an object that was made now. */
  public void noteMade(long object) {
    long[] r = recent;
    if (r != null) {
      r[(int) ++lastAge & RECENT - 1] = object;
    }
  }

  /** Notes that an entry's finalizer is called: its element counts as made now, if rescued. */
  public void setFinalized(int entry) {
    entries.setState(entry, FINALIZED);
    if (recent != null) {
      entries.setAge(entry, ++lastAge);
      recent[(int) lastAge & RECENT - 1] = 0;
    }
  }

  /** Notes that an entry's element, whose finalizer ran, was rescued. */
  public void rescue(int entry) {
    entries.setState(entry, IDLE);
    entries.disorder();
  }

  /**
   * Gives entries their elements' order of making, as an image has it.
   *
   * @param oldestFirst all entries, that of the oldest element first
   */
  public void setAges(int[] oldestFirst) {
    if (recent != null && oldestFirst.length > 0) {
      for (int entry : oldestFirst) {
        entries.setAge(entry, ++lastAge);
      }
      lastAge += RECENT; // what is made from now on is younger
      entries.disorder();
    }
  }

  private long age(long element, boolean object) {
    long[] r = recent;
    for (long age = lastAge; r != null && object && age > lastAge - RECENT; age--) {
      if (r[(int) age & RECENT - 1] == element) {
        return age;
      }
    }
    return object ? lastAge - RECENT : lastAge;
  }

  /** Elements that have a finalizer. */
  public int size() {
    return entries.live();
  }

  /** Entries are numbered below this, in the order of registration; gaps have element 0. */
  public int bound() {
    return entries.end();
  }

  public long element(int entry) {
    return entries.element(entry);
  }

  public byte state(int entry) {
    return entries.state(entry);
  }

  public void setState(int entry, byte state) {
    entries.setState(entry, state);
  }

  public Object finalizer(int entry) {
    return Objects.requireNonNull(entries.finalizer(entry));
  }

  public String label(int entry) {
    return Objects.requireNonNull(entries.label(entry));
  }

  /** Sets an element's finalizer; it registers anew when it had one. */
  public void set(long element, String label, Object finalizer) {
    set(element, label, finalizer, 0, false);
  }

  /**
   * Sets an element's finalizer.
   *
   * @param operation of the program, if a finalizer or callback sets it in that; or 0
   * @param object whether the element is an object that {@link #noteMade} was told of
   */
  public void set(long element, String label, Object finalizer, long operation, boolean object) {
    put(element, OWN, label, finalizer, operation, object);
  }

  /**
   * Sets a finalizer as {@link #set} does; those that have the object as a prototype inherit it.
   */
  public void lend(long object, String label, Object finalizer, long operation, boolean aged) {
    put(object, LENT, label, finalizer, operation, aged);
    lenders++;
  }

  /**
   * Gives an object that has no entry one without a finalizer: it inherits that of a prototype. The
   * entry {@linkplain #charge was charged}.
   */
  public void addHeir(long object, long operation, boolean aged) {
    put(object, HEIR, null, null, operation, aged);
    awaited--;
    heirs++;
  }

  private void put(
      long element,
      byte mode,
      @Nullable String label,
      @Nullable Object finalizer,
      long operation,
      boolean object) {
    int old = find(element);
    long age = 0;
    if (recent != null) {
      age = old < 0 ? age(element, object) : entries.age(old);
    }
    if (old >= 0) {
      removeEntry(old);
    }
    entries.add(element, mode, label, finalizer, operation, age);
  }

  /** Removes an element's finalizer, also from the finalize list. */
  public boolean remove(long element) {
    int e = find(element);
    if (e < 0) {
      return false;
    }
    removeEntry(e);
    return true;
  }

  /** Removes an entry. */
  public void removeEntry(int e) {
    byte mode = entries.mode(e);
    entries.remove(e);
    if (mode == HEIR) {
      heirs--;
      refundBytes(1);
    } else if (mode == LENT) {
      lenders--;
    }
  }

  // ---- heirs ----

  /** Charges the entries of so many heirs; returns false if the limit leaves no room. */
  public boolean charge(int n) {
    boolean fits = budget.chargeExternal(bytes(n));
    awaited += fits ? n : 0;
    return fits;
  }

  /** Takes back the charge for so many heirs, which have got no entries. */
  public void refund(int n) {
    awaited -= n;
    refundBytes(n);
  }

  private void refundBytes(int n) {
    budget.notePeak();
    budget.refundExternal(bytes(n));
  }

  /** The bytes that so many heirs are charged with. */
  public static long bytes(int heirs) {
    return (long) heirs * CHARGE;
  }

  /** The entries of heirs. */
  public int heirs() {
    return heirs;
  }

  /** The bytes that are charged for heirs. */
  public long charged() {
    return bytes(heirs + awaited);
  }

  /** Whether some object lends its finalizer. */
  public boolean lends() {
    return lenders > 0;
  }

  /** Whether an entry's object lends its finalizer. */
  public boolean isLent(int entry) {
    return entries.mode(entry) == LENT;
  }

  /** Whether an entry has no finalizer, but inherits one. */
  public boolean isHeir(int entry) {
    return entries.mode(entry) == HEIR;
  }

  /**
   * The entry that has an entry's finalizer: the entry itself, or that of the nearest prototype
   * which lends one; -1 if there is none, which is wrong.
   */
  public int source(int entry, Memory memory) {
    return isHeir(entry)
        ? lender(memory.get(element(entry) + Layout.OBJECT_PROTOTYPE), memory)
        : entry;
  }

  /** The entry of the first object of a chain of prototypes that lends its finalizer, or -1. */
  public int lender(long first, Memory memory) {
    for (long p = first;
        lenders > 0 && Values.isReference(p);
        p = memory.get(p + Layout.OBJECT_PROTOTYPE)) {
      int entry = find(p);
      if (entry >= 0 && isLent(entry)) {
        return entry;
      }
    }
    return -1;
  }

  /**
   * Whether an object without an entry inherits from a prototype once that lends its finalizer, or
   * inherits one itself: none before it in the object's chain lends one.
   */
  public boolean inheritsFrom(long prototype, long object, Memory memory) {
    for (long p = memory.get(object + Layout.OBJECT_PROTOTYPE);
        Values.isReference(p);
        p = memory.get(p + Layout.OBJECT_PROTOTYPE)) {
      int entry = p == prototype ? -1 : find(p);
      if (p == prototype || (entry >= 0 && isLent(entry))) {
        return p == prototype;
      }
    }
    return false;
  }

  /** Removes the entries of those that were heirs, and inherit nothing any more. */
  public void removeLapsed(Memory memory) {
    for (int e = 0; e < bound(); e++) {
      if (element(e) != 0 && source(e, memory) < 0) {
        removeEntry(e);
      }
    }
  }

  /** The entry of an element, or -1. */
  public int find(long element) {
    return entries.find(element);
  }

  /** The serial number of an entry; that of a gap lies between those of the entries around it. */
  public long serial(int entry) {
    return entries.serial(entry);
  }

  /** The operation of the program that an entry was made or called in, if that matters; or 0. */
  public long operation(int entry) {
    return entries.operation(entry);
  }

  public void setOperation(int entry, long operation) {
    entries.setOperation(entry, operation);
  }

  /** The serial number given last; 0 before the first. */
  public long lastSerial() {
    return entries.lastSerial();
  }

  /** The first entry whose serial number is at least this, gaps included; the bound if none. */
  public int firstSince(long serial) {
    return entries.firstSince(serial);
  }

  /** The last entry whose serial number is at most this, gaps left out, or -1. */
  public int previous(long serial) {
    return entries.previous(serial);
  }

  /** The first entry whose serial number is at least this, gaps left out, or -1. */
  public int next(long serial) {
    return entries.next(serial);
  }

  /**
   * Takes over the places to which elements moved.
   *
   * @param moved answers where an element is now, for every element here and on the finalize list
   */
  public void relocate(LongUnaryOperator moved) {
    forgetRecent();
    entries.relocate(moved);
    relocateQueue(moved);
  }

  private void forgetRecent() {
    if (recent != null) {
      Arrays.fill(recent, 0);
    }
  }

  private void relocateQueue(LongUnaryOperator moved) {
    for (int i = 0; i < queue.size(); i++) {
      queue.set(i, moved.applyAsLong(queue.get(i)));
    }
    for (int i = 0; i < postponed.size(); i++) {
      postponed.set(i, moved.applyAsLong(postponed.get(i)));
    }
  }

  /**
   * The same when only elements of the last entries moved: what a minor collection costs does not
   * depend on the others.
   *
   * @param from the first entry whose element may have moved
   * @param moved answers where an element is now, for those and for the finalize list
   */
  public void relocate(int from, LongUnaryOperator moved) {
    forgetRecent();
    entries.relocate(from, moved);
    relocateQueue(moved);
  }

  /** Puts an entry's element on the finalize list. */
  public void enqueue(int entry) {
    entries.setState(entry, QUEUED);
    queue.addLast(element(entry));
  }

  // ---- what a collection in slices holds back ----

  /** Takes note that an entry's element will be on the finalize list. */
  public void hold(int entry) {
    entries.setState(entry, QUEUED);
    held.addLast(element(entry));
  }

  /** Elements that are held back. */
  public int held() {
    return held.size();
  }

  /** The i-th of them. */
  public long heldElement(int i) {
    return held.get(i);
  }

  /** Puts up to {@code most} of them on the finalize list; all if the list is empty. */
  public void letGo(int most) {
    if (queue.isEmpty()) {
      LongQueue empty = queue;
      queue = held;
      held = empty;
    }
    for (int i = 0; i < most && !held.isEmpty(); i++) {
      queue.addLast(held.pollFirst());
    }
  }

  // ---- the finalize list ----

  /** Puts an entry's element on the finalize list, at its head if ages are tracked. */
  public void enqueueNext(int entry) {
    enqueue(entry);
    lead(1);
  }

  /**
   * Gives the elements that were put on the finalize list last their place: the oldest first, and
   * all before what waits, if ages are tracked.
   *
   * @param queuedBefore the elements on the list before
   */
  public void arrange(int queuedBefore) {
    int n = queued() - queuedBefore;
    if (recent == null || n == 0) {
      return;
    }
    if (entries.isDisordered() && n > 1) {
      int first = queue.size() - n;
      int[] found = new int[n];
      for (int i = 0; i < n; i++) {
        found[i] = find(queue.get(first + i));
      }
      sortByAge(found);
      for (int i = 0; i < n; i++) {
        queue.set(first + i, element(found[i]));
      }
    }
    lead(n);
  }

  /** Moves the last elements of the list to its head. */
  private void lead(int n) {
    if (recent != null && n < queue.size()) {
      for (int i = 0; i < n; i++) {
        queue.addFirst(queue.pollLast());
      }
    }
  }

  /** The serial numbers of all entries, by the order of making. */
  public long[] serialsByAge() {
    int[] all = new int[size()];
    int n = 0;
    for (int e = 0; e < bound(); e++) {
      if (element(e) != 0) {
        all[n++] = e;
      }
    }
    sortByAge(all);
    long[] result = new long[n];
    for (int i = 0; i < n; i++) {
      result[i] = serial(all[i]);
    }
    return result;
  }

  /** Sorts entries by their ages; those of the same age stay as they are. */
  private void sortByAge(int[] sorted) {
    int[] from = sorted.clone();
    int[] to = sorted;
    for (int run = 1; run < sorted.length; run *= 2) {
      for (int at = 0; at < sorted.length; at += 2 * run) {
        int middle = Math.min(at + run, sorted.length);
        int last = Math.min(middle + run, sorted.length);
        int left = at;
        int right = middle;
        for (int i = at; i < last; i++) {
          boolean takesLeft =
              left < middle
                  && (right == last || entries.age(from[left]) <= entries.age(from[right]));
          to[i] = takesLeft ? from[left++] : from[right++];
        }
      }
      int[] t = from;
      from = to;
      to = t;
    }
    System.arraycopy(from, 0, sorted, 0, sorted.length);
  }

  /** Takes the next element that is due off the finalize list, or 0. */
  public long dequeue() {
    return queue.isEmpty() ? 0 : queue.pollFirst();
  }

  /** The next element that is due, or 0. */
  public long head() {
    return queue.isEmpty() ? 0 : queue.get(0);
  }

  /** Puts the next element that is due off to the next operation of the program. */
  public void postpone() {
    postponed.addLast(dequeue());
  }

  /** Makes due what was postponed, before all else. */
  public void resumePostponed() {
    while (!postponed.isEmpty()) {
      queue.addFirst(postponed.pollLast());
    }
  }

  /** Elements on the finalize list. */
  public int queued() {
    return postponed.size() + queue.size();
  }

  /** Those of them that are not postponed. */
  public int due() {
    return queue.size();
  }

  /** Whether finalizers of the list are being run. */
  public boolean isRunning() {
    return running;
  }

  public void setRunning(boolean value) {
    running = value;
  }

  /**
   * Whether no rescue can be decided now: what the list reaches, the element whose finalizer runs
   * included, is reachable for that alone.
   */
  public boolean postponesRescues() {
    return running || queued() > 0;
  }

  /** The i-th element of the finalize list. */
  public long queuedElement(int i) {
    return i < postponed.size() ? postponed.get(i) : queue.get(i - postponed.size());
  }

  /**
   * Shrinks step by step, at most by what came and went since; after a slice, and when the list was
   * run.
   */
  public void tidy() {
    clearQueues();
    entries.tidy();
  }

  /** Shrinks until the deadline, in nanoseconds; returns whether all is done. */
  public boolean tidyUntil(long deadline) {
    clearQueues();
    return entries.tidyUntil(deadline);
  }

  private void clearQueues() {
    if (queue.isEmpty()) {
      queue.clear();
    }
    if (postponed.isEmpty()) {
      postponed.clear();
    }
  }
}
