package dev.gleaner.lua.random;

import com.sun.management.OperatingSystemMXBean;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Answer;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.GuestException;
import dev.gleaner.lua.HostFunction;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaValue;
import dev.gleaner.lua.memory.JavaHeap;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the programs that cost a host most. A climb begins with a random program, changes the
 * program in small steps, and keeps what does not cost less. What a climb maximises and the
 * collector take turns.
 *
 * <p>Programs follow from the seed. Costs are measured, so that a climb may go another way when run
 * again; the program that a line shows is what to run again.
 */
final class Maximiser {
  /** What is maximised: bytes, or microseconds of the processor. */
  enum Cost {
    /** Bytes on Java's heap that go when the guest is closed. */
    LIVE("memory.max = 1MiB, lua.max-cpu-time = 100ms"),
    /** The most bytes on Java's heap while the guest runs. */
    PEAK("memory.max = 1MiB, lua.max-cpu-time = 100ms"),
    /** What a run takes beyond its limit of time. */
    OVERRUN("memory.max = 8MiB, lua.max-cpu-time = 30ms"),
    /** Bytes of log. */
    LOG("memory.max = 1MiB, lua.max-cpu-time = 50ms"),
    /** The time of closing. */
    CLOSE("memory.max = 8MiB, lua.max-cpu-time = 50ms"),
    /** Bytes on Java's heap that the closed guest left. */
    LEFT("memory.max = 1MiB, lua.max-cpu-time = 100ms");

    final String limits;

    Cost(String limits) {
      this.limits = limits;
    }
  }

  static final List<String> COLLECTORS =
      List.of("marksweep", "refcount", "hybrid", "framestack", "semispace");
  private static final int STEPS = 60;
  private static final long HANG_NANOS = 60_000_000_000L;
  private static final long CPU_LIMIT_MICROS = 30_000;

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final AtomicLong logged = new AtomicLong();
  private final Map<String, Lua> factories = new HashMap<>();
  private volatile long since = Long.MAX_VALUE;
  private volatile String running = "";

  /**
   * Prints a line for each climb: what was maximised, how much, the collector, the program; by
   * tabs. Arguments: the first seed, how many climbs, seconds after which no climb begins.
   */
  public static void main(String... arguments) {
    long first = Long.parseLong(arguments[0]);
    long end = System.nanoTime() + Long.parseLong(arguments[2]) * 1_000_000_000L;
    Maximiser maximiser = new Maximiser();
    maximiser.start();
    for (Cost cost : Cost.values()) { // loads classes
      long _ = maximiser.costs(cost, "marksweep", List.of("K = {} print(1)"));
    }
    long climbs = Long.parseLong(arguments[1]);
    for (long seed = first; seed < first + climbs && System.nanoTime() < end; seed++) {
      maximiser.climb(seed);
    }
    System.exit(0);
  }

  private void start() {
    LogManager.getLogManager().reset();
    Logger root = Logger.getLogger("");
    root.addHandler(
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            logged.addAndGet(new SimpleFormatter().format(entry).length());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        });
    Thread guard = new Thread(this::guard);
    guard.setDaemon(true);
    guard.start();
  }

  /** A guard against programs that nothing ends. */
  private void guard() {
    while (true) {
      if (processNanos() - since > HANG_NANOS) {
        out.println("HANG\t0\t" + running);
        Runtime.getRuntime().halt(1);
      }
      pause();
    }
  }

  private static long processNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private static void pause() {
    try {
      Thread.sleep(1000);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void climb(long seed) {
    WorstLua lua = new WorstLua(seed);
    Cost cost = Cost.values()[(int) (seed % Cost.values().length)];
    String collector = COLLECTORS.get((int) (seed / Cost.values().length % COLLECTORS.size()));
    List<String> best = lua.program();
    // The first run of a shape loads classes.
    long most = Math.min(costs(cost, collector, best), costs(cost, collector, best));
    for (int i = 0; i < STEPS; i++) {
      List<String> next = lua.mutate(best);
      long n = costs(cost, collector, next);
      if (n > most) {
        n = Math.min(n, costs(cost, collector, next)); // not by chance
      }
      if (n >= most) {
        best = next;
        most = n;
      }
    }
    for (int i = best.size() - 1; i >= 0; i--) {
      List<String> less = new ArrayList<>(best);
      less.remove(i);
      long n = costs(cost, collector, less);
      if (n >= most - most / 20) {
        best = less;
        most = n;
      }
    }
    String text = String.join("\n--\n", best).replace("\\", "\\\\").replace("\n", "\\n");
    out.println(cost + "\t" + most + "\t" + collector + "\t" + seed + "\t" + text);
  }

  private long costs(Cost cost, String collector, List<String> program) {
    String text = WorstLua.text(program);
    running = collector + "\t0\t" + text.replace("\n", "\\n");
    since = processNanos();
    try {
      return measure(cost, factory(cost, collector), text);
    } catch (RuntimeException | Error e) {
      out.println("FAULT\t0\t" + running + "\t" + e);
      e.printStackTrace();
      return 0;
    } finally {
      since = Long.MAX_VALUE;
    }
  }

  private Lua factory(Cost cost, String collector) {
    String config = "gleaner { collector = " + collector + ", " + cost.limits + " }";
    return factories.computeIfAbsent(
        config, c -> Lua.of(ConfigFactory.parseString(c).withFallback(ConfigFactory.load())));
  }

  private long measure(Cost cost, Lua lua, String text) {
    long before = cost == Cost.LEFT || cost == Cost.PEAK ? JavaHeap.used() : 0;
    logged.set(0);
    Guest guest = open(lua);
    JavaHeap.@Nullable Peak sampler = cost == Cost.PEAK ? new JavaHeap.Peak() : null;
    long begin = cpuMicros();
    run(guest, text);
    long ran = cpuMicros();
    long with = cost == Cost.LIVE ? JavaHeap.used() : 0;
    long peak = sampler == null ? 0 : sampler.end();
    long close = cpuMicros();
    guest.close();
    guest = null;
    long closed = cpuMicros();
    return switch (cost) {
      case LIVE -> with - JavaHeap.used();
      case PEAK -> peak - before;
      case OVERRUN -> ran - begin - CPU_LIMIT_MICROS;
      case LOG -> logged.get();
      case CLOSE -> closed - close;
      case LEFT -> JavaHeap.used() - before;
    };
  }

  private static Guest open(Lua lua) {
    Guest guest = lua.open(OutputStream.nullOutputStream());
    HostFunction host = arguments -> arguments;
    guest.set("host", host);
    HostFunction call =
        arguments ->
            ((LuaValue) arguments[0]).call(Arrays.copyOfRange(arguments, 1, arguments.length));
    guest.set("call", call);
    guest.setMetatable(Object.class, guest.newTable(), null);
    Object object = new Object();
    guest.define("object", _ -> Answer.results(object));
    return guest;
  }

  private static void run(Guest guest, String text) {
    try {
      @Nullable Object[] _ = guest.run(text.getBytes(StandardCharsets.ISO_8859_1), "=worst");
    } catch (GuestException _) {
      // That is how such programs end.
    }
  }

  private static long cpuMicros() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1000;
  }
}
