package dev.gleaner.kit.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.oracle.Soak.Found;
import dev.gleaner.kit.oracle.Soak.Report;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.settings.ConfigurationException;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A soak finds, writes, goes on, repeats, and sees what hangs. */
class SoakTest {
  private static final Duration ONE_SEED = Duration.ZERO;

  @TempDir private Path folder;

  /** Ends a soak once it has found what is wanted, and one more. */
  private static final class Finds implements Soak.Listener {
    final List<Found> found = new ArrayList<>();
    final List<Path> files = new ArrayList<>();
    private final Soak soak;
    private final Predicate<Found> wanted;

    Finds(Soak soak, Predicate<Found> wanted) {
      this.soak = soak;
      this.wanted = wanted;
    }

    @Override
    public void found(Found one, @Nullable Path file) {
      if (found.stream().anyMatch(wanted)) {
        soak.stop();
      }
      found.add(one);
      if (file != null) {
        files.add(file);
      }
    }
  }

  private Soak soak(String collector, List<ClassLoader> loaders) {
    return new Soak(List.of(collector), ConfigFactory.empty(), loaders)
        .writingTo(folder.resolve("found"));
  }

  private URLClassLoader loader(Class<? extends Mutant> mutant) throws IOException {
    return Mutant.loaderOf(mutant, folder.resolve("plugin"));
  }

  @Test
  void aSoundCollectorPasses() {
    Report report = Soak.of("marksweep").withSeed(7).lasting(Duration.ofSeconds(2)).run();
    assertThat(report.failed()).isFalse();
    assertThat(report.programs()).isEqualTo(report.seed() - 7).isPositive();
    assertThat(report.operations()).isGreaterThan(report.programs());
  }

  @Test
  void aSeedIsAProgram() {
    SettingsSpace space = new SettingsSpace("marksweep", List.of());
    SettingsSpace same = new SettingsSpace("marksweep", List.of());
    List<Plan> plans = Stream.iterate(0L, s -> s + 1).limit(1000).map(space::plan).toList();
    for (int i = 0; i < plans.size(); i++) {
      assertThat(same.plan(i)).isEqualTo(plans.get(i));
    }
    assertThat(plans.stream().map(Plan::seed).distinct()).hasSize(plans.size());
    assertThat(plans.stream().map(Plan::settings).distinct()).hasSizeGreaterThan(100);
    assertThat(plans).anyMatch(plan -> plan.setup().isSmall(Mode.FULL));
    assertThat(plans).anyMatch(plan -> plan.setup().ownFunctions());
    assertThat(plans).anyMatch(plan -> plan.setup().incremental());
    assertThat(plans).anyMatch(plan -> plan.setup().torturesFinalizers());
  }

  @Test
  @Tag("exhaustive")
  void aFaultIsFoundWrittenAndRepeated() throws IOException {
    try (URLClassLoader loader = loader(LostFinalizer.class)) {
      Soak soak = soak("lost-finalizer", List.of(loader)).lasting(Duration.ofMinutes(5));
      Finds finds = new Finds(soak, Found::reproduces);
      Report report = soak.run(finds);
      assertThat(report.failed()).isTrue();
      assertThat(report.failures()).isEqualTo(finds.found.size()).isGreaterThan(1);

      Found first = finds.found.stream().filter(Found::reproduces).findFirst().orElseThrow();
      Path file = folder.resolve("found/lost-finalizer-" + first.seed() + ".heap");
      String text = Files.readString(file);
      assertThat(finds.files).contains(file);
      assertThat(text).startsWith("# Random program " + first.seed() + " under lost-finalizer");
      assertThat(text).contains("--soak 0s --collector lost-finalizer --seed " + first.seed());
      Config collector = ConfigFactory.parseString("gleaner.collector = lost-finalizer");
      assertThat(
              new ScenarioRunner(collector, List.of(loader))
                  .run(Scenario.parse("found.heap", text))
                  .status())
          .isEqualTo(Status.FAILED);

      Soak again = soak("lost-finalizer", List.of(loader)).withSeed(first.seed());
      Finds repeated = new Finds(again, _ -> true);
      assertThat(again.lasting(ONE_SEED).run(repeated).programs()).isOne();
      assertThat(repeated.found).extracting(Found::message).containsExactly(first.message());
    }
  }

  @Test
  void whatHangsIsNamedAndEndsTheSoak() throws IOException {
    try (URLClassLoader loader = loader(Hanging.class)) {
      Soak soak =
          soak("hanging", List.of(loader))
              .withPatience(Duration.ofSeconds(2))
              .lasting(Duration.ofHours(1));
      Finds finds = new Finds(soak, _ -> true);
      Report report = soak.run(finds);
      assertThat(report.failures()).isOne();
      assertThat(finds.found).singleElement().returns("hanging", Found::collector);
      assertThat(finds.files)
          .singleElement()
          .satisfies(file ->
              assertThat(file)
                  .content()
                  .contains(
                      "--collector hanging --seed " + report.seed(),
                      "memory.max",
                      "Hanging.beforeCollecting"));
    }
  }

  @Test
  void settingsThatNoHeapCanHaveAreAnError() {
    Config wrong = ConfigFactory.parseString("gleaner.collectors.marksweep.nonsense = 1");
    Soak soak = new Soak(List.of("marksweep"), wrong, List.of()).lasting(ONE_SEED);
    assertThatThrownBy(soak::run)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nonsense");
  }
}
