package dev.gleaner.mark;

import java.util.ArrayList;
import java.util.List;

/**
 * The phases of a collection in slices, one after the other. A slice goes on where the slice before
 * has ended.
 *
 * <pre>
 *   idle --start--> phase 0 --> phase 1 --> ... --> the last one --> idle
 *                      '-- stop, between two slices -->
 * </pre>
 */
public final class Phases {
  private static final int IDLE = -1;

  /** What one phase does. */
  @FunctionalInterface
  public interface Work {
    /**
     * Goes on until all is done, or until the deadline.
     *
     * @param deadline a time of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
     * @return whether all is done
     */
    boolean run(long deadline);
  }

  private record Phase(String name, Work work) {}

  private final List<Phase> phases = new ArrayList<>();
  private int at = IDLE;
  private String longest = "";

  /** Adds a phase after all others. */
  public Phases add(String name, Work work) {
    phases.add(new Phase(name, work));
    return this;
  }

  /** Adds a phase that is no longer than a slice: it is done in one go. */
  public Phases add(String name, Runnable work) {
    return add(
        name,
        _ -> {
          work.run();
          return true;
        });
  }

  /** Starts with the first phase. */
  public void start() {
    at = 0;
  }

  /** Does all phases before the {@code n}-th, unless the collection is there already or idle. */
  public void runTo(int n) {
    while (isIn(n)) {
      boolean done = phases.get(at).work.run(Long.MAX_VALUE);
      assert done;
      at++;
    }
  }

  /** Gives the collection up. */
  public void stop() {
    at = IDLE;
  }

  /** Whether no collection is under way. */
  public boolean isIdle() {
    return at == IDLE;
  }

  /** Whether the phase under way is one of the first {@code n}. */
  public boolean isIn(int n) {
    return at != IDLE && at < n;
  }

  /**
   * Does phases until the deadline; the last one ends the collection. Each phase does some work
   * before it looks at the clock. So a small heap takes no more slices for having many phases.
   *
   * @return whether the collection is over
   */
  public boolean run(long deadline) {
    long begin = System.nanoTime();
    long most = -1;
    while (at != IDLE) {
      Phase phase = phases.get(at);
      boolean done = phase.work.run(deadline);
      long now = System.nanoTime();
      if (now - begin > most) {
        most = now - begin;
        longest = phase.name;
      }
      begin = now;
      if (!done) {
        return false;
      }
      at = at + 1 == phases.size() ? IDLE : at + 1;
    }
    return true;
  }

  /** The name of the phase that the last slice spent most of its time in. */
  public String longest() {
    return longest;
  }
}
