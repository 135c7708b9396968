package dev.gleaner.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import dev.gleaner.Gleaner;
import dev.gleaner.kit.Mutations;
import dev.gleaner.kit.oracle.Dice;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.settings.Layers;
import dev.gleaner.settings.Problems;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever is set, it makes a factory or a list of what is wrong with it. */
class DamagedSettingsTest {
  private static final CollectorRegistry REGISTRY = CollectorRegistry.discover(List.of());

  /** Without the system properties that the build sets. */
  private static final ConfigObject DEFAULTS =
      ConfigFactory.parseResources("reference.conf").getObject(SettingsReader.ROOT);

  private static final int FACTORY_ONE_IN = 50;

  private static List<byte[]> references() throws IOException {
    List<byte[]> all = new ArrayList<>();
    ClassLoader loader = DamagedSettingsTest.class.getClassLoader();
    for (URL url : Collections.list(loader.getResources("reference.conf"))) {
      try (InputStream in = url.openStream()) {
        all.add(in.readAllBytes());
      }
    }
    for (String collector : REGISTRY.names()) {
      String text =
          """
          gleaner {
            collector = %s
            memory { max = 64MiB, backing = grown }
            torture { gc = 7, seed = 3 }
            base-flags = [emergency]
            incremental { enabled = true, slice = 1ms }
            collectors.%s.voluntary { mult = 0.5, add = 10 }
          }
          """
              .formatted(collector, collector);
      all.add(text.getBytes(StandardCharsets.UTF_8));
    }
    return all;
  }

  @Test
  void areUsedOrRefused() throws IOException {
    List<byte[]> inputs = references();
    assertThat(inputs).hasSizeGreaterThan(REGISTRY.names().size());
    Mutations mutations = new Mutations(Dice.seed(), inputs);
    long used = 0;
    long refused = 0;
    for (long n = 0; n < Mutations.count(); n++) {
      String text = new String(mutations.get(n), StandardCharsets.UTF_8);
      Config config;
      try {
        config = ConfigFactory.parseString(text).resolve();
      } catch (ConfigException e) {
        continue; // no HOCON
      }
      try {
        read(config);
        if (n % FACTORY_ONE_IN == 0) {
          assertThat(Gleaner.factory(config)).isNotNull();
        }
        used++;
      } catch (ConfigurationException e) {
        refused++;
        assertThat(e.problems()).isNotEmpty().allSatisfy(p -> assertThat(p).isNotBlank());
      } catch (RuntimeException | Error e) {
        throw new AssertionError("mutation " + n + ":\n" + text, e);
      }
    }
    assertThat(used).isGreaterThan(Mutations.count() / 100);
    assertThat(refused).isGreaterThan(Mutations.count() / 100);
  }

  /** Reads as a factory does, without looking for the collectors each time. */
  private static void read(Config config) {
    Problems problems = new Problems();
    ConfigObject set = Layers.section(config.root(), SettingsReader.ROOT);
    SettingsReader.Choice choice = new SettingsReader(REGISTRY, set, DEFAULTS, problems).read();
    problems.throwIfAny();
    assertThat(choice).isNotNull();
  }
}
