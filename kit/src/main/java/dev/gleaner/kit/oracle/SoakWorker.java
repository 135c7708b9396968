package dev.gleaner.kit.oracle;

import com.typesafe.config.Config;
import dev.gleaner.kit.oracle.RandomProgram.Outcome;
import dev.gleaner.kit.oracle.Soak.Count;
import dev.gleaner.kit.oracle.Soak.Found;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs one program after the other, each seed under every collector, and makes those small that
 * fail. A thread of its own, so that another one sees when it comes no further.
 *
 * <p>Failures that say the same but for numbers are made small until one of the scenarios fails as
 * well, three at most.
 */
final class SoakWorker extends Thread {
  private static final long MOST_SHRINKING = TimeUnit.MINUTES.toNanos(1);
  private static final int MOST_TRIES = 3;

  /** A program with all that it takes to run it again. */
  record Program(String collector, long seed, Plan plan, Heaps heaps) {
    /** What a user must know to repeat it, as comments. */
    String header() {
      StringBuilder text = new StringBuilder();
      text.append("# Random program ").append(seed).append(" under ").append(collector);
      text.append(", again: gleaner conform --soak 0s --collector ").append(collector);
      text.append(" --seed ").append(seed).append("\n# gleaner {\n");
      plan.settings().lines().forEach(line -> text.append("#   ").append(line).append('\n'));
      text.append("# }\n");
      if (plan.setup().ownFunctions()) {
        text.append("# With allocation functions of a user's own.\n");
      }
      return text.toString();
    }
  }

  /** Failures that say the same. */
  private static final class Alike {
    final long first;
    int tries;

    Alike(long first) {
      this.first = first;
    }
  }

  /** A collector's part. */
  private static final class Part {
    final Heaps heaps;
    final SettingsSpace space;
    final AtomicLong programs = new AtomicLong();
    final AtomicLong operations = new AtomicLong();
    final AtomicLong failed = new AtomicLong();

    Part(Heaps heaps) {
      this.heaps = heaps;
      this.space = new SettingsSpace(heaps.collector, heaps.pluginLoaders);
    }
  }

  private final Map<String, Part> parts = new LinkedHashMap<>();
  private final LongPredicate more;
  private final Queue<Found> found = new ConcurrentLinkedQueue<>();
  private final Map<String, Alike> known = new HashMap<>();

  /** Changes as long as it comes on; written by this thread alone. */
  private final AtomicLong beat = new AtomicLong();

  private final AtomicLong seed;
  private volatile boolean stopped;
  private volatile @Nullable Program current;
  private volatile @Nullable RuntimeException problem;

  /**
   * @param more whether a seed is to be begun
   */
  SoakWorker(
      List<String> collectors,
      Config settings,
      List<ClassLoader> loaders,
      long seed,
      LongPredicate more) {
    super("soak");
    setDaemon(true); // one that hangs must not keep the JVM
    this.seed = new AtomicLong(seed);
    this.more = more;
    for (String collector : collectors) {
      parts.put(collector, new Part(new Heaps(collector, settings, loaders, this::beat)));
    }
  }

  private void beat() {
    beat.lazySet(beat.getPlain() + 1);
  }

  @Override
  public void run() {
    try {
      for (; !stopped && more.test(seed.get()); seed.incrementAndGet()) {
        for (Part part : parts.values()) {
          if (!stopped) {
            run(part);
          }
        }
      }
    } catch (RuntimeException e) {
      problem = e;
    } catch (Error e) { // of the soak itself: programs catch theirs
      problem = new IllegalStateException("the soak cannot go on", e);
    }
  }

  private void run(Part part) {
    Plan plan = part.space.plan(seed.get());
    Program program = new Program(part.heaps.collector, seed.get(), plan, part.heaps);
    current = program;
    AtomicLong operations = part.operations;
    Outcome outcome =
        RandomProgram.run(
            part.heaps,
            plan,
            Steps.all(),
            false,
            _ -> {
              operations.lazySet(operations.getPlain() + 1);
              beat();
            });
    part.programs.incrementAndGet();
    if (outcome.failure() != null) {
      part.failed.incrementAndGet();
      found.add(explain(program, outcome));
    }
  }

  private Found explain(Program program, Outcome outcome) {
    String message = String.valueOf(outcome.failure());
    Alike alike =
        known.computeIfAbsent(
            program.collector + message.replaceAll("[0-9]+", "#"), _ -> new Alike(program.seed));
    if (alike.tries >= MOST_TRIES) {
      return new Found(program.collector, program.seed, message, "", false, alike.first);
    }
    long end = System.nanoTime() + MOST_SHRINKING;
    Failure failure =
        new Reproduction(program.heaps, () -> stopped || System.nanoTime() - end > 0)
            .of(program.plan, outcome);
    alike.tries = failure.reproduces() ? MOST_TRIES : alike.tries + 1;
    StringBuilder text = new StringBuilder(program.header());
    failure.message().lines().forEach(line -> text.append("# ").append(line).append('\n'));
    text.append(failure.scenario());
    return new Found(
        program.collector,
        program.seed,
        message,
        text.toString(),
        failure.reproduces(),
        alike.first);
  }

  /** Ends it after the program at hand. */
  void end() {
    stopped = true;
  }

  /** A number that stays the same while it hangs. */
  long beats() {
    return beat.get();
  }

  /** Takes what was found since the last time. */
  List<Found> take() {
    List<Found> all = new ArrayList<>();
    for (Found next = found.poll(); next != null; next = found.poll()) {
      all.add(next);
    }
    return all;
  }

  /** What is known of the program at hand, if it hangs. */
  Found hanging() {
    Program program = current;
    if (program == null) {
      throw new IllegalStateException("no program was begun");
    }
    StringBuilder text = new StringBuilder(program.header());
    text.append("# It does not come back:\n");
    for (StackTraceElement frame : getStackTrace()) {
      text.append("#   at ").append(frame).append('\n');
    }
    Part part = parts.get(program.collector);
    if (part != null) {
      part.failed.incrementAndGet();
    }
    return new Found(
        program.collector,
        program.seed,
        "does not come back",
        text.toString(),
        false,
        program.seed);
  }

  /** The seed that is under way. */
  long seed() {
    return seed.get();
  }

  /** What was done, by collector. */
  Map<String, Count> counts() {
    Map<String, Count> counts = new LinkedHashMap<>();
    parts.forEach((name, part) ->
        counts.put(name, new Count(part.programs.get(), part.operations.get(), part.failed.get())));
    return counts;
  }

  /** What ended it too early: settings that no heap can be opened with. */
  @Nullable RuntimeException problem() {
    return problem;
  }
}
