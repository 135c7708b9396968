package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import dev.gleaner.lab.output.Setting;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettingsInForceTest {
  private static final Config DEFAULTS =
      ConfigFactory.parseString(
          """
          gleaner {
            collector = x
            memory.max = 1GiB
            voluntary { mult = 1, add = 1024 }
            base-flags = []
            collectors {
              x { voluntary.mult = 50, own = 7 }
              y { own = 8 }
            }
          }
          other = 1
          """);

  private static List<Setting> inForce(String set) {
    ConfigParseOptions origin = ConfigParseOptions.defaults().setOriginDescription("-D …");
    return new SettingsInForce("x", ConfigFactory.parseString(set, origin), DEFAULTS).list();
  }

  @Test
  void theCollectorsDefaultsPrecedeTheGeneralOnes() {
    assertThat(inForce(""))
        .containsExactly(
            new Setting("gleaner.base-flags", "[]", "[]", "default"),
            new Setting("gleaner.collector", "x", "x", "default"),
            new Setting("gleaner.collectors.x.own", "7", "7", "default"),
            new Setting("gleaner.memory.max", "\"1GiB\"", "\"1GiB\"", "default"),
            new Setting("gleaner.voluntary.add", "1024", "1024", "default"),
            new Setting("gleaner.voluntary.mult", "50", "50", "default"))
        .noneMatch(Setting::changed);
  }

  @Test
  void whatSomebodySetPrecedesAnyDefault() {
    assertThat(inForce("gleaner { voluntary.mult = 2, collectors.x.own = 9 }"))
        .filteredOn(Setting::changed)
        .containsExactly(
            new Setting("gleaner.collectors.x.own", "9", "7", "-D …"),
            new Setting("gleaner.voluntary.mult", "2", "50", "-D …"));
  }

  @Test
  void setForTheCollectorPrecedesSetForAll() {
    assertThat(
            inForce("gleaner { voluntary.mult = 2, collectors.x.voluntary { mult = 3, add = 4 } }"))
        .filteredOn(Setting::changed)
        .containsExactly(
            new Setting("gleaner.voluntary.add", "4", "1024", "-D …"),
            new Setting("gleaner.voluntary.mult", "3", "50", "-D …"));
  }

  @Test
  void theFactoryAgrees() {
    Installed installed = new Installed(new Settings(null, List.of(), "64m", List.of()));
    assertThat(installed.inForce("hybrid", WorkloadSpec.parse("gcbench")))
        .contains(new Setting("gleaner.memory.max", "\"64m\"", "\"1GiB\"", "--max-memory"))
        .anyMatch(s -> s.path().equals("gleaner.voluntary.mult") && s.value().equals("50"));
  }
}
