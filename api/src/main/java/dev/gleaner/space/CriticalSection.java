package dev.gleaner.space;

/**
 * Changes of several words that are under way. What an Error leaves in the midst of one cannot be
 * trusted: the heap is broken then.
 *
 * <pre>
 *   section.enter();
 *   … the change, which throws nothing but an Error
 *   section.leave();
 * </pre>
 *
 * <p>Where the Java stack ends at the second call, the heap counts as broken, though the change is
 * whole: a false alarm, and no false trust. {@link #probeStack} before the change makes that
 * unlikely. Sections may be nested. A section is for what is rare; a change that is common has an
 * order in which what is left can be used, or is seen to be wrong.
 */
public final class CriticalSection {
  /** How many are under way, one inside of another. */
  private int depth;

  /** Makes one that nothing is in. */
  public CriticalSection() {}

  /** Begins a change. */
  public void enter() {
    depth++;
  }

  /** Ends a change. */
  public void leave() {
    depth--;
  }

  /** Whether a change is under way, or was when an Error ended it. */
  public boolean isEntered() {
    return depth != 0;
  }

  /** Forgets the changes that are under way: what was to be changed is as it was. */
  public void reset() {
    depth = 0;
  }

  /**
   * Has classes loaded now: to load one within a change takes more of the Java stack than the
   * change. Called where a class that makes changes is initialized.
   *
   * @param classes that the changes use; to name one loads it
   */
  public static void uses(Class<?>... classes) {
    // they are loaded
  }

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
