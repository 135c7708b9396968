package dev.gleaner.settings;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A configuration taken apart into what somebody set and what is a default.
 *
 * <p>Config merges both before we see them, but the order of precedence needs them apart. For a
 * general setting such as {@code voluntary.mult} under the collector {@code hybrid} it is,
 * strongest first:
 *
 * <pre>
 *   set      gleaner.collectors.hybrid.voluntary.mult
 *   set      gleaner.voluntary.mult
 *   default  gleaner.collectors.hybrid.voluntary.mult    (reference.conf of the plug-in)
 *   default  gleaner.voluntary.mult                      (reference.conf of this library)
 * </pre>
 *
 * A default is a value from a resource called {@code reference.conf}.
 */
public final class Layers {

  private Layers() {}

  static boolean isReference(ConfigOrigin origin) {
    return "reference.conf".equals(origin.resource());
  }

  /**
   * {@return the object with only the values that are defaults, or only those that are not}
   *
   * @param object with values of both sorts
   * @param defaults which of them stay
   */
  public static ConfigObject only(ConfigObject object, boolean defaults) {
    ConfigObject result = object;
    for (Map.Entry<String, ConfigValue> entry : object.entrySet()) {
      ConfigValue kept = only(entry.getValue(), defaults);
      if (kept == null) {
        result = result.withoutKey(entry.getKey());
      } else if (!kept.equals(entry.getValue())) {
        result = result.withValue(entry.getKey(), kept);
      }
    }
    return result;
  }

  private static @Nullable ConfigValue only(ConfigValue value, boolean defaults) {
    if (value instanceof ConfigObject object && !object.isEmpty()) {
      ConfigObject kept = only(object, defaults);
      return kept.isEmpty() ? null : kept;
    }
    return isReference(value.origin()) == defaults ? value : null;
  }

  /**
   * {@return the section of that name, an empty one if there is none or if it is no section}
   *
   * @param object where it is
   * @param key its name
   */
  public static ConfigObject section(ConfigObject object, String key) {
    return object.get(key) instanceof ConfigObject section
        ? section
        : ConfigValueFactory.fromMap(Map.of()).withOrigin(object.origin());
  }
}
