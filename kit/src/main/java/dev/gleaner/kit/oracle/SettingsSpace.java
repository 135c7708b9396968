package dev.gleaner.kit.oracle;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The programs of a soak: from a seed to settings, length and steps.
 *
 * <p>The settings come from {@code gleaner-soak.conf}: the kit's own has the general ones, and a
 * collector's jar can have one with those of the collector. Each is a list of values, one of which
 * is drawn with dice of its own, so that more settings change nothing in what the others are.
 */
final class SettingsSpace {
  private static final String RESOURCE = "gleaner-soak.conf";
  private static final String ROOT = "gleaner.";
  private static final String COLLECTORS = "collectors.";
  private static final int PLAN = 1;
  private static final int STEPS = 2;

  /** Seeds with the same settings, as it takes milliseconds to make a factory. */
  private static final int WITH_SAME_SETTINGS = 8;

  private final SortedMap<String, ConfigList> choices = new TreeMap<>();

  /**
   * @param loaders class loaders that lead to more collectors
   */
  SettingsSpace(String collector, List<ClassLoader> loaders) {
    Config all = ConfigFactory.empty();
    for (ClassLoader loader : loaders(loaders)) {
      all = all.withFallback(ConfigFactory.parseResources(loader, RESOURCE));
    }
    for (Map.Entry<String, ConfigValue> entry : all.resolve().entrySet()) {
      String path = entry.getKey();
      if (!path.startsWith(ROOT) || !(entry.getValue() instanceof ConfigList values)) {
        throw new IllegalArgumentException(
            entry.getValue().origin().description()
                + ": "
                + path
                + " must be below gleaner, and a list of values");
      }
      String own = path.substring(ROOT.length());
      if (!own.startsWith(COLLECTORS) || own.startsWith(COLLECTORS + collector + ".")) {
        choices.put(own, values);
      }
    }
  }

  private static List<ClassLoader> loaders(List<ClassLoader> more) {
    ClassLoader own = SettingsSpace.class.getClassLoader();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return Stream.concat(Stream.of(own, context == null ? own : context), more.stream())
        .distinct()
        .toList();
  }

  /** The program of a seed. */
  Plan plan(long seed) {
    Setup setup = setup(Math.floorDiv(seed, WITH_SAME_SETTINGS));
    Dice dice = new Dice(Dice.mix(seed, PLAN));
    long steps = Dice.mix(seed, STEPS);
    if (dice.chance(30)) {
      return Plan.brief(setup, Mode.FULL, steps);
    }
    int operations = dice.between(1000, 30_000) / setup.cost();
    return new Plan(setup, Mode.FULL, steps, operations, dice.between(50, 2000));
  }

  /** A brief program under settings of its own. */
  Plan brief(long seed) {
    return Plan.brief(setup(seed), Mode.FULL, Dice.mix(seed, STEPS));
  }

  private Setup setup(long seed) {
    StringBuilder shape = new StringBuilder();
    StringBuilder timing = new StringBuilder();
    choices.forEach((path, values) -> {
      Dice dice = new Dice(Dice.mix(seed, path.hashCode()));
      String value = dice.pick(values).render(ConfigRenderOptions.concise());
      boolean times = Stream.of("memory.max", "torture.", "voluntary.").anyMatch(path::startsWith);
      (times ? timing : shape).append(path).append(" = ").append(value).append('\n');
    });
    Dice dice = new Dice(Dice.mix(seed, PLAN));
    return new Setup("soak", shape.toString(), timing.toString(), 300, dice.chance(12));
  }
}
