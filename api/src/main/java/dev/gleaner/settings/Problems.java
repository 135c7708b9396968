package dev.gleaner.settings;

import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything that is wrong with one configuration, gathered before anything is thrown.
 *
 * <p>Kept by source in the order in which the sources were met, and by line within a source, which
 * is the order in which a person goes through the files. The same problem found twice is one
 * problem.
 */
public final class Problems {

  /** Longer values are cut in messages. */
  private static final int LONGEST_VALUE = 80;

  private record Problem(int line, String text) {}

  private final Map<String, Set<Problem>> bySource = new LinkedHashMap<>();

  /** Makes an empty list. */
  public Problems() {}

  /**
   * Adds {@code source: line: path = value: what}.
   *
   * @param path of the setting
   * @param value that it has
   * @param what is wrong with it
   */
  public void add(String path, ConfigValue value, String what) {
    add(value.origin(), path + " = " + text(value) + ": " + what);
  }

  /**
   * Adds {@code source: line: what}.
   *
   * @param origin the file and line
   * @param what is wrong there
   */
  public void add(ConfigOrigin origin, String what) {
    String source = source(origin);
    int line = origin.lineNumber();
    String place = line > 0 ? source + ": " + line : source;
    add(source, new Problem(line, place + ": " + what));
  }

  /**
   * Adds a problem of no place in a file.
   *
   * @param what is wrong
   */
  public void add(String what) {
    add("", new Problem(-1, what));
  }

  private void add(String source, Problem problem) {
    bySource.computeIfAbsent(source, s -> new LinkedHashSet<>()).add(problem);
  }

  /** {@return whether nothing was added} */
  public boolean isEmpty() {
    return bySource.isEmpty();
  }

  /** Throws a {@link ConfigurationException} with all problems, if there are any. */
  public void throwIfAny() {
    if (!bySource.isEmpty()) {
      throw exception();
    }
  }

  /** {@return an exception with all problems} */
  public ConfigurationException exception() {
    return new ConfigurationException(texts());
  }

  private List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (Set<Problem> problems : bySource.values()) {
      problems.stream()
          .sorted(Comparator.comparingInt(Problem::line))
          .map(Problem::text)
          .forEach(texts::add);
    }
    return texts;
  }

  /**
   * Names the source without the line: a file by its path as it was given, a resource by its name.
   * Of the many resources called {@code reference.conf} also where it is.
   */
  private static String source(ConfigOrigin origin) {
    if (origin.resource() != null && !Layers.isReference(origin)) {
      return origin.resource();
    }
    String description = origin.description();
    int line = origin.lineNumber();
    String suffix = ": " + line;
    return line > 0 && description.endsWith(suffix)
        ? description.substring(0, description.length() - suffix.length())
        : description;
  }

  private static String text(ConfigValue value) {
    String text = value.render(ConfigRenderOptions.concise());
    return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
  }
}
