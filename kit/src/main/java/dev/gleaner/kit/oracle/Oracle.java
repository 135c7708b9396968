package dev.gleaner.kit.oracle;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Verdict;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * Runs random programs on a collector's heaps and on a plain Java model of them, and compares.
 *
 * <pre>{@code
 * Oracle oracle = new Oracle("mine", ConfigFactory.empty(), List.of());
 * for (String variant : Oracle.variants()) {
 *   Verdict verdict = oracle.run(variant, Dice.seed(), 10);
 * }
 * }</pre>
 *
 * <p>What may be expected of the collector is read from its traits. A program that fails is made
 * small and written as a scenario.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Oracle {
  private static final int LONG_PROGRAM = 20_000;
  private static final int LONG_CHECK = 1000;

  private final Heaps heaps;

  /**
   * Makes an oracle.
   *
   * @param collector the name of a collector that is installed, or that the loaders lead to
   * @param settings with the settings under {@code gleaner} that the variants do not set, such as
   *     the collector's own
   * @param pluginLoaders class loaders that lead to more collectors
   */
  public Oracle(String collector, Config settings, List<ClassLoader> pluginLoaders) {
    heaps = new Heaps(collector, settings, pluginLoaders);
  }

  /**
   * Makes an oracle for an installed collector under its default settings.
   *
   * @param collector its name
   * @return the oracle
   */
  public static Oracle of(String collector) {
    return new Oracle(collector, ConfigFactory.empty(), List.of());
  }

  /** {@return the names of the variants: the settings that programs run under} */
  public static List<String> variants() {
    // Where a collection is forced before each finalizer, the model postpones what that collection
    // finds before the finalizer runs, and the heap after that: the two orders differ.
    return Stream.of(Variant.values())
        .filter(v -> v != Variant.FINALIZERS_BY_AGE)
        .map(Variant::name)
        .toList();
  }

  /**
   * Runs programs until one fails.
   *
   * @param variant one of {@link #variants()}
   * @param seed makes the programs; the same ones for the same seed
   * @param programs how many, of a few hundred operations each
   * @return passed, or failed with all that is known of the failure
   */
  public Verdict run(String variant, long seed, int programs) {
    return verdict(variant, find(variant, seed, programs));
  }

  /**
   * Runs long programs, verified after every 1000th operation only, until one fails.
   *
   * @param variant one of {@link #variants()}
   * @param seed makes the programs
   * @param operations of all programs together
   * @return passed, or failed with what was found
   */
  public Verdict runLong(String variant, long seed, long operations) {
    Variant v = Variant.valueOf(variant);
    Optional<Failure> failure = Optional.empty();
    for (long done = 0; done < operations && failure.isEmpty(); done += LONG_PROGRAM) {
      int n = (int) Math.min(LONG_PROGRAM, operations - done);
      failure = tryOne(new Plan(v.setup(), Mode.FULL, programSeed(v, seed, done), n, LONG_CHECK));
    }
    return verdict(variant, failure);
  }

  private Verdict verdict(String variant, Optional<Failure> failure) {
    String rule = "oracle " + variant;
    return failure
        .map(f -> new Verdict(rule, Verdict.Status.FAILED, f.toString(), f.scenario()))
        .orElse(new Verdict(rule, Verdict.Status.PASSED, ""));
  }

  /**
   * Runs programs until one fails; returns what is known of the failure.
   *
   * @param variant one of {@link #variants()}
   * @param seed makes the programs
   * @param programs how many at most
   * @return the failure, made small; empty if all passed
   */
  public Optional<Failure> find(String variant, long seed, int programs) {
    Variant v = Variant.valueOf(variant);
    Optional<Failure> failure = Optional.empty();
    for (int i = 0; i < programs && failure.isEmpty(); i++) {
      failure = tryOne(Plan.brief(v, Mode.FULL, programSeed(v, seed, i)));
    }
    return failure;
  }

  /**
   * Runs brief programs in settings drawn at random, as a {@link Soak} does, until one fails.
   *
   * @param seed makes settings and programs; the same ones for the same seed
   * @param programs how many, each under settings of its own
   * @return the failure, made small; empty if all passed
   */
  public Optional<Failure> findInRandomSettings(long seed, int programs) {
    SettingsSpace space = new SettingsSpace(heaps.collector, heaps.pluginLoaders);
    Optional<Failure> failure = Optional.empty();
    for (int i = 0; i < programs && failure.isEmpty(); i++) {
      failure = tryOne(space.brief(Dice.mix(seed, i)));
    }
    return failure;
  }

  /**
   * Runs one program again, given the seed that its {@link Failure} has.
   *
   * @param variant one of {@link #variants()}
   * @param programSeed of the program itself
   * @return the failure, made small; empty if it passed
   */
  public Optional<Failure> repeat(String variant, long programSeed) {
    return tryOne(Plan.brief(Variant.valueOf(variant), Mode.FULL, programSeed));
  }

  /** Other programs for other variants, so that there are more of them. */
  private static long programSeed(Variant variant, long seed, long number) {
    return Dice.mix(Dice.mix(seed, number), variant.name().hashCode());
  }

  private Optional<Failure> tryOne(Plan plan) {
    RandomProgram.Outcome outcome = RandomProgram.run(heaps, plan, Steps.all(), false);
    return outcome.failure() == null
        ? Optional.empty()
        : Optional.of(new Reproduction(heaps).of(plan, outcome));
  }
}
