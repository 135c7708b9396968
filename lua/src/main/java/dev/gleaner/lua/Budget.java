package dev.gleaner.lua;

import java.time.Duration;
import java.util.Objects;

/**
 * What one call of the host may take. When a budget is used up the call ends by a {@link
 * LuaLimitException}, and the guest can be used again.
 *
 * <pre>{@code
 * Budget budget = Budget.ofInstructions(1_000_000).withTime(Duration.ofMillis(50));
 * Object[] results = guest.run(script, budget, argument);
 * }</pre>
 *
 * <p>A call within a function of the host has the smaller one of its own budget and what is left of
 * the outer call's.
 */
public final class Budget {
  /** No limit but those of the outer call, the settings and the guest's life. */
  public static final Budget NONE = new Budget(0, Duration.ZERO, Duration.ZERO);

  private static final Duration MOST = Duration.ofNanos(Long.MAX_VALUE / 4);

  private final long instructions;
  private final Duration time;
  private final Duration cpuTime;

  private Budget(long instructions, Duration time, Duration cpuTime) {
    this.instructions = instructions;
    this.time = time;
    this.cpuTime = cpuTime;
  }

  /**
   * {@return a budget of instructions, the steps of library functions included}
   *
   * @param most at least 1
   * @throws IllegalArgumentException if it is less
   */
  public static Budget ofInstructions(long most) {
    return NONE.withInstructions(most);
  }

  /**
   * {@return a budget of time by the clock}
   *
   * @param most more than zero
   * @throws IllegalArgumentException if it is not
   */
  public static Budget ofTime(Duration most) {
    return NONE.withTime(most);
  }

  /**
   * {@return a budget of the processor's time, which the JVM tells of platform threads only}
   *
   * @param most more than zero
   * @throws IllegalArgumentException if it is not
   */
  public static Budget ofCpuTime(Duration most) {
    return NONE.withCpuTime(most);
  }

  /**
   * {@return this budget with a limit on instructions}
   *
   * @param most at least 1
   * @throws IllegalArgumentException if it is less
   */
  public Budget withInstructions(long most) {
    if (most < 1) {
      throw new IllegalArgumentException("a budget of " + most + " instructions: 1 at least");
    }
    return new Budget(most, time, cpuTime);
  }

  /**
   * {@return this budget with a limit on time by the clock}
   *
   * @param most more than zero
   * @throws IllegalArgumentException if it is not
   */
  public Budget withTime(Duration most) {
    return new Budget(instructions, checked(most, "time"), cpuTime);
  }

  /**
   * {@return this budget with a limit on the processor's time}
   *
   * @param most more than zero
   * @throws IllegalArgumentException if it is not
   */
  public Budget withCpuTime(Duration most) {
    return new Budget(instructions, time, checked(most, "CPU time"));
  }

  private static Duration checked(Duration most, String what) {
    Objects.requireNonNull(most, what);
    if (most.isNegative() || most.isZero()) {
      throw new IllegalArgumentException(
          "a budget of " + most + " of " + what + ": more than zero is needed");
    }
    return most.compareTo(MOST) > 0 ? MOST : most;
  }

  /** {@return the most instructions; 0 for no limit} */
  public long instructions() {
    return instructions;
  }

  /** {@return the most time by the clock; zero for no limit} */
  public Duration time() {
    return time;
  }

  /** {@return the most time of the processor; zero for no limit} */
  public Duration cpuTime() {
    return cpuTime;
  }

  /** {@return the limits, as messages have them} */
  @Override
  public String toString() {
    return "Budget[instructions=" + instructions + ", time=" + time + ", cpuTime=" + cpuTime + "]";
  }
}
