package dev.gleaner.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many characters a configuration has once its substitutions are replaced, told without
 * replacing them: thirty lines of {@code b = ${a}${a}} are 30 GB.
 *
 * <p>Each value has a path and the text as which it is written. Its size is that of the text and of
 * all that the text refers to, counted once for each value. A reference to itself, as in {@code a =
 * ${a}b}, counts nothing: the library replaces it with what was there before.
 */
final class Expansion {
  private static final long MOST = 16L << 20;
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{\\??([^}]*)}");

  private final ConfigObject root;
  private final TreeMap<String, ConfigValue> values = new TreeMap<>();
  private final Map<String, Long> sizes = new HashMap<>();
  private final Set<String> underWay = new HashSet<>();

  Expansion(ConfigObject root) {
    this.root = root;
  }

  /** Throws if it is too much. */
  void check() {
    collect("", root);
    long all = 0;
    for (Map.Entry<String, ConfigValue> value : values.entrySet()) {
      all += size(value.getKey());
      if (all > MOST) {
        throw new ConfigException.BadValue(
            value.getValue().origin(),
            value.getKey(),
            "substitutions make more than " + MOST + " characters of the configuration");
      }
    }
  }

  private void collect(String path, ConfigValue value) {
    if (value instanceof ConfigObject object) {
      Set<Map.Entry<String, ConfigValue>> entries;
      try {
        entries = object.entrySet();
      } catch (ConfigException.NotResolved e) {
        entries = Set.of(); // it is merged with what a substitution will be
      }
      for (Map.Entry<String, ConfigValue> entry : entries) {
        String name = ConfigUtil.quoteString(entry.getKey());
        collect(path.isEmpty() ? name : path + "." + name, entry.getValue());
      }
      if (!entries.isEmpty()) {
        return;
      }
    }
    if (!path.isEmpty()) {
      values.put(path, value);
    }
  }

  private long size(String path) {
    Long known = sizes.get(path);
    if (known != null) {
      return known;
    }
    ConfigValue value = values.get(path);
    if (value == null || !underWay.add(path)) {
      return 0;
    }
    String text = value.render(ConfigRenderOptions.concise());
    long size = text.length();
    Matcher reference = REFERENCE.matcher(text);
    while (size <= MOST && reference.find()) {
      size += sizeBelow(reference.group(1));
    }
    underWay.remove(path);
    sizes.put(path, size);
    return size;
  }

  /** The value of that path, all that are inside, or the one that it is inside of. */
  private long sizeBelow(String written) {
    List<String> parts;
    try {
      parts = ConfigUtil.splitPath(written.strip());
    } catch (ConfigException e) {
      return 0; // the library says what is wrong
    }
    StringBuilder path = new StringBuilder();
    for (String part : parts) {
      path.append(path.isEmpty() ? "" : ".").append(ConfigUtil.quoteString(part));
      if (values.containsKey(path.toString())) {
        return size(path.toString());
      }
    }
    String inside = path + ".";
    long size = 0;
    for (String key : List.copyOf(values.tailMap(inside).keySet())) {
      if (!key.startsWith(inside) || size > MOST) {
        break;
      }
      size += size(key);
    }
    return size;
  }
}
