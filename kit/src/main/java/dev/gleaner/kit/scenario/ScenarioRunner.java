package dev.gleaner.kit.scenario;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.settings.ConfigurationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Runs scenarios under one configuration, each on a heap of its own.
 *
 * <pre>{@code
 * ScenarioRunner runner = new ScenarioRunner(ConfigFactory.load(), List.of());
 * ScenarioResult result = runner.run(Scenario.read(Path.of("loop.heap")));
 * }</pre>
 *
 * <p>The configuration names the collector; a scenario's own settings are laid over it. A runner is
 * for one Java thread at a time.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class ScenarioRunner {
  /** Begins the message of a scenario that a statement ended which is no expectation. */
  public static final String NO_ERROR = "expected no error, found ";

  private static final String ROOT = "gleaner";
  private static final Config TORTURE =
      ConfigFactory.parseString("gleaner.torture.gc = every-allocation");

  private final Config config;

  /** For heaps that are opened from images. */
  private final Config opened;

  private final List<ClassLoader> pluginLoaders;
  private final boolean torture;
  private final Consumer<String> printed;
  private final Consumer<HeapStatistics> figures;
  private final Map<Config, HeapFactory> factories = new HashMap<>();

  /**
   * Makes a runner; what scenarios print goes nowhere.
   *
   * @param config with the settings under {@code gleaner}, as for {@link Gleaner#factory}
   * @param pluginLoaders class loaders that lead to more collectors
   */
  public ScenarioRunner(Config config, List<ClassLoader> pluginLoaders) {
    this(config, config, pluginLoaders, false, text -> {}, last -> {});
  }

  private ScenarioRunner(
      Config config,
      Config opened,
      List<ClassLoader> pluginLoaders,
      boolean torture,
      Consumer<String> printed,
      Consumer<HeapStatistics> figures) {
    this.config = config;
    this.opened = opened;
    this.pluginLoaders = List.copyOf(pluginLoaders);
    this.torture = torture;
    this.printed = printed;
    this.figures = figures;
  }

  /**
   * {@return a runner that collects at every allocation} It skips scenarios that count collections
   * or bytes, and lets the labels of {@code expect finalized} come earlier than their line.
   */
  public ScenarioRunner withTorture() {
    return new ScenarioRunner(config, opened, pluginLoaders, true, printed, figures);
  }

  /**
   * {@return a runner that gives each printed line to a consumer}
   *
   * @param lines gets each line
   */
  public ScenarioRunner printingTo(Consumer<String> lines) {
    return new ScenarioRunner(config, opened, pluginLoaders, torture, lines, figures);
  }

  /**
   * {@return a runner that gives the figures of each heap to a consumer, before it closes the heap}
   *
   * @param last gets the figures, also of a scenario that failed, but of none that was skipped
   */
  public ScenarioRunner givingFiguresTo(Consumer<HeapStatistics> last) {
    return new ScenarioRunner(config, opened, pluginLoaders, torture, printed, last);
  }

  /**
   * {@return a runner whose scenarios go on under another configuration after {@code open}} It
   * skips scenarios for which one of the two collectors lacks a capability.
   *
   * @param config with the settings under {@code gleaner}, as those of the runner
   */
  public ScenarioRunner openingUnder(Config config) {
    return new ScenarioRunner(this.config, config, pluginLoaders, torture, printed, figures);
  }

  /**
   * Runs a scenario.
   *
   * @param scenario is run in a heap of its own
   * @return how it went
   * @throws dev.gleaner.settings.ConfigurationException if the settings, the scenario's own
   *     included, cannot be used
   */
  public ScenarioResult run(Scenario scenario) {
    String file = scenario.file();
    Header header = scenario.header();
    HeapFactory factory;
    HeapFactory later;
    try {
      factory = factory(header.settings(), config);
      later = factory(header.settings(), opened);
    } catch (ConfigurationException e) {
      // The settings may be those of a collector that is not installed.
      List<String> lacking = header.missing(factory(ConfigFactory.empty(), config).traits());
      if (lacking.isEmpty()) {
        throw e;
      }
      return needs(file, lacking);
    }
    List<String> missing = header.missing(factory.traits());
    if (missing.isEmpty()) {
      missing = header.missing(later.traits());
    }
    if (!missing.isEmpty()) {
      return needs(file, missing);
    }
    if (torture && !scenario.program().torturable()) {
      return ScenarioResult.skipped(
          file, "needs to run without torture: it expects collections, emergencies, used or peak");
    }
    Heap heap;
    try {
      heap = factory.open("scenario");
    } catch (HeapException e) {
      return ScenarioResult.failed(file, 1, "expected a heap, found " + e.getMessage());
    }
    return run(scenario, heap, later::open);
  }

  private static ScenarioResult needs(String file, List<String> missing) {
    return ScenarioResult.skipped(file, "needs " + String.join(", ", missing));
  }

  private ScenarioResult run(Scenario scenario, Heap first, Interpreter.Opener opener) {
    FinalizationLog log = torture ? new TorturedLog() : new ExactLog();
    Interpreter interpreter = null;
    ScenarioResult result;
    try {
      interpreter = new Interpreter(first, scenario.program(), log, printed, opener);
      interpreter.run();
      result = ScenarioResult.passed(scenario.file());
    } catch (ExpectationFailure e) {
      result = ScenarioResult.failed(scenario.file(), e.line(), String.valueOf(e.getMessage()));
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      int line = interpreter == null ? 1 : Math.max(1, interpreter.line());
      result = ScenarioResult.failed(scenario.file(), line, NO_ERROR + text(e));
    }
    Heap last = interpreter == null ? first : interpreter.heap();
    figures.accept(last.statistics());
    String trouble = close(last);
    return trouble == null || result.line() > 0
        ? result
        : ScenarioResult.failed(
            scenario.file(), lastLine(scenario), "expected to close the heap, found " + trouble);
  }

  private static @Nullable String close(Heap heap) {
    try {
      heap.close();
      return null;
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      return text(e);
    }
  }

  /** An error of the heap speaks for itself; any other is a bug, whose kind is of interest. */
  private static String text(Throwable e) {
    return e instanceof HeapException error ? Texts.message(error) : e.toString();
  }

  private static int lastLine(Scenario scenario) {
    List<Block.Step> steps = scenario.program().block().steps();
    return steps.isEmpty() ? 1 : steps.getLast().line();
  }

  /** Answers the factory for a scenario's settings, which come before all others. */
  private HeapFactory factory(Config settings, Config base) {
    return factories.computeIfAbsent(
        over(settings, base), all -> Gleaner.factory(all, pluginLoaders));
  }

  private Config over(Config settings, Config base) {
    Config rest = base;
    if (base.hasPath(ROOT + ".collector")) {
      // What is set for the collector alone would come before what is set for all.
      String own = ROOT + ".collectors." + base.getString(ROOT + ".collector") + ".";
      for (Map.Entry<String, ?> entry : settings.entrySet()) {
        rest = rest.withoutPath(own + entry.getKey());
      }
    }
    Config all = settings.atPath(ROOT).withFallback(rest);
    return torture ? TORTURE.withFallback(all) : all;
  }
}
