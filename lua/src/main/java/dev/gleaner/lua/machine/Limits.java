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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts instructions exactly, and checks the clocks and the interrupt at intervals.
 *
 * <p>Instructions take fuel, and fuel comes in slices. The work of some library functions grows
 * with their arguments; such a function takes fuel for its work, before the work or in pieces. So
 * the work between two checks of the clocks is bounded.
 *
 * <p>A look at a thread's processor time is expensive. Processor time never runs faster than the
 * wall clock. So the next look is due when the wall clock has passed the time that was left.
 *
 * <pre>
 *   life                      max-… settings; beyond them the guest is dead
 *     '-- call                the outermost call of the host: call-… settings, budget, interrupts
 *           '-- call          a call within a function of the host that has a budget of its own
 * </pre>
 *
 * <p>Each limit is kept as an end: a count of instructions, or a time. The soonest end of each sort
 * is in force. A call that reaches its end is ending: a grace replaces the limits of the call, and
 * lets the call close variables. At the end of the grace the same exception is thrown again.
 */
public final class Limits {
  /** Instructions and steps of other work between two checks of the clocks: some 30 µs. */
  private static final int SLICE = 2048;

  /** The instructions for finalizers when the guest closes. */
  private static final long AT_END = 1_000_000;

  /** The instructions for closing variables when a limit ends a call. */
  private static final long GRACE = 100_000;

  /** The least time between two looks at the processor time, in nanoseconds. */
  private static final long CPU_GRAIN = 100_000;

  /** The wall time for closing, as a multiple of the processor time. */
  private static final int WALL = 10;

  /** The steps of a collection of an empty heap. */
  private static final int COLLECTION = 256;

  /** The bytes that a collection handles in the time of a step. */
  private static final int BYTES_PER_STEP = 64;

  /** The causes of collections after a refused request for memory. */
  private static final Set<Cause> REFUSED = EnumSet.of(Cause.EXHAUSTED, Cause.EMERGENCY);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** The end of a limit, with the message. The call is null for a limit of the guest's life. */
  private record End(long at, @Nullable Call call, String message) {}

  /** A call of the host. */
  static final class Call {
    @Nullable Call outer;
    private @Nullable End steps;
    private @Nullable End time;
    private @Nullable End cpu;

    /** The exception that ends the call, while the call is being left. */
    @Nullable LuaLimitException ending;

    /** Whether the grace is used up, too. */
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

  /** The innermost call with limits of its own; null if no call is under way. */
  private @Nullable Call call;

  private @Nullable End lifeSteps;
  private @Nullable End lifeTime;
  private @Nullable End lifeCpu;
  private boolean started;

  /** The processor time that is left for calls of the host. */
  private long cpuLeft;

  private boolean closing;

  /** The ends in force. */
  private @Nullable End stepsEnd;

  private @Nullable End timeEnd;
  private @Nullable End cpuEnd;

  /** All instructions that were granted, and the part that is no fuel yet. */
  private long granted;

  private long left;

  /** The time of the next look at the processor time. */
  private long cpuLook;

  private volatile boolean interrupted;
  private @Nullable Runnable watcher;
  private BooleanSupplier finalizersWait = () -> false;
  private Runnable finalizers = () -> {};
  private Runnable step = () -> {};
  private State state;

  /**
   * Makes the limits of a guest.
   *
   * @param life the limits on all calls together
   * @param ofCalls the limits on each call of the host
   * @param close the time for finalizers when the guest closes
   * @param grace the time for closing variables when a limit ends a call
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

  /**
   * Sets what runs between two instructions.
   *
   * @param wait whether finalizers wait
   * @param waiting calls the finalizers that wait
   * @param hooks runs before each instruction if there are hooks
   */
  void between(BooleanSupplier wait, Runnable waiting, Runnable hooks) {
    finalizersWait = wait;
    finalizers = waiting;
    step = hooks;
  }

  /** Makes a check of the clocks due. Charges a collection after a refused request. */
  private void collected(CollectionEvent event) {
    boolean refused = REFUSED.contains(event.cause());
    charge(refused ? collectionSteps(event.usedBefore()) : 0);
  }

  /** Returns the steps of a collection of a heap, by the bytes in use. */
  static long collectionSteps(long used) {
    return COLLECTION + used / BYTES_PER_STEP;
  }

  /** Charges an operation that must not throw here. The next instruction checks the limits. */
  void charge(long steps) {
    interruptSlice();
    left = Math.max(0, left - steps);
  }

  // ---- calls of the host ----

  /**
   * Begins a call of the host. The first call starts the clocks of the guest's life.
   *
   * @param budget the budget of this call, besides the settings; null for none
   * @return the call, for {@link #end}
   * @throws IllegalStateException if processor time is limited, and the JVM does not measure it
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
      lifeCpu = cpuEnd(life, null, cpuLeft); // of the thread that uses the guest now
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

  /** Returns a time as messages show it. */
  private static String text(Duration time) {
    long nanos = time.toNanos();
    if (nanos % 1_000_000 != 0) {
      return nanos + " ns";
    }
    long millis = nanos / 1_000_000;
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }

