package dev.gleaner.config;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
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

  /** An object of the configuration and the path to it. */
  record Layer(String path, ConfigObject values) {

    String path(String key) {
      return path + "." + ConfigUtil.joinPath(key);
    }
  }

  private final List<Layer> layers;
  private final Problems problems;
  private final Set<String> known = new TreeSet<>();
  private final Map<String, Section> children = new LinkedHashMap<>();

  Section(List<Layer> layers, Problems problems) {
    this.layers = List.copyOf(layers);
    this.problems = problems;
  }

  /** Reads a whole number from {@code least} to {@code most}. */
  public int integer(String key, int least, int most) {
    return (int) whole(key, least, most);
  }

  /** Reads a whole number from {@code least} to {@code most}. */
  public long whole(String key, long least, long most) {
    String legal = "must be a whole number from " + least + " to " + most;
    return read(key, legal, least, v -> within(Values.whole(v), least, most));
  }

  /** Reads a number from {@code least} to {@code most}. */
  public double number(String key, double least, double most) {
    String legal = "must be a number from " + plain(least) + " to " + plain(most);
    return read(
        key,
        legal,
        least,
        v -> {
          Double number = Values.number(v);
          return number != null && number >= least && number <= most ? number : null;
        });
  }

  /** Reads a number of bytes from {@code least} to {@code most}, such as {@code 64KiB}. */
  public long bytes(String key, long least, long most) {
    String legal =
        "must be a size from "
            + size(least)
            + " to "
            + size(most)
            + ", such as 65536, 512k, 64KiB or 1 GiB";
    return read(key, legal, least, v -> within(Values.bytes(v), least, most));
  }

  /**
   * Reads a time in nanoseconds from {@code least} to {@code most}, such as {@code 500us}; the unit
   * is required.
   */
  public long nanos(String key, long least, long most) {
    String legal =
        "must be a time from "
            + time(least)
            + " to "
            + time(most)
            + ", with a unit, such as 500us or 2ms";
    return read(key, legal, least, v -> within(Values.nanos(v), least, most));
  }

  /** Reads {@code on} or {@code off}; {@code true} and {@code false} will do. */
  public boolean onOff(String key) {
    return read(key, "must be on or off", false, Values::truth);
  }

  /** Reads {@code true} or {@code false}; {@code on} and {@code off} will do. */
  public boolean trueFalse(String key) {
    return read(key, "must be true or false", false, Values::truth);
  }

  /** Reads a text. */
  public String text(String key) {
    return read(key, "must be a text", "", Values::text);
  }

  /**
   * Reads one of the words of an enum: its constants in lower case with {@code -} for {@code _}.
   */
  public <E extends Enum<E>> E word(String key, Class<E> words) {
    Collection<String> all = words(words);
    return read(
        key,
        v -> "must be one of " + Names.among(String.valueOf(v.unwrapped()), all),
        words.getEnumConstants()[0],
        v -> Values.word(v, words));
  }

  /** Reads a list of words of an enum, without order; none is legal. */
  public <E extends Enum<E>> Set<E> words(String key, Class<E> words) {
    Collection<String> all = words(words);
    Set<E> result = EnumSet.noneOf(words);
    List<ConfigValue> values =
        read(key, "must be a list of " + Names.among("", all), List.of(), Values::list);
    Layer layer = layer(key);
    for (int i = 0; i < values.size(); i++) {
      ConfigValue value = values.get(i);
      E word = Values.word(value, words);
      if (word != null) {
        result.add(word);
      } else if (layer != null) {
        String text = String.valueOf(value.unwrapped());
        problems.add(
            layer.path(key) + "[" + i + "]", value, "must be one of " + Names.among(text, all));
      }
    }
    return result;
  }

  /**
   * Reads {@code off} as 0, {@code word} as 1, and a whole number from 1 to {@code most} as itself.
   */
  long offWordOrWhole(String key, String word, long most) {
    String legal = "must be off, " + word + " or a whole number from 1 to " + most;
    return read(
        key,
        legal,
        0L,
        v -> {
          Object plain = v.unwrapped();
          if (word.equals(plain)) {
            return 1L;
          }
          return "off".equals(plain) || Boolean.FALSE.equals(plain)
              ? Long.valueOf(0)
              : within(Values.whole(v), 1, most);
        });
  }

  /** Returns the section of that name inside this one. */
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

  /** Returns the keys that were asked for. */
  Set<String> known() {
    return known;
  }

  /** Returns the value that decides, legal or not; null if there is none. */
  @Nullable ConfigValue value(String key) {
    known.add(key);
    Layer layer = layer(key);
    return layer == null ? null : layer.values.get(key);
  }

  /**
   * Notes every key, here and in the sections inside, that neither was asked for nor is one of
   * {@code more}.
   */
  void noteUnknown(Collection<String> more) {
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

  void noteUnknownInside() {
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

  private <T> T read(
      String key, String legal, T otherwise, Function<ConfigValue, @Nullable T> reader) {
    return read(key, v -> legal, otherwise, reader);
  }

  private <T> T read(
      String key,
      Function<ConfigValue, String> legal,
      T otherwise,
      Function<ConfigValue, @Nullable T> reader) {
    known.add(key);
    boolean noted = false;
    for (Layer layer : layers) {
      ConfigValue value = layer.values.get(key);
      if (value == null) {
        continue;
      }
      T result = reader.apply(value);
      if (result != null) {
        return result;
      }
      if (!noted) {
        problems.add(layer.path(key), value, legal.apply(value));
        noted = true;
      }
    }
    if (!noted && !layers.isEmpty()) {
      Layer last = layers.get(layers.size() - 1);
      problems.add(
          last.values.origin(), last.path(key) + ": not set, and no reference.conf has a default");
    }
    return otherwise;
  }

  private static @Nullable Long within(@Nullable Long value, long least, long most) {
    return value != null && value >= least && value <= most ? value : null;
  }

  private static List<String> words(Class<? extends Enum<?>> words) {
    List<String> texts = new ArrayList<>();
    for (Enum<?> word : words.getEnumConstants()) {
      texts.add(Values.word(word));
    }
    return texts;
  }

  static String size(long bytes) {
    String[] units = {"TiB", "GiB", "MiB", "KiB"};
    for (int i = 0; i < units.length; i++) {
      long unit = 1L << (40 - 10 * i);
      if (bytes >= unit && bytes % unit == 0) {
        return bytes / unit + units[i];
      }
    }
    return String.valueOf(bytes);
  }

  private static String time(long nanos) {
    String[] units = {"s", "ms", "us"};
    long unit = 1_000_000_000;
    for (String name : units) {
      if (nanos >= unit && nanos % unit == 0) {
        return nanos / unit + name;
      }
      unit /= 1000;
    }
    return nanos + "ns";
  }

  private static String plain(double number) {
    return number == Math.rint(number) && Math.abs(number) < 1e15
        ? String.valueOf((long) number)
        : String.valueOf(number);
  }
}
