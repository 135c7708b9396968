package dev.gleaner.space;

/**
 * The way of a sweep through the blocks of cells that are not swept yet. The program may go on
 * between two blocks. The sweep goes backwards, as each block goes to its list's head.
 */
final class BlockSweep {
  /** Sweeps one block. */
  interface Work {
    /** Sweeps the block; returns the work done, in units of its own. */
    int sweep(int block);
  }

  private final BlockTable blocks;
  private final Work work;
  private final int most;

  /** Blocks from here on are swept; 0 or less if all are. */
  private int at;

  /**
   * Makes a sweep of nothing.
   *
   * @param most the work between two looks at the clock
   */
  BlockSweep(BlockTable blocks, Work work, int most) {
    this.blocks = blocks;
    this.work = work;
    this.most = most;
  }

  /** Begins with the last block that is marked as not swept. */
  void begin() {
    at = blocks.bound();
  }

  /** Whether a block may be left. */
  boolean isUnderWay() {
    return at > 0;
  }

  /** Sweeps the next block; returns the work done. */
  int next() {
    do {
      at = blocks.before(at);
    } while (at > 0 && !blocks.unswept[at]);
    return at > 0 ? work.sweep(at) : 0;
  }

  /** Sweeps blocks until the deadline, if there is one; returns whether all are swept. */
  boolean until(long deadline) {
    int left = most;
    while (isUnderWay()) {
      left -= next();
      if (left <= 0) {
        if (deadline != Long.MAX_VALUE && System.nanoTime() - deadline >= 0) {
          return !isUnderWay();
        }
        left = most;
      }
    }
    return true;
  }
}
