package dev.gleaner.kit.oracle;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.LikelyCause;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.oracle.RandomProgram.Outcome;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioResult;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.kit.scenario.ScenarioSyntaxException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Turns a program that failed into a small scenario that fails.
 *
 * <p>The program itself can rarely be said in the scenario language: it makes what the language has
 * no word for, and its collections come in the middle of operations. So other programs are tried
 * first, of what the language can say: with collections as statements, then with torture. Only if
 * none fails, or none of their scenarios does, the program itself is made small, and the scenario
 * says in comments what it lacks.
 *
 * <p>A collector with several faults fails in several ways. What is made small must go on failing
 * by a {@link LikelyCause} like the first, and so must the scenario: it shows the failure that was
 * found.
 */
final class Reproduction {
  private static final int TRIES = 200;
  private static final int MOST_FAILING = 5;

  /** Characters of a scenario that somebody reads at once. */
  private static final int SHORT = 1500;

  private final Heaps heaps;
  private final BooleanSupplier enough;

  Reproduction(Heaps heaps) {
    this(heaps, () -> false);
  }

  /**
   * @param enough whether it is to take what it has
   */
  Reproduction(Heaps heaps, BooleanSupplier enough) {
    this.heaps = heaps;
    this.enough = enough;
  }

  Failure of(Plan plan, Outcome outcome) {
    String message = message(outcome);
    LikelyCause cause = cause(outcome);
    for (Mode mode : List.of(Mode.SCRIPTED, Mode.TORTURED)) {
      Optional<String> scenario = search(plan, mode, cause);
      if (scenario.isPresent()) {
        return failure(plan, message, scenario.get(), true);
      }
    }
    Outcome again = RandomProgram.run(heaps, plan, Steps.noted(), false);
    if (again.failure() == null) {
      String sorry = "# it did not fail again: it depends on time\n";
      return failure(plan, message, sorry, false);
    }
    String scenario = shrunk(plan, again);
    return failure(plan, message, scenario, fails(scenario, cause(again)) && !isRefused(scenario));
  }

  /**
   * Returns whether a statement is refused: it needs what the language could not say before, so
   * that the scenario fails on any collector.
   */
  private boolean isRefused(String scenario) {
    return run(scenario).message().contains(ScenarioRunner.NO_ERROR);
  }

  private Failure failure(Plan plan, String message, String scenario, boolean reproduces) {
    return new Failure(
        heaps.collector, plan.setup().name(), plan.seed(), message, scenario, reproduces);
  }

  /** What the failure of a program is about. */
  static LikelyCause cause(Outcome outcome) {
    return LikelyCause.of("", ("" + outcome.failure()).lines().findFirst().orElse(""));
  }

  private static String message(Outcome outcome) {
    return outcome.failure() + "\nthe last operations:\n  " + outcome.script().tail();
  }

  /** A short scenario if one of the first few that fail is short, or else the shortest of them. */
  private Optional<String> search(Plan plan, Mode mode, LikelyCause cause) {
    String shortest = null;
    int failing = 0;
    for (int i = 0; i < TRIES && failing < MOST_FAILING && !enough.getAsBoolean(); i++) {
      Plan other = Plan.brief(plan.setup(), mode, Dice.mix(plan.seed(), i));
      Outcome outcome = RandomProgram.run(heaps, other, Steps.noted(), false);
      if (outcome.failure() != null && cause(outcome).resembles(cause)) {
        failing++;
        String scenario = shrunk(other, outcome);
        if (fails(scenario, cause) && (shortest == null || scenario.length() < shortest.length())) {
          shortest = scenario;
        }
        if (shortest != null && shortest.length() <= SHORT) {
          break;
        }
      }
    }
    return Optional.ofNullable(shortest);
  }

  private String shrunk(Plan plan, Outcome outcome) {
    List<Long> all = outcome.steps().taken();
    List<Long> left = new Shrinker(heaps, plan, cause(outcome), enough).shrink(all);
    Outcome last = RandomProgram.run(heaps, plan, Steps.only(new HashSet<>(left)), true);
    if (last.closing()) {
      last = RandomProgram.write(heaps, plan, Steps.only(new HashSet<>(left)));
    }
    return "# "
        + ("" + (last.failure() == null ? outcome : last).failure()).lines().findFirst().orElse("")
        + "\n# "
        + left.size()
        + " of "
        + all.size()
        + " steps are left.\n"
        + scenario(last);
  }

  /** The text of a scenario. */
  String scenario(Outcome outcome) {
    Plan plan = outcome.plan();
    StringBuilder text = new StringBuilder();
    text.append("# Found by random programs: collector ").append(heaps.collector);
    text.append(", variant ").append(plan.setup()).append(", ").append(plan.mode());
    text.append(", seed ").append(plan.seed()).append(".\n");
    if (!heaps.settings.isEmpty()) {
      text.append("# With settings of the collector's own, which are not shown.\n");
    }
    if (plan.setup().ownFunctions() && plan.mode() == Mode.FULL) {
      text.append("# With allocation functions of a user's own, which the language lacks.\n");
    }
    if (outcome.script().isPartial()) {
      text.append("# Needs more than the language can say; see the comments.\n");
    }
    text.append("requires ").append(outcome.requirements()).append("\nconfig {\n");
    plan.settings()
        .lines()
        .filter(line -> !line.isBlank())
        .forEach(line -> text.append("  ").append(line).append('\n'));
    return text.append("}\n").append(outcome.script().text()).toString();
  }

  /** Whether the scenario fails, and by a like cause. */
  private ScenarioResult run(String scenario) {
    Config collector = ConfigFactory.parseString("gleaner.collector = " + heaps.collector);
    return new ScenarioRunner(collector.withFallback(heaps.settings), heaps.pluginLoaders)
        .run(Scenario.parse("oracle.heap", scenario));
  }

  private boolean fails(String scenario, LikelyCause wanted) {
    try {
      ScenarioResult result = run(scenario);
      LikelyCause found = LikelyCause.of("", result.message());
      return result.status() == Verdict.Status.FAILED && found.resembles(wanted);
    } catch (ScenarioSyntaxException e) {
      return false; // some of it is missing
    }
  }
}
