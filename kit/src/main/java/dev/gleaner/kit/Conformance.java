package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.kit.oracle.Failure;
import dev.gleaner.kit.oracle.Oracle;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.spi.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apiguardian.api.API;

/**
 * All that a collector owes, as rules to be checked one by one.
 *
 * <pre>
 *   plug-in      opening, closing, many heaps, the user's functions     {@link PluginRules}
 *   reuse        empty new elements, bytes and natives that go, pieces  {@link ReuseRules}
 *   frames       arguments, errors, changes of places, undefined slots  {@link FrameRules}
 *   values       tagged values, larger steps on objects                 {@link ValueRules}
 *   integers     of 64 bits: values to a program, elements of the heap  {@link IntegerRules}
 *   indexes      one property each, in an array or not; ranges          {@link IndexRules}
 *   weak tables  entries that go with their keys or values              {@link WeakTableRules}
 *   refusal      nothing changes where an operation is refused          {@link RefusalRules}
 *   drops        what nothing holds any more goes, at once or soon      {@link DropRules}
 *   stores       what each place of an element holds, whoever stored it {@link StoreRules}
 *   finalizers   what they may do to an operation, and what they throw  {@link FinalizerRules}
 *   heirs        finalizers that come from prototypes                   {@link HeirRules}
 *   images       a heap that is saved and opened again                  {@link ImageRules}
 *   callbacks    operations in whose midst they use the heap            {@link CallbackRules}
 *   inspection   paths from roots, sorts of elements                    {@link InspectionRules}
 *   slices       what changes places, or is made, while it marks        {@link IncrementalRules}
 *   minor        what old elements keep of the young                    {@link MinorRules}
 *   scenario     the kit's scenarios: plain, in slices, under torture   {@link Scenarios}
 *   oracle       random programs against a model, in many settings      {@link Oracle}
 * </pre>
 *
 * <p>What is expected depends on the collector's capabilities only. Every rule opens heaps of its
 * own, so that one failure says nothing about the next.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class Conformance {
  private static final Config SLICES =
      ConfigFactory.parseString(
          "gleaner.incremental { enabled = true, slice = 5us, allocations-per-slice = 5 }");

  private final String collector;
  private final Config config;
  private final List<ClassLoader> loaders;
  private long seed = 42;
  private int programs = 30;

  /**
   * Prepares the kit for a collector.
   *
   * @param collector its name
   * @param settings with settings under {@code gleaner}, such as the collector's own
   * @param loaders class loaders that lead to more collectors
   */
  public Conformance(String collector, Config settings, List<ClassLoader> loaders) {
    this.collector = collector;
    this.config =
        ConfigFactory.parseString("gleaner.collector = " + collector).withFallback(settings);
    this.loaders = List.copyOf(loaders);
  }

  /**
   * Makes other random programs; the same ones for the same seed.
   *
   * @param number any
   * @return this kit
   */
  public Conformance withSeed(long number) {
    seed = number;
    return this;
  }

  /**
   * Makes so many random programs a variant.
   *
   * @param number at least 1
   * @return this kit
   */
  public Conformance withPrograms(int number) {
    programs = number;
    return this;
  }

  /** {@return the rules, the quickest first} */
  public List<Rule> rules() {
    List<Rule> rules = new ArrayList<>(new PluginRules(collector, config, loaders).all());
    rules.addAll(new FrameRules(config, loaders).all());
    rules.addAll(new FrameStepRules(config, loaders).all());
    rules.addAll(new ValueRules(config, loaders).all());
    rules.addAll(new RefusalRules(config, loaders).all());
    rules.addAll(new StoreRules(config, loaders).all());
    rules.addAll(new DropRules(config, loaders).all());
    rules.addAll(new PauseRules(config, loaders).all());
    rules.addAll(new ReuseRules(config, loaders, "").all());
    rules.addAll(new StringRules(config, loaders).all());
    rules.addAll(new FinalizerRules(config, loaders).all());
    rules.addAll(new HeirRules(config, loaders).all());
    rules.addAll(new ImageRules(collector, config, loaders).all());
    rules.addAll(new CallbackRules(config, loaders).all());
    rules.addAll(new WeakTableRules(config, loaders).all());
    rules.addAll(new IntegerRules(config, loaders).all());
    rules.addAll(new IndexRules(config, loaders).all());
    rules.addAll(new InspectionRules(config, loaders).all());
    ScenarioRunner plain = new ScenarioRunner(config, loaders);
    Scenarios.names().forEach(name -> rules.add(scenario(name, "", plain)));
    if (Gleaner.factory(config, loaders).traits().has(Capability.INCREMENTAL)) {
      rules.addAll(new IncrementalRules(config, loaders).all());
      rules.addAll(new ReuseRules(SLICES.withFallback(config), loaders, ", in slices").all());
      ScenarioRunner slices = new ScenarioRunner(SLICES.withFallback(config), loaders);
      Scenarios.names().forEach(name -> rules.add(scenario(name, ", in slices", slices)));
    }
    if (Gleaner.factory(config, loaders).traits().has(Capability.MINOR)) {
      rules.addAll(new MinorRules(config, loaders).all());
    }
    Oracle oracle = new Oracle(collector, config, loaders);
    for (String variant : Oracle.variants()) {
      rules.add(oracle(variant, () -> oracle.find(variant, seed, programs)));
    }
    rules.add(oracle("RANDOM_SETTINGS", () -> oracle.findInRandomSettings(seed, programs)));
    return rules;
  }

  private static Rule oracle(String name, Supplier<Optional<Failure>> find) {
    String rule = "oracle " + name;
    return new Rule(
        rule,
        "",
        () ->
            find.get()
                .map(f -> new Verdict(rule, Verdict.Status.FAILED, text(f), f.scenario()))
                .orElse(new Verdict(rule, Verdict.Status.PASSED, "")));
  }

  private static String text(Failure failure) {
    return failure.message().lines().findFirst().orElse("")
        + " (program seed "
        + failure.seed()
        + ")";
  }

  /** {@return the rules that are checked with a collection at every allocation} */
  public List<Rule> tortureRules() {
    ScenarioRunner torture = new ScenarioRunner(config, loaders).withTorture();
    return Scenarios.names().stream()
        .map(name -> scenario(name, ", under torture", torture))
        .toList();
  }

  private Rule scenario(String name, String mode, ScenarioRunner runner) {
    String rule = "scenario " + name + mode;
    return new Rule(
        rule,
        Scenarios.title(name),
        () -> run(rule, Scenario.parse(name, Scenarios.text(name)), runner));
  }

  private static Verdict run(String rule, Scenario scenario, ScenarioRunner runner) {
    try {
      Verdict verdict = runner.run(scenario).verdict();
      return new Verdict(rule, verdict.status(), verdict.message());
    } catch (ConfigurationException e) {
      return new Verdict(rule, Verdict.Status.FAILED, String.valueOf(e.getMessage()));
    }
  }
}
