package dev.gleaner.lua.machine;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.lua.Budget;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.LuaLimitException.Limit;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts instructions exactly, and looks at the clocks and for an interrupt now and then.
 *
 * <p>Instructions take fuel, which is granted in slices. A library function whose work grows with
 * its arguments takes fuel for that, before the work or in pieces. So the clocks are looked at
 * after a bounded amount of work.
 *
 * <p>The processor's time of a thread never runs faster than the clock on the wall. So a look at
 * the processor's time, which is dear, is due only once the wall clock has passed what was left.
 *
 * <pre>
 *   life                      max-… settings; beyond them the guest is dead
 *     '-- call                the outermost call of the host: call-… settings, budget, interrupts
 *           '-- call          a call within a function of the host that has a budget of its own
 * </pre>
 *
 * <p>All limits are kept as ends: a count of instructions, a time. The soonest of each sort is in
 * force. Where the end of a call is reached, the call is ending: it has a grace in place of its
 * limits, in which variables are closed, and the same exception is thrown again at the end of that.
 */
public final class Limits {
  /** Instructions, and steps of other work, between two looks at the clocks: some 30 µs. */
  private static final int SLICE = 2048;

  /** The instructions that finalizers have at the end. */
  private static final long AT_END = 1_000_000;

  /** The instructions that variables have to be closed in when a call is ended. */
  private static final long GRACE = 100_000;

  /** The least time between two looks at the processor's time. */
  private static final long CPU_GRAIN = 100_000;

  /** The wall time that closing may take, where its limit is on the processor's time. */
  private static final int WALL = 10;

  /** The causes of collections that a request for memory wanted which was refused. */
  private static final Set<Cause> REFUSED = EnumSet.of(Cause.EXHAUSTED, Cause.EMERGENCY);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Where a limit ends, and what is told then; the call is null for the guest's life. */
  private record End(long at, @Nullable Call call, String message) {}

  /** A call of the host. */
  static final class Call {
    @Nullable Call outer;
    private @Nullable End steps;
    private @Nullable End time;
    private @Nullable End cpu;

    /** The exception that ends the call, while the call is being left. */
    @Nullable LuaLimitException ending;

    /** The grace is used up, too. */
    boolean over;

    private boolean isLimited() {
      return steps != null || time != null || cpu != null;
    }
  }

  private final Budget life;
  private final Budget ofCalls;
  private final long closeNanos;
  private final long graceNanos;
  private final boolean watchesThread;
  private final HostThread host = new HostThread();
  private final Call outermost = new Call();

  /** The innermost call that has limits of its own; null if the host calls nothing. */
  private @Nullable Call call;

  private @Nullable End lifeSteps;
  private @Nullable End lifeTime;
  private @Nullable End lifeCpu;
  private boolean started;

  /** What is left of the processor's time for the calls of the host. */
  private long cpuLeft;

  private boolean closing;

  /** What is in force. */
  private @Nullable End stepsEnd;

  private @Nullable End timeEnd;
  private @Nullable End cpuEnd;

  /** The instructions that were granted in all, and those of them that are no fuel yet. */
  private long granted;

  private long left;

  /** When the processor's time is looked at next. */
  private long cpuLook;

  private volatile boolean interrupted;
  private @Nullable Runnable watcher;
  private State state;

  /**
   * Limits of a guest.
   *
   * @param life of all that the guest runs
   * @param ofCalls of each call of the host
   * @param close the time that finalizers take when the guest is closed
   * @param grace the time that variables have to be closed in when a call is ended
   * @param watchesThread whether an interrupt of the Java thread ends a call
   */
  @SuppressWarnings("NullAway.Init") // attach comes first
  public Limits(
      Budget life, Budget ofCalls, Duration close, Duration grace, boolean watchesThread) {
    this.life = life;
    this.ofCalls = ofCalls;
    this.closeNanos = close.toNanos();
    this.graceNanos = grace.toNanos();
    this.watchesThread = watchesThread;
    this.cpuLeft = life.cpuTime().toNanos();
    this.granted = life.instructions() == 0 ? Long.MAX_VALUE : life.instructions();
    this.left = granted;
    this.lifeSteps = stepsEnd(life, 0, null);
    this.stepsEnd = lifeSteps;
  }