  /** Ends a call of the host, after a return or an exception. */
  void end(Call c) {
    if (!isUnderWay(c)) {
      return; // the guest was closed meanwhile
    }
    call = c.outer;
    if (call == null && !closing) {
      interrupted = false; // the interrupt was for this call
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

  /** Returns the sooner end. If both are equal, returns the first. */
  private static @Nullable End sooner(@Nullable End a, @Nullable End b) {
    return a == null || (b != null && b.at - a.at < 0) ? b : a;
  }

  /**
   * Puts the soonest ends in force. Among equal ends, the guest's life comes before calls, and
   * outer calls before inner calls.
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

  /** Returns whether this exception ends a call under way. No script catches such an exception. */
  @SuppressWarnings("ReferenceEquality")
  boolean isEnding(Throwable e) {
    for (Call c = call; c != null; c = c.outer) {
      if (c.ending == e) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether this exception's grace is used up, so that variables stay open. */
  @SuppressWarnings("ReferenceEquality")
  boolean isOver(LuaLimitException e) {
    for (Call c = call; c != null; c = c.outer) {
      if (c.ending == e) {
        return c.over;
      }
    }
    return true;
  }

  /** Returns the exception of the outermost ending call; null if no call is ending. */
  @Nullable LuaLimitException ending() {
    LuaLimitException found = null;
    for (Call c = call; c != null; c = c.outer) {
      found = c.ending == null ? found : c.ending;
    }
    return found;
  }

  /** Returns how many limits and graces were used up, in all calls under way. */
  int reached() {
    int n = 0;
    for (Call c = call; c != null; c = c.outer) {
      n += c.ending == null ? 0 : c.over ? 2 : 1;
    }
    return n;
  }

  /**
   * Returns the exception for a limit. A call's first limit begins the grace, the second ends it.
   */
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

  /** Returns a wall time for closing: ten times as long if processor time is limited, too. */
  private static long wall(long nanos, boolean cpu) {
    return cpu ? Math.min(nanos, Long.MAX_VALUE / (4 * WALL)) * WALL : nanos;
  }

  /** Begins the close of the guest: finalizers get their own instructions and time. */
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

  /** Ends the running call, or else the next call. Any thread may call this. */
  public void interrupt() {
    interrupted = true;
    host.interrupt();
  }

  /** Returns whether an interrupt of the guest waits. An interrupt of the thread does not count. */
  boolean isInterrupted() {
    return interrupted;
  }

  /**
   * Forgets an interrupt that has ended no call.
   *
   * @return whether there was one
   */
  public boolean clearInterrupt() {
    boolean was = interrupted;
    interrupted = false;
    return was;
  }

  /**
   * Throws if an interrupt waits.
   *
   * @param cause the exception of a function of the host; null if there is none
   */
  void checkInterrupt(@Nullable Throwable cause) {
    if (isInterruptDue()) {
      interrupted &= closing;
      throw reach(closing ? null : outermost, Limit.INTERRUPT, "interrupted", cause);
    }
  }

  private boolean isInterruptDue() {
    // The flag of the thread stays set, and ends a call once.
    return closing
        ? interrupted
        : call != null
            && (interrupted
                || (watchesThread
                    && outermost.ending == null
                    && Thread.currentThread().isInterrupted()));
  }

  /** Begins a function of the host. */
  void enterHost() {
    host.enter(Thread.currentThread());
    if (interrupted) {
      boolean _ = leaveHost();
      checkInterrupt(null);
    }
  }

  /** Returns from the guest to a function of the host. */
  void returnToHost() {
    host.enter(Thread.currentThread());
  }

  /** Ends a function of the host, or leaves it for a call of the guest. Returns whether one ran. */
  boolean leaveHost() {
    return host.leave(Thread.currentThread());
  }

  // ---- instructions ----

  /** {@return the number of steps so far} */
  public long steps() {
    return granted - left - Math.max(state.fuel, 0);
  }

  /** Makes the machine check limits and finalizers before the next instruction. */
  void interruptSlice() {
    left += Math.max(state.fuel, 0);
    state.fuel = 0;
  }

  /** Gets fuel for the next instruction. */
  void refuel() {
    check();
    if (callsFinalizers()) {
      state.fuel = 0;
      finalizers.run();
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
      step.run();
    }
  }

  /** Finalizers wait while a call is ending. */
  private boolean callsFinalizers() {
    return finalizersWait.getAsBoolean() && ending() == null;
  }

  private LuaLimitException exhausted() {
    return reach(stepsEnd, Limit.INSTRUCTIONS);
  }

  private LuaLimitException reach(@Nullable End end, Limit limit) {
    return end == null
        ? reach(null, limit, "limit reached", null)
        : reach(end.call, limit, end.message, null);
  }

  /** Runs code at each check of the clocks, for measurements. */
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

  /** Returns the time limit that is reached; null if none is. */
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

  /** Returns whether the next instruction will throw, for a limit or an interrupt. */
  private boolean isDue() {
    if (watcher != null) {
      watcher.run();
    }
    return left <= 0 || isInterruptDue() || timeOver() != null;
  }

  /** Charges a step for every eight values that an instruction copies. */
  void copies(int values) {
    if (values >= 8) {
      work(values >>> 3);
    }
  }

  /** Charges steps of a library function. After many, the next instruction checks limits, too. */
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
