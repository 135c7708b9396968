package dev.gleaner.layout;

/**
 * Watches the blocks of one element, for who scans them in parts: whether one was replaced, or
 * freed, since. The heap tells of every block that it replaces or frees.
 *
 * <p>The place of a block is not enough to know it by: a new one may lie where the old one lay.
 */
public final class BlockWatch {
  private long element;
  private boolean changed;

  /** Watches nothing yet. */
  public BlockWatch() {}

  /**
   * Watches the blocks of an element from now on; forgets what was watched before.
   *
   * @param watched the element's offset, 0 for none
   */
  public void watch(long watched) {
    element = watched;
    changed = false;
  }

  /**
   * A block of an element was replaced or freed.
   *
   * @param of the element's offset
   */
  public void changed(long of) {
    if (of == element) {
      changed = true;
    }
  }

  /** {@return whether that happened to the element that is watched} */
  public boolean hasChanged() {
    return changed;
  }
}
