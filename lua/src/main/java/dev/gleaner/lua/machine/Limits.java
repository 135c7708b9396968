package dev.gleaner.lua.machine;

import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.LuaLimitException.Limit;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Counts instructions exactly, and looks at the clocks and for an interrupt now and then.
 *
 * <p>Instructions take fuel, which is granted in slices. A library function whose work grows with
 * its arguments takes fuel for that, before the work or in pieces. So the clocks are looked at
 * after a bounded amount of work.
 *
 * <p>The processor's time of a thread never runs faster than the clock on the wall. So a look at
 * the processor's time, which is dear, is due only once the wall clock has passed what was left.
 */
public final class Limits {
  private static final int SLICE = 4096;

  /** The instructions that finalizers have at the end. */
  private static final long AT_END = 1_000_000;

  /** The least time between two looks at the processor's time. */
  private static final long CPU_GRAIN = 100_000;

  /** The wall time that closing may take, where its limit is on the processor's time. */
  private static final int WALL = 10;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final long mostNanos;
  private final long mostCpu;
  private final long closeNanos;

  /** What messages tell of the limits that are in force. */
  private String timeText;

  private String cpuText;

  private long bound;

  /** The instructions that were granted in all. */
  private long granted;

  private long left;
  private long deadline;
  private long cpuEnd;
  private long cpuLook;
  private boolean watchesCpu;
  private volatile boolean interrupted;
  private State state;

  /**
   * Limits of a guest.
   *
   * @param steps the most instructions, or 0 for no limit
   * @param nanos the most time, or 0 for no limit
   * @param time the same, as messages have it
   * @param cpuNanos the most time of the processor, or 0 for no limit
   * @param cpuTime the same, as messages have it
   * @param closeNanos the most time that finalizers take when the guest is closed
   */
  @SuppressWarnings("NullAway.Init") // attach comes first
  public Limits(
      long steps, long nanos, String time, long cpuNanos, String cpuTime, long closeNanos) {
    this.mostNanos = nanos;
    this.timeText = time;
    this.bound = steps;
    this.mostCpu = cpuNanos;
    this.cpuText = cpuTime;
    this.closeNanos = closeNanos;
    this.granted = steps == 0 ? Long.MAX_VALUE : steps;
    this.left = granted;
  }

  void attach(State s) {
    state = s;
    s.fuel = 0;
  }

  /** Starts the clocks, once. */
  public void start() {
    if (mostNanos > 0 && deadline == 0) {
      deadline = System.nanoTime() + mostNanos;
    }
    if (mostCpu > 0 && !watchesCpu) {
      cpuEnd = cpuTime() + mostCpu;
      cpuLook = System.nanoTime() + mostCpu;
      watchesCpu = true;
    }
  }

  private static boolean tellsCpuTime() {
    return !Thread.currentThread().isVirtual()
        && THREADS.isCurrentThreadCpuTimeSupported()
        && THREADS.isThreadCpuTimeEnabled();
  }

  private static long cpuTime() {
    if (!tellsCpuTime()) {
      throw new IllegalStateException(
          "gleaner.lua.max-cpu-time: the JVM does not tell the processor's time of this thread ("
              + Thread.currentThread()
              + "); use a platform thread, or max-time");
    }
    return THREADS.getCurrentThreadCpuTime();
  }

  /** Lets finalizers run at the end, with a last slice of instructions and of time. */
  public void close() {
    long steps = steps();
    interrupted = false;
    watchesCpu = tellsCpuTime();
    long now = System.nanoTime();
    deadline = now + closeNanos;
    if (watchesCpu) {
      cpuEnd = cpuTime() + closeNanos;
      cpuLook = now + closeNanos;
      deadline = now + Math.min(closeNanos, Long.MAX_VALUE / (2 * WALL)) * WALL;
    }
    timeText = closeNanos / 1_000_000 + " ms for closing";
    cpuText = timeText;
    bound = AT_END;
    left = AT_END;
    granted = steps + AT_END;
    state.fuel = 0;
  }

  /** Stops the guest, from any thread. */
  public void interrupt() {
    interrupted = true;
  }

  /** {@return the steps that were made} */
  public long steps() {
    return granted - left - Math.max(state.fuel, 0);
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
    long slice = state.hooked ? 1 : Math.min(left, SLICE);
    left -= slice;
    state.fuel = (int) slice - 1;
    if (state.hooked) {
      state.hooks.step();
    }
  }

  private LuaLimitException exhausted() {
    return new LuaLimitException(Limit.INSTRUCTIONS, "instruction limit reached (" + bound + ")");
  }

  void check() {
    if (interrupted) {
      throw new LuaLimitException(Limit.INTERRUPT, "interrupted");
    }
    if (deadline == 0 && !watchesCpu) {
      return;
    }
    long now = System.nanoTime();
    if (deadline != 0 && now - deadline > 0) {
      throw new LuaLimitException(Limit.TIME, "time limit reached (" + timeText + ")");
    }
    if (watchesCpu && now - cpuLook > 0) {
      long rest = cpuEnd - cpuTime();
      if (rest <= 0) {
        throw new LuaLimitException(Limit.TIME, "CPU time limit reached (" + cpuText + ")");
      }
      cpuLook = now + Math.max(rest, CPU_GRAIN);
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
    long more = steps - Math.max(state.fuel, 0);
    state.fuel = 0;
    if (more > left) {
      left = 0;
      throw exhausted();
    }
    left -= more;
    if (!state.hooked && !state.finalizers.areWaiting()) {
      state.fuel = (int) Math.min(left, SLICE);
      left -= state.fuel;
    }
  }
}