  void attach(State s) {
    state = s;
    s.fuel = 0;
    s.heap.addListener(
        new HeapListener() {
          @Override
          public void collectionFinished(CollectionEvent event) {
            collected(event);
          }

          @Override
          public boolean mayCollectAgain() {
            return !isDue();
          }

          @Override
          public void searched(long bytes) {
            charge(bytes >>> 4);
          }
        });
  }

  /** A collection took time: the clocks are due. One that a refused request wanted is charged. */
  private void collected(CollectionEvent event) {
    boolean refused = REFUSED.contains(event.cause());
    charge(refused ? BasicLibrary.collectionSteps(event.usedBefore()) : 0);
  }

  /** Charges what an operation does that cannot end here; the next instruction looks at limits. */
  void charge(long steps) {
    interruptSlice();
    left = Math.max(0, left - steps);
  }

  // ---- calls of the host ----

  /**
   * A call of the host begins. The first one starts the clocks of the guest's life.
   *
   * @param budget of this call, besides that of the settings; null for none
   * @return what {@link #end} is given
   * @throws IllegalStateException if the processor's time is limited, and the JVM does not tell it
   */
  Call begin(@Nullable Budget budget) {
    boolean isOutermost = call == null;
    Call c = isOutermost ? outermost : new Call();
    c.ending = null;
    c.over = false;
    if (!started) {
      lifeTime = timeEnd(life, null);
      started = true;
      apply();
    }
    if (isOutermost && !life.cpuTime().isZero() && !closing) {
      lifeCpu = cpuEnd(life, null, cpuLeft); // of the thread that has the guest now
      apply();
    }
    limit(c, budget == null ? Budget.NONE : budget, isOutermost ? ofCalls : Budget.NONE);
    c.outer = call;
    call = c;
    if (c.isLimited()) {
      apply();
    } else if (interrupted || (watchesThread && Thread.currentThread().isInterrupted())) {
      interruptSlice();
    }
    return c;
  }

  private void limit(Call c, Budget own, Budget usual) {
    long made = steps();
    c.steps = sooner(stepsEnd(own, made, c), stepsEnd(usual, made, c));
    c.time = sooner(timeEnd(own, c), timeEnd(usual, c));
    c.cpu =
        sooner(
            cpuEnd(own, c, own.cpuTime().toNanos()), cpuEnd(usual, c, usual.cpuTime().toNanos()));
  }

  private static @Nullable End stepsEnd(Budget b, long made, @Nullable Call c) {
    long most = b.instructions();
    return most == 0
        ? null
        : new End(
            Math.min(made, Long.MAX_VALUE - most) + most,
            c,
            "instruction limit" + of(c) + " reached (" + most + ")");
  }

  private static @Nullable End timeEnd(Budget b, @Nullable Call c) {
    return b.time().isZero()
        ? null
        : new End(
            System.nanoTime() + b.time().toNanos(),
            c,
            "time limit" + of(c) + " reached (" + text(b.time()) + ")");
  }

  private static @Nullable End cpuEnd(Budget b, @Nullable Call c, long left) {
    return b.cpuTime().isZero()
        ? null
        : new End(
            cpuTime() + left, c, "CPU time limit" + of(c) + " reached (" + text(b.cpuTime()) + ")");
  }

  private static String of(@Nullable Call c) {
    return c == null ? "" : " of this call";
  }

  /** A time as messages have it. */
  private static String text(Duration time) {
    long nanos = time.toNanos();
    if (nanos % 1_000_000 != 0) {
      return nanos + " ns";
    }
    long millis = nanos / 1_000_000;
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }

  /** A call of the host ends, however that was. */
  void end(Call c) {
    if (!isUnderWay(c)) {
      return; // the guest was closed meanwhile
    }
    call = c.outer;
    if (call == null && !closing) {
      interrupted = false; // it was for this call
      cpuLeft = lifeCpu == null ? cpuLeft : lifeCpu.at - cpuTime();
    }
    c.ending = null;
    if (c.isLimited()) {
      c.steps = null;
      c.time = null;
      c.cpu = null;
      apply();
    }
  }

