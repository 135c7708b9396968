package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.kit.Mutations;
import dev.gleaner.kit.Scenarios;
import dev.gleaner.kit.oracle.Dice;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever a file holds, it is a scenario or has a place where it ceases to be one. */
class DamagedScenarioTest {
  @Test
  void isReadOrRefused() {
    List<byte[]> inputs =
        Scenarios.names().stream()
            .map(name -> Scenarios.text(name).getBytes(StandardCharsets.UTF_8))
            .toList();
    Mutations mutations = new Mutations(Dice.seed(), inputs);
    long refused = 0;
    for (long n = 0; n < Mutations.count(); n++) {
      String text = new String(mutations.get(n), StandardCharsets.UTF_8);
      try {
        assertThat(Scenario.parse("damaged.heap", text)).isNotNull();
      } catch (ScenarioSyntaxException e) {
        refused++;
        assertThat(e.line()).isPositive();
        assertThat(e.getMessage()).startsWith("damaged.heap:" + e.line() + ":" + e.column() + ":");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("mutation " + n + ":\n" + text, e);
      }
    }
    assertThat(refused).isBetween(Mutations.count() / 10, Mutations.count() * 9 / 10);
  }
}
