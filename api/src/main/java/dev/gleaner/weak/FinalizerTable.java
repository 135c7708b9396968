package dev.gleaner.weak;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapUsageException;
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
 * <p>Entries are dense arrays; a hash index maps an element to its entry; removed entries leave a
 * gap until the arrays are full or few are left, but none in the index. So an entry's number and
 * its element may change whenever something is registered or collected; its serial number stays,
 * and rises from entry to entry. An entry takes some 60 bytes, 72 at most, and its age 12 more:
 * arrays have little room that is not used, as nothing of this counts against the heap's limit.
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

  private static final int LEAST = 8;

  /** The number of objects whose order of making is known, a power of two. */
  public static final int RECENT = 64;

  private final long multiplier;
  private final Budget budget;
  private long[] elements = new long[0];
  private @Nullable Object[] finalizers = new Object[0];
  private @Nullable String[] labels = new String[0];
  private byte[] states = new byte[0];
  private byte[] modes = new byte[0];
  private long[] serials = new long[0];

  /** The operation of the program that each was made by a finalizer in, or called in; 0 if none. */
  private long[] operations = new long[0];

  /** The number of each element, in the order of making; empty if ages are not tracked. */
  private long[] ages = new long[0];

  /** The objects that were made last, by their numbers; null if ages are not tracked. */
  private long @Nullable [] recent;

  private long lastAge;

  /**
   * Whether some entry's element is older than that of an entry before. Those whose finalizer ran
   * do not count: they are put on the list only after a rescue.
   */
  private boolean disordered;

  /** The youngest age of those that count. */
  private long youngest;

  private int[] index = new int[0];
  private int end;
  private int live;

  /** The entries whose finalizer is lent. */
  private int lenders;

  /** The entries of heirs. */
  private int heirs;

  /** The heirs that are charged, and have no entry yet. */
  private int awaited;

  /** Where a serial number was found last: who walks over all entries asks for its neighbour. */
  private int found;

  private LongQueue queue = new LongQueue();
  private LongQueue postponed = new LongQueue();

  /** Found by a collection in slices, and not due before it has traced what they need. */
  private LongQueue held = new LongQueue();

  private boolean running;
  private long lastSerial;

  /**
   * Makes an empty table.
   *
   * @param multiplier of places, as in {@link PlaceHash}
   * @param budget that heirs are charged to
   */
  public FinalizerTable(long multiplier, Budget budget) {
    this.multiplier = multiplier;
    this.budget = budget;
  }

  /** From now on entries have their elements' order of making. */
  public void trackAges() {
    recent = new long[RECENT];
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
    states[entry] = FINALIZED;
    if (recent != null) {
      ages[entry] = ++lastAge;
      recent[(int) lastAge & RECENT - 1] = 0;
    }
  }

  /** Notes that an entry's element, whose finalizer ran, was rescued. */
  public void rescue(int entry) {
    states[entry] = IDLE;
    disordered |= recent != null && live > 1;
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
    return live;
  }

  /** Entries are numbered below this, in the order of registration; gaps have element 0. */
  public int bound() {
    return end;
  }

  public long element(int entry) {
    return elements[entry];
  }

  public byte state(int entry) {
    return states[entry];
  }

  public void setState(int entry, byte state) {
    states[entry] = state;
  }

  public Object finalizer(int entry) {
    return Objects.requireNonNull(finalizers[entry]);
  }

  public String label(int entry) {
    return Objects.requireNonNull(labels[entry]);
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
      age = old < 0 ? age(element, object) : ages[old];
    }
    if (old >= 0) {
      removeEntry(old);
    }
    if (end == elements.length) {
      makeRoom();
    }
    int e = end++;
    if (recent != null) {
      ages[e] = age;
      disordered |= age < youngest;
      youngest = Math.max(youngest, age);
    }
    elements[e] = element;
    labels[e] = label;
    finalizers[e] = finalizer;
    states[e] = IDLE;
    modes[e] = mode;
    serials[e] = ++lastSerial;
    operations[e] = operation;
    live++;
    enter(e);
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
    leave(e);
    if (modes[e] == HEIR) {
      heirs--;
      refundBytes(1);
    } else if (modes[e] == LENT) {
      lenders--;
    }
    elements[e] = 0;
    finalizers[e] = null;
    labels[e] = null;
    live--;
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
    return modes[entry] == LENT;
  }

  /** Whether an entry has no finalizer, but inherits one. */
  public boolean isHeir(int entry) {
    return modes[entry] == HEIR;
  }

  /**
   * The entry that has an entry's finalizer: the entry itself, or that of the nearest prototype
   * which lends one; -1 if there is none, which is wrong.
   */
  public int source(int entry, Memory memory) {
    return isHeir(entry)
        ? lender(memory.get(elements[entry] + Layout.OBJECT_PROTOTYPE), memory)
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
    for (int e = 0; e < end; e++) {
      if (elements[e] != 0 && source(e, memory) < 0) {
        removeEntry(e);
      }
    }
  }

  /** The entry of an element, or -1. */
  public int find(long element) {
    if (live == 0) {
      return -1;
    }
    int mask = index.length - 1;
    for (int i = hash(element) & mask; ; i = (i + 1) & mask) {
      int e = index[i] - 1;
      if (e < 0 || elements[e] == element) {
        return e;
      }
    }
  }

  /** The serial number of an entry. */
  public long serial(int entry) {
    return serials[entry];
  }

  /** The operation of the program that an entry was made or called in, if that matters; or 0. */
  public long operation(int entry) {
    return operations[entry];
  }

  public void setOperation(int entry, long operation) {
    operations[entry] = operation;
  }

  /** The serial number given last; 0 before the first. */
  public long lastSerial() {
    return lastSerial;
  }

  /** The first entry whose serial number is at least this, gaps included; the bound if none. */
  public int firstSince(long serial) {
    if (found < end && serials[found] == serial) {
      return found;
    }
    int at = Arrays.binarySearch(serials, 0, end, serial);
    found = at < 0 ? -1 - at : at;
    return found;
  }

  /** The last entry whose serial number is at most this, gaps left out, or -1. */
  public int previous(long serial) {
    for (int e = firstSince(serial + 1) - 1; e >= 0; e--) {
      if (elements[e] != 0) {
        found = e; // who walks backwards asks for it next
        return e;
      }
    }
    return -1;
  }

  /** The first entry whose serial number is at least this, gaps left out, or -1. */
  public int next(long serial) {
    for (int e = firstSince(serial); e < end; e++) {
      if (elements[e] != 0) {
        return e;
      }
    }
    return -1;
  }

  /**
   * Takes over the places to which elements moved.
   *
   * @param moved answers where an element is now, for every element here and on the finalize list
   */
  public void relocate(LongUnaryOperator moved) {
    forgetRecent();
    Arrays.fill(index, 0);
    for (int e = 0; e < end; e++) {
      if (elements[e] != 0) {
        elements[e] = moved.applyAsLong(elements[e]);
        enter(e);
      }
    }
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
    for (int e = from; e < end; e++) {
      long to = elements[e] == 0 ? 0 : moved.applyAsLong(elements[e]);
      if (to != elements[e]) {
        leave(e);
        elements[e] = to;
        enter(e);
      }
    }
    relocateQueue(moved);
  }

  /** Puts an entry's element on the finalize list. */
  public void enqueue(int entry) {
    states[entry] = QUEUED;
    queue.addLast(elements[entry]);
  }

  // ---- what a collection in slices holds back ----

  /** Takes note that an entry's element will be on the finalize list. */
  public void hold(int entry) {
    states[entry] = QUEUED;
    held.addLast(elements[entry]);
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
    if (disordered && n > 1) {
      int first = queue.size() - n;
      int[] entries = new int[n];
      for (int i = 0; i < n; i++) {
        entries[i] = find(queue.get(first + i));
      }
      sortByAge(entries);
      for (int i = 0; i < n; i++) {
        queue.set(first + i, elements[entries[i]]);
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
    int[] entries = new int[live];
    int n = 0;
    for (int e = 0; e < end; e++) {
      if (elements[e] != 0) {
        entries[n++] = e;
      }
    }
    sortByAge(entries);
    long[] result = new long[n];
    for (int i = 0; i < n; i++) {
      result[i] = serials[entries[i]];
    }
    return result;
  }

  /** Sorts entries by their ages; those of the same age stay as they are. */
  private void sortByAge(int[] entries) {
    int[] from = entries.clone();
    int[] to = entries;
    for (int run = 1; run < entries.length; run *= 2) {
      for (int at = 0; at < entries.length; at += 2 * run) {
        int middle = Math.min(at + run, entries.length);
        int last = Math.min(middle + run, entries.length);
        int left = at;
        int right = middle;
        for (int i = at; i < last; i++) {
          boolean takesLeft =
              left < middle && (right == last || ages[from[left]] <= ages[from[right]]);
          to[i] = takesLeft ? from[left++] : from[right++];
        }
      }
      int[] t = from;
      from = to;
      to = t;
    }
    System.arraycopy(from, 0, entries, 0, entries.length);
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

  private int hash(long element) {
    return PlaceHash.of(element, multiplier);
  }

  private void enter(int e) {
    int mask = index.length - 1;
    int i = hash(elements[e]) & mask;
    while (index[i] != 0) {
      i = (i + 1) & mask;
    }
    index[i] = e + 1;
  }

  /** Closes an entry's gap in the index: no search is to pass over what was removed. */
  private void leave(int e) {
    int mask = index.length - 1;
    int gap = hash(elements[e]) & mask;
    while (index[gap] != e + 1) {
      gap = (gap + 1) & mask;
    }
    for (int i = (gap + 1) & mask; index[i] != 0; i = (i + 1) & mask) {
      int home = hash(elements[index[i] - 1]) & mask;
      if (((i - home) & mask) >= ((i - gap) & mask)) {
        index[gap] = index[i];
        gap = i;
      }
    }
    index[gap] = 0;
  }

  private void makeRoom() {
    if (live > 1 << 29) {
      throw new HeapUsageException("too many finalizers: " + live);
    }
    rebuild(roomFor(live));
  }

  private static int roomFor(int entries) {
    return entries + Math.max(LEAST, entries >> 2);
  }

  /** Shrinks when there is something to win; after a collection, and when the list was run. */
  public void tidy() {
    if (queue.isEmpty()) {
      queue.clear();
    }
    if (postponed.isEmpty()) {
      postponed.clear();
    }
    if (elements.length > roomFor(live) + LEAST + (live >> 3)) {
      rebuild(roomFor(live));
    }
  }

  private void rebuild(int capacity) {
    long[] oldElements = elements;
    @Nullable Object[] oldFinalizers = finalizers;
    @Nullable String[] oldLabels = labels;
    byte[] oldStates = states;
    byte[] oldModes = modes;
    long[] oldSerials = serials;
    long[] oldOperations = operations;
    long[] oldAges = ages;
    elements = new long[capacity];
    finalizers = new Object[capacity];
    labels = new String[capacity];
    states = new byte[capacity];
    modes = new byte[capacity];
    serials = new long[capacity];
    operations = new long[capacity];
    ages = recent == null ? ages : new long[capacity];
    disordered = false;
    youngest = 0;
    index = new int[Integer.highestOneBit(capacity + (capacity >> 2)) * 2];
    int n = 0;
    for (int e = 0; e < end; e++) {
      if (oldElements[e] != 0) {
        elements[n] = oldElements[e];
        finalizers[n] = oldFinalizers[e];
        labels[n] = oldLabels[e];
        states[n] = oldStates[e];
        modes[n] = oldModes[e];
        serials[n] = oldSerials[e];
        operations[n] = oldOperations[e];
        if (recent != null) {
          ages[n] = oldAges[e];
          if (states[n] != FINALIZED) {
            disordered |= ages[n] < youngest;
            youngest = Math.max(youngest, ages[n]);
          }
        }
        enter(n++);
      }
    }
    end = n;
  }
}
