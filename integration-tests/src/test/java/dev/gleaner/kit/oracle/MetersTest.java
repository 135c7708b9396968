package dev.gleaner.kit.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.config.CollectorRegistry;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every meter means what it says: the oracle, which compares all that are registered with counts of
 * its own, finds each one that does not, under every collector. Lies where the collectors are; what
 * it tests is the kit's.
 */
final class MetersTest {
  private static final Logger HEAPS = Logger.getLogger("dev.gleaner");

  /** Programs of other shapes, so that every meter moves: slices, many collections, few. */
  private static final List<Variant> VARIANTS =
      List.of(Variant.PLAIN, Variant.INCREMENTAL_LONG, Variant.TORTURE_SOME);

  /** Known up to what collectors add to a payload, or bounded by another figure. */
  private static final Set<String> BOUNDED =
      Set.of(
          "gleaner.memory.used",
          "gleaner.memory.peak",
          "gleaner.memory.committed",
          "gleaner.allocated.bytes",
          "gleaner.gc.moved",
          "gleaner.gc.reclaimed.bytes",
          "gleaner.finalizers outcome=rescued");

  /** Have a lower bound alone, where elements go at the last drop, or go and move with frames. */
  private static final Set<String> UNBOUNDED =
      Set.of("gleaner.gc.reclaimed.bytes", "gleaner.gc.moved");

  /** Programs provoke errors that heaps log. */
  @BeforeAll
  static void beQuiet() {
    HEAPS.setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    HEAPS.setLevel(null);
  }

  static List<String> collectors() {
    return List.copyOf(CollectorRegistry.discover(List.of()).names());
  }

  /** Tells of some meters what they do not count. */
  private static final class Lying extends SimpleMeterRegistry {
    final Set<String> seen = new TreeSet<>();
    private final Predicate<String> which;
    private final DoubleUnaryOperator lie;

    Lying(Predicate<String> which, DoubleUnaryOperator lie) {
      this.which = which;
      this.lie = lie;
    }

    private boolean lies(Meter.Id id) {
      String name = nameOf(id);
      seen.add(name);
      return which.test(name);
    }

    @Override
    protected <T> Gauge newGauge(Meter.Id id, @Nullable T of, ToDoubleFunction<T> value) {
      return super.newGauge(
          id, of, lies(id) ? o -> lie.applyAsDouble(value.applyAsDouble(o)) : value);
    }

    @Override
    protected <T> FunctionCounter newFunctionCounter(Meter.Id id, T of, ToDoubleFunction<T> value) {
      return super.newFunctionCounter(
          id, of, lies(id) ? o -> lie.applyAsDouble(value.applyAsDouble(o)) : value);
    }

    @Override
    protected Timer newTimer(
        Meter.Id id, DistributionStatisticConfig config, PauseDetector detector) {
      String name = nameOf(id);
      List<String> figures = List.of(name, name + " total", name + " longest");
      seen.addAll(figures);
      return new CumulativeTimer(id, clock, config, detector, getBaseTimeUnit()) {
        private double tell(int figure, double value) {
          return which.test(figures.get(figure)) ? lie.applyAsDouble(value) : value;
        }

        @Override
        public long count() {
          return (long) tell(0, (double) super.count());
        }

        @Override
        public double totalTime(TimeUnit unit) {
          return tell(1, super.totalTime(unit));
        }

        @Override
        public double max(TimeUnit unit) {
          return tell(2, super.max(unit));
        }
      };
    }

    private static String nameOf(Meter.Id id) {
      String name = id.getName();
      for (Tag tag : id.getTags()) {
        if (!tag.getKey().equals("heap") && !tag.getKey().equals("collector")) {
          name += " " + tag.getKey() + "=" + tag.getValue();
        }
      }
      return name;
    }
  }

  /** Runs the programs until one fails; returns what failed, or "". */
  private static String run(String collector, Lying registry) {
    for (Variant variant : VARIANTS) {
      Plan plan = Plan.brief(variant, Mode.FULL, Dice.seed());
      Heaps heaps = new Heaps(collector, ConfigFactory.empty(), List.of());
      Throwable failure = RandomProgram.run(heaps, plan, Steps.all(), false, registry).failure();
      if (failure != null) {
        return String.valueOf(failure.getMessage());
      }
    }
    return "";
  }

  private static Set<String> meters(String collector) {
    Lying honest = new Lying(name -> false, x -> x);
    assertThat(run(collector, honest)).isEmpty();
    return honest.seen;
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void areRightInRandomPrograms(String collector) {
    assertThat(meters(collector))
        .contains("gleaner.memory.used", "gleaner.collections cause=explicit")
        .hasSizeGreaterThan(20);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @org.junit.jupiter.api.Tag("exhaustive")
  void anyThatTellsTooMuchIsFound(String collector) {
    for (String meter : meters(collector)) {
      if (!UNBOUNDED.contains(meter)) {
        String found = run(collector, new Lying(meter::equals, x -> x + 1e15));
        assertThat(found).startsWith(nameOf(meter) + ", ");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @org.junit.jupiter.api.Tag("exhaustive")
  void anyThatTellsTooLittleIsFound(String collector) {
    for (String meter : meters(collector)) {
      String found = run(collector, new Lying(meter::equals, x -> -1));
      assertThat(found).startsWith(nameOf(meter) + ", ");
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @org.junit.jupiter.api.Tag("exhaustive")
  void oneMoreIsFoundOfAllThatAreKnownExactly(String collector) {
    for (String meter : meters(collector)) {
      if (!BOUNDED.contains(meter)) {
        String found = run(collector, new Lying(meter::equals, x -> x + 1));
        assertThat(found).startsWith(nameOf(meter) + ", ");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void aMeterWithoutARuleIsFound(String collector) {
    Lying registry = new Lying(name -> false, x -> x);
    Gauge _ = Gauge.builder("gleaner.novelty", () -> 1).register(registry);
    assertThat(run(collector, registry)).startsWith("no rule for the meter ").contains("novelty");
  }

  private static String nameOf(String meter) {
    return Stream.of(meter.split(" ", -1)).findFirst().orElseThrow();
  }
}
