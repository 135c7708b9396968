package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.table.IndexDemand;
import dev.gleaner.table.PropertyTables;

/**
 * Operations on ranges of indexes: copies between objects or within one object, and moves up or
 * down by one.
 *
 * <p>If both ranges lie in arrays, the operation is one copy of memory. Before it each barrier
 * makes one pass: the snapshot sees the overwritten values, all values are counted, and the holder
 * is remembered once. Elements of frames are stored one by one, as each may escape. Ranges outside
 * of arrays are stored one by one, too.
 *
 * <p>A step reserves all memory before its first change, so that a refusal changes nothing: a long
 * enough array, or entries for all new indexes. A collection meanwhile may run finalizers, and then
 * the step computes its demand anew. Finalizers and callbacks wait while the range moves, as they
 * may change either object.
 */
final class ArrayAccess {
  private final WordAccess r;
  private final FinalizerRunner runner;
  private final ObjectAccess objects;
  private final Memory mem;
  private final PropertyTables tables;

  /** The demand of {@link #reserve}, which calls no code of the program while it uses this. */
  private final IndexDemand demand;

  ArrayAccess(HeapCore core, ObjectAccess objects) {
    this.r = core.registers();
    this.runner = core.driver().runner;
    this.objects = objects;
    this.mem = core.context().memory();
    this.tables = core.context().tables();
    this.demand = new IndexDemand(tables);
  }

  void moveRange(int o, int to, int source, int from, int count) {
    r.check();
    try {
      long _ = objects.object(o) + objects.object(source);
      if (count < 0 || !isRange(from, count) || !isRange(to, count)) {
        throw new HeapUsageException(
            "no range of " + count + " indexes from " + from + " on, to " + to + " on");
      }
      while (count > 0 && !reserve(o, to, source, from, count, -1)) {}
      runner.held++;
      try {
        move(o, to, source, from, count);
        r.settle();
      } finally {
        runner.held--; // before the next call, which an Error may break off
        runner.resume();
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private static boolean isRange(int from, int count) {
    return from >= 0 && from <= Integer.MAX_VALUE - 1 - count;
  }

  /** Moves a range into reserved memory; the caller settles the operation. */
  private void move(int o, int to, int source, int from, int count) {
    if (count == 0) {
      return;
    }
    if (areInArrays(o, to, source, count)) {
      copyRange(o, to, source, from, count);
    } else {
      putRange(o, to, source, from, count);
    }
  }

  void insertAt(int o, int index, int s) {
    r.check();
    try {
      long _ = r.slot(s);
      int length = lengthToInsert(o, index);
      while (!reserve(o, index + 1, o, index, length - index, index)) {
        length = lengthToInsert(o, index); // a finalizer may have changed the length
      }
      runner.held++;
      try {
        move(o, index + 1, o, index, length - index);
        r.settle();
        objects.putReserved(o, index, s);
        objects.setLength(o, length + 1);
      } finally {
        runner.held--; // before the next call, which an Error may break off
        runner.resume();
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private int lengthToInsert(int o, int index) {
    int length = tables.arrayLength(objects.object(o));
    if (index < 0 || index > length || length >= Integer.MAX_VALUE - 1) {
      throw new HeapUsageException("no index " + index + " to insert at, of " + length);
    }
    return length;
  }

  void removeAt(int o, int index) {
    r.check();
    try {
      int length = lengthToRemove(o, index);
      while (index < length - 1 && !reserve(o, index, o, index + 1, length - 1 - index, -1)) {
        length = lengthToRemove(o, index);
      }
      runner.held++;
      try {
        move(o, index, o, index + 1, length - 1 - index);
        objects.setLength(o, length - 1);
      } finally {
        runner.held--; // before the next call, which an Error may break off
        runner.resume();
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private int lengthToRemove(int o, int index) {
    int length = tables.arrayLength(objects.object(o));
    if (index < 0 || index >= length) {
      throw new HeapUsageException("no index " + index + " to remove, of " + length);
    }
    return length;
  }

  /**
   * Reserves the memory that a move needs.
   *
   * @param put an index that is put afterwards, or negative
   * @return whether the memory was there already; if not, finalizers may have changed either object
   */
  private boolean reserve(int o, int to, int source, int from, int count, int put) {
    long e = objects.object(o);
    boolean puts = put >= 0 && !isThere(o, put);
    int entries;
    int array;
    if (areInArrays(o, to, source, count)) {
      entries = puts && !tables.isDense(e, put, 0) ? 1 : 0;
      array = to + count;
    } else {
      demand.begin(e, Math.min(count, tables.count(objects.object(source))) + 1);
      for (int i = 0; i < count; i++) {
        if (isThere(source, from + i) && !isThere(o, to + i)) {
          demand.add(to + i);
        }
      }
      if (puts) {
        demand.add(put);
      }
      entries = demand.entries();
      array = demand.array();
    }
    if (tables.hasRoom(e, entries, array)) {
      return true;
    }
    objects.reserve(o, entries, array);
    return false;
  }

  private boolean isThere(int o, int index) {
    return tables.seenPlace(objects.object(o), Values.ofInt(index)) != 0;
  }

  private boolean areInArrays(int o, int to, int source, int count) {
    long e = objects.object(o);
    long src = objects.object(source);
    int present = tables.count(src) - tables.entries(src);
    return tables.sparse(e) == 0
        && tables.sparse(src) == 0
        && tables.isDense(e, to + count - 1, Math.min(present, count))
        && !Layout.isWeak(mem.get(e))
        && !Layout.isWeak(mem.get(src));
  }

  private void copyRange(int o, int to, int source, int from, int count) {
    long e = objects.object(o);
    long src = objects.object(source);
    int there = Math.max(0, Math.min(count, tables.arrayCapacity(src) - from));
    long srcAt = tables.arrayPlace(src, from);
    long at = tables.arrayPlace(e, to);
    int present = present(srcAt, there) - present(at, count);
    int last = last(srcAt, there);
    if (r.storesOneByOne(e == src)) {
      storeRange(o, to, source, from, there);
    } else {
      r.copyRange(srcAt, at, there, count);
    }
    fillHoles(o, to + there, to + count);
    e = objects.object(o);
    tables.changed(e, present, to, to + last);
    r.stored(e);
  }

  private int present(long at, int count) {
    int n = 0;
    for (int i = 0; i < count; i++) {
      n += mem.get(at + ((long) i << 3)) == TableLayout.HOLE ? 0 : 1;
    }
    return n;
  }

  /** Returns the end of the indexes that are present. */
  private int last(long at, int count) {
    int n = count;
    while (n > 0 && mem.get(at + ((long) (n - 1) << 3)) == TableLayout.HOLE) {
      n--;
    }
    return n;
  }

  /** Stores one by one, as each value may escape; each store may move objects and their blocks. */
  private void storeRange(int o, int to, int source, int from, int count) {
    for (int i = 0; i < count; i++) {
      int k = to <= from ? i : count - 1 - i;
      long v = mem.get(tables.arrayPlace(objects.object(source), from + k));
      r.store(objects.object(o), tables.arrayPlace(objects.object(o), to + k), v);
    }
  }

  private void fillHoles(int o, int from, int to) {
    for (int i = from; i < to; i++) {
      long e = objects.object(o);
      r.overwrite(e, tables.arrayPlace(e, i), TableLayout.HOLE);
    }
  }

  private void putRange(int o, int to, int source, int from, int count) {
    for (int i = 0; i < count; i++) {
      int k = to <= from ? i : count - 1 - i;
      objects.copyIndex(o, to + k, source, from + k);
    }
  }
}
