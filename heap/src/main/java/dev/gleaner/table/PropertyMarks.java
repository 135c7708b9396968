package dev.gleaner.table;

import static dev.gleaner.layout.TableLayout.entryAt;
import static dev.gleaner.layout.TableLayout.high;
import static dev.gleaner.layout.TableLayout.isDeleted;
import static dev.gleaner.layout.TableLayout.low;
import static dev.gleaner.layout.TableLayout.pack;

import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;

/**
 * The positions of walks from keys in a property table. A walk can continue from a key that was
 * just deleted.
 *
 * <p>After a walk began, the table has a mark on the entry that was returned last (S), and a mark
 * on the entry that was deleted last since (L), if any. If a marked entry is deleted, its key moves
 * to the place of its value. There the key is a reference like any other: it stays alive, and a
 * walk finds it. The key is dropped with the mark. Other deleted entries hold nothing.
 *
 * <pre>
 *   MARK, without LAST    S + 1, or 0 if no walk from keys began
 *   MARK, with LAST       L + 1; S + 1 is in the upper field of the deleted key at L
 * </pre>
 *
 * <p>Invariant: exactly the marked entries that are deleted have a value other than undefined. A
 * rebuild keeps these entries, and so the marks. A search prefers S to a property with the same
 * key. So a walk that deletes its current key, and puts the key again at the end, continues at its
 * old position.
 */
record PropertyMarks(Memory memory, Keys keys) {
  /** The position of a walk in the array: a number behind all possible entries. */
  static final int NO_ENTRY = TableLayout.FIELD_MASK - 1;

  private static final long MARK = (long) TableLayout.FIELD_MASK << TableLayout.FIELD_BITS;

  private long word(long table) {
    return memory.get(table + TableLayout.HASH);
  }

  boolean isMarked(long table) {
    return (word(table) & MARK) != 0;
  }

  /** L, or -1. */
  int last(long table) {
    long word = word(table);
    return (word & TableLayout.LAST) == 0 ? -1 : high(word) - 1;
  }

  /** S, or -1. */
  int stand(long table) {
    int last = last(table);
    return high(last < 0 ? word(table) : memory.get(entryAt(table, last))) - 1;
  }

  private void mark(long table, int entry, long flag) {
    long word = word(table) & ~(MARK | TableLayout.LAST);
    memory.put(table + TableLayout.HASH, word | (entry + 1L) << TableLayout.FIELD_BITS | flag);
  }

  private static boolean isEntry(int entry) {
    return entry >= 0 && entry != NO_ENTRY;
  }

  /** Returns the key that a deleted entry keeps; undefined if it keeps none, or is not deleted. */
  private long kept(long table, int entry) {
    long at = entryAt(table, entry);
    return isEntry(entry) && isDeleted(memory.get(at))
        ? memory.get(at + TableLayout.VALUE)
        : Values.UNDEFINED;
  }

  /** Returns the number of deleted entries that keep their key. */
  int kept(long table) {
    int last = last(table);
    int stand = stand(table);
    int kept = last < 0 ? 0 : 1;
    return stand != last && kept(table, stand) != Values.UNDEFINED ? kept + 1 : kept;
  }

  /** Returns the entry behind S if S has or had a key; else -1. */
  int find(long table, long key) {
    int stand = stand(table);
    boolean found =
        isEntry(stand)
            && (keys.same(memory.get(entryAt(table, stand)), key)
                || keys.same(kept(table, stand), key));
    return found ? stand + 1 : -1;
  }

  /** Returns the entry behind L if L had a key; else -1. */
  int findDeleted(long table, long key) {
    int last = last(table);
    return last >= 0 && keys.same(kept(table, last), key) ? last + 1 : -1;
  }

  /** Marks an entry as S; returns the key that is no longer kept. */
  long standOn(long table, int entry) {
    int stand = stand(table);
    int last = last(table);
    if (last < 0) {
      mark(table, entry, 0);
    } else {
      setStand(table, last, entry);
    }
    return stand == last ? Values.UNDEFINED : drop(table, stand);
  }

  /** Marks a deleted entry as L; returns the key that is no longer kept. */
  long keep(long table, long at, long key) {
    int stand = stand(table);
    int last = last(table);
    long dropped = Values.UNDEFINED;
    if (last >= 0) {
      setStand(table, last, -1);
      dropped = last == stand ? Values.UNDEFINED : drop(table, last);
    }
    int entry = TableLayout.indexOf(table, at);
    memory.put(at + TableLayout.VALUE, key);
    mark(table, entry, TableLayout.LAST);
    setStand(table, entry, stand);
    return dropped;
  }

  /** Removes L, as an array index was deleted last; returns the key that is no longer kept. */
  long keepNone(long table) {
    int stand = stand(table);
    int last = last(table);
    if (last < 0) {
      return Values.UNDEFINED;
    }
    mark(table, stand, 0);
    return last == stand ? Values.UNDEFINED : drop(table, last);
  }

  /**
   * Keeps the key of an entry that a collection deletes, if the entry is S. A collection does not
   * change L. Returns the key that is no longer kept.
   */
  long keepIfStood(long table, long at, long key) {
    if (!isMarked(table) || stand(table) != TableLayout.indexOf(table, at)) {
      return key;
    }
    if (last(table) < 0) {
      return keep(table, at, key);
    }
    memory.put(at + TableLayout.VALUE, key);
    return Values.UNDEFINED;
  }

  /** Forgets a dead key, so that no walk can continue from it. The marks stay. */
  void forget(long table, long key) {
    for (int entry : new int[] {stand(table), last(table)}) {
      if (kept(table, entry) == key) {
        memory.put(entryAt(table, entry) + TableLayout.VALUE, Values.NULL);
      }
    }
  }

  /** Sets both marks, from an image. */
  void restore(long table, int stand, int last) {
    mark(table, last < 0 ? stand : last, last < 0 ? 0 : TableLayout.LAST);
    if (last >= 0) {
      setStand(table, last, stand);
    }
  }

  private void setStand(long table, int last, int stand) {
    long at = entryAt(table, last);
    memory.put(at, pack(stand + 1, low(memory.get(at))));
  }

  private long drop(long table, int entry) {
    long key = kept(table, entry);
    if (key != Values.UNDEFINED) {
      memory.put(entryAt(table, entry) + TableLayout.VALUE, Values.UNDEFINED);
    }
    return key;
  }

  /** Copies the marks to a table with the same entries without gaps. */
  void carry(long table, long fresh) {
    if (!isMarked(table)) {
      return;
    }
    int last = last(table);
    int stand = withoutGaps(table, stand(table));
    last = withoutGaps(table, last);
    for (int entry : new int[] {stand, last}) {
      long at = entryAt(fresh, entry);
      if (isEntry(entry) && isDeleted(memory.get(at))) {
        memory.put(at, pack(entry == last ? stand + 1 : 0, 1));
      }
    }
    if (last < 0) {
      mark(fresh, stand, 0);
    } else {
      mark(fresh, last, TableLayout.LAST);
    }
  }

  private int withoutGaps(long table, int entry) {
    if (!isEntry(entry)) {
      return entry;
    }
    int n = 0;
    for (int e = 0; e < entry; e++) {
      long at = entryAt(table, e);
      if (!isDeleted(memory.get(at)) || kept(table, e) != Values.UNDEFINED) {
        n++;
      }
    }
    return n;
  }
}
