package dev.gleaner.collector.framestack;

/**
 * Decides when records are made as elements that stay, because those before them escaped: an escape
 * that empties the frames of their records costs several times as much (after Harris, "Dynamic
 * adaptive pre-tenuring", ISMM 2000).
 *
 * <pre>
 *   watching   records are young; an escape agrees if it moves half of what was made since the last one
 *      | enough agree, one after the other     ^ the batch is used up, or ended: the next escape shows
 *      v                                       | whether things are still so
 *   a batch    of 16 records; twice as many, up to a limit, each time that an escape agrees again.
 *              They get the generation of what the last one escaped into.
 * </pre>
 *
 * <p>What is made so in vain is garbage of the frame that owns the element escaped into, or of
 * none: no more than a batch for each escape.
 */
final class Pretenuring {
  private static final int FIRST_BATCH = 16;
  private static final int MOST_DOUBLINGS = 16;

  private final int enough;
  private final int largestBatch;
  private int agreeing;
  private int batch;
  private long madeThen;
  private int generation;

  /**
   * Makes one that watches.
   *
   * @param enough how many escapes are to agree, one after the other
   * @param largestBatch in records; 0: all are young
   */
  Pretenuring(int enough, int largestBatch) {
    this.enough = enough;
    this.largestBatch = largestBatch;
  }

  /** Takes a record of the batch; false if the next one is to be young. */
  boolean take() {
    if (batch == 0) {
      return false;
    }
    batch--;
    return true;
  }

  /** The generation of the batch's records. */
  int generation() {
    return generation;
  }

  /**
   * Told of a record that escaped.
   *
   * @param made young records ever made
   * @param moved records moved just now
   * @param to the generation of what it escaped into
   */
  void escaped(long made, long moved, int to) {
    agreeing = 2 * moved >= made - madeThen ? Math.min(agreeing + 1, enough + MOST_DOUBLINGS) : 0;
    madeThen = made;
    generation = to;
    if (agreeing >= enough) {
      batch = Math.min(largestBatch, FIRST_BATCH << (agreeing - enough));
    }
  }

  /** Ends the batch, because its generation may become one that a cycle works on. */
  void end() {
    batch = 0;
  }
}
