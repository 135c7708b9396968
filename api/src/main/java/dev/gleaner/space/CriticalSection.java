package dev.gleaner.space;

/**
 * Changes of several words that are under way. What an Error leaves in the midst of one cannot be
 * trusted: the heap is broken then.
 *
 * <pre>
 *   section.depth++;
 *   … the change, which throws nothing but an Error
 *   section.depth--;
 * </pre>
 *
 * <p>A field, and no methods: the Java stack may end at any call, between the change and its mark
 * too. Sections may be nested. It is for what is rare; a change that is common has an order in
 * which what is left can be used, or is seen to be wrong.
 */
public final class CriticalSection {
  /** How many are under way, one inside of another. */
  public int depth;

  /** Makes one that nothing is in. */
  public CriticalSection() {}

  /**
   * Throws a {@link StackOverflowError} now, before anything is changed, rather than later.
   *
   * @param levels of calls for which there is to be room
   * @return as many
   */
  public static int probeStack(int levels) {
    return levels == 0 ? 0 : probeStack(levels - 1) + 1;
  }
}