  private boolean isUnderWay(Call which) {
    Call c = call;
    while (c != null && !c.equals(which)) {
      c = c.outer;
    }
    return c != null;
  }

  /** The sooner one; the first of two that are at the same time. */
  private static @Nullable End sooner(@Nullable End a, @Nullable End b) {
    return a == null || (b != null && b.at - a.at < 0) ? b : a;
  }

  /**
   * Puts the soonest ends in force. The guest's life comes before a call, an outer before an inner.
   */
  private void apply() {
    long made = steps();
    End steps = null;
    End time = null;
    End cpu = null;
    for (Call c = call; c != null; c = c.outer) {
      steps = sooner(c.steps, steps);
      time = sooner(c.time, time);
      cpu = sooner(c.cpu, cpu);
    }
    stepsEnd = sooner(lifeSteps, steps);
    timeEnd = sooner(lifeTime, time);
    cpuEnd = sooner(lifeCpu, cpu);
    granted = stepsEnd == null ? Long.MAX_VALUE : stepsEnd.at;
    left = granted - made;
    state.fuel = 0;
    if (cpuEnd != null) {
      cpuLook = System.nanoTime() + Math.max(cpuEnd.at - cpuTime(), 0);
    }
  }

  /** Whether this exception ends a call that is under way, so that no script catches it. */
  @SuppressWarnings("ReferenceEquality")
  boolean isEnding(Throwable e) {
    for (Call c = call; c != null; c = c.outer) {
      if (c.ending == e) {
        return true;
      }
    }
    return false;
  }

  /** Whether no variable is closed any more while this exception ends a call. */
  @SuppressWarnings("ReferenceEquality")
  boolean isOver(LuaLimitException e) {
    for (Call c = call; c != null; c = c.outer) {
      if (c.ending == e) {
        return c.over;
      }
    }
    return true;
  }

  /** The exception that ends the outermost of the calls that are ending; null if none is. */
  @Nullable LuaLimitException ending() {
    LuaLimitException found = null;
    for (Call c = call; c != null; c = c.outer) {
      found = c.ending == null ? found : c.ending;
    }
    return found;
  }

  /** How many ends and ends of a grace were reached in calls that are under way. */
  int reached() {
    int n = 0;
    for (Call c = call; c != null; c = c.outer) {
      n += c.ending == null ? 0 : c.over ? 2 : 1;
    }
    return n;
  }

  /** A limit is reached: of life, or of a call, which has its grace then, and none after that. */
  private LuaLimitException reach(
      @Nullable Call c, Limit limit, String text, @Nullable Throwable cause) {
    if (c == null) {
      return new LuaLimitException(limit, text);
    }
    LuaLimitException e = c.ending;
    long made = steps();
    if (e == null) {
      e = new LuaLimitException(limit, text, true, cause);
      c.ending = e;
      c.steps = new End(made + GRACE, c, text);
      c.cpu = tellsCpuTime() ? new End(cpuTime() + graceNanos, c, text) : null;
      c.time = new End(System.nanoTime() + wall(graceNanos, c.cpu != null), c, text);
    } else {
      c.over = true;
      c.steps = new End(made, c, text);
    }
    apply();
    return e;
  }

  // ---- clocks ----

  private static boolean tellsCpuTime() {
    return !Thread.currentThread().isVirtual()
        && THREADS.isCurrentThreadCpuTimeSupported()
        && THREADS.isThreadCpuTimeEnabled();
  }

  private static long cpuTime() {
    if (!tellsCpuTime()) {
      throw new IllegalStateException(
          "gleaner.lua.max-cpu-time, gleaner.lua.call-cpu-time, or the CPU time of a Budget: the"
              + " JVM does not tell the processor's time of this thread ("
              + Thread.currentThread()
              + "); use a platform thread, or a limit on time");
    }
    return THREADS.getCurrentThreadCpuTime();
  }

  /** Time by the clock, which is ten times as long where the processor's time is limited, too. */
  private static long wall(long nanos, boolean cpu) {
    return cpu ? Math.min(nanos, Long.MAX_VALUE / (4 * WALL)) * WALL : nanos;
  }

