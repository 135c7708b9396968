package dev.gleaner.lua.machine;

import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.LuaLimitException.Limit;

/** Counts instructions exactly, and looks at the clock and for an interrupt now and then. */
public final class Limits {
  private static final int SLICE = 4096;

  /** What finalizers have at the end, where there are limits. */
  private static final long AT_END = 1_000_000;

  private final long mostSteps;
  private final long mostNanos;
  private final String mostTime;
  private long left;
  private long deadline;
  private volatile boolean interrupted;
  private State state;

  /**
   * Limits of a guest.
   *
   * @param steps the most instructions, or 0 for no limit
   * @param nanos the most time, or 0 for no limit
   * @param time the same, as messages have it
   */
  @SuppressWarnings("NullAway.Init") // attach comes first
  public Limits(long steps, long nanos, String time) {
    this.mostSteps = steps;
    this.mostNanos = nanos;
    this.mostTime = time;
    this.left = steps == 0 ? Long.MAX_VALUE : steps;
  }

  void attach(State s) {
    state = s;
    s.fuel = 0;
  }

  /** Starts the clock, once. */
  public void start() {
    if (mostNanos > 0 && deadline == 0) {
      deadline = System.nanoTime() + mostNanos;
    }
  }

  /** Lets finalizers run at the end, with a last slice of instructions. */
  public void close() {
    interrupted = false;
    deadline = 0;
    if (mostSteps > 0 || mostNanos > 0) {
      left = AT_END;
    }
    state.fuel = 0;
  }

  /** Stops the guest, from any thread. */
  public void interrupt() {
    interrupted = true;
  }

  /** {@return the steps that were made} */
  public long steps() {
    long all = mostSteps == 0 ? Long.MAX_VALUE : mostSteps;
    return all - left - Math.max(state.fuel, 0);
  }

  /** Has the machine look at the limits, and for finalizers, before its next instruction. */
  void interruptSlice() {
    left += Math.max(state.fuel, 0);
    state.fuel = 0;
  }

  /** The instruction that is about to run has no fuel. */
  void refuel() {
    check();
    if (state.finalizers.areWaiting()) {
      state.fuel = 0;
      state.finalizers.callWaiting();
      left += Math.max(state.fuel, 0);
    }
    if (left <= 0) {
      state.fuel = 0;
      throw exhausted();
    }
    long granted = state.hooked ? 1 : Math.min(left, SLICE);
    left -= granted;
    state.fuel = (int) granted - 1;
    if (state.hooked) {
      state.hooks.step();
    }
  }

  private LuaLimitException exhausted() {
    return new LuaLimitException(
        Limit.INSTRUCTIONS, "instruction limit reached (" + mostSteps + ")");
  }

  void check() {
    if (interrupted) {
      throw new LuaLimitException(Limit.INTERRUPT, "interrupted");
    }
    if (deadline != 0 && System.nanoTime() - deadline > 0) {
      throw new LuaLimitException(Limit.TIME, "time limit reached (" + mostTime + ")");
    }
  }

  /** Charges a step for each eight values that an instruction copies. */
  void copies(int values) {
    if (values >= 8) {
      work(values >>> 3);
    }
  }

  /** Charges steps of a library function. */
  void work(long steps) {
    if (steps <= state.fuel) {
      state.fuel -= (int) steps;
      return;
    }
    check();
    long more = steps - state.fuel;
    state.fuel = 0;
    if (more > left) {
      left = 0;
      throw exhausted();
    }
    left -= more;
  }
}
