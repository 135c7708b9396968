package dev.gleaner.table;

/**
 * The memory that puts of indexes take which an object does not have, reckoned before the first of
 * them.
 *
 * <pre>
 *   entries   one for each
 *   array     up to the last one that is dense when it is put; where a count may be due, up to the
 *             last one that it may move: below it more than half of all indexes are there
 * </pre>
 *
 * <p>Indexes may be deleted between the puts, so both are what is needed at most.
 */
public final class IndexDemand {
  private final PropertyTables tables;
  private long object;
  private int entries;
  private int dense;
  private int movable;

  /** A count moves no index from here on. */
  private long most;

  public IndexDemand(PropertyTables tables) {
    this.tables = tables;
  }

  /** Begins with an object, to which no more indexes than this are added. */
  public void begin(long o, int more) {
    object = o;
    entries = 0;
    dense = 0;
    movable = 0;
    most = 2L * (tables.indexCount(o) + (long) more) + 2;
  }

  /** Adds an index that is put, in the order in which they are. */
  public void add(int index) {
    entries++;
    if (tables.isDense(object, index, entries)) {
      dense = Math.max(dense, index + 1);
    }
    if (index < most) {
      movable = Math.max(movable, index + 1);
    }
  }

  /** How many entries they take. */
  public int entries() {
    return entries;
  }

  /** The length of the array that they take. */
  public int array() {
    if (entries == 0 || tables.isWeak(object)) {
      return 0;
    }
    return tables.mayCount(object, entries)
        ? Math.max(Math.max(dense, movable), tables.endOfEntries(object, most))
        : dense;
  }
}