  /** Lets finalizers run at the end, with a last slice of instructions and of time. */
  public void close() {
    long steps = steps();
    closing = true;
    call = null;
    interrupted = false;
    String text = closeNanos / 1_000_000 + " ms for closing";
    lifeSteps = new End(steps + AT_END, null, "instruction limit reached (" + AT_END + ")");
    lifeCpu =
        tellsCpuTime()
            ? new End(cpuTime() + closeNanos, null, "CPU time limit reached (" + text + ")")
            : null;
    lifeTime =
        new End(
            System.nanoTime() + wall(closeNanos, lifeCpu != null),
            null,
            "time limit reached (" + text + ")");
    apply();
  }

  // ---- interrupts ----

  /** Ends the call that runs, or else the next one, from any thread. */
  public void interrupt() {
    interrupted = true;
    host.interrupt();
  }

  /** Whether there was an interrupt of the guest, not of its thread, that has ended no call. */
  boolean isInterrupted() {
    return interrupted;
  }

  /** {@return whether there was an interrupt that has ended no call, which is forgotten} */
  public boolean clearInterrupt() {
    boolean was = interrupted;
    interrupted = false;
    return was;
  }

  /**
   * Ends the call if there was an interrupt.
   *
   * @param cause what a function of the host threw then; null if there is none
   */
  void checkInterrupt(@Nullable Throwable cause) {
    if (isInterruptDue()) {
      interrupted &= closing;
      throw reach(closing ? null : outermost, Limit.INTERRUPT, "interrupted", cause);
    }
  }

  private boolean isInterruptDue() {
    // The flag of the thread stays set, and is told once.
    return closing
        ? interrupted
        : call != null
            && (interrupted
                || (watchesThread
                    && outermost.ending == null
                    && Thread.currentThread().isInterrupted()));
  }

  /** A function of the host begins. */
  void enterHost() {
    host.enter(Thread.currentThread());
    if (interrupted) {
      boolean _ = leaveHost();
      checkInterrupt(null);
    }
  }

  /** A call of the guest ends within a function of the host. */
  void returnToHost() {
    host.enter(Thread.currentThread());
  }

  /** A function of the host ends, or calls the guest; whether one ran. */
  boolean leaveHost() {
    return host.leave(Thread.currentThread());
  }

  // ---- instructions ----

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
    if (callsFinalizers()) {
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

  /** Finalizers wait while a call is ended. */
  private boolean callsFinalizers() {
    return state.finalizers.areWaiting() && ending() == null;
  }

  private LuaLimitException exhausted() {
    return reach(stepsEnd, Limit.INSTRUCTIONS);
  }

  private LuaLimitException reach(@Nullable End end, Limit limit) {
    return end == null
        ? reach(null, limit, "limit reached", null)
        : reach(end.call, limit, end.message, null);
  }

  /** Has each look at the clocks told, for measurements. */
  public void watch(Runnable looks) {
    watcher = looks;
  }

  void check() {
    if (watcher != null) {
      watcher.run();
    }
    checkInterrupt(null);
    End end = timeOver();
    if (end != null) {
      throw reach(end, Limit.TIME);
    }
  }

  /** The limit on time that is reached; null if none is. */
  private @Nullable End timeOver() {
    if (timeEnd == null && cpuEnd == null) {
      return null;
    }
    long now = System.nanoTime();
    if (timeEnd != null && now - timeEnd.at > 0) {
      return timeEnd;
    }
    if (cpuEnd != null && now - cpuLook > 0) {
      long rest = cpuEnd.at - cpuTime();
      if (rest <= 0) {
        return cpuEnd;
      }
      cpuLook = now + Math.max(rest, CPU_GRAIN);
    }
    return null;
  }

  /** Whether a limit is reached, or an interrupt has come, which the next instruction tells. */
  private boolean isDue() {
    if (watcher != null) {
      watcher.run();
    }
    return left <= 0 || isInterruptDue() || timeOver() != null;
  }

  /** Charges a step for each eight values that an instruction copies. */
  void copies(int values) {
    if (values >= 8) {
      work(values >>> 3);
    }
  }

  /** Charges steps of a library function; where they are many, the next instruction looks, too. */
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
    if (more < SLICE && !state.hooked && !callsFinalizers()) {
      state.fuel = (int) Math.min(left, SLICE);
      left -= state.fuel;
    }
  }
}
