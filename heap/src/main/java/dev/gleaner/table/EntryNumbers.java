package dev.gleaner.table;

import static dev.gleaner.layout.TableLayout.entryAt;
import static dev.gleaner.layout.TableLayout.low;

import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;

/**
 * The numbers of entries. By these numbers a walk over properties survives the rebuild of a table.
 *
 * <p>Entries are numbered in the order of insertion. A rebuild drops the gaps of deleted entries,
 * so entries move, but keep their numbers. Consecutive numbers form a run:
 *
 * <pre>
 *   runs | first entry, its number | first entry, its number | …      64 bits each, at the table's end
 *
 *   entries before the first run have their index as number; the last run has no end
 * </pre>
 *
 * <p>Invariants: entries and numbers of runs increase. No number is used twice, so a cursor is
 * valid as long as its object.
 *
 * <p>A table without walks needs no runs: a rebuild numbers its entries from 0 on again. A table
 * without gaps needs no runs either. In the worst case every second entry is deleted: then a run
 * takes 16 bytes of the 32 of an entry and its gap. 63 bits last 292 years at one number a
 * nanosecond.
 *
 * <p>A search first tries the run that the last search found, and the run behind it. So a step of a
 * walk takes constant time. Other searches are binary.
 */
final class EntryNumbers {
  private static final long RUN = 16;

  private final Memory memory;

  /** The run that the last search found, in any table: a hint for the next search. */
  private int hint;

  EntryNumbers(Memory memory) {
    this.memory = memory;
  }

  /** Returns the bytes of a number of runs. */
  static long bytes(int runs) {
    return runs == 0 ? 0 : 8 + runs * RUN;
  }

  /** Returns the number of runs of a table. */
  int runs(long table) {
    return (memory.get(table + TableLayout.HASH) & TableLayout.NUMBERED) == 0
        ? 0
        : (int) memory.get(TableLayout.numbersAt(memory, table));
  }

  /** Returns the number of an entry, or of the next entry to be inserted. */
  long number(long table, int entry) {
    int runs = runs(table);
    if (runs == 0) {
      return entry;
    }
    long first = TableLayout.numbersAt(memory, table) + 8;
    int run = find(first, 0, runs, entry);
    return run < 0
        ? entry
        : memory.get(first + run * RUN + 8) + entry - memory.get(first + run * RUN);
  }

  /** Returns the first entry whose number is not below a number: a used entry, or the end. */
  int entry(long table, long number) {
    int used = low(memory.get(table + TableLayout.ENTRIES));
    int runs = runs(table);
    if (runs == 0) {
      return (int) Math.min(number, used);
    }
    long first = TableLayout.numbersAt(memory, table) + 8;
    int run = find(first, 8, runs, number);
    long end = run + 1 < runs ? memory.get(first + (run + 1) * RUN) : used;
    return (int)
        Math.min(
            end,
            run < 0
                ? number
                : number - memory.get(first + run * RUN + 8) + memory.get(first + run * RUN));
  }

  /** Returns the last run whose field at {@code at} is at most a number; -1 if there is none. */
  private int find(long first, int at, int runs, long wanted) {
    for (int run = hint; run < Math.min(runs, hint + 2); run++) {
      if (memory.get(first + run * RUN + at) <= wanted
          && (run + 1 == runs || memory.get(first + (run + 1) * RUN + at) > wanted)) {
        hint = run;
        return run;
      }
    }
    int low = 0;
    int high = runs;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (memory.get(first + middle * RUN + at) <= wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    hint = Math.max(0, low - 1);
    return low - 1;
  }

  /** Returns the number of runs of a table after a rebuild. */
  int runsWithoutGaps(long table) {
    return rebuilt(table, 0);
  }

  /** Writes the runs of a fresh table, which has the kept entries of the old table. */
  void write(long table, long fresh) {
    long at = TableLayout.numbersAt(memory, fresh);
    memory.put(at, rebuilt(table, at + 8));
  }

  /** Writes the runs of a table. */
  void write(long table, TableImage.Sink sink) {
    int runs = runs(table);
    long first = TableLayout.numbersAt(memory, table) + 8;
    for (int run = 0; run < runs; run++) {
      sink.number(memory.get(first + run * RUN));
      sink.number(memory.get(first + run * RUN + 8));
    }
  }

  /** Sets a run of a table from an image. */
  void restore(long table, int run, int first, long number) {
    long at = TableLayout.numbersAt(memory, table) + 8 + run * RUN;
    memory.put(at, first);
    memory.put(at + 8, number);
  }

  /** Sets the number of runs of a table from an image. */
  void restored(long table, int runs) {
    memory.put(TableLayout.numbersAt(memory, table), runs);
  }

  /** Returns the number of runs without gaps, and writes the runs unless the place is 0. */
  private int rebuilt(long table, long at) {
    long hash = memory.get(table + TableLayout.HASH);
    int used = low(memory.get(table + TableLayout.ENTRIES));
    if ((hash & TableLayout.WALKED) == 0
        || (used == low(hash) && (hash & TableLayout.NUMBERED) == 0)) {
      return 0;
    }
    int runs = 0;
    int kept = 0;
    long next = 0;
    for (int e = 0; e <= used; e++) {
      if (e == used || isKept(entryAt(table, e))) {
        long number = number(table, e);
        if (number != next) {
          if (at != 0) {
            memory.put(at + runs * RUN, kept);
            memory.put(at + runs * RUN + 8, number);
          }
          runs++;
        }
        kept++;
        next = number + 1;
      }
    }
    return runs;
  }

  /** Whether an entry is no gap: it is not deleted, or its key is kept. */
  boolean isKept(long entry) {
    return !TableLayout.isDeleted(memory.get(entry))
        || memory.get(entry + TableLayout.VALUE) != Values.UNDEFINED;
  }
}
