package dev.gleaner.settings;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * One section of the configuration, read strictly.
 *
 * <p>Nothing here throws for what a user wrote. A value that is wrong is noted with its file and
 * line, and the default (or, without one, the least legal value) is returned in its place, so that
 * one pass finds everything; the factory then throws one {@link ConfigurationException} for all of
 * it. A key that nobody asked for is unknown, and noted as well: ask for every key of the section,
 * whatever the values of the others.
 *
 * <p>Behind it are layers, the strongest first, each an object with the path under which messages
 * name it:
 *
 * <pre>
 *   get("mult")  ->  [gleaner.collectors.hybrid.voluntary] { mult = 20 }   what a user set
 *                    [gleaner.voluntary]                   { add = 0 }     what a user set
 *                    [gleaner.collectors.hybrid.voluntary] { mult = 50 }   defaults
 *                    [gleaner.voluntary]                   { enabled = true, mult = 1, add = 1024 }
 * </pre>
 *
 * The first layer with the key decides. One with a wrong value is noted and passed over.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class Section {

  /**
   * An object of the configuration and the path to it.
   *
   * @param path under which messages name it
   * @param values what is set in it
   */
  public record Layer(String path, ConfigObject values) {

    String path(String key) {
      return path + "." + ConfigUtil.joinPath(key);
    }
  }

  private final List<Layer> layers;
  private final Problems problems;
  private final Set<String> known = new TreeSet<>();
  private final Map<String, Section> children = new LinkedHashMap<>();

  /**
   * Makes a section; for the factory.
   *
   * @param layers the strongest first
   * @param problems where what is wrong is noted
   */
  public Section(List<Layer> layers, Problems problems) {
    this.layers = List.copyOf(layers);
    this.problems = problems;
  }

  /**
   * Reads a whole number from {@code least} to {@code most}.
   *
   * @param key the name of the setting in this section
   * @param least the least value that is legal
   * @param most the greatest value that is legal
   * @return the number; {@code least} after a problem, which is noted
   */
  public int integer(String key, int least, int most) {
    return (int) whole(key, least, most);
  }

  /**
   * Reads a whole number from {@code least} to {@code most}.
   *
   * @param key the name of the setting in this section
   * @param least the least value that is legal
   * @param most the greatest value that is legal
   * @return the number; {@code least} after a problem, which is noted
   */
  public long whole(String key, long least, long most) {
    return (Long) read(key, SettingRule.within(SettingRule.Type.WHOLE, least, most), least);
  }

  /**
   * {@return a whole number, or nothing for {@code random}}
   *
   * @param key of the setting
   */
  public OptionalLong seed(String key) {
    return (OptionalLong) read(key, SettingRule.of(SettingRule.Type.SEED), OptionalLong.empty());
  }

  /**
   * Reads a number from {@code least} to {@code most}.
   *
   * @param key the name of the setting in this section
   * @param least the least value that is legal
   * @param most the greatest value that is legal
   * @return the number; {@code least} after a problem, which is noted
   */
  public double number(String key, double least, double most) {
    return (Double) read(key, SettingRule.within(SettingRule.Type.NUMBER, least, most), least);
  }

  /**
   * Reads a number of bytes from {@code least} to {@code most}, such as {@code 64KiB}.
   *
   * @param key the name of the setting in this section
   * @param least the least value that is legal
   * @param most the greatest value that is legal
   * @return bytes; {@code least} after a problem, which is noted
   */
  public long bytes(String key, long least, long most) {
    return (Long) read(key, SettingRule.within(SettingRule.Type.BYTES, least, most), least);
  }

  /**
   * Reads a time in nanoseconds from {@code least} to {@code most}, such as {@code 500us}; the unit
   * is required.
   *
   * @param key the name of the setting in this section
   * @param least the least value that is legal
   * @param most the greatest value that is legal
   * @return nanoseconds; {@code least} after a problem, which is noted
   */
  public long nanos(String key, long least, long most) {
    return (Long) read(key, SettingRule.within(SettingRule.Type.TIME, least, most), least);
  }

  /**
   * Reads {@code on} or {@code off}; {@code true} and {@code false} will do.
   *
   * @param key the name of the setting in this section
   * @return whether it is on; false after a problem, which is noted
   */
  public boolean onOff(String key) {
    return (Boolean) read(key, SettingRule.of(SettingRule.Type.ON_OFF), false);
  }

  /**
   * Reads {@code true} or {@code false}; {@code on} and {@code off} will do.
   *
   * @param key the name of the setting in this section
   * @return the value; false after a problem, which is noted
   */
  public boolean trueFalse(String key) {
    return (Boolean) read(key, SettingRule.of(SettingRule.Type.TRUE_FALSE), false);
  }

  /**
   * Reads a text.
   *
   * @param key the name of the setting in this section
   * @return the text; empty after a problem, which is noted
   */
  public String text(String key) {
    return (String) read(key, SettingRule.of(SettingRule.Type.TEXT), "");
  }

  /**
   * Reads one of the words of an enum: its constants in lower case with {@code -} for {@code _}.
   *
   * @param <E> the enum
   * @param key the name of the setting in this section
   * @param words its class
   * @return the constant; the first one after a problem, which is noted
   */
  public <E extends Enum<E>> E word(String key, Class<E> words) {
    return words
        .getEnumConstants()[(Integer) read(key, SettingRule.of(SettingRule.Type.WORD, words), 0)];
  }

  /**
   * Reads a list of words of an enum, without order; none is legal.
   *
   * @param <E> the enum
   * @param key the name of the setting in this section
   * @param words its class
   * @return the constants; none after a problem, which is noted
   */
  public <E extends Enum<E>> Set<E> words(String key, Class<E> words) {
    List<?> values = (List<?>) read(key, SettingRule.of(SettingRule.Type.LIST, words), List.of());
    Set<E> result = EnumSet.noneOf(words);
    SettingRule rule = SettingRule.of(SettingRule.Type.WORD, words);
    for (int i = 0; i < values.size(); i++) {
      ConfigValue value = (ConfigValue) values.get(i);
      Object index = rule.read(value);
      if (index != null) {
        result.add(words.getEnumConstants()[(Integer) index]);
      } else {
        Layer layer = layer(key);
        String path = layer == null ? key : layer.path(key);
        problems.add(path + "[" + i + "]", value, rule.legal(value));
      }
    }
    return result;
  }

  /**
   * {@return 0 for {@code off}, 1 for a word, and a whole number from 1 on for itself}
   *
   * @param key of the setting
   * @param word that stands for 1
   * @param most the largest number
   */
  public long count(String key, String word, long most) {
    return (Long) read(key, new SettingRule(SettingRule.Type.COUNT, 1L, most, List.of(word)), 0L);
  }

  /**
   * {@return the section of that name inside this one}
   *
   * @param key its name
   */
  public Section section(String key) {
    Section known = children.get(key);
    if (known != null) {
      return known;
    }
    this.known.add(key);
    List<Layer> inner = new ArrayList<>();
    Set<String> keys = new TreeSet<>();
    for (Layer layer : layers) {
      if (layer.values.get(key) instanceof ConfigObject object) {
        inner.add(new Layer(layer.path(key), object));
        keys.addAll(object.keySet());
      }
    }
    for (Layer layer : layers) {
      ConfigValue value = layer.values.get(key);
      if (value != null && !(value instanceof ConfigObject)) {
        problems.add(
            layer.path(key),
            value,
            "must be a section { … }" + (keys.isEmpty() ? "" : " with " + String.join(", ", keys)));
      }
    }
    Section section = new Section(inner, problems);
    children.put(key, section);
    return section;
  }

  /**
   * Notes that a value is wrong for a reason that its type and range do not tell.
   *
   * @param key the name of the setting whose value is wrong
   * @param what what would be right, such as {@code must be a power of two}
   */
  public void reject(String key, String what) {
    Layer layer = layer(key);
    if (layer == null) {
      problems.add(key + ": " + what);
      return;
    }
    ConfigValue value = layer.values.get(key);
    if (value != null) {
      problems.add(layer.path(key), value, what);
    }
  }

  /** {@return the keys that were asked for} */
  public Set<String> known() {
    return known;
  }

  /**
   * {@return the value that decides, legal or not; null if there is none}
   *
   * @param key of the setting
   */
  public @Nullable ConfigValue value(String key) {
    known.add(key);
    Layer layer = layer(key);
    return layer == null ? null : layer.values.get(key);
  }

  /**
   * Notes every key, here and in the sections inside, that neither was asked for nor is one of
   * {@code more}.
   *
   * @param more keys that are known besides
   */
  public void noteUnknown(Collection<String> more) {
    Set<String> all = new TreeSet<>(known);
    all.addAll(more);
    for (Layer layer : layers) {
      for (Map.Entry<String, ConfigValue> entry : layer.values.entrySet()) {
        if (!all.contains(entry.getKey())) {
          problems.add(
              entry.getValue().origin(),
              layer.path(entry.getKey())
                  + ": unknown setting; "
                  + (all.isEmpty()
                      ? "there are none here"
                      : "known here: " + Names.among(entry.getKey(), all)));
        }
      }
    }
    noteUnknownInside();
  }

  /** Does the same in the sections inside alone. */
  public void noteUnknownInside() {
    for (Section child : children.values()) {
      child.noteUnknown(Set.of());
    }
  }

  private @Nullable Layer layer(String key) {
    for (Layer layer : layers) {
      if (layer.values.containsKey(key)) {
        return layer;
      }
    }
    return null;
  }

  private Object read(String key, SettingRule rule, Object otherwise) {
    known.add(key);
    boolean noted = false;
    for (Layer layer : layers) {
      ConfigValue value = layer.values.get(key);
      if (value == null) {
        continue;
      }
      Object result = rule.read(value);
      if (result != null) {
        return result;
      }
      if (!noted) {
        problems.add(layer.path(key), value, rule.legal(value));
        noted = true;
      }
    }
    if (!noted && !layers.isEmpty()) {
      Layer last = layers.getLast();
      problems.add(
          last.values.origin(), last.path(key) + ": not set, and no reference.conf has a default");
    }
    return otherwise;
  }
}
