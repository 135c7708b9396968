package dev.gleaner.kit.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.it.Installed;
import dev.gleaner.testing.Tier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random programs that are saved in their midst, and go on in a heap that is opened from the image,
 * under any collector and other settings. The model goes on, too.
 */
class GoingOnTest {
  private static final int PROGRAMS = Tier.number("gleaner.test.programs", 1, 100);
  private static final List<String> COLLECTORS = Installed.collectors();

  private static final List<Variant> VARIANTS =
      List.of(
          Variant.PLAIN,
          Variant.INCREMENTAL,
          Variant.TORTURE_SOME,
          Variant.TORTURE,
          Variant.GROWN,
          Variant.VERIFY,
          Variant.LITTLE_STACK,
          Variant.TINY,
          Variant.SMALL);

  static List<Arguments> pairs() {
    List<Arguments> all = new ArrayList<>();
    for (int first = 0; first < COLLECTORS.size(); first++) {
      for (int second = 0; second < COLLECTORS.size(); second++) {
        if (Tier.exhaustive() || (first + 2) % COLLECTORS.size() == second) {
          all.add(Arguments.of(COLLECTORS.get(first), COLLECTORS.get(second)));
        }
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("pairs")
  @Tag("seeds")
  void goOnInTheHeapThatWasOpened(String first, String second) {
    Heaps heaps = new Heaps(first, ConfigFactory.empty(), List.of());
    Heaps others = new Heaps(second, ConfigFactory.empty(), List.of());
    int pair = COLLECTORS.indexOf(first) * COLLECTORS.size() + COLLECTORS.indexOf(second);
    int went = 0;
    for (int i = 0; i < PROGRAMS; i++) {
      long seed = Dice.mix(Dice.mix(Dice.seed(), i), 9 + pair);
      Dice dice = new Dice(seed);
      Plan before = plan(dice);
      Plan after = plan(dice);
      RandomProgram.Outcome outcome = RandomProgram.runAndGoOn(heaps, before, others, after);
      if (outcome.failure() != null) {
        throw new AssertionError(
            "%s, then %s: %s; program %d".formatted(before, after, outcome.plan(), i),
            outcome.failure());
      }
      went += outcome.plan().equals(after) ? 1 : 0;
    }
    if (PROGRAMS > 10) {
      assertThat(went).isGreaterThan(PROGRAMS / 2);
    }
  }

  private static Plan plan(Dice dice) {
    Setup setup = dice.pick(VARIANTS).setup();
    return new Plan(setup, Mode.FULL, dice.next(), dice.between(20, setup.operations()), 40);
  }
}
