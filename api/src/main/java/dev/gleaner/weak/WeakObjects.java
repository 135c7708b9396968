package dev.gleaner.weak;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.SizeClassAllocator;
import dev.gleaner.util.Numbers;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The weak tables of a heap: objects that do not keep all of their properties alive.
 *
 * <pre>
 *   OBJECT, FLAG_WEAK | prototype | raw: number, Weakness | inline slots
 *                                          |
 *                                          v
 *                                   registry[number]: where it is | flags
 *                                                     its table, a block as TableLayout has it
 * </pre>
 *
 * <p>So a scan of the element comes by no block: no tracer meets what a weak table holds, whether
 * it knows of weak tables or not. What is to be traced even so is found from here, by {@code
 * dev.gleaner.mark.Ephemerons}; what goes is removed here, and what moves is told here. A table
 * that a collection found dead has its block in its word again, until it is freed.
 *
 * <p>The registry and the index are in the heap's memory. The registry counts against its limit,
 * and so does the index while the limit leaves room.
 *
 * <p>Any object may become one, and be an ordinary one again: {@link #setWeakness}.
 *
 * <p><b>What an entry holds.</b> Strings, numbers and booleans are held by every table. Of all
 * other elements a key is held if keys are not weak, and a value if values are not: by the table if
 * the key is held, else by the key. Where there are counts, exactly what is held is counted.
 *
 * <p><b>Under counting</b> an element goes between two collections, and its entries with it. An
 * {@link WeakIndex} leads from it to the entries that name it, each by table and key. It is made
 * when an element goes, and again after a collection. Entries of it may be out of date: what is
 * found is looked at. Half of them are for entries that are there. Where there are no pages for it,
 * all weak tables are searched instead.
 *
 * <p><b>Young.</b> A table that was stored into may have young entries. It has none once nothing in
 * it was moved by a collection that moves; until then minor collections look at it.
 */
public final class WeakObjects {
  private static final long YOUNG = 1;
  private static final long SCANNED = 2;
  private static final long FLAGS = YOUNG | SCANNED;

  /** The entries of objects, weak or not. Only heaps implement it. */
  public interface Entries {
    /** The block with the entries of an object; 0 if there is none. */
    long table(long object);

    /** The place of the value under a key, or 0; valid until the object is written to. */
    long place(long object, long key);

    /** Removes the entry at a place, and returns its key. */
    long clear(long object, long at);

    /** Forgets a key that is kept for walks, and gone. */
    void forgetKept(long object, long key);
  }

  private static final int LEAST_INDEX = 1024;
  private static final int LEAST = 8;

  /** The bytes of a table in the registry. */
  private static final int ROW = 16;

  private static final int BLOCK = 8;

  /** Entries, and tables, between two looks at the clock. */
  private static final int AT_ONCE = 256;

  private static final int TABLES_AT_ONCE = 16;

  /** From the word of a weak table to its number. */
  private static final int NUMBER_SHIFT = 3;

  /** In the word of a dead one, with its block. */
  private static final long DEAD = 4;

  private final Memory memory;
  private final Entries tables;
  private final SizeClassAllocator allocator;
  private final WeakIndex index;
  private final Numbers numbers = new Numbers(0);
  private long registry;
  private int capacity;
  private boolean keepsRoom;
  private int size;
  private long cleared;
  private boolean minor;
  private @Nullable LongConsumer counts;
  private @Nullable Undecided undecided;
  private int indexed;

  // The walk in slices that is under way: over the tables' entries, table by table.

  private int at;

  /** The table, and where in it; 0 if the walk did not come to the table yet. */
  private long walked;

  private int entry;

  /** Whether its block was replaced, or the table has gone, since. */
  private boolean moved;

  /**
   * Makes it without tables.
   *
   * @param raw has the memory for the registry and the index
   * @param tables reaches the entries of an object
   */
  public WeakObjects(RawSpace raw, Entries tables) {
    this.memory = raw.memory();
    this.allocator = raw.allocator();
    this.index = new WeakIndex(raw);
    this.tables = tables;
  }

  /** Says that there are counts; for heaps. */
  public void setCounts(@Nullable LongConsumer counts) {
    this.counts = counts;
  }

  /** Makes room for one more weak table, unless the limit or the memory refuses. */
  public boolean hasRoom() {
    return numbers.bound() < capacity || resize(moreRows());
  }

  /** What {@link #hasRoom} asks for when it needs memory, in bytes. */
  public long refusedBytes() {
    return (long) moreRows() * ROW;
  }

  /** Says whether a collection must leave the room that {@link #hasRoom} has made. */
  public void keepRoom(boolean keep) {
    keepsRoom = keep;
  }

  private int moreRows() {
    return Math.max(LEAST, capacity + (capacity >> 1));
  }

  private boolean resize(int rows) {
    long moved = allocator.alloc((long) rows * ROW);
    if (moved == 0) {
      return false;
    }
    memory.copy(registry, moved, (long) numbers.bound() * ROW);
    allocator.free(registry);
    registry = moved;
    capacity = rows;
    return true;
  }

  /** Shrinks the registry when there is much to win; after a collection. */
  public void tidy() {
    int bound = numbers.bound();
    if (bound == 0 && !keepsRoom) {
      allocator.free(registry);
      registry = 0;
      capacity = 0;
    } else if (capacity > LEAST && bound < capacity >> 2) {
      boolean _ = resize(Math.max(LEAST, bound * 2));
    }
  }

  private long row(int n) {
    return registry + (long) n * ROW;
  }

  private long flagged(int n) {
    return memory.get(row(n));
  }

  private void setFlagged(int n, long objectAndFlags) {
    memory.put(row(n), objectAndFlags);
  }

  private long block(int n) {
    return memory.get(row(n) + BLOCK);
  }

  private void setBlock(int n, long block) {
    memory.put(row(n) + BLOCK, block);
  }

  /** Makes an object without an array part a weak table. */
  private void add(long object, int weakness) {
    int n = numbers.take();
    setFlagged(n, object | YOUNG);
    setBlock(n, word(object));
    size++;
    memory.put(object, memory.get(object) | Layout.FLAG_WEAK);
    setWord(object, (long) n << NUMBER_SHIFT | weakness);
    long end = end(object);
    for (long at = begin(object); at < end; at += 8) {
      note(memory.get(at));
    }
  }

  private long word(long object) {
    return Values.raw(memory.get(object + Layout.OBJECT_TABLE));
  }

  private void setWord(long object, long word) {
    memory.put(object + Layout.OBJECT_TABLE, Values.ofRaw(word));
  }

  /**
   * Changes what an object does not hold; what that does to counts is the caller's to do.
   *
   * @param object has no array part; if it becomes a weak table, there is {@linkplain #hasRoom
   *     room}
   * @param weakness of {@link Weakness}
   */
  public void setWeakness(long object, int weakness) {
    if (weakness(object) == Weakness.NONE) {
      add(object, weakness);
    } else if (weakness == Weakness.NONE) {
      remove(number(object));
      setWord(object, word(object) & ~DEAD);
      memory.put(object, memory.get(object) & ~(long) Layout.FLAG_WEAK);
    } else {
      setWord(object, (word(object) & ~(long) Weakness.BOTH) | weakness);
    }
    index.free();
  }

  /** How many weak tables there are, garbage not yet found included. */
  public int size() {
    return size;
  }

  /** How many entries went with their key or value. */
  public long cleared() {
    return cleared;
  }

  /** The number of a weak table. */
  public int number(long object) {
    return (int) (word(object) >>> NUMBER_SHIFT);
  }

  /** The first number of a weak table from {@code from} on, or {@link #bound}. */
  public int next(int from) {
    return numbers.next(from);
  }

  public int bound() {
    return numbers.bound();
  }

  /** The weak table of a number. */
  public long object(int n) {
    return flagged(n) & ~FLAGS;
  }

  /** What an object does not hold, of {@link Weakness}. */
  public int weakness(long object) {
    return (int) word(object) & Weakness.BOTH;
  }

  /** The block of a weak table that has this word, 0 if there is none. */
  public long block(long word) {
    return (word & DEAD) == 0 ? block((int) (word >>> NUMBER_SHIFT)) : word & ~DEAD;
  }

  public void setBlock(long object, long block) {
    moved |= object == walked;
    setBlock(number(object), block);
  }

  // ---- what is held ----

  /** Whether a value is an element that a weak place does not keep: any but a string or integer. */
  public boolean isMortal(long value) {
    return Values.isReference(value) && Layout.kind(memory.get(value)) > Layout.LAST_VALUE;
  }

  /** Whether a table of this weakness holds a key. */
  public boolean holdsKey(int weakness, long key) {
    return (weakness & Weakness.KEYS) == 0 || !isMortal(key);
  }

  /** Whether a table of this weakness, or a key of it, holds a value. */
  public boolean holdsValue(int weakness, long value) {
    return (weakness & Weakness.VALUES) == 0 || !isMortal(value);
  }

  /** Told of what is held by an entry. */
  @FunctionalInterface
  public interface HeldVisitor {
    /**
     * Takes note of an element that is held.
     *
     * @param holder the key that holds the value while the table is there; 0 if it is the table
     *     itself
     * @param place the word that has the reference
     */
    void held(long holder, long place);
  }

  /** Calls back for each reference that a weak table, or a key in it, holds. */
  public void forEachHeld(long object, HeldVisitor visitor) {
    forEachHeld(object, weakness(object), visitor);
  }

  /** Calls back for each reference that an object, or a key in it, held if it were as weak. */
  public void forEachHeld(long object, int weakness, HeldVisitor visitor) {
    forEachHeld(weakness, begin(object), end(object), visitor);
  }

  private void forEachHeld(int weakness, long from, long end, HeldVisitor visitor) {
    for (long at = from; at < end; at += TableLayout.ENTRY) {
      long key = memory.get(at);
      long place = at + TableLayout.VALUE;
      long value = memory.get(place);
      if (TableLayout.isDeleted(key)) {
        if (Values.isReference(value) && holdsKey(weakness, value)) {
          visitor.held(0, place); // a key that is kept for a walk
        }
        continue;
      }
      boolean byTable = holdsKey(weakness, key);
      if (byTable && Values.isReference(key)) {
        visitor.held(0, at);
      }
      if (Values.isReference(value) && holdsValue(weakness, value)) {
        visitor.held(byTable ? 0 : key, place);
      }
    }
  }

  /** The first word of the entries. */
  public long begin(long object) {
    return tables.table(object) + TableLayout.FIRST;
  }

  /** The end of the entries that were used. */
  public long end(long object) {
    return endOf(tables.table(object));
  }

  private long endOf(long table) {
    int used = table == 0 ? 0 : TableLayout.low(memory.get(table + TableLayout.ENTRIES));
    return TableLayout.entryAt(table, used);
  }

  // ---- stores ----

  /**
   * Takes note of what is stored as an entry. Elements of a weak place are known at the side from
   * now on.
   */
  public void stored(long object, long key, long value) {
    int n = number(object);
    setFlagged(n, flagged(n) | YOUNG);
    note(key);
    note(value);
    if (!index.isMade()) {
      return;
    }
    if (index.size() > 2 * indexed + LEAST_INDEX || !enter(n, key, value)) {
      index.free();
    }
  }

  private void note(long value) {
    if (isMortal(value)) {
      memory.put(value, memory.get(value) | Layout.FLAG_NOTED);
    }
  }

  /** Enters an entry under what it does not hold; returns whether there was room. */
  private boolean enter(int n, long key, long value) {
    int weakness = weakness(object(n));
    return (holdsKey(weakness, key) || index.add(key, key, n))
        && (holdsValue(weakness, value) || index.add(value, key, n));
  }

  // ---- a collection ----

  /**
   * Begins a collection: no table was scanned.
   *
   * @param isMinor whether it looks at the young alone
   */
  public void begin(boolean isMinor) {
    minor = isMinor;
    for (int n = next(0); n < bound(); n = next(n + 1)) {
      setFlagged(n, flagged(n) & ~SCANNED);
    }
  }

  /** Whether a table is to be scanned now: it was not, and may lead to what is collected. */
  public boolean takeToScan(int n) {
    boolean take = !isScanned(n) && isCollected(n);
    setFlagged(n, flagged(n) | SCANNED);
    return take;
  }

  public boolean isScanned(int n) {
    return (flagged(n) & SCANNED) != 0;
  }

  private boolean isCollected(int n) {
    return !minor || (flagged(n) & YOUNG) != 0;
  }

  /**
   * Removes the entries of scanned tables whose values go though they are not held: before
   * finalizers are found.
   */
  public void sweepValues(LongPredicate stays) {
    index.free();
    for (int n = next(0); n < bound(); n = next(n + 1)) {
      if (isScanned(n) && isCollected(n) && (weakness(object(n)) & Weakness.VALUES) != 0) {
        sweepEntries(object(n), stays, false, false);
      }
    }
  }

  /**
   * Removes all that leads to elements that are to go.
   *
   * @param stays whether the element at an offset stays
   * @param subtracted whether what elements hold that go is subtracted from the counts already
   */
  public void sweep(LongPredicate stays, boolean subtracted) {
    index.free();
    for (int n = next(0); n < bound(); n = next(n + 1)) {
      long object = object(n);
      if (!stays.test(object)) {
        if (!subtracted) {
          dropAll(object, stays);
        }
        remove(n);
      } else if (isCollected(n)) {
        sweepEntries(object, stays, true, subtracted);
      }
    }
  }

  private void remove(int n) {
    moved |= object(n) == walked;
    setWord(object(n), block(n) | DEAD);
    setFlagged(n, 0);
    numbers.release(n);
    if (--size == 0) {
      index.free();
    }
  }

  private void sweepEntries(long object, LongPredicate stays, boolean keysToo, boolean subtracted) {
    sweepEntries(object, begin(object), end(object), stays, keysToo, subtracted);
  }

  private void sweepEntries(
      long object, long from, long end, LongPredicate stays, boolean keysToo, boolean subtracted) {
    int weakness = weakness(object);
    for (long at = from; at < end; at += TableLayout.ENTRY) {
      long key = memory.get(at);
      long value = memory.get(at + TableLayout.VALUE);
      if (TableLayout.isDeleted(key)) {
        if (keysToo && Values.isReference(value) && !stays.test(value)) {
          memory.put(at + TableLayout.VALUE, Values.NULL); // nobody can go on from it
        }
        continue;
      }
      boolean keyGoes = keysToo && !holdsKey(weakness, key) && !stays.test(key);
      boolean valueGoes = !holdsValue(weakness, value) && !stays.test(value);
      if (keyGoes || valueGoes) {
        boolean byTable = holdsKey(weakness, key);
        if (holdsValue(weakness, value)) {
          drop(byTable ? object : key, value, stays, subtracted);
        }
        long dropped = clear(object, at);
        if (keyGoes && dropped == Values.UNDEFINED) {
          memory.put(at + TableLayout.VALUE, Values.NULL); // kept for a walk, and gone
        }
        if (Values.isReference(dropped) && holdsKey(weakness, dropped)) {
          drop(object, dropped, stays, subtracted);
        }
      }
    }
  }

  /** Removes an entry; answers the key that the table holds no more, or undefined. */
  private long clear(long object, long at) {
    cleared++;
    return tables.clear(object, at);
  }

  // ---- in slices ----

  /** What is done with a part of a table's entries. */
  @FunctionalInterface
  private interface Part {
    void entries(long object, long from, long end);
  }

  /** Begins a walk in slices over all tables, or over the entries of one. */
  public void beginWalk() {
    at = next(0);
    walked = 0;
    entry = 0;
  }

  /**
   * Scans the entries of a table as {@link #forEachHeld}, until the deadline. Starts anew when the
   * table's block was replaced.
   *
   * @param n the table's number, the same until all is scanned
   * @return whether all is scanned, or the table has gone
   */
  public boolean scanUntil(int n, long deadline, HeldVisitor visitor) {
    at = n;
    return walkTable(
        deadline, (object, from, end) -> forEachHeld(weakness(object), from, end, visitor));
  }

  /**
   * Does {@link #sweepValues} until the deadline, and tells of weak keys that are not reached.
   *
   * @return whether all is done
   */
  public boolean sweepValuesUntil(long deadline, LongPredicate stays, OffsetVisitor hidden) {
    return walkUntil(
        deadline,
        (object, from, end) -> {
          if (stays.test(object)) {
            if ((weakness(object) & Weakness.VALUES) != 0) {
              sweepEntries(object, from, end, stays, false, false);
            }
            if ((weakness(object) & Weakness.KEYS) != 0) {
              visitLostKeys(from, end, stays, hidden);
            }
          }
        });
  }

  private void visitLostKeys(long from, long end, LongPredicate stays, OffsetVisitor hidden) {
    for (long at = from; at < end; at += TableLayout.ENTRY) {
      long key = memory.get(at);
      if (!TableLayout.isDeleted(key) && isMortal(key) && !stays.test(key)) {
        hidden.visit(key);
      }
    }
  }

  /** Does {@link #sweep} until the deadline; returns whether all is done. */
  public boolean sweepUntil(long deadline, LongPredicate stays) {
    index.free();
    return walkUntil(
        deadline,
        (object, from, end) -> {
          if (stays.test(object)) {
            sweepEntries(object, from, end, stays, true, false);
            return;
          }
          if (counts != null) {
            forEachHeld(
                weakness(object),
                from,
                end,
                (_, place) -> drop(object, memory.get(place), stays, false));
          }
          if (end == end(object)) {
            remove(number(object));
          }
        });
  }

  /** Walks over all tables, and those that are made meanwhile, or not: these have nothing to go. */
  private boolean walkUntil(long deadline, Part part) {
    for (int tables = 1; at < bound(); tables++) {
      if (!walkTable(deadline, part)) {
        return false;
      }
      at = next(at + 1);
      if (tables % TABLES_AT_ONCE == 0
          && deadline != Long.MAX_VALUE
          && System.nanoTime() - deadline >= 0) {
        return at >= bound();
      }
    }
    return true;
  }

  private boolean walkTable(long deadline, Part part) {
    long object = at < bound() ? object(at) : 0;
    if (walked == 0 && object != 0) {
      walked = object;
      entry = 0;
      moved = false;
    } else if (moved) {
      moved = false;
      entry = 0;
      if (object != walked) { // the table has gone; another one may have its number
        walked = 0;
        return true;
      }
    }
    while (object != 0) {
      long from = begin(object) + (long) entry * TableLayout.ENTRY;
      long end = end(object);
      long to = Math.min(end, from + (long) AT_ONCE * TableLayout.ENTRY);
      part.entries(object, Math.min(from, end), to);
      if (to >= end) {
        break;
      }
      entry += AT_ONCE;
      if (deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
        return false;
      }
    }
    walked = 0;
    return true;
  }

  private void dropAll(long object, LongPredicate stays) {
    if (counts != null) {
      forEachHeld(object, (_, place) -> drop(object, memory.get(place), stays, false));
    }
  }

  private void drop(long holder, long value, LongPredicate stays, boolean subtracted) {
    if (counts != null
        && Values.isReference(value)
        && stays.test(value)
        && (!subtracted || stays.test(holder))) {
      counts.accept(value);
    }
  }

  /** Takes over the places to which elements moved. */
  public void relocate(LongUnaryOperator moved) {
    index.free();
    for (int n = next(0); n < bound(); n = next(n + 1)) {
      boolean isCollected = isCollected(n);
      setFlagged(n, moved.applyAsLong(object(n)) | (flagged(n) & FLAGS));
      if (isCollected && !relocateEntries(block(n), moved)) {
        setFlagged(n, flagged(n) & ~YOUNG);
      }
    }
    minor = false;
  }

  /** Answers whether any was elsewhere. */
  private boolean relocateEntries(long table, LongUnaryOperator moved) {
    boolean any = false;
    long end = endOf(table);
    for (long at = table + TableLayout.FIRST; at < end; at += 8) {
      long v = memory.get(at);
      if (Values.isReference(v)) {
        long to = moved.applyAsLong(v);
        any |= to != v;
        memory.put(at, to);
      }
    }
    return any;
  }

  /** Calls back for each word of a weak table that may lead to an element, held or not. */
  public void forEachPlace(long object, Scanner.Visitor visitor) {
    long end = end(object);
    for (long at = begin(object); at < end; at += 8) {
      visitor.place(at);
    }
  }

  // ---- what a collection in slices hides ----

  /** Names the collection that hides elements; null for none. */
  public void setUndecided(@Nullable Undecided by) {
    undecided = by;
  }

  /** Whether a key or value in an object is hidden: the object is weak, and what it has is dead. */
  public boolean hides(long object, long value) {
    return undecided != null && hides(undecided, object, value);
  }

  private boolean hides(Undecided by, long object, long value) {
    return Layout.isWeak(memory.get(object)) && Values.isReference(value) && by.hides(value);
  }

  // ---- one element goes ----

  /**
   * Told that an element's count dropped to zero.
   *
   * @param dies whether it goes; else it waits for its finalizer, and is a key still
   */
  public void lost(long element, boolean dies) {
    if (size == 0) {
      return;
    }
    if (!makeIndex()) {
      search(element, (object, key) -> lost(object, key, element, dies));
      return;
    }
    for (int e = dies ? index.take(element) : index.first(element); e >= 0; e = index.next(e)) {
      int n = index.number(e);
      if (n < bound() && flagged(n) != 0) {
        lost(object(n), index.key(e), element, dies);
      }
    }
  }

  /** Told of an entry by its table and key. */
  @FunctionalInterface
  private interface EntryVisitor {
    void entry(long object, long key);
  }

  /** Does without the index: calls back for each entry that does not hold an element it names. */
  private void search(long element, EntryVisitor visitor) {
    for (int n = next(0); n < bound(); n = next(n + 1)) {
      long object = object(n);
      int weakness = weakness(object);
      if (!holdsKey(weakness, element)) {
        visitor.entry(object, element);
      }
      if (holdsValue(weakness, element)) {
        continue;
      }
      long end = end(object);
      for (long at = begin(object); at < end; at += TableLayout.ENTRY) {
        long key = memory.get(at);
        if (memory.get(at + TableLayout.VALUE) == element && !TableLayout.isDeleted(key)) {
          visitor.entry(object, key);
        }
      }
    }
  }

  /**
   * Calls back for each place of a value that a weak key holds, with its table as the holder; for
   * each once, if {@link #forgetIndex} was called since the last store.
   */
  public void forEachHeldByKey(long key, HeldVisitor visitor) {
    if (size == 0) {
      return;
    }
    if (!makeIndex()) {
      search(key, (object, of) -> heldByKey(object, of, key, visitor));
      return;
    }
    for (int e = index.first(key); e >= 0; e = index.next(e)) {
      heldByKey(object(index.number(e)), index.key(e), key, visitor);
    }
  }

  private void heldByKey(long object, long keyOfEntry, long key, HeldVisitor visitor) {
    int weakness = weakness(object);
    long place = keyOfEntry == key ? tables.place(object, key) : 0;
    if (place != 0
        && !holdsKey(weakness, key)
        && Values.isReference(memory.get(place))
        && holdsValue(weakness, memory.get(place))) {
      visitor.held(object, place);
    }
  }

  /** Makes the index, unless there is one; returns whether there is one now. */
  private boolean makeIndex() {
    if (index.isMade()) {
      return true;
    }
    if (!index.make(mostIndexed())) {
      return false;
    }
    for (int n = next(0); n < bound(); n = next(n + 1)) {
      long end = end(object(n));
      for (long at = begin(object(n)); at < end; at += TableLayout.ENTRY) {
        long key = memory.get(at);
        long value = memory.get(at + TableLayout.VALUE);
        if (!TableLayout.isDeleted(key)) {
          boolean _ = enter(n, key, value);
        } else if (Values.isReference(value)
            && !holdsKey(weakness(object(n)), value)
            && tables.place(object(n), value) == 0) { // else it has an entry, which is in the index
          boolean _ = index.add(value, value, n);
        }
      }
    }
    indexed = index.size();
    return true;
  }

  /** At least as many as {@link #makeIndex} enters. */
  private long mostIndexed() {
    long most = 0;
    for (int n = next(0); n < bound(); n = next(n + 1)) {
      long object = object(n);
      int each = weakness(object) == Weakness.BOTH ? 2 : 1;
      most += (end(object) - begin(object)) / TableLayout.ENTRY * each;
    }
    return most;
  }

  private void lost(long object, long key, long element, boolean dies) {
    int weakness = weakness(object);
    long place = tables.place(object, key);
    long value = place == 0 ? Values.UNDEFINED : memory.get(place);
    boolean keyGoes = dies && key == element && !holdsKey(weakness, key);
    boolean valueGoes = place != 0 && value == element && !holdsValue(weakness, value);
    if (place != 0 && (keyGoes || valueGoes)) {
      long dropped = clear(object, place - TableLayout.VALUE);
      if (counts != null) {
        if (holdsValue(weakness, value)) {
          counts.accept(value);
        }
        if (Values.isReference(dropped) && holdsKey(weakness, dropped)) {
          counts.accept(dropped);
        }
      }
    }
    if (keyGoes) {
      tables.forgetKept(object, element);
    }
  }

  /** Told that a weak table is freed: it holds nothing any more, and its block goes with it. */
  public void release(long object) {
    if ((word(object) & DEAD) != 0) {
      return; // a collection knew
    }
    if (counts != null) {
      LongConsumer c = counts;
      forEachHeld(object, (_, place) -> c.accept(memory.get(place)));
    }
    remove(number(object));
  }

  /** Has the index made anew, as a change of it may have been broken off. */
  public void forgetIndex() {
    index.free();
  }

  /** Told that the heap closes: what is freed from now on is not counted. */
  public void close() {
    counts = null;
    index.free();
  }
}
