package dev.gleaner.lab;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import dev.gleaner.lab.output.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one collector, one by one, by the order of precedence that a factory of heaps
 * keeps; for {@code voluntary.mult} under {@code hybrid}, the strongest first:
 *
 * <pre>
 *   set      gleaner.collectors.hybrid.voluntary.mult
 *   set      gleaner.voluntary.mult
 *   default  gleaner.collectors.hybrid.voluntary.mult
 *   default  gleaner.voluntary.mult
 * </pre>
 *
 * <p>What stands in the collector's section only is its own, and keeps its long path.
 */
final class SettingsInForce {
  private static final String ROOT = "gleaner.";
  private static final String COLLECTORS = ROOT + "collectors.";

  private final Config set;
  private final Config defaults;
  private final String own;

  /** Takes what somebody set, and the defaults. */
  SettingsInForce(String collector, Config set, Config defaults) {
    this.set = set;
    this.defaults = defaults;
    this.own = ConfigUtil.joinPath("gleaner", "collectors", collector) + ".";
  }

  /** Returns them, by path. */
  List<Setting> list() {
    Set<String> paths = new TreeSet<>();
    for (String path : paths(set, defaults)) {
      if (path.startsWith(own)) {
        String general = ROOT + path.substring(own.length());
        paths.add(defaults.hasPath(general) ? general : path);
      } else if (path.startsWith(ROOT) && !path.startsWith(COLLECTORS)) {
        paths.add(path);
      }
    }
    List<Setting> settings = new ArrayList<>();
    for (String path : paths) {
      String special = path.startsWith(COLLECTORS) ? path : own + path.substring(ROOT.length());
      ConfigValue usual = first(defaults, special, path);
      ConfigValue given = first(set, special, path);
      ConfigValue value = given == null ? usual : given;
      if (value != null) {
        String origin = given == null ? "default" : origin(given);
        settings.add(new Setting(path, text(value), usual == null ? "" : text(usual), origin));
      }
    }
    return settings;
  }

  private static Set<String> paths(Config... configs) {
    Set<String> paths = new TreeSet<>();
    for (Config config : configs) {
      for (Map.Entry<String, ConfigValue> entry : config.entrySet()) {
        paths.add(entry.getKey());
      }
    }
    return paths;
  }

  private static @Nullable ConfigValue first(Config config, String path, String otherwise) {
    String there = config.hasPath(path) ? path : otherwise;
    return config.hasPath(there) ? config.getValue(there) : null;
  }

  /** Returns who set it; the line only if it is one of a file. */
  private static String origin(ConfigValue value) {
    String description = value.origin().description();
    return value.origin().filename() == null ? description.replaceFirst(": 1$", "") : description;
  }

  private static String text(ConfigValue value) {
    return value.render(ConfigRenderOptions.concise().setJson(false));
  }
}
