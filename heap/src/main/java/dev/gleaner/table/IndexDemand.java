package dev.gleaner.table;

/**
 * The extra memory that several puts of indexes need, computed before the first put.
 *
 * <pre>
 *   entries   one entry for each index
 *   array     up to the last index that is dense at its put; if a count may be due, up to the last
 *             index that the count may move: more than half of all indexes below are present
 * </pre>
 *
 * <p>Indexes may be deleted between the puts, so both figures are upper bounds.
 */
public final class IndexDemand {
  private final PropertyTables tables;
  private long object;
  private int entries;
  private int dense;
  private int movable;

  /** A count moves only indexes below this one. */
  private long most;

  public IndexDemand(PropertyTables tables) {
    this.tables = tables;
  }

  /** Begins with an object that gets at most a number of indexes. */
  public void begin(long o, int more) {
    object = o;
    entries = 0;
    dense = 0;
    movable = 0;
    most = 2L * (tables.indexCount(o) + (long) more) + 2;
  }

  /** Adds an index; the indexes come in the order of the puts. */
  public void add(int index) {
    entries++;
    if (tables.isDense(object, index, entries)) {
      dense = Math.max(dense, index + 1);
    }
    if (index < most) {
      movable = Math.max(movable, index + 1);
    }
  }

  /** Returns the number of entries that the puts need. */
  public int entries() {
    return entries;
  }

  /** Returns the length of the array that the puts need. */
  public int array() {
    if (entries == 0 || tables.isWeak(object)) {
      return 0;
    }
    return tables.mayCount(object, entries)
        ? Math.max(Math.max(dense, movable), tables.endOfEntries(object, most))
        : dense;
  }
}
