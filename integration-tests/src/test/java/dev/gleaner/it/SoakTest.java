package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.oracle.Dice;
import dev.gleaner.kit.oracle.Soak;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The first programs of a soak, under every collector; {@code ./gleaner conform --soak 2h} goes on.
 */
@Tag("exhaustive")
class SoakTest {
  private static final Logger HEAPS = Logger.getLogger("dev.gleaner");

  @TempDir private Path folder;

  static Stream<String> collectors() {
    return Installed.collectors().stream();
  }

  /** Programs provoke errors that heaps log. */
  @BeforeAll
  static void beQuiet() {
    HEAPS.setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    HEAPS.setLevel(null);
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void firstProgramsPass(String collector) {
    for (int i = 0; i < 3; i++) {
      Soak soak =
          new Soak(List.of(collector), ConfigFactory.empty(), List.of())
              .withSeed(Dice.seed() + i * 8L)
              .lasting(Duration.ZERO)
              .writingTo(folder);
      Soak.Report report =
          soak.run(
              new Soak.Listener() {
                @Override
                public void found(Soak.Found found, @Nullable Path file) {
                  assertThat(found).isNull();
                }
              });
      assertThat(report.programs()).isOne();
      assertThat(report.operations()).isPositive();
    }
  }
}
