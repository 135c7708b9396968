package dev.gleaner.lua;

import com.typesafe.config.ConfigFactory;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Measures how long a guest goes on between two looks at its clocks: each library function with the
 * largest arguments that fit, and instructions that do much at once.
 *
 * <pre>
 *   hostile/large.lua    values by names, functions of all libraries as they are registered, and
 *                        instructions; a call is made of these by dice
 *   prepare              the values of a call are made: not measured
 *   measure              the call; its longest time and work between two looks
 * </pre>
 */
final class Overruns {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** After so much time of the processor a call is interrupted, in nanoseconds. */
  private static final long PATIENCE = 300_000_000;

  private static final int REPEATED = 4;

  /**
   * What a call did.
   *
   * @param name of the function or instruction
   * @param call the text
   * @param gap the longest time of the processor between two looks, in nanoseconds
   * @param work the most instructions that were charged between two looks
   * @param nanos the time of the processor
   * @param steps the instructions that were charged
   */
  record Figures(String name, String call, long gap, long work, long nanos, long steps) {
    @Override
    public String toString() {
      return "%7.2f ms, work %8d; all %7.1f ms, %9d instructions, %5d ns each: %s"
          .formatted(gap / 1e6, work, nanos / 1e6, steps, nanos / Math.max(1, steps), call);
    }
  }

  private final String settings;
  private final long size;
  private final List<String> values;
  private final List<String> functions;
  private final List<String> instructions;
  private Guest guest;
  private long began;
  private long last;
  private long lastSteps;
  private long gap;
  private long work;

  /**
   * A sweep.
   *
   * @param mebibytes the guest's limit; the longest values have a quarter of it
   */
  Overruns(String collector, int mebibytes) {
    this.settings = "gleaner { collector = " + collector + ", memory.max = " + mebibytes + "MiB }";
    this.size = (long) mebibytes << 18;
    this.guest = open();
    this.values = lines("return values()");
    this.functions = lines("return functions()");
    this.instructions = lines("return instructions()");
  }

  private Guest open() {
    Guest g =
        Lua.of(ConfigFactory.parseString(settings))
            .openTrusted(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream());
    g.run(Oracle.resource(Overruns.class, "/hostile/large.lua"), size);
    return g;
  }

  private List<String> lines(String script) {
    return String.valueOf(guest.run(script)[0]).lines().toList();
  }

  /** All functions that a guest reaches by a name, in order. */
  List<String> functions() {
    return functions;
  }

  /** Instructions that do much at once, by their names. */
  List<String> instructions() {
    return instructions;
  }

  private void look() {
    long now = THREADS.getCurrentThreadCpuTime();
    long steps = guest.instructions();
    gap = Math.max(gap, now - last);
    work = Math.max(work, steps - lastSteps);
    lastSteps = steps;
    if (now - began > PATIENCE) {
      guest.interrupt();
    }
    last = THREADS.getCurrentThreadCpuTime();
  }

  /** A call of a function or instruction with some of the values. */
  Figures measure(String name, Random random) {
    List<String> arguments = new ArrayList<>();
    for (int n = random.nextInt(1, 5); n > 0; n--) {
      arguments.add(values.get(random.nextInt(values.size())));
    }
    return measure(name, arguments);
  }

  private Figures measure(String name, List<String> arguments) {
    String list = String.join(", ", arguments);
    Figures f = new Figures(name, name + "(" + list + ")", 0, 0, 0, 0);
    boolean isGone;
    try {
      isGone = run("prepare(" + list + ")");
    } catch (LuaException e) {
      return f; // the values do not fit together
    }
    began = THREADS.getCurrentThreadCpuTime();
    last = began;
    lastSteps = guest.instructions();
    long before = lastSteps;
    gap = 0;
    work = 0;
    guest.limits().watch(this::look);
    try {
      isGone |= run("perform('" + name + "')");
    } catch (LuaException e) {
      // What it does does not matter.
    }
    look();
    guest.limits().watch(() -> {});
    f = new Figures(name, f.call, gap, work, last - began, guest.instructions() - before);
    if (isGone) {
      renew();
    }
    return f;
  }

  private boolean run(String script) {
    try {
      var _ = guest.run(script.getBytes(StandardCharsets.ISO_8859_1), "=x");
      return false;
    } catch (LuaLimitException | LuaMemoryException e) {
      return true;
    }
  }

  /** What a call left lives no longer. */
  void renew() {
    guest.close();
    guest = open();
  }

  /** Arguments: collector, MiB, seconds, seed, part of the names of functions. */
  public static void main(String[] args) {
    Overruns o = new Overruns(args[0], Integer.parseInt(args[1]));
    long until = System.nanoTime() + Long.parseLong(args[2]) * 1_000_000_000;
    List<String> names = new ArrayList<>(o.functions);
    names.addAll(o.instructions);
    names.removeIf(f -> args.length > 4 && !f.contains(args[4]));
    Map<String, Figures> longest = new TreeMap<>();
    List<Figures> dear = new ArrayList<>();
    int calls = 0;
    for (long seed = Long.parseLong(args[3]); System.nanoTime() < until; calls++) {
      String name = names.get(calls % names.size());
      long dice = seed * 1_000_003 + calls;
      Figures best = o.measure(name, new Random(dice));
      for (int i = 0; i < REPEATED && best.gap > 500_000; i++) {
        Figures again = o.measure(name, new Random(dice)); // warm by now
        best = again.gap < best.gap ? again : best;
      }
      Figures known = longest.get(name);
      if (known == null || known.gap < best.gap) {
        longest.put(name, best);
      }
      if (best.nanos > 2_000_000) {
        dear.add(best);
      }
    }
    System.out.println(calls + " calls of " + names.size() + ", the longest between two looks");
    print(longest.values(), Comparator.comparingLong(Figures::gap), 60);
    System.out.println("the dearest instructions");
    print(dear, Comparator.comparingLong(f -> f.nanos / Math.max(1, f.steps)), 40);
  }

  private static void print(Iterable<Figures> all, Comparator<Figures> by, int most) {
    List<Figures> sorted = new ArrayList<>();
    all.forEach(sorted::add);
    sorted.sort(by.reversed());
    sorted.stream().limit(most).forEach(System.out::println);
  }
}
